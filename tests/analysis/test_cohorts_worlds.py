"""Implications between budgets of cohorts, against enumeration: all pairs of datasets of a small world.

What keeps all budgets of the first promise and spends most is known where units come and go: noise on how many have each
record, as much as the smallest budget of a cohort that has such units allows. Where records are replaced, half of it.
"""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from attrs import evolve
from numpy.typing import NDArray

from accountant import Budget, Cohort, Invariant, Neighbours, Specification, Verdict
from accountant.analysis.implication import implies
from tests.analysis.worlds import FAR, RECORDS, agree, datasets

Numbers = NDArray[np.float64]
EPSILONS = ("1", "2", "3")


def random_cohort(chance: random.Random, counted: bool) -> Cohort | None:
    """All units, those with some value of an attribute, or those in cells of some size where these are counted exactly."""
    kind = chance.randrange(4 if counted else 3)
    if kind == 0:
        return None
    if kind < 3:
        return Cohort(chance.choice("ab"), chance.choice([["0"], ["1"], ["0", "1"]]))
    low, high = sorted(chance.sample(range(1, 5), 2))
    return chance.choice([Cohort("a", at_most=high), Cohort("a", at_least=low), Cohort("a", at_least=low, at_most=high)])


def random_promise(chance: random.Random, relation: str, counted: bool) -> Specification:
    budgets = tuple(
        Budget.of("pure", epsilon=chance.choice(EPSILONS), cohort=random_cohort(chance, counted))
        for _ in range(chance.choice([1, 1, 2, 3]))
    )
    known = (Invariant("by a", ["a"]),) if counted else ()
    return Specification(Neighbours.of(relation), known, budgets=budgets)


def members(cohort: Cohort | None) -> NDArray[np.bool_]:
    """Which records are in a cohort, in the universe of each dataset."""
    rows = datasets(3)
    if cohort is None:
        return np.ones(rows.shape, dtype=bool)
    (by,) = cohort.by
    has = np.array([by in record for record in RECORDS])
    if cohort.values is not None:
        inside = np.array([("1" if yes else "0") in cohort.values for yes in has])
        return np.broadcast_to(inside, rows.shape)
    with_it, without = rows[:, has].sum(axis=1), rows[:, ~has].sum(axis=1)
    fits = [np.array([cohort.holds(int(size)) for size in sizes]) for sizes in (without, with_it)]
    return np.where(has[None, :], fits[1][:, None], fits[0][:, None])


def apart(promised: Specification, cohort: Cohort | None) -> Numbers:
    """How many steps that change units of a cohort only lie between datasets that are compared, or infinitely many."""
    rows, inside = datasets(3), members(cohort)
    changed = np.abs(rows[:, None, :] - rows[None, :, :])
    found = changed.sum(axis=2).astype(float)
    if promised.neighbours.relation.keeps_size:
        sizes = rows.sum(axis=1)
        found = np.where(sizes[:, None] == sizes[None, :], found / 2, FAR)
    if promised.invariants:
        found = np.where(agree(frozenset("a"))[: len(rows), : len(rows)], found, FAR)
    return np.where((changed * ~inside[:, None, :]).any(axis=2), FAR, found)


def spent(known: Specification) -> Numbers:
    """What some mechanism that keeps every budget of a promise loses between any two datasets of one of its universes."""
    rows = datasets(3)
    weight = np.full(rows.shape, FAR)
    for budget in known.budgets:
        weight = np.where(members(budget.cohort), np.minimum(weight, float(budget.limit)), weight)
    share = 2 if known.neighbours.relation.keeps_size else 1
    changed = np.abs(rows[:, None, :] - rows[None, :, :])
    with np.errstate(invalid="ignore"):
        return np.where(changed == 0, 0.0, changed * weight[:, None, :] / share).sum(axis=2)


def broken(known: Specification, wanted: Specification) -> bool:
    """Whether that mechanism passes a budget of the second promise."""
    lost = spent(known)
    for budget in wanted.budgets:
        steps = apart(wanted, budget.cohort)
        compared = np.isfinite(steps) & (steps > 0)
        if (lost[compared] > float(budget.limit) * steps[compared] + 1e-9).any():
            return True
    return False


def promises(seed: int) -> tuple[Specification, Specification]:
    chance = random.Random(seed)
    relation, counted = chance.choice(["add-remove", "replace-one"]), chance.random() < 0.5
    return random_promise(chance, relation, counted), random_promise(chance, relation, counted)


def check(seeds: range) -> Counter[Verdict]:
    """How often each verdict is given; never a false one."""
    found: Counter[Verdict] = Counter()
    for seed in seeds:
        known, wanted = promises(seed)
        verdict = implies(known, wanted).verdict
        found[verdict] += 1
        if verdict is Verdict.IMPLIED:
            assert not broken(known, wanted), (seed, known, wanted)
        if verdict is Verdict.REFUTED and known.neighbours.relation.by_presence and not known.invariants:
            assert broken(known, wanted), (seed, known, wanted)
    return found


def test_no_verdict_on_budgets_of_cohorts_is_false() -> None:
    found = check(range(150))
    assert min(found[Verdict.IMPLIED], found[Verdict.REFUTED]) > 5


@pytest.mark.sweep
def test_no_verdict_on_budgets_of_cohorts_is_false_over_many_worlds() -> None:
    check(range(150, 5_150))


@pytest.mark.parametrize(
    "bounds",
    [
        lambda item, known, budget, wanted: True,
        lambda item, known, budget, wanted: item.cohort is None or item.cohort.by == (budget.cohort or item.cohort).by,
    ],
    ids=["any cohort is everybody", "cohorts by one attribute are one"],
)
def test_verdicts_that_take_the_budget_of_a_cohort_for_that_of_another_are_caught(
    bounds: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("accountant.analysis.implication"), "_bounds", bounds)
    with pytest.raises(AssertionError):
        check(range(150))


def test_several_budgets_of_one_number_are_the_smallest() -> None:
    known = Specification(Neighbours.of("add-remove"), budgets=(Budget.of("pure", epsilon=3), Budget.of("pure", epsilon=1)))
    assert implies(known, evolve(known, budgets=(Budget.of("pure", epsilon=1),))).verdict is Verdict.IMPLIED
    assert implies(known, evolve(known, budgets=(Budget.of("pure", epsilon="1/2"),))).verdict is Verdict.REFUTED
