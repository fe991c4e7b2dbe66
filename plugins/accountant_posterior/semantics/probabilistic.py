"""Probabilistic differential privacy: the log likelihood ratio lies within epsilon, except with probability delta.

It is what posterior bounds that may fail rest on, and it is not closed under post-processing. So nothing here starts from
it: every conversion starts from a definition that is closed, and its result speaks about whatever was made of the output,
because that definition does. Proofs are in docs/explanation/posterior-meaning.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval, InvalidValue, fields
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball
from accountant_posterior.semantics.odds import exponential, probability, written

if TYPE_CHECKING:
    from accountant.numbers import ExactLike


_TIMES = 128.0
"""More than what one or two functions of the C library and the sums, products and quotients that they are in round."""
_ENOUGH = 2.0**-24
_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))


def probabilistic_epsilon(epsilon: ExactLike | Interval, delta: ExactLike, failure: ExactLike) -> Interval:
    """The epsilon' that holds except with probability `failure`, from (epsilon, delta) of approximate differential privacy.

    Definition: epsilon + log(1 + delta (1 + e^-epsilon)/(failure - delta)); infinite unless failure is above delta.
    Approximate differential privacy is not "pure except with probability delta": at failure = delta nothing is bounded.
    """
    slack, chance = probability(delta, "delta"), probability(failure, "the failure probability")
    return _widened(_interval(epsilon), slack, chance, both=True)


def one_sided_epsilon(epsilon: ExactLike | Interval, delta: ExactLike, failure: ExactLike) -> Interval:
    """The same where only evidence for one side of the secret is bounded, when that side is the truth.

    Definition: epsilon + log(failure/(failure - delta)).
    """
    slack, chance = probability(delta, "delta"), probability(failure, "the failure probability")
    return _widened(_interval(epsilon), slack, chance, both=False)


def _widened(epsilon: Interval, delta: Fraction, failure: Fraction, *, both: bool) -> Interval:
    if delta == 0 or epsilon.lower == math.inf:
        return epsilon
    if failure <= delta:
        return Interval.infinite()
    share = delta / (failure - delta)
    low, high = float_below(share), float_above(share)
    if both:
        low, high = low * (1.0 + math.exp(-epsilon.upper)), high * (1.0 + math.exp(-epsilon.lower))
    least, most = epsilon.lower + math.log1p(low), epsilon.upper + math.log1p(high)
    # Both ends of epsilon + log(1 + c (1 + e^-epsilon)) grow with epsilon: the sum of its parts does, since c e^-epsilon
    # falls more slowly than epsilon rises.
    return Interval(max(epsilon.lower, Ball.rounded(least, _TIMES).lower), Ball.rounded(most, _TIMES).upper)


def approximate_epsilon(epsilon: ExactLike | Interval, delta: ExactLike, failure: ExactLike) -> Interval:
    """The largest epsilon of approximate differential privacy at `delta` that keeps epsilon' within the given one.

    Definition: log(((failure - delta) e^epsilon' - delta)/failure), the inverse of `probabilistic_epsilon`; the lower
    end is safe. An error where not even epsilon = 0 is enough.
    """
    slack, chance = probability(delta, "delta"), probability(failure, "the failure probability")
    wanted = _interval(epsilon)
    if slack == 0:
        return wanted
    least = _widened(Interval.of(0), slack, chance, both=True)
    if wanted.lower < least.upper:
        raise InvalidValue(
            f"no epsilon is small enough: at delta = {written(slack)} and failure probability {written(chance)} the log "
            f"likelihood ratio may reach {least.shown(6)}; allow a larger failure probability or a smaller delta"
        )
    return _crossing(
        lambda place: _widened(Interval(place, place), slack, chance, both=True), wanted, 0.0, wanted.upper, rising=True
    )


def failure_probability(epsilon: ExactLike | Interval, delta: ExactLike, wider: ExactLike | Interval) -> Interval:
    """With which probability the log likelihood ratio leaves `wider`, given (epsilon, delta).

    Definition: delta (1 + e^-wider)/(1 - e^(epsilon - wider)); 1 unless wider is above epsilon.
    """
    slack, inner, outer = probability(delta, "delta"), _interval(epsilon), _interval(wider)
    if slack == 0:
        return Interval.of(0) if outer.lower >= inner.upper else Interval(0.0, 1.0)
    ends = [
        _failure(end, gap)
        for end, gap in ((outer.upper, outer.upper - inner.lower), (outer.lower, outer.lower - inner.upper))
    ]
    low, high = (Ball.rounded(end, _TIMES) for end in (float_below(slack) * ends[0], float_above(slack) * ends[1]))
    return Interval(min(low.lower, 1.0), min(high.upper, 1.0))


def _failure(wider: float, gap: float) -> float:
    # The subtraction that gave the gap may have lost a last digit.
    gap = Ball.rounded(gap, 4.0).lower
    return (1.0 + math.exp(-wider)) / -math.expm1(-gap) if gap > 0.0 else math.inf


def over_curve(curve: Callable[[float], Interval], failure: ExactLike) -> Interval:
    """The smallest epsilon' that follows at a failure probability from any point of a curve delta(epsilon).

    Guarantee: the upper end holds; it is the smallest that a search found. Nothing is claimed from below.
    """
    chance = probability(failure, "the failure probability")
    seen: dict[float, float] = {}

    def height(place: float) -> float:
        if place not in seen:
            delta = min(1.0, curve(place).upper)
            seen[place] = _widened(Interval(place, place), Fraction(delta), chance, both=True).upper
        return seen[place]

    # First where delta falls below the chance at all, then past the valley, then down into it.
    first = last = 2.0**-10
    while math.isinf(height(last)) and last < 2.0**40:
        first, last = last, 2.0 * last
    while height(2.0 * last) < height(last):
        last *= 2.0
    if last < 2.0**40:
        _lowest(height, 0.0 if first == 2.0**-10 else first, 2.0 * last)
    return Interval(0.0, min(seen.values()))


def chance_over_curve(curve: Callable[[float], Interval], epsilon: Fraction) -> Interval:
    """The chance of evidence above epsilon for the side that is true, from any point of a curve delta(epsilon).

    Definition: the smallest delta(e)/(1 - e^(e - epsilon)) over e below epsilon.
    Guarantee: the upper end holds; it is the smallest that a search found. Nothing is claimed from below.
    """
    seen: dict[float, float] = {}

    def height(log_distance: float) -> float:
        if log_distance not in seen:
            place = float_below(epsilon - Fraction(math.exp(log_distance)))
            gap = float_below(epsilon - Fraction(place))
            seen[log_distance] = Ball.rounded(curve(place).upper / -math.expm1(-gap), _TIMES).upper
        return seen[log_distance]

    _lowest(height, -12.0, 4.0)
    return Interval(0.0, min(1.0, *seen.values()))


def from_bounded(curve: Callable[[Fraction], Interval], failure: ExactLike) -> Interval:
    """The smallest epsilon with delta (1 + e^-epsilon) at most a failure probability, along a curve epsilon(delta) of
    probabilistically bounded differential privacy.

    Along a whole curve this equals the best point of `over_curve`: both are one linear programme and its dual.
    Guarantee: the upper end holds.
    """
    chance = probability(failure, "the failure probability")
    if not 0 < chance < 1:
        raise InvalidValue(f"the failure probability must lie strictly between 0 and 1 here, got {written(chance)}")
    # With d = chance/(1 + e^-e), epsilon(d) falls as e rises, and every e that it does not exceed holds. A secant leads on:
    # epsilon(d) is over the lower place and short of the upper one, and an end that stays loses half its weight.
    lower = curve(chance).lower
    if lower == math.inf:
        return Interval.infinite()
    upper = curve(_share(chance, lower)).upper
    over, value = upper - lower, curve(_share(chance, upper))
    short = weight = upper - value.upper
    certain = min(value.lower, upper)
    while short > max(_ENOUGH * upper, value.width) and upper - lower > _ENOUGH * upper:
        share = over / (over + weight)
        place = lower + (upper - lower) * min(share + _ENOUGH, 0.5 + 0.5 * share)
        value = curve(_share(chance, place))
        if value.upper <= place:
            upper, over = place, 0.5 * over
            short = weight = place - value.upper
            certain = max(certain, min(value.lower, place))
        else:
            lower, over, weight = place, value.upper - place, 0.5 * weight
    return Interval(min(certain, upper), upper)


def _share(chance: Fraction, epsilon: float) -> Fraction:
    """chance/(1 + e^-epsilon), rounded down to a decimal that can be read."""
    share = chance / Fraction(Ball.rounded(1.0 + math.exp(-epsilon), 8.0).upper)
    return Fraction(Context(prec=13, rounding=ROUND_FLOOR).divide(Decimal(share.numerator), Decimal(share.denominator)))


@frozen
class Optimised:
    """What follows from the classic conversion of rho, and the delta at which it says most."""

    epsilon: Interval
    delta: Fraction


def zcdp_epsilon(rho: ExactLike, failure: ExactLike) -> Optimised:
    """By way of approximate differential privacy: rho + 2 sqrt(rho log(1/delta)) at the best delta, then widened.

    Kept to reproduce published figures; `concentrated_epsilon` needs no such way and says more.
    """
    budget, chance = _rho(rho), probability(failure, "the failure probability")
    if not chance:
        raise InvalidValue(
            "zero-concentrated differential privacy bounds nothing with certainty; allow a failure probability"
        )

    def at(delta: Fraction) -> Interval:
        nats = log_of(1 / delta)
        ends = ((float_below(budget), nats.lower), (float_above(budget), nats.upper))
        low, high = (part + 2.0 * math.sqrt(part * log) for part, log in ends)
        return _widened(
            Interval(Ball.rounded(low, _TIMES).lower, Ball.rounded(high, _TIMES).upper), delta, chance, both=True
        )

    def share(place: float) -> Fraction:
        """A delta between 0 and the failure probability, by its log odds there."""
        return chance * Fraction(1.0 / (1.0 + math.exp(-place)))

    best = share(_lowest(lambda place: at(share(place)).upper, -40.0, 5.0))
    return Optimised(at(best), best)


def concentrated_epsilon(rho: ExactLike, failure: ExactLike) -> Interval:
    """From the moments themselves: the epsilon above rho with (1 + e^-epsilon) e^(-(epsilon - rho)^2/(4 rho)) = failure."""
    budget, chance = _rho(rho), probability(failure, "the failure probability")

    def at(epsilon: float) -> Interval:
        gap = (Ball(epsilon) - Ball.of(budget)).at_least(0.0)
        power = gap * gap / (4.0 * Ball.of(budget))
        return _times(exponential(Interval(-power.upper, -max(0.0, power.lower))), 1.0 + math.exp(-epsilon))

    return _solved(at, chance, budget)


def concentrated_chance(rho: ExactLike, epsilon: ExactLike, *, averaged: bool = False) -> Interval:
    """The chance of evidence above epsilon for the side that is true, by moments alone, or on average over both sides.

    Definition: e^(-(epsilon - rho)^2/(4 rho)) for epsilon above rho, times e^-epsilon where the true side is drawn too.
    """
    budget, factor = fields.exact(rho), fields.exact(epsilon)
    if budget <= 0:
        raise InvalidValue(f"rho must be above 0, got {written(budget)}")
    if factor <= budget:
        return Interval.of(1)
    power = (factor - budget) ** 2 / (4 * budget) + (factor if averaged else Fraction(0))
    return exponential(Interval(-float_above(power), -float_below(power)))


def gaussian_epsilon(rho: ExactLike, failure: ExactLike) -> Interval:
    """For Gaussian noise itself: the loss is normal with mean rho and variance 2 rho.

    This is the law of the noisy output. It is not closed under post-processing, so it bounds nobody who sees less.
    """
    budget, chance = _rho(rho), probability(failure, "the failure probability")

    def at(epsilon: float) -> Interval:
        low, high = (
            _normal_tail((epsilon - mean) / math.sqrt(2.0 * mean)) + _normal_tail((epsilon + mean) / math.sqrt(2.0 * mean))
            for mean in (float_below(budget), float_above(budget))
        )
        # Roundings of the argument z of a tail are felt z^2 times as often.
        times = _TIMES * ((epsilon + float(budget)) ** 2 / float(budget) + 4.0)
        least, most = (Ball.evaluated(end, times) for end in (min(low, high), max(low, high)))
        return Interval(max(0.0, least.lower), most.upper)

    return _solved(at, chance, Fraction(0))


def _normal_tail(place: float) -> float:
    return 0.5 * math.erfc(place / math.sqrt(2.0))


def _times(value: Interval, factor: float) -> Interval:
    return Interval(
        max(0.0, Ball.rounded(value.lower * factor, _TIMES).lower), Ball.rounded(value.upper * factor, _TIMES).upper
    )


def _rho(value: ExactLike) -> Fraction:
    rho = fields.exact(value)
    if not Fraction(1, 10**100) <= rho <= 10**100:
        raise InvalidValue(f"rho must lie between 1e-100 and 1e100, got {written(rho)}")
    return rho


def _interval(value: ExactLike | Interval) -> Interval:
    number = value if isinstance(value, Interval) else Interval.of(value)
    if number.lower < 0.0:
        raise InvalidValue(f"epsilon must not be negative, got {number}")
    return number


def _solved(chance: Callable[[float], Interval], target: Fraction, least: Fraction) -> Interval:
    """Where a falling chance reaches a target, above `least`."""
    if not target:
        return Interval.infinite()
    goal = Interval.of(target)
    low = float_above(least)
    if chance(low).upper <= goal.lower:
        return Interval(0.0, low)
    high = 2.0 * low + 1.0
    while chance(high).upper > goal.lower:
        high *= 2.0
    return _crossing(chance, goal, low, high, rising=False)


def _crossing(function: Callable[[float], Interval], goal: Interval, low: float, high: float, *, rising: bool) -> Interval:
    """Where a monotone function meets a goal between two places: the ends are places where it surely has not or has."""

    def before(place: float) -> bool:
        value = function(place)
        return value.upper <= goal.lower if rising else value.lower >= goal.upper

    def behind(place: float) -> bool:
        value = function(place)
        return value.lower >= goal.upper if rising else value.upper <= goal.lower

    return Interval(_edge(before, low, high)[0], _edge(lambda place: not behind(place), low, high)[1])


def _edge(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Two neighbouring places: a condition holds at the first and fails at the second."""
    while low < (middle := 0.5 * (low + high)) < high and high - low > 2.0**-52 * high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def _lowest(height: Callable[[float], float], low: float, high: float) -> float:
    """About where a function with one valley is lowest; every value it took is as good as the next to prove a bound."""
    left, right = low + _GOLDEN * (high - low), high - _GOLDEN * (high - low)
    while high - low > 2.0**-14 * (1.0 + abs(low)):
        if height(left) <= height(right):
            high, right = right, left
            left = low + _GOLDEN * (high - low)
        else:
            low, left = left, right
            right = high - _GOLDEN * (high - low)
    return 0.5 * (low + high)
