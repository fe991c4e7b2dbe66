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
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import evolve, field, frozen
from scipy.fft import irfft, next_fast_len, rfft

from accountant.errors import GridTooLarge
from accountant.loss.derived.masses import Masses
from accountant.loss.derived.symmetrised import MirroredLoss
from accountant.loss.engine.composition import compose
from accountant.loss.families.finite import NO_LOSS
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.closing import delta_of_moments, epsilon_of_moments
from accountant.loss.readings.precision import DEFAULT_PRECISION
from accountant.numbers.interval import Interval, larger
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined, running

_TILT = 2.0
_CUTS = 900
_STEPS = (7.0, 5.0)
"""How many steps of a grid a usual loss has."""
_WORK = 4e8
"""How much work the longest block may be: its number of releases times size times log size of the transforms."""
_FEW = 32
"""Of fewer releases those that are all in one order lose most."""
_LONGEST = 2**17
_TAIL = -45.0
_RARE = -18.0
_REST, _RAREST = -32.0, 1e-13
"""The logarithm of what is left beyond the last epsilon looked at, and a chance that is well above that."""


@frozen
class EitherOrder(BracketLoss):
    """One release that has a pair or the exchanged one, or one of some `further` pairs in either order, and no others."""

    further: tuple[BracketLoss, ...] = ()

    def repeated(self, count: int) -> PrivacyLoss | None:
        if count == 1 or not isinstance(self.above, MirroredLoss):
            return None
        chosen = ChosenOrders(self.above.base, count, further=tuple(pair.above for pair in self.further))
        if not self.further or count < _FEW:
            return RepeatedOrders(chosen, compose([(self.below.dominated(), count)]), each=self, count=count)
        same = Same((self.below.dominated(), *(pair.below for pair in self.further)), count)
        return RepeatedOrders(chosen, same, each=self, count=count)

    def reverse(self) -> PrivacyLoss:
        # Whoever exchanges the datasets has the pair that was the exchanged one: what can be lost is the same.
        return self


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
        return self


def either_order(loss: PrivacyLoss, *further: PrivacyLoss | None) -> PrivacyLoss:
    """The same loss, of a release that has no pair but the one below it, `further` ones, and their exchanges.

    Each further pair is known from both sides and is its own exchange. Where one of them is not known, nothing is.
    """
    if type(loss) is not BracketLoss or not isinstance(loss.above, MirroredLoss) or loss.above.base != loss.below:
        return loss
    known = tuple(pair for pair in further if isinstance(pair, BracketLoss))
    return EitherOrder(loss.above, loss.below, further=known) if len(known) == len(further) else loss


@frozen
class Same(PrivacyLoss):
    """So many releases that all have the same one of several pairs.

    Guarantee: lower ends are those of the worst pair; upper ends are not looked at.
    """

    pairs: tuple[PrivacyLoss, ...]
    count: int
    accuracy: float = field(default=DEFAULT_PRECISION, eq=False)

    @property
    def precision(self) -> float:
        return self.accuracy

    def _all(self) -> list[PrivacyLoss]:
        """The losses where all have one of the pairs, the first of them first."""
        return [compose([(pair, self.count)]).sharpened(self.accuracy) for pair in self.pairs]

    def reverse(self) -> PrivacyLoss:
        return evolve(self, pairs=tuple(pair.reverse() for pair in self.pairs))

    def sharpened(self, precision: float) -> PrivacyLoss:
        return evolve(self, accuracy=precision)

    def dominated(self) -> PrivacyLoss:
        # Beside other releases one of them is taken for all.
        return self._all()[0]

    def window(self, log_tail: float) -> tuple[float, float]:
        return self.dominated().window(log_tail)

    def cells(self, edges: Floats) -> Cells:
        raise GridTooLarge("what several releases have in common is read from one of the losses that they may have")

    def delta_formula(self, epsilon: float) -> Interval:
        first, *others = self._all()
        found = first.delta(epsilon)
        for loss in others:
            # What cannot be more is not looked at.
            if delta_of_moments(loss, epsilon) > found.lower:
                found = larger([found, loss.delta(epsilon)])
        return found

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        first, *others = self._all()
        found = first.epsilon(target, least=least)
        for loss in others:
            if epsilon_of_moments(loss, target) > found.lower:
                found = larger([found, loss.epsilon(target, least=least)])
        return found

    def _tradeoff_at(self, level: Fraction) -> Interval:
        found = [loss.tradeoff(level) for loss in self._all()]
        return Interval(min(value.lower for value in found), min(value.upper for value in found))

    def log_moment_formula(self, order: float) -> Interval:
        return larger([pair._log_moment_at(order) for pair in self.pairs]).times(self.count)

    def concentration_formula(self) -> Interval:
        return larger([pair.concentration() for pair in self.pairs]).times(self.count)

    def supremum_formula(self) -> Interval:
        return larger([pair.supremum() for pair in self.pairs]).times(self.count)

    def infinite_formula(self) -> Interval:
        return larger([loss.infinite() for loss in self._all()])


