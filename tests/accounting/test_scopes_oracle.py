"""Scopes against the exact oracle: small datasets split by attributes, all neighbours enumerated in Fractions."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen
from hypothesis import given, settings, strategies as st

from accountant import Neighbours, Plan, PrivacyLoss, Release, Scope, Specification, Theorem, account
from accountant.accounting.account import Account
from accountant.accounting.scopes import Whereabouts
from accountant.finite import Pair, dominating, dominating_both
from accountant.finite.exponentials import exponential
from accountant.loss import NO_LOSS, FiniteLoss
from accountant.plugin import Relation, Sampling
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant_builtin.steps import NonPrivate

Record = tuple[str, ...]
Dataset = tuple[Record, ...]
Law = tuple[Fraction, ...]
EPSILONS = (Fraction(0), Fraction(1, 3), Fraction(1))
WRITTEN = Theorem("written", "The losses are written down.", "accountant", "tests")


@frozen
class Written(Sampling):
    """A sampling that replaces whatever it samples by what was found by enumeration, for each relation."""

    kind: ClassVar[str] = "written"
    theorem: ClassVar[Theorem] = WRITTEN

    one_record: FiniteLoss
    one_change: FiniteLoss

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return self.one_record if neighbours.relation is ADD_REMOVE else self.one_change


class World:
    """Records with attributes, all datasets of a few of them, and releases with a law for each dataset they may see."""

    def __init__(self, values: Mapping[str, Iterable[str]], size: int, neighbours: Neighbours) -> None:
        self.names = tuple(values)
        self.records: list[Record] = list(product(*values.values()))
        self.size, self.neighbours = size, neighbours
        self.datasets = [d for n in range(size + 1) for d in combinations_with_replacement(self.records, n)]
        self.releases: list[tuple[Scope | None, Callable[[Dataset], Law]]] = []

    def add(self, scope: Scope | None, law: Callable[[Dataset], Law]) -> None:
        known: dict[Dataset, Law] = {}
        self.releases.append((scope, lambda dataset: known.setdefault(dataset, law(dataset))))

    def seen(self, scope: Scope | None, dataset: Dataset) -> Dataset:
        if scope is None:
            return dataset
        return tuple(record for record in dataset if record[self.names.index(scope.partition)] == scope.part)

    def _may_become(self, left: Record, right: Record) -> bool:
        allowed = self.neighbours.attributes
        return all(a == b or allowed is None or name in allowed for name, a, b in zip(self.names, left, right, strict=True))

    def added(self) -> Iterator[tuple[Dataset, Dataset]]:
        """Datasets with and without one record."""
        for dataset in self.datasets:
            if len(dataset) < self.size:
                yield from ((tuple(sorted((*dataset, record))), dataset) for record in self.records)

    def changed(self) -> Iterator[tuple[Dataset, Dataset]]:
        """Datasets in which one record has other values."""
        for dataset in self.datasets:
            if len(dataset) < self.size:
                for left, right in product(self.records, repeat=2):
                    if left != right and self._may_become(left, right):
                        yield tuple(sorted((*dataset, left))), tuple(sorted((*dataset, right)))

    @cached_property
    def pairs(self) -> set[Pair]:
        """The laws of all releases together on all neighbours, both ways."""
        compared = self.added() if self.neighbours.relation is ADD_REMOVE else self.changed()
        found = set()
        for left, right in compared:
            atoms = [(Fraction(1), Fraction(1))]
            for scope, law in self.releases:
                column = list(zip(law(self.seen(scope, left)), law(self.seen(scope, right)), strict=True))
                atoms = [(p * a, q * b) for p, q in atoms for a, b in column]
            found |= {Pair(atoms), Pair(atoms).reverse()}
        return found

    def exact(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """The largest delta over all neighbours, from below and from above: only e^epsilon is rounded."""
        low, high = (Fraction(1), Fraction(1)) if epsilon == 0 else exponential(epsilon)
        return max(pair.delta(high) for pair in self.pairs), max(pair.delta(low) for pair in self.pairs)

    def plan(self) -> Plan:
        releases = []
        for number, (scope, law) in enumerate(self.releases):
            added = self._pairs(self.added(), scope, law)
            stays = [
                (left, right)
                for left, right in self.changed()
                if scope is None or len(self.seen(scope, left)) == len(self.seen(scope, right))
            ]
            changed = self._pairs(stays, scope, law)
            written = Written(dominating(added) if added else NO_LOSS, dominating_both(changed) if changed else NO_LOSS)
            name = f"release {number}" if scope else "everyone"
            releases.append(Release(name, NonPrivate(), sampling=written, scope=scope))
        return Plan("world", Specification(self.neighbours), tuple(releases))

    def _pairs(
        self, compared: Iterable[tuple[Dataset, Dataset]], scope: Scope | None, law: Callable[[Dataset], Law]
    ) -> list[Pair]:
        distinct = {(self.seen(scope, left), self.seen(scope, right)) for left, right in compared}
        return [Pair(zip(law(a), law(b), strict=True)) for a, b in sorted(distinct) if a != b]


def delta(whole: Account, epsilon: Fraction) -> Any:
    return whole.measure("approx", epsilon=epsilon).value


def violated(world: World) -> bool:
    """Whether the account of a world says less than some neighbours lose."""
    whole = account(world.plan())
    return any(Fraction(delta(whole, epsilon).upper) < world.exact(epsilon)[0] for epsilon in EPSILONS)


def random_law(random: Random) -> Callable[[Dataset], Law]:
    def law(_: Dataset) -> Law:
        weights = random.randint(0, 5), random.randint(1, 5)
        return tuple(Fraction(weight, sum(weights)) for weight in weights)

    return law


NEIGHBOURS = {
    "add-remove": Neighbours(ADD_REMOVE),
    "replace-one": Neighbours(REPLACE_ONE),
    "replace-one value": Neighbours(REPLACE_ONE, attributes={"value"}),
    "replace-one state": Neighbours(REPLACE_ONE, attributes={"state"}),
}
S, T, F = Scope("state", "s"), Scope("state", "t"), Scope("sex", "f")


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@settings(deadline=None, max_examples=6)
@given(seed=st.integers(0, 10**6), everyone=st.booleans(), twice=st.booleans())
def test_no_neighbours_lose_more_than_the_account_says(neighbours: str, seed: int, everyone: bool, twice: bool) -> None:
    random = Random(seed)
    world = World({"state": "stu", "value": "01"}, 2, NEIGHBOURS[neighbours])
    for scope in (S, T, *([S] if twice else []), *([None] if everyone else [])):
        world.add(scope, random_law(random))
    assert not violated(world)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one", "replace-one state"])
@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_several_partitions_at_once(neighbours: str, seed: int) -> None:
    random = Random(seed)
    world = World({"state": "stu", "sex": "fm"}, 1, NEIGHBOURS[neighbours])
    for scope in (S, T, F, Scope("sex", "m"), None):
        world.add(scope, random_law(random))
    assert not violated(world)


def by_size(*laws: str) -> Callable[[Dataset], Law]:
    """A law that depends on the number of records only."""
    rows = [tuple(Fraction(share) for share in law.split()) for law in laws]
    return lambda dataset: rows[len(dataset)]


@st.composite
def sized_laws(draw: st.DrawFn) -> Callable[[Dataset], Law]:
    weights = [[draw(st.integers(0, 6)), *(draw(st.integers(1, 9)) for _ in range(2))] for _ in range(2)]
    rows = [tuple(Fraction(weight, sum(row)) for weight in row) for row in weights]
    return lambda dataset: rows[len(dataset)]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@settings(deadline=None, max_examples=15)
@given(laws=st.lists(sized_laws(), min_size=2, max_size=3))
def test_where_one_pair_of_neighbours_is_the_worst_of_each_case_the_account_is_exact(
    neighbours: str, laws: list[Callable[[Dataset], Law]]
) -> None:
    world = World({"state": "stu"}, 1, NEIGHBOURS[neighbours])
    for scope, law in zip((S, T, None), laws, strict=False):
        world.add(scope, law)
    whole = account(world.plan())
    for epsilon in EPSILONS:
        low, high = world.exact(epsilon)
        found = delta(whole, epsilon)
        assert found.lower <= high
        assert Fraction(found.upper) >= low
        assert found.upper - found.lower <= 1e-12


def opposite() -> World:
    """One release may show a record for certain, the other its absence: a record that moves from the first shows most."""
    world = World({"state": "stu"}, 1, NEIGHBOURS["replace-one"])
    world.add(S, by_size("0 1/2 1/2", "1/4 1/4 1/2"))
    world.add(T, by_size("1/5 1/5 3/5", "0 1/2 1/2"))
    return world


def two_partitions() -> World:
    """A release in each of two partitions may show a record for certain: one that leaves both shows most."""
    world = World({"state": "su", "sex": "fm"}, 1, NEIGHBOURS["replace-one"])
    world.add(S, by_size("0 1/2 1/2", "1/4 1/4 1/2"))
    world.add(F, by_size("0 1/2 1/2", "1/5 1/5 3/5"))
    return world


def with_everyone() -> World:
    world = World({"state": "su"}, 1, NEIGHBOURS["add-remove"])
    world.add(S, by_size("1/2 1/2", "1/4 3/4"))
    world.add(None, by_size("1/2 1/2", "1/3 2/3"))
    return world


def only_the_part_that_loses(case: Whereabouts) -> Whereabouts:
    return evolve(case, entries=tuple(entry for entry in case.entries if not entry.arrives))


def without_everyone(case: Whereabouts) -> Whereabouts:
    return evolve(case, entries=tuple(entry for entry in case.entries if entry.release.name != "everyone"))


def not_reversed(case: Whereabouts) -> Whereabouts:
    return evolve(case, entries=tuple(evolve(entry, arrives=False) for entry in case.entries))


def one_relative_direction(case: Whereabouts) -> Whereabouts:
    """As if what happens in one partition decided what happens in the other."""
    moved = [entry for entry in case.entries if entry.moved]
    stays = [entry for entry in case.entries if not entry.moved]
    return evolve(case, entries=(*stays, *(evolve(entry, arrives=number > 0) for number, entry in enumerate(moved))))


@pytest.mark.parametrize(
    ("world", "planted"),
    [
        (opposite, only_the_part_that_loses),
        (with_everyone, without_everyone),
        (opposite, not_reversed),
        (two_partitions, one_relative_direction),
    ],
)
def test_a_planted_error_is_caught(
    world: Callable[[], World], planted: Callable[[Whereabouts], Whereabouts], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not violated(world())
    accounting = importlib.import_module("accountant.accounting.account")
    right = accounting.whereabouts
    monkeypatch.setattr(accounting, "whereabouts", lambda entries: tuple(planted(case) for case in right(entries)))
    assert violated(world())
