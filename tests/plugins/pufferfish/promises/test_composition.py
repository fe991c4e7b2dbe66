"""Which promises add up, and that those which do not are refused with what to do instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import itemgetter

import pytest
from attrs import evolve
from hypothesis import assume, given, settings

from accountant import Interval, InvalidValue, Verdict
from accountant.finite import FiniteMechanism, compose as jointly, compose_adaptively
from accountant_pufferfish import (
    HAMMING,
    Ballwise,
    Certified,
    CompositionError,
    Independence,
    Law,
    Leak,
    LowerOnly,
    Metric,
    MixtureOnly,
    Pointwise,
    PublicVariable,
    PufferfishGuarantee,
    RichScenarios,
    Scenarios,
    SecretIndependent,
    Setting,
    ballwise_guarantee,
    bounded_pairs,
    compose,
    exact_guarantee,
    independent_guarantees,
    independent_records,
    is_rich,
    leak,
    pointwise_guarantee,
    pointwise_rate,
    secret_independent,
)
from accountant_pufferfish.theorems import BLOCKS
from tests.plugins.pufferfish.worlds import (
    TOTAL,
    bits,
    exactly,
    fair_bits,
    mechanisms,
    reported,
    responses,
    settings_of_bits,
)


def first_two(dataset: tuple[int, ...]) -> int:
    return dataset[0] ^ dataset[1]


def all_three(dataset: tuple[int, ...]) -> int:
    return dataset[0] ^ dataset[1] ^ dataset[2]


def true_epsilon(mechanism: FiniteMechanism, setting: Setting) -> float:
    found = leak(mechanism, setting)
    assert isinstance(found, Leak)
    return math.inf if found.factor is None else found.epsilon.lower


def test_two_releases_that_reveal_nothing_can_reveal_everything_together() -> None:
    """T-CMP1: the published composition of promises relative to public information is false."""
    setting = fair_bits(3)
    one, other = exactly(bits(3), first_two), exactly(bits(3), all_three)
    for alone in (one, other):
        found = leak(alone, setting)
        assert isinstance(found, Leak)
        assert found.factor == 1
    together = leak(jointly(one, other), setting)
    assert isinstance(together, Leak)
    assert together.factor is None
    with pytest.raises(CompositionError, match="account pointwise, then convert once by the Wasserstein"):
        compose(exact_guarantee(one, setting), exact_guarantee(other, setting))


def test_the_same_with_noise() -> None:
    """T-CMP2: each through randomised response with 9/10; the third bit is their sum, told truly with .82."""
    setting = fair_bits(3)
    one, other = (reported(3, statistic, Fraction(9, 10)) for statistic in (first_two, all_three))
    assert exact_guarantee(one, setting).epsilon == exact_guarantee(other, setting).epsilon == Interval.of(0)
    together = leak(jointly(one, other), setting)
    assert isinstance(together, Leak)
    assert together.factor == Fraction(82, 18)
    assert together.epsilon.lower == pytest.approx(1.516347, abs=5e-7)
    # Accounted pointwise the promises add up, and cover what really happens.
    sound = compose(pointwise_guarantee(one, setting), pointwise_guarantee(other, setting))
    assert sound.epsilon is not None
    assert sound.epsilon.upper == pytest.approx(2 * math.log(9))
    assert together.epsilon.upper <= sound.epsilon.upper


def mixtures_add_up(*guarantees: PufferfishGuarantee) -> PufferfishGuarantee:
    """The published rule, which ignores why the promises hold."""
    total = Interval.of(0)
    for item in guarantees:
        assert item.epsilon is not None
        total = total + item.epsilon
    return evolve(guarantees[0], epsilon=total)


def breaks(rule: Callable[..., PufferfishGuarantee], parts: Sequence[FiniteMechanism], setting: Setting) -> bool:
    """Whether a rule promises less than what really happens."""
    promised = rule(*(exact_guarantee(part, setting) for part in parts)).epsilon
    assert promised is not None
    return true_epsilon(jointly(*parts), setting) > promised.upper


def test_a_rule_that_ignores_the_evidence_is_caught() -> None:
    parts = [reported(3, statistic, Fraction(9, 10)) for statistic in (first_two, all_three)]
    assert breaks(mixtures_add_up, parts, fair_bits(3))
    with pytest.raises(CompositionError):
        breaks(compose, parts, fair_bits(3))


# What must agree -----------------------------------------------------------------------------------------------------


def test_promises_relative_to_different_public_variables_do_not_add_up() -> None:
    half = PublicVariable("first bit", lambda dataset: dataset[0])
    one, other = (pointwise_guarantee(responses(2), fair_bits(2, public)) for public in (TOTAL, half))
    with pytest.raises(CompositionError, match=r"re-derive both relative to \(total, first bit\)"):
        compose(one, other)
    both = TOTAL.with_other(half)
    assert both.law(Law.point((1, 0))) == Law.point((1, 1))
    assert pointwise_guarantee(responses(2), fair_bits(2, both)).vacuous


LINKED = Scenarios.listed({"fair": Law.uniform(bits(2)), "linked": Law.uniform([(0, 0), (1, 1)])})


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Setting(LINKED, fair_bits(2).pairs), "scenarios"),
        (Setting(fair_bits(2).scenarios, fair_bits(2).pairs[:1]), "pairs of secrets"),
        (fair_bits(2).at(()), "published values"),
    ],
)
def test_promises_in_different_settings_do_not_add_up(other: Setting, words: str) -> None:
    with pytest.raises(CompositionError, match=f"different {words}"):
        compose(pointwise_guarantee(responses(2), fair_bits(2)), pointwise_guarantee(responses(2), other))


def test_promises_in_different_metrics_or_radii_do_not_add_up() -> None:
    setting, one = fair_bits(2), Interval.of(1)
    found = pointwise_rate(one, setting)
    doubled = Metric("twice the records", lambda left, right: 2 * (HAMMING.between(left, right) or 0))
    with pytest.raises(CompositionError, match="in one metric"):
        compose(found, pointwise_rate(one, setting, doubled))
    with pytest.raises(CompositionError, match="for one radius"):
        compose(found, ballwise_guarantee(one, setting, HAMMING, 2))
    with pytest.raises(InvalidValue, match="the data can be 1 apart"):
        ballwise_guarantee(one, setting, HAMMING, "1/2")


def test_a_radius_that_is_too_small_does_not_add_up() -> None:
    """Copies of one record are two apart, whatever somebody writes down about datasets that are one apart."""
    copies = Setting(Scenarios.listed({"copies": Law.uniform([(0, 0), (1, 1)])}), bounded_pairs(2, (0, 1)))
    for evidence in (Pointwise(HAMMING, 1), Ballwise(HAMMING, 1)):
        written = PufferfishGuarantee(copies, Interval.of("1/10"), "upper", evidence, 2)
        with pytest.raises(CompositionError, match="the data can be farther apart"):
            compose(written, written)


def test_a_bound_that_known_laws_contradict_is_no_proof() -> None:
    copies = {"copies": Law.uniform([(0, 0), (1, 1)])}
    listed = Setting(Scenarios.listed(copies), bounded_pairs(2, (0, 1)), certified=Certified(HAMMING, 1, BLOCKS))
    far = Metric("equal or not", lambda left, right: 0 if left == right else None)
    never = Setting(Scenarios.listed(copies), bounded_pairs(2, (0, 1)), certified=Certified(far, 1, BLOCKS))
    for setting, metric, words in (
        (listed, HAMMING, "2 apart"),
        (independent_records(2, (0, 1), copies), HAMMING, "2 apart"),
        (never, far, "infinitely far apart"),
    ):
        with pytest.raises(InvalidValue, match=f"{words}.*more than the bound of 1"):
            pointwise_rate(Interval.of(1), setting, metric)
    roomy = Setting(Scenarios.listed(copies), bounded_pairs(2, (0, 1)), certified=Certified(HAMMING, 3, BLOCKS))
    assert roomy.radius(HAMMING) == 3


def test_lower_bounds_promise_nothing() -> None:
    setting = Setting(Scenarios.sampled("any law", {"fair": Law.uniform(bits(2))}), bounded_pairs(2, (0, 1)))
    found = exact_guarantee(responses(2), setting)
    assert isinstance(found.evidence, LowerOnly)
    assert found.within(100) is Verdict.UNKNOWN
    assert found.within("0.1") is Verdict.REFUTED
    assert "nothing is promised" in str(found)
    with pytest.raises(CompositionError, match="lower bound"):
        compose(found, found)
    with pytest.raises(InvalidValue, match="only some laws are known"):
        pointwise_guarantee(responses(2), setting)
    with pytest.raises(InvalidValue, match="only some laws are known"):
        pointwise_rate(Interval.of(1), setting)
    with pytest.raises(InvalidValue, match="leaves its upper end open"):
        evolve(found, epsilon=Interval.of(1))


def test_vacuous_promises_stay_vacuous() -> None:
    found = exact_guarantee(responses(2), fair_bits(2, TOTAL).at(2))
    assert found.vacuous
    assert found.live_pairs == 0
    assert str(found).startswith("VACUOUS")
    assert found.within(100) is Verdict.VACUOUS
    assert compose(found, found).vacuous
    with pytest.raises(InvalidValue, match="no epsilon exactly if"):
        evolve(found, epsilon=Interval.of(0))


def test_promises_cannot_be_added_by_hand() -> None:
    found = pointwise_guarantee(responses(2), fair_bits(2))
    with pytest.raises(CompositionError, match="use compose"):
        found + found
    with pytest.raises(InvalidValue, match="nothing to compose"):
        compose()


# A and B: promises about datasets -------------------------------------------------------------------------------------


def test_pointwise_promises_add_up_and_say_why() -> None:
    found = pointwise_guarantee(responses(3), fair_bits(3, TOTAL))
    assert found.evidence == Pointwise(HAMMING, 2)
    both = compose(found, found)
    assert both.bound == "upper"
    assert both.evidence == found.evidence
    assert both.epsilon is not None
    assert both.epsilon.upper == pytest.approx(4 * math.log(1.5))
    assert [step.uses for step in both.derivation] == [(), (1,), (), (3,), (2, 4)]
    ball = ballwise_guarantee(Interval.of(1), found.setting, HAMMING, 2)
    assert compose(found, ball).evidence == Ballwise(HAMMING, 2)


def test_a_proved_distance_serves_where_laws_cannot_be_listed() -> None:
    """Differential privacy is a promise about all laws under which records are independent."""
    setting = independent_records(3, (0, 1), {"fair": Law.uniform(bits(3))})
    found = pointwise_rate(Interval.of("1/2"), setting)
    assert found.epsilon == Interval(0.0, 0.5)
    assert found.bound == "upper"
    assert found.live_pairs is None
    assert found.within("1/2") is Verdict.IMPLIED
    assert compose(found, found).within(1) is Verdict.IMPLIED
    assert exact_guarantee(responses(3), setting).bound == "lower"


@settings(deadline=None, max_examples=40)
@given(settings_of_bits(), mechanisms(bits(2), least=1), mechanisms(bits(2), least=1))
def test_what_adds_up_covers_what_really_happens(setting: Setting, one: FiniteMechanism, other: FiniteMechanism) -> None:
    found = compose(pointwise_guarantee(one, setting), pointwise_guarantee(other, setting))
    assume(not found.vacuous)
    assert found.epsilon is not None
    assert true_epsilon(jointly(one, other), setting) <= found.epsilon.upper
    # The second release may also be chosen by what the first one said.
    adaptive = compose_adaptively(one, lambda output: one if output else other)
    guarantees = [pointwise_guarantee(part, setting) for part in (one, other)]
    worse = max(guarantees, key=lambda item: item.epsilon.upper if item.epsilon else 0.0)
    longest = compose(guarantees[0], worse).epsilon
    assert longest is not None
    assert true_epsilon(adaptive, setting) <= longest.upper


# C: independent given the secret ---------------------------------------------------------------------------------------


def test_releases_about_independent_records_add_up() -> None:
    setting = fair_bits(2)
    one, other = (reported(2, itemgetter(place), Fraction(3, 4)) for place in (0, 1))
    assert secret_independent((one, other), setting)
    found = compose(*independent_guarantees([one, other], setting))
    assert isinstance(found.evidence, SecretIndependent)
    assert found.evidence.members == {0, 1}
    assert found.epsilon is not None
    assert true_epsilon(jointly(one, other), setting) <= found.epsilon.upper == pytest.approx(2 * math.log(3))


def test_independence_is_checked_and_not_believed() -> None:
    setting = fair_bits(3)
    parts = [reported(3, statistic, Fraction(9, 10)) for statistic in (first_two, all_three)]
    assert not secret_independent(tuple(parts), setting)
    with pytest.raises(InvalidValue, match="not independent given the secret"):
        independent_guarantees(parts, setting)
    with pytest.raises(InvalidValue, match="cannot be checked"):
        Independence(parts, evolve(setting, scenarios=Scenarios.sampled("any", {})))


def test_a_release_is_not_independent_of_itself() -> None:
    setting = fair_bits(3)
    parts = [reported(3, itemgetter(place), Fraction(9, 10)) for place in (0, 1)]
    one, other = independent_guarantees(parts, setting)
    with pytest.raises(CompositionError, match="not independent of itself"):
        compose(one, one)
    (alone,) = independent_guarantees([reported(3, first_two, Fraction(9, 10))], setting)
    with pytest.raises(CompositionError, match="different sets of releases"):
        compose(one, alone)
    with pytest.raises(CompositionError, match="does not add up with others"):
        compose(other, pointwise_guarantee(responses(3), setting))


def test_independence_in_one_setting_is_none_in_another() -> None:
    parts = [reported(3, statistic, Fraction(9, 10)) for statistic in (first_two, all_three)]
    only_first = Setting(fair_bits(3).scenarios, fair_bits(3).pairs[:1])
    guarantees = independent_guarantees(parts, only_first)
    assert compose(*guarantees).epsilon == Interval(0.0, 0.0)
    borrowed = [evolve(item, setting=fair_bits(3)) for item in guarantees]
    with pytest.raises(CompositionError, match="checked in another setting"):
        compose(*borrowed)


# D: rich scenarios -----------------------------------------------------------------------------------------------------


def two_points(datasets: Sequence[tuple[int, ...]]) -> Scenarios:
    return Scenarios.listed({f"{x} or {y}": Law.uniform([x, y]) for x in datasets for y in datasets if x < y})


def test_richness_is_checked_and_not_believed() -> None:
    pairs = bounded_pairs(2, (0, 1))
    rich = Setting(two_points(bits(2)), pairs, TOTAL)
    assert is_rich(rich)
    assert is_rich(Setting(two_points(bits(2)), pairs))
    assert not is_rich(fair_bits(2))
    assert not is_rich(Setting(Scenarios.sampled("any", dict(rich.scenarios.laws)), pairs, TOTAL))
    missing = Scenarios.listed(dict(rich.scenarios.laws[1:]))
    assert not is_rich(Setting(missing, pairs))
    with pytest.raises(InvalidValue, match="do not consider every two datasets"):
        RichScenarios(fair_bits(2))
    borrowed = evolve(exact_guarantee(responses(2), fair_bits(2)), evidence=RichScenarios(rich))
    with pytest.raises(CompositionError, match="rich in another setting"):
        compose(borrowed, borrowed)


@settings(deadline=None, max_examples=25)
@given(mechanisms(bits(2), least=1), mechanisms(bits(2), least=1))
def test_in_rich_scenarios_exact_promises_add_up(one: FiniteMechanism, other: FiniteMechanism) -> None:
    setting = Setting(two_points(bits(2)), bounded_pairs(2, (0, 1)), TOTAL)
    parts = [exact_guarantee(part, setting) for part in (one, other)]
    assert isinstance(parts[0].evidence, RichScenarios)
    found = compose(*parts)
    assert found.epsilon is not None
    truth = leak(jointly(one, other), setting)
    assert isinstance(truth, Leak)
    assert found.epsilon.lower <= truth.epsilon.upper
    assert truth.epsilon.lower <= found.epsilon.upper


def test_mixtures_are_the_rule() -> None:
    assert isinstance(exact_guarantee(responses(2), fair_bits(2)).evidence, MixtureOnly)
    alone = exact_guarantee(responses(2), fair_bits(2))
    assert compose(alone) == alone
