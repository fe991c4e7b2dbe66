"""Attacks on counts at one or several levels against sums over all noise, and against the recorded answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath as mp
import pytest
from attrs import evolve
from hypothesis import example, given, settings, strategies as st

from accountant import InvalidValue, default_registry
from accountant.plugin import CONVERSIONS, DIVERGENCES
from accountant_posterior.attacks import (
    SCENARIOS,
    SIMULATED,
    CountAttack,
    HierarchyAttack,
    Level,
    NoisyCount,
    RhoShares,
    Uniform,
    evidence,
)
from accountant_posterior.attacks.beliefs import sign
from accountant_posterior.attacks.evidence import CountEvidence
from tests.plugins.posterior.attacks.references import ALONE, REPLACED, RHO_BLOCK, RHO_GROUP, outlook, real, weights, within

VECTORS = {entry["id"]: entry for entry in json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))}
PRIORS = ("1/2", "1/5", "1/10", "1/50", "1/864")
scales = st.fractions(min_value=Fraction(1, 20), max_value=30, max_denominator=40)
priors = st.fractions(min_value=Fraction(1, 500), max_value=Fraction(499, 500), max_denominator=1000)
counts = st.integers(-40, 40)


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(40):
        yield


def alone(prior: str | Fraction, rho: Fraction = RHO_BLOCK, known: int = 0) -> CountAttack:
    return CountAttack(Fraction(prior), (NoisyCount.spending(rho, ALONE, known=known),))


def entry(name: str) -> dict[str, Any]:
    found: dict[str, Any] = VECTORS[name]
    return found


# Recorded answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "level", "query"), [("rho_block", "Block", "165/4099 3945/4097"), ("rho_obg", "Group", "1256/4099 1288/4099")]
)
def test_the_budget_of_a_query_is_the_product_of_its_shares(name: str, level: str, query: str) -> None:
    share, part = map(Fraction, query.split())
    split = {"levels": {level: share, "rest": 1 - share}, "queries": {level: {"q": part, "r": 1 - part}, "rest": {"q": 1}}}
    assert abs(float(RhoShares("2.56", **split).rho(level, "q")) - entry(name)["expected"]) < 1e-12


def test_the_stated_conversion_of_the_whole_budget() -> None:
    rule = default_registry()[CONVERSIONS]["zcdp-to-approx-classic"]
    parameter = default_registry()[DIVERGENCES]["zcdp"].parameter("2.56")
    found = rule.convert(parameter, {"delta": Fraction("1e-10")})
    assert abs(found.upper - entry("zcdp_to_approx")["expected"]) < 1e-9


@pytest.mark.parametrize("released", [1, 2, 4])
def test_recorded_posteriors_at_a_released_count(released: int) -> None:
    for prior, expected in zip(PRIORS, entry(f"dg_post_x{released}")["expected"], strict=True):
        belief = alone(prior).belief(released)
        assert abs(belief.posterior.upper - expected) < 1e-9
        assert abs(belief.risk.upper - expected / Fraction(prior)) < 1e-6
        assert belief.label == SIMULATED


@pytest.mark.parametrize("released", [1, 2, 3, 4, 5])
def test_chances_of_released_counts_given_the_target_where_the_print_is_an_erratum(released: int) -> None:
    recorded = entry(f"dg_mass_x{released}")
    count = NoisyCount.spending(RHO_BLOCK, ALONE)
    assert abs(count.chance(released).upper - recorded["expected"]) < 1e-9
    # The printed column is what is released when the target is not there.
    assert abs(count.chance(released, present=False).upper - recorded["thesis_value"]) < 6e-4


@pytest.mark.parametrize(
    ("name", "prior"), [("dg_marg_0.5000", "1/2"), ("dg_marg_0.2000", "1/5"), ("dg_marg_0.0200", "1/50")]
)
def test_recorded_mean_posteriors_and_risks(name: str, prior: str) -> None:
    found = alone(prior).outlook()
    assert abs(found.posterior.upper - entry(name)["expected"]["posterior"]) < 1e-9
    assert abs(found.risk.upper - entry(name)["expected"]["risk"]) < 1e-8
    assert found.label == SIMULATED


def test_recorded_chance_of_a_right_guess_and_its_threshold() -> None:
    recorded = entry("correct_0.5_0.0992")["expected"]
    attack = alone("1/2")
    assert abs(attack.outlook().correct.upper - recorded["prob"]) < 1e-9
    assert attack.threshold() == recorded["threshold"]


def test_recorded_hierarchy_where_the_print_is_an_erratum() -> None:
    recorded = entry("hier_exact")["expected"]
    levels = (Level(1 / (2 * RHO_BLOCK), 27), Level(1 / (2 * RHO_GROUP)))
    attack = HierarchyAttack("1/2", levels, Uniform())
    belief = attack.belief([2, 1], [-1])
    assert abs(belief.posterior.upper - recorded["P_X1_eq_1"]) < 1e-9
    law = attack.parent([2, 1], [-1])
    assert [round(law[k].upper, 5) for k in range(7)] == pytest.approx(recorded["P_X2"], abs=1.1e-5)


def test_mean_risks_of_all_priors_in_the_table() -> None:
    risks = [alone(prior).outlook().risk.upper for prior in PRIORS]
    assert risks == pytest.approx([1.0473, 1.1271, 1.1676, 1.2080, 1.2188], abs=5e-5)


def test_a_histogram_whose_units_are_replaced_needs_twice_the_scale_and_halves_the_evidence() -> None:
    cells = [CountAttack(prior, (NoisyCount.spending(RHO_BLOCK, REPLACED),)).outlook() for prior in PRIORS]
    assert [cell.risk.upper for cell in cells] == pytest.approx([1.024, 1.064, 1.082, 1.100, 1.104], abs=5.1e-4)
    assert cells[0].correct.upper == pytest.approx(0.5628, abs=5e-5)
    assert NoisyCount.spending(RHO_BLOCK, REPLACED).scale == 1 / RHO_BLOCK


def test_a_large_rho_does_not_settle_a_small_prior_though_the_print_says_so() -> None:
    assert alone("1/864", Fraction(5)).outlook().posterior.upper == pytest.approx(0.1514, abs=5e-5)
    assert alone("1/864", Fraction(10)).outlook().posterior.upper == pytest.approx(0.962, abs=5e-4)
    risks = [alone(prior, Fraction(1, 4)).outlook().risk.upper for prior in PRIORS]
    assert risks == pytest.approx([1.112, 1.318, 1.444, 1.597, 1.645], abs=5.1e-4)


def test_risks_of_one_attack_repeated_multiply() -> None:
    attack = CountAttack("1/2", [NoisyCount.spending(RHO_BLOCK, ALONE)] * 2)
    first, second = attack.sequence(2, 3)
    assert first.posterior.upper == pytest.approx(0.573875, abs=5e-7)
    assert second.posterior.upper == pytest.approx(0.688649, abs=5e-7)
    assert (first.risk.upper, second.risk.upper) == pytest.approx((1.14775, 1.20000), abs=5e-6)
    assert first.risk.upper * second.risk.upper == pytest.approx(attack.belief(2, 3).risk.upper, rel=1e-12)


# Against sums over all noise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", ["1/2", "1/50", "4/5"])
@pytest.mark.parametrize("scale", ["1/20", "1/2", "5", "40"])
def test_the_outlook_of_one_count_holds_the_sum_over_all_noise(prior: str, scale: str) -> None:
    found = CountAttack(prior, (NoisyCount(scale, 7),)).outlook()
    mean, correct = outlook(Fraction(prior), [Fraction(scale)], 150)
    assert within(found.posterior, mean, 1e-12)
    assert found.correct.lower <= correct <= found.correct.upper


def test_the_outlook_of_two_counts_holds_the_sum_over_all_noise() -> None:
    for scales_used in ([Fraction(3, 2), Fraction(3)], [Fraction(10007, 5000), Fraction(9973, 3331)]):
        found = CountAttack("1/3", [NoisyCount(scale) for scale in scales_used]).outlook()
        mean, correct = outlook(Fraction(1, 3), scales_used, 24)
        assert within(found.posterior, mean, 1e-8)
        assert found.correct.lower <= correct <= found.correct.upper
        assert found.correct.width < 1e-3


@pytest.mark.slow
def test_values_without_a_common_measure_are_put_on_a_grid_that_still_holds_the_truth() -> None:
    unlike = [Fraction(10**9 + 7, 10**9), Fraction(2 * 10**9 + 11, 10**9 + 9)]
    law = CountEvidence.of((scale, 1) for scale in unlike)
    assert law.roundings == 2
    for prior in (Fraction(1, 2), Fraction(1, 100)):
        mean, correct = outlook(prior, unlike, 20)
        assert within(law.posterior(prior), mean, 1e-8)
        assert law.correct(prior).lower <= correct <= law.correct(prior).upper
        assert law.correct(prior).width < 1e-3


def test_what_is_left_out_at_the_ends_of_a_sum_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Much is left out here, so that it is felt; uncharged, the mean would be missed."""
    noises, prior = [Fraction(3), Fraction(7, 2)], Fraction(1, 2)
    mean, correct = outlook(prior, noises, 40)
    whole = CountEvidence.of((scale, 1) for scale in noises)
    monkeypatch.setattr(evidence, "_SHARE", 1e10)
    cut = CountEvidence.of((scale, 1) for scale in noises)
    assert len(cut.spread.masses) < len(whole.spread.masses)
    assert cut.posterior(prior).lower <= mean <= cut.posterior(prior).upper
    assert cut.correct(prior).lower <= correct <= cut.correct(prior).upper
    uncharged = evolve(cut, spread=evolve(cut.spread, stray=whole.spread.stray))
    assert not uncharged.posterior(prior).lower <= mean <= uncharged.posterior(prior).upper


