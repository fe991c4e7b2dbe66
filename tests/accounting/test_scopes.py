"""Scopes in a plan: read, refused with a place and a remedy, accounted for, shown and certified."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from jsonschema import Draft202012Validator

from accountant import (
    Invariant,
    Neighbours,
    Plan,
    PlanError,
    Release,
    Scope,
    Specification,
    account,
    audit,
    calibrate,
    certify,
    default_registry,
    read_plan,
    verify,
)
from accountant.accounting import scopes as parallel
from accountant.accounting.theorems import PARALLEL
from accountant.errors import ReadingError
from accountant.plan.schema import plan_schema
from accountant.plugin import Relation
from accountant.promise.neighbours import REPLACE_ONE
from accountant.report import Summary, TextRenderer
from accountant_builtin.steps import NoOperation


def release(name: str, part: str | None = None, sigma: str = "10", partition: str = "state", **more: Any) -> dict[str, Any]:
    scope = {} if part is None else {"scope": {"partition": partition, "part": part}}
    return {"name": name, "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": sigma}, **scope, **more}


def plan(*releases: dict[str, Any], neighbours: str = "add-remove", **promised: Any) -> Plan:
    return read_plan(
        {
            "title": "By state",
            "specification": {"neighbours": neighbours, **promised},
            "budget": [{"divergence": "zcdp", "rho": "0.1"}],
            "release": list(releases),
        }
    )


def rho(loaded: Plan) -> Fraction | None:
    return account(loaded).measure("zcdp").value.exact


STATES = (release("Alabama", "AL"), release("Alaska", "AK", "5"), release("Arizona", "AZ"), release("all", sigma="20"))
# Moves of size 1 with noise sigma have rho = 1/(2 sigma^2): 1/200 at 10, 1/50 at 5, 1/800 at 20.


def test_one_record_is_in_the_worst_part_or_moves_between_the_two_worst() -> None:
    everyone, worst, other = Fraction(1, 800), Fraction(1, 50), Fraction(1, 200)
    assert rho(plan(*STATES)) == everyone + worst
    assert rho(plan(*STATES, neighbours="replace-one")) == everyone + worst + other
    assert rho(plan(*STATES, neighbours="replace-one", attributes=["state"])) == everyone + worst + other
    assert rho(plan(*STATES, neighbours="replace-one", attributes=["age"])) == everyone + worst


def test_staying_and_leaving_are_different_moves() -> None:
    """A sum between 100 and 101 moves by 1 when a record stays and by 101 when it leaves; a histogram by (1, -1) and 1."""
    total = release("total", "AL", query={"kind": "sum", "lower": "100", "upper": "101"})
    assert rho(plan(total, neighbours="replace-one", attributes=["income"])) == Fraction(1, 200)
    assert rho(plan(total, neighbours="replace-one")) == Fraction(101**2, 200)
    cells = release("cells", "AL", query={"kind": "histogram"})
    assert rho(plan(cells, neighbours="replace-one")) == Fraction(2, 200)


def test_a_query_that_reads_nothing_that_differs_still_sees_a_record_move_away() -> None:
    ages = release("ages", "AL", query={"kind": "histogram", "attributes": ["age"]})
    assert rho(plan(ages, neighbours="replace-one", attributes=["income"])) == 0
    assert rho(plan(ages, neighbours="replace-one", attributes=["state"])) == Fraction(1, 200)


def test_every_combination_of_partitions_counts() -> None:
    releases = (*STATES, release("young", "young", "4", "age"), release("old", "old", "10", "age"))
    assert rho(plan(*releases)) == Fraction(1, 800) + Fraction(1, 50) + Fraction(1, 32)
    both = Fraction(1, 800) + (Fraction(1, 50) + Fraction(1, 200)) + (Fraction(1, 32) + Fraction(1, 200))
    assert rho(plan(*releases, neighbours="replace-one")) == both
    stays = both - Fraction(1, 200)
    assert rho(plan(*releases, neighbours="replace-one", attributes=["age"])) == stays


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_scopes_never_cost_more_and_never_less_than_the_worst_part_alone(neighbours: str) -> None:
    releases = [release(f"part {number}", str(number), query={"kind": "histogram"}) for number in range(3)]
    releases += [release("laplace", "0", mechanism={"kind": "laplace", "scale": "7"}), release("all")]
    apart = account(plan(*releases, neighbours=neighbours))
    together = account(plan(*map(_open, releases), neighbours=neighbours))
    part = account(plan(*(_open(releases[number]) for number in (0, 3)), neighbours="add-remove"))
    for name, words in (("approx", {"delta": "1e-6"}), ("zcdp", {}), ("approx", {"epsilon": "1"})):
        value = apart.measure(name, words).value
        assert part.measure(name, words).value.lower <= value.upper
        assert value.lower <= together.measure(name, words).value.upper
        assert value.upper < together.measure(name, words).value.lower


def _open(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "scope"}


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_count_is_repetition_in_a_part(neighbours: str) -> None:
    counted = plan(release("twice", "AL", times=2), release("once", "AK"), neighbours=neighbours)
    repeated = plan(release("first", "AL"), release("second", "AL"), release("once", "AK"), neighbours=neighbours)
    for name, words in (("zcdp", {}), ("approx", {"delta": "1e-6"})):
        assert account(counted).measure(name, words).value == account(repeated).measure(name, words).value


def test_equal_parts_are_counted_once() -> None:
    counties = [release(f"county {number}", str(number), partition="county") for number in range(400)]
    assert [case.plan.title for case in account(plan(*counties)).whereabouts] == ["one person whose county is 0"]
    moved = account(plan(*counties, neighbours="replace-one"))
    assert [case.plan.title for case in moved.whereabouts] == [
        "one person whose county is 0 in both datasets",
        "one person whose county is 0 in one dataset and 1 in the other",
    ]
    assert moved.measure("zcdp").value.exact == Fraction(1, 100)


def test_an_absurd_number_of_cases_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "MOST_CASES", 10)
    parts = [release(str(number), str(number), sigma=str(number + 1)) for number in range(5)]
    assert len(account(plan(*parts)).whereabouts) == 5
    with pytest.raises(PlanError, match=r"more than 10 cases.*leave some scopes out.* @ release\[0\]\.scope"):
        account(plan(*parts, neighbours="replace-one"))
    others = [release(f"age {number}", str(number), sigma=str(number + 1), partition="age") for number in range(3)]
    with pytest.raises(PlanError, match=r"more than 10 cases.* @ release\[1\]\.scope"):
        account(plan(release("all"), *parts, *others))


def test_the_derivation_ends_with_the_worst_case() -> None:
    guarantee = account(plan(*STATES, neighbours="replace-one")).measure("zcdp")
    last = guarantee.derivation[-1]
    assert last.theorem == PARALLEL
    assert last.value == guarantee.value
    assert last.uses == (len(guarantee.derivation) - 1,)
    assert last.statement == (
        "rho of all releases together: the worst of 4 cases is "
        "one person whose state is AL in one dataset and AK in the other"
    )
    statements = [step.statement for step in guarantee.derivation]
    assert "'Alabama': the count moves by (1) between datasets with and without the person" in statements
    assert "'Alaska': the count moves by (1) between datasets without and with the person" in statements


def test_the_loss_of_an_account_is_that_of_its_only_case() -> None:
    assert account(plan(release("Alabama", "AL"))).loss == account(plan(release("Alabama"))).loss
    with pytest.raises(ReadingError, match="no single loss stands for 2 cases"):
        account(plan(release("Alabama", "AL"), release("Alaska", "AK", "5"))).loss  # noqa: B018


def test_adding_a_release_is_accounting_for_all() -> None:
    whole = plan(*STATES, neighbours="replace-one")
    started = account(plan(*STATES[:2], neighbours="replace-one"))
    assert started.adding(*whole.releases[2:]).measure("zcdp").value == account(whole).measure("zcdp").value


def test_published_formulas_take_the_worst_case() -> None:
    (apart,) = account(plan(*STATES[:3])).by_formulas("approx", delta="1e-6")[:1]
    (alone,) = account(plan(release("Alaska", sigma="5"))).by_formulas("approx", delta="1e-6")[:1]
    assert (apart.conversion, apart.value) == (alone.conversion, alone.value)


# Claims and samples ------------------------------------------------------------------------------------------------------


CLAIM = {"kind": "claim", "divergence": "zcdp", "rho": "0.01"}


def claimed(name: str, part: str) -> dict[str, Any]:
    return {"name": name, "mechanism": CLAIM, "scope": {"partition": "state", "part": part}}


def test_claims_of_different_parts_do_not_add_up() -> None:
    parts = [claimed("bought", "AL"), claimed("also bought", "AK")]
    assert rho(plan(*parts)) == Fraction(1, 100)
    assert rho(plan(*parts, neighbours="replace-one", attributes=["age"])) == Fraction(1, 100)


def test_what_is_only_stated_between_replaced_records_does_not_cover_moves() -> None:
    stated = release("stated", "AK", query={"kind": "vector", "shift": ["1"]})
    with pytest.raises(PlanError) as caught:
        account(plan(claimed("bought", "AL"), stated, release("fine", "AZ"), neighbours="replace-one"))
    assert [fault.place for fault in caught.value.faults] == ["release[0].scope", "release[1].scope"]
    reasons = ("what is claimed holds between the plan's own", "the shift is stated between the plan's own")
    for fault, reason in zip(caught.value.faults, reasons, strict=True):
        assert reason in fault.message
        assert "single out attributes without 'state', or promise 'add-remove' neighbours" in fault.message


def test_samples_of_parts_cost_what_the_worst_sample_costs() -> None:
    sampled = [
        release(name, name, "1", sampling={"kind": "poisson", "rate": rate}, times=10)
        for name, rate in (("AL", "0.1"), ("AK", "0.2"))
    ]
    worst = account(plan(_open(sampled[1])))
    apart = account(plan(*sampled))
    assert apart.measure("approx", delta="1e-5").value == worst.measure("approx", delta="1e-5").value


# Plans -------------------------------------------------------------------------------------------------------------------


def test_a_plan_with_scopes_is_read_written_and_certified() -> None:
    loaded = plan(*STATES, neighbours="replace-one")
    assert loaded.releases[0].scope == Scope("state", "AL")
    data = loaded.as_data()
    assert data["release"][0]["scope"] == {"partition": "state", "part": "AL"}
    assert read_plan(data) == loaded
    assert not list(Draft202012Validator(plan_schema(default_registry())).iter_errors(data))
    other = deepcopy(data)
    other["release"][0]["scope"]["part"] = "AR"
    assert read_plan(other).digest != loaded.digest
    certificate = certify(loaded)
    assert certificate.kept
    assert [item["costs"][0]["exact"] for item in certificate.data["releases"]] == ["0.005", "0.02", "0.005", "0.00125"]
    assert verify(certificate, loaded).differences == ()
    assert verify(certificate, read_plan(other)).verdict.value == "refuted"
    shown = TextRenderer().render(Summary().build(certificate, account(loaded)))
    assert "Alabama [state: AL]" in shown


def test_a_release_alone_costs_what_it_costs_where_it_costs_most() -> None:
    total = release("total", "AL", query={"kind": "sum", "lower": "1", "upper": "3"})
    certificate = certify(plan(total, neighbours="replace-one"))
    assert certificate.data["releases"][0]["costs"][0]["exact"] == "0.045"


@pytest.mark.parametrize(
    ("scope", "message", "place"),
    [
        ("AL", "expected a table, got 'AL'", "release[0].scope"),
        ({"partition": "state"}, "missing 'part': the value that the attribute has in this part", "release[0].scope"),
        ({"partition": "state", "part": ""}, "expected text, got an empty string", "release[0].scope.part"),
        ({"partition": 3, "part": "AL"}, "expected text, got 3", "release[0].scope.partition"),
        ({"partition": "state", "parts": "AL", "part": "AL"}, "unknown key 'parts'", "release[0].scope"),
    ],
)
def test_faults_have_a_place(scope: Any, message: str, place: str) -> None:
    with pytest.raises(PlanError) as caught:
        plan({**release("count"), "scope": scope})
    (fault,) = caught.value.faults
    assert message in fault.message
    assert fault.place == place


def test_scopes_of_groups_and_of_other_relations_are_refused() -> None:
    with pytest.raises(PlanError, match=r"a group of 2 may be in different parts.* @ release\[0\]\.scope"):
        plan(*STATES, group=2)
    loaded = plan(*STATES)
    pairs = Neighbours(Relation("pairs", frozenset({(2, 0), (0, 2)}), edits=False, meaning="two records come or go"))
    built = Plan("built", Specification(pairs), loaded.releases)
    with pytest.raises(PlanError, match=r"scopes between 'pairs' neighbours are not accounted for.* @ release\[0\]\.scope"):
        account(built)


@frozen
class Ages(NoOperation):
    """A mechanism that also shows exactly how many records have each age."""

    def publishes(self) -> tuple[Invariant, ...]:
        return (Invariant("ages", counts_by=["age"]),)


def test_a_part_whose_counts_are_published_exactly_is_refused() -> None:
    """What is declared are the counts over all records, which do not fix those of a part."""
    specification = Specification(Neighbours(REPLACE_ONE), Ages().publishes())
    everyone = Plan("exact", specification, (Release("ages", Ages()),))
    assert account(everyone).measure("pure").value.exact == 0
    part = Plan("exact", specification, (Release("ages", Ages(), scope=Scope("state", "AL")),))
    with pytest.raises(PlanError, match=r"publishes counts of the records that it sees exactly.* @ release\[0\]\.scope"):
        account(part)


def test_calibration_finds_the_noise_of_the_worst_part() -> None:
    found = calibrate(plan(*STATES[:3], neighbours="replace-one"))
    (guarantee,) = found.guarantees
    assert 0.0999 < guarantee.value.upper <= 0.1


def test_an_audit_looks_where_a_release_loses_most() -> None:
    total = release("total", "AL", sigma="30", query={"kind": "sum", "lower": "29", "upper": "30"})
    (audited,) = audit(plan(total, neighbours="replace-one"), samples=20_000, delta="1e-3")
    leaves = account(plan(_open(total))).measure("approx", delta="1e-3").value
    assert audited.claimed is not None
    assert audited.claimed.upper == pytest.approx(leaves.upper, rel=1e-6)
    assert audited.verdict == "consistent"


def test_what_a_mechanism_states_for_one_relation_is_not_used_for_another() -> None:
    """An epsilon given for replaced records says nothing about a record that leaves; a query says it by its shift."""
    chosen = {"name": "chosen", "mechanism": {"kind": "exponential", "epsilon": "1"}}
    scoped = {**chosen, "scope": {"partition": "state", "part": "AL"}}
    with pytest.raises(
        PlanError, match="what 'exponential' states holds between the plan's own neighbours only, but any 'add-remove'"
    ):
        account(plan(scoped, neighbours="replace-one"))
    assert account(plan(scoped)).measure("pure").value.exact == 1
    sampled = {**chosen, "sampling": {"kind": "without-replacement", "sample": 1, "population": 10}}
    with pytest.raises(
        PlanError, match="what 'exponential' states holds between the plan's own neighbours only, but any 'replace-one'"
    ):
        account(plan(sampled))
