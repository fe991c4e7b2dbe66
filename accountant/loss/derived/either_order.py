"""Releases of which each may be worst in either of two orders, and no more: the best that somebody can do who chooses.

Let every release have the pair (P, Q) or (Q, P), whichever is worse given what was published before. What an event can gain
after t further releases over x times the second law is V_t(log x), with V_0 = max(0, 1 - x) and

    V_t+1(e) = the larger of E_P[V_t(e - L)] and the same with the pair exchanged.

V is convex in x, so each expectation is at most that over values on a grid that dominate L. Other releases that come
between are best put first: then the choice knows their outcomes. So the pair with the curve V_t composes with all others.
See docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import evolve, field, frozen

from accountant.errors import GridTooLarge
from accountant.loss.derived.masses import Masses
from accountant.loss.derived.symmetrised import MirroredLoss
from accountant.loss.engine.composition import compose
from accountant.loss.families.finite import NO_LOSS
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.precision import DEFAULT_PRECISION
from accountant.numbers.interval import Interval, larger
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined, running

_TILT = 2.0
_CUTS = 900
_STEPS_OF = 3e8
"""How much work the longest block may be: its number of releases times size times log size of a transform."""
_LONGEST = 2**17
_TAIL = -45.0
_REST = -32.0
"""The logarithm of what is left beyond the last epsilon looked at."""


@frozen
class EitherOrder(BracketLoss):
    """One release that has a pair or the exchanged one, and no others."""

    def repeated(self, count: int) -> PrivacyLoss | None:
        if count == 1 or not isinstance(self.above, MirroredLoss):
            return None
        pair = self.above.base
        below = compose([(self.below.dominated(), count)])
        return RepeatedOrders(ChosenOrders(pair, count), below, each=self, count=count)


@frozen
class RepeatedOrders(BracketLoss):
    """So many of them, each in the order that is chosen for it."""

    each: PrivacyLoss = NO_LOSS
    count: int = 1

    @property
    def precision(self) -> float:
        return self.above.accuracy if isinstance(self.above, ChosenOrders) else DEFAULT_PRECISION

    def taken_apart(self) -> tuple[tuple[PrivacyLoss, int], ...]:
        return ((self.each, self.count),)

    def reverse(self) -> PrivacyLoss:
        return evolve(self, below=self.below.reverse(), each=self.each.reverse())


def either_order(loss: PrivacyLoss) -> PrivacyLoss:
    """The same loss, of a release that has no pair but the one below it and its exchange."""
    if type(loss) is not BracketLoss or not isinstance(loss.above, MirroredLoss) or loss.above.base != loss.below:
        return loss
    return EitherOrder(loss.above, loss.below)


@frozen
class ChosenOrders(PrivacyLoss):
    """What dominates so many releases, each of which has `pair` or its exchange, whichever is worse after the others.

    Guarantee: upper ends hold; lower ends are not looked at.
    """

    pair: PrivacyLoss
    count: int
    accuracy: float = field(default=DEFAULT_PRECISION, eq=False)

    @property
    def _mirrored(self) -> PrivacyLoss:
        return compose([(MirroredLoss(self.pair), self.count)]).sharpened(self.accuracy)  # type: ignore[arg-type]

    @property
    def _curve(self) -> PrivacyLoss | None:
        return chosen_curve(self.pair, self.count)

    def reverse(self) -> PrivacyLoss:
        return self

    def sharpened(self, precision: float) -> PrivacyLoss:
        return evolve(self, accuracy=precision)

    def dominating(self) -> PrivacyLoss:
        return self._curve or compose([(MirroredLoss(self.pair).dominating(), self.count)])  # type: ignore[arg-type]

    def window(self, log_tail: float) -> tuple[float, float]:
        low, high = MirroredLoss(self.pair).window(log_tail)  # type: ignore[arg-type]
        return low * self.count, high * self.count

    def cells(self, edges: Floats) -> Cells:
        raise GridTooLarge("what is chosen release by release is read from the loss that dominates it")

    def delta_formula(self, epsilon: float) -> Interval:
        return self._least([side.delta(epsilon) for side in self._sides()])

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self._least([side.epsilon(target, least=least) for side in self._sides()])

    def _tradeoff_at(self, level: Fraction) -> Interval:
        return Interval(max(side.tradeoff(level).lower for side in self._sides()), 1.0)

    def _sides(self) -> list[PrivacyLoss]:
        curve = self._curve
        return [self._mirrored] if curve is None else [self._mirrored, curve.sharpened(self.accuracy)]

    @staticmethod
    def _least(found: list[Interval]) -> Interval:
        upper = min(value.upper for value in found)
        return Interval(min(min(value.lower for value in found), upper), upper)

    def log_moment_formula(self, order: float) -> Interval:
        """Given what was published, each moment grows at most by the larger of the two, and does if it is always chosen."""
        return larger([side._log_moment_at(order) for side in (self.pair, self.pair.reverse())]).times(self.count)

    def concentration_formula(self) -> Interval:
        return larger([side.concentration() for side in (self.pair, self.pair.reverse())]).times(self.count)

    def supremum_formula(self) -> Interval:
        return larger([side.supremum() for side in (self.pair, self.pair.reverse())]).times(self.count)

    def infinite_formula(self) -> Interval:
        return self._mirrored.infinite()


@frozen(eq=False)
class _Kernel:
    """A law on multiples of a step that dominates a loss: `masses` from the multiple `start` on, and more than all."""

    start: int
    masses: Floats
    beyond: float
    slack: float

    @classmethod
    def of(cls, loss: PrivacyLoss, step: float) -> _Kernel:
        low, high = loss.window(_TAIL)
        start, end = math.floor(low / step) - 1, math.ceil(high / step) + 1
        edges = step * np.arange(start, end + 1, dtype=np.float64)
        cells = loss.cells(edges)
        all_masses = Masses.of(cells)
        masses, below, above = all_masses.part(1, -1), all_masses.p[:1], all_masses.p.entry(-1)
        # In units of its left edge: at the right end of a cell stands what both laws ask for, at the left end the rest.
        share = -expm1(Ball(-step))
        right = Balls(np.maximum(masses.gap.upper, 0.0)) / share
        left = (Balls(masses.p.upper) - Balls(np.maximum(masses.gap.lower, 0.0)) / share).at_least(0.0)
        both = joined([left, np.zeros(1)]) + joined([below, right])
        displaced = Ball.rounded(0.0, 64.0, 1.0 + float(np.max(np.abs(edges)))).widened(cells.slack).radius
        return cls(start, both.upper, (above + cells.infinite.upper).upper, displaced)


@lru_cache(maxsize=32)
def chosen_curve(pair: PrivacyLoss, count: int) -> PrivacyLoss | None:
    """A loss that dominates so many releases in chosen orders, block by block; None where it would take too long."""
    sides = [pair.dominating(), pair.reverse().dominating()]
    usual = math.sqrt(math.expm1(min(1.0, *(side._log_moment_at(1.0).upper for side in sides))))
    step, top = min(usual, 1.0) / 14.0, _top(sides, count)
    widest = max(abs(end) for side in sides for end in side.window(_TAIL))
    if not 0.0 < step < top + widest < _LONGEST / 4 * step:
        return None
    kernels = [_Kernel.of(side, step) for side in sides]
    size = 2 * math.ceil(top / step) + 2 * max(kernel.masses.size for kernel in kernels)
    block = min(count, int(_STEPS_OF / (size * math.log2(size))))
    if size > _LONGEST or block < 8:
        return None
    whole, rest = divmod(count, block)
    curves = _curves(kernels, step, math.ceil(top / step), {block, rest} - {0})
    return compose([(curves[block], whole), *([(curves[rest], 1)] if rest else [])])


def _top(sides: list[PrivacyLoss], count: int) -> float:
    """An epsilon beyond which about e^_REST is left, by Chernoff's bound."""
    orders = [2.0**k for k in range(-3, 7)]
    bounds = [(count * max(side._log_moment_at(order).upper for side in sides) - _REST) / order for order in orders]
    return min(bounds)


