"""Functions that compute coarsely one at a time, asked again what they were asked.

While something is read, calls of all functions are written down, with what they gave. Then each function is asked the same
alone in coarse arithmetic: what it grants itself is all that can answer for what it rounds.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from attrs import evolve, frozen

from accountant.numbers.interval import Interval
from tests.loss.coarse import SIDES, Coarse, planted, remembered_no_more, rewritten
from tests.loss.coarse_callees import anew, can_be_off, where_off
from tests.loss.coarse_operands import moved_arguments
from tests.loss.coarse_results import Bounds, Said, apart, enclosures

_MOST = 2
"""Calls of one function that are written down."""
ROOMS = ("accountant.loss", "accountant_")
"""Where functions are looked for: balls themselves are held to long arithmetic."""

ANSWERED_ELSEWHERE = {
    "gaussian.GaussianLoss.cells": "widths are granted where they are integrated over",
    "laplace_loss.LaplaceLoss.cells": "whoever reads cells allows for atoms next to an edge",
    "discrete_gaussian_loss.DiscreteGaussianLoss.cells": "which atoms are far out is chosen by what is felt of them",
    "hidden_report_loss.HiddenReportLoss.find_atoms": "what odds round is granted by `Tally.doubt`",
    "replaced_cells._Beside.find_atoms": "a law that dominates is no enclosure: more mass and larger losses are as good",
    "contour_nodes.ContourLine._sum": "what turns are off by is handed to it",
    "contour_law._added": "once a phase is lost, only a bound on the size is kept",
    "ladder.LadderPair.find_atoms": "a law that dominates is no enclosure: more mass and larger losses are as good",
    "linear_bounds.CutLoss.through": "what rounding takes away is given back by scaling, which is another loss above",
    "mixture_moments._deviation": "chords between any orders bound a slope",
    "laplace_loss.LaplaceMoments.falls": "what a density rounds is paid for by `uniform_fall`",
    "direct_sum.FineLaw._above": "what sums of products round is handed to it",
    "zoom_route._tails": "bounds hold at any exponent, and which are asked is chosen",
    "contour_seen.SeenLosses.decay": "where nodes end is chosen",
    "envelope.envelope": "where tangents touch is chosen",
    "either_order._Sums.most": "what sums round is found by `_Sums.of`",
    "zoom_route.Zoom._between": "how far a point is displaced is in the slack",
    "zoom_route.Zoom.delta_above": "how far a point is displaced is in the slack",
    "zoom_route.Zoom.delta_below": "how far a point is displaced is in the slack",
    "discretised._Sum.of": "how far a loss is displaced is in the slack",
    "discretised._merged": "cells between any edges will do",
    "either_order._Kernel.of": "cells between any edges will do",
    "symmetrised_moments.Halves.of": "cells between any edges will do",
    "symmetrised_moments._log_sum": "what terms round is handed on to `log_of_terms`",
    "sampled_seen.SeenPart.fall": "what sines round is granted by `MovedPaths.drop`",
    "contour_nodes.ContourLine.delta": "what turns round is in the error of the line",
    "inversion._beyond": "what chords round is granted by `_ceiling`, which asks for them",
    "moments.uniform_fall": "the bound leaves one in five hundred",
    "atomic.Atoms.reaches": "values are known up to more roundings than one, and twice as much is added",
    "contour_tail._cover": "which intervals cover a line is chosen",
    "ladder.Tangents.at": "what lines round is the margin that is handed to it",
    "ladder._outward": "what a step of a ladder rounds in all is its choice's doubt",
    "replaced_gaussian.ExchangedGaussian.cells": "losses that are displaced are answered for by the slack",
    "sampled_cells.present_cells": "losses that are displaced are answered for by the slack",
    "sampled_cells.absent_cells": "losses that are displaced are answered for by the slack",
    "convolution.log_size": "its last sum is granted by `sizes_of`",
    "ladder.Moves.reached": "what a step of a ladder rounds in all is its choice's doubt",
    "grid.dominated_measure": "any law below is sound, and which cells are lifted is chosen",
}
"""Functions whose roundings others answer for."""
ANSWERED_IN_FILE = {
    "graded_sum.coarser": "what sums round is found by `_doubted` and `_gap_doubted`",
    "direct_sum.MergedLaw.plus": "what sums of products round is found by `_rounding`",
    "direct_sum.FineLaw.plus": "what sums of products round is found by `_rounding`",
    "sampled_path.MovedPaths._along": "what sines round is granted by `MovedPaths.drop`",
    "sampled_gaussian.SampledGaussian._shape": "what chances and densities round is found by `_rounded`",
}
"""Functions whose roundings others in their file answer for: these are asked together."""
CHANCES = "chances are known up to one rounding, which is counted as such"
NOT_CARRIED = {
    "gaussian._integrated": "mu is known up to two roundings, which are counted as such",
    "merged.under": "a law that is dominated is no enclosure: with larger errors it is a lower one",
    "contour_law._added": ANSWERED_ELSEWHERE["contour_law._added"],
    "sampled_cells.present_cells": CHANCES,
    "sampled_cells.absent_cells": CHANCES,
    "direct_sum.FineLaw._above": "what masses are off by is handed to it",
    "direct_sum.FineLaw.gap": "gaps are known in units of masses, whatever these are off by",
    "grid_law.GridLaw._above": "a point that is displaced is named by whoever asks",
    "zoom_route.Zoom._above": "a point that is displaced is named by whoever asks",
    "zoom_route.Zoom._below": "a point that is displaced is named by whoever asks",
    "zoom_route.Zoom._between": "a point that is displaced is named by whoever asks",
    "zoom_route.Zoom._point": "a point that is displaced is named by whoever asks",
    "zoom_route.Zoom._scale": "a point that is displaced is named by whoever asks",
    "grid_law.GridLaw.band_below": "a function that is below delta is no enclosure: with larger errors it is a lower one",
}
"""Functions that do not carry on what every operand is off by."""
NOT_CARRIED_ON = {
    "discretised._merged": ANSWERED_ELSEWHERE["discretised._merged"],
    "either_order._Kernel.of": ANSWERED_ELSEWHERE["either_order._Kernel.of"],
    "finite.FiniteLoss.cells": "values are known up to one rounding, which is counted as such",
    "gaussian.GaussianLoss.cells": "mu is known up to two roundings, which are counted as such",
    "replaced_gaussian.ExchangedGaussian.cells": "masses of Gaussian noise are those between the very edges",
    "response.ResponseLoss.delta_formula": "the chance of losing everything is known exactly",
    "sampled.SampledLoss.cells": CHANCES,
    "sampled.SampledLoss.log_moment_formula": CHANCES,
    "smoothing.Smoothing.factors": "means over any stretch lie on their sides",
}
"""Functions that do not carry on what all that they ask are off by."""


@frozen(eq=False, slots=False)
class Call:
    """A function, what it was asked, and what it gave."""

    function: Any
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    given: Any
    callees: tuple[types.FunctionType, ...] = ()
    """Functions that it was seen to ask, and whose results have errors."""

    def again(self, side: str, grain: float) -> list[Said]:
        """What is said by what it gives in coarse arithmetic."""
        return self._in(Coarse(side, grain))

    def with_its_file(self, grain: float) -> Iterator[list[Said]]:
        """The same where all functions of its file compute coarsely, some of which find what others are off by."""
        for side in SIDES:
            yield self._in(Coarse(side, grain), alone=False)

    def _in(self, arithmetic: Coarse, *, alone: bool = True) -> list[Said]:
        module = importlib.import_module(self.function.__module__)
        codes = rewritten(module)
        with planted([module], {self.function: codes[self.function]} if alone else codes, arithmetic):
            given = self.function(*map(_fresh, self.arguments), **self.named)
        return self.said(given)

    def at_worst(self, grain: float) -> Iterator[list[Said]]:
        """What is said by what it gives where every operation is off to the side on which that adds to what the others do.

        What each does alone is asked first. The worst for one entry of the result is not that for another, so that it is
        sought for the one that errors move most, beside what is known of it.
        """
        everything = Coarse("up", grain)
        self._in(everything)
        plain = self._ends({}, grain)
        alone = {place: self._ends({place: 1.0}, grain) for place in sorted(everything.seen)}
        with np.errstate(all="ignore"):
            moves = {place: ends[0] - plain[0] for place, ends in alone.items() if ends[0].shape == plain[0].shape}
            if not moves or not plain[0].size:
                return
            sizes = np.nan_to_num(np.sum([np.abs(move) for move in moves.values()], axis=0))
            felt = np.nan_to_num(sizes / plain[1], posinf=0.0)
        for entry in {int(np.argmax(sizes)), int(np.argmax(felt))}:
            for side in (1.0, -1.0):
                sides = {place: side * float(np.nan_to_num(np.sign(move[entry]))) for place, move in moves.items()}
                yield self._in(Coarse("up", grain, sides))

    def _ends(self, sides: dict[int, float], grain: float) -> tuple[Any, Any]:
        return _ends(self._in(Coarse("up", grain, sides)))

    def moved(self) -> Iterator[list[Said]]:
        """What is said by what it gives where one operand after the other is off by one in a thousand, and says so."""
        for arguments in moved_arguments(self._names, self.arguments):
            yield self.said(self.function(*map(_fresh, arguments), **self.named), arguments)

    def with_callees_off(self) -> Iterator[list[Said]]:
        """What is said by what it gives where one function after the other that it asks is off, and says so."""
        for callee in self.callees:
            for given in where_off(callee, lambda: self.function(*map(anew, self.arguments), **self.named)):
                yield self.said(given)

    @property
    def _names(self) -> tuple[str, ...]:
        names = self.function.__code__.co_varnames[: self.function.__code__.co_argcount]
        return (*names, *[""] * (len(self.arguments) - len(names)))

    @property
    def carries(self) -> bool:
        """Whether there is an operand with an error."""
        return any(True for _ in moved_arguments(self._names, self.arguments))

    def said(self, given: Any, arguments: Iterable[Any] | None = None) -> list[Said]:
        """What a result says, of these arguments or of some others."""
        asked = self.arguments if arguments is None else arguments
        return enclosures(given, name_of(self.function), (*asked, *self.named.values()))

    @cached_property
    def truths(self) -> list[Said]:
        """What every result must hold: what was given, and of bounds what they are if nothing is granted."""
        said = self.said(self.given)
        if not any(isinstance(one, Bounds) for one in said):
            return said
        exact = self._in(Coarse("up", 0.0))
        return [bare if isinstance(one, Bounds) else one for one, bare in zip(said, exact, strict=True)]

    def distance(self, said: list[Said]) -> float:
        """How far something that is said is from what it must hold."""
        return max((apart(one, other) for one, other in zip(self.truths, said, strict=False)), default=0.0)


def name_of(function: Any) -> str:
    """What a function is called: its file and its name there."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"


