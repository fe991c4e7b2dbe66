"""What holds between datasets holds between secrets, by the distance of order infinity and by no smaller one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant import InvalidValue
from accountant.finite import FiniteMechanism, Pair, hamming
from accountant_pufferfish import (
    HAMMING,
    Law,
    Leak,
    LivePair,
    Scenarios,
    Setting,
    bounded_pairs,
    farthest_apart,
    independence_block,
    leak,
    pointwise_guarantee,
    record_is,
    three_odds,
)
from accountant_pufferfish.setting.public_variable import NOTHING
from tests.plugins.pufferfish.worlds import TOTAL, bits, fair_bits, laws, mechanisms, responses, settings_of_bits

ODDS = Fraction(3, 2)


@settings(deadline=None, max_examples=50)
@given(settings_of_bits(), mechanisms(bits(2), least=1))
def test_no_live_pair_leaves_the_certified_epsilon(setting: Setting, mechanism: FiniteMechanism) -> None:
    found, truth = pointwise_guarantee(mechanism, setting), leak(mechanism, setting)
    assert found.vacuous == (truth.live == 0)
    assert found.live_pairs == truth.live
    if isinstance(truth, Leak):
        assert found.epsilon is not None
        assert truth.epsilon.lower <= found.epsilon.upper


@settings(deadline=None, max_examples=50)
@given(settings_of_bits(length=3))
def test_datasets_under_two_secrets_are_at_least_one_record_apart(setting: Setting) -> None:
    """Whatever is public and whatever laws are considered: secrets exclude each other, so no dataset has both."""
    radius = setting.radius(HAMMING)
    live = any(True for _ in setting.comparisons())
    assert radius is not None
    assert radius >= 1 if live else radius == 0


@pytest.mark.parametrize("length", [2, 3, 4])
def test_the_bridge_is_tight_for_a_public_total(length: int) -> None:
    setting = fair_bits(length, TOTAL)
    found = pointwise_guarantee(responses(length), setting)
    assert setting.radius(HAMMING) == 2
    assert found.epsilon is not None
    assert found.epsilon.upper == pytest.approx(2 * math.log(1.5), rel=1e-14)


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_copies_of_one_record_cost_as_many_times(copies: int) -> None:
    law = Law.uniform([(0,) * copies, (1,) * copies])
    setting = Setting(Scenarios.listed({"copies": law}), bounded_pairs(copies, (0, 1)))
    truth = leak(responses(copies), setting)
    assert isinstance(truth, Leak)
    assert truth.factor == ODDS**copies
    assert setting.radius(HAMMING) == copies


def test_the_farthest_of_all_scenarios_decides() -> None:
    linked, free = Law.uniform([(0, 0), (1, 1)]), Law.uniform(bits(2))
    pairs = bounded_pairs(2, (0, 1))
    assert Setting(Scenarios.listed({"free": free}), pairs).radius(HAMMING) == 1
    both = Setting(Scenarios.listed({"free": free, "linked": linked}), pairs)
    assert both.radius(HAMMING) == 2
    truth = leak(responses(2), both)
    assert isinstance(truth, Leak)
    assert truth.factor == ODDS**2
    assert truth.comparison.scenario == "linked"


@settings(deadline=None, max_examples=40)
@given(laws(bits(2)), mechanisms(bits(2)), st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(4)]))
def test_mixtures_are_told_apart_no_better_than_datasets_that_far_apart(
    law: Law, mechanism: FiniteMechanism, ratio: Fraction
) -> None:
    """At every level of the curve from which all definitions are read, also where likelihood ratios are infinite."""
    pair = bounded_pairs(2, (0, 1))[0]
    assume(all(law.probability(secret) for secret in (pair.first, pair.second)))
    compared = LivePair("law", (), law, pair)
    radius = compared.apart(HAMMING)
    assert radius is not None
    left, right = compared.first.through(mechanism.law), compared.second.through(mechanism.law)
    mixed = Pair([(left[output], right[output]) for output in {**left, **right}])
    near = [
        (x, y) for x, y in itertools.product(bits(2), repeat=2) if (hamming(x, y) or 0) <= radius and x in law and y in law
    ]
    assert mixed.delta(ratio) <= max(mechanism.pair(x, y).delta(ratio) for x, y in near)


def mean_distance(comparison: LivePair) -> Fraction:
    """The distance of order one, by trying all couplings of two laws with two equally likely outcomes at most."""
    left, right = ([*law] * (2 // len(law)) for law in (comparison.first, comparison.second))
    return min(
        Fraction(sum(hamming(x, y) or 0 for x, y in zip(left, order, strict=True)), 2)
        for order in itertools.permutations(right)
    )


def test_a_mean_distance_would_certify_too_little() -> None:
    """Half of the time the others stay as they are, so that the mean is 2 and the farthest is 3."""
    law = Law.weighted({(0, 0, 0): 1, (0, 1, 1): 1, (1, 1, 1): 2})
    setting = Setting(Scenarios.listed({"law": law}), bounded_pairs(3, (0, 1))[:1])
    (comparison,) = setting.comparisons()
    truth = leak(responses(3), setting)
    assert isinstance(truth, Leak)
    assert truth.factor is not None
    assert mean_distance(comparison) == 2
    assert comparison.apart(HAMMING) == 3
    assert ODDS**2 < truth.factor <= ODDS**3


# Dependence under one law ----------------------------------------------------------------------------------------------


def chain(flip: Fraction, start: Fraction) -> Law:
    """Three bits, each a copy of the one before that is flipped with a probability."""
    return Law(
        {
            dataset: math.prod(
                (flip if left != right else 1 - flip for left, right in itertools.pairwise(dataset)),
                start=start if dataset[0] else 1 - start,
            )
            for dataset in bits(3)
        }
    )


def test_the_markov_boundary_is_no_bound() -> None:
    """T-MIC: the second bit separates the first from the third, and yet the odds change by more than two bits tell."""
    law = chain(Fraction(1, 100), Fraction(1, 100))
    for second in (0, 1):
        part = law.given(record_is(1, second))
        apart = Law.records([part.mapped(lambda dataset: dataset[0]), part.mapped(lambda dataset: dataset[2])])
        assert part.mapped(lambda dataset: (dataset[0], dataset[2])) == apart
    ratios = []
    for output in bits(3):
        for bit in (0, 1):
            odds = three_odds(record_is(0, bit), law, NOTHING, (), responses(3), output)
            ratios.append(abs(math.log(odds.after / odds.given)))
    assert max(ratios) / math.log(1.5) == pytest.approx(2.9184, abs=5e-5)
    assert independence_block(law, 0) == {0, 1, 2}
    assert farthest_apart(law, 0) == 3


def test_the_distance_is_at_most_the_block() -> None:
    pair = Law({(0, 0): "1/2", (1, 1): "1/2"})
    law = Law({(*left, *right): mass * part for left, mass in pair.items() for right, part in Law.uniform(bits(1)).items()})
    assert independence_block(law, 0) == {0, 1}
    assert independence_block(law, 2) == {2}
    assert farthest_apart(law, 2) == 1
    # Records that cannot both be 1 depend on each other, and never need to change together from 0.
    exclusive = Law.uniform([(0, 0), (0, 1), (1, 0)])
    assert independence_block(exclusive, 0) == {0, 1}
    assert farthest_apart(exclusive, 0) == 2


@pytest.mark.parametrize("ask", [independence_block, farthest_apart])
def test_records_that_are_not_there_are_refused(ask: Callable[[Law, int], object]) -> None:
    with pytest.raises(InvalidValue, match="counted from 0 to 1"):
        ask(Law.uniform(bits(2)), 2)
    with pytest.raises(InvalidValue, match="the same number of records"):
        ask(Law.uniform([(0,), (0, 1)]), 0)
    with pytest.raises(InvalidValue, match="datasets as tuples"):
        ask(Law.uniform([0, 1]), 0)


@settings(deadline=None, max_examples=30)
@given(laws(bits(3)), st.integers(0, 2))
def test_posteriors_stay_within_the_safe_replacements(law: Law, place: int) -> None:
    block, apart = len(independence_block(law, place)), farthest_apart(law, place)
    assert apart <= block
    for output in bits(3):
        odds = three_odds(record_is(place, 1), law, NOTHING, (), responses(3), output)
        if 0 < odds.given < 1:
            assert ODDS**-apart <= odds.after / odds.given <= ODDS**apart
