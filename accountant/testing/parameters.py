"""Parameters: which values a field may have, as its converter, its constraints, its schema or its type say."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

import attrs
from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from accountant import fields
from accountant.values.schema import NUMBER_SCHEMA, field_schema

_HALF, _FAR = Fraction(1, 2), 1000
_UNEVEN = Fraction(113, 1000)
"""About a tenth, and another number where somebody rounds to a tenth or a hundredth."""
_WORDS = ("age", "sex", "smoking")
_MOST_WHOLE = 7


@frozen
class Allowed:
    """What a parameter may be: a few points, the plainest first, and a strategy; and whether it may be left out."""

    points: tuple[Any, ...]
    drawn: SearchStrategy[Any]
    optional: bool = False


@frozen
class Inside:
    """What parameters are made of: lists of values of a class, None where those cannot be drawn, and mechanisms."""

    parts: Callable[[type[Any]], Allowed | None]
    mechanisms: Callable[[], Allowed]


def choice(cls: type[Any], member: attrs.Attribute[Any], inside: Inside) -> Allowed | None:
    """What the parameter may be, None where its field does not say."""
    for each in fields.validators(member, fields.Each):
        return inside.parts(each.cls)
    found = _of_options(member) or _of_schema(_schema(cls, member), bounds_of(member), inside)
    if found is None:
        return None
    return attrs.evolve(found, optional=member.default is not attrs.NOTHING)


@frozen
class Range:
    """The bounds of a number, and whether they are themselves allowed; None where there is none."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_allowed: bool = True
    upper_allowed: bool = True

    def holds(self, value: Fraction) -> bool:
        """Whether a number is within the bounds."""
        above = self.lower is None or value > self.lower or (value == self.lower and self.lower_allowed)
        return above and (self.upper is None or value < self.upper or (value == self.upper and self.upper_allowed))

    @property
    def start(self) -> tuple[Fraction, int]:
        """A number from which to go away from the bounds, and the sign of that direction."""
        if self.lower is None and self.upper is not None:
            return self.upper, -1
        return self.lower or Fraction(0), 1

    @property
    def width(self) -> Fraction | None:
        """How far the bounds are apart."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower


_BETWEEN = (Fraction(1, 10**30), Fraction(1, 10**9), Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000))
_BEYOND = (Fraction(1, 10**12), Fraction(1, 10**4), Fraction(1, 10), Fraction(3), Fraction(30), Fraction(1000))


def edges(member: attrs.Attribute[Any]) -> tuple[Fraction, ...]:
    """Exact numbers at the bounds of a field, near them and far out; what a field refuses is not among them."""
    bounds = bounds_of(member)
    if bounds.lower is not None and bounds.width is not None:
        found = [bounds.lower + bounds.width * share for share in _BETWEEN]
    else:
        start, away = bounds.start
        found = [start + away * step for step in _BEYOND]
    limits = [bound for bound in (bounds.lower, bounds.upper) if bound is not None]
    return tuple(value for value in [*limits, *found] if bounds.holds(value))


def _numbers(bounds: Range) -> Allowed | None:
    """Exact numbers: plain ones, at the bounds, near them, and far out."""
    start, away = bounds.start
    steps = [Fraction(1), _HALF, Fraction(3), _UNEVEN, Fraction(30), Fraction(0), Fraction(2), Fraction(3, 2)]
    steps += [Fraction(4), Fraction(5), Fraction(1, 1000), Fraction(_FAR), Fraction(7, 3)]
    points = [start + away * step for step in steps]
    if bounds.lower is None and bounds.upper is None:
        points += [-step for step in steps]
    if bounds.width is not None:
        shares = [_HALF, Fraction(1, 4), Fraction(9, 10), _UNEVEN, Fraction(1), Fraction(1, 1000), Fraction(999, 1000)]
        points = [start + bounds.width * share for share in shares if bounds.width <= _FAR] + points
    kept = tuple(dict.fromkeys(point for point in points if bounds.holds(point)))
    if not kept:
        return None
    drawn = st.fractions(0, 1, max_denominator=24)
    most = bounds.width if bounds.width is not None and bounds.width <= _FAR else Fraction(12)
    between = drawn.map(lambda share: start + away * most * share)
    if bounds.lower is None and bounds.upper is None:
        between = drawn.map(lambda share: most * (share - _HALF))
    return Allowed(kept, st.sampled_from(kept) | between.filter(bounds.holds))


def _wholes(bounds: Range) -> Allowed | None:
    """Whole numbers from the lower bound up, some larger ones, and those about 0 where there is no bound."""
    start = 0 if bounds.lower is None else -((-bounds.lower) // 1)
    ordered = [2, 1, 3, 0, 30, *range(4, _MOST_WHOLE + 1)]
    points = [start + step for step in ordered] + ([-1, -2, -5] if bounds.lower is None else [])
    if bounds.upper is not None and bounds.upper <= _FAR:
        points += [int(bounds.upper // 1), int(bounds.upper // 1) - 1]
    kept = tuple(dict.fromkeys(int(point) for point in points if bounds.holds(Fraction(point))))
    small = [point for point in kept if point <= start + _MOST_WHOLE]
    return Allowed(kept, st.sampled_from(small or kept)) if kept else None


_SIGNS = {">": "lower", ">=": "lower", "<": "upper", "<=": "upper"}
_KEYWORDS = {">": "exclusiveMinimum", ">=": "minimum", "<": "exclusiveMaximum", "<=": "maximum"}


def bounds_of(member: attrs.Attribute[Any]) -> Range:
    """The bounds that the constraints of a field state, ours or those of attrs."""
    bounds = Range()
    for item in (*fields.validators(member, fields.Constraint), *_foreign(member)):
        bounds = _narrowed(bounds, item.sign, item.bound)
    return bounds


def _foreign(member: attrs.Attribute[Any]) -> list[fields.Constraint]:
    """Comparisons that attrs itself makes, such as attrs.validators.ge(0)."""
    found = [item for item in fields.validators(member, object) if hasattr(item, "compare_op") and hasattr(item, "bound")]
    return [fields.Constraint("", item.compare_op, Fraction(item.bound)) for item in found if item.compare_op in _SIGNS]


def _narrowed(bounds: Range, sign: str, bound: Fraction) -> Range:
    allowed = sign.endswith("=")
    if _SIGNS[sign] == "lower":
        if bounds.lower is not None and (bounds.lower, not bounds.lower_allowed) >= (bound, not allowed):
            return bounds
        return attrs.evolve(bounds, lower=bound, lower_allowed=allowed)
    if bounds.upper is not None and (bounds.upper, bounds.upper_allowed) <= (bound, allowed):
        return bounds
    return attrs.evolve(bounds, upper=bound, upper_allowed=allowed)


def _of_options(member: attrs.Attribute[Any]) -> Allowed | None:
    """One of the values that attrs.validators.in_ lists."""
    for item in fields.validators(member, object):
        options = getattr(item, "options", None)
        if options is not None:
            return _one_of(tuple(options))
    return None


def _one_of(options: tuple[Any, ...]) -> Allowed:
    return Allowed(options, st.sampled_from(options))


def _schema(cls: type[Any], member: attrs.Attribute[Any]) -> dict[str, Any]:
    """The schema of the plain data of a field; without one, what its type says."""
    found = field_schema(member)
    return found if any(key in found for key in ("type", "enum", "const", "$ref")) else {**found, **_typed(cls, member)}


def _typed(cls: type[Any], member: attrs.Attribute[Any]) -> dict[str, Any]:
    """A schema for what a field's type says, where that is a plain one."""
    if member.converter is not None:
        return {}
    try:
        hint = typing.get_type_hints(cls).get(member.name)
    except (NameError, TypeError):
        return {}
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next((part for part in typing.get_args(hint) if part is not type(None)), None)
    if typing.get_origin(hint) is Literal:
        return {"enum": list(typing.get_args(hint))}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": list(hint)}
    plain: Mapping[Any, dict[str, Any]] = {bool: {"type": "boolean"}, int: {"type": "integer"}, Fraction: NUMBER_SCHEMA}
    return plain.get(hint, {})


