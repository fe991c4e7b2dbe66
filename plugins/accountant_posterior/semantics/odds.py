"""Beliefs about a secret with two sides, and how a log likelihood ratio moves them.

Every function rounds outward: the interval it returns contains the value for every argument in the intervals it was given.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant import Interval, InvalidValue, fields
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball

if TYPE_CHECKING:
    from accountant.numbers import ExactLike

_TIMES = 16.0
"""One or two exponentials, granted 4 each, and the sums, products and quotients that they are in round no more often."""
_LARGEST = 709.0
_SMALLEST = Fraction(1, 10**300)


def probability(value: ExactLike, name: str) -> Fraction:
    """An exact probability that doubles can hold, or an error that names it."""
    number = fields.exact(value)
    if not 0 <= number <= 1:
        raise InvalidValue(f"{name} must lie between 0 and 1, got {written(number)}")
    if 0 < number < _SMALLEST or 0 < 1 - number < _SMALLEST:
        raise InvalidValue(f"{name} is closer than 1e-300 to 0 or 1 without being it; say 0 or 1")
    return number


def written(value: Fraction) -> str:
    """An exact number as it is best read."""
    return str(Interval.of(value))


def exponential(power: Interval) -> Interval:
    """e^power."""
    if power.exact == 0:
        return Interval.of(1)
    return Interval(max(0.0, _known(_exponential(power.lower)).lower), _known(_exponential(power.upper, math.inf)).upper)


def _known(value: float) -> Ball:
    return Ball.evaluated(value, _TIMES)


def _exponential(power: float, beyond: float = math.exp(_LARGEST)) -> float:
    return math.exp(power) if power <= _LARGEST else beyond


def log_odds(belief: Fraction) -> Interval:
    """log(p/(1 - p)), infinite at 0 and 1."""
    if belief in (0, 1):
        end = math.inf if belief else -math.inf
        return Interval(end, end)
    return log_of(belief / (1 - belief))


def updated(prior: Fraction, gain: Interval) -> Interval:
    """The posterior probability of a secret after evidence with log likelihood ratio `gain` for it.

    Definition: p/(p + (1 - p) e^-gain); a prior of 0 or 1 does not move.
    """
    if prior in (0, 1) or gain.exact == 0:
        return Interval.of(prior)
    low, high = _known(_updated(prior, gain.lower)).lower, _known(_updated(prior, gain.upper)).upper
    # Evidence for the secret does not lower the belief in it, nor does evidence against it raise the belief.
    floor = float_below(prior) if gain.lower >= 0.0 else 0.0
    ceiling = float_above(prior) if gain.upper <= 0.0 else 1.0
    return Interval(max(low, floor), min(high, ceiling))


def _updated(prior: Fraction, gain: float) -> float:
    for_it, against = float(prior), float(1 - prior)
    if gain > 0.0:
        return for_it / (for_it + against * math.exp(-gain))
    scaled = for_it * math.exp(gain)
    return scaled / (scaled + against)


def ratio(prior: Fraction, gain: Interval) -> Interval:
    """Posterior over prior at one prior: 1/(p + (1 - p) e^-gain); at a prior of 0 the limit e^gain."""
    if prior == 1 or gain.exact == 0:
        return Interval.of(1)
    if prior == 0:
        return exponential(gain)
    for_it, against = float(prior), float(1 - prior)
    low, high = (_ratio(for_it, against, end) for end in (gain.lower, gain.upper))
    floor = 1.0 if gain.lower >= 0.0 else 0.0
    ceiling = 1.0 if gain.upper <= 0.0 else math.inf
    return Interval(max(_known(low).lower, floor), min(_known(high).upper, ceiling))


def _ratio(for_it: float, against: float, gain: float) -> float:
    if gain > 0.0:
        return 1.0 / (for_it + against * math.exp(-gain))
    raised = math.exp(gain)
    return raised / (for_it * raised + against)


def mixed_ratio(secret: Fraction, membership: Fraction, leaving: float, changing: float) -> tuple[float, float]:
    """The least and the most that posterior over prior can be for a value and membership together, rounded outward.

    Definition: 1/(s + (p - s) e^-b + (1 - p) e^-u) for the most and with b, u negated for the least; s the prior of the
    secret, p that of membership, u and b the losses between datasets with and without the record, and between two values.
    """
    own, other, absent = float(secret), float(membership - secret), float(1 - membership)
    most = 1.0 / max(own + other * math.exp(-changing) + absent * math.exp(-leaving), 1e-300)
    top = max(changing, leaving)
    if math.isinf(top):
        return 0.0, math.inf if most >= 1e300 else _known(most).upper
    shrunk = math.exp(-top)
    least = shrunk / (own * shrunk + other * math.exp(changing - top) + absent * math.exp(leaving - top))
    return max(0.0, _known(least).lower), math.inf if most >= 1e300 else max(1.0, _known(most).upper)


def largest_difference(gain: Interval) -> Interval:
    """The largest posterior minus prior over all priors, for a gain of at least 0: tanh(gain/4)."""
    if gain.exact == 0:
        return Interval.of(0)
    low, high = (1.0 if math.isinf(end) else math.tanh(0.25 * end) for end in (gain.lower, gain.upper))
    return Interval(max(0.0, _known(low).lower), min(1.0, _known(high).upper))


def worst_prior(gain: Interval) -> Interval:
    """The prior at which the difference is largest: 1/(1 + e^(gain/2)), where the posterior is 1 minus the prior."""
    return updated(Fraction(1, 2), Interval(-0.5 * gain.upper, -0.5 * gain.lower))
