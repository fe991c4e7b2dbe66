"""The budget of swapping for each record that differs: enumerated, in closed form, and where the published bound fails."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval, InvalidValue
from accountant_invariants import Stratum, Swapping, published_epsilon
from tests.plugins.invariants.enumeration import RATES, VERSIONS, chances_by_moved, distance, exchanges, law, permuted

PARTS = ["block"], ["race"], ["age"]


def enumerated(size: int, rate: Fraction, version: str, single: str) -> float:
    """The largest log ratio of chances over the number of records that differ."""
    before = permuted(size, rate, version, single)
    logs = {order: math.log(chance) for order, chance in before.items()}
    worst = 0.0
    for _, other in exchanges(size):
        back = {value: place for place, value in enumerate(other)}
        records = distance(range(size), other)
        for order in before:
            # The order that leads from the other dataset to the same output.
            worst = max(worst, abs(logs[order] - logs[tuple(back[value] for value in order)]) / records)
    return worst


def matches(found: Interval, expected: float) -> bool:
    return found.lower - 1e-13 <= expected <= found.upper + 1e-13 and found.width < 1e-13 * (1.0 + found.upper)


@pytest.mark.parametrize(("version", "single"), VERSIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_budget_is_what_enumeration_finds(size: int, version: str, single: str) -> None:
    for rate in RATES:
        assert matches(Stratum(size, rate, version, single).epsilon, enumerated(size, rate, version, single))


def test_enumeration_catches_a_budget_that_forgets_jumps_of_three() -> None:
    stratum = Stratum(3, Fraction(1, 4), "permute")
    two_only = max(jump.cost.upper / 2 for jump in stratum.jumps() if jump.distance == 2)
    assert enumerated(3, Fraction(1, 4), "permute", "redraw") > two_only + 0.1


def all_jumps(size: int, rate: Fraction, version: str, single: str) -> float:
    """The same maximum over all numbers of moved records, not only those that decide."""
    logs = {count: mpmath.log(mpmath.mpf(w.numerator) / w.denominator) for count, w in _normal(size, rate, version, single)}
    ratios = [
        abs(logs[k] - logs[k + j]) / max(j, 2) for k, j in itertools.product(logs, range(1, size + 1)) if k + j in logs
    ]
    return float(max(ratios))


def _normal(size: int, rate: Fraction, version: str, single: str) -> list[tuple[int, Fraction]]:
    return sorted(chances_by_moved(size, rate, version, single).items())


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 45), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50), st.sampled_from(VERSIONS))
def test_no_other_jump_costs_more(size: int, rate: Fraction, version: tuple[str, str]) -> None:
    assert matches(Stratum(size, rate, *version).epsilon, all_jumps(size, rate, *version))


@pytest.mark.parametrize("rate", RATES)
def test_chances_by_moved_records_are_those_of_enumeration(rate: Fraction) -> None:
    for version, single in VERSIONS:
        by_formula = chances_by_moved(4, rate, version, single)
        for order, chance in permuted(4, rate, version, single).items():
            redrawn = 1 - 4 * rate * (1 - rate) ** 3 if (version, single) == ("derange", "redraw") else 1
            assert chance * redrawn == by_formula[distance(range(4), order)]


def derangements(count: int) -> mpmath.mpf:
    return mpmath.nint(mpmath.factorial(count) / mpmath.e)


@pytest.mark.parametrize("size", [2, 4, 7, 33, 34, 100, 100_000])
def test_large_strata_follow_their_closed_forms(size: int) -> None:
    for rate in RATES:
        odds = mpmath.mpf(rate.numerator) / (rate.denominator - rate.numerator)
        permuting = mpmath.log(size * (size - 1) / odds**2 + 2 * size / odds + 1) / 2
        assert matches(Stratum(size, rate, "permute").epsilon, float(permuting))
        if size == 2:
            deranging = abs(mpmath.log(odds))
        else:
            with mpmath.workdps(60 if size < 1000 else 15):
                # Beyond a thousand records, d_b/d_(b-2) is b (b - 1) to more digits than a double has.
                growth = derangements(size) / derangements(size - 2) if size < 1000 else mpmath.mpf(size) * (size - 1)
            deranging = max(abs(mpmath.log(odds)), mpmath.log(growth) / 2 - mpmath.log(odds))
        assert matches(Stratum(size, rate, "derange").epsilon, float(deranging))


@pytest.mark.parametrize(
    ("size", "rate", "version", "published"),
    [
        (2, "1/4", "derange", 1.098612),
        (2, "1/4", "permute", 1.716994),
        (3, "1/4", "derange", 1.329661),
        (3, "1/4", "permute", 1.954544),
        (4, "1/4", "derange", 2.197225),
        (4, "1/4", "permute", 2.445175),
        (2, "3/5", "permute", 0.758174),
        (100, "3/4", "permute", 3.531381),
        (2, "1/20", "derange", 2.944439),
    ],
)
def test_the_known_answers(size: int, rate: str, version: str, published: float) -> None:
    assert Stratum(size, Fraction(rate), version).epsilon.lower == pytest.approx(published, abs=5.1e-7)


@pytest.mark.parametrize("values", ["aab", "aabb", "aaab", "aabc", "aaaa"])
def test_equal_values_never_cost_more(values: str) -> None:
    for (version, single), rate in itertools.product(VERSIONS, RATES):
        most = Stratum(len(values), rate, version, single).epsilon.upper
        laws = {other: law(other, rate, version, single) for other in sorted(set(itertools.permutations(values)))}
        for (left, before), (right, after) in itertools.permutations(laws.items(), 2):
            ratio = max(chance / after[output] for output, chance in before.items())
            assert math.log(ratio) <= distance(left, right) * most * (1 + 1e-12)


def test_the_worst_stratum_decides() -> None:
    rate, version, single = Fraction(1, 4), "derange", "redraw"
    found = Swapping(rate, [1, 2, 3, 2], *PARTS, version, single)
    assert found.epsilons == {size: Stratum(size, rate, version, single).epsilon for size in (2, 3)}
    first, second = (permuted(size, rate, version, single) for size in (2, 3))
    logs = {(a, b): math.log(p * q) for a, p in first.items() for b, q in second.items()}
    worst = 0.0
    for left, right in itertools.product(first, second):
        records = distance(range(2), left) + distance(range(3), right)
        for a, b in logs if records else ():
            there = tuple(left.index(value) for value in a), tuple(right.index(value) for value in b)
            worst = max(worst, abs(logs[a, b] - logs[there]) / records)
    assert matches(found.epsilon, worst)


def test_everybody_or_nobody_selected() -> None:
    assert Stratum(5, Fraction(1), "permute").epsilon.exact == 0
    assert Stratum(5, Fraction(1), "derange").epsilon.lower == math.inf
    assert Stratum(5, Fraction(0), "permute").epsilon.lower == math.inf


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 200), st.fractions(Fraction(1, 99), Fraction(98, 99), max_denominator=99), st.sampled_from(VERSIONS))
def test_the_published_formula_holds_for_derangements_and_low_rates(
    size: int, rate: Fraction, version: tuple[str, str]
) -> None:
    if version[0] == "derange" or rate <= Fraction(1, 2):
        stratum = Stratum(size, rate, *version)
        assert published_epsilon(stratum).upper >= stratum.epsilon.lower


@pytest.mark.parametrize(("size", "rate"), [(2, "3/5"), (100, "3/4")])
def test_the_published_formula_is_refused_where_it_is_too_small(size: int, rate: str) -> None:
    with pytest.raises(InvalidValue, match="does not hold for rates above one half when records are permuted"):
        published_epsilon(Stratum(size, Fraction(rate), "permute"))


def test_the_published_formula_says_nothing_of_a_single_record_or_of_everybody() -> None:
    with pytest.raises(InvalidValue, match="nothing to compare"):
        published_epsilon(Stratum(1, Fraction(1, 4), "derange"))
    with pytest.raises(InvalidValue, match="rates between 0 and 1"):
        published_epsilon(Stratum(4, Fraction(1), "permute"))
