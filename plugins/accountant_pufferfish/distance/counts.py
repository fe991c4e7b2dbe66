"""Counts of dependent records: how far the sum of 0s and 1s moves when one of them is known."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import InvalidValue
from accountant.fields import ExactLike, exact
from accountant_pufferfish.distance.wasserstein import Weights, widest_gap


def counts_distance(records: int, given_none: ExactLike, given_one: ExactLike) -> Fraction:
    """The distance between the laws of a sum of 0s and 1s given that one of them is 0, and given that it is 1.

    Definition: every other record is 1 with chance `given_none` if that record is 0 and `given_one` if it is 1,
    independently: the sum is Binomial(records - 1, given_none) or 1 + Binomial(records - 1, given_one).
    Guarantee: exact, in whole numbers of about `records` times the digits of the chances.
    """
    low, high = chance(given_none), chance(given_one)
    if records < 1:
        raise InvalidValue(f"expected at least one record, got {records}")
    bottom = math.lcm(low.denominator, high.denominator)
    zero = binomial_weights(records - 1, int(low * bottom), bottom)
    one = binomial_weights(records - 1, int(high * bottom), bottom)
    return widest_gap(zero, [(count + 1, weight) for count, weight in one])


def counts_radius(
    records: int, given_none: tuple[ExactLike, ExactLike], given_one: tuple[ExactLike, ExactLike]
) -> Fraction:
    """The largest distance over all such laws with chances in two ranges, which may differ from record to record.

    Guarantee: exact, and attained where all chances are at opposite ends of their ranges.
    """
    (low, high), (least, most) = ([chance(end) for end in ends] for ends in (given_none, given_one))
    if low > high or least > most:
        raise InvalidValue("a range of probabilities must be given from its lower to its upper end")
    return max(counts_distance(records, low, most), counts_distance(records, high, least))


def chance(value: ExactLike) -> Fraction:
    """A probability, in exact numbers."""
    number = exact(value)
    if not 0 <= number <= 1:
        raise InvalidValue(f"expected a probability between 0 and 1, got {value}")
    return number


def binomial_weights(trials: int, successes: int, bottom: int) -> Weights:
    """Binomial(trials, successes/bottom) in units of bottom^-trials; what cannot happen is left out."""
    failures = bottom - successes
    if not successes or not failures:
        return [(trials if successes else 0, bottom**trials)]
    weight, found = failures**trials, []
    for count in range(trials + 1):
        found.append((count, weight))
        weight = weight * (trials - count) * successes // ((count + 1) * failures)
    return found
