"""Neighbours: which pairs of datasets are compared.

A relation says how many records come and go. Where not all datasets that its moves reach are neighbours, a policy says
which are. Whatever only needs to know how far something may move reads the moves, which hold for all neighbours. Whatever
needs to know that some datasets *are* neighbours, as a distance, a counterexample or the step from one relation to another
does, asks the policy, and where that does not say, nothing is concluded. See docs/explanation/policies.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import about, at_least, at_most, instance, names, text, whole
from accountant.promise.entities import Entities, Entity
from accountant.values.family import Family, Kind
from accountant.values.reading import made

if TYPE_CHECKING:
    from accountant.registry.registry import Registry


Record = Mapping[str, Any] | None
"""The values of a record by attribute; None for a null record, which stands for somebody whose record was taken out."""


@frozen
class Policy(Brief, metaclass=Kind):
    """Which of the datasets that record moves reach are neighbours.

    `moves` bound what neighbours do to the records that an answer is made of: no two of them differ by more than one of
    these. `edits` is as in a relation. `unit` is what the policy is about where it makes no sense of anything else, and
    `public_size` says that how many records there are is the same in both, though some of them add nothing.
    """

    kind: ClassVar[str]
    instead: ClassVar[Mapping[str, str]] = {}
    """What to write for parameters that people expect here and that there are not, by name."""
    edits: ClassVar[bool] = False
    unit: ClassVar[str | None] = None
    public_size: ClassVar[bool] = False

    @property
    @abstractmethod
    def moves(self) -> Iterable[tuple[int, int]]:
        """The record moves that bound what neighbours do: (records that appear, records that disappear)."""

    @property
    @abstractmethod
    def meaning(self) -> str:
        """Which datasets are neighbours, in words that follow *datasets where*."""

    @property
    def differing(self) -> frozenset[str] | None:
        """The attributes in which neighbours differ and no others; None where a policy is not about some attributes."""
        return None

    @property
    def leaves_open(self) -> str:
        """Sentences on what a reader could otherwise take to be promised; nothing where nothing is left out."""
        return ""

    @abstractmethod
    def joins(self, gone: Sequence[Record], come: Sequence[Record]) -> bool:
        """Whether datasets are neighbours that are alike but for these records of the one and those of the other."""

    def reaches(self, before: Record, after: Record, steps: int) -> bool:
        """Whether so many steps, or fewer, may turn one record into another; also where that is not known."""
        return steps > 1 or self.joins([before], [after])

    def steps_in(self, other: Relation) -> int | None:
        """At most how many steps between neighbours of another relation lead from each neighbour to the other.

        The steps are in the domain of that relation. None where that is not known.
        """
        return None

    def steps_for(self, other: Relation) -> int | None:
        """At most how many steps between these neighbours lead from each neighbour of another relation to the other.

        Only relations are asked about that differ in no other attributes. None where that is not known.
        """
        return None

    def told_apart(self, other: Relation) -> tuple[str, str, str] | None:
        """What never differs between datasets that these steps connect, and two values in which neighbours of another
        relation differ and which it tells apart, all in words; None where no such thing is known.
        """
        return None


def _both_ways(moves: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Moves and their opposites: whoever is a neighbour of somebody has a neighbour in them."""
    return frozenset(way for appear, gone in moves for way in ((appear, gone), (gone, appear)))


@frozen
class Relation(Brief):
    """A neighbour relation on multisets of records, as the record moves it allows.

    Each move is (records that appear, records that disappear). Add-remove allows (1, 0) and (0, 1); replace-one
    allows (1, 1). Neighbours are neighbours of each other, so that a move written one way is meant both ways. `edits`
    says whether a neighbour may differ in some attributes of a record only: no move may then change how many records
    there are, since a record that comes or goes moves the counts by its other attributes too.

    All datasets that differ by a move are neighbours, unless a `policy` says that only some of them are.
    """

    _leading: ClassVar[tuple[str, ...]] = ("name",)

    name: str = field(converter=text)
    moves: frozenset[tuple[int, int]] = field(converter=_both_ways)
    edits: bool
    meaning: str = field(converter=text)
    policy: Policy | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, policy: Policy) -> Relation:
        """The relation of which a policy says everything."""
        return cls(policy.kind, frozenset(policy.moves), policy.edits, policy.meaning, policy=policy)

    def __attrs_post_init__(self) -> None:
        if self.edits and not self.keeps_size:
            raise InvalidValue(
                f"'{self.name}' neighbours may differ by a whole record, and a record that comes or goes differs in every "
                "attribute: say edits=False, or allow only moves in which as many records appear as disappear"
            )

    @property
    def keeps_size(self) -> bool:
        """Whether neighbours have equally many records."""
        return all(appear == disappear for appear, disappear in self.moves)

    @property
    def public_size(self) -> bool:
        """Whether neighbours have equally many records, null records among them that add nothing to any answer."""
        return self.keeps_size or (self.policy is not None and self.policy.public_size)

    @property
    def replacement(self) -> int | None:
        """How many steps give one record other values; None where several may change at once, or the moves do not tell.

        Of a policy about attributes: values of these that it joins.
        """
        if self.policy is not None:
            return None if self.policy.differing is None else 1
        if any(max(move) > 1 for move in self.moves):
            return None
        if (1, 1) in self.moves:
            return 1
        return 2 if {(1, 0), (0, 1)} <= self.moves else None

    @property
    def by_presence(self) -> bool:
        """Whether neighbours differ in whether a unit is there, any unit."""
        return self.policy is None and self.moves == {(1, 0), (0, 1)}

    @property
    def by_value(self) -> bool:
        """Whether neighbours differ in the values of a unit that is there in both, any values."""
        return self.policy is None and self.moves == {(1, 1)}

    def joins(self, gone: Sequence[Any], come: Sequence[Any]) -> bool:
        """Whether datasets are neighbours that are alike but for these records of the one and those of the other.

        Records are whatever tells them apart, and where there is a policy their values by attribute, or None.
        """
        if self.policy is None:
            return (len(come), len(gone)) in self.moves
        return self.policy.joins(gone, come)


