"""Whole promises compared block by block: sound on exact mechanisms, with counterexamples that check out."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant import Budget, Domain, Invariant, Neighbours, Specification, Verdict, default_registry
from accountant.analysis.implication import Implication, implies
from accountant.finite import FiniteMechanism, FiniteSpecification, hamming, lipschitz_epsilon
from accountant.plugin import DIVERGENCES
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE

DEFINITIONS = default_registry()[DIVERGENCES]
BITS = list(itertools.product((0, 1), repeat=3))
SUM, FIRST = Invariant("sum", ["bit"]), Invariant("first record")


def promise(
    *budgets: Budget, invariants: tuple[Invariant, ...] = (), domain: str | Domain = "all datasets", **words: Any
) -> Specification:
    relation = words.pop("relation", REPLACE_ONE)
    return Specification(Neighbours(relation, **words), invariants, domain, budgets)


def budget(name: str, **values: str) -> Budget:
    return Budget(DEFINITIONS[name], DEFINITIONS[name].parameter(**values))


def blocks(found: Implication) -> dict[str, set[Verdict]]:
    result: dict[str, set[Verdict]] = {}
    for reason in found.reasons:
        result.setdefault(reason.block, set()).add(reason.verdict)
    return result


ZCDP = budget("zcdp", rho="15.29")


def test_a_promise_implies_itself_and_what_is_weaker() -> None:
    assert implies(promise(ZCDP), promise(ZCDP)).verdict is Verdict.IMPLIED
    assert implies(promise(ZCDP), promise(budget("zcdp", rho="16"))).verdict is Verdict.IMPLIED
    assert implies(promise(ZCDP), promise(ZCDP, attributes=["race"])).verdict is Verdict.IMPLIED
    assert implies(promise(ZCDP), promise(ZCDP, domain="one county")).verdict is Verdict.IMPLIED
    assert implies(promise(ZCDP), promise(ZCDP, domain=Domain("one county", ["age"]))).verdict is Verdict.IMPLIED
    assert implies(promise(ZCDP), promise(ZCDP, invariants=(SUM,))).verdict is Verdict.IMPLIED


@pytest.mark.parametrize(
    ("known", "wanted", "block"),
    [
        (promise(ZCDP), promise(budget("zcdp", rho="15")), "budget"),
        (promise(ZCDP, invariants=(SUM,)), promise(ZCDP), "scope"),
        (promise(ZCDP, attributes=["race"]), promise(ZCDP, attributes=["race", "age"]), "unit"),
        (promise(ZCDP, attributes=["race"]), promise(ZCDP), "unit"),
        (promise(ZCDP), promise(ZCDP, relation=ADD_REMOVE), "unit"),
    ],
)
def test_what_does_not_follow_has_a_counterexample(known: Specification, wanted: Specification, block: str) -> None:
    found = implies(known, wanted)
    assert found.verdict is Verdict.REFUTED
    assert [reason.block for reason in found.reasons if reason.verdict is Verdict.REFUTED] == [block]


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        (promise(ZCDP, domain="one county"), promise(ZCDP, domain="one state")),
        (promise(ZCDP, domain=Domain(attributes=["age"])), promise(ZCDP)),
        (promise(ZCDP, domain=Domain(attributes=["age"])), promise(ZCDP, domain=Domain(attributes=["age", "sex"]))),
        (promise(ZCDP, invariants=(FIRST,)), promise(ZCDP, invariants=(SUM,))),
        (promise(ZCDP, unit="person"), promise(ZCDP, unit="household")),
        (
            promise(ZCDP, attributes=["race"]),
            promise(ZCDP, attributes=["race", "age"], invariants=(Invariant("age", ["age"]),)),
        ),
        (
            promise(budget("pure", epsilon="1"), relation=ADD_REMOVE, domain="datasets of exactly 10 records"),
            promise(budget("pure", epsilon="2"), domain="datasets of exactly 10 records"),
        ),
    ],
)
def test_what_is_not_known_is_not_guessed(known: Specification, wanted: Specification) -> None:
    assert implies(known, wanted).verdict is Verdict.UNKNOWN


def test_steps_between_units_and_relations_multiply() -> None:
    sizes = {("household", "person"): 5}
    one = budget("pure", epsilon="1")
    person, household = promise(one, relation=ADD_REMOVE), promise(one, unit="household", relation=ADD_REMOVE)
    for known, wanted, steps in (
        (person, household, 5),
        (household, person, 2),
        (person, promise(one, unit="household"), 10),
        (household, promise(one), 4),
    ):
        enough = evolve(wanted, budgets=(budget("pure", epsilon=str(steps)),))
        assert implies(known, enough, members=sizes).verdict is Verdict.IMPLIED
        short = evolve(wanted, budgets=(budget("pure", epsilon=str(steps - 0.01)),))
        assert implies(known, short, members=sizes).verdict is Verdict.UNKNOWN
    assert implies(person, promise(budget("pure", epsilon="2"))).verdict is Verdict.IMPLIED
    assert implies(person, promise(budget("pure", epsilon="6"), group=3)).verdict is Verdict.IMPLIED


def test_what_is_not_declared_of_units_is_not_known() -> None:
    """A household may change its size, and a person may leave one for another."""
    sizes = {("household", "person"): 3}
    one, three = budget("pure", epsilon="1"), budget("pure", epsilon="3")
    assert implies(promise(one), promise(three, unit="household"), members=sizes).verdict is Verdict.UNKNOWN
    assert implies(promise(one, unit="household"), promise(one), members=sizes).verdict is Verdict.UNKNOWN


def test_what_is_spent_over_several_steps_refutes_smaller_budgets() -> None:
    one, added = promise(budget("pure", epsilon="1")), promise(budget("pure", epsilon="1"), relation=ADD_REMOVE)
    for known, wanted in (
        (one, promise(budget("pure", epsilon="1.99"), group=2)),
        (added, promise(budget("pure", epsilon="1.99"))),
        (promise(budget("zcdp", rho="1")), promise(budget("zcdp", rho="3.99"), group=2)),
        (
            promise(budget("approx", epsilon="1", delta="1e-6")),
            promise(budget("approx", epsilon="1.9", delta="1e-3"), group=2),
        ),
    ):
        found = implies(known, wanted)
        assert found.verdict is Verdict.REFUTED
        assert blocks(found)["budget"] == {Verdict.REFUTED}
    assert implies(one, promise(budget("pure", epsilon="2"), group=2)).verdict is Verdict.IMPLIED


def test_a_total_is_fixed_between_replaced_records() -> None:
    total = Invariant("total", [])
    one = budget("pure", epsilon="1")
    assert implies(promise(one, invariants=(total,)), promise(one)).verdict is Verdict.IMPLIED
    half = promise(budget("pure", epsilon="0.5"), invariants=(total,), relation=ADD_REMOVE)
    assert implies(promise(one), half).verdict is Verdict.IMPLIED
    less = promise(budget("pure", epsilon="0.49"), invariants=(total,), relation=ADD_REMOVE)
    assert implies(promise(one), less).verdict is Verdict.REFUTED


def test_between_universes_other_definitions_are_compared_at_every_distance() -> None:
    """Race by county is exact and only race may differ: the closest datasets are two apart, and none is in between."""
    fixed = {"attributes": ["race"], "invariants": (Invariant("race by county", ["race", "county"]),)}
    known = promise(budget("zcdp", rho="0.1"), **fixed)
    assert implies(known, promise(budget("approx", epsilon="3", delta="1e-6"), **fixed)).verdict is Verdict.IMPLIED
    # Two steps apart epsilon 1.2 has delta(0.2) = (e^1.2 - e^0.2)/(1 + e^1.2) = 0.49; 0.1 (1 + e^0.1) = 0.21 is allowed.
    loose = promise(budget("approx", epsilon="0.1", delta="0.1"), **fixed)
    assert implies(promise(budget("pure", epsilon="0.3"), **fixed), loose).verdict is not Verdict.REFUTED
    assert implies(promise(budget("pure", epsilon="0.6"), **fixed), loose).verdict is Verdict.REFUTED


def test_what_counts_one_entity_is_not_what_counts_another() -> None:
    person, household = Invariant("persons", ["state"]), Invariant("households", ["state"])
    same = Invariant("persons by state", ["state"], "person")
    one = budget("pure", epsilon="1")
    sizes = {("household", "person"): 6}
    found = implies(
        promise(one, unit="household", invariants=(household,)), promise(one, invariants=(person,)), members=sizes
    )
    assert found.verdict is Verdict.UNKNOWN
    assert implies(promise(one, invariants=(same,)), promise(one, invariants=(person,))).verdict is Verdict.IMPLIED
    assert implies(promise(one, invariants=(person,)), promise(one, invariants=(same,))).verdict is Verdict.IMPLIED
    other = promise(one, unit="household", invariants=(same,))
    assert implies(other, promise(one, unit="household"), members=sizes).verdict is Verdict.UNKNOWN


def test_counts_that_compared_records_cannot_change_do_not_matter() -> None:
    states = Invariant("state populations", ["state"])
    known = promise(ZCDP, invariants=(states,))
    assert implies(known, promise(ZCDP, attributes=["race"])).verdict is Verdict.IMPLIED
    assert implies(known, promise(ZCDP, attributes=["race", "state"])).verdict is Verdict.REFUTED
    housing = Invariant("housing units", ["block"], "housing unit")
    beside = promise(ZCDP, invariants=(states, housing))
    assert implies(beside, promise(ZCDP, attributes=["race"])).verdict is Verdict.UNKNOWN
    assert implies(beside, promise(ZCDP, attributes=["race"], invariants=(housing,))).verdict is Verdict.IMPLIED


def test_an_empty_promise_is_vacuous() -> None:
    assert implies(promise(ZCDP), promise(ZCDP, attributes=[])).verdict is Verdict.VACUOUS


# Against exact mechanisms on three bits -------------------------------------------------------------------------------


def exact_epsilon(mechanism: FiniteMechanism, specification: Specification) -> float:
    """The exact epsilon per step on all pairs of three bits that the specification compares; records have one attribute."""

    def key(data: tuple[int, ...]) -> Hashable:
        counted = [tuple(sorted(Counter(data).items())) for item in specification.invariants if item == SUM]
        return tuple(counted)

    compared = FiniteSpecification.universes(BITS, hamming).refine(key)
    if compared.vacuous:
        return 0.0
    return float(lipschitz_epsilon(mechanism, compared).value.upper)


def mechanism(weights: list[list[int]], publish: bool) -> FiniteMechanism:
    def law(data: tuple[int, ...]) -> dict[Hashable, Fraction]:
        row = weights[BITS.index(data)]
        label = sum(data) if publish else 0
        return {(label, outcome): Fraction(weight, sum(row)) for outcome, weight in enumerate(row)}

    return FiniteMechanism.tabulate(BITS, law)


ROWS = st.lists(st.lists(st.integers(1, 4), min_size=2, max_size=2), min_size=8, max_size=8)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.booleans(), st.booleans(), st.booleans())
def test_no_exact_mechanism_contradicts_an_implication(
    weights: list[list[int]], publish: bool, known_sum: bool, wanted_sum: bool
) -> None:
    """Whatever satisfies the first promise with its exact epsilon satisfies an implied one."""
    first = promise(invariants=(SUM,) if known_sum else ())
    second = promise(invariants=(SUM,) if wanted_sum else ())
    tried = mechanism(weights, publish)
    epsilon = exact_epsilon(tried, first)
    if math.isinf(epsilon):
        return
    stated = budget("pure", epsilon=str(Fraction(epsilon) + Fraction(1, 10**9)))
    known = promise(stated, invariants=first.invariants)
    wanted = promise(stated, invariants=second.invariants)
    found = implies(known, wanted)
    if found.verdict is Verdict.IMPLIED:
        assert exact_epsilon(tried, wanted) <= epsilon + 2e-9
    else:
        assert (known_sum, wanted_sum) == (True, False)


def test_the_counterexample_to_a_coarser_scope_is_infinitely_bad() -> None:
    tried = mechanism([[1, 1]] * 8, publish=True)
    assert exact_epsilon(tried, promise(invariants=(SUM,))) == 0.0
    assert exact_epsilon(tried, promise()) == math.inf


# The censuses -------------------------------------------------------------------------------------------------------------

TOPDOWN = promise(ZCDP, invariants=(Invariant("state populations", ["state"]),))
SAFETAB = promise(budget("zcdp", rho="19.776"))
SWAPPING = promise(
    budget("pure", epsilon="9.37"),
    unit="household",
    invariants=(Invariant("stratum by swapped", ["state", "size"]), Invariant("stratum by rest", ["state", "race"])),
)
SIZES = {("household", "person"): 20}


def test_the_three_census_methods_cannot_be_ranked() -> None:
    pairs = itertools.permutations((TOPDOWN, SAFETAB, SWAPPING), 2)
    assert not any(implies(left, right, members=SIZES).verdict is Verdict.IMPLIED for left, right in pairs)


def test_what_can_be_said_on_the_common_ground() -> None:
    """Swapping fixes tables of households; whether these are tables of persons nobody has declared."""
    common = tuple(evolve(known, of="household") for known in SWAPPING.invariants)
    assert implies(SAFETAB, promise(budget("zcdp", rho="19.776"), invariants=common)).verdict is Verdict.IMPLIED
    assert implies(TOPDOWN, promise(ZCDP, invariants=(*TOPDOWN.invariants, *common))).verdict is Verdict.IMPLIED
    assert implies(TOPDOWN, promise(ZCDP, invariants=common)).verdict is Verdict.UNKNOWN
    assert implies(SWAPPING, promise(SWAPPING.budgets[0], invariants=common), members=SIZES).verdict is Verdict.UNKNOWN
    persons = SWAPPING.invariants
    assert implies(TOPDOWN, promise(ZCDP, invariants=persons)).verdict is Verdict.IMPLIED
