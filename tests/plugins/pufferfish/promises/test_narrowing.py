"""Promises hold where no more is asked for, and nothing follows where more is."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue
from accountant.finite import FiniteMechanism
from accountant_pufferfish import (
    CompositionError,
    Law,
    Leak,
    MixtureOnly,
    RichScenarios,
    Scenarios,
    SecretPair,
    Setting,
    bounded_pairs,
    compose,
    exact_guarantee,
    leak,
    narrowed,
    pointwise_guarantee,
)
from tests.plugins.pufferfish.worlds import TOTAL, bits, fair_bits, mechanisms, responses, settings_of_bits


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.data(), settings_of_bits(length=3), mechanisms(bits(3), least=1))
def test_fewer_scenarios_pairs_and_values_reveal_no_more(
    data: st.DataObject, setting: Setting, mechanism: FiniteMechanism
) -> None:
    laws = dict(setting.scenarios.laws)
    some = data.draw(st.sets(st.sampled_from(sorted(laws)), min_size=1))
    pairs = data.draw(st.lists(st.sampled_from(setting.pairs), min_size=1, unique=True))
    exchanged = [SecretPair(pair.second, pair.first) for pair in pairs]
    scenarios = Scenarios.listed({f"{name}, again": laws[name] for name in sorted(some)})
    values = data.draw(st.sampled_from([None, setting.possible_values()[:1]]))
    smaller = evolve(setting, scenarios=scenarios, pairs=exchanged, values=values)
    truth = leak(mechanism, smaller)
    for promise in (exact_guarantee(mechanism, setting), pointwise_guarantee(mechanism, setting)):
        found = narrowed(promise, smaller)
        assert found.vacuous == (not isinstance(truth, Leak))
        assert found.live_pairs == truth.live
        if isinstance(truth, Leak) and found.epsilon is not None:
            assert truth.epsilon.lower <= found.epsilon.upper
            assert found.derivation[-1].theorem.name == "pufferfish-narrowing"


def test_whatever_asks_for_more_is_refused_and_would_really_cost_more() -> None:
    mechanism, pairs = responses(2), bounded_pairs(2, (0, 1))
    free = fair_bits(2)
    promise = exact_guarantee(mechanism, free)
    assert promise.epsilon is not None
    assert promise.epsilon.upper == pytest.approx(math.log(1.5), rel=1e-14)
    linked = {"fair": Law.uniform(bits(2)), "copies": Law.uniform([(0, 0), (1, 1)])}
    more = {
        "nothing under copies": Setting(Scenarios.listed(linked), pairs),
        "nothing relative to 'total'": evolve(free, public=TOTAL),
    }
    for words, setting in more.items():
        truth = leak(mechanism, setting)
        assert isinstance(truth, Leak)
        assert truth.epsilon.lower == pytest.approx(2 * math.log(1.5), rel=1e-14)
        with pytest.raises(InvalidValue, match=words):
            narrowed(promise, setting)
    some = evolve(free, public=TOTAL, values=(1,))
    with pytest.raises(InvalidValue, match="some published values only"):
        narrowed(exact_guarantee(mechanism, some), evolve(some, values=None))
    with pytest.raises(InvalidValue, match="nothing about record 2 is 0"):
        narrowed(exact_guarantee(mechanism, evolve(free, pairs=pairs[:1])), free)
    family = Scenarios.sampled("all", {"fair": Law.uniform(bits(2))})
    with pytest.raises(InvalidValue, match="nothing under all"):
        narrowed(promise, evolve(free, scenarios=family))
    with pytest.raises(InvalidValue, match="lower bound"):
        narrowed(exact_guarantee(mechanism, evolve(free, scenarios=family)), evolve(free, scenarios=family))


def test_what_holds_between_datasets_still_adds_up_and_mixtures_still_do_not() -> None:
    mechanism, setting = responses(2), fair_bits(2)
    smaller = evolve(setting, pairs=setting.pairs[:1])
    pointwise = narrowed(pointwise_guarantee(mechanism, setting), smaller)
    both = compose(pointwise, pointwise)
    assert both.epsilon is not None
    assert both.epsilon.upper == pytest.approx(2 * math.log(1.5), rel=1e-14)
    mixture = narrowed(exact_guarantee(mechanism, setting), smaller)
    assert mixture.evidence == MixtureOnly()
    with pytest.raises(CompositionError, match="does not add up"):
        compose(mixture, mixture)


def test_a_part_of_the_scenarios_can_be_rich_by_itself() -> None:
    one = {"two": Law.weighted({(0,): Fraction(1, 3), (1,): Fraction(2, 3)}), "other": Law.uniform([(0,), (1,)])}
    setting = Setting(Scenarios.listed(one), bounded_pairs(1, (0, 1)))
    part = evolve(setting, scenarios=Scenarios.listed({"two": one["two"]}))
    assert isinstance(narrowed(exact_guarantee(responses(1), setting), part).evidence, RichScenarios)