def _ends(said: list[Said]) -> tuple[Any, Any]:
    """All numbers that are said in one row, and how well each is known."""
    rows = [_row(one) for one in said]
    return tuple(np.concatenate([np.zeros(0), *parts]) for parts in (zip(*rows, strict=True) if rows else ((), ())))


def _row(one: Said) -> tuple[Any, Any]:
    if isinstance(one, Interval):
        return np.array([0.5 * one.lower + 0.5 * one.upper]), np.array([0.5 * one.upper - 0.5 * one.lower])
    if isinstance(one, Bounds):
        return one.values, np.zeros(one.values.shape)
    return np.ravel(one.middle.real), np.ravel(one.radii)


def _fresh(value: Any) -> Any:
    """What arrays are written into does not count for later calls."""
    return value.copy() if isinstance(value, np.ndarray) else value


def calls(read: Callable[[], object]) -> list[Call]:
    """The first few calls of all functions of losses and mechanisms whose results say what they are off by."""
    functions: dict[types.CodeType, types.FunctionType | None] = {}
    looked: set[str] = set()
    found: dict[types.FunctionType, list[Call]] = {}
    open_: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}
    asked_by: dict[types.FunctionType, dict[types.FunctionType, None]] = {}

    def function_of(frame: Any) -> types.FunctionType | None:
        name = frame.f_globals.get("__name__", "")
        if name not in looked and name.startswith(ROOMS) and name in sys.modules:
            looked.add(name)
            functions.update({function.__code__: function for function in rewritten(sys.modules[name])})
        return functions.setdefault(frame.f_code, None)

    def asking(frame: Any) -> types.FunctionType | None:
        """The function that asks, which may do so in a loop that has a frame of its own."""
        while frame is not None and "<locals>" in frame.f_code.co_qualname:
            frame = frame.f_back
        return None if frame is None else function_of(frame)

    def watch(frame: Any, event: str, given: Any) -> None:
        if event == "call":
            function = function_of(frame)
            if function is not None and len(found.get(function, ())) < _MOST:
                open_[frame] = _asked(frame)
            return
        if event != "return":
            return
        function = function_of(frame)
        asker = None if function is None else asking(frame.f_back)
        if function is not None and asker is not None and asker is not function:
            others = asked_by.setdefault(asker, {})
            if function not in others and can_be_off(function, given):
                others[function] = None
        if frame in open_:
            arguments, named = open_.pop(frame)
            if (
                function is not None
                and enclosures(given, name_of(function), (*arguments, *named.values()))
                and not any(map(inspect.isgenerator, arguments))
            ):
                found.setdefault(function, []).append(Call(function, arguments, named, given))

    # What is remembered is not asked for again.
    remembered_no_more()
    sys.setprofile(watch)
    try:
        read()
    finally:
        sys.setprofile(None)
    return [
        evolve(call, callees=tuple(asked_by.get(function, ()))) for function, some in found.items() for call in some[:_MOST]
    ]


def _asked(frame: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    held = [_fresh(values[name]) for name in names]
    if code.co_flags & inspect.CO_VARARGS and not code.co_kwonlyargcount:
        return (*held, *values[code.co_varnames[code.co_argcount]]), {}
    return tuple(held[: code.co_argcount]), dict(zip(names[code.co_argcount :], held[code.co_argcount :], strict=True))