ADD_REMOVE = Relation(
    "add-remove",
    frozenset({(1, 0), (0, 1)}),
    edits=False,
    meaning="one unit is present in one dataset and absent from the other",
)

REPLACE_ONE = Relation(
    "replace-one", frozenset({(1, 1)}), edits=True, meaning="one unit has other values in one dataset than in the other"
)


def _relation(value: Relation | Policy) -> Relation:
    return Relation.of(value) if isinstance(value, Policy) else value


def _entities(value: Iterable[Entity] | Entities) -> Entities:
    return value if isinstance(value, Entities) else Entities(tuple(value))


@frozen
class Neighbours(Brief):
    """A relation, the unit it protects, and the attributes of that unit that may differ (None: any).

    `entities` say what units contain and what contains them; nothing is known of that where there are none.
    """

    relation: Relation = field(
        converter=_relation, validator=instance(Relation, "give the relation by its name: Neighbours.of('add-remove')")
    )
    unit: str = field(default="person", converter=text, metadata=about("who or what one record stands for"))
    attributes: frozenset[str] | None = field(
        default=None, converter=names, metadata=about("the attributes that may differ; any when left out")
    )
    group: int = field(
        default=1,
        converter=whole,
        validator=[at_least(1), at_most(10_000)],
        metadata=about("how many units may differ at once"),
    )
    entities: Entities = field(default=Entities(), converter=_entities)

    @classmethod
    def of(
        cls,
        relation: str | Relation | Policy,
        *,
        unit: str = "person",
        attributes: Iterable[str] | None = None,
        group: int = 1,
        entities: Iterable[Entity] | Entities = (),
    ) -> Neighbours:
        """Neighbours by the name of their relation: `Neighbours.of("replace-one", attributes=["age"])`."""
        if isinstance(relation, str):
            from accountant.registry.registry import default_registry

            relation = relation_called(relation, default_registry())
        return cls(relation, unit, attributes, group, entities)

    @cached_property
    def moves(self) -> frozenset[tuple[int, int]]:
        """The record moves between datasets that differ in a whole group; smaller groups move less."""
        reached = {(0, 0)}
        for _ in range(self.group):
            reached = {(a + c, b + d) for a, b in reached for c, d in self.relation.moves}
        return frozenset(reached)

    @property
    def compared(self) -> str:
        """What is compared, in words that follow *between*."""
        return "neighbours" if self.group == 1 else f"datasets that differ in up to {self.group:,} units"

    def __str__(self) -> str:
        whom = f"one {self.unit}" if self.group == 1 else f"up to {self.group:,} of unit {self.unit}"
        within = "" if self.attributes is None else f", in {', '.join(sorted(self.attributes)) or 'nothing'}"
        return f"{self.relation.name}, {whom}{within}"

    def __attrs_post_init__(self) -> None:
        if self.relation.policy is not None:
            self._take_in(self.relation.policy)
        if self.attributes is not None and not self.relation.edits:
            raise InvalidValue(
                f"'{self.relation.name}' neighbours differ by a whole {self.unit}, so no set of attributes can be singled "
                "out; use 'replace-one' to say which attributes may differ"
            )

    def _take_in(self, policy: Policy) -> None:
        """What a policy says of units and attributes holds, and nothing else may be said."""
        own = policy.differing
        for _, message in of_another_unit(policy, self.unit, self.entities):
            raise InvalidValue(message)
        if own is not None and self.attributes not in (None, own):
            raise InvalidValue(
                f"'{policy.kind}' neighbours differ in {', '.join(sorted(own))} and nothing else; leave 'attributes' out"
            )
        if own is not None:
            object.__setattr__(self, "attributes", own)

    def affects(self, attributes: frozenset[str] | None) -> bool:
        """Whether a statistic of these attributes (None: of everything) can move between neighbours."""
        if not self.relation.edits or attributes is None:
            return True
        if self.attributes is None:
            return bool(attributes)
        return bool(attributes & self.attributes)


def of_another_unit(policy: Policy, unit: str, entities: Entities | Collection[object]) -> Iterator[tuple[str, str]]:
    """What keeps a policy about units of one sort from being about others, with the key that says these."""
    if policy.unit is None or (unit == policy.unit and not entities):
        return
    yield (
        "entities" if unit == policy.unit else "unit",
        f"'{policy.kind}' neighbours differ by one {policy.unit}, and by nothing that is in something else: say "
        f"unit = '{policy.unit}', and leave 'entities' out",
    )


def relation_called(name: str, registry: Registry) -> Relation:
    """The relation with a name, or that of a policy which need not be told anything; an error otherwise."""
    if not isinstance(name, str) or name in registry[NEIGHBOURS] or name not in registry[POLICIES]:
        return registry.find(NEIGHBOURS, name)
    return Relation.of(made(registry[POLICIES][name], {}, f"'{name}' neighbours"))


NEIGHBOURS: Family[Relation] = Family("accountant_neighbours", "neighbour relation", Relation)
POLICIES: Family[type[Policy]] = Family("accountant_policies", "neighbour policy", Policy, classes=True, named_by="kind")
