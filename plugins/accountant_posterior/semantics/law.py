"""PosteriorLaw: how the posterior of an attacker is distributed, from the loss itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval, InvalidValue, Theorem
from accountant.numbers import float_above, float_below
from accountant.numbers.rounding import Ball, down
from accountant_posterior.semantics.odds import log_odds, probability, updated, written
from accountant_posterior.semantics.theorems import DOMINATING_LAW, EXACT_LAW

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss
    from accountant.numbers import ExactLike
    from accountant_posterior.semantics.tails import Tail


_NODES, _FEW_NODES = 1000, 160
_FARTHEST, _FINEST = 600.0, 2.0**-24
_RARE = -40.0
_MEAN_TIMES = 2.0**17
"""More than what a few thousand sums and products of numbers up to 1 round, for all of which 1 is the scale."""


@frozen
class PosteriorLaw:
    """The law of the posterior probability of a secret, for an attacker who sees the output itself.

    Definition: log odds of X = log odds of the prior + L, L the privacy loss under the side that is true.
    Guarantee: every reading encloses the truth for the pair of laws that `loss` is of and for each of `others`, both orders
    of it where they differ, unless `ordered` says that the first law is that of the side in question. These are the laws of
    the releases themselves, unless `dominating` says that only a pair that dominates them is known. It is no guarantee for
    data that were processed further: chances of large losses may rise under post-processing, so bounds that shall survive
    it are those of `Semantics.posterior`.
    """

    loss: PrivacyLoss
    prior: Fraction
    secret: str
    others: tuple[PrivacyLoss, ...] = ()
    ordered: bool = False
    dominating: bool = False

    @property
    def theorem(self) -> Theorem:
        """Why it holds."""
        return DOMINATING_LAW if self.dominating else EXACT_LAW

    @property
    def statement(self) -> str:
        """What the readings are about, in words."""
        return (
            f"the posterior probability of the secret, {self.secret}, for an attacker with prior {written(self.prior)} "
            f"who sees {self._seen}; not a guarantee for anything that is made of the output"
        )

    @property
    def _seen(self) -> str:
        if self.dominating:
            return (
                "an output of the pair that dominates all releases, which is not the law of what the releases themselves "
                "show: there the same chances may be smaller or larger"
            )
        if self.ordered:
            return "the output itself, between the two rows named"
        return "the output itself, where the two sides move every answer as far as any neighbours do"

    def exceeds(self, threshold: ExactLike, *, present: bool = True) -> Interval:
        """The chance that the posterior is above a threshold, when the first side of the secret is true or when not."""
        level = probability(threshold, "the threshold")
        if self.prior in (0, 1) or level == 1:
            return Interval.of(int(self.prior > level))
        if level == 0:
            return _rest(self._chance(_impossible, present))
        from accountant_posterior.semantics.tails import above

        return self._chance(lambda loss: above(loss, self._ratio(level)), present)

    def below(self, threshold: ExactLike, *, present: bool = True) -> Interval:
        """The chance that the posterior is below a threshold."""
        level = probability(threshold, "the threshold")
        if self.prior in (0, 1) or level == 0:
            return Interval.of(int(self.prior < level))
        if level == 1:
            return _rest(self._chance(_certain, present))
        from accountant_posterior.semantics.tails import at_least

        return _rest(self._chance(lambda loss: at_least(loss, self._ratio(level)), present))

    def outside(self, gain: ExactLike, *, present: bool = True) -> Interval:
        """The chance that the log odds move by more than `gain`, in either direction."""
        from accountant_posterior.semantics.tails import beyond

        size = Interval.of(gain)
        if size.lower < 0.0:
            raise InvalidValue(f"a gain must not be negative, got {size}")
        lowest = Interval(down(-size.upper), -size.lower)
        rise = self._chance(lambda loss: beyond(loss, size), present)
        stay = self._chance(lambda loss: beyond(loss, lowest), present)
        return (rise + _rest(stay)).clamp(0.0, 1.0)

    def outside_ratio(self, ratio: Fraction, *, present: bool = True) -> Interval:
        """The chance that the odds move by more than a factor, in either direction."""
        from accountant_posterior.semantics.tails import above, at_least

        rise = self._chance(lambda loss: above(loss, ratio), present)
        stay = self._chance(lambda loss: at_least(loss, 1 / ratio), present)
        return (rise + _rest(stay)).clamp(0.0, 1.0)

    def quantile(self, level: ExactLike, *, present: bool = True) -> Interval:
        """The smallest value that the posterior stays at or below with at least the probability `level`."""
        from accountant_posterior.semantics.tails import beyond

        share = 1 - probability(level, "the level")
        if self.prior in (0, 1) or share == 1:
            return Interval.of(self.prior if share < 1 else 0)

        def tail(place: float) -> Interval:
            return self._chance(lambda loss: beyond(loss, Interval(place, place)), present)

        high = _edge(lambda place: tail(place).at_most(share) is True)[1]
        low = _edge(lambda place: tail(place).at_most(share) is not False)[0]
        return Interval(updated(self.prior, Interval(low, low)).lower, updated(self.prior, Interval(high, high)).upper)

    def mean(self, *, present: bool = True) -> Interval:
        """The expected posterior. Its mean over both sides is the prior, so one side settles the other."""
        if self.prior in (0, 1):
            return Interval.of(self.prior)
        own = _hull([_mean(loss, self.prior) for loss in self._orders])
        if present:
            return own
        odds = self.prior / (1 - self.prior)
        if own.exact is not None:
            return Interval.of((1 - own.exact) * odds)
        low, high = ((1 - Fraction(end)) * odds for end in (own.upper, own.lower))
        return Interval(float_below(low), float_above(high)).clamp(0.0, 1.0)

    @property
    def _orders(self) -> list[PrivacyLoss]:
        """Neighbours come in both orders; where they lose differently, either may be the one that is compared."""
        if self.ordered:
            return [self.loss]
        return list(dict.fromkeys(side for loss in (self.loss, *self.others) for side in (loss, loss.reverse())))

    def _ratio(self, level: Fraction) -> Fraction:
        """The likelihood ratio at which the posterior is at a level."""
        return level * (1 - self.prior) / ((1 - level) * self.prior)

    def _chance(self, tail: Callable[[PrivacyLoss], Tail], present: bool) -> Interval:
        found = [tail(loss) for loss in self._orders]
        return _hull([item.first if present else item.second for item in found])


def _certain(loss: PrivacyLoss) -> Tail:
    """The chances of outputs that are impossible under the second dataset."""
    from accountant_posterior.semantics.tails import Tail

    return Tail(loss.infinite(), Interval.of(0))


def _impossible(loss: PrivacyLoss) -> Tail:
    """The chances of outputs that are impossible under the first dataset."""
    from accountant_posterior.semantics.tails import Tail

    return Tail(Interval.of(0), loss.reverse().infinite())


def _edge(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Two neighbouring places: a condition that holds from some place on fails at the first and holds at the second."""
    if holds(0.0):
        low, high = -1.0, 0.0
        while holds(low):
            low, high = 2.0 * low, low
            if low < -_FARTHEST:
                return -math.inf, high
    else:
        low, high = 0.0, 1.0
        while not holds(high):
            low, high = high, 2.0 * high
            if high > _FARTHEST:
                return low, math.inf
    while high - low > _FINEST * (1.0 + abs(low)):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def _hull(values: list[Interval]) -> Interval:
    whole = values[0]
    for value in values[1:]:
        whole = whole.hull(value)
    return whole


