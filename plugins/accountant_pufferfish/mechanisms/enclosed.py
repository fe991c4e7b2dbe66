"""Laws whose probabilities are irrational, between rational bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from accountant import Interval
from accountant.finite import exponential
from accountant.numbers import log_of

Bounds = tuple[Fraction, Fraction]
"""A number that is not negative, between two rationals; both are 0 only where it is."""

_BITS = 192

NONE: Bounds = (Fraction(0), Fraction(0))


def mixed(parts: Iterable[tuple[Fraction, Mapping[Any, Bounds]]]) -> dict[Any, Bounds]:
    """Several laws, each with the weight that comes with it, added up."""
    total: dict[Any, Bounds] = {}
    for weight, law in parts:
        for outcome, (low, high) in law.items():
            below, above = total.get(outcome, NONE)
            total[outcome] = below + weight * low, above + weight * high
    return total


def normalised(weights: Mapping[Any, Bounds]) -> dict[Any, Bounds]:
    """Weights divided by their sum."""
    least, most = (sum((bounds[side] for bounds in weights.values()), Fraction(0)) for side in (0, 1))
    return {outcome: _outward(low / most, high / least) for outcome, (low, high) in weights.items()}


def _outward(low: Fraction, high: Fraction) -> Bounds:
    """The same bounds, a little wider unless they meet, over a power of two: sums of unlike fractions would never end."""
    if low == high:
        return low, high
    places = _BITS + max(0, high.denominator.bit_length() - high.numerator.bit_length())
    return Fraction(math.floor(low * 2**places), 2**places), Fraction(math.ceil(high * 2**places), 2**places)


def tilted(base: Mapping[Any, Fraction], powers: Mapping[Any, Fraction]) -> dict[Any, Bounds]:
    """Weights base(y) e^power(y) up to a common factor; what the base rules out is left out."""
    outcomes = [outcome for outcome, weight in base.items() if weight]
    factors = exponentials(powers[outcome] for outcome in outcomes)
    return {
        outcome: (base[outcome] * factors[powers[outcome]][0], base[outcome] * factors[powers[outcome]][1])
        for outcome in outcomes
    }


def exponentials(powers: Iterable[Fraction]) -> dict[Fraction, Bounds]:
    """e to several powers, up to a common factor that makes the smallest 1, so that all are bounded as closely."""
    several = set(powers)
    least = min(several)
    return {power: exponential(power - least) for power in several}


def largest_log_ratio(first: Mapping[Any, Bounds], second: Mapping[Any, Bounds]) -> Interval:
    """The largest |log P(y)/Q(y)| over all outcomes; infinite where only one of the two is possible."""
    low, high = 0.0, 0.0
    for outcome in {**first, **second}:
        left, right = first.get(outcome, NONE), second.get(outcome, NONE)
        if left == right and left[0] == left[1]:
            continue
        if not left[1] or not right[1]:
            return Interval.infinite()
        for above, below in ((left, right), (right, left)):
            low = max(low, log_of(above[0] / below[1]).lower if above[0] else -math.inf)
            high = max(high, log_of(above[1] / below[0]).upper if below[0] else math.inf)
    return Interval(low, high) if high else Interval.of(0)
