"""Inside a universe, over every kind that is registered: nothing is free that some datasets which agree tell apart.

Two units that exchange their values agree in every exact count. Whoever reports on each of them shows it, and whoever only
sees the answer of a query does not.
"""

from __future__ import annotations

import importlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve

from accountant import Gaussian, Interval, Laplace, Plan, Release, account, default_registry
from accountant.errors import AccountantError
from accountant.numbers.exact import exact
from accountant.plugin import CASES, MECHANISMS, QUERIES, Mechanism, MechanismCase, MechanismOracle, Query, QueryOracle
from accountant.promise.invariant import Invariant
from accountant.testing.instances import edge_cases
from accountant_builtin.queries import Histogram

REGISTRY = default_registry()
OFFERED = tuple(REGISTRY.offered(CASES).values())
ORACLES = {case.item: case for case in OFFERED if isinstance(case, MechanismOracle)}
ANSWERS = {case.item: case for case in OFFERED if isinstance(case, QueryOracle)}


def mechanisms(kind: str, most: int) -> list[Mechanism]:
    """A few mechanisms of a kind: of its cases, or at the bounds of its parameters."""
    known = [case.mechanism for case in OFFERED if isinstance(case, MechanismCase) and case.mechanism.kind == kind]
    return (known or list(edge_cases(REGISTRY[MECHANISMS][kind], REGISTRY, most=4)))[:most]


def queries(kind: str) -> list[Query]:
    """A few queries of a kind that look at one attribute."""
    found = edge_cases(REGISTRY[QUERIES][kind], REGISTRY, most=3)
    return [evolve(item, attributes=["a"]) for item in found]


def cost(release: Release, inside: bool, units: int = 2) -> float | None:
    """What tells datasets apart that differ in some units and agree in counts; None where it is refused."""
    try:
        plan = Plan.of(release, neighbours="replace-one", invariants=[Invariant("by a", ["a"])], inside=inside)
        return account(plan).measure_between(units, "approx", epsilon=0).value.upper
    except AccountantError:
        return None


def shown(mechanism: Mechanism, oracle: MechanismOracle | None) -> Fraction:
    """How far apart the outputs are, at least, where two units exchange their values and each is reported on by itself."""
    if oracle is None or oracle.law is None or oracle.moves is not None or mechanism.asks_query:
        return Fraction(0)
    answers = [exact(value) for value in itertools.islice(oracle.answers(mechanism) if oracle.answers else (0, 1), 2)]
    try:
        first, second = (oracle.law(mechanism, answer) for answer in answers)
    except AttributeError:
        return Fraction(0)  # the oracle draws other parts of such mechanisms than this one has
    outputs = sorted({*first, *second}, key=repr)
    apart = Fraction(0)
    for one, other in itertools.product(outputs, repeat=2):
        here, there = _least(first, one) * _least(second, other), _most(second, one) * _most(first, other)
        apart += max(Fraction(0), here - there)
    return apart


def _least(law: Mapping[Any, Any], output: object) -> Fraction:
    chance = law.get(output, Fraction(0))
    return Fraction(chance.lower) if isinstance(chance, Interval) else Fraction(chance)


def _most(law: Mapping[Any, Any], output: object) -> Fraction:
    chance = law.get(output, Fraction(0))
    return Fraction(chance.upper) if isinstance(chance, Interval) else Fraction(chance)


def releases(mechanism: Mechanism) -> Iterator[Release]:
    """A mechanism on every kind of query, and alone where it needs none."""
    if not mechanism.asks_query:
        yield Release("alone", mechanism)
    for kind in sorted(REGISTRY[QUERIES]):
        yield from (Release(kind, mechanism, query) for query in queries(kind)[:1])


