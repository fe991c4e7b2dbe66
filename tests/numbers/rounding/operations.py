"""Every operation on balls with bad inputs, and what it really is at the corners of the balls, in exact arithmetic.

An operation is run on a module, so that a module with a planted error can take the place of the real one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from types import ModuleType
from typing import Any

import flint
import numpy as np
from attrs import field, frozen

from tests.numbers.rounding import bad

Pair = tuple[Any, Any]
Run = Callable[[ModuleType, list[Any]], Any]
BITS = 300


@frozen(eq=False)
class Operation:
    """What is run, on which balls, what it may be in truth, and how much of the radius is felt at worst."""

    name: str
    module: str
    inputs: tuple[Pair, ...]
    run: Run
    truths: Callable[[], list[list[Any]]] = field(repr=False)
    felt: float = 0.9

    def answer(self, module: ModuleType) -> list[tuple[Any, float]]:
        """The middles and radii that a module finds."""
        if self.module in ("ball", "ball_functions"):
            rows = zip(*(zip(*pair, strict=True) for pair in self.inputs), strict=True)
            found = [self.run(module, [module.Ball(float(m), float(r)) for m, r in row]) for row in rows]
            return [(ball.middle, ball.radius) for ball in found]
        with np.errstate(all="ignore"):
            found = self.run(module, [module.Balls(middle, radius) for middle, radius in self.inputs])
        middle = np.atleast_1d(found.middle).ravel()
        radius = np.broadcast_to(np.asarray(found.radius), np.shape(np.atleast_1d(found.middle))).ravel()
        return list(zip(middle.tolist(), radius.tolist(), strict=True))

    def worst(self, module: ModuleType) -> float:
        """The largest true error as a share of the radius; infinite where a truth lies outside its ball."""
        largest = 0.0
        for (middle, radius), truths in zip(self.answer(module), _truths(self), strict=True):
            largest = max(largest, *(_share(middle, radius, truth) for truth in truths), 0.0)
        return largest


@frozen(eq=False)
class Ends:
    """The ends of balls, and the largest size of what is in them."""

    name: str
    module: str
    inputs: tuple[Pair]
    felt: float = 0.0

    def worst(self, module: ModuleType) -> float:
        """Infinite where a truth lies beyond an end."""
        middle, radius = self.inputs[0]
        if self.module == "ball":
            balls = [module.Ball(float(m), float(r)) for m, r in zip(middle, radius, strict=True)]
            found = [(ball.lower, ball.upper, ball.most) for ball in balls]
            spans = [ball.interval() for ball in balls]
            if found != [(span.lower, span.upper, most) for span, (_, _, most) in zip(spans, found, strict=True)]:
                return math.inf
        else:
            balls = module.Balls(middle, radius)
            found = list(zip(balls.lower.tolist(), balls.upper.tolist(), balls.most.tolist(), strict=True))
        for (lower, upper, most), (low, high) in zip(found, fractions(self.inputs[0]), strict=True):
            if not Fraction(lower) <= low <= high <= Fraction(upper) or Fraction(most) < max(abs(low), abs(high)):
                return math.inf
        return 0.0


@cache
def _truths(operation: Operation) -> list[list[Any]]:
    flint.ctx.prec = BITS
    return operation.truths()


def _share(middle: Any, radius: float, truth: Any) -> float:
    """How much of a radius an error takes; above 1 exactly where the truth lies outside."""
    if not radius < math.inf:
        return 0.0
    if isinstance(truth, Fraction):
        error = abs(Fraction(middle) - truth)
        if error > Fraction(radius):
            return math.inf
        return float(error / Fraction(radius)) if radius else 0.0
    flint.ctx.prec = BITS
    # An enclosure of the truth that doubles cannot tell from the ball's end is not held against it.
    error = abs(flint.acb(middle) - truth)
    if error > flint.arb(radius):
        return math.inf
    return min(1.0, float(error.mid()) / radius) if radius else 0.0


def fractions(pair: Pair) -> list[list[Fraction]]:
    """The two ends of each ball."""
    middle, _ = pair
    return [
        [Fraction(m) - Fraction(r), Fraction(m) + Fraction(r)] for m, r in zip(middle.tolist(), _full(pair), strict=True)
    ]


def _full(pair: Pair) -> list[float]:
    found: list[float] = np.broadcast_to(pair[1], np.shape(pair[0])).tolist()
    return found


def corners(pairs: Sequence[Pair], exact: Callable[..., Fraction | None]) -> Callable[[], list[list[Any]]]:
    """An exact function at all corners, entry by entry; None where it has no value."""

    def find() -> list[list[Any]]:
        rows = zip(*(fractions(pair) for pair in pairs), strict=True)
        return [[value for place in itertools.product(*row) if (value := exact(*place)) is not None] for row in rows]

    return find


def through_arb(pair: Pair, exact: Callable[[Any], Any]) -> Callable[[], list[list[Any]]]:
    """A function of a number at both ends of each ball, by Arb."""

    def find() -> list[list[Any]]:
        found = []
        for ends in fractions(pair):
            values = [exact(flint.arb(flint.fmpq(end.numerator, end.denominator))) for end in ends]
            found.append([flint.acb(value) for value in values if value is not None and value.is_finite()])
        return found

    return find


def sums(groups: Callable[[list[Fraction]], Iterable[Fraction]], terms: Callable[[], list[list[Fraction]]]) -> Any:
    """The least and the most that sums can be, if each term is any of several values."""

    def find() -> list[list[Any]]:
        low, high = ([pick(values) for values in terms()] for pick in (min, max))
        return [list(ends) for ends in zip(groups(low), groups(high), strict=True)]

    return find


def products(first: Pair, second: Pair) -> Callable[[], list[list[Fraction]]]:
    """The products at the corners of two balls."""
    return corners([first, second], lambda x, y: x * y)


def pair(generator: np.random.Generator, middle: Any, *, exact: bool = False) -> Pair:
    """Balls around middles."""
    return middle, 0.0 if exact else bad.radii(generator, middle)
