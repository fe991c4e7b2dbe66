"""Noise in proportion to how far a statistic moves when a secret changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Theorem, larger
from accountant.fields import ExactLike, about, above, exact, text
from accountant.finite import exact_law, exponential
from accountant_pufferfish.enclosed import NONE, Bounds, largest_log_ratio, mixed
from accountant_pufferfish.metric import Metric
from accountant_pufferfish.setting import Setting

WASSERSTEIN_NOISE = Theorem(
    "wasserstein-noise",
    "Laplace noise of scale radius/epsilon on a number, or geometric noise on a whole one, has the loss epsilon at most "
    "between any two datasets whose numbers are within the radius of each other, and relative to any setting in which the "
    "data under two secrets can be coupled so that they are.",
    "song2017pufferfish",
    "Theorem 3.2",
    ("the radius is at least the distance of order infinity under any two secrets", "the scale is public"),
)


@frozen
class Movement:
    """How far a statistic moves from one dataset to another."""

    statistic: Callable[[Any], ExactLike]

    def __call__(self, left: Any, right: Any) -> Fraction:
        return abs(exact(self.statistic(left)) - exact(self.statistic(right)))


@frozen
class WassersteinNoise:
    """A statistic with Laplace noise, or geometric noise if it is whole, relative to a setting.

    Definition: the statistic plus noise with density or chances in proportion to e^(-|noise|/scale), where the scale is the
    radius divided by epsilon and the radius is how far apart the statistic can be kept under the two secrets of any pair. A
    radius of 0 says that what is public settles how the statistic depends on the secrets: it is released as it is.
    """

    theorem: ClassVar[Theorem] = WASSERSTEIN_NOISE

    setting: Setting
    name: str = field(converter=text, metadata=about("the statistic, in words"))
    statistic: Callable[[Any], ExactLike] = field(repr=False)
    epsilon: Fraction = field(converter=exact, validator=above(0), metadata=about("what may be lost"))

    @property
    def metric(self) -> Metric:
        """How far the statistic moves, as a distance between datasets."""
        return Metric(f"how far {self.name} moves", Movement(self.statistic))

    @property
    def radius(self) -> Fraction:
        """How far the statistic moves at most when the data are coupled as closely as two secrets allow."""
        found = self.setting.radius(self.metric)
        if found is None:
            raise InvalidValue(f"{self.name} can move arbitrarily far when a secret changes, and no noise hides that")
        return found

    @property
    def scale(self) -> Fraction:
        """The scale of the noise; 0 for none."""
        return self.radius / self.epsilon

    def leak(self) -> Interval:
        """The worst |log Bayes factor| over the live pairs of the laws at hand: what is really lost, at most epsilon."""
        return larger(self._leaks())

    def _leaks(self) -> Iterator[Interval]:
        yield Interval.of(0)
        for comparison in self.setting.comparisons():
            first, second = (law.mapped(lambda data: exact(self.statistic(data))) for law in (comparison.first, comparison.second))
            yield noise_leak(first, second, self.scale)


def noise_leak(first: Mapping[Any, ExactLike], second: Mapping[Any, ExactLike], scale: ExactLike) -> Interval:
    """The largest |log P(y)/Q(y)| when Laplace noise of a scale is added to a number with one of two finite laws.

    Guarantee: encloses the truth, and for whole numbers that of geometric noise as well. Between two neighbouring values of
    the numbers both densities are a e^y + b e^-y with their own a and b, so their ratio is monotone there, and beyond all
    values it is constant: it is largest at one of them.
    """
    spread = exact(scale)
    laws = [
        {exact(value): mass for value, mass in exact_law(law, f"the {name} law").items()}
        for name, law in (("first", first), ("second", second))
    ]
    places = {*laws[0], *laws[1]}
    gaps = {abs(left - right) for left in places for right in places}
    heights: dict[Fraction, Bounds] = {gap: _height(gap, spread) for gap in gaps}
    densities = [
        mixed((mass, {place: heights[abs(place - value)] for place in places}) for value, mass in law.items()) for law in laws
    ]
    return largest_log_ratio(*densities)


def _height(gap: Fraction, scale: Fraction) -> Bounds:
    if scale:
        return exponential(-gap / scale)
    return NONE if gap else (Fraction(1), Fraction(1))