def judged(mechanism: Mechanism, oracle: MechanismOracle | None) -> Counter[str]:
    """How often a kind is served inside; never where what it shows of each unit tells datasets apart that agree."""
    found: Counter[str] = Counter()
    truth = shown(mechanism, oracle)
    for release in releases(mechanism):
        one, there, here = cost(release, False, 1), cost(release, False), cost(release, True)
        if one is None or there is None or here is None:
            continue
        found["read"] += 1
        # What says no more of two units than of one is done to all records at once.
        reports = there > one and truth > 0
        found["reports"] += reports
        assert not reports or Fraction(here) >= truth, (release, here, truth)
        if here < there:
            found["served"] += 1
            by_itself = oracle is None or oracle.moves is None
            assert by_itself if mechanism.asks_query else not release, f"{release} is not known to see an answer only"
    return found


def judged_kind(kind: str, most: int = 1) -> Counter[str]:
    return sum((judged(mechanism, ORACLES.get(kind)) for mechanism in mechanisms(kind, most)), Counter[str]())


@pytest.mark.slow
def test_no_kind_of_mechanism_is_free_where_it_shows_who_exchanged_their_values() -> None:
    read = {kind: judged_kind(kind) for kind in REGISTRY[MECHANISMS]}
    assert sum(found["read"] > 0 for found in read.values()) > 15
    assert {kind for kind, found in read.items() if found["served"]} >= {"gaussian", "laplace"}
    assert sum(found["reports"] > 0 for found in read.values()) > 1


@pytest.mark.sweep
def test_no_kind_of_mechanism_is_free_in_any_of_its_cases() -> None:
    assert sum(judged_kind(kind, most=4)["read"] for kind in REGISTRY[MECHANISMS]) > 100


def test_serving_whatever_has_a_query_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was: without the question whether noise on the answer is all there is."""
    inside = importlib.import_module("accountant.accounting.entry")
    right = inside.shift_inside

    def forgets(release: Release, universe: Any) -> Any:
        return right(Release(release.name, Gaussian(sigma=1), release.query), universe)

    monkeypatch.setattr(inside, "shift_inside", forgets)
    with pytest.raises(AssertionError):
        list(map(judged_kind, REGISTRY[MECHANISMS]))


def moved(query: Query, oracle: QueryOracle, attributes: frozenset[str]) -> tuple[Any, Any] | None:
    """Two small datasets that agree in their counts by some attributes and not in the answer."""
    records = list(itertools.islice(oracle.records(query), 4))
    seen: dict[Any, tuple[Any, Any]] = {}
    for size in range(4):
        for dataset in itertools.combinations_with_replacement(records, size):
            counts = Counter(repr([record.get(name) for name in sorted(attributes)]) for record in dataset)
            told = oracle.answer(query, dataset)
            if told is None:
                continue
            answer = tuple(map(exact, told))
            before = seen.setdefault(frozenset(counts.items()), (dataset, answer))
            if before[1] != answer:
                return before[0], dataset
    return None


def asked() -> Iterator[tuple[Query, QueryOracle, frozenset[str]]]:
    """Queries of every kind whose oracle has records with attributes, each looking at all of them."""
    for kind, oracle in ANSWERS.items():
        for query in edge_cases(REGISTRY[QUERIES][kind], REGISTRY, most=3):
            records = list(itertools.islice(oracle.records(query), 4))
            if records and all(isinstance(record, Mapping) for record in records):
                attributes = frozenset().union(*records)
                yield evolve(query, attributes=sorted(attributes)), oracle, attributes


def test_what_exact_counts_by_the_attributes_of_a_query_fix_is_its_answer() -> None:
    tried = [(query, moved(query, oracle, attributes)) for query, oracle, attributes in asked()]
    assert tried
    assert not [found for found in tried if found[1] is not None]


def test_a_query_that_looks_at_more_than_it_says_is_caught() -> None:
    caught = [moved(query, oracle, frozenset(sorted(attributes)[1:])) for query, oracle, attributes in asked()]
    assert any(caught)


def test_histograms_by_an_exact_table_are_free_inside() -> None:
    for mechanism in (Gaussian(sigma=1), Laplace(scale=1)):
        assert cost(mechanism.on(Histogram(["a"])), inside=True) == 0
        assert (cost(mechanism.on(Histogram(["a"])), inside=False) or 0) > 0
