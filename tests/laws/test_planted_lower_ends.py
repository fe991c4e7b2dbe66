"""The law of lower ends catches laws that no datasets of the kind have."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import evolve, frozen

from accountant import Neighbours, PrivacyLoss, default_registry
from accountant.finite import TableMechanism
from accountant.loss import GaussianLoss, Noise, OneOf, ResponseLoss, replaced_in_sample
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Mechanism, MechanismCase, MechanismOracle, Relation, Shift
from accountant.testing import laws, trials
from accountant.testing.moves import Move
from accountant.testing.planted.mechanisms import places_said_to_be_near
from accountant_builtin.combinators import PostProcessed
from accountant_builtin.queries import Count, Histogram, Sum
from accountant_builtin.samplings import Poisson, WithoutReplacement
from accountant_noise import Gaussian, Laplace

REGISTRY = default_registry()


@frozen
class OnOneLine(Poisson):
    """Says of every query that its two records move the answer in opposite directions, as far as they can be apart."""

    kind: ClassVar[str] = "on-one-line"

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        apart, replaced = between(ADD_REMOVE), between(REPLACE_ONE)
        bracket = replaced_in_sample(apart, replaced, self.rate)
        return bracket.dominating() if isinstance(apart, GaussianLoss) else bracket


@frozen
class AllOfThem(WithoutReplacement):
    """Says that a sample hides nothing."""

    kind: ClassVar[str] = "all-of-them"

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return between(REPLACE_ONE)


@pytest.mark.slow
def test_two_records_of_a_histogram_that_are_put_on_one_line_are_caught() -> None:
    laws.lower_ends_are_attained(REGISTRY, REPLACE_ONE, Poisson("0.3"), Histogram())
    with pytest.raises(AssertionError, match="no two datasets are as far apart") as caught:
        laws.lower_ends_are_attained(REGISTRY, REPLACE_ONE, OnOneLine("0.3"), Histogram())
    assert "query: histogram" in str(caught.value)
    laws.lower_ends_are_attained(REGISTRY, REPLACE_ONE, OnOneLine("0.3"), Sum(-1, 1))


@pytest.mark.parametrize("query", [Count(), Histogram(), Sum(-1, 2)])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
def test_a_sample_that_is_said_to_hide_nothing_is_caught(query: Histogram, relation: Relation) -> None:
    laws.lower_ends_are_attained(REGISTRY, relation, WithoutReplacement(1, 3), query)
    with pytest.raises(AssertionError, match="no two datasets are as far apart"):
        laws.lower_ends_are_attained(REGISTRY, relation, AllOfThem(1, 3), query)


@frozen
class TooLoud(Gaussian):
    """Gaussian noise with the loss of randomised response."""

    kind: ClassVar[str] = "too-loud"

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(2, 0)


def test_noise_that_is_said_to_lose_more_than_it_does_is_caught() -> None:
    for mechanism in (Gaussian(2), TooLoud(2)):
        case = MechanismCase("noise", mechanism, Shift.along([1]), ())
        if isinstance(mechanism, TooLoud):
            with pytest.raises(AssertionError, match="no two datasets are as far apart"):
                laws.noise_loses_what_is_claimed(case)
        else:
            laws.noise_loses_what_is_claimed(case)


@pytest.mark.parametrize("mechanism", [Gaussian(2), Laplace(2)])
def test_noise_that_is_said_to_hide_places_which_it_does_not_is_caught(mechanism: Mechanism) -> None:
    laws.noise_loses_what_is_claimed(MechanismCase("noise", mechanism, Shift.along([1]), ()))
    planted = places_said_to_be_near(type(mechanism))
    assert planted is not None
    with pytest.raises(AssertionError, match="a place that is farther from 0 tells more"):
        laws.noise_loses_what_is_claimed(MechanismCase("noise", planted(2), Shift.along([1]), ()))


UNEQUAL = [["18/27", "4/27", "5/27"], ["10/38", "12/38", "16/38"]]
OF_TABLES = MechanismOracle(
    "table", law=lambda table, answer: dict(enumerate(table.rows[int(answer)])), answers=lambda _: (0, 1)
)


def tried(mechanism: Mechanism) -> None:
    shift = Shift.along([1])
    laws.lower_ends_are_reached(OF_TABLES, mechanism, shift, [Move((Fraction(0),), (Fraction(1),), shift)])


@frozen
class OneForBoth(TableMechanism):
    """Says that the loss which dominates both orders of two rows is attained."""

    kind: ClassVar[str] = "one-for-both"

    def loss(self, shift: Shift) -> PrivacyLoss:
        return super().loss(shift).dominating()


@frozen
class BothAtOnce(TableMechanism):
    """Knows what one release loses, and says that several lose what dominates all of them."""

    kind: ClassVar[str] = "both-at-once"

    def loss(self, shift: Shift) -> PrivacyLoss:
        known = super().loss(shift)
        assert isinstance(known, OneOf)
        return evolve(known, below=known.above)


def test_a_loss_that_no_two_rows_have_is_caught() -> None:
    tried(TableMechanism(UNEQUAL))
    with pytest.raises(AssertionError, match="no two answers are as far apart") as caught:
        tried(OneForBoth(UNEQUAL))
    assert "Renyi divergence of order 2" in str(caught.value)


def test_several_releases_that_no_rows_have_are_caught() -> None:
    with pytest.raises(AssertionError, match="no two answers are as far apart") as caught:
        tried(BothAtOnce(UNEQUAL))
    assert "delta of 2 releases" in str(caught.value)


def test_what_is_done_to_an_output_may_be_undone() -> None:
    """The lower end of post-processing is that of the mechanism inside, whatever is merged."""
    tried(PostProcessed(TableMechanism(UNEQUAL), "showing nothing"))


@pytest.mark.slow
def test_every_sampling_is_tried_on_every_query_that_says_what_records_add() -> None:
    tried = [trial for trial in trials("builtin") if trial.law == "lower ends are attained"]
    assert len(tried) >= 4
    for trial in tried:
        trial()


def test_a_mechanism_that_does_not_say_its_noise_is_left_alone() -> None:
    class Silent(Mechanism):
        kind = "silent"

        def loss(self, shift: Shift) -> PrivacyLoss:
            return GaussianLoss(Fraction(10**6))

    assert Silent().added_noise() is None
    laws.noise_loses_what_is_claimed(MechanismCase("silent", Silent(), Shift.along([1]), ()))
    assert isinstance(Gaussian(1).added_noise(), Noise)
