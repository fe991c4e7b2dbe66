"""From what holds between datasets to what holds between secrets, by the distance of order infinity."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant import Interval, InvalidValue, Step, Theorem
from accountant.fields import ExactLike, exact
from accountant.finite import FiniteMechanism, FiniteSpecification, Vacuous, lipschitz_epsilon
from accountant.numbers import float_above, larger
from accountant_pufferfish.promises.evidence import Ballwise, Evidence, MixtureOnly, Pointwise
from accountant_pufferfish.promises.guarantee import PufferfishGuarantee
from accountant_pufferfish.setting.metric import HAMMING, Metric
from accountant_pufferfish.setting.setting import Setting
from accountant_pufferfish.theorems import BRIDGE


def pointwise_guarantee(mechanism: FiniteMechanism, setting: Setting, metric: Metric = HAMMING) -> PufferfishGuarantee:
    """What a mechanism promises by its worst likelihood ratio for each step between datasets that remain possible.

    Definition: the largest log likelihood ratio of two datasets that are possible given the same published value, divided
    by their distance, times the distance of order infinity.
    """
    if not setting.scenarios.complete:
        raise InvalidValue(
            f"of '{setting.scenarios}' only some laws are known, so the datasets that are possible are not; give the rate "
            "of the mechanism to pointwise_rate instead"
        )
    rates = [Interval.of(0)]
    for _, datasets in setting.universes():
        found = lipschitz_epsilon(mechanism, FiniteSpecification.universes(datasets, metric.between))
        if not isinstance(found, Vacuous):
            rates.append(found.value)
    return pointwise_rate(larger(rates), setting, metric)


def pointwise_rate(
    rate: Interval, setting: Setting, metric: Metric = HAMMING, theorem: Theorem = BRIDGE
) -> PufferfishGuarantee:
    """What a mechanism promises in a setting if log likelihood ratios are at most `rate` times the distance of datasets.

    Pure differential privacy of epsilon under replace-one is such a rate in the number of records that differ. The rates of
    several releases add up before this, as their promises do after it.
    """
    radius = setting.radius(metric)
    step = Step(f"log likelihood ratios are at most {rate} for each step in {metric}", theorem, (), rate)
    if radius is None:
        return _bounded(math.inf, setting, MixtureOnly(), step)
    return _bounded(_scaled(rate, radius), setting, Pointwise(metric, radius), step)


def ballwise_guarantee(
    epsilon: Interval, setting: Setting, metric: Metric, radius: ExactLike, theorem: Theorem = BRIDGE
) -> PufferfishGuarantee:
    """What a mechanism promises in a setting if log likelihood ratios are at most epsilon for datasets within a radius.

    Wasserstein mechanisms are built for this, each with its theorem. Refused where the data can be farther apart than the
    radius.
    """
    needed = setting.radius(metric)
    if needed is None or needed > exact(radius):
        distance = "infinitely far" if needed is None else str(needed)
        raise InvalidValue(
            f"the data can be {distance} apart in {metric} and the mechanism is built for {radius}; build it for more"
        )
    step = Step(f"log likelihood ratios are at most {epsilon} within {radius} in {metric}", theorem, (), epsilon)
    return _bounded(epsilon.upper, setting, Ballwise(metric, exact(radius)), step)


def _bounded(epsilon: float, setting: Setting, evidence: Evidence, premise: Step) -> PufferfishGuarantee:
    """A promise known from above; how much is really revealed is not known."""
    live = sum(1 for _ in setting.comparisons()) if setting.scenarios.complete else None
    if live == 0:
        return PufferfishGuarantee(setting, None, "upper", evidence, 0)
    value = Interval(0.0, epsilon)
    step = Step(f"so between any two secrets of a live pair: {evidence}", BRIDGE, (1,), value)
    return PufferfishGuarantee(setting, value, "upper", evidence, live, (premise, step))


def _scaled(rate: Interval, radius: Fraction) -> float:
    if math.isinf(rate.upper):
        return math.inf
    return float_above((Fraction(rate.upper) if rate.exact is None else rate.exact) * radius)
