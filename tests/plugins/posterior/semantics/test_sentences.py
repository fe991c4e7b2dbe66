"""Sentences about beliefs name whom they hold for: attackers are enumerated, and those who are left out do learn more."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from typing import Any

import pytest

from accountant import Account
from accountant.testing.worlds import ATTRIBUTES, Noisy, World, telling
from accountant_posterior import Counterfactual, Semantics

OTHERS = World.of(
    Noisy(("illness",), "1/2"),
    Noisy(("age",), "1/50"),
    specification={"neighbours": "replace-one", "attributes": ["illness"]},
)
ALONE = World.of(Noisy(("illness",), "1/2"), specification={"neighbours": "replace-one", "attributes": ["illness"]})
HALF = Fraction(1, 2)


def posteriors(world: World, belief: dict[tuple[int, int], Fraction]) -> list[Fraction]:
    """What an attacker who knows that nobody else is there, and holds a belief about (age, illness), ends up believing of
    illness, for every output."""
    records = {values: tuple(zip(ATTRIBUTES, values, strict=True)) for values in belief}
    found = []
    laws = {values: [noisy.law((record,), hidden=False) for noisy in world.truth] for values, record in records.items()}
    spaces = [sorted({output for law in parts for output in law}) for parts in zip(*laws.values(), strict=True)]
    for outputs in itertools.product(*spaces):
        likely = dict(belief)
        for values, parts in laws.items():
            for law, output in zip(parts, outputs, strict=True):
                likely[values] *= law.get(output, Fraction(0))
        total = sum(likely.values())
        if total:
            found.append(sum(chance for (_, illness), chance in likely.items() if illness) / total)
    return found


def ends(sentence: str) -> tuple[Fraction, Fraction]:
    found = re.search(r"between ([\d.e-]+) and ([\d.e-]+)", sentence)
    assert found
    return Fraction(found[1]), Fraction(found[2])


@pytest.mark.parametrize("adversary", ["strong", "independent"])
def test_who_believes_that_age_decides_illness_is_not_among_those_a_sentence_speaks_of(adversary: str) -> None:
    sentence = str(Semantics(OTHERS.account, adversary).posterior(HALF))
    low, high = ends(sentence)
    known_age = posteriors(OTHERS, {(0, 0): HALF, (0, 1): HALF})
    assert all(low <= belief <= high for belief in known_age)
    decided = posteriors(OTHERS, {(0, 0): HALF, (1, 1): HALF})
    assert max(decided) > high
    assert "knows all else about the target but illness" in sentence


def test_where_no_release_depends_on_other_attributes_nothing_has_to_be_known_of_them() -> None:
    sentence = str(Semantics(ALONE.account, "independent").posterior(HALF))
    low, high = ends(sentence)
    assert "all else" not in sentence
    for belief in ({(0, 0): HALF, (1, 1): HALF}, {(0, 0): HALF, (0, 1): HALF}, {(1, 0): HALF, (0, 1): HALF}):
        assert all(low <= after <= high for after in posteriors(ALONE, belief))


def test_sentences_name_the_attributes() -> None:
    meaning, compared = Semantics(OTHERS.account), Counterfactual(OTHERS.account)
    assert "which of two values, or of two sets of values, the illness of the person has" in str(meaning.posterior(HALF))
    assert "has a sensitive value of illness" in str(Semantics(OTHERS.account, "independent").ratio())
    assert "any value of the illness of the record" in str(compared.ratio())
    assert "given all else about the record and everyone else" in str(compared.ratio())
    assert "a value of the illness of the record" in str(compared.chance(1))
    assert "had the illness of the record been replaced by a fixed value" in str(compared.participation(HALF))
    assert "differ in illness only" in str(Semantics(OTHERS.account, dependence=2).posterior(HALF))


def test_what_is_redrawn_given_all_else_bounds_every_belief() -> None:
    """Ratios of posteriors, with the illness as it is and redrawn given age, for an attacker to whom age decides it."""
    low, high = ends(str(Counterfactual(OTHERS.account).ratio()))
    for weight in (Fraction(1, 10), HALF, Fraction(9, 10)):
        belief = {(0, 0): weight / 2, (0, 1): (1 - weight) / 2, (1, 0): (1 - weight) / 2, (1, 1): weight / 2}
        records = {values: tuple(zip(ATTRIBUTES, values, strict=True)) for values in belief}
        laws = {
            values: [noisy.law((record,), hidden=False) for noisy in OTHERS.truth] for values, record in records.items()
        }
        spaces = [sorted(law) for law in laws[0, 0]]
        for outputs in itertools.product(*spaces):
            likely = {
                values: laws[values][0].get(outputs[0], Fraction(0)) * laws[values][1].get(outputs[1], Fraction(0))
                for values in belief
            }
            drawn = {
                age: sum(belief[age, value] * likely[age, value] for value in (0, 1)) / (belief[age, 0] + belief[age, 1])
                for age in (0, 1)
            }
            for illness in (0, 1):
                actual = sum(belief[age, illness] * likely[age, illness] for age in (0, 1))
                other = sum(belief[age, illness] * drawn[age] for age in (0, 1))
                assert low * other <= actual <= high * other


def test_who_was_sampled_and_what_is_claimed_is_said() -> None:
    sampled, insider, claimed = (world.account for world in telling()[-4:-1])
    assert "and who does not know who was sampled" in str(Semantics(sampled).posterior(HALF))
    assert "do not know who was sampled" in str(Counterfactual(sampled).ratio())
    assert "sampled" not in str(Semantics(insider).posterior(HALF))
    assert "What is claimed of 'release 0' is taken on trust." in str(Semantics(claimed).posterior(HALF))


CLOSE = [world for world in telling() if world.account.closest.least == 1]


@pytest.mark.parametrize("number", range(len(CLOSE)))
def test_beliefs_of_who_knows_all_others_stay_where_a_sentence_says(number: int) -> None:
    world = CLOSE[number]
    for prior in (Fraction(1, 10), HALF):
        bound = Semantics(world.account).posterior(prior)
        low, high = ends(bound.statement)
        for left, right in world.pairs(bound.comparison):
            for p, q in world.outcomes(left, right, bound.comparison):
                assert low <= prior * p / (prior * p + (1 - prior) * q) <= high


def risk(account: Account, **words: Any) -> str:
    from accountant_posterior import Difference

    return Difference("0.5", neighbours="replace-one", **words).assess(account).statement


def test_a_tolerated_risk_says_what_is_supposed_to_be_known() -> None:
    assert "All else about the person is supposed to be known: who believes that it goes with illness" in risk(
        OTHERS.account
    )
    assert "All else" not in risk(ALONE.account)
