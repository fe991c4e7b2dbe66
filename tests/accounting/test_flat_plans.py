"""Accounts of plans about every relation, cohort, scope and scenario, against all pairs of datasets of small flat worlds.

Laplace noise loses the L1 distance of answers, divided by its scale, and Gaussian noise half the squared L2 distance,
divided by its variance; whole noise of either kind loses no more. No answer is computed by the code that is tried.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from accountant import Budget, Cohort, PlanError, Scenario, Verdict, account, read_plan
from accountant_premetrics.values import Blowfish, Metric
from accountant_premetrics.zero_out import ZeroOut
from tests.analysis.flat_worlds import PLACES, VALUES, Dataset, Promise, counts, datasets, random_promise

Answer = Callable[[Dataset], Counter[Any]]


def histogram(by: list[str]) -> Answer:
    return lambda data: counts(data, frozenset(by))


def total(low: int, high: int) -> Answer:
    return lambda data: Counter({"sum": sum(min(max(int(record[0]), low), high) for record in data if record)})


def crossed(thresholds: list[int]) -> Answer:
    return lambda data: Counter({most: sum(int(record[0]) <= most for record in data if record) for most in thresholds})


def of_those(answer: Answer, by: str, value: str) -> Answer:
    return lambda data: answer(tuple(record for record in data if record and record[PLACES[by]] == value))


def random_release(chance: random.Random, definition: str) -> tuple[dict[str, Any], Answer, int]:
    """A release, what it answers on any dataset, and the scale of its noise."""
    chosen = {"chosen_by": ["b"]} if chance.random() < 0.4 else {}
    low, high = sorted(chance.choices(range(-1, 5), k=2))
    steps, by = sorted(chance.sample(range(4), chance.choice([1, 2, 3]))), chance.choice([["a"], ["b"], ["a", "b"]])
    kinds: list[tuple[dict[str, Any], Answer]] = [
        ({"kind": "histogram", "attributes": by}, histogram(by)),
        ({"kind": "attribute-sum", "attribute": "a", "lower": low, "upper": high, **chosen}, total(low, high)),
        ({"kind": "thresholds", "attribute": "a", "thresholds": steps, **chosen}, crossed(steps)),
    ]
    query, answer = chance.choice(kinds)
    answer = of_those(answer, "b", "1") if "chosen_by" in query else answer
    scale, word = chance.choice([1, 2, 3]), "scale" if definition == "pure" else "sigma"
    noise = chance.choice(["laplace", "geometric"] if definition == "pure" else ["gaussian", "discrete-gaussian"])
    release: dict[str, Any] = {"query": query, "mechanism": {"kind": noise, word: scale}}
    if chance.random() < 0.3:
        part = chance.choice([(by, value) for by in VALUES for value in VALUES[by]])
        release["scope"], answer = {"partition": part[0], "part": part[1]}, of_those(answer, *part)
    return release, answer, scale


def lost(releases: list[tuple[Answer, int]], definition: str, left: Dataset, right: Dataset) -> float:
    found = 0.0
    for answer, scale in releases:
        one, other = answer(left), answer(right)
        moves = [one[cell] - other[cell] for cell in {*one, *other}]
        pure = definition == "pure"
        found += sum(map(abs, moves)) / scale if pure else sum(move**2 for move in moves) / (2 * scale**2)
    return found


def written(budget: Budget) -> dict[str, Any]:
    stated = {budget.divergence.primary.value: str(budget.limit), "divergence": budget.divergence.name}
    cohort = budget.cohort
    if cohort is None:
        return stated
    sizes = {} if cohort.at_least is None else {"at_least": cohort.at_least, "at_most": cohort.at_most}
    values = {} if cohort.values is None else {"values": sorted(cohort.values)}
    return {**stated, "cohort": {"by": sorted(cohort.by), **sizes, **values}}


def specified(chance: random.Random, definition: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    promised = random_promise(chance, definition)
    relation, attributes = promised.neighbours.relation, promised.neighbours.attributes
    near: Any = relation.name
    if isinstance(relation.policy, Metric):
        near = {"kind": "metric", "attribute": "a", "step": str(relation.policy.step)}
    elif isinstance(relation.policy, Blowfish):
        near = {"kind": "blowfish", "attribute": "a", "values": list(VALUES["a"])}
        near["edges"] = [list(listed) for listed in relation.policy.edges]
    exact = [
        {"name": item.name, "counts_by": sorted(item.counts_by or ()), "fixed": item.fixed} for item in promised.invariants
    ]
    data = {"neighbours": near, "group": promised.neighbours.group, "invariants": exact, "inside": chance.random() < 0.4}
    data["domain"] = {"name": "all datasets", "attributes": ["a", "b"]}
    named = {} if relation.policy is not None or attributes is None else {"attributes": sorted(attributes)}
    return data | named, [written(budget) for budget in promised.budgets]


def check(seeds: range) -> Counter[str]:
    """What was met; no promise, distance or scenario that a pair of datasets contradicts."""
    met = Counter[str]()
    for seed in seeds:
        chance = random.Random(seed)
        definition, same = chance.choice(["pure", "zcdp"]), chance.choice(datasets(False))
        specification, budgets = specified(chance, definition)
        made = [random_release(chance, definition) for _ in range(chance.choice([1, 2]))]
        releases = [(answer, scale) for _, answer, scale in made]
        data = [{"name": f"release {place}", **release} for place, (release, _, _) in enumerate(made)]
        plan = {"title": "x", "specification": specification, "budget": budgets, "release": data}
        try:
            found = account(read_plan(plan))
        except PlanError:
            met["refused"] += 1
            continue
        promised = found.plan.specification
        promise = Promise(promised, same, isinstance(promised.neighbours.relation.policy, ZeroOut))
        power = 1 if definition == "pure" else 2
        for budget in promised.budgets:
            value, verdict = found.check(budget)
            met[verdict.value] += 1
            for left, others in promise.apart(budget.cohort).items():
                for right, steps in others.items():
                    assert verdict is not Verdict.VACUOUS, (seed, left, right)
                    most = value.value.upper * steps**power
                    assert lost(releases, definition, left, right) <= most * (1 + 1e-9), (seed, left, right)
        scenario = Scenario("two", records=2)
        learned = found.learned(scenario, definition)
        closest = found.within(scenario).closest
        single = Promise(evolve(promised, neighbours=evolve(promised.neighbours, group=1)), same, promise.nulls)
        apart = [(steps, pair) for pair, steps in pairs(single)]
        assert not apart or closest.least is not None, seed
        if learned is not None and closest.least is not None:
            assert all(steps >= closest.least for steps, _ in apart), seed
            near = [pair for steps, pair in apart if steps <= max(2, closest.least)]
            worst = max((lost(releases, definition, *pair) for pair in near), default=0.0)
            assert worst <= learned.value.upper * (1 + 1e-9), seed
            met["scenarios"] += 1
    return met


def pairs(promise: Promise) -> list[tuple[tuple[Dataset, Dataset], float]]:
    return [((left, right), steps) for left, others in promise.apart(None).items() for right, steps in others.items()]


@pytest.mark.slow
def test_no_account_of_a_flat_world_is_too_small() -> None:
    met = check(range(40))
    assert min(met[kind] for kind in ("implied", "vacuous", "refuted", "unknown", "scenarios")) > 2, met


@pytest.mark.sweep
def test_no_account_of_many_flat_worlds_is_too_small() -> None:
    check(range(40, 6_000))


# What the worlds found ------------------------------------------------------------------------------------------------


def about(near: dict[str, Any], group: int, **more: Any) -> Any:
    values = {"divergence": "pure", "epsilon": "2", "cohort": {"by": "a", "values": ["0", "3"]}}
    query = {"kind": "thresholds", "attribute": "a", "thresholds": [0, 2]}
    release = {"name": "x", "query": query, "mechanism": {"kind": "laplace", "scale": "1"}}
    specification = {"neighbours": {"attribute": "a", **near}, "group": group}
    return read_plan({"title": "x", "specification": specification, "budget": [values], "release": [release], **more})


LINE = {"kind": "blowfish", "values": ["0", "1", "2", "3", "7"], "edges": [["0", "1"], ["1", "3"], ["2", "7"]]}


@pytest.mark.parametrize(
    ("near", "group", "vacuous"),
    [
        (LINE, 1, True),
        (LINE, 2, False),
        ({**LINE, "edges": [["0", "1"], ["2", "3"]]}, 4, True),
        ({"kind": "metric", "step": "1"}, 2, True),
        ({"kind": "metric", "step": "1"}, 3, False),
    ],
)
def test_a_group_may_lead_from_one_value_of_a_cohort_to_another(near: dict[str, Any], group: int, vacuous: bool) -> None:
    plan = about(near, group)
    verdict = account(plan).check(plan.specification.budgets[0])[1]
    assert (verdict is Verdict.VACUOUS) == vacuous
    apart = Promise(plan.specification).apart(Cohort("a", values=["0", "3"]))
    assert any(apart.values()) != vacuous


def test_inside_a_universe_nothing_is_exceeded_between_neighbours_that_are_not_compared() -> None:
    exact = {"name": "by b", "counts_by": ["b"]}
    query = {"kind": "thresholds", "attribute": "a", "thresholds": [0, 2, 3]}
    release = {"name": "x", "query": query, "mechanism": {"kind": "laplace", "scale": "1"}}
    plan = {
        "title": "x",
        "specification": {"neighbours": "add-remove", "invariants": [exact], "inside": True},
        "budget": [{"divergence": "pure", "epsilon": "2"}],
        "release": [release],
    }
    found = account(read_plan(plan))
    value, verdict = found.check(found.plan.specification.budgets[0])
    # Two steps lead to the closest, which lose 3 at most: 3/2 for each step, and no more than the budget allows.
    assert (value.value.lower, value.value.upper, verdict) == (0.0, 3.0, Verdict.UNKNOWN)