@frozen
class ChosenOrders(PrivacyLoss):
    """What dominates so many releases, each of which has `pair`, its exchange or one of `further` pairs that are their own
    exchanges, whichever is worst after the others.

    Guarantee: upper ends hold; lower ends are not looked at. The mirrored pair dominates all of them one by one.
    """

    pair: PrivacyLoss
    count: int
    accuracy: float = field(default=DEFAULT_PRECISION, eq=False)
    further: tuple[PrivacyLoss, ...] = ()

    @property
    def precision(self) -> float:
        return self.accuracy

    @property
    def _mirrored(self) -> PrivacyLoss:
        return compose([(MirroredLoss(self.pair), self.count)]).sharpened(self.accuracy)  # type: ignore[arg-type]

    @property
    def _curve(self) -> PrivacyLoss | None:
        return chosen_curve(self.pair, self.count, self.further)

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
        return self._least(lambda side: side.delta(epsilon), lambda found: found.upper)

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        return self._least(lambda side: side.epsilon(target, least=least), lambda _: float(target))

    def _tradeoff_at(self, level: Fraction) -> Interval:
        sides = [self._mirrored] if self._curve is None else [self._mirrored, self._curve.sharpened(self.accuracy)]
        return Interval(max(side.tradeoff(level).lower for side in sides), 1.0)

    def _least(self, read: Callable[[PrivacyLoss], Interval], chance: Callable[[Interval], float]) -> Interval:
        """The smaller of what both losses say that dominate; of many releases that is the curve, except far out."""
        curve = self._curve
        found = [] if curve is None else [read(curve.sharpened(self.accuracy))]
        if not found or self.count < _FEW or chance(found[0]) < _RAREST:
            found.append(read(self._mirrored))
        upper = min(value.upper for value in found)
        return Interval(min(min(value.lower for value in found), upper), upper)

    def log_moment_formula(self, order: float) -> Interval:
        """Given what was published, each moment grows at most by the larger of the two, and does if it is always chosen."""
        sides = [self.pair, self.pair.reverse(), *self.further]
        if any(pair.infinite().upper > 0.0 for pair in self.further):
            # The laws on few values have no moments, what they stand for has.
            sides = [MirroredLoss(self.pair)]  # type: ignore[arg-type]
        return larger([side._log_moment_at(order) for side in sides]).times(self.count)

    def concentration_formula(self) -> Interval:
        sides = (self.pair, self.pair.reverse()) if not self.further else (MirroredLoss(self.pair),)  # type: ignore[arg-type]
        return larger([side.concentration() for side in sides]).times(self.count)

    def supremum_formula(self) -> Interval:
        # No further pair loses more than the mirrored one.
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
        # Rare losses far below 0 may as well be raised to one that is less far: hardly anything is left there.
        low, high = loss.window(_RARE)[0], loss.window(_TAIL)[1]
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
def chosen_curve(pair: PrivacyLoss, count: int, further: tuple[PrivacyLoss, ...] = ()) -> PrivacyLoss | None:
    """A loss that dominates so many releases in chosen orders, block by block; None where it would take too long."""
    sides = [pair.dominating(), pair.reverse().dominating(), *further]
    usual = math.sqrt(math.expm1(min(1.0, *(side._log_moment_at(1.0).upper for side in sides))))
    # Further pairs lose hardly more, and need not have moments; what is beyond the top is counted in any case.
    top = _top([pair, pair.reverse()], count) * (1.1 if further else 1.0)
    # As fine as there is time for; a coarser grid costs less than blocks.
    for steps in _STEPS:
        step = min(usual, 1.0) / steps
        if not 0.0 < step < top or _highest(sides) + top > _LONGEST / 4 * step:
            return None
        kernels = [_Kernel.of(side, step) for side in sides]
        last = math.ceil(top / step)
        size = sum(last + kernel.masses.size for kernel in kernels)
        block = min(count, int(_WORK / (size * math.log2(size))))
        if block == count:
            break
    if size > _LONGEST or block < 8:
        return None
    whole, rest = divmod(count, block)
    curves = _curves(kernels, step, last, {block, rest} - {0})
    return compose([(curves[block], whole), *([(curves[rest], 1)] if rest else [])])


