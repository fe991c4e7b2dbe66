"""Functions that compute coarsely one at a time, asked again what they were asked.

While something is read, calls of all functions are written down, with what they gave. Then each function is asked the same
alone in coarse arithmetic: what it grants itself is all that can answer for what it rounds.
"""

from __future__ import annotations

import importlib
import inspect
import math
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import evolve, fields, frozen, has

from accountant.loss import Atoms, Cells
from accountant.loss.derived.masses import Masses
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls
from tests.loss.coarse import SIDES, Coarse, planted, rewritten

_MOST = 2
"""Calls of one function that are written down."""
ROOMS = ("accountant.loss", "accountant_")
"""Where functions are looked for: balls themselves are held to long arithmetic."""

ANSWERED_ELSEWHERE = {
    "GaussianLoss.cells": "widths are granted where they are integrated over",
    "LaplaceLoss.cells": "atoms count as lying on an edge that is next to them, which whoever reads cells allows for",
    "DiscreteGaussianLoss.cells": "which atoms are far out is chosen by what is felt of them",
    "CountedAnswersLoss.find_atoms": "values of atoms are granted where they are asked for",
    "HiddenReportLoss.find_atoms": "values of atoms are granted where they are asked for",
    "_Beside.find_atoms": "a law that dominates is no enclosure: more mass and larger losses are as good",
    "ContourLine._sum": "what turns are off by is handed to it",
    "_added": "once a phase is lost, only a bound on the size is kept",
}
"""Functions whose roundings others answer for."""
NOT_CARRIED = {
    "_integrated": "mu is known up to two roundings, which are counted as such",
    "under": "a law that is dominated is no enclosure: with larger errors it is a lower one",
    "_added": ANSWERED_ELSEWHERE["_added"],
}
"""Functions that do not carry on what every operand is off by."""


@frozen(eq=False)
class Call:
    """A function, what it was asked, and what it gave."""

    function: Any
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    given: Any

    def again(self, side: str, grain: float) -> Any:
        """What it gives in coarse arithmetic."""
        return self._in(Coarse(side, grain))

    def _in(self, arithmetic: Coarse) -> Any:
        module = importlib.import_module(self.function.__module__)
        with planted([module], {self.function: rewritten(module)[self.function]}, arithmetic):
            return self.function(*map(_fresh, self.arguments), **self.named)

    def at_worst(self, grain: float) -> Iterator[Any]:
        """What it gives where every operation is off to the side on which that adds to what the others do.

        What each does alone is asked first. The worst for one entry of the result is not that for another, so that it is
        sought for the one that errors move most, beside what is known of it.
        """
        everything = Coarse("up", grain)
        self._in(everything)
        plain = _ends(self._in(Coarse("up", grain, {})))
        alone = {place: _ends(self._in(Coarse("up", grain, {place: 1.0}))) for place in sorted(everything.seen)}
        with np.errstate(all="ignore"):
            moves = {place: ends[0] - plain[0] for place, ends in alone.items() if ends[0].shape == plain[0].shape}
            if not moves or not plain[0].size:
                return
            sizes = np.nan_to_num(np.sum([np.abs(move) for move in moves.values()], axis=0))
            felt = np.nan_to_num(sizes / plain[1], posinf=0.0)
        for entry in {int(np.argmax(sizes)), int(np.argmax(felt))}:
            for side in SIDES.values():
                sides = {place: side * float(np.nan_to_num(np.sign(move[entry]))) for place, move in moves.items()}
                yield self._in(Coarse("up", grain, sides))

    def moved(self, side: str) -> Any:
        """What it gives where all operands with an error are off by one in a thousand, and say so."""
        moved = ((value, _moved(value, SIDES[side])) for value in self.arguments)
        return self.function(*(_fresh(value) if other is None else other for value, other in moved), **self.named)

    @property
    def carries(self) -> bool:
        """Whether there is an operand with an error."""
        return any(_moved(value, 1.0) is not None for value in self.arguments)


def _ends(given: Any) -> tuple[Any, Any]:
    """All numbers that a result encloses in one row, and how well each is known."""
    rows = [
        (np.array([0.5 * part.lower + 0.5 * part.upper]), np.array([0.5 * part.upper - 0.5 * part.lower]))
        if isinstance(part, Interval)
        else (np.ravel(part.middle.real), np.ravel(part.radii))
        for part in enclosures(given)
    ]
    return tuple(np.concatenate([np.zeros(0), *parts]) for parts in (zip(*rows, strict=True) if rows else ((), ())))


_OFF, _ROOM = 1e-3, 1.0 + 1e-9


