"""PublicVariable: what is published beside the releases, as a function of the data."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import text
from accountant_pufferfish.setting.law import Law


@frozen
class PublicVariable:
    """A statistic that everybody knows: a value for each dataset, or a law of values where it is published with noise.

    Two are the same when name and function are. Promises relative to different public variables do not add up.
    """

    name: str = field(converter=text)
    of: Callable[[Any], Hashable] = field(repr=False)

    def likelihood(self, value: Hashable, dataset: Any) -> Fraction:
        """The probability that this value is published when the data are these."""
        return self._law(dataset)[value]

    def law(self, scenario: Law) -> Law:
        """The law of the published value under a scenario."""
        return scenario.through(self._law)

    def possible(self, value: Hashable, scenario: Law) -> bool:
        """Whether a scenario allows this value."""
        return any(self.likelihood(value, dataset) for dataset in scenario)

    def given(self, value: Hashable, scenario: Law) -> Law:
        """The law of the data under a scenario, given the published value."""
        weights = {dataset: mass * self.likelihood(value, dataset) for dataset, mass in scenario.items()}
        if not any(weights.values()):
            raise InvalidValue(f"{self.name} = {value!r} is impossible under this scenario")
        return Law.weighted(weights)

    def with_other(self, other: PublicVariable) -> PublicVariable:
        """Both together, their noise independent given the data: what to account relative to when both are published."""
        return PublicVariable(f"({self.name}, {other.name})", Both(self, other))

    def _law(self, dataset: Any) -> Law:
        value = self.of(dataset)
        return value if isinstance(value, Law) else Law.point(value)

    def __str__(self) -> str:
        return self.name


@frozen
class Both:
    """The values of two public variables."""

    first: PublicVariable
    second: PublicVariable

    def __call__(self, dataset: Any) -> Law:
        return Law.records([self.first.law(Law.point(dataset)), self.second.law(Law.point(dataset))])


def _nothing(dataset: Any) -> Hashable:
    return ()


NOTHING = PublicVariable("nothing", _nothing)
"""No public variable: the promise is Pufferfish."""
