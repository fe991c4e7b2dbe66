"""Functions that compute coarsely one at a time, asked again what they were asked.

While something is read, calls of the functions of a file are written down, with what they gave. Then each function is
asked the same alone in coarse arithmetic: what it grants itself is all that can answer for what it rounds.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from accountant.loss import Atoms, Cells
from accountant.loss.derived.masses import Masses
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls
from tests.loss.coarse import Coarse, planted, rewritten

_MOST = 2
"""Calls of one function that are written down."""

ANSWERED_ELSEWHERE = {
    "GaussianLoss.cells": "widths are granted where they are integrated over",
    "LaplaceLoss.cells": "atoms count as lying on an edge that is next to them, which whoever reads cells allows for",
    "DiscreteGaussianLoss.cells": "which atoms are far out is chosen by what is felt of them",
    "_binomial": "logarithms are granted where their sum is taken",
    "ContourLine._sum": "what turns are off by is handed to it",
    "_added": "once a phase is lost, only a bound on the size is kept",
}
"""Functions whose roundings others answer for."""


@frozen(eq=False)
class Call:
    """A function, what it was asked, and what it gave."""

    function: Any
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    given: Any

    def again(self, side: str, grain: float) -> Any:
        """What it gives in coarse arithmetic."""
        module = importlib.import_module(self.function.__module__)
        with planted([module], {self.function: rewritten(module)[self.function]}, Coarse(side, grain)):
            return self.function(*map(_fresh, self.arguments), **self.named)


def _fresh(value: Any) -> Any:
    """What arrays are written into does not count for later calls."""
    return value.copy() if isinstance(value, np.ndarray) else value


def calls(name: str, read: Callable[[], object]) -> list[Call]:
    """The first few calls of all functions of a module whose results say what they are off by."""
    module = importlib.import_module(name)
    functions = {function.__code__: function for function in rewritten(module)}
    found: dict[Any, list[Call]] = {}
    open_: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def watch(frame: Any, event: str, given: Any) -> None:
        function = functions.get(frame.f_code)
        if function is None or len(found.get(function, ())) >= _MOST:
            return
        if event == "call":
            open_[frame] = _asked(frame)
        elif event == "return" and frame in open_:
            arguments, named = open_.pop(frame)
            if enclosures(given):
                found.setdefault(function, []).append(Call(function, arguments, named, given))

    sys.setprofile(watch)
    try:
        read()
    finally:
        sys.setprofile(None)
    return [call for some in found.values() for call in some]


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
