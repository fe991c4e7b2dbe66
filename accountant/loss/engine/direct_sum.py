"""Sums of losses added up mass by mass: every mass and every delta keeps its digits, however small it is.

Laws stand on a lattice up to a top. What lies above it is one outcome: delta is linear in y = e^-L from epsilon on, so that
above the top only the totals of P and of Q matter. Terms are products of masses, and no transform mixes a thin tail of
1e-40 with the bulk beside it. See docs/explanation/two-sided-composition.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.errors import GridTooLarge
from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, exp, expm1, lowered, raised

Places = NDArray[np.intp]

_DEEPEST = 600.0
_UNDERFLOW = 2.0**-1060
"""Above what a sum of products of masses can lose to subnormal numbers."""
_MOST_MASS = 2.0**20
"""A law that has more mass than this says nothing."""


@frozen(eq=False)
class Frame:
    """Where laws stand: a step, and the numbers of the first and the last point that are told apart.

    Every law counts from an offset of its own, about where most of it is; sums of few releases are then cut where sums of
    all would be.
    """

    step: Fraction
    first: int
    last: int

    @property
    def size(self) -> float:
        """The step as a double, which holds it exactly."""
        return float(self.step)


@frozen(eq=False)
class SpreadLaw:
    """Masses of P on the losses offset + (start + i) step, and `infinite` beyond them: together they dominate a loss.

    `slack` bounds how far rounding may have displaced any loss.
    """

    frame: Frame
    offset: Fraction
    start: int
    masses: Floats
    infinite: float
    slack: float

    @property
    def losses(self) -> Floats:
        """The losses of all points."""
        return _places(self.frame, self.offset, self.start, self.masses.size)

    def plus(self, other: SpreadLaw) -> SpreadLaw:
        """The law of the sum of two independent losses: spread to infinity beyond the last point, raised to the first."""
        frame, offset, start = self.frame, self.offset + other.offset, self.start + other.start
        last = max(frame.last, start)
        times = 2.0 * _roundings(self.masses, other.masses)
        own, its = float(self.masses.sum()), float(other.masses.sum())
        if own * its > _MOST_MASS:
            raise GridTooLarge("so close together, losses cannot be told apart: masses are smaller than their errors")
        found = np.convolve(self.masses, other.masses)[: last - start + 1]
        beyond, lack = _beyond(self, other, last)
        masses = np.zeros(last - start + 1 if beyond else found.size)
        masses[: found.size] = found + _UNDERFLOW
        # What the last point keeps of losses beyond it pays for all of Q's mass there; the rest is infinite. Together they
        # are what is beyond, and both are raised by what that may have been rounded by.
        masses[-1] += max(beyond - lack, 0.0)
        infinite = self.infinite * (its + other.infinite) + own * other.infinite + lack
        cut = min(frame.first - start, masses.size - 1)
        if cut > 0:
            masses[cut] += float(masses[:cut].sum())
            masses, start = masses[cut:], start + cut
        return SpreadLaw(
            frame, offset, start, raised(masses, times), raised(infinite, times), raised(self.slack + other.slack, 1)
        )

    def delta(self, epsilon: float) -> float:
        """An upper bound on delta at an epsilon."""
        losses = self.losses
        # Differences to losses round, and so do the losses themselves.
        point = Ball.rounded(epsilon - self.slack, 8.0, abs(epsilon) + float(np.max(np.abs(losses)))).lower
        total = float(np.sum(self.masses * -np.expm1(np.minimum(point - losses, 0.0)))) + self.infinite
        # A function that is granted 8 roundings, a product, and sums of no more terms than there are losses.
        return min(1.0, raised(total, 10.0 + losses.size) + _UNDERFLOW)

    def deltas(self) -> Floats:
        """About delta at the points themselves."""
        ends = np.append(np.cumsum(self.masses[::-1])[::-1], 0.0)[1:]
        return _lacks(ends, self.frame.size) + self.infinite


def _beyond(left: SpreadLaw, right: SpreadLaw, last: int) -> tuple[float, float]:
    """P's mass of sums of points beyond the last one, and what e^(its loss) times Q's lacks to it.

    For each point of the first law, the points of the second that lead beyond are all from some place k on. With h the step
    and M_l the mass from place l on, these lack (1 - e^-h) times the sum over l >= k of e^(-(l - k)h) M_l: no difference.
    """
    size = right.frame.size
    places = last + 1 - left.start - right.start - np.arange(left.masses.size)
    inside = np.clip(places, 0, right.masses.size)
    ends = np.append(np.cumsum(right.masses[::-1])[::-1], 0.0)
    lacks = _lacks(ends, size)
    # Where all points lead beyond, they do so by more.
    more = size * np.minimum(places, 0.0)
    beyond = float(np.sum(left.masses * ends[inside]))
    lack = float(np.sum(left.masses * (np.exp(more) * lacks[inside] - np.expm1(more) * ends[inside])))
    return beyond, lack


def _lacks(ends: Floats, size: float) -> Floats:
    """For every place k, (1 - e^-h) times the sum over l >= k of e^(-(l - k)h) M_l.

    All terms are positive, and each takes part in no more roundings than there are places.
    """
    if size * ends.size < _DEEPEST:
        fall = np.exp(-size * np.arange(ends.size, dtype=np.float64))
        found: Floats = np.cumsum((fall * ends)[::-1])[::-1] / fall
    else:  # e^(-l h) would be no more than 0 at the end
        decay, rest = math.exp(-size), 0.0
        found = np.empty_like(ends)
        for place in range(ends.size - 1, -1, -1):
            rest = ends[place] + decay * rest
            found[place] = rest
    return -math.expm1(-size) * found


@frozen(eq=False)
class MergedLaw:
    """Outcomes numbered start + i with their masses under P and under Q, and one outcome above them all.

    It is what is seen of a release through a map of outcomes to numbers, of several releases through the sum of their
    numbers: every reading is at most that of the releases. `doubt` bounds the relative error of all masses.
    """

    frame: Frame
    offset: Fraction
    start: int
    p: Floats
    q: Floats
    above: tuple[float, float]
    slack: float
    doubt: float = 0.0

    def plus(self, other: MergedLaw) -> MergedLaw:
        """What is seen of two independent releases through the sum of their numbers; sums below the bottom are dropped."""
        kept, first, places = _sums(self, other)
        above = [0.0, 0.0]
        for k, (mine, its) in enumerate(((self.p, other.p), (self.q, other.q))):
            ends = np.append(np.cumsum(its[::-1])[::-1], 0.0) + other.above[k]
            above[k] = float(np.sum(mine * ends[places])) + self.above[k] * float(ends[0])
        return MergedLaw(
            self.frame,
            self.offset + other.offset,
            first,
            np.convolve(self.p, other.p)[kept],
            np.convolve(self.q, other.q)[kept],
            (above[0], above[1]),
            raised(self.slack + other.slack, 1),
            (Ball(1.0, self.doubt) * Ball(1.0, other.doubt) * _rounding(self.p, other.p)).radius,
        )

    def delta(self, epsilon: float) -> float:
        """A lower bound on delta at an epsilon: P(A) - e^epsilon Q(A), A all outcomes for which that is positive."""
        known = Ball(1.0, self.doubt)
        # Two products and two differences round, by no more than three roundings of either product. Where these are close
        # that is paid for by the second one, and otherwise by what sums round.
        unit, part = raised((exp(Ball(epsilon) + self.slack) * known).upper, 8), max(known.lower, 0.0)
        gains = part * self.p - unit * self.q - (1.0 + unit) * _UNDERFLOW
        return _positive(gains, part * self.above[0] - unit * self.above[1], epsilon)


@frozen(eq=False)
class FineLaw:
    """The same where all losses are so small that P and Q are told apart by what Q's masses lack to P's: their gaps.

    `mass_doubt` bounds the relative error of masses, `gap_doubt` the error of gaps in units of the mass. Mass and gap of
    the outcome above, in this order, are not too large.
    """

    frame: Frame
    offset: Fraction
    start: int
    p: Floats
    gaps: Floats
    above: tuple[float, float]
    slack: float
    mass_doubt: float = 0.0
    gap_doubt: float = 0.0

    def plus(self, other: FineLaw) -> FineLaw:
        """What is seen of two independent releases through the sum of their numbers; sums below the bottom are dropped."""
        kept, first, places = _sums(self, other)
        q = self.p - self.gaps
        if other is self:
            gaps = np.convolve(self.gaps, self.p + q)[kept]
        else:
            gaps = np.convolve(self.gaps, other.p)[kept] + np.convolve(q, other.gaps)[kept]
        # Masses, gaps in units of them, and what sums of products round.
        mine, its, fine = Ball(1.0, self.mass_doubt), Ball(1.0, other.mass_doubt), _rounding(self.p, other.p)
        gap, other_gap = self.gap, other.gap
        whole = (gap * its + (mine + gap) * other_gap) * fine
        return FineLaw(
            self.frame,
            self.offset + other.offset,
            first,
            np.convolve(self.p, other.p)[kept],
            gaps,
            self._above(other, places, mine * its * fine, fine),
            raised(self.slack + other.slack, 1),
            (mine * its * fine).radius,
            # In units of products of masses that were rounded themselves.
            (Ball(0.0, whole.radius) / fine).radius,
        )

    def _above(self, other: FineLaw, places: Places, known: Ball, fine: Ball) -> tuple[float, float]:
        """Mass and gap of all sums beyond the last number, or with an outcome above: neither too large."""
        mass, gap, size = (
            np.append(np.cumsum(array[::-1])[::-1], 0.0) + more
            for array, more in (
                (other.p, other.above[0]),
                (other.gaps, other.above[1]),
                (np.abs(other.gaps), abs(other.above[1])),
            )
        )
        q, own_q = self.p - self.gaps, self.above[0] - self.above[1]
        beyond = float(np.sum(self.p * mass[places]))
        above = beyond + self.above[0] * float(mass[0])
        value = float(np.sum(self.gaps * mass[places] + q * gap[places]))
        value += self.above[1] * float(mass[0]) + own_q * float(gap[0])
        # Sizes of these four sums, each with what its factors may be off by.
        of_gaps, of_q = float(np.sum(np.abs(self.gaps) * mass[places])), float(np.sum(np.abs(q) * size[places]))
        of_p, its = float(np.sum(self.p * size[places])), Ball(1.0, other.mass_doubt)
        off_q = (self.mass_doubt + self.gap_doubt) * (of_p + other.gap_doubt * beyond)
        off_q += other.gap_doubt * (beyond + of_gaps)
        terms = Ball(of_gaps, self.gap_doubt * beyond) * its + Ball(of_q, off_q)
        terms = terms + Ball(abs(self.above[1])) * its * float(mass[0])
        terms = terms + Ball(own_q) * Ball(float(size[0]), other.gap_doubt * float(mass[0]))
        least = Ball(value, (terms * fine).radius).lower
        # Less mass, and a gap that is less in at least the same proportion; one below 0 need not shrink with it.
        held = max((above * known).lower, 0.0)
        return held, (Ball(least) * held / (above * known)).lower if least > 0.0 else least

    @property
    def gap(self) -> Ball:
        """The largest gap in units of its mass, but that of the outcome above, with what any gap may be off by."""
        present = self.p > 0.0
        most = float(np.max(np.abs(self.gaps[present]) / self.p[present], initial=0.0))
        return Ball(raised(most, 1), self.gap_doubt)

    def delta(self, epsilon: float) -> float:
        """A lower bound on delta at an epsilon: P(A) - e^epsilon Q(A), A all outcomes for which that is positive."""
        point = Ball((Ball(epsilon) + self.slack).upper)
        unit, growth = exp(point), expm1(point)
        # Two products and three differences round.
        doubt = ((unit * self.gap + growth * Ball(1.0, self.mass_doubt)) * Ball.rounded(1.0, 2.0)).radius
        gains = unit.middle * self.gaps - (growth.middle + doubt) * self.p - _UNDERFLOW
        mass, gap = self.above
        return _positive(gains, (unit * gap - growth * mass).lower, epsilon)


Law = TypeVar("Law", SpreadLaw, MergedLaw, FineLaw)


def times(law: Law, count: int) -> Law:
    """The law of the sum of so many independent losses like this one, at least one."""
    if count == 1:
        return law
    half = times(law, count // 2)
    whole = half.plus(half)
    return whole.plus(law) if count % 2 else whole


def _roundings(left: Floats, right: Floats) -> float:
    """How often sums of products of so many masses round, sums of sums, and a few functions beside them."""
    return 64.0 + 2.0 * (left.size + right.size)


def _rounding(left: Floats, right: Floats) -> Ball:
    """What such sums are as shares of themselves."""
    return Ball.rounded(1.0, _roundings(left, right))


def _positive(gains: Floats, above: float, epsilon: float) -> float:
    """The sum of what is positive, rounded down; delta is never below 1 - e^epsilon."""
    total = lowered(float(np.sum(np.maximum(gains, 0.0))) + max(above, 0.0), gains.size + 8.0)
    return max(0.0, total, (-expm1(Ball(min(epsilon, 0.0)))).lower)


def _sums(left: MergedLaw | FineLaw, right: MergedLaw | FineLaw) -> tuple[slice, int, Places]:
    """Which entries of a convolution are kept, their first number, and where sums with each one lead beyond."""
    frame, start = left.frame, left.start + right.start
    last = max(frame.last, start)
    first = max(min(frame.first, last), start)
    places = np.clip(last + 1 - start - np.arange(left.p.size), 0, right.p.size)
    return slice(first - start, last - start + 1), first, places


def _places(frame: Frame, offset: Fraction, start: int, size: int) -> Floats:
    return float(offset) + frame.size * np.arange(start, start + size, dtype=np.float64)
