"""Selections as a choice among pairs with two outcomes.

However many candidates there are, the loss of one selection is a mixture of losses with two values, drawn alike on both
datasets. So the most that selections reach together, each looking at all earlier outputs, is what the best choice of such a
pair at each step reaches. See docs/explanation/choosing-one-of-many.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import fields
from accountant.loss import Floats
from accountant.numbers.rounding import TINY, Ball


@frozen(eq=False)
class Pairs:
    """Pairs with two outcomes: P's chances of the first and of the second, and what they lose in steps of a ladder.

    Guarantee: chances are off by at most 64 roundoffs of themselves times 1 + reach. Losses that are whole numbers are
    exact; others are off by at most `doubt`.
    """

    chances: Floats
    rests: Floats
    highs: Floats
    lows: Floats
    doubt: float

    def and_also(self, others: Pairs) -> Pairs:
        """These pairs and others."""
        return Pairs(
            np.concatenate([self.chances, others.chances]),
            np.concatenate([self.rests, others.rests]),
            np.concatenate([self.highs, others.highs]),
            np.concatenate([self.lows, others.lows]),
            max(self.doubt, others.doubt),
        )

    def log_moments(self, order: float) -> Floats:
        """log E_P[e^(order L)] where losses are whole ones, up to 16 roundoffs of order times the largest loss, and of 1.

        Around order 0 the moment is close to 1, so only what it is more than 1 is added up.
        """
        ups, downs = order * self.highs, order * self.lows
        if max(float(np.max(ups)), -float(np.min(downs))) < 1.0:
            return np.asarray(np.log1p(self.chances * np.expm1(ups) + self.rests * np.expm1(downs)))
        # What underflows is far below the roundoff.
        logs = [np.log(np.maximum(chances, TINY)) for chances in (self.chances, self.rests)]
        return np.asarray(np.logaddexp(logs[0] + ups, logs[1] + downs))

    def in_steps(self, scale: float, rungs: int) -> Pairs:
        """The same with losses in steps, of which there are so many in one unit, and so many in the reach."""
        return Pairs(self.chances, self.rests, self.highs * scale, self.lows * scale, _off(rungs))


@frozen(eq=False)
class Selection(ABC):
    """What one selection can be: one of many pairs, and of each also the exchanged one."""

    @property
    @abstractmethod
    def reach(self) -> Fraction:
        """The largest loss of any of them."""

    @abstractmethod
    def attained(self, places: Floats, rungs: int) -> Pairs:
        """Choices at places that are whole numbers from 0 to `rungs`; losses in steps of which the reach has so many."""

    @abstractmethod
    def between(self, places: Floats, rungs: int) -> Pairs:
        """Pairs such that no choice between two neighbouring places is better than all of them and those at the places."""

    def bounding(self, places: Floats, rungs: int) -> Pairs:
        """Pairs of which the best is at least as good as every choice."""
        return self.attained(places, rungs).and_also(self.between(places, rungs))

    @abstractmethod
    def largest(self, places: Floats) -> Floats:
        """The largest delta of one selection at losses between 0 and the reach, or a bound on it."""

    @abstractmethod
    def reached(self, places: Floats) -> tuple[Floats, Floats]:
        """A delta that one selection reaches at losses between 0 and the reach, and how it changes with the loss.

        Guarantee: the line in e^loss through this value with this slope lies nowhere above the largest delta.
        """

    @abstractmethod
    def spread(self, count: int, log_tail: float) -> float:
        """A loss that so many selections exceed with a chance of about e^log_tail; only a hint."""

    @property
    def doubt(self) -> float:
        """What one more selection adds to the relative error of a curve: chances, products and sums round."""
        return Ball.rounded(1.0, 64.0 * (1.0 + float(self.reach))).radius


@frozen(cache_hash=True)
class RangeChoice(Selection):
    """Losses t and t - range with 0 <= t <= range: what the exponential mechanism comes to.

    With y = e^t the first outcome has the chances (e^range - y)/(e^range - 1) and (e^range/y - 1)/(e^range - 1).
    """

    range_: Fraction = field(converter=fields.exact, validator=fields.above(0))

    @property
    def reach(self) -> Fraction:
        return self.range_

    def attained(self, places: Floats, rungs: int) -> Pairs:
        """The chances of the losses t and t - range are those that make both laws sum to 1."""
        whole = float(self.range_)
        tops, lacks, scale = places * (whole / rungs), (rungs - places) * (whole / rungs), -math.expm1(-whole)
        chances, rests = -np.expm1(-lacks) / scale, -np.expm1(-tops) * np.exp(-lacks) / scale
        return Pairs(chances, rests, places, places - rungs, 0.0)

    def between(self, places: Floats, rungs: int) -> Pairs:
        """Where the tangents at two neighbours to the curve of all (y, 1/y) meet.

        There they exchange their chances, and each ratio of chances is a mean of theirs.
        """
        step = float(self.range_) / rungs
        on, gaps = self.attained(places, rungs), np.diff(places) * step
        far, near, rise = 1.0 / (1.0 + np.exp(gaps)), 1.0 / (1.0 + np.exp(-gaps)), np.expm1(gaps)
        lacks, tops = -np.expm1((places - rungs) * step), np.expm1(places * step)
        return Pairs(
            near * on.chances[:-1] + far * on.chances[1:],
            near * on.rests[:-1] + far * on.rests[1:],
            places[:-1] + np.log1p(rise * lacks[:-1] / (lacks[:-1] + lacks[1:])) / step,
            places[:-1] - rungs + np.log1p(rise * tops[:-1] / (tops[:-1] + tops[1:])) / step,
            _off(rungs),
        )

    def largest(self, places: Floats) -> Floats:
        """(1 - e^((loss - range)/2))^2/(1 - e^-range)."""
        whole = float(self.range_)
        found: Floats = np.square(np.expm1(0.5 * (places - whole))) / -math.expm1(-whole)
        return found

    def reached(self, places: Floats) -> tuple[Floats, Floats]:
        whole = float(self.range_)
        slopes = np.expm1(0.5 * (places - whole)) * np.exp(0.5 * (places - whole)) / -math.expm1(-whole)
        return self.largest(places), slopes

    def spread(self, count: int, log_tail: float) -> float:
        """By Hoeffding's inequality."""
        whole = float(self.range_)
        return whole * whole / 8.0 * count + whole * math.sqrt(-0.5 * log_tail * count)


