"""Budgets of cohorts in plans, certificates, reports and comparisons: understood, or refused with the place."""

from __future__ import annotations

import pytest

from accountant import (
    Budget,
    Certificate,
    Cohort,
    Histogram,
    Plan,
    Release,
    Scope,
    Verdict,
    account,
    certify,
    difference,
    read_plan,
    verify,
)
from accountant.errors import InvalidValue, PlanError
from accountant.ledger.terms import read_terms
from accountant.promise.specification import Knowledge
from accountant_noise import Gaussian
from accountant_pufferfish import Independent

CAREFUL = Cohort("tier", ["careful"])


def tiers(*budgets: Budget) -> Plan:
    return Plan.of(
        Gaussian(sigma=3).on(Histogram(["age"])).named("by age"),
        Release("by town", Gaussian(sigma=1), Histogram(["town"]), scope=Scope("tier", "ordinary")),
        neighbours="add-remove",
        budgets=budgets or (Budget.of("zcdp", rho="0.1", cohort=CAREFUL), Budget.of("zcdp", rho="1")),
    )


def faults(change: dict[str, object], **more: object) -> list[str]:
    """What is wrong with a budget of a cohort, with its place."""
    data = tiers().as_data() | more
    data["budget"] = [{"divergence": "pure", "epsilon": "1", "cohort": change}]
    with pytest.raises(PlanError) as caught:
        read_plan(data)
    return [f"{fault.place}: {fault.message}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("cohort", "place", "message"),
    [
        ({"by": []}, "budget[0].cohort.by", "at least one attribute"),
        ({"by": "tier", "values": []}, "budget[0].cohort.values", "at least one value"),
        ({"by": "tier"}, "budget[0].cohort", "'values', or by how many"),
        ({"by": "tier", "values": ["a"], "at_most": 3}, "budget[0].cohort", "'values', or by how many"),
        ({"by": ["tier", "age"], "values": ["a"]}, "budget[0].cohort", "name one"),
        ({"by": "tier", "at_most": 0}, "budget[0].cohort.at_most", "must be at least 1"),
        ({"by": "tier", "at_least": 5, "at_most": 4}, "budget[0].cohort", "is nobody"),
        ({"by": "tier", "at_most": 4}, "budget[0].cohort.by", "no table that is published exactly fixes"),
        ({"by": "tier", "valeus": ["a"]}, "budget[0].cohort", "values"),
    ],
)
def test_a_cohort_that_means_nothing_is_refused_with_its_place(cohort: dict[str, object], place: str, message: str) -> None:
    found = faults(cohort)
    assert any(line.startswith(place) and message in line for line in found), found


def test_an_attribute_that_no_record_has_is_refused() -> None:
    promised = {"neighbours": "add-remove", "domain": {"name": "customers", "attributes": ["age", "town", "tier"]}}
    (found,) = faults({"by": "teir", "values": ["careful"]}, specification=promised)
    assert found.startswith("budget[0].cohort.by: 'teir' is not an attribute")
    assert "did you mean 'tier'" in found


def test_each_budget_is_held_against_its_own_units() -> None:
    whole = account(tiers())
    (careful, kept), (everybody, also) = (whole.check(budget) for budget in whole.plan.specification.budgets)
    assert (kept, also) == (Verdict.IMPLIED, Verdict.IMPLIED)
    assert (careful.value.exact, everybody.value.exact) == (pytest.approx(1 / 18), pytest.approx(5 / 9))
    assert careful.cohort == CAREFUL
    assert everybody.cohort is None
    assert whole.check(Budget.of("zcdp", rho="0.1"))[1] is Verdict.REFUTED


def test_certificates_carry_the_cohort_and_verify() -> None:
    certificate = certify(tiers())
    again = Certificate.parse(certificate.to_json())
    assert again.plan() == tiers()
    assert verify(again, tiers()).verdict is Verdict.IMPLIED
    assert str(again.contents.budgets[0].guarantee.cohort) == "units whose tier is careful"
    assert [cost.upper for cost in again.contents.releases[1].costs or ()] == ["0", "0.5"]
    assert "cohort" not in certify(tiers(Budget.of("zcdp", rho="1"))).to_json()


