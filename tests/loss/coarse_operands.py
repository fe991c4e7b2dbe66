"""Operands that are off by much, and say so: one number, one row of numbers or one end at a time.

Where several operands are off at once, what one of them is off by may hide that another's error is forgotten.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import evolve, fields, has

from accountant.loss import Atoms, Cells
from accountant.loss.derived.merged import MergedLoss
from accountant.loss.derived.replaced_cells import _Beside
from accountant.loss.engine.direct_sum import FineLaw, MergedLaw, SpreadLaw
from accountant.loss.engine.grid import Measure
from accountant.loss.engine.grid_law import GridLaw
from accountant.loss.engine.zoom_route import Zoom
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls

OFF, ROOM = 1e-3, 1.0 + 1e-9
_DEEPEST = 3
"""How many values may stand one within the other."""


ROWS: dict[type, tuple[tuple[str, str], ...]] = {
    Atoms: (("masses", "errors"),),
    Cells: (("p", "p_error"), ("q", "q_error"), ("gap", "gap_error")),
    GridLaw: (("masses", "error"), ("log_scale", "log_doubt")),
}
"""Numbers, and the field that says what they are off by."""
SHARES: dict[type, tuple[tuple[str, str], ...]] = {
    GridLaw: (("masses", "spread"),),
    MergedLaw: (("p", "doubt"), ("q", "doubt")),
    FineLaw: (("p", "mass_doubt"), ("gaps", "gap_doubt")),
}
"""Numbers, and the field that says so as a share: of themselves, and of gaps as one of the masses that they belong to."""


def moved_arguments(names: Sequence[str], arguments: Sequence[Any]) -> Iterator[list[Any]]:
    """The same arguments, with one thing that is known up to an error off by it each time."""
    for place, (name, value) in enumerate(zip(names, arguments, strict=True)):
        following = names[place + 1] if place + 1 < len(names) else ""
        if name == "values" and following == "errors" and isinstance(value, np.ndarray):
            for row in moved(Balls(value, arguments[place + 1])):
                yield [*arguments[:place], row.middle, row.radii, *arguments[place + 2 :]]
            continue
        for other in moved(value):
            yield [*arguments[:place], other, *arguments[place + 1 :]]


def moved(value: Any, deep: int = 0) -> Iterator[Any]:
    """The same value, with one thing in it off by one in a thousand each time; nothing where nothing has an error."""
    match value:
        case Ball():
            for sign in (1.0, -1.0):
                yield Ball(value.middle * (1.0 + sign * OFF), value.radius + abs(value.middle) * (OFF * ROOM))
        case Balls():
            for signs in _signs(value.middle):
                yield Balls(value.middle * (1.0 + OFF * signs), value.radius + np.abs(value.middle) * (OFF * ROOM))
        case Interval() if 0.0 < value.upper < math.inf:
            yield Interval(value.lower * (1.0 - OFF), value.upper)
            yield Interval(value.lower, value.upper * (1.0 + OFF))
        case MergedLoss() | _Beside():
            return  # What lies below, or above, of something is no enclosure: with larger errors it is another.
        case Atoms() | Cells() | GridLaw() | Measure() | SpreadLaw() | MergedLaw() | FineLaw() | Zoom():
            for name, error in ROWS.get(type(value), ()):
                yield from _rows(value, name, error)
            for name, doubt in SHARES.get(type(value), ()):
                yield from _shares(value, name, doubt)
            yield from _held(value, [name for name in ("infinite", "absent") if hasattr(value, name)], deep)
            for sign in (1.0, -1.0):
                yield from _displaced(value, sign * OFF)
        case tuple() | list() if len(value) <= 4 and deep < _DEEPEST:
            for place, part in enumerate(value):
                for other in moved(part, deep + 1):
                    yield type(value)([*value[:place], other, *value[place + 1 :]])
        case _ if has(type(value)) and deep < _DEEPEST:
            names = [field.name for field in fields(type(value)) if field.init]
            yield from _held(value, names, deep)


def _signs(middle: Any) -> Iterator[Any]:
    """All entries up, all down, and in turns."""
    yield from (1.0, -1.0)
    if np.size(middle) > 1:
        turns = (-1.0) ** np.arange(np.shape(middle)[-1])
        yield from (turns, -turns)


def _rows(value: Any, name: str, error: str) -> Iterator[Any]:
    """A row of numbers with a row of errors, or with one for all."""
    middle, radius = getattr(value, name), getattr(value, error)
    for signs in () if middle is None else _signs(middle):
        far = np.abs(middle) * (OFF * ROOM)
        more = radius + (far if np.ndim(radius) or not np.ndim(middle) else float(np.max(far)))
        yield evolve(value, **{name: middle * (1.0 + OFF * signs), error: more})


def _shares(value: Any, name: str, doubt: str) -> Iterator[Any]:
    """A row of numbers that are known up to a share of them."""
    row = getattr(value, name)
    far = OFF * (value.p if name == "gaps" else row)
    for sign in (1.0, -1.0):
        yield evolve(value, **{name: row + sign * far, doubt: getattr(value, doubt) + 1.1 * OFF})


def _displaced(value: Any, by: float) -> Iterator[Any]:
    """A law all losses of which are stated to lie elsewhere, and so far at most."""
    slack = getattr(value, "slack", 0.0) + abs(by) * ROOM
    match value:
        case SpreadLaw() | Measure():
            yield evolve(value, offset=value.offset + Fraction(by), slack=slack)
        case GridLaw() | Zoom():
            yield evolve(value, base=value.base + by, slack=slack)
        case MergedLaw():
            yield evolve(value, q=value.q * math.exp(by), slack=slack)
        case FineLaw():
            yield evolve(value, gaps=value.gaps - math.expm1(by) * (value.p - value.gaps), slack=slack)


def _held(value: Any, names: Sequence[str], deep: int) -> Iterator[Any]:
    for name in names:
        for part in moved(getattr(value, name), deep + 1):
            yield evolve(value, **{name.lstrip("_"): part})
