"""Budgets that are called exceeded, in nested worlds: some datasets one step apart that are compared lose more.

Laplace noise on a histogram loses the L1 distance of the answers over its scale, and releases together the sum of that.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from accountant import Account, Budget, InvalidValue, PlanError, Verdict, account, read_plan
from accountant.promise.entities import Entities, Entity
from tests.promise.nested import Dataset, World, random_neighbours, random_world

Tables = list[tuple[str, frozenset[str]]]
ALLOWED = ("1/2", "1", "3/2", "2", "3", "4")


def written(entity: Entity, chance: random.Random) -> dict[str, Any]:
    """What is said of a sort; a few things that are true are left unsaid."""
    said: dict[str, Any] = {"name": entity.name, "attributes": sorted(entity.attributes or ())}
    if entity.derived:
        said["derived"] = sorted(entity.derived)
    if entity.within:
        said |= {"within": sorted(entity.within), "at_most": entity.at_most}
    for key in ("may_move", "may_resize", "may_be_empty"):
        if getattr(entity, key) is not None and chance.random() < 0.85:
            said[key] = getattr(entity, key)
    return said


def random_tables(world: World, chance: random.Random, many: list[int], unit: str) -> Tables:
    entities, found = Entities(tuple(world.sorts.values())), []
    for _ in range(chance.choice(many)):
        name = chance.choice([unit, *sorted(world.sorts)])
        had = sorted(entities.record(name) or ())
        found.append((name, frozenset(chance.sample(had, min(len(had), chance.choice([0, 1, 1, 2]))))))
    return found


def exceeds(world: World, start: Dataset, other: Dataset, exact: Tables, noisy: Tables) -> float:
    """What is lost between two datasets; nothing where they are not compared."""
    if any(world.counted(start, *table) != world.counted(other, *table) for table in exact):
        return 0.0
    lost = 0
    for table in noisy:
        one, two = world.counted(start, *table), world.counted(other, *table)
        lost += sum(abs(one[cell] - two[cell]) for cell in {*one, *two})
    return float(lost)


def judged(seed: int, everywhere: bool = False) -> str | None:
    """The verdict on a budget, with whether enumeration shows what is called exceeded."""
    chance = random.Random(seed)
    world = random_world(chance)
    neighbours = random_neighbours(world, chance)
    if neighbours is None:
        return None
    unit = neighbours.unit
    exact, noisy = random_tables(world, chance, [0, 0, 1, 1, 2], unit), random_tables(world, chance, [1, 1, 2], unit)
    allowed = chance.choice(ALLOWED)
    specification: dict[str, Any] = {
        "unit": unit,
        "neighbours": neighbours.relation.name,
        "entities": [written(entity, chance) for entity in world.sorts.values()],
        "invariants": [{"name": f"t{at}", "of": of, "counts_by": sorted(by)} for at, (of, by) in enumerate(exact)],
    }
    if neighbours.attributes is not None:
        specification["attributes"] = sorted(neighbours.attributes)
    releases = [
        {
            "name": f"r{at}",
            "query": {"kind": "histogram", "attributes": sorted(by), "of": of},
            "mechanism": {"kind": "laplace", "scale": "1"},
        }
        for at, (of, by) in enumerate(noisy)
    ]
    budget = [{"divergence": "pure", "epsilon": allowed}]
    try:
        found = account(read_plan({"specification": specification, "budget": budget, "release": releases}))
    except (PlanError, InvalidValue):
        return "refused"
    verdict = said(found, everywhere)
    if verdict is not Verdict.REFUTED:
        return verdict.value
    limit = float(found.plan.specification.budgets[0].limit)
    for number in range(3):
        for start in starts(world, number):
            for other in world.steps(start, neighbours):
                if exceeds(world, start, other, exact, noisy) > limit:
                    return "exceeded"
    return "nobody exceeds it"


def starts(world: World, number: int) -> list[Dataset]:
    trees = [tree for name, sort in world.sorts.items() if not sort.within for tree in world.trees(name)]
    return [world.read(chosen) for chosen in itertools.combinations_with_replacement(trees, number)]


def said(found: Account, everywhere: bool) -> Verdict:
    budget = found.plan.specification.budgets[0]
    verdict = found.check(budget)[1]
    if everywhere and verdict is Verdict.UNKNOWN:
        return Verdict.of(found.measure("pure").value.at_most(budget.limit))
    return verdict


@pytest.mark.slow
def test_what_is_called_exceeded_is_exceeded_by_datasets_that_are_compared() -> None:
    met = Counter(judged(seed) for seed in range(250))
    assert not met["nobody exceeds it"]
    assert min(met["exceeded"], met["unknown"], met["implied"]) > 10, met


def test_what_all_neighbours_lose_need_not_be_lost_between_compared_ones() -> None:
    """The oracle notices a verdict that goes by what is read between all neighbours."""
    assert any(judged(seed, everywhere=True) == "nobody exceeds it" for seed in range(60))


@pytest.mark.sweep
def test_what_is_called_exceeded_is_exceeded_over_many_worlds() -> None:
    assert not Counter(judged(seed) for seed in range(250, 3_250))["nobody exceeds it"]


@pytest.mark.parametrize(("by", "verdict"), [("kind", Verdict.UNKNOWN), ("place", Verdict.REFUTED)])
def test_sums_of_what_all_in_a_scope_have_alike_are_not_known_to_move(by: str, verdict: Verdict) -> None:
    """Whoever is in the scope of kind 2 has a kind of 2, and never the least and the most that it is bounded by."""
    release = {
        "name": "kinds",
        "query": {"kind": "attribute-sum", "attribute": "kind", "lower": 0, "upper": 4},
        "mechanism": {"kind": "laplace", "scale": "1"},
        "scope": {"partition": by, "part": "2"},
    }
    budget = [{"divergence": "pure", "epsilon": "3"}]
    found = account(read_plan({"specification": {"neighbours": "replace-one"}, "budget": budget, "release": [release]}))
    assert found.check(found.plan.specification.budgets[0])[1] is verdict


@pytest.mark.parametrize(
    ("exact", "known"),
    [
        ([], "exactly, by the product pair"),
        (["home"], "exactly, by the product pair"),
        (
            ["age"],
            "exactly, by the product pair, if neighbours that lose so much are there and compared; else an upper bound",
        ),
    ],
    ids=["nothing exact", "another attribute", "the same attribute"],
)
def test_a_number_is_known_between_datasets_that_are_compared(exact: list[str], known: str) -> None:
    """Of a histogram that is exact as well nothing noisy is lost: two is what neighbours lose that are not compared."""
    plan = {
        "specification": {
            "neighbours": "replace-one",
            "invariants": [{"name": f"by {name}", "counts_by": [name]} for name in exact],
        },
        "release": [
            {
                "name": "noisy",
                "query": {"kind": "histogram", "attributes": ["age"]},
                "mechanism": {"kind": "laplace", "scale": "1"},
            }
        ],
    }
    assert account(read_plan(plan)).measure("pure").known == known


@pytest.mark.parametrize(
    ("attributes", "verdict"), [(["place"], Verdict.REFUTED), (["age"], Verdict.REFUTED), (["eyes"], Verdict.UNKNOWN)]
)
def test_swapping_loses_nothing_of_what_it_leaves_alone(attributes: list[str], verdict: Verdict) -> None:
    """Two households that exchange their places lose much, and nobody who has other eyes does."""
    tables = [{"name": name, "counts_by": ["size", name]} for name in ("place", "age")]
    swapping = {"kind": "swapping", "version": "permute", "rate": "0.1", "strata": [20]}
    swapping |= {"stratify": ["size"], "swap": ["place"], "rest": ["age"]}
    promised = {"neighbours": "replace-one", "group": 2, "attributes": attributes, "invariants": tables}
    plan = read_plan({"specification": promised, "release": [{"name": "swapped", "mechanism": swapping}]})
    assert account(plan).check(Budget.of("pure", epsilon="1"))[1] is verdict
