"""Implications against enumeration: all pairs of datasets of a small world decide what follows there."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from attrs import evolve

from accountant import Budget, Specification, Verdict, default_registry
from accountant.analysis.implication import implies
from accountant.plugin import DIVERGENCES, NEIGHBOURS
from tests.analysis.worlds import random_invariants, random_neighbours, truth

REGISTRY = default_registry()
FACTORS = ["1/4", "1/2", "3/4", "1", "3/2", "2", "5/2", "3", "4", "6"]
POWERS = {"pure": ("epsilon", 1), "zcdp": ("rho", 2)}


def random_promises(seed: int) -> tuple[Specification, Specification, Fraction, int]:
    """Two promises of one definition, the second's budget as a multiple of the first's, and how budgets grow."""
    chance = random.Random(seed)
    relations = dict(REGISTRY[NEIGHBOURS])
    name = chance.choice(sorted(POWERS))
    parameter, power = POWERS[name]
    definition, factor = REGISTRY[DIVERGENCES][name], Fraction(chance.choice(FACTORS))
    promises = [
        Specification(
            random_neighbours(chance, relations),
            random_invariants(chance),
            budgets=(Budget(definition, definition.parameter(**{parameter: value})),),
        )
        for value in (Fraction(1), factor)
    ]
    return promises[0], promises[1], factor, power


def judged(seed: int) -> tuple[Verdict, bool | None]:
    known, wanted, factor, power = random_promises(seed)
    return implies(known, wanted).verdict, truth(known, wanted, 1.0, float(factor), power)


def check(seeds: range) -> Counter[tuple[Verdict, bool | None]]:
    """How often each verdict meets each truth; never a false one."""
    found = Counter()
    for seed in seeds:
        verdict, holds = judged(seed)
        found[verdict, holds] += 1
        assert (verdict, holds) not in {(Verdict.IMPLIED, False), (Verdict.REFUTED, True)}, (seed, random_promises(seed))
    return found


@pytest.mark.slow
def test_no_verdict_on_two_promises_is_false_and_few_are_open() -> None:
    found = check(range(600))
    unknown = sum(count for (verdict, _), count in found.items() if verdict is Verdict.UNKNOWN)
    assert unknown <= 0.1 * found.total()


@pytest.mark.slow
def test_verdicts_that_forget_what_is_exact_or_who_is_compared_are_caught() -> None:
    """The first promise without its invariants, or between all attributes, compares more, and seems to imply more."""
    caught = Counter()
    for seed in range(200):
        known, wanted, factor, power = random_promises(seed)
        if truth(known, wanted, 1.0, float(factor), power) is False:
            forgotten = {
                "invariants": evolve(known, invariants=()),
                "attributes": evolve(known, neighbours=evolve(known.neighbours, attributes=None)),
            }
            caught.update(name for name, more in forgotten.items() if implies(more, wanted).verdict is Verdict.IMPLIED)
    assert min(caught["invariants"], caught["attributes"]) > 1


@pytest.mark.sweep
def test_no_verdict_on_two_promises_is_false_over_many_worlds() -> None:
    check(range(600, 20_600))
