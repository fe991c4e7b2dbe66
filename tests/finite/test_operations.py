"""Composition, repetition, post-processing and mixture obey their laws; each law catches a wrong one."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from accountant.errors import InvalidValue
from accountant.finite import (
    FiniteMechanism,
    FiniteSpecification,
    compose,
    compose_adaptively,
    delta_at_ratio,
    mix,
    post_process,
    pure_epsilon,
    relabel,
    repeat,
    tradeoff,
)
from tests.finite.strategies import DATASETS, channels, check, levels, mechanisms, ratios, weights

pytestmark = pytest.mark.slow

ALL = FiniteSpecification.neighbours(DATASETS, lambda left, right: True)


def ratio(mechanism: FiniteMechanism) -> Fraction:
    found = pure_epsilon(mechanism, ALL).logarithm_of
    assert found is not None
    return found


def composed_epsilon_is_at_most_the_sum(compose):
    def law(first: FiniteMechanism, second: FiniteMechanism) -> None:
        assert ratio(compose(first, second)) <= ratio(first) * ratio(second)

    check(law, first=mechanisms(smallest=1), second=mechanisms(smallest=1))


def reads_the_data_twice(first: FiniteMechanism, second: FiniteMechanism) -> FiniteMechanism:
    """A composition whose joint law is proportional to the square of the product."""
    rows = {}
    for x, law in compose(first, second).laws.items():
        total = sum(p * p for p in law.values())
        rows[x] = {output: p * p / total for output, p in law.items()}
    return FiniteMechanism(rows)


def test_composed_epsilon_is_at_most_the_sum() -> None:
    composed_epsilon_is_at_most_the_sum(compose)


def test_the_sum_catches_a_composition_with_dependent_coins() -> None:
    with pytest.raises(AssertionError):
        composed_epsilon_is_at_most_the_sum(reads_the_data_twice)


def composing_never_hides_a_part(compose):
    def law(first: FiniteMechanism, second: FiniteMechanism, ratio: Fraction) -> None:
        whole = delta_at_ratio(compose(first, second), ALL, ratio).value.exact
        assert whole >= delta_at_ratio(first, ALL, ratio).value.exact
        assert whole >= delta_at_ratio(second, ALL, ratio).value.exact

    check(law, first=mechanisms(), second=mechanisms(), ratio=ratios)


def test_composing_never_hides_a_part() -> None:
    composing_never_hides_a_part(compose)


def test_a_composition_that_drops_a_part_is_caught() -> None:
    with pytest.raises(AssertionError):
        composing_never_hides_a_part(lambda first, second: first)


def moments_multiply(compose):
    def law(first: FiniteMechanism, second: FiniteMechanism, order: int) -> None:
        for x in DATASETS:
            joint = compose(first, second).pair("a", x).moment(order)
            assert joint == first.pair("a", x).moment(order) * second.pair("a", x).moment(order)

    check(law, first=mechanisms(smallest=1), second=mechanisms(smallest=1), order=st.integers(2, 5))


def test_moments_multiply_under_composition() -> None:
    moments_multiply(compose)


def test_moments_catch_a_composition_that_counts_one_part_twice() -> None:
    with pytest.raises(AssertionError):
        moments_multiply(lambda first, second: compose(first, first))


def adaptive_epsilon_is_at_most_the_sum(compose_adaptively):
    def law(first: FiniteMechanism, choices: list[FiniteMechanism]) -> None:
        joint = compose_adaptively(first, lambda output: choices[output])
        assert ratio(joint) <= ratio(first) * max(map(ratio, choices))

    choices = st.lists(mechanisms(smallest=1), min_size=3, max_size=3)
    check(law, first=mechanisms(smallest=1), choices=choices)


def chooses_by_the_data(first, second):
    """An adaptive composition that picks the second mechanism by the dataset."""
    chosen = {x: second(index) for index, x in enumerate(first.datasets)}
    return FiniteMechanism(
        {x: {(a, b): p * r for a, p in first.law(x).items() for b, r in chosen[x].law(x).items()} for x in first.datasets}
    )


def test_adaptive_epsilon_is_at_most_the_sum() -> None:
    adaptive_epsilon_is_at_most_the_sum(compose_adaptively)


def test_the_adaptive_sum_catches_a_choice_made_by_the_data() -> None:
    with pytest.raises(AssertionError):
        adaptive_epsilon_is_at_most_the_sum(chooses_by_the_data)


def test_an_adaptive_choice_that_never_varies_is_plain_composition() -> None:
    def law(first: FiniteMechanism, second: FiniteMechanism) -> None:
        assert compose_adaptively(first, lambda output: second) == compose(first, second)

    check(law, first=mechanisms(), second=mechanisms())


def flat(output):
    return (*flat(output[0]), output[1]) if isinstance(output, tuple) else (output,)


def repetition_is_repeated_composition(repeat):
    def law(mechanism: FiniteMechanism, count: int) -> None:
        chain = mechanism
        for _ in range(count - 1):
            chain = compose(chain, mechanism)
        assert repeat(mechanism, count) == relabel(chain, flat)

    check(law, mechanism=mechanisms(), count=st.integers(1, 3))


def test_repetition_is_repeated_composition() -> None:
    repetition_is_repeated_composition(repeat)


@pytest.mark.parametrize(
    "wrong",
    [lambda mechanism, count: repeat(mechanism, 1), lambda mechanism, count: repeat(mechanism, count + 1)],
    ids=["forgets the count", "counts one too many"],
)
def test_repetition_catches_a_wrong_count(wrong) -> None:
    with pytest.raises(AssertionError):
        repetition_is_repeated_composition(wrong)


def test_ten_randomised_responses_cost_ten_times_one() -> None:
    response = FiniteMechanism({0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}})
    specification = FiniteSpecification.neighbours((0, 1), lambda left, right: True)
    assert pure_epsilon(repeat(response, 10), specification).logarithm_of == 3**10
    # The loss of n responses is (2k - n) log 3 with k binomial.
    expected = sum(math.comb(4, k) * max(Fraction(3**k - 5 * 3 ** (4 - k), 4**4), Fraction(0)) for k in range(5))
    assert delta_at_ratio(repeat(response, 4), specification, 5).value.exact == expected


def test_running_zero_times_reveals_nothing() -> None:
    nothing = repeat(FiniteMechanism({"a": {0: 1}, "b": {1: 1}, "c": {2: 1}}), 0)
    assert ratio(nothing) == 1
    assert nothing.outputs == ((),)


def post_processing_never_raises_delta(post_process):
    def law(mechanism: FiniteMechanism, channel, ratio: Fraction, level: Fraction) -> None:
        after = post_process(mechanism, channel.__getitem__)
        assert delta_at_ratio(after, ALL, ratio).value.exact <= delta_at_ratio(mechanism, ALL, ratio).value.exact
        assert tradeoff(after, ALL, level).value.exact >= tradeoff(mechanism, ALL, level).value.exact

    check(law, mechanism=mechanisms(), channel=channels(), ratio=ratios, level=levels)


def peeks_at_the_data(mechanism, channel):
    """A channel that keeps the right answer for one dataset."""
    after = post_process(mechanism, channel)
    return FiniteMechanism({**after.laws, "a": {0: 1}})


def test_post_processing_never_raises_delta() -> None:
    post_processing_never_raises_delta(post_process)


def test_post_processing_that_peeks_at_the_data_is_caught() -> None:
    with pytest.raises(AssertionError):
        post_processing_never_raises_delta(peeks_at_the_data)


def mixing_is_convex(mix):
    def law(left: FiniteMechanism, right: FiniteMechanism, weight: Fraction, ratio: Fraction) -> None:
        mixed = mix(left, right, weight)
        for x in DATASETS[1:]:
            parts = weight * left.pair("a", x).delta(ratio) + (1 - weight) * right.pair("a", x).delta(ratio)
            assert mixed.pair("a", x).delta(ratio) <= parts

    check(law, left=mechanisms(), right=mechanisms(), weight=weights, ratio=ratios)


def chooses_the_branch_by_the_data(left, right, weight):
    return FiniteMechanism({x: (left if x == "a" else right).law(x) for x in DATASETS})


def test_mixing_never_raises_delta_above_the_average() -> None:
    mixing_is_convex(mix)


def test_a_mixture_that_chooses_its_branch_by_the_data_is_caught() -> None:
    with pytest.raises(AssertionError):
        mixing_is_convex(chooses_the_branch_by_the_data)


def test_a_mixture_is_post_processing_of_the_mixture_that_shows_its_branch() -> None:
    def law(left: FiniteMechanism, right: FiniteMechanism, weight: Fraction) -> None:
        shown = mix(relabel(left, lambda o: ("left", o)), relabel(right, lambda o: ("right", o)), weight)
        assert relabel(shown, lambda output: output[1]) == mix(left, right, weight)

    check(law, left=mechanisms(), right=mechanisms(), weight=weights)


def test_rows_that_do_not_sum_to_one_are_named() -> None:
    with pytest.raises(InvalidValue, match=r"dataset \(0, 1\) must sum to 1, got 0.9"):
        FiniteMechanism({(0, 0): {"x": 1}, (0, 1): {"x": "0.5", "y": "0.4"}})
    with pytest.raises(InvalidValue, match="'y' for dataset 'a' is negative"):
        FiniteMechanism({"a": {"x": 2, "y": -1}})
    with pytest.raises(InvalidValue, match=r"'x' for dataset 'a'.*not a finite number"):
        FiniteMechanism({"a": {"x": "most"}})
    with pytest.raises(InvalidValue, match="at least one dataset"):
        FiniteMechanism({})
    with pytest.raises(InvalidValue, match="no law for dataset 'z'"):
        FiniteMechanism({"a": {0: 1}}).law("z")


def test_operations_refuse_what_they_cannot_mean() -> None:
    left, right = FiniteMechanism({"a": {0: 1}}), FiniteMechanism({"b": {0: 1}})
    with pytest.raises(InvalidValue, match="only one of them has 'a', 'b'"):
        compose(left, right)
    with pytest.raises(InvalidValue, match="only one of them has 'a', 'b'"):
        mix(left, right, "1/2")
    with pytest.raises(InvalidValue, match=r"between 0 and 1, got 1\.5"):
        mix(left, left, "1.5")
    with pytest.raises(InvalidValue, match=r"output 0 must sum to 1, got 0\.5"):
        post_process(left, lambda output: {0: "1/2"})
    with pytest.raises(InvalidValue, match="nothing to compose"):
        compose()
    with pytest.raises(InvalidValue, match="-1 times"):
        repeat(left, -1)


def test_order_of_writing_does_not_matter() -> None:
    left = FiniteMechanism({"a": {0: "1/3", 1: "2/3"}, "b": {0: 1}})
    right = FiniteMechanism({"b": {1: 0, 0: 1}, "a": {1: "2/3", 0: "1/3"}})
    assert left == right
    assert hash(left) == hash(right)
    assert left != FiniteMechanism({"a": {0: "2/3", 1: "1/3"}, "b": {0: 1}})
