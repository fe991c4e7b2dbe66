"""Epsilon relative to what is public, by enumeration: known answers, and what holds for all small worlds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant import InvalidValue
from accountant.finite import (
    FiniteMechanism,
    FiniteSpecification,
    Worst,
    compose,
    hamming,
    post_process,
    pure_epsilon,
    sequences,
)
from accountant_pufferfish import (
    ABSENT,
    Law,
    Leak,
    NothingLive,
    PublicVariable,
    Scenarios,
    Secret,
    SecretPair,
    Setting,
    bayes_factors,
    bounded_pairs,
    leak,
    literal_leak,
    record_is,
    unbounded_pairs,
)
from tests.plugins.pufferfish.worlds import (
    TOTAL,
    bits,
    exactly,
    fair_bits,
    laws,
    mechanisms,
    responses,
    settings_of_bits,
    worst_by_joint,
)

ODDS = Fraction(3, 2)


def factor(found: Leak | NothingLive) -> Fraction | None:
    assert isinstance(found, Leak)
    return found.factor


def size(found: Leak | NothingLive) -> Fraction | float:
    assert isinstance(found, Leak)
    return math.inf if found.factor is None else found.factor


def test_independent_records_leak_what_differential_privacy_says() -> None:
    """T-PF1: randomised response with odds of 3/2, three bits, whatever the product law."""
    rates = [Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)]
    priors = {
        str(chosen): Law.records([{1: rate, 0: 1 - rate} for rate in chosen])
        for chosen in itertools.product(rates, repeat=3)
    }
    found = leak(responses(3), Setting(Scenarios.listed(priors), bounded_pairs(3, (0, 1))))
    assert isinstance(found, Leak)
    assert found.factor == ODDS
    assert found.live == 3 * 27
    assert found.epsilon.contains("0.4054651081081643819780131154643491365719")


@pytest.mark.parametrize("length", [2, 3, 4])
def test_a_public_total_doubles_epsilon_or_decides_everything(length: int) -> None:
    """T-DPZ1."""
    setting = fair_bits(length, TOTAL)
    for total in range(length + 1):
        found = leak(responses(length), setting.at(total))
        if total in (0, length):
            assert isinstance(found, NothingLive)
        else:
            assert isinstance(found, Leak)
            assert found.factor == ODDS**2
            assert found.live == length
    uniform = leak(responses(length), setting)
    assert isinstance(uniform, Leak)
    assert uniform.factor == ODDS**2
    assert uniform.live == length * (length - 1)


def test_vacuous_is_said_and_is_no_epsilon() -> None:
    found = leak(exactly(bits(2), lambda dataset: dataset), fair_bits(2, PublicVariable("all", lambda dataset: dataset)))
    assert isinstance(found, NothingLive)
    assert not hasattr(found, "epsilon")
    assert "vacuous" in str(found)


def test_one_scenario_that_is_certain_takes_nothing_from_the_others() -> None:
    """T-DPZ4: by the letter of the published definition the first bit is free to be revealed."""
    scenarios = Scenarios.listed({"fair": Law.uniform(bits(2)), "first is 0": Law.uniform([(0, 0), (0, 1)])})
    setting = Setting(
        scenarios, [SecretPair(record_is(0, 0), record_is(0, 1)), SecretPair(record_is(1, 0), record_is(1, 1))]
    )
    first_bit = exactly(bits(2), lambda dataset: dataset[0])
    found = leak(first_bit, setting)
    assert isinstance(found, Leak)
    assert found.factor is None
    assert found.comparison.scenario == "fair"
    assert found.live == 3
    by_letter = literal_leak(first_bit, setting)
    assert isinstance(by_letter, Leak)
    assert by_letter.factor == 1
    assert by_letter.live == 2


def test_randomised_response_given_its_own_total_costs_four_times() -> None:
    """T-L5b: where no two possible datasets differ in one record, twice epsilon is not enough."""
    fibre = [dataset for dataset in bits(4) if sum(dataset) == 2]
    raw = responses(4)
    kept = FiniteMechanism.tabulate(fibre, lambda dataset: Law(raw.law(dataset)).given(lambda output: sum(output) == 2))
    two_points = {f"{x} or {y}": Law.uniform([x, y]) for x, y in itertools.combinations(fibre, 2)}
    setting = Setting(Scenarios.listed(two_points), bounded_pairs(4, (0, 1)), TOTAL)
    assert factor(leak(kept, setting)) == ODDS**4


def test_outputs_that_only_one_secret_allows_are_infinite() -> None:
    found = leak(exactly(bits(2), lambda dataset: dataset[0]), fair_bits(2))
    assert isinstance(found, Leak)
    assert found.factor is None
    assert found.epsilon.lower == math.inf


def test_being_in_the_data_is_a_secret_too() -> None:
    """Anybody's value against absence, where the output says how many are there and what they say stays hidden."""
    values = (0, 1, ABSENT)

    def crowded(dataset: Any) -> Law:
        present = sum(value is not ABSENT for value in dataset)
        return Law({"many": Fraction(1 + present, 4), "few": Fraction(3 - present, 4)})

    chances = Fraction(1, 5), Fraction(1, 2)
    priors = {
        str(chance): Law.records([{0: chance / 2, 1: chance / 2, ABSENT: 1 - chance}, Law.uniform(values)])
        for chance in chances
    }
    mechanism = FiniteMechanism.tabulate(sequences(values, 2), crowded)
    found = leak(mechanism, Setting(Scenarios.listed(priors), unbounded_pairs(2, (0, 1))))
    assert isinstance(found, Leak)
    assert found.live == 8
    # If the other one is there with probability q: P(few | absent)/P(few | there) = (3 - q)/(2 - q), and so on.
    others = [*chances, Fraction(2, 3)]
    assert found.factor == max(max((3 - q) / (2 - q), (2 + q) / (1 + q)) for q in others)
    both = leak(mechanism, Setting(Scenarios.listed(priors), bounded_pairs(2, (0, 1))))
    assert isinstance(both, Leak)
    assert both.factor == 1
    with pytest.raises(InvalidValue, match="cannot be a value"):
        unbounded_pairs(2, values)


