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

from accountant import InvalidValue
from accountant_invariants import Design, Microdata, Stratum, Swapping
from accountant_invariants.stratum import Version
from tests.plugins.invariants.enumeration import RATES, permuted

PARTS = ["block"], ["race"], ["age"]
Table = tuple[tuple[str, str], ...]


def tables(rest: str, swap: str) -> list[Table]:
    """All datasets with these values of both parts, as unordered records."""
    return sorted({tuple(sorted(zip(rest, order, strict=True))) for order in itertools.permutations(swap)})


def outputs(table: Table, rate: Fraction, version: Version = "permute") -> dict[Table, Fraction]:
    chances: defaultdict[Table, Fraction] = defaultdict(Fraction)
    for order, chance in permuted(len(table), rate, version, "redraw").items():
        chances[tuple(sorted((record[0], table[source][1]) for record, source in zip(table, order, strict=True)))] += chance
    return chances


def lost(rest: str, swap: str, rate: Fraction, version: Version = "permute") -> Iterator[tuple[int, float]]:
    """How many records any two datasets differ in, and the largest log ratio between them."""
    laws = {table: outputs(table, rate, version) for table in tables(rest, swap)}
    for (first, left), (second, right) in itertools.combinations(laws.items(), 2):
        apart = sum((Counter(first) - Counter(second)).values())
        yield apart, max(abs(math.log(left[seen] / right[seen])) for seen in left)


def rarest(values: str) -> tuple[int, ...]:
    return tuple(sorted(Counter(values).values())[:3])


def holds(stratum: Stratum, rest: str, swap: str) -> bool:
    """Whether no two datasets lose more than is said, for each record and for two or three."""
    for apart, most in lost(rest, swap, stratum.rate):
        said = stratum.reach(apart).upper if apart <= 3 else apart * stratum.epsilon.upper
        if most > min(said, apart * stratum.epsilon.upper) + 1e-12:
            return False
    return True


WORLDS = [("abc", "xxy"), ("abcd", "xxyy"), ("aabb", "xxyy"), ("aabc", "xxxy"), ("abcd", "xyzz"), ("aaabb", "xxyyz")]


@pytest.mark.parametrize(("rest", "swap"), WORLDS)
def test_no_datasets_lose_more_than_either_part_allows(rest: str, swap: str) -> None:
    for rate in RATES[::2]:
        for part in (rest, swap):
            if len(set(part)) > 1:
                assert holds(Stratum(len(rest), rate, "permute", rarest=rarest(part)), rest, swap)


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
            if len(set(part)) > 1:
                assert holds(Stratum(size, rate, "permute", rarest=rarest(part)), rest, swap), (rest, swap, rate)


@pytest.mark.parametrize("wrong", [(1, 3), (2, 3), (3, 3)])
def test_enumeration_shows_values_that_are_said_to_come_more_often_than_they_do(wrong: tuple[int, ...]) -> None:
    assert holds(Stratum(4, Fraction(1, 20), "permute", rarest=(2, 2)), "abcd", "xxyy")
    assert not holds(Stratum(sum(wrong) - 1, Fraction(1, 20), "permute", rarest=wrong), "abcd", "wxyz")


@pytest.mark.parametrize(
    ("rest", "swap", "rate", "truth", "bound"),
    [
        ("abcd", "xxyy", "1/20", 3.3757, 4.0431),
        ("abcd", "xxyy", "9/10", 0.3195, 2.1972),
        ("abcdef", "xxxyyy", "1/20", 3.5583, 4.6357),
    ],
)
def test_deranged_values_that_come_again_lose_what_the_page_says_and_less_than_distinct_ones(
    rest: str, swap: str, rate: str, truth: float, bound: float
) -> None:
    most = max(loss / apart for apart, loss in lost(rest, swap, Fraction(rate), "derange"))
    assert most == pytest.approx(truth, abs=5e-5)
    assert Stratum(len(rest), Fraction(rate), "derange").epsilon.upper == pytest.approx(bound, abs=5e-5)
    page = Path("docs/explanation/swapping.md").read_text(encoding="utf-8")
    assert f"{truth:.4f}" in page
    assert f"{bound:.4f}" in page


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
        ([[2, 2]], "derange", "leave 'rarest' out"),
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
