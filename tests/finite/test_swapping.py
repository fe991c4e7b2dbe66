"""Swapping within one stratum, by full enumeration: the exact cost, and where the printed bound fails."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import pytest

from accountant.finite import FiniteMechanism, FiniteSpecification, Vacuous, hamming, lipschitz_epsilon


def swapping(size: int, rate: Fraction, derange: bool) -> FiniteMechanism:
    """One stratum of records whose swap values are all distinct.

    Each is selected with probability `rate`, then the values of those selected are permuted at random, or
    deranged (drawing again when just one is selected).
    """

    def law(values):
        chances = defaultdict(Fraction)
        for selected in itertools.product((False, True), repeat=size):
            places = [i for i in range(size) if selected[i]]
            shuffles = [
                order
                for order in itertools.permutations(places)
                if not derange or all(a != b for a, b in zip(order, places, strict=True))
            ]
            chance = rate ** len(places) * (1 - rate) ** (size - len(places))
            for order in shuffles:
                after = list(values)
                for place, source in zip(places, order, strict=True):
                    after[place] = values[source]
                chances[tuple(after)] += chance / len(shuffles)
        total = sum(chances.values())
        return {output: chance / total for output, chance in chances.items()}

    return FiniteMechanism.tabulate(itertools.permutations(range(size)), law)


def swapping_epsilon(size: int, rate: Fraction, derange: bool):
    mechanism = swapping(size, rate, derange)
    return lipschitz_epsilon(mechanism, FiniteSpecification.universes(mechanism.datasets, hamming))


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1, 4), Fraction(1, 2), Fraction(3, 5), Fraction(9, 10)])
def test_permutation_swapping_follows_its_closed_form(rate: Fraction) -> None:
    odds = rate / (1 - rate)
    assert swapping_epsilon(2, rate, derange=False).logarithm_of == 2 / odds**2 + 4 / odds + 1
    assert swapping_epsilon(3, rate, derange=False).logarithm_of == 6 / odds**3 + 18 / odds**2 + 9 / odds + 1


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1, 4), Fraction(1, 2), Fraction(3, 5), Fraction(9, 10)])
def test_derangement_swapping_follows_its_closed_form(rate: Fraction) -> None:
    odds = float(rate / (1 - rate))
    two, three = swapping_epsilon(2, rate, derange=True), swapping_epsilon(3, rate, derange=True)
    logarithm = math.log(odds)
    assert two.value.lower == pytest.approx(abs(logarithm), abs=1e-14)
    expected = max(abs(logarithm), abs(math.log(2) / 3 - logarithm), abs(math.log(2) - logarithm) / 2)
    assert three.value.lower == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("size", "rate", "derange", "published"),
    [
        (2, "1/4", True, 1.098612),
        (2, "1/4", False, 1.716994),
        (3, "1/4", True, 1.329661),
        (3, "1/4", False, 1.954544),
        (4, "1/4", True, 2.197225),
        (4, "1/4", False, 2.445175),
        (2, "3/5", True, 0.405465),
        (2, "3/5", False, 0.758174),
    ],
)
def test_swapping_matches_the_known_answers(size, rate, derange, published) -> None:
    found = swapping_epsilon(size, Fraction(rate), derange)
    assert found.value.lower == pytest.approx(published, abs=5.1e-7)


def slide_formula_holds(derange: bool) -> None:
    """max(ln o, ln(b + 1) - ln o), the bound printed for permutation swapping above a rate of one half."""
    for size in (2, 3):
        for rate in (Fraction(3, 5), Fraction(3, 4), Fraction(9, 10)):
            odds = rate / (1 - rate)
            bound = max(odds, (size + 1) / odds)
            found = swapping_epsilon(size, rate, derange)
            assert found.value.upper <= math.log(bound) + 1e-12


def test_the_printed_swapping_bound_holds_for_derangements() -> None:
    slide_formula_holds(derange=True)


def test_the_printed_swapping_bound_is_refuted_for_permutations() -> None:
    with pytest.raises(AssertionError):
        slide_formula_holds(derange=False)


def test_swapping_a_single_record_promises_nothing() -> None:
    assert swapping_epsilon(1, Fraction(1, 4), derange=False) == Vacuous()


def test_swapping_everyone_is_a_uniform_shuffle_or_reveals_that_all_moved() -> None:
    assert swapping_epsilon(3, Fraction(1), derange=False).value.exact == 0
    assert swapping_epsilon(3, Fraction(1), derange=True).value.lower == math.inf
