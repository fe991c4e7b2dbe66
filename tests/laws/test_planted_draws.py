"""Samplings that claim less than all draws from small datasets lose are caught."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import pytest
from attrs import evolve, frozen

from accountant import Neighbours, PrivacyLoss, default_registry
from accountant.loss import SampledLoss
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Relation, Sampling, SamplingOracle
from accountant.testing import laws, trials
from accountant_builtin.samplings import Poisson, WithoutReplacement
from tests.laws.planted import registry_with

REGISTRY = default_registry()


def coins(sampling: Sampling, taken: frozenset[int], of: int) -> Fraction:
    assert isinstance(sampling, Poisson)
    return sampling.rate ** len(taken) * (1 - sampling.rate) ** (of - len(taken))


COINS = SamplingOracle("coins", coins)


@frozen
class Squared(Poisson):
    """Amplifies twice."""

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return Poisson(self.rate * self.rate).loss(between, neighbours)


@frozen
class SameForReplaced(Poisson):
    """Takes a replaced record for one that comes or goes."""

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return SampledLoss.of(between(ADD_REMOVE), self.rate)


@frozen
class OneRecordLess(WithoutReplacement):
    """Takes the mechanism between samples of which one lacks a record, though all are of one size."""

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return SampledLoss.of(between(ADD_REMOVE), Fraction(self.sample, self.population))


@frozen
class WrongRate(WithoutReplacement):
    """Divides by one record too many."""

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return evolve(self, population=self.population + 1).loss_of(between, neighbours)

    def loss_of(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return WithoutReplacement(self.sample, self.population).loss(between, neighbours)


@pytest.mark.parametrize(
    ("planted", "honest", "relation"),
    [
        (Squared("3/10"), Poisson("3/10"), ADD_REMOVE),
        (SameForReplaced("3/10"), Poisson("3/10"), REPLACE_ONE),
        (OneRecordLess(1, 2), WithoutReplacement(1, 2), ADD_REMOVE),
        (WrongRate(1, 2), WithoutReplacement(1, 2), REPLACE_ONE),
    ],
)
def test_a_sampling_that_claims_too_little_is_caught(planted: Sampling, honest: Sampling, relation: Relation) -> None:
    laws.samples_lose_no_more_than_claimed(REGISTRY, relation, None, honest)
    with pytest.raises(AssertionError, match="must not lose more than is claimed"):
        laws.samples_lose_no_more_than_claimed(REGISTRY, relation, None, planted)


@frozen
class Uneven(Poisson):
    """Forgets those who are not taken."""

    def draws(self, records: int) -> tuple[tuple[Fraction, tuple[int, ...]], ...]:
        return tuple(
            (self.rate**size, taken) for size in range(records + 1) for taken in combinations(range(records), size)
        )


def test_draws_that_are_no_chances_or_not_those_of_the_oracle_are_caught() -> None:
    laws.draws_are_chances(Poisson("3/10"), COINS)
    with pytest.raises(AssertionError, match="must sum to one"):
        laws.draws_are_chances(Uneven("3/10"), None)
    with pytest.raises(AssertionError, match="must draw as its oracle says"):
        laws.draws_are_chances(Uneven("3/10"), COINS)


@frozen
class Silent(Poisson):
    """A sampling that does not say how it draws."""

    kind: ClassVar[str] = "coins"

    def draws(self, records: int) -> None:  # type: ignore[override]
        return None


@pytest.mark.slow
def test_a_sampling_without_draws_is_asked_for_an_oracle_and_passes_with_one() -> None:
    with pytest.raises(AssertionError, match=r'yield SamplingOracle\("coins", chance='):
        laws.sampling_says_how_it_draws("coins", (Silent("3/10"),), None)
    for trial in trials("planted_plugin", registry=registry_with(samplings=[Silent], conformance_cases=[COINS])):
        trial()


def test_an_oracle_is_what_a_sampling_is_held_to() -> None:
    @frozen
    class SilentlySquared(Silent):
        """Amplifies twice, and does not say how it draws."""

        loss = Squared.loss

    with pytest.raises(AssertionError, match="must not lose more than is claimed"):
        laws.samples_lose_no_more_than_claimed(REGISTRY, ADD_REMOVE, COINS, SilentlySquared("3/10"))
