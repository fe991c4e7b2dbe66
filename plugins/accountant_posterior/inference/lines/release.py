"""Sums of products of bounded columns, released with noise, and what a public source says of the same sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from attrs import field, frozen

from accountant import InvalidValue, fields
from accountant.loss import Floats
from accountant_posterior.inference.lines.sums import Layout
from accountant_posterior.inference.lines.whole import Lattice
from accountant_posterior.inference.noise import StatisticNoise
from accountant_posterior.inference.public import PublicFigure

MOST_REGRESSORS = 8
_FINEST = 1e-9


def _numbers(values: Sequence[float]) -> tuple[float, ...]:
    found = tuple(float(value) for value in values)
    if not all(map(math.isfinite, found)):
        raise InvalidValue("expected finite numbers")
    return found


@frozen(slots=False)
class NoisySums:
    """Noisy sums of products of the columns 1, x_1, ..., x_q, y, the number of records being public.

    `lower` and `upper` bound x_1, ..., x_q, y. `seen` are the released sums in the order of the query, without the first,
    which would be the number of records; `public` are public figures by the place of their sum among these. With `whole`
    the data and the noise are whole numbers.
    """

    count: int = field(converter=fields.whole, validator=fields.at_least(2))
    lower: tuple[Fraction, ...] = field(converter=fields.exact_list)
    upper: tuple[Fraction, ...] = field(converter=fields.exact_list)
    noise: StatisticNoise
    seen: tuple[float, ...] = field(converter=_numbers)
    whole: bool = False
    public: tuple[tuple[int, PublicFigure], ...] = ()

    def __attrs_post_init__(self) -> None:
        columns = len(self.lower)
        if len(self.upper) != columns or not 1 <= columns <= MOST_REGRESSORS + 1:
            raise InvalidValue(
                f"give as many lower as upper bounds, for a response and at most {MOST_REGRESSORS} regressors"
            )
        if any(low >= high for low, high in zip(self.lower, self.upper, strict=True)):
            raise InvalidValue("the upper bound of every column but the first must be above its lower one")
        if len(self.seen) != (columns + 1) * (columns + 2) // 2 - 1:
            raise InvalidValue(
                f"{columns} columns have {(columns + 1) * (columns + 2) // 2 - 1} sums, got {len(self.seen)}"
            )
        if self.whole and any(end.denominator != 1 for end in (*self.lower, *self.upper)):
            raise InvalidValue("whole data have whole bounds")
        if self.whole and any(value != round(value) for value in self.seen):
            raise InvalidValue("sums of whole data with whole noise are whole numbers")
        if any(not 0 <= place < len(self.seen) for place, _ in self.public):
            raise InvalidValue(f"there are {len(self.seen)} sums, and a public figure is for another")
        finest = min(self.noise.within(0.5), *(figure.error for _, figure in self.public), math.inf)
        most = max(1.0, *(float(abs(end)) for end in (*self.lower, *self.upper))) ** 2 * self.count
        if not self.whole and finest < _FINEST * most:
            raise InvalidValue(f"noise below {_FINEST:g} of what the sums can be is too small to be followed")

    @property
    def coefficients(self) -> int:
        """How many coefficients a line has, the intercept among them."""
        return len(self.lower)

    @cached_property
    def layout(self) -> Layout:
        """The order of the sums, and what they are on columns between 0 and 1."""
        return Layout.of(list(map(float, self.lower)), list(map(float, self.upper)))

    @cached_property
    def lattice(self) -> Lattice | None:
        """Where the sums of whole data lie."""
        if not self.whole:
            return None
        return Lattice.of(self.layout, tuple(map(float, self.lower)), tuple(map(float, self.upper)))

    def log_weights(self, sums: Floats, seen: Floats) -> Floats:
        """The logs of the densities of what was seen, given the sums of the data, up to a constant."""
        logs: Floats = self.noise.log_weights(seen - sums).sum(axis=0)
        for place, figure in self.public:
            logs = logs + figure.log_weights(sums[place])
        return logs

    def raw(self, unit: Floats) -> Floats:
        """Coefficients in the units of the data, from those for columns between 0 and 1."""
        lower = np.array(self.lower, dtype=np.float64)
        width = np.array(self.upper, dtype=np.float64) - lower
        slopes = unit[1:] * (width[-1] / width[:-1])[:, None]
        intercept = lower[-1] + width[-1] * unit[0] - (slopes * lower[:-1, None]).sum(axis=0)
        return np.concatenate([intercept[None], slopes])

    @property
    def response_width(self) -> float:
        """How far the bounds of the response lie from each other."""
        return float(self.upper[-1] - self.lower[-1])
