"""Readings of losses whose log moments are known off the real line, by a sum along a vertical line in the complex plane.

With K(z) = log E_P[e^(zL)] of the composed loss and any t > 0,

    delta(e) = (1/2 pi) integral over real y of exp(K(z) - z e)/(z (z + 1)),  z = t + i y.

The trapezoid rule with spacing h has the exact value: sum over all whole j of delta(e + j a) e^(j a t), a = 2 pi/h. All
terms are positive, so the rule is an upper end as it stands, and a lower end once the terms j != 0 are taken away: those
with j < 0 are at most e^(j a t) because delta is at most 1, those with j > 0 follow from Chernoff's bound
delta(x) <= e^(K(s) - s x) at some s > t. K adds over releases, so the cost grows with the number of distinct losses and
nodes, and not with their counts. The sum is cut where what is left out is proven to be negligible (contour_tail.py): where
there is no such place near enough, the grid serves instead. See docs/explanation/two-sided-composition.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from accountant.loss.engine.contour_cut import CutLosses, Reverse
from accountant.loss.engine.contour_nodes import ContourLine
from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.contour_search import TiltSearch
from accountant.loss.engine.contour_seen import SeenLosses, log_factor
from accountant.loss.engine.contour_tail import Decay, negligible
from accountant.loss.families.gaussian import GaussianMoments
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import PrivacyLoss, log_largest_gain
from accountant.loss.readings.convex_minimum import lowest_value
from accountant.loss.readings.inversion import crossing
from accountant.loss.readings.moments import Moments
from accountant.loss.readings.precision import narrower
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.rounding import TINY, Ball, Balls, dot, exp, expm1, raised
from accountant.progress import nearer

_FEW_NODES, _MOST_NODES = 2**12, 2**17
_MUCH_WORK, _MOST_WORK = 2**21, 2**24
_BLOCK = 2**15
_MORE_TILT = (1.04, 1.1, 1.25, 1.6, 2.5)
_SHALLOW = -30.0
_TOLERANCE = 2.0**-46
_LEAST_LEVEL = Fraction(1, 2**900)
_LONGEST = 2.0**25
"""How many numbers a line may take in all."""
_HASTE, _TRIES = 0.5, 2
_FLAT = 100.0
_MANY = math.log(512.0)
_LARGEST_COUNT = 2**53
"""Counts that doubles hold exactly."""


@frozen(eq=False)
class ContourLaw(TiltSearch):
    """A composed loss whose parts are all analytic, with the chance that any of them loses everything."""

    families: tuple[tuple[Moments, Floats], ...]
    """The moments of each family, and how often each loss of it is taken."""
    leak: Interval
    damping: float
    """The variance of the Gaussian parts, rounded down: the transform falls at least like e^(-damping y^2/2)."""
    lost: float = 0.0
    """A bound on the chance of what was left out of any of the losses."""
    patience: float = 1.0
    """How much of the usual effort may go into a line."""
    reverse: Reverse | None = None
    cut: CutLosses | None = None
    """Where given, the largest outcomes were cut from these losses, and are read apart."""
    seen: SeenLosses | None = None
    """Where given, this is the law of the sum where some rare loss is seen."""
    _trimmed: dict[float, Self] = field(factory=dict, init=False)
    _lines: dict[tuple[float, float, float], ContourLine | None] = field(factory=dict, init=False)
    _deltas: dict[tuple[float, float, float], Interval | None] = field(factory=dict, init=False)
    _served: list[tuple[ContourLaw, ContourLine]] = field(factory=list, init=False)
    """The line that delta was last read from, and what was trimmed for it."""

    @classmethod
    def of(cls, parts: Sequence[tuple[PrivacyLoss, int]], leak: Interval) -> Self | None:
        """The contour of these parts, if they have one."""
        groups: defaultdict[type[Moments], list[tuple[PrivacyLoss, int]]] = defaultdict(list)
        for loss, count in parts:
            family = loss.analytic()
            if family is None or count > _LARGEST_COUNT:
                return None
            groups[family].append((loss, count))
        if not groups or leak.upper >= 1.0:
            return None
        families = tuple(
            (family.of([loss for loss, _ in members]), np.array([count for _, count in members], dtype=np.float64))
            for family, members in groups.items()
        )
        damping = sum(
            (dot(counts, moments.squares) for moments, counts in families if isinstance(moments, GaussianMoments)),
            Ball(0.0),
        )
        return cls(families, leak, max(0.0, damping.lower), reverse=Reverse(tuple(parts)))

    def trimmed(self, log_delta: float, precision: float) -> Self:
        """The same without outcomes that are too rare to be felt by deltas down to about e^log_delta."""
        return self.without(16.0 * math.floor((log_delta - negligible(precision) - self._log_copies) / 16.0))

    @cached_property
    def _log_copies(self) -> float:
        """The logarithm of how many losses there are in all."""
        return math.log(sum(float(counts.sum()) for _, counts in self.families))

    def without(self, log_tail: float) -> Self:
        """The same without the rarest outcomes of each loss, which hold at most e^log_tail of it."""
        if log_tail not in self._trimmed:
            families = tuple((moments.trimmed(log_tail), counts) for moments, counts in self.families)
            if all(new is old for (new, _), (old, _) in zip(families, self.families, strict=True)):
                self._trimmed[log_tail] = self
                return self
            lost = sum(
                (dot(counts, np.broadcast_to(moments.lost(), counts.shape)) for moments, counts in families), Ball(0.0)
            )
            self._trimmed[log_tail] = evolve(self, families=families, lost=lost.upper)
        return self._trimmed[log_tail]

    @cached_property
    def _thorough(self) -> Self:
        """The same with moments farther up, which take longer; itself where they do not."""
        families = tuple((moments.thorough(), counts) for moments, counts in self.families)
        same = all(new is old for (new, _), (old, _) in zip(families, self.families, strict=True))
        return self if same else evolve(self, families=families)

    @cached_property
    def _hasty(self) -> Self:
        """The same for lines that are quickly drawn; itself where all lines are."""
        return self if self._thorough is self else evolve(self, patience=_HASTE)

    @property
    def work(self) -> int:
        """About how many numbers one node takes."""
        return sum(moments.work for moments, _ in self.families)

    def log_moment(self, points: Complexes) -> tuple[Complexes, Floats]:
        """The log moment of the composed loss, and bounds on its error, as the protocol of a single one says."""
        total, error = np.zeros(points.shape, dtype=np.complex128), np.zeros(points.shape)
        for number, (moments, counts) in enumerate(self.families):
            block = max(1, _BLOCK // counts.size)
            for start in range(0, points.size, block):
                nearer()
                some = slice(start, start + block)
                before = Balls(total[some], error[some]) if number else None
                total[some], error[some] = _added(before, *_sum(*moments.log_moments(points[some]), counts))
        if self.seen is None:
            return total, error
        values, errors = log_factor(*self.seen.log_shares(self.families, points))
        lost = np.isinf(errors)
        return _added(Balls(total, error), Balls(values, np.where(lost, 0.0, errors)), lost)

    # Readings ----------------------------------------------------------------------------------------------------------

    def _epsilon(self, target: Fraction, log_target: float, precision: float, least: float) -> Interval | None:
        best: Interval | None = None
        for number, saddle in enumerate(self._saddles_at(self._steps_to(log_target))):
            if least > 0.0 and self._chernoff(saddle, least) <= float_below(target):
                return Interval(0.0, least)
            guess = max(saddle.epsilon + (saddle.log_delta - log_target) / saddle.tilt, 1e-9)
            if least > guess and self._at_most(least, saddle, target, precision * saddle.tilt * guess):
                return Interval(0.0, least)
            before = best
            best = self._met(best, saddle.aimed(guess, log_target), target, precision, guess)
            if best is not None and (best.width <= precision * best.upper or (self.patience < 1.0 and best == before)):
                break
            # It takes long to see that no short line will do, and hardly ever does another tilt help.
            if best is None and number + 1 == _TRIES and self.patience >= 1.0:
                break
        return best

    def _at_most(self, epsilon: float, saddle: Saddle, target: Fraction, precision: float) -> bool:
        """Whether delta at an epsilon is seen not to exceed a target along the line at one tilt."""
        line = self._line(saddle, math.log(target.numerator) - math.log(target.denominator), precision)
        return line is not None and self._read(line, epsilon).upper <= float_below(target)

    def _met(
        self, best: Interval | None, saddle: Saddle, target: Fraction, precision: float, guess: float
    ) -> Interval | None:
        """Where delta meets a target along the line at one tilt, and by what was known; drawn again where delta is flat."""
        log_target = math.log(target.numerator) - math.log(target.denominator)
        sharp = precision * saddle.tilt * guess
        for _ in range(2):
            line = self._line(saddle, log_target, sharp)
            if line is None:
                break
            best = narrower(best, self._crossing(line, target, guess))
            if best.width <= precision * best.upper or best.width > _FLAT * precision * best.upper:
                break
            sharp *= 0.5 * precision * best.upper / best.width
        return best

    def delta(self, epsilon: float, precision: float, apart: float = 0.0) -> Interval | None:
        """Delta at an epsilon, and at all that lie no farther above it than that; None where the sum would be too long.

        Whoever asks again, or for more precision, finds what was said before, whatever was read in between.
        """
        key = (epsilon, precision, apart)
        if key not in self._deltas:
            self._deltas[key] = self._found_delta(epsilon, precision, apart)
        return self._deltas[key]

    def _found_delta(self, epsilon: float, precision: float, apart: float) -> Interval | None:
        for whole, line in self._served:
            # Readings share a line as long as it says all that a line of their own would, also of what delta lacks to 1.
            shared = whole._read(line, epsilon, apart)
            if shared.width <= 4.0 * math.exp(-negligible(precision)) * min(shared.upper, 1.0 - shared.lower):
                return shared
        log_delta = _SHALLOW
        for _ in range(3):
            whole = self.trimmed(log_delta, precision)
            found = whole._delta(epsilon, precision, apart)
            self._served[:] = whole._served
            if found is None or whole.lost == 0.0 or found.upper * precision >= 2.0 * whole.lost or found.upper < TINY:
                return found
            # What was left out is felt: as much is kept as half as many digits again need.
            log_delta = 1.5 * min(log_delta, math.log(found.upper))
        return found

    def _delta(self, epsilon: float, precision: float, apart: float) -> Interval | None:
        best: Interval | None = None
        for saddle in self._saddles_for(epsilon):
            log_delta = saddle.log_delta
            # Where delta turns out to be much smaller than the saddle said, a longer period is worth it.
            for _ in range(2):
                line = self._line(saddle, log_delta, precision)
                if line is None:
                    break
                best = narrower(best, self._read(line, epsilon, apart))
                if self._enough(best, precision):
                    self._served[:] = [(self, line)]
                    return best
                log_delta = min(log_delta, math.log(best.upper)) - 8.0
        return best

    def _enough(self, found: Interval, precision: float) -> bool:
        """Whether another line is not worth it: what was left out is not to be had back on one."""
        return found.width <= precision * found.upper + 2.0 * self.lost or found.upper < TINY

    def tradeoff(self, level: Fraction, precision: float) -> Interval | None:
        """The smallest type II error at a level, or None where delta is not known at every epsilon that matters.

        What it lacks to 1 is the lowest value of delta(log y) + y level over all y > 0, which is convex in y.
        """
        if not _LEAST_LEVEL < level < 1:
            return None
        low, high = float_below(level), float_above(level)

        def power(log_y: float) -> Interval:
            value, y = self.delta(log_y, precision), exp(Ball(log_y))
            if value is None or log_y > 700.0:
                raise OverflowError("delta is not known here")
            return Interval(max(0.0, (y * low + value.lower).lower), (y * high + value.upper).upper)

        try:
            # Points so far apart leave an error of about the square of that.
            found = lowest_value(power, [0.0], math.sqrt(precision) / 3.0)
        except OverflowError:
            return None
        if found.lower == -math.inf:
            return None
        return Interval.of(1) - found

    def _chernoff(self, saddle: Saddle, epsilon: float) -> float:
        """An upper bound on delta from the moment at one tilt alone."""
        exponent = Ball(saddle.value, saddle.error) - Ball(saddle.tilt) * epsilon + log_largest_gain(saddle.tilt)
        finite = exp(exponent) if exponent.upper < 0.0 else Ball(1.0)
        return _either(self.leak.upper, finite + self.lost).upper

    def _read(self, line: ContourLine, epsilon: float, apart: float = 0.0) -> Interval:
        """Delta with the chance of losing everything and what was left out; it is never below 1 - e^epsilon."""
        low, high = line.delta(epsilon, apart)
        leak = self.leak
        rest = self.lost if self.seen is None else (Ball(self.seen.rest(epsilon)) + self.lost).upper
        cut = Interval.of(0) if self.cut is None else self.cut.rest(epsilon, apart)
        upper = min(1.0, _either(leak.upper, Ball(high) + rest + cut.upper).upper)
        lower = max(0.0, _either(leak.lower, Ball(low) + cut.lower).lower)
        if epsilon < 0.0:
            lower = max(lower, (-expm1(Ball(epsilon, apart))).lower)
        return Interval(min(lower, upper), upper)

    def _crossing(self, line: ContourLine, target: Fraction, guess: float) -> Interval:
        """Where delta meets a target."""
        seen: dict[float, Interval] = {}

        def read(epsilon: float) -> Interval:
            if epsilon not in seen:
                seen[epsilon] = self._read(line, epsilon)
            return seen[epsilon]

        # A few secant steps along the logarithm first: any guess will do, and a good one saves reading.
        log_target = math.log(target.numerator) - math.log(target.denominator)
        here, slope = guess, -line.tilt
        height = _log(read(here).upper) - log_target
        for _ in range(5):
            other = max(here - height / slope, 1e-9)
            at_other = _log(read(other).upper) - log_target
            if other == here or at_other == height or not math.isfinite(at_other):
                break
            slope = min((at_other - height) / (other - here), -1e-3)
            here, height = other, at_other
        return crossing(lambda epsilon: read(epsilon).upper, lambda epsilon: read(epsilon).lower, target, here, _TOLERANCE)

    # Lines to read along -----------------------------------------------------------------------------------------------

    def _line(self, saddle: Saddle, log_delta: float, precision: float) -> ContourLine | None:
        """The line at one tilt, for deltas down to about e^log_delta that shall be precise."""
        # From coarse scales, so that readings near each other share a line, and accounts that differ little their nodes.
        depth = 16.0 * math.floor(min(log_delta, 0.0) / 16.0)
        key = (saddle.tilt, depth, 2.0 ** math.floor(math.log2(precision)))
        if key not in self._lines:
            try:
                self._lines[key] = self._drawn(saddle, *key[1:])
            except OverflowError:
                self._lines[key] = None
        return self._lines[key]

    def _drawn(self, saddle: Saddle, log_delta: float, precision: float) -> ContourLine | None:
        tilt = saddle.tilt
        beyond = self._beyond(np.array([factor * tilt for factor in _MORE_TILT], dtype=np.complex128))
        if not beyond:
            return None
        depth = negligible(precision) - log_delta
        images = min((value - more * saddle.epsilon + depth) / (more - tilt) for more, value in beyond)
        period = max(depth / tilt, images)
        period = 2.0 ** (math.ceil(4.0 * math.log2(period)) / 4.0)
        # Smoothed lattices take many nodes, which only pays where each of them is cheap.
        nodes = min(_MOST_NODES, max(_FEW_NODES, _MUCH_WORK // self.work), _MOST_WORK // self.work)
        if self._thorough is self and self.patience >= 1.0 and self._log_copies > _MANY:
            nodes = max(nodes, min(_MOST_NODES, int(_LONGEST / self._effort(tilt, 0.0) / 16.0)))
        spacing = _short(2.0 * math.pi / period)
        if self.seen is None:
            decay = Decay.of(self, saddle, spacing, nodes * spacing, precision, self.patience)
        else:
            decay = self.seen.decay(self.families, saddle, spacing, nodes * spacing, precision)
        if decay is None or decay.height / spacing * self._effort(tilt, decay.height) > self.patience * _LONGEST:
            return None
        count = 8 * math.ceil(decay.height / (8.0 * spacing))
        heights = spacing * np.arange(count + 1, dtype=np.float64)
        values, errors = self.log_moment((tilt + 1j * heights).astype(np.complex128))
        return ContourLine.of(tilt, heights, values, errors, decay.smoothing, decay.tail, tuple(beyond))

    def _effort(self, tilt: float, height: float) -> float:
        """About how many numbers a node takes, on the way to a height."""
        return 0.5 * sum(moments.effort(tilt, 0.0) + moments.effort(tilt, height) for moments, _ in self.families)

    def _beyond(self, tilts: Complexes) -> list[tuple[float, float]]:
        """Larger tilts with a bound on the moment and the largest gain there, as many of the first as doubles reach."""
        try:
            values, errors = self.log_moment(tilts)
        except OverflowError:
            return self._beyond(tilts[:-1]) if tilts.size > 1 else []
        return [
            (float(more.real), (Ball(float(value.real), float(error)) + log_largest_gain(float(more.real))).upper)
            for more, value, error in zip(tilts, values, errors, strict=True)
            if error < 1.0
        ]


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


def _short(spacing: float) -> float:
    """A spacing of few enough digits that doubles hold its multiples at all nodes: the rule asks for even ones."""
    digits, power = math.frexp(spacing)
    return math.ldexp(math.floor(math.ldexp(digits, 32)), power - 32)


def _either(leak: float, finite: Ball) -> Ball:
    """The chance of losing everything, or of what is asked for otherwise."""
    return finite if leak == 0.0 else Ball(leak) + (1.0 - Ball(leak)) * finite


def _sum(values: Complexes, errors: Floats, counts: Floats) -> tuple[Balls, NDArray[np.bool_]]:
    """The sum over losses, each taken so often, and where only the size of its moment is known, up to its error."""
    lost: NDArray[np.bool_] = np.asarray(np.isinf(errors).any(axis=0))
    known = np.where(np.isinf(errors), 0.0, errors) if lost.any() else errors
    if counts.size == 1:
        return Balls.rounded(values[0] * counts[0]).widened(raised(known[0] * counts[0], 1)), lost
    # Added up in rows, so that no number takes part in more additions than two rows are long. Each product rounds as well.
    width = math.isqrt(counts.size)
    rows = np.zeros((values.shape[1], -(-counts.size // width) * width), dtype=np.complex128)
    rows[:, : counts.size] = (counts[:, None] * values).T
    total = rows.reshape(values.shape[1], -1, width).sum(axis=2).sum(axis=1)
    rounded = Balls.rounded(total, 2.0 + width + rows.shape[1] // width, np.abs(rows).sum(axis=1))
    return rounded.widened(raised(counts @ known, counts.size)), lost


def _added(before: Balls | None, whole: Balls, lost: NDArray[np.bool_]) -> tuple[Complexes, Floats]:
    """A log moment after another. Once a phase is lost the error is infinite, and the real part bounds the size."""
    if before is not None:
        gone = np.isinf(before.radii)
        lost = lost | gone
        whole = Balls(before.middle, np.where(gone, 0.0, before.radii)) + whole
    if not lost.any():
        return whole.middle, whole.radii
    # What is known of the size is added to it, twice so that this sum may round too.
    return whole.middle + np.where(lost, 2.0 * whole.radii, 0.0), np.where(lost, np.inf, whole.radii)
