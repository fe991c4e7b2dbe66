"""Errors of definitions, rules and conversions that show only far out, in one direction or over many, are caught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import pytest
from attrs import evolve, field, frozen

from accountant import Interval, PrivacyLoss, Theorem, default_registry, fields
from accountant.loss import ResponseLoss
from accountant.plugin import DIVERGENCES, Additive, Conversion, Reading
from accountant.testing import Trial, laws, search, strategies, trials
from accountant.testing.places import far_parameters, far_points
from tests.laws.planted import ADDED, PLANTED, EpsilonParameter, Rule, Worst, registry_with
from tests.laws.quick import QUICK

PAIRS, EXTREME = strategies.finite_losses(), strategies.extreme_losses()
ZCDP, APPROX = (default_registry()[DIVERGENCES][name] for name in ("zcdp", "approx"))


def caught(words: str, law: Any, honest: Any, planted: Any, **drawn: Any) -> None:
    """The honest one passes, the planted one does not."""
    search(law, honest, **drawn)
    with pytest.raises(AssertionError, match=words):
        search(law, planted, **drawn, depth=QUICK)


@frozen
class OneDirection(Worst):
    """Reads the loss and forgets its reverse."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return loss.supremum()


def test_a_definition_that_reads_one_direction_is_caught() -> None:
    caught("must read both directions", laws.directions_read_alike, Worst(), OneDirection(), loss=PAIRS)


@frozen
class Capped(Worst):
    """A worst case that is right up to an epsilon of 12, which looks like certainty."""

    def worst_case(self, parameter: EpsilonParameter) -> PrivacyLoss:
        return ResponseLoss(min(parameter.epsilon, Fraction(12)))


def test_a_worst_case_that_is_wrong_for_large_ratios_is_caught() -> None:
    search(laws.worst_case_dominates, Capped(), loss=strategies.finite_losses(smallest=1))
    law = partial(laws.worst_case_dominates, places=far_points)
    caught("the worst case of 'worst' must dominate", law, Worst(), Capped(), loss=EXTREME)


@frozen
class RoundsSmallDeltas(type(APPROX)):  # type: ignore[misc]
    """Takes a delta below 1e-12 for nothing when it reads, and for 1e-12 when it is read at one."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        if "delta" in at:
            return super().measure(loss, {"delta": max(at["delta"], Fraction(1, 10**12))})  # type: ignore[no-any-return]
        return super().measure(loss, at)  # type: ignore[no-any-return]


def test_a_reading_that_is_wrong_at_small_deltas_is_caught() -> None:
    search(laws.worst_case_dominates, RoundsSmallDeltas(), loss=strategies.finite_losses(smallest=1))
    law = partial(laws.worst_case_dominates, places=far_points)
    caught("the worst case of 'approx' must dominate", law, APPROX, RoundsSmallDeltas(), loss=EXTREME)


@frozen
class LinearInGroups(type(ZCDP)):  # type: ignore[misc]
    """A group of k costs k rho: the square is forgotten."""

    def group(self, parameter: Any, size: int) -> Any:
        return evolve(parameter, rho=parameter.rho * size)


def test_a_group_rule_that_forgets_the_square_is_caught() -> None:
    words = "a group must keep what 'zcdp' says it costs"
    caught(words, laws.groups_never_exceed, ZCDP, LinearInGroups(), chain=strategies.tilted_chains())


@frozen
class HalfTheDelta(type(APPROX)):  # type: ignore[misc]
    """Its second reading counts one half of the events."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        if "epsilon" in at:
            return super().measure(loss, at)  # type: ignore[no-any-return]
        return super().measure(loss, {"delta": min(2 * at["delta"], Fraction(99, 100))})  # type: ignore[no-any-return]


def test_readings_that_are_two_promises_are_caught() -> None:
    caught("must be one promise", laws.readings_are_one_promise, APPROX, HalfTheDelta(), loss=PAIRS)


@frozen
class SmallestOfAll(type(APPROX)):  # type: ignore[misc]
    """Takes from several points the smallest number of each kind."""

    def worst_case_of(self, points: Sequence[Any]) -> PrivacyLoss:
        return ResponseLoss(min(point.epsilon for point in points), min(point.delta for point in points))


def test_a_curve_that_promises_more_than_its_points_is_caught() -> None:
    words = "the worst case of 'approx' at several places must dominate"
    caught(words, laws.curves_dominate, APPROX, SmallestOfAll(), loss=PAIRS)


@frozen
class FallsBeyondTen(Worst):
    """A worst case that forgets the tens."""

    def worst_case(self, parameter: EpsilonParameter) -> PrivacyLoss:
        return ResponseLoss(parameter.epsilon % 10)


