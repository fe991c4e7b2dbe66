"""Every law of the catalogue catches an item that is registered without what it needs."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from attrs import field, frozen
from numpy.random import Generator

from accountant import PluginError, PrivacyLoss, ShiftError, Theorem, fields
from accountant.loss import Floats
from accountant.plugin import Claim, MechanismCase, MechanismOracle, ParameterCase, Shift
from accountant.promise.theorem import THEOREMS
from accountant.testing import laws, trials
from tests.laws.planted import COIN, ONE, PLANTED, TWO, Coin, EpsilonParameter, Rule, Worst, registry_with

WHOLE = [MechanismCase("one", Coin("3/4"), ONE, (COIN,)), MechanismCase("two", Coin("3/4"), TWO, (COIN.times(COIN),))]
OUTPUTS = MechanismOracle(
    "coin", law=lambda coin, answer: {answer: coin.kept, 1 - answer: 1 - coin.kept}, answers=lambda coin: (0, 1)
)


class Bare(Coin):
    pass


@frozen
class Tossed(Coin):
    """A mechanism that can be run."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        kept: Floats = np.where(generator.random(answers.shape) < float(self.kept), answers, 1 - answers)
        return kept


@frozen
class Undescribed(Coin):
    """A mechanism with a parameter that nobody describes."""

    depth: Fraction = field(default=Fraction(1), converter=fields.exact)


@frozen
class WithoutSchema(Coin):
    """A mechanism with a parameter that no schema knows."""

    depth: Fraction = field(default=Fraction(1), converter=Fraction, metadata=fields.about("how deep"))


@frozen
class OnlyOneCoordinate(Coin):
    """A mechanism that refuses what it cannot account for."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        if len(shift.coordinates or ()) != 1:
            raise ShiftError("one answer at a time")
        return self.pair()


@frozen
class MissingMeaning(Worst):
    """A definition that does not say what it means."""

    meaning: ClassVar[str] = ""


@pytest.mark.parametrize(
    ("name", "item", "words"),
    [
        ("coin", Bare, "a docstring"),
        ("coin", Undescribed, "a description of the parameter 'depth'"),
        ("coin", WithoutSchema, "a schema of the parameter 'depth'"),
        ("Coin Toss", Coin, "a name of small letters and hyphens"),
        ("worst", MissingMeaning(), "a meaning"),
    ],
)
def test_an_undocumented_item_is_caught(name: str, item: object, words: str) -> None:
    laws.item_is_documented("mechanism", "coin", Coin)
    laws.item_is_documented("definition", "worst", Worst())
    with pytest.raises(AssertionError, match=words):
        laws.item_is_documented("item", name, item)


def test_an_item_without_a_registered_theorem_cannot_be_registered() -> None:
    """What is cited is registered with the item, so that no law is left to ask for it."""
    assert registry_with(mechanisms=[Coin])[THEOREMS][PLANTED.name] == PLANTED

    @frozen
    class OtherWords(Coin):
        """A mechanism that cites the theorem in words of its own."""

        theorem: ClassVar[Theorem] = Theorem(PLANTED.name, "Something else.", PLANTED.key, PLANTED.locator)

    with pytest.raises(PluginError, match="says something else by the theorem 'planted'"):
        registry_with(mechanisms=[OtherWords])

    @frozen
    class Faith(Coin):
        """A mechanism that cites nothing."""

        theorem: ClassVar[Theorem] = "It is well known."  # type: ignore[assignment]

    with pytest.raises(PluginError, match="cites no theorem as 'theorem' of its mechanism 'coin'"):
        registry_with(mechanisms=[Faith])


def test_a_mechanism_that_nothing_says_the_outputs_of_is_caught() -> None:
    laws.mechanism_has_cases("coin", Tossed, WHOLE)
    laws.mechanism_has_cases("coin", Coin, [OUTPUTS])
    # Neither running it without an exact pair nor single cases without running it say what it does.
    bare = [MechanismCase("bare", Coin("3/4"), ONE)]
    for mechanism, cases in ((Tossed, []), (Tossed, bare), (Coin, WHOLE)):
        with pytest.raises(AssertionError, match="nothing says what the mechanism 'coin' does"):
            laws.mechanism_has_cases("coin", mechanism, cases)


def test_a_mechanism_that_hides_what_several_coordinates_cost_is_caught() -> None:
    with pytest.raises(AssertionError, match="several coordinates, but no case shows what that costs"):
        laws.mechanism_has_cases("coin", Tossed, WHOLE[:1])
    laws.mechanism_has_cases("coin", Tossed, [MechanismCase("one", OnlyOneCoordinate("3/4"), ONE, (COIN,))])


def test_a_definition_without_a_parameter_is_caught() -> None:
    laws.definition_has_cases("worst", [ParameterCase("worst 1", "worst", EpsilonParameter("1"))])
    for cases in ([], [ParameterCase("other 1", "other", EpsilonParameter("1"))]):
        with pytest.raises(AssertionError, match="the definition 'worst' needs a conformance case"):
            laws.definition_has_cases("worst", cases)


def test_claims_need_a_parameter_to_claim() -> None:
    laws.mechanism_has_cases("claim", Claim, [ParameterCase("worst 1", "worst", EpsilonParameter("1"))])
    with pytest.raises(AssertionError, match="no definition offers a parameter to claim"):
        laws.mechanism_has_cases("claim", Claim, WHOLE)


def test_a_rule_about_an_unknown_definition_is_caught() -> None:
    @frozen
    class Lost(Rule):
        """A rule with a misspelt definition."""

        divergence: ClassVar[str] = "prue"

    laws.rule_names_a_definition("planted-rule", registry_with(composition_rules=[Rule()]))
    registry = registry_with(composition_rules=[Lost()])
    with pytest.raises(AssertionError, match="the definition 'prue', which nobody registers"):
        laws.rule_names_a_definition("planted-rule", registry)


def test_a_rule_that_adds_up_where_nothing_is_read_is_caught() -> None:
    @frozen
    class Elsewhere(Rule):
        """A rule for Renyi divergences that does not say at which orders."""

        divergence: ClassVar[str] = "renyi"

    with pytest.raises(AssertionError, match="must add up where 'renyi' is read"):
        laws.rule_names_a_definition("planted-rule", registry_with(composition_rules=[Elsewhere()]))


@pytest.mark.slow
def test_an_honest_plugin_passes_every_law_and_a_planted_one_fails_the_right_ones() -> None:
    honest = registry_with(mechanisms=[Coin], conformance_cases=[*WHOLE, OUTPUTS])
    for trial in trials("planted_plugin", registry=honest):
        trial()

    @frozen
    class Forgets(Coin):
        """Forgets how many answers move."""

        def loss(self, shift: Shift) -> PrivacyLoss:
            return self.pair()

    cases = [MechanismCase("two", Forgets("3/4"), TWO, (COIN.times(COIN),)), OUTPUTS]
    failed = set()
    for trial in trials("planted_plugin", registry=registry_with(mechanisms=[Forgets], conformance_cases=cases)):
        try:
            trial()
        except AssertionError:
            failed.add(trial.law)
    several = "outputs of several coordinates and releases never beat the claim"
    assert failed == {"exact pairs never beat the claim", several}