def test_a_sum_is_kept_only_where_it_is_felt() -> None:
    """Counted: the places of the sum, of all that its windows add up to."""
    law = CountEvidence.of([(Fraction(40), 1)] * 30)
    window = 30 * (2 * math.isqrt(2 * 100 * 40) + 2)
    assert len(law.spread.masses) < window / 3


def test_several_levels_are_about_one_release_of_their_budgets_together() -> None:
    apart = CountAttack("1/2", [NoisyCount.spending(rho, ALONE) for rho in (RHO_BLOCK, RHO_GROUP)]).outlook()
    assert apart.posterior.upper == pytest.approx(alone("1/2", RHO_BLOCK + RHO_GROUP).outlook().posterior.upper, abs=1e-4)


def test_chances_sum_like_their_tails() -> None:
    law = weights(Fraction(5), 120)
    count = NoisyCount(5, 3)
    for released in (-20, 3, 4, 9, 30):
        assert within(count.chance(released), law[released - 4], 1e-11)


# Ties and thresholds -------------------------------------------------------------------------------------------------


def test_an_exact_tie_is_no_right_guess_whatever_floating_point_says() -> None:
    rest = NoisyCount(27 / (2 * RHO_BLOCK), 1, -1)
    attack = CountAttack("1/2", (NoisyCount.spending(RHO_BLOCK, ALONE), rest))
    assert attack.belief(1, 14).guess is False
    assert attack.belief(1, 13).guess is True
    assert attack.belief(1, 14).posterior.contains("1/2")
    # Half of the tied cases would be won by chance, or all of them by an unlucky rounding.
    assert attack.outlook().correct.upper == pytest.approx(0.5868, abs=5e-5)


