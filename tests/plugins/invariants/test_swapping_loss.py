"""The loss of swapping between datasets that differ in two or more records: exact, or known from both sides."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import pytest

from accountant import Cohort, InvalidValue, Plan, ShiftError, account
from accountant.loss import NO_LOSS, TOTAL_LOSS, FiniteLoss, PrivacyLoss, ResponseLoss
from accountant.plugin import Shift
from accountant_invariants import Stratum, Swapping
from accountant_invariants.exchange import ExchangeLoss, envelope
from tests.plugins.invariants.enumeration import RATES, VERSIONS, pair, permuted

PARTS = ["block"], ["race"], ["age"]
TWO, THREE, FOUR = (Shift.along([1] * units) for units in (2, 3, 4))
POINTS = [Fraction(point) for point in ("-2", "-0.3", "0", "0.1", "0.7", "1.3", "2", "3.5", "5", "6", "9")]


def swapping(rate: Fraction, strata: list[int], version: str, single: str = "redraw") -> Swapping:
    return Swapping(rate, strata, *PARTS, version, single)


def exchanged(size: int, rate: Fraction, version: str, single: str) -> FiniteLoss:
    values = list(range(size))
    return pair(values, [1, 0, *values[2:]], rate, version, single)


def agree(found: PrivacyLoss, expected: FiniteLoss, width: float = 1e-13) -> bool:
    return all(
        found.delta(point).lower <= expected.delta(point).upper
        and expected.delta(point).lower <= found.delta(point).upper
        and found.delta(point).width < width
        for point in POINTS
    )


def dominates(above: PrivacyLoss, below: PrivacyLoss) -> bool:
    return all(below.delta(point).lower <= above.delta(point).upper for point in POINTS)


@pytest.mark.parametrize(("version", "single"), VERSIONS)
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_two_exchanged_values_lose_what_enumeration_finds(size: int, version: str, single: str) -> None:
    for rate in RATES:
        found, expected = ExchangeLoss(Stratum(size, rate, version, single)), exchanged(size, rate, version, single)
        assert agree(found, expected)
        assert found.reverse() is found
        assert found.supremum().lower == pytest.approx(expected.supremum().lower, rel=1e-14)
        assert found.renyi(3).lower == pytest.approx(expected.renyi(3).lower, rel=1e-12)


def test_agreement_tells_strata_of_different_sizes_apart() -> None:
    assert not agree(ExchangeLoss(Stratum(4, Fraction(1, 4), "permute")), exchanged(3, Fraction(1, 4), "permute", "redraw"))


def test_two_records_are_randomised_response() -> None:
    rate = Fraction(1, 20)
    found = swapping(rate, [2, 2], "derange").loss(TWO)
    assert found.supremum().lower == pytest.approx(2 * math.log(19), rel=1e-14)
    same = ResponseLoss(Fraction(found.supremum().lower))
    assert all(found.delta(point).lower == pytest.approx(same.delta(point).lower, rel=1e-11) for point in POINTS)


@pytest.mark.parametrize("values", ["aab", "abb", "aabc", "abcc"])
def test_equal_values_never_lose_more(values: str) -> None:
    """Exchanging any two of them."""
    for (version, single), rate in itertools.product(VERSIONS, RATES[::2]):
        claimed = swapping(rate, [len(values)], version, single).loss(TWO)
        for i, j in itertools.combinations(range(len(values)), 2):
            other = list(values)
            other[i], other[j] = other[j], other[i]
            assert dominates(claimed, pair(values, other, rate, version, single))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", [3, 4, 5])
def test_who_permutes_a_stratum_can_forget_a_record(size: int, rate: Fraction) -> None:
    """Whoever has the forgotten value takes what the forgotten record has: exactly the swapping of a smaller stratum."""
    forgotten = size - 1
    chances: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for order, chance in permuted(size, rate, "permute", "redraw").items():
        chances[tuple(order[-1] if value == forgotten else value for value in order[:-1])] += chance
    assert chances == permuted(size - 1, rate, "permute", "redraw")


def test_the_largest_permuted_stratum_decides() -> None:
    assert swapping(Fraction(1, 3), [2, 5, 3, 5], "permute").loss(TWO) == ExchangeLoss(
        Stratum(5, Fraction(1, 3), "permute")
    )


def test_small_deranged_strata_can_lose_more_than_large_ones() -> None:
    """At a high rate, two records are nearly sure to be exchanged; among four it is less clear who got what."""
    two, four = (exchanged(size, Fraction(19, 20), "derange", "redraw") for size in (2, 4))
    assert two.delta(1).lower > four.delta(1).upper + 0.3


@pytest.mark.parametrize(("version", "single"), VERSIONS[1:])
@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(3, 4)])
def test_strata_of_several_sizes_are_enclosed(version: str, single: str, rate: Fraction) -> None:
    sizes = (2, 3, 4, 5)
    found = swapping(rate, [*sizes, 1], version, single).loss(TWO)
    pairs = [exchanged(size, rate, version, single) for size in sizes]
    for point in POINTS[2:]:
        worst = max(exact.delta(point).lower for exact in pairs)
        assert worst <= found.delta(point).upper <= worst * 1.001 + 1e-9
    assert found.supremum().lower == pytest.approx(max(exact.supremum().lower for exact in pairs), rel=1e-13)
    assert found.supremum().upper == pytest.approx(found.supremum().lower, rel=1e-11)


def test_too_many_records_are_enclosed_by_the_worst_case() -> None:
    rate = Fraction(1, 20)
    found = swapping(rate, [50_000, 3], "derange").loss(TWO)
    assert found.supremum().lower == pytest.approx(math.log(50_000 * 49_999) + 2 * math.log(19), rel=1e-13)
    assert found.delta(1).upper == ResponseLoss(Fraction(found.supremum().upper)).delta(1).upper
    assert found.delta(1).lower == ExchangeLoss(Stratum(50_000, rate, "derange")).delta(1).lower


def test_an_envelope_that_forgets_a_stratum_is_caught() -> None:
    rate = Fraction(19, 20)
    forgetful = envelope([Stratum(size, rate, "derange") for size in (3, 4)])
    assert not dominates(forgetful, exchanged(2, rate, "derange", "redraw"))


@pytest.mark.parametrize(("version", "single"), VERSIONS)
def test_three_records_in_a_circle(version: str, single: str) -> None:
    for size, rate in itertools.product((3, 4), RATES):
        found = swapping(rate, [size], version, single).loss(THREE)
        pairs = [
            pair(range(size), order, rate, version, single)
            for order in itertools.permutations(range(size))
            if sum(a != b for a, b in enumerate(order)) in (2, 3)
        ]
        assert all(dominates(found, exact) for exact in pairs)
        attained = max(exact.supremum().lower for exact in pairs)
        assert found.supremum().upper == pytest.approx(attained, rel=1e-13)
        assert any(agree(found.dominated(), exact) for exact in pairs)


def test_four_records_in_two_strata_lose_twice_as_much() -> None:
    rate = Fraction(1, 4)
    found = swapping(rate, [4, 4, 2], "derange").loss(FOUR)
    once = exchanged(4, rate, "derange", "redraw")
    both = once.times(once)
    assert dominates(found, both)
    assert found.supremum().lower == pytest.approx(both.supremum().lower, rel=1e-13)
    assert found.supremum().upper == pytest.approx(both.supremum().lower, rel=1e-13)
    assert found.delta(2).lower == pytest.approx(both.delta(2).lower, rel=1e-3)


def test_a_large_stratum_hardly_ever_loses_what_it_can() -> None:
    """The worst case needs everybody to move; the number who do is close to its mean."""
    found = swapping(Fraction(1, 20), [1000], "derange").loss(TWO)
    assert found.supremum().lower == pytest.approx(math.log(1000 * 999) + 2 * math.log(19), rel=1e-12)
    # The binomial number of moved records is below 1000/20 + 6 * 7 with chance above 1 - 1e-6.
    assert found.epsilon("1e-6").upper < 2 * math.log(94 * 19)
    assert found.epsilon("0.1").lower > 2 * math.log(50 * 19) - 0.3


def test_a_hundred_thousand_records() -> None:
    found = swapping(Fraction(1, 20), [100_000], "permute").loss(TWO)
    low, high = found.epsilon("1e-6").lower, found.epsilon("1e-6").upper
    assert 2 * math.log(5000 * 19) < low <= high < 2 * math.log(5500 * 19)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_who_deranges_everybody_shows_some_datasets_to_be_impossible(size: int) -> None:
    found = swapping(Fraction(1), [size, 40], "derange").loss(TWO)
    exact = exchanged(size, Fraction(1), "derange", "redraw")
    assert found.infinite() == exact.infinite()
    assert found.delta(0) == exact.delta(0)
    more = swapping(Fraction(1), [size], "derange").loss(THREE)
    assert more.infinite().upper == 1.0
    assert more.infinite().lower == exact.infinite().lower


def test_who_deranges_everybody_in_a_large_stratum_shows_it_with_chance_two_in_its_size() -> None:
    found = swapping(Fraction(1), [1000], "derange").loss(TWO).infinite()
    assert found.lower == pytest.approx(1 / 999 + 1 / 1000, rel=1e-14)
    assert found.width < 1e-18


def test_nobody_is_swapped_or_everybody_is_shuffled() -> None:
    assert swapping(Fraction(0), [3], "derange").loss(TWO) == TOTAL_LOSS
    assert swapping(Fraction(1), [3], "permute").loss(FOUR) == NO_LOSS


def test_one_record_cannot_differ_alone() -> None:
    with pytest.raises(ShiftError, match="differ in at least two records; set group = 2 in the specification"):
        swapping(Fraction(1, 4), [3], "permute").loss(Shift.along([1]))


@pytest.mark.parametrize("rate", [Fraction(1, 10**300), 1 - Fraction(1, 10**300)])
def test_extreme_rates_stay_finite(rate: Fraction) -> None:
    for version, single in VERSIONS:
        found = swapping(rate, [3, 3], version, single).loss(TWO)
        expected = exchanged(3, rate, version, single)
        assert found.supremum().lower == pytest.approx(expected.supremum().lower, rel=1e-13)
        assert agree(found, expected, width=1e-11)


def test_a_cohort_of_small_strata_loses_what_an_exchange_in_them_does() -> None:
    """By enumeration of the small stratum; that of all, in a derangement of the large one as well, is another."""
    plan = Plan.of(
        swapping(Fraction(1, 4), [2, 4], "derange").named("swapped"),
        neighbours="replace-one",
        group=2,
        invariants=swapping(Fraction(1, 4), [2, 4], "derange").publishes(),
    )
    whole = account(plan)
    for size, cohort in ((2, Cohort("block", at_most=3)), (4, Cohort("block", at_least=3))):
        expected = exchanged(size, Fraction(1, 4), "derange", "redraw").delta(1)
        found = whole.among(cohort).measure("approx", epsilon=1)
        assert expected.lower <= found.value.upper
        assert found.value.upper - expected.upper < 1e-9
        assert found.cohort == cohort
    assert whole.among(Cohort("block", at_most=3)).measure("pure").value != whole.measure("pure").value
    with pytest.raises(InvalidValue, match="no stratum of two records or more has at least 5"):
        whole.among(Cohort("block", at_least=5))
