"""Every law of definitions catches a planted error, and holds for the honest version."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from attrs import field, frozen

from accountant import Interval, PrivacyLoss, default_registry, fields
from accountant.loss import TOTAL_LOSS, FiniteLoss, GaussianLoss, ResponseLoss
from accountant.plugin import DIVERGENCES, Properties, Reading
from accountant.testing import laws, search, strategies
from accountant.testing.laws.definition import mixed, sent_through
from tests.laws.planted import COIN, EpsilonParameter, Worst
from tests.laws.quick import QUICK

PAIRS = strategies.finite_losses()
POSITIVE = strategies.finite_losses(smallest=1)


def gap(loss: PrivacyLoss) -> Fraction:
    assert isinstance(loss, FiniteLoss)
    return sum((abs(p - q) for p, q in loss.atoms), Fraction(0)) / 2


@frozen
class LargestGap(Worst):
    """The largest difference of one outcome: merging outcomes that lean the same way raises it."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        assert isinstance(loss, FiniteLoss)
        return Interval.of(max(abs(p - q) for p, q in loss.atoms))


@frozen
class Tent(Worst):
    """Largest for pairs that are half apart, so that mixing the two extremes raises it."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(1 - abs(2 * gap(loss) - 1))


@frozen
class HalfTheWorstCase(Worst):
    """A worst case that is not the worst."""

    def worst_case(self, parameter: EpsilonParameter) -> PrivacyLoss:
        return ResponseLoss(parameter.epsilon / 2)


@frozen
class LooseRoundTrip(Worst):
    """A definition that declares a round trip and answers loosely."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return Interval(0.0, super().measure(loss, at).upper)