@settings(deadline=None, max_examples=60)
@given(priors, scales, st.integers(-5, 5))
def test_the_threshold_is_where_the_guess_turns(prior: Fraction, scale: Fraction, known: int) -> None:
    attack = CountAttack(prior, (NoisyCount(scale, known),))
    turn = attack.threshold()
    assert attack.belief(turn).guess
    assert not attack.belief(turn - 1).guess
    with mp.workdps(40):
        closed = known + mp.floor(mp.mpf(1) / 2 + real(scale) * mp.log((1 - real(prior)) / real(prior))) + 1
    assert turn == closed


@given(priors, st.fractions(min_value=-5, max_value=5, max_denominator=50))
def test_signs_of_log_odds_are_those_of_sixty_digits(prior: Fraction, evidence: Fraction) -> None:
    with mp.workdps(60):
        total = mp.log(real(prior) / (1 - real(prior))) + real(evidence)
    assert sign(prior, evidence) == (0 if abs(total) < mp.mpf(10) ** -50 else mp.sign(total))


def test_signs_are_right_where_doubles_cannot_tell() -> None:
    with mp.workdps(60):
        digits = mp.nstr(mp.log(mp.mpf(3)), 50)
    close = Fraction(digits)
    assert sign(Fraction(1, 4), close + Fraction(1, 10**40)) == 1
    assert sign(Fraction(1, 4), close - Fraction(1, 10**40)) == -1


