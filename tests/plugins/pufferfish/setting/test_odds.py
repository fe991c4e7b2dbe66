"""What a secret is believed to be, before anything, given what is public, and after a release."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from accountant import InvalidValue
from accountant.finite import FiniteMechanism
from accountant_pufferfish import NOTHING, Law, Scenarios, Setting, bounded_pairs, leak, record_is, three_odds
from tests.plugins.pufferfish.worlds import TOTAL, bits, laws, mechanisms, responses


def test_three_odds_of_a_bit_with_a_public_total() -> None:
    """T-RISK: what the total says is in no budget, and the whole change of the odds is not e^epsilon."""
    odds = three_odds(record_is(0, 1), Law.uniform(bits(3)), TOTAL, 1, responses(3), (1, 0, 0))
    assert (odds.before, odds.given, odds.after) == (Fraction(1, 2), Fraction(1, 3), Fraction(9, 17))
    assert odds.by_public == Fraction(1, 2)
    assert odds.by_release == Fraction(9, 4)
    assert odds.together == Fraction(9, 8)


def test_what_is_impossible_has_no_odds() -> None:
    silent = FiniteMechanism.tabulate(bits(2), lambda dataset: {"nothing": 1})
    with pytest.raises(InvalidValue, match="'something' is impossible"):
        three_odds(record_is(0, 1), Law.uniform(bits(2)), NOTHING, (), silent, "something")


def test_certainty_is_an_infinite_factor() -> None:
    shown = FiniteMechanism.tabulate(bits(2), lambda dataset: {dataset[0]: 1})
    odds = three_odds(record_is(0, 1), Law.uniform(bits(2)), TOTAL, 1, shown, 1)
    assert odds.after == 1
    assert odds.by_release is None
    assert odds.together is None


@settings(deadline=None, max_examples=40)
@given(laws(bits(2)), mechanisms(bits(2), least=1))
def test_for_a_bit_the_change_by_the_release_is_the_bayes_factor(law: Law, mechanism: FiniteMechanism) -> None:
    setting = Setting(Scenarios.listed({"law": law}), [bounded_pairs(2, (0, 1))[0]], TOTAL)
    assume(any(True for _ in setting.at(1).comparisons()))
    steps = [three_odds(record_is(0, 1), law, TOTAL, 1, mechanism, output).by_release for output in mechanism.outputs]
    found = leak(mechanism, setting.at(1))
    assert max(max(step, 1 / step) for step in steps if step is not None) == found.factor