def _moved(value: Any, sign: float) -> Any:
    """The same numbers, stated too large or too small, with as large an error. None where nothing has one."""
    match value:
        case Ball() | Balls():
            return type(value)(value.middle * (1.0 + sign * _OFF), value.radius + abs(value.middle) * (_OFF * _ROOM))
        case Interval() if 0.0 < value.upper < math.inf:
            return (
                Interval(value.lower * (1.0 - _OFF), value.upper)
                if sign > 0.0
                else Interval(value.lower, value.upper * (1.0 + _OFF))
            )
        case Atoms():
            masses = _moved(Balls(value.masses, value.errors), sign)
            return evolve(value, masses=masses.middle, errors=masses.radii)
        case Cells(gap=None):
            p, q = (_moved(Balls(*row), sign) for row in ((value.p, value.p_error), (value.q, value.q_error)))
            return evolve(value, p=p.middle, p_error=p.radii, q=q.middle, q_error=q.radii)
    if not has(type(value)):
        return None
    parts = {field.name: _moved(getattr(value, field.name), sign) for field in fields(type(value)) if field.init}
    some = {name.lstrip("_"): part for name, part in parts.items() if part is not None}
    return evolve(value, **some) if some else None


def _fresh(value: Any) -> Any:
    """What arrays are written into does not count for later calls."""
    return value.copy() if isinstance(value, np.ndarray) else value


def calls(read: Callable[[], object]) -> list[Call]:
    """The first few calls of all functions of losses and mechanisms whose results say what they are off by."""
    functions: dict[types.CodeType, types.FunctionType | None] = {}
    looked: set[str] = set()
    found: dict[types.FunctionType, list[Call]] = {}
    open_: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def function_of(frame: Any) -> types.FunctionType | None:
        name = frame.f_globals.get("__name__", "")
        if name not in looked and name.startswith(ROOMS) and name in sys.modules:
            looked.add(name)
            functions.update({function.__code__: function for function in rewritten(sys.modules[name])})
        return functions.setdefault(frame.f_code, None)

    def watch(frame: Any, event: str, given: Any) -> None:
        if event == "call":
            function = function_of(frame)
            if function is not None and len(found.get(function, ())) < _MOST:
                open_[frame] = _asked(frame)
        elif event == "return" and frame in open_:
            function = function_of(frame)
            arguments, named = open_.pop(frame)
            if function is not None and enclosures(given) and not any(map(inspect.isgenerator, arguments)):
                found.setdefault(function, []).append(Call(function, arguments, named, given))

    sys.setprofile(watch)
    try:
        read()
    finally:
        sys.setprofile(None)
    return [call for some in found.values() for call in some[:_MOST]]


def _asked(frame: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    held = [_fresh(values[name]) for name in names]
    return tuple(held[: code.co_argcount]), dict(zip(names[code.co_argcount :], held[code.co_argcount :], strict=True))


def enclosures(given: Any) -> list[Interval | Balls]:
    """The numbers that a result encloses; none where it does not say what they are off by."""
    match given:
        case Interval() | Balls():
            return [given]
        case Ball():
            return [Balls(np.array([given.middle]), np.array([given.radius]))]
        case Masses():
            return [given.p, given.q, given.gap]
        case Cells() if given.slack == 0.0:
            gap = [] if given.gap is None else [Balls(given.gap, given.gap_error)]
            return [Balls(given.p, given.p_error), Balls(given.q, given.q_error), *gap]
        case Atoms():
            return [given.values, Balls(given.masses, given.errors)]
        case (np.ndarray() as values, np.ndarray() as errors) if np.iscomplexobj(values) and not np.iscomplexobj(errors):
            return [Balls(values, errors)]
        case tuple() | list() if all(isinstance(part, Interval | Balls | Ball) for part in given):
            return [one for part in given for one in enclosures(part)]
    return []


def apart(one: Interval | Balls, other: Interval | Balls) -> float:
    """The distance of two enclosures, which is 0 where they overlap."""
    if isinstance(one, Interval):
        assert isinstance(other, Interval)
        return max(other.lower - one.upper, one.lower - other.upper, 0.0) if math.isfinite(one.lower) else 0.0
    assert isinstance(other, Balls)
    if one.middle.shape != other.middle.shape:
        return 0.0  # other numbers, since other atoms were taken together or left out
    with np.errstate(invalid="ignore"):
        lengths = np.abs(one.middle - other.middle) - one.radius - other.radius
    return float(np.max(np.where(one.middle == other.middle, 0.0, lengths), initial=0.0))
