"""Budgets of cohorts against the exact oracle: all neighbours that differ in units of a cohort, in Fractions."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from accountant import Budget, Cohort, Verdict, account
from accountant.accounting.entry import Entry
from accountant.accounting.members import Members as Seen
from accountant.finite.exponentials import exponential
from tests.accounting.test_scopes_oracle import EPSILONS, NEIGHBOURS, Dataset, Record, S, T, World, random_law

COHORTS = {"one": Cohort("state", ["s"]), "two": Cohort("state", ["s", "t"]), "unseen": Cohort("state", ["u"])}


class Members(World):
    """A world in which only units of a cohort differ."""

    cohort: Cohort

    def changed_of(self, left: Dataset, right: Dataset) -> list[Record]:
        return [
            record for record in {*left, *right} if left.count(record) != right.count(record) and not self.member(record)
        ]

    def member(self, record: Record) -> bool:
        return record[self.names.index("state")] in self.cohort.named

    def compared(self) -> list[tuple[Dataset, Dataset]]:
        found = self.added() if self.neighbours.relation.by_presence else self.changed()
        return [(left, right) for left, right in found if not self.changed_of(left, right)]

    def lost(self, epsilon: Fraction) -> Fraction:
        """The largest delta that some neighbours of the cohort have, from below."""
        high = Fraction(1) if epsilon == 0 else exponential(epsilon)[1]
        most = Fraction(0)
        for left, right in self.compared():
            atoms = [(Fraction(1), Fraction(1))]
            for scope, law in self.releases:
                column = list(zip(law(self.seen(scope, left)), law(self.seen(scope, right)), strict=True))
                atoms = [(p * a, q * b) for p, q in atoms for a, b in column]
            for pairs in (atoms, [(q, p) for p, q in atoms]):
                most = max(most, sum((max(Fraction(0), p - high * q) for p, q in pairs), Fraction(0)))
        return most


def world_of(neighbours: str, cohort: Cohort, seed: int, size: int = 1) -> Members:
    random = Random(seed)
    world = Members({"state": "stu", "value": "01"}, size, NEIGHBOURS[neighbours])
    world.cohort = cohort
    for scope in (S, T, None):
        if random.random() < 0.8:
            world.add(scope, random_law(random))
    if not world.releases:
        world.add(S, random_law(random))
    return world


def violated(world: Members) -> bool:
    """Whether the account of a cohort says less than some of its units lose, or keeps a budget that they pass."""
    whole = account(world.plan())
    among = whole.among(world.cohort)
    for epsilon in EPSILONS:
        found, truth = among.measure("approx", epsilon=epsilon), world.lost(epsilon)
        if Fraction(found.value.upper) < truth:
            return True
        if truth > 0:
            budget = Budget.of("approx", epsilon=epsilon, delta=truth * Fraction(99, 100), cohort=world.cohort)
            if whole.check(budget)[1] is Verdict.IMPLIED:
                return True
    return False


@pytest.mark.parametrize("cohort", COHORTS)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@settings(deadline=None, max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_no_units_of_a_cohort_lose_more_than_the_account_says(neighbours: str, cohort: str, seed: int) -> None:
    assert not violated(world_of(neighbours, COHORTS[cohort], seed))


@pytest.mark.sweep
@pytest.mark.parametrize("cohort", COHORTS)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_no_units_of_a_cohort_lose_more_over_many_worlds(neighbours: str, cohort: str) -> None:
    assert not any(violated(world_of(neighbours, COHORTS[cohort], seed, size=2)) for seed in range(60))


def test_an_account_that_forgets_a_release_of_the_cohort_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    accounting = importlib.import_module("accountant.accounting.account")
    right = accounting.seen_by

    def forgets(entries: Sequence[Entry], cohort: Cohort) -> tuple[tuple[Entry, ...], Seen]:
        """As if units with the last of several values, or the only one, were not looked at."""
        last = max(cohort.named)
        others = [entry for entry in entries if entry.release.scope is None or entry.release.scope.part != last]
        kept: tuple[tuple[Entry, ...], Seen] = right(others, cohort)
        return kept

    for cohort in ("one", "two"):
        worlds = [world_of("replace-one", COHORTS[cohort], seed) for seed in range(20)]
        assert not any(map(violated, worlds))
        with monkeypatch.context() as planted:
            planted.setattr(accounting, "seen_by", forgets)
            assert any(map(violated, worlds))
