"""Readings of a finite mechanism under a specification: the worst of all comparisons, in both directions."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant.errors import ReadingError
from accountant.finite.exponentials import exponential
from accountant.finite.mechanism import FiniteMechanism
from accountant.finite.pair import Pair
from accountant.finite.specification import FiniteSpecification
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.interval import Interval, float_above, float_below, larger
from accountant.numbers.logarithm import log_of


@frozen
class Vacuous:
    """The answer when no two datasets are compared: nothing is promised, which is not a parameter of zero."""

    comparisons: ClassVar[int] = 0

    def __str__(self) -> str:
        return "vacuous: no two datasets are compared, so nothing is promised"


@frozen
class Worst:
    """The worst value over all comparisons.

    `datasets` attain it in this order (P first). Where the value is a logarithm, `logarithm_of` is its exact
    argument, None when that is infinite or not rational. Other values are exact wherever their inputs are.
    """

    value: Interval
    datasets: tuple[Hashable, Hashable]
    comparisons: int
    logarithm_of: Fraction | None = None


def pure_epsilon(mechanism: FiniteMechanism, specification: FiniteSpecification) -> Worst | Vacuous:
    """The smallest epsilon of pure differential privacy between compared datasets, whatever their distance.

    Definition: the largest log P(w)/Q(w). `logarithm_of` is the largest likelihood ratio.
    """
    return _largest_logarithm(mechanism, specification, lambda pair: pair.likelihood_ratio(), Fraction(1))


def delta_at_ratio(mechanism: FiniteMechanism, specification: FiniteSpecification, ratio: ExactLike) -> Worst | Vacuous:
    """The smallest delta of approximate differential privacy at e^epsilon = ratio, exactly."""
    return _largest(mechanism, specification, lambda pair: pair.delta(ratio))


def delta(mechanism: FiniteMechanism, specification: FiniteSpecification, epsilon: ExactLike) -> Worst | Vacuous:
    """The smallest delta of approximate differential privacy at a rational epsilon.

    Guarantee: the interval contains it; it is as wide as the rational bounds on e^epsilon make it.
    """
    low, high = exponential(exact(epsilon))
    top = delta_at_ratio(mechanism, specification, low)
    bottom = delta_at_ratio(mechanism, specification, high)
    if isinstance(top, Vacuous) or isinstance(bottom, Vacuous):
        return Vacuous()
    value = top.value if top.value == bottom.value else Interval(bottom.value.lower, top.value.upper)
    return Worst(value, top.datasets, top.comparisons)


def tradeoff(mechanism: FiniteMechanism, specification: FiniteSpecification, level: ExactLike) -> Worst | Vacuous:
    """The smallest type II error at a level that any test between compared datasets reaches, exactly."""
    found = _largest(mechanism, specification, lambda pair: -pair.tradeoff(level))
    if isinstance(found, Vacuous):
        return found
    return Worst(Interval.of(-(found.value.exact or Fraction(0))), found.datasets, found.comparisons)


def renyi(mechanism: FiniteMechanism, specification: FiniteSpecification, order: ExactLike) -> Worst | Vacuous:
    """The largest Renyi divergence of an order above 1.

    Definition: log E_P[(P/Q)^(order - 1)] / (order - 1). For whole orders `logarithm_of` is the exact moment.
    """
    number = exact(order)
    if number <= 1:
        raise ReadingError(f"a Renyi order must be above 1, got {plain(number)}")
    if number.denominator == 1:
        whole = int(number)
        return _largest_logarithm(mechanism, specification, lambda pair: pair.moment(whole), number - 1)
    if specification.vacuous:
        return Vacuous()
    found = [(pair.renyi(number), datasets) for datasets, pair in _directed(mechanism, specification)]
    worst = max(found, key=lambda item: item[0].upper)
    return Worst(larger(value for value, _ in found), worst[1], specification.count)


def lipschitz_epsilon(mechanism: FiniteMechanism, specification: FiniteSpecification) -> Worst | Vacuous:
    """The smallest epsilon for which every log likelihood ratio is at most epsilon times the distance.

    Definition: the largest log P(w)/Q(w) divided by the distance. Datasets at distance 0 must have the same
    law, or it is infinite. `logarithm_of` is the likelihood ratio of the worst pair, before the division.
    """
    if specification.vacuous:
        return Vacuous()
    worst: tuple[Fraction, Fraction] | None = None
    witness: tuple[Hashable, Hashable] | None = None
    distances = [comparison.distance for comparison in specification.comparisons for _ in range(2)]
    for (datasets, pair), distance in zip(_directed(mechanism, specification), distances, strict=True):
        ratio = pair.likelihood_ratio()
        if ratio is None or (distance == 0 and ratio > 1):
            return Worst(Interval.infinite(), datasets, specification.count)
        candidate = (ratio, distance or Fraction(1))
        if worst is None or _steeper(candidate, worst):
            worst, witness = candidate, datasets
    assert worst is not None
    assert witness is not None
    return Worst(_logarithm(*worst), witness, specification.count, worst[0])


def _steeper(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> bool:
    """Whether log(ratio)/distance is larger on the left, decided in whole powers."""
    (ratio, distance), (other, length) = left, right
    common = math.lcm(distance.denominator, length.denominator)
    return ratio ** int(length * common) > other ** int(distance * common)


def _directed(
    mechanism: FiniteMechanism, specification: FiniteSpecification
) -> Iterator[tuple[tuple[Hashable, Hashable], Pair]]:
    for comparison in specification.comparisons:
        pair = mechanism.pair(comparison.left, comparison.right)
        yield (comparison.left, comparison.right), pair
        yield (comparison.right, comparison.left), pair.reverse()


def _largest(
    mechanism: FiniteMechanism, specification: FiniteSpecification, score: Callable[[Pair], Fraction]
) -> Worst | Vacuous:
    if specification.vacuous:
        return Vacuous()
    scores = ((score(pair), datasets) for datasets, pair in _directed(mechanism, specification))
    value, datasets = max(scores, key=lambda item: item[0])
    return Worst(Interval.of(value), datasets, specification.count)


def _largest_logarithm(
    mechanism: FiniteMechanism,
    specification: FiniteSpecification,
    score: Callable[[Pair], Fraction | None],
    divisor: Fraction,
) -> Worst | Vacuous:
    if specification.vacuous:
        return Vacuous()
    best: Fraction | None = None
    witness: tuple[Hashable, Hashable] | None = None
    for datasets, pair in _directed(mechanism, specification):
        value = score(pair)
        if value is None:
            return Worst(Interval.infinite(), datasets, specification.count)
        if best is None or value > best:
            best, witness = value, datasets
    assert best is not None
    assert witness is not None
    return Worst(_logarithm(best, divisor), witness, specification.count, best)


def _logarithm(value: Fraction, divisor: Fraction) -> Interval:
    """log(value) / divisor for a value of at least 1."""
    if value == 1:
        return Interval.of(0)
    ends = log_of(value)
    low, high = Fraction(ends.lower) / divisor, Fraction(ends.upper) / divisor
    return Interval(float_below(low), float_above(high)).clamp(0.0, math.inf)
