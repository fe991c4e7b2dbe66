"""Gaussian differential privacy: no test does better than against Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, Theorem, fields, loss as losses
from accountant.plugin import Adaptivity, Divergence, Properties, Reading, Summable

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

GAUSSIAN_CURVE = Theorem(
    "gdp-is-the-quantile-gap",
    "A mechanism satisfies mu exactly with the largest difference between the normal quantiles of the level and of the "
    "power of a test.",
    "accountant",
    "explanation/tests-and-tails",
    assurance="proved-here",
)
GAUSSIAN_NOISE = Theorem(
    "gaussian-noise-is-worst-for-gdp",
    "Gaussian noise with standard deviation 1/mu on a unit shift satisfies mu and dominates every mechanism that does.",
    "dong2022gaussian",
    "Definition 2.6 and Theorem 2.7 of the preprint",
)
SQUARES = Theorem(
    "gdp-composition",
    "Squares of mu add up, also when each release and its budget are chosen after seeing the earlier outputs.",
    "smith2022fully",
    "main theorem",
    adaptivity="fully-adaptive",
)


@frozen
class GaussianParameter(fields.Brief):
    """The parameter of Gaussian differential privacy."""

    mu: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the shift of unit Gaussian noise that is as easy to notice"),
    )


@frozen
class GaussianPrivacy(Divergence):
    """Gaussian differential privacy."""

    name: ClassVar[str] = "gdp"
    title: ClassVar[str] = "Gaussian differential privacy"
    meaning: ClassVar[str] = (
        "telling outputs {one} from outputs {other} is at least as hard as telling a mean of 0 from a mean of mu by one "
        "draw of normal noise"
    )
    parameter: ClassVar[type[Any]] = GaussianParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "mu"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    measure_theorem: ClassVar[Theorem] = GAUSSIAN_CURVE
    worst_case_theorem: ClassVar[Theorem] = GAUSSIAN_NOISE

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        from accountant_fdp.smallest_mu import smallest_mu

        self.reading(at)
        return smallest_mu(loss)

    def worst_case(self, parameter: GaussianParameter) -> PrivacyLoss:
        return losses.GaussianLoss(parameter.mu**2) if parameter.mu else losses.NO_LOSS

    def group(self, parameter: GaussianParameter, size: int) -> GaussianParameter:
        """Datasets that differ in `size` units are as far apart as so many neighbours in a row: mu is taken so often."""
        return GaussianParameter(parameter.mu * size)


@frozen
class MuSquares(Summable):
    """Squares of mu add up. Nothing is gained by adding claims up first: losses of Gaussian noise already add exactly."""

    name: ClassVar[str] = "gdp-squares"
    divergence: ClassVar[str] = "gdp"
    adaptivity: ClassVar[Adaptivity] = "fully-adaptive"
    theorem: ClassVar[Theorem] = SQUARES
    merges: ClassVar[bool] = False
    title: ClassVar[str | None] = "sum of squares of mu"

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        from accountant_fdp.normal import root

        if all(value.exact is not None for value, _ in parts):
            return root(sum((value.exact**2 * count for value, count in parts if value.exact is not None), Fraction(0)))
        lower, upper = ([(getattr(value, end), count) for value, count in parts if count] for end in ("lower", "upper"))
        ends = [
            Interval.infinite()
            if any(math.isinf(value) for value, _ in side)
            else root(sum((Fraction(value) ** 2 * count for value, count in side), Fraction(0)))
            for side in (lower, upper)
        ]
        return Interval(ends[0].lower, ends[1].upper)

    def weight(self, value: Fraction) -> Fraction:
        return value**2

    def value(self, weight: Fraction) -> Interval:
        from accountant_fdp.normal import root

        return root(weight)