def _highest(sides: list[PrivacyLoss]) -> float:
    return max(abs(end) for side in sides for end in side.window(_TAIL))


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
    ends = [(max(kernel.start + kernel.masses.size - 1, 0), max(-kernel.start, 0)) for kernel in kernels]
    # Laws that reach about as far are added up over the same values.
    far = max(before for before, _ in ends)
    groups = [[k for k, end in enumerate(ends) if (2 * end[0] > far) is long] for long in (True, False)]
    sums = [_Sums.of([kernels[k] for k in group], [ends[k] for k in group], step, last) for group in groups if group]
    pad = max(some.before for some in sums), max(some.after for some in sums)
    reach = step * np.arange(last + max(pad) + 1, dtype=np.float64)
    ahead, back = np.exp(_TILT * reach), np.exp(-(1.0 + _TILT) * reach)
    # Exponentials are off by 8 roundoffs and by that of their exponent, and stand on both sides.
    most = Ball.rounded(1.0, 32.0 + 4.0 * _TILT * float(reach[-1])).upper
    values, found = np.zeros(last + 1), {}
    slack = max(kernel.slack for kernel in kernels)
    around, near = np.empty(pad[0] + last + 1 + pad[1]), min(pad[0], last)
    for done in range(1, max(counts) + 1):
        np.multiply(values, ahead[: last + 1], out=around[pad[0] : pad[0] + last + 1])
        # Beyond the last point less is left than there.
        np.multiply(values[-1], ahead[last + 1 : last + 1 + pad[1]], out=around[pad[0] + last + 1 :])
        around[pad[0] - near : pad[0]] = (values[1 : near + 1] * back[1 : near + 1])[::-1]
        around[: pad[0] - near] = (values[-1] * back[near + 1 : pad[0] + 1])[::-1]
        # Numbers that doubles hold badly are slow, and more is never too little.
        np.maximum(around, 1e-140, out=around)
        options = [some.most(around[pad[0] - some.before : pad[0] + last + 1 + some.after], ahead) for some in sums]
        values = np.minimum(np.max(options, axis=0) * most, 1.0)
        if done in counts:
            found[done] = _cut(points + done * slack, values)
    return found


@frozen(eq=False)
class _Sums:
    """What some laws add up to over tilted values, at the points 0, step, ..., last step.

    Each point asks for values from `before` steps below to `after` steps above it. Sums around a circle of all that is
    asked for are right at the points; where they wrap around, nobody looks.
    """

    alone: Floats
    spectra: Complexes
    size: int
    before: int
    after: int
    error: float

    @classmethod
    def of(cls, kernels: list[_Kernel], ends: list[tuple[int, int]], step: float, last: int) -> _Sums:
        before, after = max(end[0] for end in ends), max(end[1] for end in ends)
        rows = np.zeros((len(kernels), before + after + 1))
        for row, kernel in zip(rows, kernels, strict=True):
            row[kernel.start + after : kernel.start + after + kernel.masses.size] = _tilted(kernel, step)
        size = next_fast_len(last + rows.shape[1], real=True)
        # Three transforms are off by 16 roundoffs for each binary digit, and their product by 3: what is left of 64 pays
        # for the norms.
        error = Ball.rounded(0.0, 64.0 * math.log2(size), float(rows.sum(axis=1).max())).radius
        points = step * np.arange(last + 1, dtype=np.float64)
        alone = np.array([_alone(kernel, points) for kernel in kernels])
        return cls(alone, rfft(rows, size), size, before, after, error)

    def most(self, values: Floats, ahead: Floats) -> Floats:
        """Bounds from above on the largest sum over values that begin so far before the first point, without the tilt."""
        around = irfft(rfft(values, self.size) * self.spectra, self.size)
        first, count = self.before + self.after, self.alone.shape[1]
        summed = around[:, first : first + count]
        summed += self.error * math.sqrt(float(np.square(values).sum()))
        found: Floats = np.max(self.alone + np.maximum(summed, 0.0) / ahead[:count], axis=0)
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
