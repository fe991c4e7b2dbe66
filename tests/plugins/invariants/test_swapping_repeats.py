"""Swapping where values come again: the budget against all datasets and outputs of small strata, enumerated."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from attrs import evolve

from accountant import Cohort, InvalidValue
from accountant.plugin import Shift
from accountant_invariants import Design, Microdata, Stratum, Swapping
from accountant_invariants.derangements import derangements
from accountant_invariants.repeated import _NEARLY
from accountant_invariants.versions import Single, Version
from tests.plugins.invariants.enumeration import RATES, largest_sum, pair, permuted

PARTS = ["block"], ["race"], ["age"]
Table = tuple[tuple[str, str], ...]


def tables(rest: str, swap: str) -> list[Table]:
    """All datasets with these values of both parts, as unordered records."""
    return sorted({tuple(sorted(zip(rest, order, strict=True))) for order in itertools.permutations(swap)})


def outputs(table: Table, rate: Fraction, version: Version = "permute", single: Single = "redraw") -> dict[Table, Fraction]:
    chances: defaultdict[Table, Fraction] = defaultdict(Fraction)
    for order, chance in permuted(len(table), rate, version, single).items():
        chances[tuple(sorted((record[0], table[source][1]) for record, source in zip(table, order, strict=True)))] += chance
    return chances


def lost(
    rest: str, swap: str, rate: Fraction, version: Version = "permute", single: Single = "redraw"
) -> Iterator[tuple[int, float]]:
    """How many records any two datasets differ in, and the largest log ratio between them."""
    laws = {table: outputs(table, rate, version, single) for table in tables(rest, swap)}
    for (first, left), (second, right) in itertools.combinations(laws.items(), 2):
        apart = sum((Counter(first) - Counter(second)).values())
        seen = [(left[output], right[output]) for output in {*left, *right} if left[output] or right[output]]
        yield apart, max(abs(math.log(one / other)) if one and other else math.inf for one, other in seen)


def rarest(values: str) -> tuple[int, ...]:
    return tuple(sorted(Counter(values).values())[:3])


def holds(stratum: Stratum, rest: str, swap: str) -> bool:
    """Whether no two datasets lose more than is said, for each record and for two or three."""
    for apart, most in lost(rest, swap, stratum.rate, stratum.version, stratum.single):
        said = stratum.reach(apart).upper if apart <= 3 else apart * stratum.epsilon.upper
        if most > min(said, apart * stratum.epsilon.upper) + 1e-12:
            return False
    return True


WORLDS = [("abc", "xxy"), ("abcd", "xxyy"), ("aabb", "xxyy"), ("aabc", "xxxy"), ("abcd", "xyzz"), ("aaabb", "xxyyz")]


WAYS: list[tuple[Version, Single]] = [("permute", "redraw"), ("derange", "redraw"), ("derange", "keep")]


@pytest.mark.parametrize(("version", "single"), WAYS)
@pytest.mark.parametrize(("rest", "swap"), WORLDS)
def test_no_datasets_lose_more_than_either_part_allows(rest: str, swap: str, version: Version, single: Single) -> None:
    for rate in RATES[::2]:
        for part in (rest, swap):
            if len(set(part)) > 1:
                assert holds(Stratum(len(rest), rate, version, single, rarest(part)), rest, swap)


@pytest.mark.parametrize("version", ["permute", "derange"])
@pytest.mark.parametrize(("rest", "swap"), [*WORLDS[:5], ("abcd", "wxyz"), ("aabc", "wxyz")])
def test_the_budget_of_given_records_is_true_at_both_ends(tmp_path: Path, rest: str, swap: str, version: Version) -> None:
    """What datasets with the same tables lose, the largest of all, lies between the two ends; distinct values attain it."""
    file = tmp_path / "records.csv"
    rows = "".join(f"here,{left},{right}\n" for left, right in zip(rest, swap, strict=True))
    file.write_text(f"place,rest,swap\n{rows}", encoding="utf-8")
    records = Microdata.load(file)
    for rate in RATES[1::2]:
        design = Design.of(records, stratify=["place"], swap=["swap"], rate=rate, version=version)
        found = list(lost(rest, swap, rate, version))
        most, pair = max(log / apart for apart, log in found), max(log for apart, log in found if apart == 2)
        for said, truth in ((design.epsilon, most), (design.pair, pair)):
            assert said.lower - 1e-12 <= truth <= said.upper + 1e-12
        assert (design.epsilon.lower > 0) == (len({*rest}) == len({*swap}) == len(rest))


@pytest.mark.sweep
def test_no_datasets_of_random_strata_lose_more() -> None:
    chosen = random.Random(22)
    for _ in range(150):
        size = chosen.randint(2, 5)
        rest, swap = ("".join(chosen.choices("abcd"[: chosen.randint(2, 4)], k=size)) for _ in range(2))
        rate = Fraction(chosen.randint(1, 99), 100)
        for part in (rest, swap):
            for version, single in WAYS if len(set(part)) > 1 else ():
                assert holds(Stratum(size, rate, version, single, rarest(part)), rest, swap), (rest, swap, rate, version)


@pytest.mark.parametrize(("version", "single"), WAYS)
def test_enumeration_shows_values_that_are_said_to_come_more_often_than_they_do(version: Version, single: Single) -> None:
    assert holds(Stratum(4, Fraction(1, 20), version, single, (1, 1, 1)), "abcd", "wxyz")
    assert not holds(Stratum(4, Fraction(1, 20), version, single, (2, 2)), "abcd", "wxyz")


@pytest.mark.parametrize(
    ("rate", "version", "truth", "bound", "distinct"),
    [
        ("1/20", "permute", 3.8757, 4.2042, 4.4554),
        ("1/20", "derange", 3.8084, 4.1608, 4.4900),
        ("9/10", "derange", 0.5186, 2.1972, 2.1972),
    ],
)
def test_values_that_come_again_lose_what_the_page_says(
    rate: str, version: Version, truth: float, bound: float, distinct: float
) -> None:
    most = max(loss / apart for apart, loss in lost("abcde", "xxyyz", Fraction(rate), version))
    said = [Stratum(5, Fraction(rate), version, rarest=told).epsilon.upper for told in (rarest("xxyyz"), None)]
    assert [most, *said] == pytest.approx([truth, bound, distinct], abs=5e-5)
    page = Path("docs/explanation/swapping.md").read_text(encoding="utf-8")
    assert all(f"{number:.4f}" in page for number in (truth, bound, distinct))


def test_derangements_of_more_than_eight_are_hardly_more_than_their_bound() -> None:
    for size in range(9, 33):
        for kept in (1, 2, 3):
            assert derangements(size) <= _NEARLY * math.perm(size, kept) * derangements(size - kept)
    assert derangements(8) > _NEARLY * math.perm(8, 3) * derangements(5)


@pytest.mark.parametrize("counts", [(1, 1, 1), (1, 3, 3), (4, 5), (1, 12), (20, 39)])
def test_many_deranged_records_cost_about_what_permuted_ones_do(counts: tuple[int, ...]) -> None:
    """Also just above the size up to which derangements are counted; by sums at their largest, also of two values."""

    def summed(size: int, version: Version) -> float:
        stratum = Stratum(size, Fraction(1, 20), version, rarest=counts)
        most = max(math.log(largest_sum(stratum, number)) / number for number in range(2, len(counts) + 1))
        return min(most, evolve(stratum, rarest=None).epsilon.upper)

    sizes = range(max(9, sum(counts)), sum(counts) + 9) if len(counts) > 2 else [sum(counts)]
    said, permuted = ([summed(size, version) for size in sizes] for version in ("derange", "permute"))
    distinct = [Stratum(size, Fraction(1, 20), "derange").epsilon.upper for size in sizes]
    assert all(one <= other for one, other in zip(said, distinct, strict=True))
    assert all(one == pytest.approx(other, abs=0.15) for one, other in zip(said, permuted, strict=True))


def test_the_bound_is_near_what_is_lost_and_far_below_that_of_distinct_values() -> None:
    most = max(log / apart for apart, log in lost("abcd", "xxyy", Fraction(1, 20)))
    said = Stratum(4, Fraction(1, 20), "permute", rarest=(2, 2)).epsilon.upper
    assert most <= said < most + 0.005
    assert said < Stratum(4, Fraction(1, 20), "permute").epsilon.upper - 0.6


@pytest.mark.parametrize("size", [2, 3, 4, 9, 1000])
def test_values_that_come_once_cost_what_distinct_ones_do(size: int) -> None:
    for rate in RATES:
        plain = Stratum(size, rate, "permute")
        told = Stratum(size, rate, "permute", rarest=(1, 1, 1)[:size])
        assert told.epsilon.upper == pytest.approx(plain.epsilon.upper, rel=1e-12)


@pytest.mark.parametrize(("version", "single"), WAYS)
def test_curves_lie_above_those_of_datasets_with_such_values(version: Version, single: Single) -> None:
    """Of two strata the smaller one may lose more where records are deranged."""
    for rate in (Fraction(1, 20), Fraction(9, 10)):
        said = Swapping(rate, [4, 3], *PARTS, version, single, rarest=[[2, 2], [1, 2]]).loss(Shift.along([1, 1]))
        for values, other in (("aabb", "baab"), ("aab", "baa")):
            true = pair(values, other, rate, version, single)
            for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2), Fraction(5)):
                assert said.delta(epsilon).lower <= true.delta(epsilon).lower <= said.delta(epsilon).upper


def test_where_all_are_deranged_it_is_not_known_what_values_that_come_again_lose() -> None:
    """Enumerated, `aabb` tells no more than that it is `aabb`, `abab` or `abba`."""
    said = Swapping(1, [4], *PARTS, "derange", rarest=[[2, 2]])
    assert said.epsilon.lower == 0
    assert said.epsilon.upper == math.inf
    true = pair("aabb", "baab", Fraction(1), "derange", "redraw")
    lost = said.loss(Shift.along([1, 1]))
    assert lost.delta(Fraction(1)).lower <= true.delta(Fraction(1)).lower <= lost.delta(Fraction(1)).upper


def test_cohorts_of_strata_keep_how_often_values_come() -> None:
    both = Swapping("1/4", [9, 4], *PARTS, "derange", rarest=[[4, 5], [2, 2]])
    assert both.among(Cohort(by=["block"], at_most=5)) == Swapping("1/4", [4], *PARTS, "derange", rarest=[[2, 2]])


def test_a_large_stratum_of_two_values_costs_about_half_the_logarithm() -> None:
    """b^2 becomes about b/2 under the root: a million records, half and half, at a rate of 1/10."""
    half = Stratum(10**6, Fraction(1, 10), "permute", rarest=(500_000, 500_000)).epsilon.upper
    assert half == pytest.approx(0.5 * math.log(500_001 * 81 + 9 * 500_003), abs=1e-3)
    assert half < 0.6 * Stratum(10**6, Fraction(1, 10), "permute").epsilon.lower


def test_a_stratum_of_equal_values_counts_for_nothing() -> None:
    both = Swapping("1/4", [9, 4], *PARTS, "permute", rarest=[[9], [2, 2]])
    assert both.epsilon == Swapping("1/4", [4], *PARTS, "permute", rarest=[[2, 2]]).epsilon


@pytest.mark.parametrize(
    ("rarest", "version", "told"),
    [
        ([[2, 2], [1, 1]], "permute", "2 strata"),
        ([[2, 3]], "permute", "come [2, 3] times"),
        ([[1, 2]], "permute", "come [1, 2] times"),
        ([[2, 1, 1]], "permute", "smallest first"),
        ([[0, 4]], "permute", "from 1 on"),
        ([[1, 1, 1, 1]], "permute", "one to three"),
        ([[4]], "permute", "nothing is promised"),
        ([4], "permute", "list of counts"),
        ("4", "permute", "list of counts"),
    ],
)
def test_counts_that_cannot_be_are_refused(rarest: object, version: str, told: str) -> None:
    with pytest.raises(InvalidValue, match=told.replace("[", r"\[").replace("]", r"\]")):
        Swapping("1/4", [4], *PARTS, version, rarest=rarest)
