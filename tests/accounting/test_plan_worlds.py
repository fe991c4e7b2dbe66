"""Plans against enumeration: what is said of a budget or a scenario holds between all pairs of a small world's datasets.

Noise on histograms has exact losses: Laplace noise loses the sum of all moves over its scale, Gaussian noise concentrates
with half the sum of squared moves over its variance.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from accountant import Account, InvalidValue, PlanError, Verdict, account, default_registry, read_plan
from accountant.plugin import NEIGHBOURS
from accountant.promise.specification import Scenario
from tests.analysis.worlds import FAR, moves, random_invariants, random_neighbours, steps, units_apart

REGISTRY = default_registry()


def random_plan(chance: random.Random, claimed: bool) -> dict[str, Any]:
    neighbours = random_neighbours(chance, dict(REGISTRY[NEIGHBOURS]))
    invariants = random_invariants(chance)
    name = chance.choice(["pure", "zcdp"])
    budget = {"divergence": name, {"pure": "epsilon", "zcdp": "rho"}[name]: chance.choice(["1/2", "1", "2", "3"])}
    specification: dict[str, Any] = {
        "neighbours": neighbours.relation.name,
        "group": neighbours.group,
        "invariants": [{"name": item.name, "counts_by": sorted(item.counts_by or ())} for item in invariants],
    }
    if neighbours.attributes is not None:
        specification["attributes"] = sorted(neighbours.attributes)
    noise = {"pure": {"kind": "laplace", "scale": "2"}, "zcdp": {"kind": "gaussian", "sigma": "1"}}[name]
    releases: list[dict[str, Any]] = [
        {
            "name": f"table {number}",
            "query": {"kind": "histogram", "attributes": chance.choice([["a"], ["b"], ["a", "b"]])},
            "mechanism": noise,
        }
        for number in range(chance.choice([1, 1, 2]))
    ]
    if claimed:
        releases = [{"name": "vendor", "mechanism": {"kind": "claim", **budget}}]
    return {"specification": specification, "budget": [budget], "release": releases}


def lost(data: dict[str, Any]) -> NDArray[np.float64]:
    """What is lost between any two datasets, exactly."""
    power = {"pure": 1, "zcdp": 2}[data["budget"][0]["divergence"]]
    return sum(
        (np.abs(moves(frozenset(item["query"]["attributes"]))) ** power).sum(axis=2) / 2.0 for item in data["release"]
    )


def claimed_lost(whole: Account) -> NDArray[np.float64]:
    """The most that may be lost between any two datasets if a claim holds between neighbours that are compared."""
    promised = whole.plan.specification
    budget = promised.budgets[0]
    compared = steps(promised)
    ways = shortest_path(np.where(compared == 1, 1.0, 0.0), unweighted=True)
    power = 1 if budget.divergence.name == "pure" else 2
    return float(budget.limit) * ways**power


def allowed(whole: Account) -> NDArray[np.float64]:
    """What the budget allows between any two datasets; anything where they are not compared."""
    promised = whole.plan.specification
    budget = promised.budgets[0]
    power = 1 if budget.divergence.name == "pure" else 2
    return float(budget.limit) * steps(promised) ** power


def judged(seed: int, claimed: bool, everywhere: bool = False) -> tuple[Verdict, bool] | None:
    """What is said of a budget, and whether it is kept; `everywhere` asks all neighbours instead of those compared."""
    data = random_plan(random.Random(seed), claimed)
    try:
        whole = account(read_plan(data))
    except PlanError:
        return None
    budget = whole.plan.specification.budgets[0]
    verdict = whole.check(budget)[1]
    if everywhere and verdict is not Verdict.VACUOUS:
        verdict = Verdict.of(whole.measure(budget.divergence.name, budget.at).value.at_most(budget.limit))
    compared = np.isfinite(steps(whole.plan.specification)) & (steps(whole.plan.specification) > 0)
    found = claimed_lost(whole) if claimed else lost(data)
    return verdict, bool((found <= allowed(whole) * (1 + 1e-12))[compared].all())


def check(seeds: range, claimed: bool) -> Counter[tuple[Verdict, bool] | None]:
    found = Counter(judged(seed, claimed) for seed in seeds)
    assert not found[Verdict.IMPLIED, False]
    assert not found[Verdict.REFUTED, True]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("claimed", [False, True], ids=["derived", "claimed"])
def test_no_budget_is_called_kept_that_some_datasets_exceed(claimed: bool) -> None:
    found = check(range(150), claimed)
    assert found[Verdict.IMPLIED, True] > 15
    assert found[Verdict.UNKNOWN, False] > (5 if claimed else 0)
    if not claimed:
        assert found[Verdict.REFUTED, False] > 15


def test_neighbours_that_are_not_compared_exceed_what_is_kept() -> None:
    """What is read between all neighbours would call budgets exceeded that every pair of compared datasets keeps."""
    assert Counter(judged(seed, False, everywhere=True) for seed in range(60))[Verdict.REFUTED, True] > 5


@pytest.mark.sweep
@pytest.mark.parametrize("claimed", [False, True], ids=["derived", "claimed"])
def test_no_budget_is_called_kept_that_some_datasets_exceed_over_many_worlds(claimed: bool) -> None:
    check(range(150, 10_150), claimed)


def scenario_holds(seed: int) -> str | None:
    """A scenario's distance and bound against all pairs that are compared and differ in it; which of both was said."""
    chance = random.Random(seed)
    data = random_plan(chance, claimed=False)
    data["specification"]["neighbours"] = "replace-one"
    data["specification"]["group"] = 1
    data["specification"].pop("attributes", None)
    whole = account(read_plan(data))
    about = chance.choice([["a"], ["b"], ["a", "b"]])
    try:
        inside = whole.within(Scenario("about", about))
    except InvalidValue:
        return None
    budget = whole.plan.specification.budgets[0]
    apart = units_apart("replace-one", frozenset(about))
    apart = np.where(np.isfinite(steps(inside.plan.specification)), apart, FAR)
    compared = np.isfinite(apart) & (apart > 0)
    closest = inside.closest
    if closest.least is None:
        assert not compared.any()
        return "vacuous"
    assert closest.least == closest.most == apart[compared].min()
    bound = inside.measure_between(closest.least, budget.divergence.name, budget.at).value
    assert lost(data)[apart == closest.least].max() <= bound.upper * (1 + 1e-12)
    return "near" if closest.least == 1 else "far"


