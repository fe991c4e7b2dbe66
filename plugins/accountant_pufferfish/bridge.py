"""From what holds between datasets to what holds between secrets, by the distance of order infinity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from accountant import Interval, InvalidValue, Mechanism, Neighbours, Public, Query, Step, float_above, larger
from accountant.finite import FiniteMechanism, FiniteSpecification, lipschitz_epsilon
from accountant.finite import Vacuous as NothingCompared
from accountant_pufferfish.evidence import (
    Ballwise,
    Evidence,
    LowerOnly,
    MixtureOnly,
    Pointwise,
    RichScenarios,
    SecretIndependent,
)
from accountant_pufferfish.exact import Vacuous, leak
from accountant_pufferfish.guarantee import PufferfishGuarantee
from accountant_pufferfish.independence import Independence
from accountant_pufferfish.metric import HAMMING, Metric
from accountant_pufferfish.richness import is_rich
from accountant_pufferfish.setting import Setting
from accountant_pufferfish.theorems import BAYES_FACTOR, BRIDGE

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss


def exact_guarantee(mechanism: FiniteMechanism, setting: Setting) -> PufferfishGuarantee:
    """What a mechanism promises in a setting, by enumeration: tight, and as a rule impossible to add up.

    It adds up only where the scenarios are rich. Where only some scenarios are known it is a lower bound.
    """
    evidence: Evidence = MixtureOnly()
    if not setting.scenarios.complete:
        evidence = LowerOnly()
    elif is_rich(setting):
        evidence = RichScenarios(setting)
    return _enumerated(mechanism, setting, evidence)


def independent_guarantees(mechanisms: Sequence[FiniteMechanism], setting: Setting) -> tuple[PufferfishGuarantee, ...]:
    """What each of several mechanisms promises by enumeration, with the evidence that these promises add up.

    Refused where the outputs are not independent of each other given every secret.
    """
    jointly = Independence(mechanisms, setting)
    return tuple(
        _enumerated(mechanism, setting, SecretIndependent(jointly, frozenset({place})))
        for place, mechanism in enumerate(jointly.mechanisms)
    )


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
        if not isinstance(found, NothingCompared):
            rates.append(found.value)
    return pointwise_rate(larger(rates), setting, metric)


def pointwise_rate(rate: Interval, setting: Setting, metric: Metric = HAMMING) -> PufferfishGuarantee:
    """What a mechanism promises in a setting if log likelihood ratios are at most `rate` times the distance of datasets.

    Pure differential privacy of epsilon under replace-one is such a rate in the number of records that differ. The rates of
    several releases add up before this, as their promises do after it.
    """
    radius = setting.radius(metric)
    step = Step(f"log likelihood ratios are at most {rate} for each step in {metric}", BRIDGE, (), rate)
    if radius is None:
        return _bounded(Interval(0.0, math.inf), setting, MixtureOnly(), step)
    return _bounded(_scaled(rate, radius), setting, Pointwise(metric, radius), step)


def ballwise_guarantee(epsilon: Interval, setting: Setting, metric: Metric, radius: Fraction) -> PufferfishGuarantee:
    """What a mechanism promises in a setting if log likelihood ratios are at most epsilon for datasets within a radius.

    Wasserstein mechanisms are built for this. Refused where the data can be farther apart than the radius.
    """
    needed = setting.radius(metric)
    if needed is None or needed > radius:
        raise InvalidValue(
            f"the data can be {'infinitely far' if needed is None else needed} apart in {metric} and the mechanism is "
            f"built for {radius}; build it for that distance"
        )
    step = Step(f"log likelihood ratios are at most {epsilon} within {radius} in {metric}", BRIDGE, (), epsilon)
    return _bounded(Interval(0.0, epsilon.upper), setting, Ballwise(metric, radius), step)


def relative_loss(mechanism: Mechanism, query: Query, neighbours: Neighbours, public: Public) -> PrivacyLoss:
    """A loss that dominates the output under the two secrets of any live pair, for any definition to read.

    Definition: the loss between datasets that differ in as many units as the data must, at most, under two secrets.
    """
    from accountant.loss import TOTAL_LOSS

    apart = public.apart(neighbours)
    if apart.vacuous:
        raise InvalidValue(f"'{public.name}' decides every secret, so nothing is promised and there is no loss to read")
    if apart.units is None:
        return TOTAL_LOSS
    return mechanism.loss(query.shift(evolve(neighbours, group=apart.units)))


def _enumerated(mechanism: FiniteMechanism, setting: Setting, evidence: Evidence) -> PufferfishGuarantee:
    found = leak(mechanism, setting)
    complete = setting.scenarios.complete
    if isinstance(found, Vacuous):
        nothing = Interval(0.0, math.inf)
        return PufferfishGuarantee(
            setting, None if complete else nothing, "exact" if complete else "lower", evidence, 0 if complete else None
        )
    step = Step(f"the worst Bayes factor over {found.live:,} live pairs is {found.factor}", BAYES_FACTOR, (), found.epsilon)
    return PufferfishGuarantee(setting, found.epsilon, found.bound, evidence, found.live if complete else None, (step,))


def _bounded(epsilon: Interval, setting: Setting, evidence: Evidence, premise: Step) -> PufferfishGuarantee:
    live = sum(1 for _ in setting.comparisons()) if setting.scenarios.complete else None
    if live == 0:
        return PufferfishGuarantee(setting, None, "upper", evidence, 0)
    step = Step(f"so between any two secrets of a live pair: {evidence}", BRIDGE, (1,), epsilon)
    return PufferfishGuarantee(setting, epsilon, "upper", evidence, live, (premise, step))


def _scaled(rate: Interval, radius: Fraction) -> Interval:
    """An upper bound on rate times radius; nothing is known from below."""
    if math.isinf(rate.upper):
        return Interval(0.0, math.inf)
    return Interval(0.0, float_above((Fraction(rate.upper) if rate.exact is None else rate.exact) * radius))
