"""Laws of counts by the ratios of neighbouring chances: no factorials, no cancellation, certified tails."""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.loss import Floats
from accountant.numbers.rounding import Ball

WHOLE = 1024
"""Counts up to here are summed over in full; of larger ones, values that hold about e^-LOG_TAIL are only bounded."""
LOG_TAIL = 128.0
_DIGITS = Context(prec=160, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Enough for 1 - e^-epsilon to be exact to doubles from an epsilon of 1e-100 on."""


@frozen(eq=False)
class Tally:
    """The chances of values of a count, and a bound on all other values together.

    Guarantee: chances are off by at most `doubt` of themselves, beside what doubles lose below 2^-1000.
    """

    values: Floats
    chances: Floats
    others: float

    @property
    def doubt(self) -> float:
        """Ratios are off by at most 24 roundoffs, and products of them by as much, and one more, for each factor."""
        return Ball.rounded(1.0, 32.0 * (self.values.size + 8.0)).widened(2.0 * self.others).radius

    @classmethod
    def of(cls, values: Floats, ratios: Floats, start: int, falls: tuple[float, float]) -> Tally:
        """The tally of a log-concave law from the ratio of each chance to that before it.

        `falls` are the ratios by which chances fall just beyond either end, 0 where there is nothing.
        """
        up, down = np.cumprod(ratios[start:]), np.cumprod(1.0 / ratios[:start][::-1])[::-1]
        weights = np.concatenate([down, [1.0], up])
        chances = weights / float(np.sum(weights))
        ends = zip((float(chances[0]), float(chances[-1])), falls, strict=True)
        beyond = sum(end * fall / (1.0 - fall) if fall < 1.0 else 1.0 for end, fall in ends)
        return cls(values, chances, 1.01 * beyond)


def exponentials(epsilon: Fraction) -> tuple[float, float]:
    """e^-epsilon and 1 - e^-epsilon, correctly rounded; a double for epsilon would move the first by epsilon roundoffs."""
    with localcontext(_DIGITS):
        fall = (-Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
        return float(fall), float(1 - fall)


def binomial(trials: int, odds: float, hit: float = 1.0, miss: float = 1.0) -> Tally:
    """How often something of such odds happens in so many trials.

    Every outcome is weighed by its size: the sum of `hit` for each trial in which it happens and `miss` for each other one.
    """
    mean = trials * (odds / (1.0 + odds))
    reach = LOG_TAIL / 3.0 + math.sqrt(LOG_TAIL**2 / 9.0 + 2.0 * LOG_TAIL * mean / (1.0 + odds)) + 2.0
    least = 0 if miss > 0.0 else 1
    low = least if trials <= WHOLE else max(least, math.floor(mean - reach))
    high = trials if trials <= WHOLE else min(trials, math.ceil(mean + reach))
    values = np.arange(low, high + 1, dtype=np.float64)

    def ratio(value: Floats) -> Floats:
        """How much likelier one more than the value is."""
        sizes = [hit * count + miss * (trials - count) for count in (value, value + 1.0)]
        grown: Floats = odds * (trials - value) / (value + 1.0) * sizes[1] / sizes[0]
        return grown

    falls = (
        1.0 / float(ratio(values[0] - 1.0)) if low > least else 0.0,
        float(ratio(values[-1])) if high < trials else 0.0,
    )
    return Tally.of(values, ratio(values[:-1]), min(max(round(mean), low), high) - low, falls)


def sum_of_signs(count: int) -> Tally:
    """The size of a sum of fair signs; Hoeffding's inequality bounds what is left out."""
    most = largest_sum(count)
    values = np.arange(count % 2, most + 1, 2, dtype=np.float64)
    ratios = (count - values[:-1]) / (count + values[:-1] + 2.0)
    if count % 2 == 0:
        ratios[:1] *= 2.0  # every size but 0 is that of two sums
    tally = Tally.of(values, ratios, 0, (0.0, 0.0))
    return Tally(tally.values, tally.chances, 2.01 * math.exp(-LOG_TAIL) if most < count else 0.0)


def largest_sum(count: int) -> int:
    """Beyond this no sum of so many signs is looked at."""
    return count if count <= WHOLE else min(count, math.ceil(math.sqrt(2.0 * LOG_TAIL * count)))