def test_the_chance_of_a_right_guess_is_not_monotone_in_the_budget() -> None:
    chances = [alone("1/5", Fraction(k, 100)).outlook().correct.upper for k in range(30, 60)]
    assert any(later < earlier for earlier, later in pairwise(chances))


# Properties ----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@example(Fraction(1, 500), [(Fraction(1, 20), -35)], 0)
@given(priors, st.lists(st.tuples(scales, counts), min_size=1, max_size=4), st.integers(-6, 6))
def test_log_odds_add_up_in_any_order_and_known_others_only_shift(
    prior: Fraction, released: list[tuple[Fraction, int]], known: int
) -> None:
    forward = CountAttack(prior, [NoisyCount(scale) for scale, _ in released]).belief(*(x for _, x in released))
    backward = CountAttack(prior, [NoisyCount(scale, known) for scale, _ in reversed(released)]).belief(
        *(x + known for _, x in reversed(released))
    )
    assert forward == backward
    total = sum((Fraction(2 * x - 1) / (2 * scale) for scale, x in released), Fraction(0))
    with mp.workdps(40):
        odds = mp.log(real(prior) / (1 - real(prior))) + real(total)
        expected = 1 / (1 + mp.exp(-odds))
        assert forward.posterior.lower <= expected <= forward.posterior.upper


@settings(deadline=None, max_examples=40)
@given(priors, scales, counts, st.integers(-5, 5))
def test_belief_rises_if_and_only_if_more_than_the_known_others_are_released(
    prior: Fraction, scale: Fraction, released: int, known: int
) -> None:
    belief = CountAttack(prior, (NoisyCount(scale, known),)).belief(released)
    if released > known:
        assert belief.posterior.upper > prior
    else:
        assert belief.posterior.lower < prior


@settings(deadline=None, max_examples=25)
@given(priors, scales)
def test_mean_risk_is_between_nothing_and_certainty_and_grows_with_releases(prior: Fraction, scale: Fraction) -> None:
    once = CountAttack(prior, (NoisyCount(scale),)).outlook()
    twice = CountAttack(prior, (NoisyCount(scale), NoisyCount(scale))).outlook()
    assert once.risk.upper >= 1
    assert twice.posterior.upper >= once.posterior.lower
    assert twice.risk.lower <= 1 / prior


def test_risk_goes_from_one_to_certainty() -> None:
    assert alone("1/5", Fraction(1, 10**6)).outlook().risk.upper == pytest.approx(1.0, abs=1e-5)
    assert alone("1/5", Fraction(60)).outlook().risk.lower == pytest.approx(5.0, abs=1e-9)


def test_naive_likelihoods_divide_zero_by_zero_where_log_odds_do_not() -> None:
    assert 0.0 < alone("1/2", Fraction(1, 10)).belief(-400).posterior.upper < 1e-30
    assert alone("1/2", Fraction(1, 10)).belief(400).posterior.lower > 1 - 1e-12
    assert alone("1/2", Fraction(50)).belief(-(10**6)).posterior.lower == 0.0
    assert alone("1/2", Fraction(50)).belief(-(10**6)).posterior.upper > 0.0


def test_scenarios_say_what_the_probability_is_about() -> None:
    assert [scenario.name for scenario in SCENARIOS] == ["attribute", "participation", "honesty", "one variable"]
    relabelled = {CountAttack("1/5", (NoisyCount(5),), scenario).outlook() for scenario in SCENARIOS}
    assert len(relabelled) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CountAttack("0", (NoisyCount(1),)), "strictly between 0 and 1"),
        (lambda: CountAttack("1", (NoisyCount(1),)), "strictly between 0 and 1"),
        (lambda: CountAttack("1/2", ()), "at least one"),
        (lambda: NoisyCount(0), "above 0"),
        (lambda: NoisyCount(1, 0, 0), "leave it out"),
        (lambda: NoisyCount.spending(0, ALONE), "more than nothing"),
        (lambda: NoisyCount(1).evidence("1/2"), "whole number"),
        (lambda: alone("1/2").belief(1, 2), "1 counts, got 2"),
        (lambda: CountAttack("1/2", [NoisyCount(1)] * 2).threshold(), "single count"),
        (lambda: CountAttack("1/2", (NoisyCount("1e15"),)).outlook(), "too wide"),
    ],
)
def test_bad_input_gets_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()
