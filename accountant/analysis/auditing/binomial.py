"""Binomial: what counted events say about their chance."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from accountant.numbers.rounding import TINY, Ball, exp, up

_CLOSE = 2.0**-50
_FAINT = 2.0**-53
_FEW = 32
_BLOCK = 1024


def chance_at_least(events: int, runs: int, failure: float) -> float:
    """A bound from below on the chance of an event that was seen `events` times in independent runs.

    Definition: the lower end of Clopper and Pearson, the largest chance p with P(Bin(runs, p) >= events) <= failure.
    Guarantee: whatever the chance is, the bound exceeds it with probability at most `failure`. It never exceeds the
    definition, since it is found by bisection of a tail that is rounded up.
    """
    low, high = 0.0, events / runs
    while high - low > _CLOSE * high + TINY:
        middle = 0.5 * (low + high)
        if tail(events, runs, middle) <= failure:
            low = middle
        else:
            high = middle
    return low


def chance_at_most(events: int, runs: int, failure: float) -> float:
    """A bound from above on the chance of an event: it falls below that chance with probability at most `failure`."""
    return min(1.0, up(1.0 - chance_at_least(runs - events, runs, failure)))


def tail(events: int, runs: int, chance: float) -> float:
    """An upper bound on P(Bin(runs, chance) >= events), close above the mean; below the mean it is 1.

    With r_j = (runs - events - j) odds/(events + 1 + j), which falls in j, the tail is P(Bin = events) times
    1 + r_0 + r_0 r_1 + ..., and what follows a term is at most that term times r/(1 - r).
    """
    if events == 0 or chance >= 1.0:
        return 1.0
    if chance <= 0.0:
        return 0.0
    odds, rest = chance / (1.0 - chance), runs - events
    if rest * odds >= Ball.rounded(events + 1.0, 8.0).lower:
        return 1.0
    total, term, terms = 1.0, 1.0, 0
    while terms < rest and term > _FAINT:
        index = np.arange(terms, min(terms + _BLOCK, rest), dtype=np.float64)
        ratios = (rest - index) * odds / (events + 1 + index)
        products = term * np.cumprod(ratios)
        total, term, terms = total + float(np.sum(products)), float(products[-1]), terms + index.size
    if terms < rest:
        total += term * ratios[-1] / (1.0 - ratios[-1])
    # A ratio rounds less than 7 times, a product of them as often for each factor, and sums once for each term.
    return min(1.0, Ball.evaluated(_mass(events, runs, chance) * total, 8.0 * (terms + 8)).upper)


def _mass(events: int, runs: int, chance: float) -> float:
    """An upper bound on P(Bin(runs, chance) = events), events > 0.

    Few events, or nearly all, are counted exactly. Otherwise by Stirling's series, whose partial sums lie on alternate
    sides of log n!, and by logarithms of numbers near 1 that are formed exactly, so that nothing cancels.
    """
    rest, exact = runs - events, Fraction(chance)
    if min(events, rest) <= _FEW:
        ways = math.log(math.comb(runs, events))
        hit, miss = events * math.log(chance), rest * math.log1p(-chance)
    else:
        ways = 0.5 * math.log(runs / (2.0 * math.pi * events * rest)) + 1.0 / (12 * runs)
        ways -= sum(1.0 / (12 * count) - 1.0 / (360.0 * count**3) for count in (events, rest))
        hit, miss = (
            -count * math.log1p(float(Fraction(count) / (runs * share) - 1))
            for count, share in ((events, exact), (rest, 1 - exact))
        )
    # Logarithms are granted 4 of themselves, their arguments round less than 8 times, and so does all that follows.
    return exp(Ball.rounded(ways + hit + miss, 16.0, 1.0 + abs(ways) + abs(hit) + abs(miss))).upper
