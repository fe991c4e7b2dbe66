"""Composition of approximate parameters by the theorems of the literature: basic, advanced and optimal.

Each gives an epsilon that all releases together satisfy at a total delta, also when what is released depends on earlier
outputs, as long as the parameters are fixed in advance. An account does not need them: it composes the losses themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from accountant import Interval, Theorem
from accountant.numbers import float_above, float_below, log_of
from accountant.numbers.rounding import Ball, lowered, nearest, raised

if TYPE_CHECKING:
    from accountant_approx.definition import ApproxParameter

BASIC = Theorem(
    "approx-basic-composition",
    "Epsilons add up and deltas add up.",
    "dwork2014algorithmic",
    "Theorem 3.16",
)
ADVANCED = Theorem(
    "approx-advanced-composition",
    "With sums over all releases, epsilon = sum e tanh(e/2) + sqrt(2 sum e^2 log(1/d)) holds at delta = d + sum of deltas, "
    "for every d above 0.",
    "kairouz2015composition",
    "Theorem 3.5",
)
OPTIMAL = Theorem(
    "approx-optimal-composition",
    "k releases with one parameter (e, d) have the loss of k leaky randomised responses: delta = 1 - (1 - d)^k (1 - t), "
    "where t is the gain of a binomial loss with steps of 2 e.",
    "kairouz2015composition",
    "Theorem 3.3",
)

Parts = Sequence[tuple["ApproxParameter", int]]


def basic(parts: Parts, delta: Fraction) -> Interval:
    """The sum of all epsilons; infinite where the deltas already exceed the total."""
    spent = sum((count * part.delta for part, count in parts), Fraction(0))
    if spent > delta:
        return Interval.infinite()
    return Interval.of(sum((count * part.epsilon for part, count in parts), Fraction(0)))


def advanced(parts: Parts, delta: Fraction) -> Interval:
    """The concentration of a sum of bounded losses; infinite where the deltas leave nothing. May be worse than `basic`."""
    rest = delta - sum((count * part.delta for part, count in parts), Fraction(0))
    if rest <= 0:
        return Interval.infinite()
    squares = sum((count * part.epsilon**2 for part, count in parts), Fraction(0))
    nats = log_of(1 / rest) if rest < 1 else Interval.of(0)
    from accountant.numbers.rounding import sqrt, tanh

    epsilons = [(Ball.of(part.epsilon), count) for part, count in parts]
    drift = sum((epsilon * tanh(epsilon * 0.5) * count for epsilon, count in epsilons), Ball(0.0))
    return (drift + sqrt(Ball.of(2 * squares)) * sqrt(Ball.of(nats))).interval(0.0)


def optimal(parameter: ApproxParameter, count: int, delta: Fraction) -> Interval:
    """The smallest epsilon at a total delta that `count` releases with one parameter satisfy, whatever they are.

    Guarantee: no mechanism-independent theorem gives less, since leaky randomised response attains it.
    """
    if 1 - (1 - parameter.delta) ** count > delta:
        return Interval.infinite()
    curve = _curve(parameter, count)
    if curve(0.0).upper <= float_below(delta):
        return Interval.of(0)
    most = float_above(count * parameter.epsilon)
    upper = _crossing(lambda epsilon: curve(epsilon).upper <= float_below(delta), most)[1]
    lower = _crossing(lambda epsilon: curve(epsilon).lower <= float_above(delta), most)[0]
    return Interval(min(lower, upper), upper)


def _crossing(holds: Callable[[float], bool], most: float) -> tuple[float, float]:
    """Neighbouring points, the first 0 or one where a condition fails and the second `most` or one where it holds."""
    low, high = 0.0, most
    while low < (middle := 0.5 * (low + high)) < high and high - low > 2.0**-50 * high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def optimal_delta(parameter: ApproxParameter, count: int, epsilon: Fraction) -> Interval:
    """The smallest delta at a total epsilon that `count` releases with one parameter satisfy, whatever they are."""
    return _curve(parameter, count)(nearest(epsilon))


def _curve(parameter: ApproxParameter, count: int) -> Callable[[float], Interval]:
    """Delta of `count` leaky responses as a function of epsilon.

    Of k responses i come out the unlikely way with probability C(k, i) e^(-i e)/(1 + e^-e)^k, which loses (k - 2 i) e.
    """
    each, kept = float(parameter.epsilon), (1 - parameter.delta) ** count
    ways = math.lgamma(count + 1)
    logs = [ways - math.lgamma(i + 1) - math.lgamma(count - i + 1) - i * each for i in range(count // 2 + 1)]
    chances = [math.exp(value - count * math.log1p(math.exp(-each))) for value in logs]
    losses = [(count - 2 * i) * each for i in range(count // 2 + 1)]
    reach = 1.0 + count * each
    from accountant.numbers.rounding import exp

    # In roundoffs: three gamma functions are off by 32 of 1 or of themselves, which is 64 of the first and 96 at most; five
    # sums and products by their largest term each, the logarithm and both exponentials by 12. Losses round four times,
    # and epsilon once, which is felt where it is no larger than they are.
    relative = exp(Ball.rounded(0.0, 128.0, ways + reach)).radius
    shift = Ball.rounded(0.0, 8.0, reach).radius
    survives, lost = (float_below(kept), float_above(kept)), (float_below(1 - kept), float_above(1 - kept))

    def total(epsilon: float, direction: float, side: int) -> float:
        gaps = (max(0.0, loss - epsilon + direction * shift) for loss in losses)
        gained = math.fsum(chance * -math.expm1(-gap) for chance, gap in zip(chances, gaps, strict=True))
        return lost[side] + survives[side] * gained * (1.0 + direction * relative)

    def curve(epsilon: float) -> Interval:
        low, high = total(epsilon, -1.0, 0), total(epsilon, 1.0, 1)
        # A function, its factors and sums.
        return Interval(lowered(max(low, 0.0), 16), raised(high, 16)).clamp(0.0, 1.0)

    return curve