@settings(deadline=None, max_examples=30)
@given(mechanisms(bits(2), least=1))
def test_differential_privacy_is_a_promise_to_whoever_knows_all_others(mechanism: FiniteMechanism) -> None:
    """One fair bit beside one that is known: the worst Bayes factor is the worst likelihood ratio of neighbours."""
    known = {
        f"bit {place + 1} open, the other {bit}": Law.uniform([dataset for dataset in bits(2) if dataset[1 - place] == bit])
        for place in (0, 1)
        for bit in (0, 1)
    }
    found = leak(mechanism, Setting(Scenarios.listed(known), bounded_pairs(2, (0, 1))))
    neighbours = FiniteSpecification.neighbours(bits(2), lambda left, right: hamming(left, right) == 1)
    pointwise = pure_epsilon(mechanism, neighbours)
    assert isinstance(found, Leak)
    assert isinstance(pointwise, Worst)
    assert found.live == pointwise.comparisons == 4
    assert found.factor == pointwise.logarithm_of


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_values_are_told_apart_by_at_most_the_square_of_presence(data: st.DataObject) -> None:
    """Whoever can be compared with nobody can be compared with anybody, in two steps."""
    datasets = sequences((0, 1, ABSENT), 2)
    law = data.draw(laws(datasets))
    mechanism = data.draw(mechanisms(datasets, least=1))
    assume(all(law.probability(record_is(0, value)) for value in (0, 1, ABSENT)))
    scenarios = Scenarios.listed({"law": law})
    presence = leak(mechanism, Setting(scenarios, unbounded_pairs(2, (0, 1))[:2]))
    values = leak(mechanism, Setting(scenarios, bounded_pairs(2, (0, 1))[:1]))
    assert size(values) <= size(presence) ** 2


def test_what_is_seen_of_some_scenarios_certifies_nothing() -> None:
    setting = Setting(Scenarios.sampled("any law", {"fair": Law.uniform(bits(2))}), bounded_pairs(2, (0, 1)))
    found = leak(responses(2), setting)
    assert isinstance(found, Leak)
    assert found.bound == "lower"
    assert found.epsilon.upper == math.inf
    assert found.epsilon.at_most(Fraction(100)) is None
    assert found.epsilon.at_most(Fraction(2, 5)) is False


def test_secrets_that_hold_together_are_refused() -> None:
    even = Secret("the first bit is 0", lambda dataset: dataset[0] == 0)
    with pytest.raises(InvalidValue, match=r"both hold for \(0, 0\)"):
        Setting(Scenarios.listed({"fair": Law.uniform(bits(2))}), [SecretPair(even, record_is(1, 0))])


@pytest.mark.parametrize("datasets", [bits(2), (0, 1)])
def test_secrets_about_records_that_are_not_there_are_refused(datasets: Any) -> None:
    with pytest.raises(InvalidValue, match="there is no record"):
        Setting(Scenarios.listed({"law": Law.uniform(datasets)}), bounded_pairs(3, (0, 1)))


