"""Conditioned: a finite mechanism run until its output satisfies what the data are known to satisfy."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from fractions import Fraction

from attrs import field, frozen

from accountant import Interval, InvalidValue
from accountant.fields import ExactLike, exact, plain
from accountant.finite import FiniteMechanism, FiniteSpecification, Vacuous, lipschitz_epsilon
from accountant.numbers import float_above, float_below
from accountant_pufferfish.mechanisms.conditional import CONDITIONAL
from accountant_pufferfish.promises.bridge import pointwise_rate
from accountant_pufferfish.promises.guarantee import PufferfishGuarantee
from accountant_pufferfish.setting.metric import HAMMING, Metric
from accountant_pufferfish.setting.setting import Setting


def condition(mechanism: FiniteMechanism, allowed: Collection[Hashable]) -> FiniteMechanism:
    """The law of the output given that it is allowed: what drawing again until it is gives in the end.

    Definition: P(y | x, y allowed) = P(y | x)/P(allowed | x).
    """
    kept = {
        dataset: {output: mass for output, mass in law.items() if output in allowed}
        for dataset, law in mechanism.laws.items()
    }
    totals = {dataset: sum(law.values(), Fraction(0)) for dataset, law in kept.items()}
    for dataset, total in totals.items():
        if not total:
            raise InvalidValue(f"no allowed output ever happens for dataset {dataset!r}: drawing again would never end")
    return FiniteMechanism(
        {dataset: {output: mass / totals[dataset] for output, mass in law.items()} for dataset, law in kept.items()}
    )


@frozen
class Conditioned:
    """Noisy data drawn again until they satisfy what is public of the true data.

    Definition: a mechanism whose outputs are datasets, and the set of datasets that agree with the public event. Both the
    data and the output lie in that set.
    Guarantee: at distance k within the set the loss is at most `factor` times k epsilon, where epsilon is that of the
    mechanism at distance 1, over all its datasets. The factor is 2, or 1 where the chance of an allowed output is the same
    for all datasets in the set.
    """

    mechanism: FiniteMechanism
    allowed: frozenset[Hashable] = field(converter=frozenset)
    metric: Metric = HAMMING

    def __attrs_post_init__(self) -> None:
        missing = sorted(map(repr, self.allowed - set(self.mechanism.datasets)))
        if missing:
            raise InvalidValue(f"the mechanism has no law for {', '.join(missing)}")
        if len(self.allowed) < 2:
            raise InvalidValue("nothing is compared: give at least two datasets that agree with what is public")

    @property
    def law(self) -> FiniteMechanism:
        """The laws of the output for the datasets in the set."""
        return condition(FiniteMechanism({x: self.mechanism.law(x) for x in self.allowed}), self.allowed)

    @property
    def epsilon(self) -> Interval:
        """The largest loss of the mechanism itself per unit of distance, over all its datasets."""
        found = lipschitz_epsilon(
            self.mechanism, FiniteSpecification.universes(self.mechanism.datasets, self.metric.between)
        )
        if isinstance(found, Vacuous):
            raise InvalidValue("no two datasets of the mechanism are at a finite distance, so nothing is promised")
        return found.value

    @property
    def factor(self) -> int:
        """1 where the chance of an allowed output does not depend on the data, else 2."""
        chances = {
            sum((self.mechanism.law(x).get(y, Fraction(0)) for y in self.allowed), Fraction(0)) for x in self.allowed
        }
        return 1 if len(chances) == 1 else 2

    @property
    def distances(self) -> tuple[Fraction, ...]:
        """The distances between two datasets in the set, the smallest first; infinite ones are not listed."""
        pairs = FiniteSpecification.universes(self.allowed, self.metric.between).comparisons
        return tuple(sorted({pair.distance for pair in pairs}))

    def budget(self, farthest: ExactLike) -> Interval:
        """The epsilon that holds between all datasets of the set that are at most so far apart.

        An error where no two are: then nothing is compared, and a budget for such pairs promises nothing.
        """
        reach = exact(farthest)
        compared = [distance for distance in self.distances if distance <= reach]
        if not compared:
            closest = f"; the closest are {plain(self.distances[0])} apart" if self.distances else ""
            raise InvalidValue(f"no two datasets in the set are within {plain(reach)} of each other{closest}")
        epsilon, times = self.epsilon, self.factor * compared[-1]
        if math.isinf(epsilon.upper):
            return Interval.infinite()
        if epsilon.exact is not None:
            return Interval.of(epsilon.exact * times)
        return Interval(float_below(Fraction(epsilon.lower) * times), float_above(Fraction(epsilon.upper) * times))

    def guarantee(self, setting: Setting) -> PufferfishGuarantee:
        """The promise in a setting whose data all lie in the set: the factor times epsilon for each step."""
        for _, datasets in setting.universes():
            for dataset in datasets:
                if dataset not in self.allowed:
                    raise InvalidValue(f"a scenario allows the dataset {dataset!r}, which is not in the set")
        return pointwise_rate(self.epsilon.times(self.factor), setting, self.metric, CONDITIONAL)
