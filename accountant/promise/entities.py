"""Entities: who contains whom, at most how many, and what may change.

A dataset is a collection of entities. Each has values of attributes of its own, and is in one of the entities that contain
its sort, whose attributes it has too: a person in a household in a block has the block's state. What follows from these
declarations, and from nothing else, is what counts of one entity may do when a unit of another sort changes. See
docs/explanation/units-and-entities.md, where the rules are proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from attrs import evolve, field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, suggest
from accountant.fields import about, at_least, at_most, instances, names, text, whole

Place = tuple[int, str]
"""Which entity of a list, and which key of it."""


def _containers(value: str | list[str] | tuple[str, ...] | frozenset[str]) -> frozenset[str]:
    """The names of sorts of containers; a text is one."""
    return names((value,) if isinstance(value, str) else value) or frozenset()


def _own(value: object) -> frozenset[str]:
    return names(value) or frozenset()  # type: ignore[arg-type]


def _answer(value: bool | None) -> bool | None:
    """Yes, no, or None where nobody has said."""
    if value is None or isinstance(value, bool):
        return value
    raise InvalidValue(f"expected true or false, got {value!r}")


def _most(value: int | None) -> int | None:
    return None if value is None else whole(value)


_YES_OR_NO = {"type": "boolean"}
_ONE_OR_SEVERAL = {
    "oneOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string", "minLength": 1}}]
}


@frozen
class Entity(Brief):
    """A sort of thing that a dataset has: what contains it, and what may change. What is left out is not known."""

    name: str = field(converter=text, metadata=about("what one is called: person, household, block"))
    within: frozenset[str] = field(
        default=frozenset(),
        converter=_containers,
        metadata=about("what one is in, a name; or a list, of which each is in one", _ONE_OR_SEVERAL),
    )
    at_most: int | None = field(
        default=None,
        converter=_most,
        validator=[at_least(1), at_most(1_000_000_000)],
        metadata=about(
            "how many of them one container has at most", {"type": "integer", "minimum": 1, "maximum": 1_000_000_000}
        ),
    )
    may_move: bool | None = field(
        default=None,
        converter=_answer,
        metadata=about("whether a replaced one may be in another container than before", _YES_OR_NO),
    )
    may_resize: bool | None = field(
        default=None,
        converter=_answer,
        metadata=about("whether a replaced one may have more or fewer members than before", _YES_OR_NO),
    )
    may_be_empty: bool | None = field(
        default=None,
        converter=_answer,
        metadata=about(
            "whether one is there without members, as a vacant house; if not, it comes and goes with them", _YES_OR_NO
        ),
    )
    attributes: frozenset[str] | None = field(
        default=None, converter=names, metadata=about("the attributes that it has of its own, whatever its members have")
    )
    derived: frozenset[str] = field(
        default=frozenset(),
        converter=_own,
        metadata=about("the attributes that follow from its members, such as how many they are"),
    )

    @property
    def declared(self) -> frozenset[str]:
        """All attributes that are said to be its own or to follow from its members."""
        return (self.attributes or frozenset()) | self.derived


@frozen
class Entities(Brief):
    """All sorts of entities that a specification declares, none of which contains itself."""

    declared: tuple[Entity, ...] = field(default=(), validator=instances(Entity, "give each as Entity(name, within=...)"))

    def __attrs_post_init__(self) -> None:
        found = [f"entities[{index}].{key}: {message}" for (index, key), message in self.faults()]
        if found:
            raise InvalidValue("; ".join(found))

    def __bool__(self) -> bool:
        return bool(self.declared)

    def __contains__(self, name: object) -> bool:
        return name in self._named

    def __getitem__(self, name: str) -> Entity:
        return self._named[name]

    @cached_property
    def _named(self) -> dict[str, Entity]:
        return {entity.name: entity for entity in self.declared}

    @classmethod
    def unchecked(cls, declared: Sequence[Entity]) -> Entities:
        """What is declared, though it may contradict itself: to ask what else is wrong."""
        return _Unchecked(tuple(declared))

    def faults(self) -> Iterator[tuple[Place, str]]:
        """Everything that contradicts itself, each with its place."""
        seen: dict[str, str] = {}
        for index, entity in enumerate(self.declared):
            if any(entity.name == other.name for other in self.declared[:index]):
                yield (index, "name"), f"'{entity.name}' is declared twice; say all of it at one place"
                continue
            for container in sorted(entity.within):
                if container not in self._named:
                    yield (index, "within"), f"nobody declared '{container}'{suggest(container, self._named)}"
            # A circle is one mistake, and is named where it is declared first.
            inside = (other.name for other in self.declared[: index + 1] if entity.name in self.around(other.name))
            if next((name for name in inside if name in self.around(entity.name)), None) == entity.name:
                yield (index, "within"), f"'{entity.name}' would contain itself; containment must not run in circles"
            yield from (((index, key), message) for key, message in self._contradictions(entity))
            for attribute in sorted(entity.declared):
                if seen.setdefault(attribute, entity.name) != entity.name:
                    words = f"'{seen[attribute]}' has '{attribute}' already; those inside it have it from there"
                    yield (index, "attributes" if attribute in (entity.attributes or ()) else "derived"), words

    def _contradictions(self, entity: Entity) -> Iterator[tuple[str, str]]:
        """What an entity says that cannot be true together."""
        members = self.members(entity.name)
        for key in ("at_most", "may_move"):
            if getattr(entity, key) is not None and not entity.within:
                yield key, f"'{entity.name}' is in nothing; say what it is in with 'within'"
        for key in ("may_resize", "may_be_empty"):
            if getattr(entity, key) is not None and not members:
                yield key, f"'{entity.name}' has no members; say who is in it with their 'within'"
        if entity.derived and not members:
            yield "derived", f"'{entity.name}' has no members from which anything could follow"
        both = entity.derived & (entity.attributes or frozenset())
        if both:
            yield "derived", f"{', '.join(sorted(both))} cannot be its own and follow from its members"
        fixed = [name for name in sorted(entity.within) if name in self._named and self._named[name].may_resize is False]
        if entity.may_move and fixed:
            yield "may_move", f"whoever moves changes how many a '{fixed[0]}' has, which is declared not to change"

    def members(self, name: str) -> tuple[str, ...]:
        """The sorts that are directly in one."""
        return tuple(entity.name for entity in self.declared if name in entity.within)

    @cached_property
    def _known(self) -> dict[str, frozenset[str]]:
        """What was found to be around entities: there are as many ways out as combinations of containers."""
        return {}

    def around(self, name: str) -> frozenset[str]:
        """What contains an entity, and what contains that, up to the outermost."""
        if name not in self._known:
            self._known[name] = self._outwards(name)
        return self._known[name]

    def _outwards(self, name: str, past: str | None = None) -> frozenset[str]:
        """What is met on ways from an entity outwards, none of which goes past another one."""
        found: set[str] = set()
        edge = {name}
        while edge:
            further = {outer for inner in edge - {past} if inner in self._named for outer in self._named[inner].within}
            edge = {outer for outer in further if outer in self._named} - found
            found |= edge
        return frozenset(found)

    def inside(self, name: str) -> frozenset[str]:
        """What an entity contains, at any depth."""
        return frozenset(entity.name for entity in self.declared if name in self.around(entity.name))

    def always_in(self, inner: str, outer: str) -> bool:
        """Whether each of one entity is in some other: no way leads outwards past it."""
        met = self._outwards(inner, past=outer)
        return outer in met and all(self._named[name].within for name in met - {outer})

    def between(self, inner: str, outer: str) -> frozenset[str]:
        """What contains one entity and is contained in another, with the outer one."""
        return frozenset(name for name in self.around(inner) if name == outer or outer in self.around(name))

    def most(self, inner: str, outer: str) -> int | None:
        """How many of one entity another has at most; None where that is not declared."""
        found: dict[str, int | None] = {outer: 1}
        # Whatever contains another one is around less than that is.
        for name in sorted({inner, *self.between(inner, outer)} - {outer}, key=lambda name: len(self.around(name))):
            entity = self._named[name]
            ways = [found[container] for container in entity.within if container in found]
            known = [way for way in ways if way is not None]
            found[name] = entity.at_most * sum(known) if entity.at_most is not None and len(known) == len(ways) else None
        return found[inner]

    def record(self, name: str) -> frozenset[str] | None:
        """All attributes that an entity has, of its own or from what it is in; None where some are not declared."""
        chain = [self._named[item] for item in (name, *self.around(name))]
        if any(entity.attributes is None for entity in chain):
            return None
        return frozenset().union(*(entity.declared for entity in chain))

    def covers(self, other: Entities) -> bool:
        """Whether all datasets of another declaration are datasets of this one, and steps mean the same in both."""
        return {evolve(entity, at_most=None) for entity in self.declared} == {
            evolve(entity, at_most=None) for entity in other.declared
        } and all(entity.at_most is None or _within(other[entity.name].at_most, entity.at_most) for entity in self.declared)

    def owner(self, attribute: str, name: str) -> Entity | None:
        """Which entity an attribute is of: the named one, or one around it; None where nobody declares it."""
        chain = (self._named[item] for item in (name, *sorted(self.around(name))))
        return next((entity for entity in chain if attribute in entity.declared), None)


def _within(size: int | None, most: int) -> bool:
    return size is not None and size <= most


class _Unchecked(Entities):
    """Entities that may contradict themselves, to ask how."""

    def __attrs_post_init__(self) -> None:
        pass
