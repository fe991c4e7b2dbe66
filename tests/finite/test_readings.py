"""Readings of a mechanism are the worst over its comparisons, and stand in the right order to each other."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import strategies as st

from accountant.finite import FiniteMechanism, FiniteSpecification, lipschitz_epsilon, pure_epsilon, renyi
from tests.finite.strategies import DATASETS, check, mechanisms

ALL = FiniteSpecification.neighbours(DATASETS, lambda left, right: True)


def renyi_lies_below_pure_and_grows(reading):
    def law(mechanism: FiniteMechanism, order: Fraction) -> None:
        low, high = reading(mechanism, ALL, order).value, reading(mechanism, ALL, order + 1).value
        assert low.lower <= high.upper
        assert high.lower <= pure_epsilon(mechanism, ALL).value.upper

    orders = st.fractions(min_value=Fraction(3, 2), max_value=6, max_denominator=2)
    check(law, mechanism=mechanisms(smallest=1), order=orders)


def renyi_is_the_worst_of_all_pairs(reading):
    def law(mechanism: FiniteMechanism, order: Fraction) -> None:
        found = reading(mechanism, ALL, order).value
        each = [mechanism.pair(x, y).renyi(order) for x in DATASETS for y in DATASETS]
        assert found.lower == max(value.lower for value in each)
        assert found.upper == max(value.upper for value in each)

    check(law, mechanism=mechanisms(), order=st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(5)]))


def without_dividing(mechanism, specification, order):
    """A Renyi reading that forgets to divide by the order less one."""
    found = renyi(mechanism, specification, order)
    return type(found)(found.value.times(int(order)), found.datasets, found.comparisons)


def test_renyi_grows_with_its_order_and_lies_below_pure() -> None:
    renyi_lies_below_pure_and_grows(renyi)


def test_renyi_is_the_worst_of_all_pairs() -> None:
    renyi_is_the_worst_of_all_pairs(renyi)


def test_a_renyi_reading_of_some_pairs_is_caught() -> None:
    first_pair = FiniteSpecification.neighbours(DATASETS[:2], lambda left, right: True)
    with pytest.raises(AssertionError):
        renyi_is_the_worst_of_all_pairs(lambda mechanism, specification, order: renyi(mechanism, first_pair, order))


def test_a_renyi_reading_that_forgets_to_divide_is_caught() -> None:
    with pytest.raises(AssertionError):
        renyi_lies_below_pure_and_grows(without_dividing)


def test_sampling_one_of_two_records_amplifies_exactly() -> None:
    """e^epsilon' = 1 + f (e^epsilon - 1) at f = 1/2 and e^epsilon = 3/2."""
    domain = [(a, b) for a in (0, 1) for b in (0, 1)]
    keep = Fraction(3, 5)

    def law(bits: tuple[int, int]) -> dict[int, Fraction]:
        one = sum((keep if bit else 1 - keep) for bit in bits) / 2
        return {1: one, 0: 1 - one}

    one_changed = FiniteSpecification.neighbours(domain, lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) == 1)
    found = pure_epsilon(FiniteMechanism.tabulate(domain, law), one_changed)
    assert found.logarithm_of == 1 + Fraction(1, 2) * (Fraction(3, 2) - 1)


def test_pure_epsilon_is_the_lipschitz_reading_at_distance_one() -> None:
    def law(mechanism: FiniteMechanism) -> None:
        assert pure_epsilon(mechanism, ALL) == lipschitz_epsilon(mechanism, ALL)

    check(law, mechanism=mechanisms())
