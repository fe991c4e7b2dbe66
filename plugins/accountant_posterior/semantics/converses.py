"""What bounded beliefs say about a mechanism: the way back from posteriors to parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval, InvalidValue, fields
from accountant.numbers import log_of
from accountant_posterior.semantics.odds import exponential, probability, written

if TYPE_CHECKING:
    from accountant.numbers import ExactLike


@frozen
class FromDifferences:
    """What follows where no belief changes by more than a difference, but with a failure probability."""

    epsilon: Interval
    """With the failure probability as delta, the epsilon of approximate differential privacy."""
    outside: Interval
    """The probability with which the log likelihood ratio leaves epsilon."""
    wider: Interval
    """What it leaves with the failure probability at most; infinite where nothing is known."""


def from_differences(most: ExactLike, failure: ExactLike = 0) -> FromDifferences:
    """The privacy of a mechanism after which no belief about membership is farther than `most` from its prior.

    Definition: with b = most and d = failure, epsilon = 2 log((1 + b)/(1 - b)), d (1 + e^-epsilon) and
    log((1 + 2 b)/(1 - 2 b)). That needs all priors: how far belief moves from some of them says less.
    """
    difference, chance = fields.exact(most), probability(failure, "the failure probability")
    if not 0 <= difference < 1:
        raise InvalidValue(f"the largest difference must be at least 0 and below 1, got {written(difference)}")
    epsilon = log_of(((1 + difference) / (1 - difference)) ** 2)
    back = exponential(Interval(-epsilon.upper, -epsilon.lower))
    ends = [min(Fraction(1), chance * (1 + Fraction(end))) for end in (back.lower, back.upper)]
    outside = Interval(Interval.of(ends[0]).lower, Interval.of(ends[1]).upper)
    if not chance:
        return FromDifferences(epsilon, Interval.of(0), epsilon)
    near = 2 * difference
    return FromDifferences(epsilon, outside, log_of((1 + near) / (1 - near)) if near < 1 else Interval.infinite())
