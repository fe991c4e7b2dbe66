"""Implications against enumeration: all pairs of datasets of a small world decide what follows there."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from fractions import Fraction

import pytest
from attrs import evolve

from accountant import Budget, Specification, Verdict, default_registry
from accountant.analysis.implication import implies
from accountant.plugin import DIVERGENCES, NEIGHBOURS
from accountant.promise.domain import Domain
from tests.analysis.worlds import DECLARED, UNDECLARED, random_invariants, random_neighbours, truth

REGISTRY = default_registry()
FACTORS = ["1/4", "1/2", "3/4", "1", "3/2", "2", "5/2", "3", "4", "6"]
POWERS = {"pure": ("epsilon", 1), "zcdp": ("rho", 2)}


def random_promises(seed: int, domain: Domain = UNDECLARED) -> tuple[Specification, Specification, Fraction, int]:
    """Two promises of one definition, the second's budget as a multiple of the first's, and how budgets grow."""
    named = "ab" if domain.attributes is None else "abc"
    chance = random.Random(seed)
    relations = dict(REGISTRY[NEIGHBOURS])
    name = chance.choice(sorted(POWERS))
    parameter, power = POWERS[name]
    definition, factor = REGISTRY[DIVERGENCES][name], Fraction(chance.choice(FACTORS))
    promises = [
        Specification(
            random_neighbours(chance, relations, named),
            random_invariants(chance, named),
            domain,
            budgets=(Budget(definition, definition.parameter(**{parameter: value})),),
        )
        for value in (Fraction(1), factor)
    ]
    return promises[0], promises[1], factor, power


def judged(seed: int, domain: Domain) -> tuple[Verdict, bool | None]:
    known, wanted, factor, power = random_promises(seed, domain)
    return implies(known, wanted).verdict, truth(known, wanted, 1.0, float(factor), power)


def check(seeds: range, domain: Domain = UNDECLARED) -> Counter[tuple[Verdict, bool | None]]:
    """How often each verdict meets each truth; never a false one."""
    found = Counter()
    for seed in seeds:
        verdict, holds = judged(seed, domain)
        found[verdict, holds] += 1
        assert (verdict, holds) not in {(Verdict.IMPLIED, False), (Verdict.REFUTED, True)}, (seed, domain)
        assert domain is not DECLARED or (verdict is Verdict.VACUOUS) is (holds is None), (seed, domain)
    return found


@pytest.mark.slow
def test_no_verdict_on_two_promises_is_false_and_few_are_open() -> None:
    found = check(range(600))
    unknown = sum(count for (verdict, _), count in found.items() if verdict is Verdict.UNKNOWN)
    assert unknown <= 0.1 * found.total()


@pytest.mark.slow
def test_of_records_with_three_declared_attributes_next_to_nothing_is_open() -> None:
    found = check(range(600), DECLARED)
    unknown = sum(count for (verdict, _), count in found.items() if verdict is Verdict.UNKNOWN)
    assert unknown <= 0.02 * found.total()


@pytest.mark.slow
def test_a_table_by_some_attributes_taken_for_one_by_all_others_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("accountant.analysis.compared"), "_matched", _by_some)
    with pytest.raises(AssertionError):
        check(range(600), DECLARED)


def _by_some(known: Specification, wanted: Specification) -> bool:
    return wanted.universe.attributes is not None and bool(wanted.universe.tables)


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
    check(range(600, 10_600), DECLARED)
