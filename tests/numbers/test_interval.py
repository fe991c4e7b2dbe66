"""Intervals contain the truth whatever is done with them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, strategies as st

from accountant.errors import InvalidValue
from accountant.numbers.interval import Interval, float_above, float_below, larger

finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@st.composite
def enclosures(draw: st.DrawFn) -> tuple[Interval, Fraction]:
    """An interval and a point of it that stands for the truth."""
    if draw(st.booleans()):
        value = draw(st.fractions())
        return Interval.of(value), value
    low, high = sorted((draw(finite), draw(finite)))
    share = draw(st.fractions(0, 1))
    return Interval(low, high), Fraction(low) + share * (Fraction(high) - Fraction(low))


@given(st.fractions())
def test_the_nearest_doubles_enclose(value: Fraction) -> None:
    assert Fraction(float_below(value)) <= value <= Fraction(float_above(value))
    assert math.nextafter(float_below(value), math.inf) >= float_above(value)


@given(st.integers(310, 400))
def test_doubles_enclose_beyond_their_range(exponent: int) -> None:
    assert float_below(Fraction(10) ** exponent) < math.inf == float_above(Fraction(10) ** exponent)


@given(enclosures(), enclosures())
def test_a_sum_contains_the_sum(left: tuple[Interval, Fraction], right: tuple[Interval, Fraction]) -> None:
    total = left[0] + right[0]
    assert total.contains(left[1] + right[1])


@given(enclosures(), enclosures())
def test_a_difference_contains_the_difference(left: tuple[Interval, Fraction], right: tuple[Interval, Fraction]) -> None:
    assert (left[0] - right[0]).contains(left[1] - right[1])


@given(st.floats(0.5, 2.0), st.floats(1e-3, 1e3))
def test_a_difference_that_rounds_is_not_taken_for_exact(left: float, right: float) -> None:
    found = Interval(left, left) - Interval(right, right)
    assert found.contains(Fraction(left) - Fraction(right))
    assert found.width <= 2.0**-40


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_sum_that_doubles_do_not_reach_is_not_infinite(sign: int) -> None:
    large = Interval(sign * 1.5e308, sign * 1.5e308)
    for found in (large + large, large - Interval(-sign * 1.5e308, -sign * 1.5e308)):
        assert found.contains(2 * Fraction(sign * 1.5e308))
        assert math.isfinite(found.lower if sign > 0 else found.upper)


def test_differences_of_what_has_no_end_know_no_more_than_that() -> None:
    open_ = Interval(0.0, math.inf)
    assert Interval.of(1) - open_ == Interval(-math.inf, 1.0)
    assert open_ - Interval.of(1) == Interval(-1.0, math.inf)
    assert (Interval.of(Fraction(1, 3)) - Interval.of(Fraction(1, 7))).exact == Fraction(4, 21)


@given(enclosures(), st.integers(0, 10**18))
def test_a_multiple_contains_the_multiple(item: tuple[Interval, Fraction], count: int) -> None:
    assert item[0].times(count).contains(item[1] * count)


@given(st.floats(1e-300, 1e280), st.integers(2**53, 10**18), st.sampled_from([-1.0, 1.0]))
def test_a_multiple_beyond_the_whole_numbers_of_doubles_contains_the_multiple(
    value: float, count: int, sign: float
) -> None:
    multiple = Interval(sign * value, sign * value).times(count)
    assert Fraction(multiple.lower) <= Fraction(sign * value) * count <= Fraction(multiple.upper)


def test_a_count_that_doubles_do_not_hold_is_not_rounded_twice() -> None:
    value, count = 0.20808613138251275, 18784271957315618
    assert Interval(value, value).times(count).contains(Fraction(value) * count)


def test_an_exact_zero_has_no_sign() -> None:
    for zero in (Interval.of(0), Interval.of("0"), Interval.of(1).times(0), Interval(0.0, 0.0).times(2**60)):
        assert [math.copysign(1.0, end) for end in (zero.lower, zero.upper)] == [1.0, 1.0]


def test_infinite_ends_stay_infinite_when_taken_often() -> None:
    assert Interval.infinite().times(2**60) == Interval.infinite()
    assert Interval(0.0, math.inf).times(3).upper == math.inf


@given(enclosures(), enclosures())
def test_the_larger_contains_the_larger(left: tuple[Interval, Fraction], right: tuple[Interval, Fraction]) -> None:
    assert larger([left[0], right[0]]).contains(max(left[1], right[1]))


@given(enclosures(), st.integers(1, 20))
def test_printed_ends_are_rounded_outward(item: tuple[Interval, Fraction], digits: int) -> None:
    low, high = item[0].rounded(digits)
    assert Fraction(low) <= item[1] <= Fraction(high)


@given(enclosures(), st.fractions())
def test_a_comparison_is_only_decided_when_all_of_the_interval_agrees(
    item: tuple[Interval, Fraction], bound: Fraction
) -> None:
    decided = item[0].at_most(bound)
    assume(decided is not None)
    assert decided == (item[1] <= bound)


def test_a_budget_that_is_met_exactly_is_met() -> None:
    tenth = Interval.of("0.1")
    assert (tenth + tenth + tenth).at_most(Fraction(3, 10)) is True
    assert (tenth + tenth + tenth).at_most(Fraction(3, 10) - Fraction(1, 10**30)) is False


def test_an_undecided_comparison_says_so() -> None:
    assert Interval(0.1, 0.2).at_most(Fraction(15, 100)) is None
    assert Interval(0.0, math.inf).at_most(Fraction(1)) is None
    assert Interval.infinite().at_most(Fraction(10) ** 400) is False


@pytest.mark.parametrize("ends", [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan)])
def test_an_interval_needs_ordered_ends(ends: tuple[float, float]) -> None:
    with pytest.raises(InvalidValue):
        Interval(*ends)


def test_a_float_is_never_printed_as_if_it_were_the_decimal() -> None:
    assert str(Interval.of(0.1)) != "0.1"
    assert str(Interval.of("0.1")) == "0.1"


def test_sums_of_many_unlike_fractions_end_and_enclose() -> None:
    parts = [Fraction(1, k) for k in range(1, 6000)]
    total = sum((Interval.of(part) for part in parts), Interval.of(0))
    assert total.exact is None
    truth = math.fsum(1 / k for k in range(1, 6000))
    assert total.lower <= truth <= total.upper
    # Each sum rounds by one unit of the last place, at most 2^-49 here, at either end.
    assert total.width <= 6000 * 2 * 2.0**-49


def test_an_exact_value_of_many_digits_is_shown_by_its_ends() -> None:
    assert str(Interval.of(Fraction(1, 3))) == "1/3"
    assert str(Interval.of(Fraction(10**60 + 1, 3 * 10**60))) == "0.333333 to 0.333334"


def test_a_value_taken_once_is_not_rounded_again() -> None:
    assert Interval(0.5, 1.0).times(1) == Interval(0.5, 1.0)


@given(finite, st.floats(0.0, 1e300))
@example(1.0, 2.0**-60)
@example(-1.0, 2.0**-60)
@example(1e16, 1.0)
@example(2.0**55 + 8.0, 4.0)
def test_a_value_with_its_error_contains_all_that_is_as_near(value: float, error: float) -> None:
    around = Interval.around(value, error)
    assert Fraction(around.lower) <= Fraction(value) - Fraction(error)
    assert Fraction(value) + Fraction(error) <= Fraction(around.upper)
    # Each end rounds by half a unit of its last place and goes one further out: three units in all, and one to spare.
    assert around.upper - around.lower <= 2.0 * error + 4 * 2.0**-52 * (abs(value) + error) + 1e-300


def test_what_is_beyond_all_numbers_contains_none_of_them() -> None:
    assert not Interval.infinite().contains(0)
    assert not Interval(math.inf, math.inf).contains(10**400)
    assert Interval(0.0, math.inf).contains(10**400)


def test_the_distance_of_ends_is_no_smaller_than_it_is() -> None:
    ends = [(0.1, 0.3 + k / 7) for k in range(60)]
    assert all(Fraction(Interval(low, high).width) >= Fraction(high) - Fraction(low) for low, high in ends)