def _of_schema(schema: dict[str, Any], bounds: Range, inside: Inside) -> Allowed | None:
    for key in ("enum", "const"):
        if key in schema:
            return _one_of(tuple(schema[key]) if key == "enum" else (schema[key],))
    if "$ref" in schema:
        return inside.mechanisms() if schema["$ref"].endswith("/mechanism") else None
    for sign, keyword in _KEYWORDS.items():
        if keyword in schema and not isinstance(schema[keyword], float):
            bounds = _narrowed(bounds, sign, Fraction(schema[keyword]))
    stated = schema.get("type")
    named = {stated} if isinstance(stated, str) else set(stated or ())
    for name, build in _BUILDERS.items():
        if name in named:
            return build(schema, bounds, inside)
    return None


def _lists(schema: dict[str, Any], bounds: Range, inside: Inside) -> Allowed | None:
    """Lists of what the schema says of an item; tables of numbers, small and of the shapes that such tables have."""
    items = schema.get("items") or {}
    if "number" in ((items.get("items") or {}).get("type") or ()):
        return _tables()
    item = _of_schema(items, Range(), inside)
    if item is None:
        return None
    fewest = max(int(schema.get("minItems", 1)), 1)
    most = min(int(schema.get("maxItems", fewest + 2)), fewest + 2)
    sizes = dict.fromkeys((min(2, most), fewest, most))
    points = tuple(tuple(item.points[k % len(item.points)] for k in range(size)) for size in sizes if size >= fewest)
    points += tuple((point,) for point in item.points[1:] if fewest == 1)
    return Allowed(points, st.lists(item.drawn, min_size=fewest, max_size=most).map(tuple))


def _tables() -> Allowed:
    """Laws in rows, symmetric tables with heavy diagonals, and triangles of ones."""
    quarter, third, half = Fraction(1, 4), Fraction(1, 3), _HALF
    laws: list[list[list[Any]]] = [
        [[1 - quarter, quarter], [quarter, 1 - quarter]],
        [[half, half], [third, 1 - third]],
        [[half, third, Fraction(1, 6)], [Fraction(1, 6), third, half], [third, third, third]],
    ]
    squares: list[list[list[Any]]] = [[[2, 1], [1, 2]], [[5, 3], [3, 5]], [[3, -1], [-1, half]], [[2]], [[1, 0], [0, 1]]]
    triangles: list[list[list[Any]]] = [[[1, 0], [1, 1]], [[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[2, 0], [half, 1]]]
    tables = (*laws, *squares, *triangles)
    return _one_of(tuple(tuple(tuple(Fraction(value) for value in row) for row in table) for table in tables))


def _texts(schema: dict[str, Any], bounds: Range, inside: Inside) -> Allowed:
    return _one_of(_WORDS)


def _flags(schema: dict[str, Any], bounds: Range, inside: Inside) -> Allowed:
    return _one_of((False, True))


_BUILDERS: dict[str, Callable[[dict[str, Any], Range, Inside], Allowed | None]] = {
    "boolean": _flags,
    "integer": lambda schema, bounds, inside: _wholes(bounds),
    "number": lambda schema, bounds, inside: _numbers(bounds),
    "array": _lists,
    "string": _texts,
}
"""How values of a type of JSON are drawn. A number may be written as text, so that text comes last."""
