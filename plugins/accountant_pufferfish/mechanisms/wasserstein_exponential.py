"""The exponential mechanism relative to what is public."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Theorem
from accountant.fields import ExactLike, about, above, exact, several
from accountant.finite import FiniteSpecification
from accountant_pufferfish.mechanisms.calibration import finite_radius, worst_leak
from accountant_pufferfish.mechanisms.enclosed import Bounds, largest_log_ratio, mixed, normalised, tilted
from accountant_pufferfish.promises.bridge import ballwise_guarantee
from accountant_pufferfish.promises.exact import NothingLive
from accountant_pufferfish.promises.guarantee import PufferfishGuarantee
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.metric import Metric
from accountant_pufferfish.setting.setting import Setting
from accountant_pufferfish.theorems import WASSERSTEIN_EXPONENTIAL


def _base(weights: Mapping[Any, ExactLike]) -> Mapping[Hashable, Fraction]:
    found = {outcome: exact(weight) for outcome, weight in weights.items()}
    if not any(found.values()) or min(found.values()) < 0:
        raise InvalidValue("a base measure needs weights that are not negative, and at least one that is not 0")
    return {outcome: weight for outcome, weight in found.items() if weight}


@frozen
class WassersteinExponential:
    """An output with a chance that falls with its cost, relative to a setting.

    Definition: y is drawn with a chance in proportion to base(y) e^(-rate cost(x, y)). The spread is the most by which the
    cost of an output moves between datasets within the radius, and the rate is epsilon/(2 spread), or epsilon/spread where
    the normalising sum is the same for any two such datasets. A spread of 0 costs nothing: one of the outputs of least cost
    is drawn from the base measure.
    """

    theorem: ClassVar[Theorem] = WASSERSTEIN_EXPONENTIAL

    setting: Setting
    metric: Metric
    datasets: tuple[Hashable, ...] = field(
        converter=several, repr=False, metadata=about("all datasets that public information allows")
    )
    base: Mapping[Hashable, Fraction] = field(
        converter=_base,
        repr=False,
        hash=False,
        metadata=about("the weight of each output, which may depend on what is public"),
    )
    cost: Callable[[Any, Any], ExactLike] = field(
        repr=False, metadata=about("how bad an output, the second argument, is for a dataset, the first")
    )
    epsilon: Fraction = field(converter=exact, validator=above(0), metadata=about("what may be lost"))

    def __attrs_post_init__(self) -> None:
        for _, datasets in self.setting.universes():
            for dataset in datasets:
                if dataset not in self.datasets:
                    raise InvalidValue(f"a scenario allows the dataset {dataset!r}, which is not among the datasets")

    @cached_property
    def radius(self) -> Fraction:
        """How far apart the data can be kept under the two secrets of any pair."""
        return finite_radius(self.setting, self.metric)

    @cached_property
    def spread(self) -> Fraction:
        """The most by which the cost of an output moves between datasets within the radius."""
        costs = self._costs
        moves = (abs(costs[left][output] - costs[right][output]) for left, right in self._within for output in self.base)
        return max(moves, default=Fraction(0))

    @cached_property
    def balanced(self) -> bool:
        """Whether the normalising sum is the same for any two datasets within the radius, at every rate.

        Definition: the base measure gives every value of the cost the same weight from both. For rational costs and weights
        this is also necessary, by the theorem of Lindemann and Weierstrass.
        """
        profiles = {dataset: self._profile(costs) for dataset, costs in self._costs.items()}
        return all(profiles[left] == profiles[right] for left, right in self._within)

    @property
    def rate(self) -> Fraction | None:
        """By how much the log chance of an output falls with its cost; None for infinitely fast."""
        spread = self.spread
        return self.epsilon / (spread if self.balanced else 2 * spread) if spread else None

    def laws(self) -> Mapping[Hashable, Mapping[Any, Bounds]]:
        """For every dataset the chances of the outputs, between rational bounds."""
        rate = self.rate
        return {dataset: exponential_law(self.base, costs, rate) for dataset, costs in self._costs.items()}

    def guarantee(self) -> PufferfishGuarantee:
        """The promise, which adds up with others in the same metric and for the same radius."""
        epsilon = Interval.of(self.epsilon if self.spread else 0)
        return ballwise_guarantee(epsilon, self.setting, self.metric, self.radius, self.theorem)

    def leak(self) -> Interval | NothingLive:
        """The worst |log Bayes factor| over all live pairs: what is really lost, which is at most epsilon."""
        laws = self.laws()
        found = (mixture_leak(laws, pair.first, pair.second) for pair in self.setting.comparisons())
        return worst_leak(found, self.setting, self.epsilon)

    def _profile(self, costs: Mapping[Hashable, Fraction]) -> Mapping[Fraction, Fraction]:
        """How much weight the base measure gives to each value of the cost."""
        weights: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        for output, cost in costs.items():
            weights[cost] += self.base[output]
        return weights

    @cached_property
    def _costs(self) -> dict[Hashable, dict[Hashable, Fraction]]:
        return {data: {output: exact(self.cost(data, output)) for output in self.base} for data in self.datasets}

    @cached_property
    def _within(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """Any two datasets within the radius of each other."""
        radius, pairs = self.radius, FiniteSpecification.universes(self.datasets, self.metric.between).comparisons
        return tuple((pair.left, pair.right) for pair in pairs if pair.distance <= radius)


def exponential_law(
    base: Mapping[Any, Fraction], costs: Mapping[Any, Fraction], rate: Fraction | None
) -> Mapping[Any, Bounds]:
    """Chances in proportion to base(y) e^(-rate cost(y)); with no rate, to base(y) among the outputs of least cost."""
    if rate is None:
        least = min(costs[outcome] for outcome, weight in base.items() if weight)
        best = {outcome: weight for outcome, weight in base.items() if weight and costs[outcome] == least}
        return normalised({outcome: (weight, weight) for outcome, weight in best.items()})
    return normalised(tilted(base, {outcome: -rate * cost for outcome, cost in costs.items()}))


def mixture_leak(laws: Mapping[Any, Mapping[Any, Bounds]], first: Law, second: Law) -> Interval:
    """The largest |log P(y)/Q(y)| where P and Q average the output laws over two laws of the data."""
    return largest_log_ratio(*(mixed((mass, laws[data]) for data, mass in law.items()) for law in (first, second)))
