"""Instances: values of a registered class, drawn from what its fields declare.

Types, bounds, alternatives, optional fields, enumerations in schemas, mechanisms as parameters and lists of parts are read
from the fields: points at the bounds, just inside them, 1/10, 1/2, 3 and 30 above, whole numbers from the lower bound up,
and far out. What a class refuses is drawn again. Where a field does not say what may be drawn, the author does, in the
oracle's `instances`, and laws insist on it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, TypeVar, cast

import attrs
from hypothesis import reject, strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from accountant import fields
from accountant.display.brief import full
from accountant.errors import AccountantError
from accountant.registry.registry import Registry
from accountant.release.release import MECHANISMS
from accountant.testing.counterexamples import broken
from accountant.testing.parameters import Allowed, Inside, choice
from accountant.values.schema import field_schema

T = TypeVar("T")
_ATTEMPTS, _TRIES = 40, 4000


def instances(cls: type[T], registry: Registry, oracle: Any = None) -> SearchStrategy[T]:
    """Values of a class: as its oracle draws them, where it says so, and otherwise as its fields do.

    Raises AssertionError, with the names of the fields, where neither says what may be drawn.
    """
    given = getattr(oracle, "instances", None)
    if given is not None:
        return cast(SearchStrategy[T], given())
    choices = _choices(cls, registry)

    @st.composite
    def drawn(draw: DrawFn) -> T:
        tried = (_made(cls, _drawn(draw, cls, choices)) for _ in range(_ATTEMPTS))
        made = next((value for value in tried if value is not None), None)
        return reject() if made is None else made

    return drawn()


def edge_cases(cls: type[T], registry: Registry, most: int = 24) -> tuple[T, ...]:
    """The same few values of a class in every run: a plain one, then others with one parameter at or near its bounds.

    Empty where the fields do not say what may be drawn; raises AssertionError where the class refuses all that they say.
    """
    if underivable(cls):
        return ()
    choices = _choices(cls, registry)
    found: dict[str, T] = {}
    for arguments in _varied(cls, choices):
        made = _made(cls, arguments)
        if made is not None:
            found.setdefault(full(made), made)
        if len(found) == most:
            break
    if not found:
        _insist(cls, list(choices), "the class refuses whatever its fields say may be drawn")
    return tuple(found.values())


def plainest(cls: type[T], registry: Registry) -> T | None:
    """A plain value of a class, None where its fields do not say what may be drawn or the class refuses that."""
    if underivable(cls):
        return None
    made = (_made(cls, arguments) for arguments in _varied(cls, _choices(cls, registry)))
    return next((value for value in made if value is not None), None)


def underivable(cls: type[Any]) -> list[str]:
    """The parameters of a class of which the fields do not say what may be drawn."""
    return [name for name, member in _members(cls).items() if choice(cls, member, _SAID) is None]


def _members(cls: type[Any]) -> dict[str, attrs.Attribute[Any]]:
    """The parameters of a class, by the name that its constructor has for them."""
    return {member.alias or member.name: member for member in attrs.fields(cls) if member.init}


def _choices(cls: type[Any], registry: Registry) -> dict[str, Allowed]:
    missing = underivable(cls)
    if missing:
        _insist(cls, missing, "the fields do not say what may be drawn")
    found = {name: choice(cls, member, _inside(registry)) for name, member in _members(cls).items()}
    return {name: item for name, item in found.items() if item is not None}


_SAID = Inside(lambda cls: None if underivable(cls) else Allowed((), st.nothing()), lambda: Allowed((), st.nothing()))
"""Whether anything is said is known without a registry."""


def _inside(registry: Registry) -> Inside:
    return Inside(partial(_parts, registry), partial(_mechanisms, registry))


def _parts(registry: Registry, cls: type[Any]) -> Allowed | None:
    """Lists of values of a class, whose fields say what these may be."""
    if underivable(cls):
        return None
    parts = edge_cases(cls, registry)
    points = tuple(parts[:size] for size in (2, 1, 3) if len(parts) >= size) + tuple((part, part) for part in parts)
    return Allowed(points, st.lists(instances(cls, registry), min_size=1, max_size=3).map(tuple))


def _mechanisms(registry: Registry) -> Allowed:
    """A plain mechanism of every registered kind that is made of no other and whose fields say what may be drawn."""
    found = (plainest(cls, registry) for cls in registry[MECHANISMS].values() if not _holds_mechanisms(cls))
    # Those that need no query tell least, and so come last.
    ordered = tuple(sorted(filter(None, found), key=lambda mechanism: not mechanism.needs_query))
    return Allowed(ordered, st.sampled_from(ordered))


def _holds_mechanisms(cls: type[Any]) -> bool:
    members = attrs.fields(cls)
    return any("$ref" in field_schema(member) or fields.validators(member, fields.Each) for member in members)


def _insist(cls: type[Any], names: Sequence[str], why: str) -> None:
    kind = getattr(cls, "kind", None) or getattr(cls, "name", None) or cls.__name__
    broken(
        f"no values of '{kind}' can be drawn: {why}",
        fields=", ".join(f"'{name}'" for name in names),
        remedy="declare them with a converter of 'accountant.fields' or a 'schema' in 'fields.about', or give the oracle "
        f"of '{kind}' a Hypothesis strategy: instances=lambda: st.builds({cls.__name__}, ...)",
    )


def _given(cls: type[Any], choices: dict[str, Allowed], one: str | None) -> dict[str, Allowed]:
    """The parameters that are given together: of those that say the same in different ways only one is."""
    others = set(getattr(cls, "alternatives", ())) - {one}
    return {name: item for name, item in choices.items() if name not in others}


def _drawn(draw: DrawFn, cls: type[Any], choices: dict[str, Allowed]) -> dict[str, Any]:
    alternatives = getattr(cls, "alternatives", ())
    one = draw(st.sampled_from(alternatives)) if alternatives else None
    given = _given(cls, choices, one)
    kept = [name for name, item in given.items() if not item.optional or name == one or draw(st.booleans())]
    return {name: draw(given[name].drawn) for name in kept}


def _made(cls: type[T], arguments: dict[str, Any]) -> T | None:
    try:
        return cls(**arguments)
    except (AccountantError, ValueError, TypeError, ArithmeticError):
        return None


def _varied(cls: type[Any], choices: dict[str, Allowed]) -> Iterator[dict[str, Any]]:
    """Plain parameters that the class takes; each of them at its other points; all of them at random points."""
    bases = []
    for one in getattr(cls, "alternatives", ()) or (None,):
        given = _given(cls, choices, one)
        needed = {name: item for name, item in given.items() if not item.optional or name == one}
        for values in _accepted(cls, needed):
            bases.append((values, given))
            yield values
            break
    for values, given in bases:
        # The parameters take turns, so that a bound on their number leaves some of each.
        rows = [[{**values, name: point} for point in item.points] for name, item in given.items()]
        yield from (row for turn in itertools.zip_longest(*rows) for row in turn if row is not None)
    chooser = random.Random(1)
    for values, given in bases * 8:
        yield {name: chooser.choice(item.points) for name, item in given.items() if name in values}


def _accepted(cls: type[Any], needed: dict[str, Allowed]) -> Iterator[dict[str, Any]]:
    """Parameters that the class takes, plain ones first."""
    chooser = random.Random(0)
    plain = [
        # Neighbouring parameters differ, so that the lower of two bounds is not the upper one.
        {name: item.points[(turn + place) % len(item.points)] for place, (name, item) in enumerate(needed.items())}
        for turn in range(8)
    ]
    mixed = ({name: chooser.choice(item.points) for name, item in needed.items()} for _ in range(_TRIES))
    return (values for values in itertools.chain(plain, mixed) if _made(cls, values) is not None)