def _rest(chance: Interval) -> Interval:
    if chance.exact is not None:
        return Interval.of(1 - chance.exact)
    return (1.0 - Ball.of(chance)).interval(0.0, 1.0)


def _mean(loss: PrivacyLoss, prior: Fraction) -> Interval:
    """The expected posterior of the first side when it is true.

    With phi(y) = p y^2/(p y + 1 - p) it is the integral of phi''(y) D(y) over y > 0, D(y) = delta(log y). D is convex: on
    each piece it lies below its chord and above the lines through the chords beside it. phi and phi' are known, so the
    integral of phi'' against a line is too.
    """
    from accountant.loss import FiniteLoss

    if isinstance(loss, FiniteLoss):
        return Interval.of(sum((prior * p * p / (prior * p + (1 - prior) * q) for p, q in loss.atoms if p), Fraction(0)))
    count = _NODES if loss.precision is None else _FEW_NODES
    belief, centre = float(prior), -log_odds(prior).lower
    # Where phi bends and the loss has mass; what lies outside is bounded as a whole.
    (left_end, right_end), back = loss.window(_RARE), loss.reverse().window(_RARE)
    low, high = max(centre - 24.0, min(left_end, -back[1]) - 0.1), min(centre + 16.0, right_end + 0.1)
    high = max(high, low + 1.0)
    places = [low + (high - low) * index / count for index in range(count + 1)]
    ends = [loss.delta(place) for place in places]
    points = [math.exp(place) for place in places]

    def slope(y: float) -> float:
        """phi'(y), between 0 and 1."""
        share = belief * y / (belief * y + 1.0 - belief)
        return share * (2.0 - share)

    def against(left: float, right: float, first: tuple[float, float], second: tuple[float, float]) -> float:
        """The integral of phi'' over a piece against the line through two points."""
        steepness = (second[1] - first[1]) / (second[0] - first[0])
        ys = left, right
        values = [first[1] + steepness * (y - first[0]) for y in ys]
        phis = [y * belief * y / (belief * y + 1.0 - belief) for y in ys]
        return slope(ys[1]) * values[1] - slope(ys[0]) * values[0] - steepness * (phis[1] - phis[0])

    start, above_zero = (0.0, 1.0), (points[0], ends[0].upper)
    upper = against(0.0, points[0], start, above_zero) + ends[-1].upper * (1.0 - slope(points[-1]))
    lower = against(0.0, points[0], start, (1.0, 0.0)) + loss.infinite().lower * (1.0 - slope(points[-1]))
    for k in range(count):
        left, right = points[k], points[k + 1]
        upper += against(left, right, (left, ends[k].upper), (right, ends[k + 1].upper))
        before = (points[k - 1], ends[k - 1].upper) if k else start
        bounds = [0.0, against(left, right, before, (left, ends[k].lower))]
        if k + 2 <= count:
            bounds.append(against(left, right, (right, ends[k + 1].lower), (points[k + 2], ends[k + 2].upper)))
        lower += max(bounds)
    least, most = (Ball.rounded(end, _MEAN_TIMES, 1.0) for end in (lower, upper))
    return Interval(least.lower, most.upper).clamp(float_below(prior), 1.0)