@pytest.mark.slow
def test_scenarios_are_read_where_datasets_that_differ_in_them_are_compared() -> None:
    found = Counter(scenario_holds(seed) for seed in range(150))
    assert min(found["near"], found["far"]) > 15


@pytest.mark.sweep
def test_scenarios_are_read_where_they_are_compared_over_many_worlds() -> None:
    for seed in range(150, 10_150):
        scenario_holds(seed)


def question_holds(seed: int, forgets: str = "") -> str | None:
    """A question about fewer releases and more records, against all pairs so far apart; which was asked."""
    chance = random.Random(seed)
    data = random_plan(chance, claimed=False)
    data["specification"] |= {"neighbours": "replace-one", "group": 1}
    data["specification"].pop("attributes", None)
    whole = account(read_plan(data))
    left = [item["name"] for item in data["release"] if chance.random() < 0.4]
    about = chance.choice([None, None, ["a"], ["b"]])
    records = chance.choice([1, 2, 3])
    try:
        asked = Scenario("asked", about, left, records=records)
        inside = whole.within(asked)
    except InvalidValue:
        return None
    budget = whole.plan.specification.budgets[0]
    found = (
        inside.measure(budget.divergence.name, budget.at)
        if forgets == "records"
        else whole.learned(asked, budget.divergence.name, budget.at)
    )
    apart = units_apart("replace-one", None if about is None else frozenset(about))
    apart = np.where(np.isfinite(steps(inside.plan.specification)), apart, FAR)
    kept = {**data, "release": [item for item in data["release"] if item["name"] not in asked.without]}
    if forgets == "without":
        kept = data
    compared = np.isfinite(apart) & (apart > 0) & (apart <= records)
    if found is None or not compared.any():
        return None
    assert lost(kept)[compared].max() <= found.value.upper * (1 + 1e-12)
    return "without" if left else "records"


def test_questions_about_fewer_releases_or_more_records_hold_between_all_datasets_so_far_apart() -> None:
    found = Counter(question_holds(seed) for seed in range(120))
    assert min(found["without"], found["records"]) > 10


@pytest.mark.parametrize("forgets", ["without", "records"])
def test_an_answer_to_another_question_is_caught(forgets: str) -> None:
    """What is lost by releases that are left out, and what several records lose, is more than one answer bounds."""
    with pytest.raises(AssertionError):
        Counter(question_holds(seed, forgets) for seed in range(120))