def test_impossible_conditions_are_refused() -> None:
    with pytest.raises(InvalidValue, match="total = 5 is impossible"):
        TOTAL.given(5, Law.uniform(bits(2)))
    with pytest.raises(InvalidValue, match="at least one scenario"):
        Scenarios.listed({})
    with pytest.raises(InvalidValue, match="at least one record"):
        bounded_pairs(0, (0, 1))


NOISY = PublicVariable("noisy total", lambda dataset: Law({sum(dataset): "1/2", sum(dataset) + 1: "1/2"}))


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from([TOTAL, NOISY]))
def test_the_worst_factor_is_that_of_the_joint_law(data: st.DataObject, public: PublicVariable) -> None:
    setting = data.draw(settings_of_bits(public=public))
    mechanism = data.draw(mechanisms(bits(2)))
    expected: list[Fraction | float] = []
    for value in setting.possible_values():
        for _, law in setting.scenarios.laws:
            for pair in setting.pairs:
                found = worst_by_joint(law, pair, mechanism, lambda dataset, v=value: public.likelihood(v, dataset))
                expected += [] if found is None else [found]
    answer = leak(mechanism, setting)
    assert answer.live == len(expected)
    if isinstance(answer, NothingLive):
        assert not expected
    else:
        assert (math.inf if answer.factor is None else answer.factor) == max(expected)


@settings(deadline=None, max_examples=40)
@given(settings_of_bits(), mechanisms(bits(2), least=1))
def test_no_bayes_factor_leaves_the_promise(setting: Setting, mechanism: FiniteMechanism) -> None:
    found = leak(mechanism, setting)
    assume(isinstance(found, Leak))
    assert isinstance(found, Leak)
    assert found.factor is not None
    sizes = [f for item in setting.comparisons() for f in bayes_factors(mechanism, item).values()]
    assert all(f is not None and 1 / found.factor <= f <= found.factor for f in sizes)
    assert any(f is not None and max(f, 1 / f) == found.factor for f in sizes)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_post_processing_with_the_public_value_never_reveals_more(data: st.DataObject) -> None:
    setting = data.draw(settings_of_bits(public=TOTAL))
    mechanism = data.draw(mechanisms(bits(2)))
    found = leak(mechanism, setting)
    assume(isinstance(found, Leak))
    shown = compose(mechanism, exactly(bits(2), TOTAL.of))
    assert size(leak(shown, setting)) == size(found)
    channel = {
        output: Law.weighted({"a": data.draw(st.integers(0, 3)), "b": data.draw(st.integers(1, 3))})
        for output in shown.outputs
    }
    assert size(leak(post_process(shown, channel.__getitem__), setting)) <= size(found)


@settings(deadline=None, max_examples=30)
@given(settings_of_bits(), mechanisms(bits(2)), st.booleans())
def test_names_of_records_and_values_do_not_matter(setting: Setting, mechanism: FiniteMechanism, swap: bool) -> None:
    def renamed(dataset: Any) -> Any:
        return dataset[::-1] if swap else tuple(1 - bit for bit in dataset)

    public = setting.public if swap else PublicVariable("renamed", lambda dataset: setting.public.of(renamed(dataset)))
    other = Setting(
        Scenarios.listed({name: law.mapped(renamed) for name, law in setting.scenarios.laws}), setting.pairs, public
    )
    moved = FiniteMechanism.tabulate(bits(2), lambda dataset: mechanism.law(renamed(dataset)))
    before, after = leak(mechanism, setting), leak(moved, other)
    assert before.live == after.live
    if isinstance(before, Leak):
        assert size(before) == size(after)


@settings(deadline=None, max_examples=30)
@given(settings_of_bits(), mechanisms(bits(2)))
def test_a_constant_record_changes_nothing(setting: Setting, mechanism: FiniteMechanism) -> None:
    longer = Setting(
        Scenarios.listed({name: law.mapped(lambda dataset: (*dataset, 0)) for name, law in setting.scenarios.laws}),
        bounded_pairs(3, (0, 1)),
        setting.public,
    )
    wide = FiniteMechanism({(*dataset, 0): mechanism.law(dataset) for dataset in bits(2)})
    before, after = leak(mechanism, setting), leak(wide, longer)
    assert before.live == after.live
    if isinstance(before, Leak):
        assert size(before) == size(after)


@settings(deadline=None, max_examples=30)
@given(laws(bits(2)), mechanisms(bits(2)))
def test_where_one_dataset_is_left_nothing_is_promised(law: Law, mechanism: FiniteMechanism) -> None:
    identity = PublicVariable("everything", lambda dataset: dataset)
    setting = Setting(Scenarios.listed({"law": law}), bounded_pairs(2, (0, 1)), identity)
    assert isinstance(leak(mechanism, setting), NothingLive)