@frozen
class FailsOnInfiniteLosses(Worst):
    """A reading that divides by the chance of not losing everything."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return Interval.of(1 / (1 - Fraction(loss.infinite().upper)))


@frozen
class TwoNumbers:
    """A parameter with a second number that no reading mentions."""

    epsilon: Fraction = field(converter=fields.exact)
    forgotten: Fraction = field(converter=fields.exact)


@frozen
class ForgetsAField(Worst):
    """A first reading that leaves part of the parameter out."""

    parameter: ClassVar[type[Any]] = TwoNumbers


def test_a_definition_that_merging_raises_is_caught() -> None:
    channels = strategies.channels()
    search(laws.post_processing_never_raises, Worst(), pair=PAIRS, channel=channels)
    with pytest.raises(AssertionError, match="post-processing must not worsen 'worst'"):
        search(laws.post_processing_never_raises, LargestGap(), pair=PAIRS, channel=channels, depth=QUICK)


def test_a_definition_that_mixing_raises_is_caught() -> None:
    arguments: dict[str, Any] = {"first": PAIRS, "second": PAIRS, "weight": strategies.exact_numbers(0, 1)}
    search(laws.mixtures_never_raise, Worst(), **arguments)
    with pytest.raises(AssertionError, match="a mixture must not worsen 'worst'"):
        search(laws.mixtures_never_raise, Tent(), **arguments, depth=QUICK)


@pytest.mark.parametrize("planted", [HalfTheWorstCase(), LooseRoundTrip()])
def test_a_parameter_that_does_not_come_back_is_caught(planted: Worst) -> None:
    laws.parameters_come_back(Worst(), EpsilonParameter("3"))
    with pytest.raises(AssertionError, match="must give back its own parameter"):
        laws.parameters_come_back(planted, EpsilonParameter("3"))


def test_a_worst_case_that_is_not_the_worst_is_caught() -> None:
    search(laws.worst_case_dominates, Worst(), loss=POSITIVE)
    with pytest.raises(AssertionError, match="the worst case of 'worst' must dominate"):
        search(laws.worst_case_dominates, HalfTheWorstCase(), loss=POSITIVE, depth=QUICK)


@frozen
class Groups(Worst):
    """An honest group rule: every unit is charged."""

    def group(self, parameter: EpsilonParameter, size: int) -> EpsilonParameter:
        return EpsilonParameter(parameter.epsilon * size)


@frozen
class OneForAll(Worst):
    """A group rule that charges as if one unit differed."""

    def group(self, parameter: EpsilonParameter, size: int) -> EpsilonParameter:
        return parameter


def test_a_group_rule_that_charges_too_little_is_caught() -> None:
    chains = strategies.chains()
    search(laws.groups_never_exceed, Groups(), chain=chains)
    with pytest.raises(AssertionError, match="a group must keep what 'worst' says it costs"):
        search(laws.groups_never_exceed, OneForAll(), chain=chains, depth=QUICK)


def test_taking_the_gaussian_for_the_worst_case_of_zcdp_is_caught() -> None:
    honest = default_registry()[DIVERGENCES]["zcdp"]

    @frozen
    class Folklore(type(honest)):  # type: ignore[misc]
        """The common belief that nothing of the same rho is worse than Gaussian noise."""

        def worst_case(self, parameter: Any) -> PrivacyLoss:
            return GaussianLoss(2 * parameter.rho)

    laws.worst_case_dominates(honest, COIN)
    with pytest.raises(AssertionError, match="the worst case of 'zcdp' must dominate"):
        laws.worst_case_dominates(Folklore(), COIN)


def test_a_first_reading_that_forgets_a_field_is_caught() -> None:
    laws.first_reading_names_the_parameter(Worst())
    with pytest.raises(AssertionError, match="must name its parameter"):
        laws.first_reading_names_the_parameter(ForgetsAField())


def test_a_reading_that_fails_on_some_losses_is_caught() -> None:
    laws.readings_answer(Worst(), TOTAL_LOSS)
    with pytest.raises(AssertionError, match="cannot be read: ZeroDivisionError"):
        laws.readings_answer(FailsOnInfiniteLosses(), TOTAL_LOSS)


# Readings of which less is better ------------------------------------------------------------------------------------


@frozen
class Errors:
    """How much a test tells at a level."""

    level: Fraction = field(converter=fields.exact)
    value: Fraction = field(converter=fields.exact)


@frozen
class Tradeoff(Worst):
    """A definition whose value grows as privacy does: no budget could be kept by it, for that is at most a number."""

    parameter: ClassVar[type[Any]] = Errors
    readings: ClassVar[tuple[Reading, ...]] = (Reading(("level",), "value"),)
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=False)

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        values = [side.tradeoff(at["level"]) for side in (loss, loss.reverse())]
        return Interval(min(v.lower for v in values), min(v.upper for v in values))


@frozen
class TurnedTradeoff(Tradeoff):
    """The same with the error counted the right way round: the power of a test."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        value = super().measure(loss, at)
        return Interval(1.0 - value.upper, 1.0 - value.lower)


def test_a_value_that_grows_with_privacy_is_no_parameter_of_a_definition() -> None:
    channels = strategies.channels()
    search(laws.post_processing_never_raises, TurnedTradeoff(), pair=PAIRS, channel=channels)
    with pytest.raises(AssertionError, match="post-processing must not worsen"):
        search(laws.post_processing_never_raises, Tradeoff(), pair=PAIRS, channel=channels, depth=QUICK)


# The operations themselves -------------------------------------------------------------------------------------------


def test_a_channel_that_shows_everything_changes_nothing() -> None:
    one, none = Fraction(1), Fraction(0)
    assert sent_through(COIN, [(one, none), (none, one)]) == COIN


def test_a_channel_that_shows_nothing_leaves_no_loss() -> None:
    assert sent_through(COIN, [(Fraction(1),)]).supremum().upper == 0.0


def test_a_mixture_with_weight_one_is_the_first_pair() -> None:
    assert mixed(COIN, TOTAL_LOSS, Fraction(1)) == COIN