def test_a_larger_parameter_that_permits_less_is_caught() -> None:
    laws.larger_parameters_permit_more(Worst(), EpsilonParameter("9"))
    with pytest.raises(AssertionError, match="must not permit less"):
        laws.larger_parameters_permit_more(FallsBeyondTen(), EpsilonParameter("9"))


@frozen
class SaysTooLittle(type(APPROX)):  # type: ignore[misc]
    """Says that its epsilon holds at every delta."""

    def stated(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval | None:
        return Interval.of(parameter.epsilon)


def test_a_stated_value_that_does_not_hold_is_caught() -> None:
    parameter = APPROX.parameter("1", "1/100")
    laws.stated_values_hold(APPROX, parameter)
    with pytest.raises(AssertionError, match="states without looking at a loss must hold"):
        laws.stated_values_hold(SaysTooLittle(), parameter)


@frozen
class RootOfMany(Rule):
    """Epsilons add up; beyond fifty releases they are thought to cancel."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        total = super().compose(parts)
        count = sum(times for _, times in parts)
        return total if count <= 50 else Interval(total.lower / count**0.5, total.upper / count**0.5)


@pytest.mark.slow
def test_a_rule_that_undercuts_many_releases_only_is_caught() -> None:
    failed = broken_laws(composition_rules=[RootOfMany()])
    assert failed == {"rules never undercut many releases"}
    assert not broken_laws(composition_rules=[Rule()])


@frozen
class WrongWeights(Additive):
    """Epsilons add up, but their weights are squares."""

    name: ClassVar[str] = "wrong-weights"
    divergence: ClassVar[str] = "pure"
    adaptivity: ClassVar[Any] = "fully-adaptive"
    theorem: ClassVar[Theorem] = ADDED
    merges: ClassVar[bool] = False

    def weight(self, value: Fraction) -> Fraction:
        return value * value


def test_weights_that_lead_elsewhere_are_caught() -> None:
    assert broken_laws(composition_rules=[WrongWeights()]) == {"weights add up to what a rule gives"}


@frozen
class OnlyModerate(Conversion):
    """The tight conversion, except that large epsilons are thought to be cut off at a hundred."""

    name: ClassVar[str] = "only-moderate"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "zcdp"
    theorem: ClassVar[Theorem] = PLANTED

    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        honest = default_registry()[DIVERGENCES]
        capped = evolve(parameter, epsilon=min(parameter.epsilon, Fraction(100)))
        return honest["zcdp"].measure(honest["pure"].worst_case(capped), at)


def test_a_conversion_that_is_wrong_far_out_is_caught() -> None:
    assert broken_laws(conversions=[OnlyModerate()]) == {"conversions never beat what is attained"}


@frozen
class OnlyUsualDeltas(Conversion):
    """The tight conversion, except that a delta below 1e-12 is thought to be that."""

    name: ClassVar[str] = "only-usual-deltas"
    source: ClassVar[str] = "pure"
    target: ClassVar[str] = "approx"
    theorem: ClassVar[Theorem] = PLANTED

    def convert(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        honest = default_registry()[DIVERGENCES]
        delta = max(at["delta"], Fraction(1, 10**12))
        return honest["approx"].measure(honest["pure"].worst_case(parameter), {"delta": delta})


def test_a_conversion_that_is_wrong_at_small_deltas_is_caught() -> None:
    far = {"conversions hold for exact pairs", "conversions never beat what is attained"}
    assert broken_laws(conversions=[OnlyUsualDeltas()]) == far


def test_far_parameters_lie_at_bounds_near_them_and_far_from_them() -> None:
    @frozen
    class Bounded:
        """A share and a size."""

        share: Fraction = field(converter=fields.exact, validator=[fields.above(0), fields.at_most(1)])
        size: Fraction = field(converter=fields.exact, validator=fields.at_least(2))

    @frozen
    class Shares(Worst):
        """A definition of that parameter."""

        parameter: ClassVar[type[Any]] = Bounded
        readings: ClassVar[tuple[Reading, ...]] = (Reading(("share",), "size"),)

    found = list(far_parameters(Shares()))
    shares, sizes = {item.share for item in found}, {item.size for item in found}
    assert (min(shares), max(shares)) == (Fraction(1, 10**30), 1)
    assert (min(sizes), max(sizes)) == (2, 1002)


def broken_laws(**offered: Any) -> set[str]:
    """The laws that a planted plugin breaks."""

    def breaks(trial: Trial) -> bool:
        try:
            trial()
        except AssertionError:
            return True
        return False

    return {trial.law for trial in trials("planted_plugin", registry=registry_with(**offered)) if breaks(trial)}
