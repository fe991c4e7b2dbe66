"""Promises that look alike and do not follow from each other: each verdict beside a mechanism that is enumerated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from attrs import evolve

from accountant import Budget, Domain, Invariant, Neighbours, Specification, Verdict, default_registry, implies
from accountant.finite import (
    FiniteMechanism,
    FiniteSpecification,
    Vacuous,
    lipschitz_epsilon,
    multisets,
    pure_epsilon,
    symmetric_difference,
)
from accountant.plugin import DIVERGENCES, NEIGHBOURS

REGISTRY = default_registry()
PURE = REGISTRY[DIVERGENCES]["pure"]
TOTAL = Invariant("total", [])
SIX = {("household", "person"): 6}


def promise(
    epsilon: str,
    *invariants: Invariant,
    unit: str = "person",
    relation: str = "replace-one",
    group: int = 1,
    domain: str = "all datasets",
) -> Specification:
    neighbours = Neighbours(REGISTRY[NEIGHBOURS][relation], unit, None, group)
    return Specification(neighbours, invariants, domain, (Budget(PURE, PURE.parameter(epsilon=epsilon)),))


def publishing(datasets: Any, statistic: Callable[[Any], Hashable]) -> FiniteMechanism:
    return FiniteMechanism.tabulate(datasets, lambda data: {statistic(data): 1})


def worst(mechanism: FiniteMechanism, compared: FiniteSpecification) -> float:
    found = pure_epsilon(mechanism, compared)
    return 0.0 if isinstance(found, Vacuous) else float(found.value.upper)


def one_differs(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return sum(a != b for a, b in zip(left, right, strict=True)) == 1


def test_two_steps_of_adding_and_removing_replace_a_record_at_a_fixed_total() -> None:
    """The first promise speaks of datasets two steps apart too, although no two neighbours have one total."""
    known, wanted = promise("1", TOTAL, relation="add-remove"), promise("2", TOTAL)
    assert implies(known, wanted).verdict is Verdict.IMPLIED
    data = multisets((0, 1), 3)
    compared = FiniteSpecification.universes(data, symmetric_difference, [len])
    everything = publishing(data, lambda records: records)
    assert worst(everything, compared) == math.inf  # so that it does not keep the first either
    half = Fraction(1, 3)
    spread = FiniteMechanism.tabulate(
        data, lambda records: {0: half + Fraction(sum(records), 20), 1: 1 - half - Fraction(sum(records), 20)}
    )
    per_step = float(lipschitz_epsilon(spread, compared).value.upper)
    replaced = FiniteSpecification.universes(data, lambda a, b: symmetric_difference(a, b) // 2 or None, [len])
    assert float(lipschitz_epsilon(spread, replaced).value.upper) <= 2 * per_step * (1 + 1e-12)


def test_exact_counts_of_persons_may_be_all_that_is_known_of_households() -> None:
    persons = Invariant("persons by state", ["state"], "person")
    known, wanted = promise("1", persons, unit="household"), promise("1", unit="household")
    assert implies(known, wanted).verdict is Verdict.UNKNOWN
    assert implies(known, wanted, members=SIX).verdict is Verdict.UNKNOWN
    sizes = list(itertools.product((1, 2, 3), repeat=2))
    number = publishing(sizes, sum)
    assert worst(number, FiniteSpecification.neighbours(sizes, lambda a, b: a != b, [sum])) == 0
    assert worst(number, FiniteSpecification.neighbours(sizes, one_differs)) == math.inf


def test_exact_counts_of_households_may_be_all_that_is_known_of_persons() -> None:
    households = Invariant("households by block", ["block"], "household")
    for relation in ("replace-one", "add-remove"):
        known, wanted = promise("1", households, relation=relation), promise("1", relation=relation)
        assert implies(known, wanted).verdict is Verdict.UNKNOWN
    # Who lives where: publishing how many households there are is constant where that is exact, and tells who moved out.
    homes = list(itertools.product("AB", repeat=2))
    number = publishing(homes, lambda data: len(set(data)))
    assert worst(number, FiniteSpecification.neighbours(homes, one_differs, [lambda data: len(set(data))])) == 0
    assert worst(number, FiniteSpecification.neighbours(homes, one_differs)) == math.inf


def test_a_table_of_households_is_no_table_of_persons() -> None:
    known = promise("1", Invariant("households by state", ["state"]), unit="household")
    wanted = promise("1", Invariant("persons by state", ["state"]))
    assert implies(known, wanted, members=SIX).verdict is Verdict.UNKNOWN
    # Persons as (household, state): in the third dataset B and C have moved together.
    data = [
        (("A", "X"), ("A", "X"), ("B", "Y"), ("C", "Y")),
        (("A", "X"), ("A", "X"), ("B", "Y"), ("B", "Y")),
    ]

    def counted(people: Any, whole: bool) -> Hashable:
        return tuple(
            len(
                {home for home, state in people if state == wanted}
                if whole
                else [1 for _, state in people if state == wanted]
            )
            for wanted in "XY"
        )

    households = publishing(data, lambda people: counted(people, True))
    same = FiniteSpecification.neighbours(data, one_differs, [lambda people: counted(people, True)])
    assert same.vacuous
    assert (
        worst(households, FiniteSpecification.neighbours(data, one_differs, [lambda people: counted(people, False)]))
        == math.inf
    )


def test_a_household_that_is_replaced_may_change_its_size() -> None:
    known, wanted = promise("1"), promise("3", unit="household")
    assert implies(known, wanted, members={("household", "person"): 3}).verdict is Verdict.UNKNOWN
    sizes = list(itertools.product((1, 2, 3), repeat=2))
    # Replacing persons never changes how many there are.
    assert worst(publishing(sizes, sum), FiniteSpecification.neighbours(sizes, one_differs)) == math.inf


def test_a_person_who_moves_changes_two_households() -> None:
    known, wanted = promise("1", unit="household"), promise("1")
    assert implies(known, wanted, members={("household", "person"): 3}).verdict is Verdict.UNKNOWN
    keep = Fraction(3, 5)

    def response(sizes: tuple[int, ...]) -> dict[Hashable, Fraction]:
        return {
            said: math.prod(keep if true == told else (1 - keep) / 2 for true, told in zip(sizes, said, strict=True))
            for said in itertools.product((1, 2, 3), repeat=2)
        }

    sizes = list(itertools.product((1, 2, 3), repeat=2))
    mechanism = FiniteMechanism.tabulate(sizes, response)
    household = worst(mechanism, FiniteSpecification.neighbours(sizes, one_differs))
    moved = worst(mechanism, FiniteSpecification.neighbours([(2, 2), (1, 3)], lambda a, b: a != b))
    assert moved > 1.9 * household


def test_steps_stay_in_a_domain_that_is_given_in_words() -> None:
    """Adding a record leaves the datasets of ten: the first promise compares none of them."""
    ten = "datasets of exactly 10 records"
    assert implies(promise("1", relation="add-remove", domain=ten), promise("2", domain=ten)).verdict is Verdict.UNKNOWN
    assert implies(promise("1", domain=ten), promise("2", group=2, domain=ten)).verdict is Verdict.IMPLIED
    assert implies(promise("1", relation="add-remove"), promise("2", domain=ten)).verdict is Verdict.IMPLIED


def test_a_total_adds_nothing_between_replaced_records() -> None:
    data = multisets((0, 1), 3)
    pairs = [
        {(pair.left, pair.right) for pair in FiniteSpecification.universes(data, replaced, fixed).comparisons}
        for fixed in ((), (len,))
    ]
    assert pairs[0] == pairs[1]
    for known, wanted in itertools.permutations([promise("1", TOTAL), promise("1")]):
        assert implies(known, wanted).verdict is Verdict.IMPLIED


def replaced(left: tuple[Any, ...], right: tuple[Any, ...]) -> int | None:
    return symmetric_difference(left, right) // 2 if len(left) == len(right) else None


def test_naming_the_unit_changes_nothing() -> None:
    said, unsaid = Invariant("a", ["state"], "person"), Invariant("b", ["state"])
    assert implies(promise("1", said), promise("1", unsaid)).verdict is Verdict.IMPLIED
    assert implies(promise("1", unsaid), promise("1", said)).verdict is Verdict.IMPLIED


def test_two_randomised_responses_refute_less_than_twice_the_budget() -> None:
    found = implies(promise("1"), promise("1.5", group=2))
    assert found.verdict is Verdict.REFUTED
    assert "randomised response with epsilon = 1, 2 times on its own" in found.reasons[-1].words
    answers = list(itertools.product((0, 1), repeat=2))
    keep = Fraction(3, 4)

    def response(data: tuple[int, ...]) -> dict[Hashable, Fraction]:
        return {
            said: math.prod(keep if true == told else 1 - keep for true, told in zip(data, said, strict=True))
            for said in answers
        }

    mechanism = FiniteMechanism.tabulate(answers, response)
    single = worst(mechanism, FiniteSpecification.neighbours(answers, one_differs))
    assert math.isclose(single, math.log(3), rel_tol=1e-9)
    assert math.isclose(worst(mechanism, FiniteSpecification.neighbours(answers, lambda a, b: a != b)), 2 * single)


def test_part_of_what_a_promise_fixes_does_not_carry_it() -> None:
    """Occupied group quarters are a function of persons: without them the promise is another one."""
    states = Invariant("state populations", ["state"])
    quarters = Invariant("occupied group quarters", ["block", "type"], "occupied group quarters")
    whole, part = promise("1", states, quarters), promise("1", states)
    assert implies(whole, part).verdict is Verdict.UNKNOWN
    assert implies(part, whole).verdict is Verdict.IMPLIED


def test_what_records_do_not_have_tells_nothing_apart() -> None:
    """Datasets of records with an age and nothing else are alike in all counts by race."""
    by_race = Invariant("race", ["race"])
    ages = Domain(attributes=["age"])
    known = promise("1", by_race)
    wanted = evolve(promise("1"), domain=ages)
    assert implies(known, wanted).verdict is Verdict.IMPLIED
    both = evolve(promise("1"), domain=Domain(attributes=["age", "race"]))
    assert implies(known, both).verdict is Verdict.REFUTED
    fixed = evolve(promise("1", Invariant("age", ["age"])), domain=Domain(attributes=["age", "county"]))
    assert implies(promise("1", Invariant("race by age", ["race", "age"])), fixed).verdict is not Verdict.REFUTED
