"""Metric: how far apart two datasets are, with a name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant.fields import text
from accountant.finite import hamming


@frozen
class Metric:
    """A distance between datasets, None where it is infinite. Promises in different metrics do not add up."""

    name: str = field(converter=text)
    between: Callable[[Any, Any], int | Fraction | None] = field(repr=False)

    def __str__(self) -> str:
        return self.name


HAMMING = Metric("records that differ", hamming)