@frozen(cache_hash=True)
class FlipChoice(Selection):
    """One of two candidates by exponential noise, when they move apart by so many scales: permute-and-flip.

    The second candidate is behind by such a factor c in the first dataset, and ahead by a factor e^ratio c in the second:
    the chances of the first are 1 - c/2 and e^-ratio/(2 c), with e^-ratio <= c <= 1.
    """

    ratio: Fraction = field(converter=fields.exact, validator=fields.above(0))

    @property
    def reach(self) -> Fraction:
        return self.ratio

    def attained(self, places: Floats, rungs: int) -> Pairs:
        return self.meeting(places / rungs, places / rungs).in_steps(rungs / float(self.ratio), rungs)

    def between(self, places: Floats, rungs: int) -> Pairs:
        return self.meeting(places[:-1] / rungs, places[1:] / rungs).in_steps(rungs / float(self.ratio), rungs)

    def meeting(self, near: Floats, far: Floats) -> Pairs:
        """Where the tangents to the curve of all (c, 1/c) meet that touch it at two places, which may be the same.

        At a place c is e^(-ratio place). The losses are whole ones, not in steps.
        """
        whole = float(self.ratio)
        highs = whole + _log_union(whole * near, whole * far)
        lows = -whole - _log_union(whole * (1.0 - near), whole * (1.0 - far))
        low, high = whole * np.minimum(near, far), whole * np.maximum(near, far)
        rests = np.exp(-high) / (1.0 + np.exp(low - high))
        return Pairs(1.0 - rests, rests, highs, lows, Ball.rounded(whole, 16.0).radius)

    def largest(self, places: Floats) -> Floats:
        """1 - e^((loss - ratio)/2)."""
        found: Floats = -np.expm1(0.5 * (places - float(self.ratio)))
        return found

    def reached(self, places: Floats) -> tuple[Floats, Floats]:
        return self.largest(places), -0.5 * np.exp(0.5 * (places - float(self.ratio)))

    def spread(self, count: int, log_tail: float) -> float:
        whole = float(self.ratio)
        return whole * math.tanh(0.5 * whole) * count + whole * math.sqrt(-2.0 * log_tail * count)


def _log_union(first: Floats, second: Floats) -> Floats:
    """log(1 - (1 - e^-first)(1 - e^-second)), also where that is tiny or close to 0."""
    both, low, high = np.expm1(-first) * np.expm1(-second), np.minimum(first, second), np.maximum(first, second)
    near = both < 0.5
    far = np.log1p(np.exp(low - high) - np.exp(-high)) - low
    found: Floats = np.where(near, np.log1p(-np.where(near, both, 0.0)), far)
    return found


def _off(rungs: int) -> float:
    """More than what losses in steps are off by, where so many steps make the reach."""
    return Ball.rounded(0.0, 128.0, rungs).radius
