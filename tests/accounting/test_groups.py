"""Groups: several units that differ at once, in queries, claims and plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen

from accountant import (
    Neighbours,
    Plan,
    PlanError,
    PrivacyLoss,
    Specification,
    Theorem,
    account,
    certify,
    default_registry,
    read_plan,
    verify,
)
from accountant.accounting.farther import GroupRules
from accountant.loss import GaussianLoss, SampledLoss
from accountant.plan.schema import plan_schema
from accountant.plugin import Relation, Sampling, Vector
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from tests.plugins.builtin.test_query_shifts import QUERIES, VALUES, answers


@pytest.mark.parametrize("kind", sorted(QUERIES))
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE], ids=lambda relation: relation.name)
@pytest.mark.parametrize("group", [2, 3])
def test_a_group_moves_queries_as_far_as_any_small_datasets_say(kind: str, relation: Relation, group: int) -> None:
    datasets = [Counter(items) for size in range(6) for items in combinations_with_replacement(VALUES, size)]
    moves = []
    for left in datasets:
        for right in datasets:
            appear, disappear = sum((right - left).values()), sum((left - right).values())
            steps = appear + disappear if relation is ADD_REMOVE else appear
            if steps <= group and (relation is ADD_REMOVE or appear == disappear):
                moves.append([a - b for a, b in zip(answers(kind, left), answers(kind, right), strict=True)])
    shift = QUERIES[kind].shift(Neighbours(relation, group=group))
    assert shift.l1 == max(sum(abs(value) for value in move) for move in moves)
    assert shift.l2_squared == max(sum(value**2 for value in move) for move in moves)
    assert shift.linf == max(max(abs(value) for value in move) for move in moves)


def test_a_stated_shift_is_taken_as_often() -> None:
    shift = Vector(shift=["3", "-4"]).shift(Neighbours(REPLACE_ONE, group=3))
    assert (shift.l1, shift.l2_squared, shift.linf) == (21, 225, 12)
    assert shift.coordinates is None


def plan(group: int, *releases: dict[str, Any], neighbours: str = "replace-one") -> dict[str, Any]:
    named = [{"name": f"release {number}", **release} for number, release in enumerate(releases)]
    return {"specification": {"neighbours": neighbours, "group": group}, "release": named}


GAUSSIAN = {"query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "10"}}
RESPONSE = {"mechanism": {"kind": "randomised-response", "epsilon": "1/2"}}


@pytest.mark.parametrize("group", [1, 2, 5])
def test_a_household_costs_what_its_members_cost_together(group: int) -> None:
    assert account(read_plan(plan(group, GAUSSIAN))).measure("gdp").value.exact == Fraction(group, 10)
    assert account(read_plan(plan(group, RESPONSE))).measure("pure").value.exact == Fraction(group, 2)


@pytest.mark.parametrize(
    ("claim", "definition", "value"),
    [
        ({"divergence": "zcdp", "rho": "0.1"}, "zcdp", Fraction(9, 10)),
        ({"divergence": "pure", "epsilon": "0.1"}, "pure", Fraction(3, 10)),
        ({"divergence": "gdp", "mu": "0.1"}, "gdp", Fraction(3, 10)),
    ],
)
def test_a_claim_about_one_unit_grows_with_the_group(claim: dict[str, str], definition: str, value: Fraction) -> None:
    whole = account(read_plan(plan(3, {"mechanism": {"kind": "claim", **claim}})))
    guarantee = whole.measure(definition)
    assert guarantee.value.exact == value
    assert any("between datasets that differ in up to 3 units" in step.statement for step in guarantee.derivation)


def test_sampling_between_groups_is_refused_with_the_remedy() -> None:
    sampled = {**GAUSSIAN, "sampling": {"kind": "poisson", "rate": "0.1"}}
    with pytest.raises(PlanError, match="between groups of 2 is not accounted for; leave the sampling out"):
        read_plan(plan(2, sampled, neighbours="add-remove"))


@frozen
class EveryOther(Sampling):
    """A sampling that does not think of groups."""

    kind: ClassVar[str] = "every-other"
    theorem: ClassVar[Theorem] = Theorem("every-other", "It holds.", "accountant", "tests", assurance="claimed")

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return SampledLoss.of(between(neighbours.relation), "1/2")


@frozen
class ProvenForGroups(EveryOther):
    """One that does."""

    covers_groups: ClassVar[bool] = True


def test_a_sampling_that_says_nothing_of_groups_is_refused() -> None:
    neighbours = Neighbours(ADD_REMOVE, group=2)
    release = read_plan(plan(1, GAUSSIAN)).releases[0]
    silent, proven = (
        Plan("built", Specification(neighbours), (evolve(release, sampling=sampling),))
        for sampling in (EveryOther(), ProvenForGroups())
    )
    with pytest.raises(PlanError, match=r"between groups of 2 is not accounted for.* @ release\[0\]\.sampling"):
        account(silent)
    assert account(proven).loss == SampledLoss(GaussianLoss("4/100"), "1/2")


@pytest.mark.parametrize("group", ["0", "1.5", "many", 10**9])
def test_a_group_is_a_whole_number_of_units(group: Any) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan(plan(group, GAUSSIAN))
    assert {fault.place for fault in caught.value.faults} == {"specification.group"}


def test_a_plan_for_groups_is_written_certified_and_described() -> None:
    data = plan(4, GAUSSIAN)
    data["budget"] = [{"divergence": "zcdp", "rho": "0.08"}]
    loaded = read_plan(data)
    assert read_plan(loaded.as_data()) == loaded
    certificate = certify(loaded)
    assert certificate.kept
    assert certificate.data["specification"]["group"] == 4
    assert verify(certificate, loaded).differences == ()
    assert plan_schema(default_registry())["$defs"]["specification"]["properties"]["group"]["minimum"] == 1


@pytest.mark.parametrize(
    "release",
    [
        {"name": "claimed", "mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "1"}},
        {
            "name": "stated",
            "query": {"kind": "vector", "shift": ["1"]},
            "mechanism": {"kind": "laplace", "scale": "1"},
        },
    ],
    ids=lambda release: release["name"],
)
def test_what_is_known_between_neighbours_is_not_chained_where_the_way_may_leave_the_universe(
    release: dict[str, object],
) -> None:
    """With a public total no neighbours agree on it: chaining would make a promise out of none."""
    plan: dict[str, Any] = {"specification": {"neighbours": "replace-one", "group": 2}, "release": [release]}
    assert account(read_plan(plan)).measure("pure").value.upper == 2.0
    plan["specification"]["invariants"] = ["total"]
    with pytest.raises(PlanError, match="need not be connected by such"):
        account(read_plan(plan))


def test_a_delta_that_grows_with_the_steps_is_not_forgotten() -> None:
    """Two steps of (1, 1e-6) allow (2, 1e-6 (1 + e)): at the delta of one step nothing follows."""
    claim = {"kind": "claim", "divergence": "approx", "epsilon": "1", "delta": "1e-6"}
    known = account(
        read_plan({"specification": {"neighbours": "add-remove"}, "release": [{"name": "c", "mechanism": claim}]})
    )
    rules = GroupRules(known.measure, known.registry, 2)
    assert rules.least("approx", {"delta": Fraction(1, 10**6)}) is None
    pure = {"kind": "laplace", "scale": "2"}
    counted = {"name": "n", "query": {"kind": "count"}, "mechanism": pure}
    noisy = account(read_plan({"specification": {"neighbours": "add-remove"}, "release": [counted]}))
    found = GroupRules(noisy.measure, noisy.registry, 2).least("pure", {})
    assert found is not None
    assert (found.value.upper, found.evidence) == (1.0, "rule for groups")
