"""Noise in proportion to how far a statistic moves when a secret changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Theorem
from accountant.fields import ExactLike, about, above, exact
from accountant.finite import exact_law
from accountant_pufferfish.mechanisms.calibration import finite_radius, worst_leak
from accountant_pufferfish.mechanisms.enclosed import NONE, Bounds, exponentials, largest_log_ratio, mixed
from accountant_pufferfish.promises.bridge import ballwise_guarantee
from accountant_pufferfish.promises.exact import NothingLive
from accountant_pufferfish.promises.guarantee import PufferfishGuarantee
from accountant_pufferfish.setting.setting import Setting
from accountant_pufferfish.setting.statistic import Statistic
from accountant_pufferfish.theorems import WASSERSTEIN_NOISE


@frozen
class WassersteinNoise:
    """A statistic with Laplace noise, or geometric noise if it is whole, relative to a setting.

    Definition: the statistic plus noise with density or chances in proportion to e^(-|noise|/scale), where the scale is the
    radius divided by epsilon and the radius is how far apart the statistic can be kept under the two secrets of any pair. A
    radius of 0 says that what is public settles how the statistic depends on the secrets: it is released as it is.
    """

    theorem: ClassVar[Theorem] = WASSERSTEIN_NOISE

    setting: Setting
    statistic: Statistic
    epsilon: Fraction = field(converter=exact, validator=above(0), metadata=about("what may be lost"))

    @cached_property
    def radius(self) -> Fraction:
        """How far the statistic moves at most when the data are coupled as closely as two secrets allow."""
        return finite_radius(self.setting, self.statistic.metric)

    @property
    def scale(self) -> Fraction:
        """The scale of the noise; 0 for none."""
        return self.radius / self.epsilon

    def guarantee(self) -> PufferfishGuarantee:
        """The promise, which adds up with others for the same statistic and radius."""
        return ballwise_guarantee(
            Interval.of(self.epsilon if self.radius else 0), self.setting, self.statistic.metric, self.radius, self.theorem
        )

    def leak(self) -> Interval | NothingLive:
        """The worst |log Bayes factor| over all live pairs: what is really lost, which is at most epsilon."""
        pairs = (
            (pair.first.mapped(self.statistic), pair.second.mapped(self.statistic)) for pair in self.setting.comparisons()
        )
        return worst_leak((noise_leak(*pair, self.scale) for pair in pairs), self.setting, self.epsilon)


def noise_leak(first: Mapping[Any, ExactLike], second: Mapping[Any, ExactLike], scale: ExactLike) -> Interval:
    """The largest |log P(y)/Q(y)| when Laplace noise of a scale is added to a number with one of two finite laws.

    Guarantee: encloses the truth, and for whole numbers that of geometric noise as well. Between two neighbouring values of
    the numbers both densities are a e^y + b e^-y with their own a and b, so their ratio is monotone there, and beyond all
    values it is constant: it is largest at one of them.
    """
    spread = exact(scale)
    if spread < 0:
        raise InvalidValue(f"the scale of noise cannot be negative, got {scale}")
    laws = [_on_the_line(first, "the first law"), _on_the_line(second, "the second law")]
    places = {value for law in laws for value, _ in law}
    gaps = {abs(left - right) for left in places for right in places}
    heights = _heights(gaps, spread)
    bumps = {value: {place: heights[abs(place - value)] for place in places} for value in places}
    return largest_log_ratio(*(mixed((mass, bumps[value]) for value, mass in law) for law in laws))


def _on_the_line(law: Mapping[Any, ExactLike], owner: str) -> list[tuple[Fraction, Fraction]]:
    values: Mapping[Any, Fraction] = exact_law(law, owner)
    return [(exact(value), mass) for value, mass in values.items()]


def _heights(gaps: Collection[Fraction], scale: Fraction) -> dict[Fraction, Bounds]:
    """How much is left of a density at several distances, up to a common factor."""
    if not scale:
        return {gap: NONE if gap else (Fraction(1), Fraction(1)) for gap in gaps}
    factors = exponentials(-gap / scale for gap in gaps)
    return {gap: factors[-gap / scale] for gap in gaps}
