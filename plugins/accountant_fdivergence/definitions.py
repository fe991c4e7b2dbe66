"""Privacy by the classical divergences of output laws: total variation, relative entropy, chi-square, Hellinger."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from accountant import Interval, Theorem, fields, loss as losses
from accountant.numbers import float_above, larger, log_of
from accountant.plugin import Divergence, Properties, Reading
from accountant_fdivergence.theorems import ENVELOPE, GIVEN_AWAY, INTEGRAL

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

_NEXT_TO_ONE = 1 + Fraction(1, 2**16)
_HIGHEST, _LARGEST = 640.0, 1e100
"""The most nats, and the largest chi-square, of which a worst case is less than everything."""


@frozen
class _FDivergence(Divergence):
    """An f-divergence, read in the worse of both directions."""

    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=False)
    measure_theorem: ClassVar[Theorem] = INTEGRAL
    worst_case_theorem: ClassVar[Theorem] = ENVELOPE

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        self.reading(at)
        return larger(self._read(side) for side in losses.directions(loss))

    def _read(self, loss: PrivacyLoss) -> Interval:
        """The divergence in this direction of whatever lies between both sides of a loss."""
        return losses.enclosed(self._of, loss)

    @abstractmethod
    def _of(self, loss: PrivacyLoss) -> Interval:
        """The divergence in this direction."""


@frozen
class StatisticalDistanceParameter(fields.Brief):
    """The parameter of privacy by statistical distance."""

    distance: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("by how much the probability of any event may differ between neighbours"),
    )


@frozen
class StatisticalDistance(_FDivergence):
    """Privacy by statistical distance, which is total variation: how much more likely any event may be."""

    name: ClassVar[str] = "statistical-distance"
    elsewhere: ClassVar[tuple[str, ...]] = ("total-variation", "total variation", "tv")
    title: ClassVar[str] = "privacy by statistical distance"
    meaning: ClassVar[str] = "no event is more likely {one} than {other} by more than distance{either}"
    parameter: ClassVar[type[Any]] = StatisticalDistanceParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "distance"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=True)
    worst_case_theorem: ClassVar[Theorem] = GIVEN_AWAY

    def _of(self, loss: PrivacyLoss) -> Interval:
        return loss.delta(0)

    def worst_case(self, parameter: StatisticalDistanceParameter) -> PrivacyLoss:
        lost = parameter.distance
        return losses.FiniteLoss([(1 - lost, 1 - lost), (lost, 0), (0, lost)]) if lost else losses.NO_LOSS

    def group(self, parameter: StatisticalDistanceParameter, size: int) -> StatisticalDistanceParameter:
        return StatisticalDistanceParameter(min(Fraction(1), size * parameter.distance))


@frozen
class RelativeEntropyParameter(fields.Brief):
    """The parameter of privacy by relative entropy."""

    nats: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the largest mean privacy loss between neighbours, in natural logarithms"),
    )


@frozen
class RelativeEntropy(_FDivergence):
    """Privacy by relative entropy, the divergence of Kullback and Leibler: the mean of the privacy loss."""

    name: ClassVar[str] = "relative-entropy"
    elsewhere: ClassVar[tuple[str, ...]] = ("kl", "kl-divergence", "kullback-leibler")
    title: ClassVar[str] = "privacy by relative entropy"
    meaning: ClassVar[str] = (
        "the logarithm of how many times as likely an output is {one} as {other} has a mean, over outputs {one}, of at "
        "most nats{either}"
    )
    parameter: ClassVar[type[Any]] = RelativeEntropyParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "nats"),)

    def _read(self, loss: PrivacyLoss) -> Interval:
        found = super()._read(loss)
        # Renyi divergences grow with their order, from this one on: what is claimed of moments bounds it.
        upper = min(found.upper, loss.renyi(_NEXT_TO_ONE).upper)
        return Interval(min(found.lower, upper), upper) if upper < found.upper else found

    def _of(self, loss: PrivacyLoss) -> Interval:
        from accountant_fdivergence.integrals import integral

        if loss.infinite().lower > 0.0:
            return Interval.infinite()
        parts = ((integral(part, 0.0) + integral(part, 1.0, reverse=True), count) for part, count in loss.taken_apart())
        return sum((value.times(count) for value, count in parts), Interval.of(0))

    def worst_case(self, parameter: RelativeEntropyParameter) -> PrivacyLoss:
        if not parameter.nats:
            return losses.NO_LOSS
        from accountant_fdivergence.envelopes import Logarithm, envelope

        # Gaussian noise with a shift of mu deviations has mu^2/2.
        bound = float_above(parameter.nats)
        above = envelope(Logarithm(), bound) if bound <= _HIGHEST else losses.TOTAL_LOSS
        return losses.BracketLoss(above, losses.GaussianLoss(2 * parameter.nats))


@frozen
class ChiSquareParameter(fields.Brief):
    """The parameter of privacy by chi-square."""

    chi_square: Fraction = field(
        converter=fields.exact,
        validator=fields.at_least(0),
        metadata=fields.about("the largest variance of the likelihood ratio between neighbours"),
    )


@frozen
class ChiSquare(_FDivergence):
    """Privacy by chi-square: the variance of the likelihood ratio."""

    name: ClassVar[str] = "chi-square"
    elsewhere: ClassVar[tuple[str, ...]] = ("chi2", "chi-squared")
    title: ClassVar[str] = "privacy by chi-square"
    meaning: ClassVar[str] = (
        "how many times as likely an output is {one} as {other} has a variance, over outputs {other}, of at most "
        "chi_square{either}"
    )
    parameter: ClassVar[type[Any]] = ChiSquareParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "chi_square"),)

    def _read(self, loss: PrivacyLoss) -> Interval:
        # Moments are known of what is claimed, also where no loss that dominates it has any.
        return self._of(loss)

    def _of(self, loss: PrivacyLoss) -> Interval:
        from accountant.numbers.rounding import Ball, expm1

        found = loss.renyi(2)
        # Beyond this, e^D - 1 is near the end of doubles.
        least = expm1(Ball(min(found.lower, _HIGHEST))).lower
        return Interval(max(0.0, least), expm1(Ball(found.upper)).upper if found.upper <= _HIGHEST else math.inf)

    def worst_case(self, parameter: ChiSquareParameter) -> PrivacyLoss:
        if not parameter.chi_square:
            return losses.NO_LOSS
        from accountant_fdivergence.envelopes import Square, envelope

        # Gaussian noise with a shift of mu deviations has e^(mu^2) - 1.
        bound = float_above(parameter.chi_square)
        above = envelope(Square(), bound) if bound <= _LARGEST else losses.TOTAL_LOSS
        return losses.BracketLoss(above, _gaussian(log_of(1 + parameter.chi_square).lower))


@frozen
class HellingerParameter(fields.Brief):
    """The parameter of privacy by Hellinger distance."""

    squared_distance: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("what the products of square roots of probabilities between neighbours may lack to 1 in sum"),
    )


@frozen
class Hellinger(_FDivergence):
    """Privacy by the squared Hellinger distance, between 0 and 1."""

    name: ClassVar[str] = "hellinger"
    title: ClassVar[str] = "privacy by Hellinger distance"
    meaning: ClassVar[str] = (
        "the square roots of how likely each output is {one} and {other} have products that add up to 1 - squared_distance "
        "or more"
    )
    parameter: ClassVar[type[Any]] = HellingerParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading((), "squared_distance"),)

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        # Both directions have the same distance, and are read as one.
        self.reading(at)
        return self._read(loss)

    def _of(self, loss: PrivacyLoss) -> Interval:
        from accountant_fdivergence.integrals import integral
        from accountant_fdivergence.products import told_apart

        parts = []
        for part, count in loss.taken_apart():
            both = integral(part, 0.5) + integral(part, 0.5, reverse=True)
            parts.append((Interval(both.lower / 4.0, both.upper / 4.0).clamp(0.0, 1.0), count))
        return told_apart(parts)

    def worst_case(self, parameter: HellingerParameter) -> PrivacyLoss:
        lost = parameter.squared_distance
        if not lost:
            return losses.NO_LOSS
        if lost == 1:
            return losses.TOTAL_LOSS
        from accountant_fdivergence.envelopes import Root, envelope

        # Gaussian noise with a shift of mu deviations has 1 - e^(-mu^2/8).
        return losses.BracketLoss(envelope(Root(), float_above(lost)), _gaussian(8.0 * log_of(1 / (1 - lost)).lower))

    def group(self, parameter: HellingerParameter, size: int) -> HellingerParameter:
        return HellingerParameter(min(Fraction(1), size**2 * parameter.squared_distance))


def _gaussian(square: float) -> PrivacyLoss:
    """Gaussian noise with a shift whose square is no more than this; none where doubles do not tell it from 0."""
    return losses.GaussianLoss(Fraction(square)) if square > 0.0 else losses.NO_LOSS
