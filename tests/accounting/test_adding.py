"""Accounts add up: both runs one after the other, or one of them several times, under one promise."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import accountant as ac
from accountant import Account, InvalidValue, PlanError, account, dp_sgd

NOISE = st.fractions(Fraction(1, 2), 4, max_denominator=8)


def run(sigma: Fraction | str, times: int = 1, **promise: Any) -> Account:
    release = ac.Gaussian(sigma=sigma).on(ac.Count()).repeated(times)
    return account(ac.Plan.of(release, **{"neighbours": "add-remove", **promise}))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(NOISE, st.integers(1, 4)), min_size=1, max_size=4), st.integers(1, 5))
def test_a_sum_costs_what_all_releases_cost_together(parts: list[tuple[Fraction, int]], times: int) -> None:
    whole = sum(run(*part) for part in parts) * times
    assert isinstance(whole, Account)
    assert whole.lens("zcdp").rho().exact == times * sum(count / (2 * sigma**2) for sigma, count in parts)
    assert len({release.name for release in whole.plan.releases}) == len(parts)


def test_a_sum_is_the_account_of_the_joined_plan() -> None:
    two = run("2", 3) + run("1")
    assert [(release.name, release.times) for release in two.plan.releases] == [
        ("gaussian on count", 3),
        ("gaussian on count (2)", 1),
    ]
    assert account(two.plan) == two
    assert two.epsilon(delta="1e-6") == account(ac.read_plan(two.plan.as_data())).epsilon(delta="1e-6")


def test_times_and_sums_agree_and_change_nothing() -> None:
    once = run("2")
    before = pickle.dumps(once.plan.as_data())
    assert (3 * once).epsilon(delta="1e-6") == (once * 3).epsilon(delta="1e-6")
    assert (once * 3).lens("zcdp").rho() == (once + once + once).lens("zcdp").rho()
    assert pickle.dumps(once.plan.as_data()) == before
    assert once.epsilon(delta="1e-6") == run("2").epsilon(delta="1e-6")


def test_names_stay_distinct_however_often_accounts_are_added() -> None:
    four = (run("2") + run("2")) + (run("2") + run("2"))
    assert [release.name for release in four.plan.releases] == [
        "gaussian on count",
        "gaussian on count (2)",
        "gaussian on count (3)",
        "gaussian on count (4)",
    ]


@pytest.mark.parametrize(
    ("promise", "words"),
    [
        (
            {"neighbours": "replace-one"},
            "one has 'add-remove' neighbours, the other 'replace-one' neighbours @ spec",
        ),
        ({"unit": "household"}, "one has the unit 'person', the other the unit 'household' @ specification.unit"),
        ({"group": 2}, "one has groups of 1, the other groups of 2"),
        ({"invariants": ["total"]}, 'one has no invariants, the other the invariants "total"'),
        ({"domain": "a survey"}, "one has the domain 'all datasets', the other the domain 'a survey'"),
        ({"attacker": "insider"}, "one has an attacker who is an outsider, the other an attacker who is an insider"),
    ],
)
def test_accounts_under_different_promises_do_not_add_up(promise: dict[str, Any], words: str) -> None:
    here, there = run("2", title="ours"), run("2", title="theirs", **promise)
    with pytest.raises(PlanError, match=f"'ours' and 'theirs' do not add up: {words}"):
        here + there
    with pytest.raises(PlanError, match="'theirs' and 'ours' do not add up"):
        there + here


def test_attributes_that_may_differ_are_part_of_the_promise() -> None:
    def narrow(*attributes: str) -> Account:
        release = ac.Gaussian(sigma="2").on(ac.Count(attributes))
        return account(ac.Plan.of(release, neighbours="replace-one", attributes=attributes))

    with pytest.raises(PlanError, match="differ in age only, the other units that differ in sex only"):
        narrow("age") + narrow("sex")


def test_every_difference_is_named_at_once() -> None:
    with pytest.raises(PlanError) as error:
        run("2") + run("2", neighbours="replace-one", unit="household")
    assert [fault.place for fault in error.value.faults] == ["specification.neighbours", "specification.unit"]


def test_a_sum_keeps_what_either_asks_for() -> None:
    first = run("2", budgets=[ac.Budget.of("zcdp", rho="1")], title="first", precision="1e-5")
    second = run("3", budgets=[ac.Budget.of("zcdp", rho="1"), ac.Budget.of("zcdp", rho="2")], title="second")
    both = (first + second).plan
    assert both.specification.budgets == second.plan.specification.budgets
    assert (both.title, both.precision) == ("first + second", first.plan.precision)


def test_a_scenario_that_means_something_else_in_each_is_refused() -> None:
    def asked(*attributes: str) -> Account:
        release = ac.Gaussian(sigma="2").on(ac.Histogram(["age", "sex"]))
        return account(ac.Plan.of(release, neighbours="replace-one", scenarios=[ac.Scenario("health", attributes)]))

    assert (asked("age") + asked("age")).plan.scenarios == asked("age").plan.scenarios
    with pytest.raises(PlanError, match=r"do not add up: by 'health' each means something else; .* @ scenario"):
        asked("age") + asked("sex")


def test_promises_that_only_sound_alike_do_not_add_up() -> None:
    here = run("2", neighbours="replace-one", attributes=["age, sex"])
    there = run("2", neighbours="replace-one", attributes=["age", "sex"])
    with pytest.raises(PlanError, match=r"do not add up.* @ specification\.attributes"):
        here + there


def test_a_sum_is_published_by_whoever_publishes_both() -> None:
    ours, theirs = (run("2", publication=ac.Publication(publisher=name)) for name in ("ours", "theirs"))
    assert (ours + ours).plan.publication == ours.plan.publication
    assert (ours + theirs).plan.publication is None


def test_accounts_of_different_registries_do_not_add_up() -> None:
    other = account(run("2").plan, registry=ac.Registry.load(disabled=["pbdp"]))
    with pytest.raises(InvalidValue, match="different registries do not add up"):
        run("2") + other


def test_phases_of_training_add_up() -> None:
    first = dp_sgd(noise_multiplier="1", sample_rate="0.01", steps=300)
    second = dp_sgd(noise_multiplier="2", sample_rate="0.02", steps=100)
    both = first + second
    assert both.epsilon(delta="1e-5").upper <= first.epsilon(delta="5e-6").upper + second.epsilon(delta="5e-6").upper
    assert both.epsilon(delta="1e-5").lower >= max(run.epsilon(delta="1e-5").lower for run in (first, second))