def _curves(kernels: list[_Kernel], step: float, last: int, counts: set[int]) -> dict[int, CutLoss]:
    """The losses with the curves after some numbers of releases.

    Instead of V(e) stands U(e) = e^(tilt e) (V(e) - max(0, 1 - e^e)), on 0, step, ..., last step; and V(-e) - 1 + e^-e is
    e^-e V(e), because both orders may be chosen.
    """
    points = step * np.arange(last + 1, dtype=np.float64)
    pad = max(max(abs(kernel.start), abs(kernel.start + kernel.masses.size)) for kernel in kernels)
    reach = step * np.arange(last + pad + 1, dtype=np.float64)
    ahead, back = np.exp(_TILT * reach), np.exp(-(1.0 + _TILT) * reach)
    length = 1 << (2 * (last + pad) + 1 + max(kernel.masses.size for kernel in kernels)).bit_length()
    alone = [_alone(kernel, points) for kernel in kernels]
    tilted = [_tilted(kernel, step) for kernel in kernels]
    spectra = [np.fft.rfft(masses, length) for masses in tilted]
    weight = max(float(masses.sum()) for masses in tilted)
    # Three transforms are off by 16 roundoffs for each binary digit, and their product by 3: what is left of 64 pays for
    # the norms. Exponentials are off by 8 roundoffs and by that of their exponent, and stand on both sides.
    digits, most = 64.0 * math.log2(length), Ball.rounded(1.0, 32.0 + 4.0 * _TILT * float(reach[-1])).upper
    values, found = np.zeros(last + 1), {}
    slack = max(kernel.slack for kernel in kernels)
    for done in range(1, max(counts) + 1):
        far = np.concatenate([values, np.full(pad, values[-1])])
        # Numbers that doubles hold badly are slow, and more is never too little.
        around = np.maximum(np.concatenate([(far * back)[:0:-1], far * ahead]), 1e-140)
        spectrum = np.fft.rfft(around, length)
        error = Ball.rounded(0.0, digits, weight * math.sqrt(float(np.square(around).sum()))).radius
        options = []
        for kernel, own, transform in zip(kernels, alone, spectra, strict=True):
            offset = last + pad - kernel.start
            summed = np.fft.irfft(spectrum * transform, length)[offset : offset + last + 1] + error
            options.append((own + np.maximum(summed, 0.0) / ahead[: last + 1]) * most)
        values = np.minimum(np.maximum(*options), 1.0)
        if done in counts:
            found[done] = _cut(points + done * slack, values)
    return found


def _tilted(kernel: _Kernel, step: float) -> Floats:
    places = step * (kernel.start + np.arange(kernel.masses.size, dtype=np.float64))
    return (Balls(kernel.masses) * exp(Balls.rounded(_TILT * places, 2.0))).upper


def _alone(kernel: _Kernel, points: Floats) -> Floats:
    """E[max(0, 1 - e^(e - L))] at all points, and what is beyond all losses."""
    step = points[1]
    places = step * (kernel.start + np.arange(kernel.masses.size, dtype=np.float64))
    first = np.searchsorted(places, points - 0.5 * step)
    falls = Balls(kernel.masses) * exp(Balls.rounded(-places, 2.0))
    mass, fallen = (joined([running(some[::-1])[::-1], Ball(0.0)])[first] for some in (Balls(kernel.masses), falls))
    sums = (mass - fallen * exp(Balls.rounded(points))).at_least(0.0) + kernel.beyond
    return sums.upper


def _cut(points: Floats, values: Floats) -> CutLoss:
    """Cuts at points that are closer to each other where they are small."""
    places = np.unique(np.round(np.expm1(np.linspace(0.0, math.log(points.size), _CUTS))).astype(np.int64))
    places = places[places < points.size]
    return CutLoss.through(points[places], values[places])
