"""Swapping where a stratum has two values: the budget is what enumerated datasets lose, and no more."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from accountant_invariants import Stratum
from accountant_invariants.versions import Single, Version
from tests.plugins.invariants.enumeration import RATES, largest_sum, permuted

WAYS: list[tuple[Version, Single]] = [("permute", "redraw"), ("derange", "redraw"), ("derange", "keep")]


def lost(first: int, second: int, rate: Fraction, version: str, single: str) -> dict[int, float]:
    """The largest log ratio between lists of the two values that differ in so many places."""
    orders = permuted(first + second, rate, version, single)
    lists = sorted(set(itertools.permutations("a" * first + "b" * second)))
    laws = {}
    for values in lists:
        chances: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        for order, chance in orders.items():
            chances[tuple(values[source] for source in order)] += chance
        laws[values] = chances
    found: dict[int, float] = {}
    for left, right in itertools.combinations(lists, 2):
        apart = sum(one != other for one, other in zip(left, right, strict=True))
        most = max(abs(math.log(laws[left][seen] / laws[right][seen])) for seen in lists)
        found[apart] = max(found.get(apart, 0.0), most)
    return found


def said(first: int, second: int, rate: Fraction, version: Version, single: Single) -> Stratum:
    fewer, more = sorted((first, second))
    return Stratum(first + second, rate, version, single, (fewer, more))


@pytest.mark.parametrize(("version", "single"), WAYS)
@pytest.mark.parametrize("counts", [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3)])
def test_two_values_lose_what_is_said_and_no_less(counts: tuple[int, int], version: Version, single: Single) -> None:
    for rate in RATES:
        found = lost(*counts, rate, version, single)
        stratum = said(*counts, rate, version, single)
        assert stratum.epsilon.upper == pytest.approx(max(most / apart for apart, most in found.items()), rel=1e-12)
        assert stratum.reach(2).upper == pytest.approx(found[2], rel=1e-12)
        assert stratum.reach(3).upper == pytest.approx(found[2], rel=1e-12)


@pytest.mark.sweep
@pytest.mark.parametrize(("version", "single"), WAYS)
@pytest.mark.parametrize("counts", [(1, 4), (3, 3), (2, 4), (1, 5), (1, 6), (3, 4)])
def test_more_records_of_two_values_lose_what_is_said(counts: tuple[int, int], version: Version, single: Single) -> None:
    for rate in RATES[::2]:
        found = lost(*counts, rate, version, single)
        most = max(loss / apart for apart, loss in found.items())
        assert said(*counts, rate, version, single).epsilon.upper == pytest.approx(most, rel=1e-12)


@pytest.mark.parametrize("version", ["permute", "derange"])
def test_enumeration_shows_values_that_are_said_to_come_otherwise(version: Version) -> None:
    most = lost(2, 2, Fraction(1, 20), version, "redraw")[2]
    assert said(1, 3, Fraction(1, 20), version, "redraw").reach(2).upper < most - 0.01


@pytest.mark.parametrize("counts", [(1, 8), (3, 20), (20, 39), (40, 41), (10, 190)])
def test_what_is_gone_through_is_no_more_than_the_sums_at_their_largest(counts: tuple[int, int]) -> None:
    for rate in (Fraction(1, 50), Fraction(1, 2), Fraction(9, 10)):
        for version, single in WAYS:
            stratum = said(*counts, rate, version, single)
            assert stratum.reach(2).upper < math.log(largest_sum(stratum, 2))


def test_just_more_records_than_are_gone_through_have_the_sums() -> None:
    few, many = (said(half, 100, Fraction(1, 20), "permute", "redraw") for half in (100, 101))
    assert few.reach(2).upper < many.reach(2).upper - 1
    assert many.reach(2).upper == pytest.approx(math.log(largest_sum(many, 2)), rel=1e-12)


def test_long_odds_have_the_sums_and_take_no_time() -> None:
    long = said(100, 100, Fraction(1, 10) + Fraction(1, 10**300), "derange", "redraw")
    assert long.reach(2).upper == pytest.approx(math.log(largest_sum(long, 2)), rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "rate", "version", "number", "distinct"),
    [
        (2, 2, "1/20", "permute", 3.5281, 4.2042),
        (2, 2, "1/20", "derange", 3.3757, 4.0431),
        (2, 2, "9/10", "derange", 0.3195, 2.1972),
        (30, 30, "1/20", "permute", 3.6556, None),
    ],
)
def test_two_values_lose_what_the_page_says(
    first: int, second: int, rate: str, version: Version, number: float, distinct: float | None
) -> None:
    stratum = said(first, second, Fraction(rate), version, "redraw")
    page = Path("docs/explanation/swapping.md").read_text(encoding="utf-8")
    assert stratum.epsilon.upper == pytest.approx(number, abs=5e-5)
    assert f"{number:.4f}" in page
    if distinct is None:
        bound = 0.5 * math.log(largest_sum(stratum, 2))
        assert f"Theorem 6 says {bound:.4f}" in page
    else:
        assert Stratum(stratum.size, stratum.rate, version).epsilon.upper == pytest.approx(distinct, abs=5e-5)
