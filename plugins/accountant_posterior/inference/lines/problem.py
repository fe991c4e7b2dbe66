"""A line as something to draw from, and the release of a plan that it is drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant import InvalidValue, Release
from accountant.loss import Floats
from accountant.numbers import plain
from accountant_posterior.inference.lines.priors import FlatLine, LinePrior, WeakLine
from accountant_posterior.inference.lines.release import MOST_REGRESSORS, NoisySums
from accountant_posterior.inference.lines.sampler import infer_line
from accountant_posterior.inference.noise import StatisticNoise
from accountant_posterior.inference.problems import Problem
from accountant_posterior.inference.public import PublicFigure

_CHAINS, _LEAST_LONG, _LEAST_BURN = (20, 200), 500, 100


@frozen
class LineProblem(Problem):
    """The sums of products of columns, the first of ones and the last of responses."""

    family: ClassVar[str] = "line"

    seen: NoisySums
    prior: LinePrior

    def __attrs_post_init__(self) -> None:
        self.prior.check(self.seen.coefficients, self.seen.count)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        slopes = self.seen.coefficients - 1
        return ("intercept", *(["slope"] if slopes == 1 else [f"slope {number}" for number in range(1, slopes + 1)]))

    @property
    def model(self) -> str:
        seen = self.seen
        whole = ", whole numbers," if seen.whole else ""
        beside = f", and {len(seen.public)} of the sums seen in a public source too" if seen.public else ""
        return (
            f"{seen.count:,} records scatter around a line with a Gaussian law; sums and lines are possible "
            f"for data{whole} between the bounds, the response between {plain(seen.lower[-1])} and "
            f"{plain(seen.upper[-1])}{beside}"
        )

    @property
    def believed(self) -> str:
        return self.prior.words

    @property
    def usual(self) -> tuple[LinePrior, ...]:
        return WeakLine(1), WeakLine(5), WeakLine(2, Fraction(1, 2)), FlatLine()

    def draw(self, generator: Generator, draws: int) -> dict[str, Floats]:
        chains = min(max(draws // _LEAST_LONG, _CHAINS[0]), _CHAINS[1])
        iterations = -(-draws // chains)
        burn = max(_LEAST_BURN, iterations // 2)
        found = infer_line(self.seen, self.prior, generator, chains=chains, iterations=iterations, burn=burn)
        lines = dict(zip(self.names, found.coefficients, strict=True))
        return {**lines, "variance": found.variance, "deviation": np.sqrt(found.variance)}

    def range(self, parameter: str) -> tuple[float, float]:
        width = self.seen.response_width
        if parameter in ("variance", "deviation"):
            return 0.0, width / 2 if parameter == "deviation" else width**2 / 4
        return -np.inf, np.inf


def not_a_line(release: Release, *, whole: bool) -> str | None:
    """Why no line is fitted from a cross-product, if so."""
    query: Any = release.query
    columns = len(query.lower)
    if (query.lower[0], query.upper[0]) != (1, 1) or columns < 2:
        return (
            "is a cross-product whose first column is not of ones, with both bounds 1; inference is from columns of ones, "
            "of regressors and, last, of the response"
        )
    if columns > MOST_REGRESSORS + 2:
        return f"has {columns - 2} regressors; inference takes at most {MOST_REGRESSORS}"
    for place, (low, high) in enumerate(zip(query.lower[1:], query.upper[1:], strict=True), start=2):
        if low == high:
            return f"has a column, number {place}, that does not vary; leave it out"
        if whole and (low.denominator, high.denominator) != (1, 1):
            return f"has whole noise on sums of column {place}, whose bounds are no whole numbers"
    return None


def sums_of(query: Any) -> list[tuple[Fraction, Fraction]]:
    """The least and the largest value of each product, in the order of the sums."""
    bounds = list(zip(query.lower, query.upper, strict=True))
    found = []
    for row, (low, high) in enumerate(bounds):
        for column in range(row, len(bounds)):
            corners = [one * other for one in (low, high) for other in bounds[column]]
            least = Fraction(0) if row == column and low <= 0 <= high else min(corners)
            found.append((min(low**2, high**2) if row == column and least else least, max(corners)))
    return found


def line_problem(
    release: Release,
    values: Sequence[Fraction],
    size: int,
    noise: StatisticNoise,
    prior: LinePrior | None,
    public: Mapping[int, PublicFigure],
    *,
    whole: bool,
) -> LineProblem:
    """What a released cross-product asks; its first sum is the number of records, which is public."""
    query: Any = release.query
    if 1 in public:
        raise InvalidValue(f"--public has a figure for '{release.name} 1', the number of records, which is public already")
    figures = tuple((place - 2, figure) for place, figure in sorted(public.items()))
    seen = NoisySums(size, query.lower[1:], query.upper[1:], noise, [float(value) for value in values[1:]], whole, figures)
    return LineProblem((release.name,), seen, prior or WeakLine())