def test_units_without_a_budget_are_named_before_all_else() -> None:
    lonely = tiers(Budget.of("zcdp", rho="1", cohort=CAREFUL))
    (warning,) = lonely.warnings
    assert warning.place == "budget"
    assert "nor of a unit that changes" in warning.message
    assert not tiers().warnings
    (misspelt, _) = sorted(
        tiers(Budget.of("zcdp", rho="1", cohort=Cohort("tier", ["ordinery"]))).warnings, key=lambda found: found.message
    )[::-1]
    assert "did you mean 'ordinary'" in misspelt.message


def test_a_cohort_that_no_release_looks_at_is_said_to_be_so() -> None:
    plan = Plan.of(
        Release("by town", Gaussian(sigma=1), Histogram(["town"]), scope=Scope("tier", "ordinary")),
        neighbours="add-remove",
        budgets=(Budget.of("zcdp", rho="1", cohort=CAREFUL),),
    )
    guarantee, _ = account(plan).check(plan.specification.budgets[0])
    assert guarantee.value.upper == 0
    assert guarantee.remark == "no release looks at these units"


def test_nothing_is_promised_where_a_cohort_is_all_that_differs() -> None:
    plan = Plan.of(Gaussian(sigma=1).on(Histogram(["tier"])), neighbours="replace-one", attributes=["tier"])
    assert account(plan).check(Budget.of("zcdp", rho="9", cohort=CAREFUL))[1] is Verdict.VACUOUS


def test_what_reads_the_attribute_is_never_said_to_exceed_the_budget_of_a_cohort() -> None:
    """Between careful customers a histogram by tier does not move."""
    plan = Plan.of(Gaussian(sigma=1).on(Histogram(["tier"])), neighbours="replace-one")
    found, verdict = account(plan).check(Budget.of("zcdp", rho="0.1", cohort=CAREFUL))
    assert verdict is Verdict.UNKNOWN
    assert found.value.lower == 0


def test_ledgers_and_public_information_refuse_cohorts() -> None:
    data = tiers().as_data()
    with pytest.raises(PlanError, match="a ledger keeps budgets of all units") as caught:
        read_terms({key: value for key, value in data.items() if key != "release"})
    assert caught.value.faults[0].place == "budget[0].cohort"
    with pytest.raises(InvalidValue, match="for all units"):
        Knowledge(Independent("friends"), tiers().specification.budgets)


def test_a_difference_compares_cohorts_with_themselves() -> None:
    found = difference(tiers(), tiers(Budget.of("zcdp", rho="1")))
    assert [cost.reading for cost in found.costs] == ["zcdp rho for units whose tier is careful", "zcdp rho"]
    first = found.costs[0]
    assert first.before is not None
    assert first.after is not None
    assert first.before.guarantee.value == first.after.guarantee.value


@pytest.mark.parametrize(
    ("edges", "values", "vacuous"),
    [
        (None, ["a"], True),
        (None, ["a", "b"], False),
        ([["a", "c"], ["b", "c"]], ["a", "b"], True),
        ([["a", "c"], ["b", "c"]], ["a", "c"], False),
        ([["a", "b"], ["b", "c"]], ["a", "b"], False),
    ],
)
def test_a_cohort_within_which_no_step_leads_is_vacuous_and_never_kept(
    edges: list[list[str]] | None, values: list[str], vacuous: bool
) -> None:
    policy = {"kind": "blowfish", "attribute": "tier", "values": ["a", "b", "c"], "edges": edges}
    specification = {"neighbours": policy} if edges else {"neighbours": "replace-one", "attributes": ["tier"]}
    plan = read_plan(
        {
            "title": "Tiers",
            "specification": specification,
            "budget": [{"divergence": "zcdp", "rho": "9", "cohort": {"by": "tier", "values": values}}],
            "release": [
                {
                    "name": "by tier",
                    "query": {"kind": "histogram", "attributes": ["tier"]},
                    "mechanism": {"kind": "gaussian", "sigma": "1"},
                }
            ],
        }
    )
    (budget,) = certify(plan).contents.budgets
    assert budget.verdict is (Verdict.VACUOUS if vacuous else Verdict.IMPLIED)
