"""Plans that are made in Python are the plans that files say, with the same faults, and names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import accountant as ac
from accountant import PlanError, account, read_plan

EXAMPLES = Path(__file__).parents[2] / "examples"
COUNT = ac.Laplace(scale="2").on(ac.Count(["age"]))


def test_releases_that_nobody_named_have_readable_names_of_their_own() -> None:
    again = ac.Laplace(scale="3").on(ac.Count(["age"])).named("laplace on count of age (2)")
    plan = ac.Plan.of(COUNT, COUNT, again, ac.NoOperation(), ac.NoOperation(), neighbours="add-remove")
    assert [release.name for release in plan.releases] == [
        "laplace on count of age",
        "laplace on count of age (3)",
        "laplace on count of age (2)",
        "no-op",
        "no-op (2)",
    ]
    assert read_plan(plan.as_data()) == plan


def test_a_name_that_is_given_twice_is_refused() -> None:
    with pytest.raises(PlanError, match=r"two releases are called 'x'; give each its own name .* @ release\[1\].name"):
        ac.Plan.of(COUNT.named("x"), COUNT.repeated(2).named("x"), neighbours="add-remove")


def test_repetition_multiplies_and_a_changed_release_is_a_new_one() -> None:
    assert COUNT.repeated(3).repeated(2).times == 6
    assert COUNT.times == 1
    sampled = COUNT.sampled(ac.Poisson(rate="1/2"))
    assert (sampled.sampling, COUNT.sampling) == (ac.Poisson("1/2"), None)
    with pytest.raises(ac.InvalidValue, match="is on a 'poisson' sample already"):
        sampled.sampled(ac.Poisson(rate="1/2"))


def test_everything_that_a_file_may_say_can_be_given_by_name() -> None:
    plan = ac.Plan.of(
        ac.Gaussian(sigma="8").on(ac.Histogram(["age", "sex"])).named("table"),
        neighbours="replace-one",
        unit="household",
        attributes=["age", "sex"],
        invariants=[ac.Invariant("total", counts_by=[])],
        domain=ac.Domain("a survey", ["age", "sex"]),
        attacker="insider",
        budgets=[ac.Budget.of("zcdp", rho="1")],
        title="A table",
        precision="1e-5",
        questions=[ac.Question.of("approx", delta="1e-6")],
        scenarios=[ac.Scenario("age", ["age"])],
        risks=[ac.Constant(ratio="3", neighbours="replace-one")],
    )
    assert read_plan(plan.as_data()) == plan


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"attributes": ["age"]}, "differ by a whole person"),
        (
            {"domain": ac.Domain("x", ["sex"])},
            r"'laplace on count of age': 'age' is not an attribute .* @ release",
        ),
        ({"scenarios": [ac.Scenario("s", ["sex"])]}, r"no release depends on 'sex'.* @ scenario\[0\].attributes"),
    ],
)
def test_what_does_not_fit_is_refused_as_in_a_file(change: dict[str, object], words: str) -> None:
    with pytest.raises(ac.AccountantError, match=words):
        ac.Plan.of(COUNT, **{"neighbours": "add-remove", **change})  # type: ignore[arg-type]


def test_an_attribute_that_is_misspelt_costs_nothing_nowhere() -> None:
    release = ac.Laplace(scale="1").on(ac.Count(["diabtes"]))
    with pytest.raises(PlanError, match=r"diabetes.* @ release\[0\].query.attributes"):
        ac.Plan.of(release, neighbours="replace-one", attributes=["age", "diabetes"])


def test_all_faults_of_a_plan_come_at_once() -> None:
    covered = ac.KRandomisedResponse(categories=3, epsilon="1")
    with pytest.raises(PlanError) as error:
        ac.Plan.of(covered, COUNT.sampled(ac.Poisson("1/2")), covered, neighbours=ac.Neighbours.of("add-remove", group=2))
    assert [fault.place for fault in error.value.faults] == [
        "release[0].mechanism",
        "release[1].sampling",
        "release[2].mechanism",
    ]
    assert [fault.name for fault in error.value.faults] == [
        "k-randomised-response",
        "laplace on count of age",
        "k-randomised-response (2)",
    ]


def test_a_plan_without_releases_is_refused() -> None:
    with pytest.raises(PlanError, match="a plan needs at least one release"):
        ac.Plan.of(neighbours="add-remove")
    with pytest.raises(PlanError, match="a plan needs at least one release"):
        account([], neighbours="add-remove")


def test_one_account_in_whatever_form_the_plan_is_given() -> None:
    plan = ac.load_plan(EXAMPLES / "survey.toml")
    known = account(plan)
    forms = (str(EXAMPLES / "survey.toml"), EXAMPLES / "survey.toml", plan.as_data(), known)
    assert all(account(form) == known for form in forms)
    assert len({ac.certify(form).to_json() for form in (*forms, plan)}) == 1


def test_releases_alone_are_accounted_for_between_the_neighbours_that_are_named() -> None:
    listed = account([COUNT, ac.Claim.of("pure", epsilon="1/4")], neighbours="add-remove")
    assert listed.lens("pure").epsilon().upper == 0.75
    assert account(COUNT, neighbours="replace-one").plan.specification.neighbours.relation.name == "replace-one"
    assert account(ac.NoOperation(), neighbours="add-remove").lens("pure").epsilon().upper == 0


def test_a_file_that_is_not_there_is_a_fault_with_its_name() -> None:
    with pytest.raises(PlanError, match=r"nowhere\.toml"):
        account("nowhere.toml")
