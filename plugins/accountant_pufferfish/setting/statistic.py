"""Statistic: a number computed from the data, and how far it moves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant.fields import ExactLike, exact, text
from accountant_pufferfish.setting.metric import Metric


@frozen
class Statistic:
    """A number computed from the data, with a name. Two are the same when name and function are."""

    name: str = field(converter=text)
    of: Callable[[Any], ExactLike] = field(repr=False)

    def __call__(self, dataset: Any) -> Fraction:
        return exact(self.of(dataset))

    @property
    def metric(self) -> Metric:
        """How far the statistic moves, as a distance between datasets."""
        return Metric(f"how far {self.name} moves", Movement(self))

    def __str__(self) -> str:
        return self.name


@frozen
class Movement:
    """The distance between the values of a statistic."""

    statistic: Statistic

    def __call__(self, left: Any, right: Any) -> Fraction:
        return abs(self.statistic(left) - self.statistic(right))
