"""The lowest value of a convex function is enclosed, whatever its shape and however uncertain its values."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from accountant.loss import lowest_value
from accountant.numbers.interval import Interval

LINES = st.lists(st.tuples(st.integers(-40, 40), st.integers(-400, 400)), min_size=1, max_size=5)


def lowest_of(lines: list[tuple[int, int]]) -> Fraction:
    """The exact minimum over u > 0 of the highest of lines a u + b with a falling and a rising one: at some crossing."""
    crossings = [Fraction(d - b, a - c) for a, b in lines for c, d in lines if a != c and Fraction(d - b, a - c) > 0]
    return min(max(a * u + b for a, b in lines) for u in crossings)


@given(LINES, st.floats(0.0, 0.01), st.sampled_from([2.0**-20, 2.0**-4]))
def test_the_lowest_value_of_crossing_lines_is_enclosed(lines: list[tuple[int, int]], doubt: float, finest: float) -> None:
    lines = [*lines, (-41, 500), (41, -500)]
    truth = lowest_of(lines)

    def curve(t: float) -> Interval:
        value = max(a * math.exp(t) + b for a, b in lines)
        error = doubt + 1e-11 * (1.0 + math.exp(t))
        return Interval(value - error, value + error)

    found = lowest_value(curve, [0.0, 2.0], finest)
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize(("scale", "power"), [(1e-12, 2.0), (1.0, 2.0), (1e6, 3.0)])
def test_the_lowest_value_of_a_smooth_valley_is_sharp(scale: float, power: float) -> None:
    """u^p/p + 1/u is lowest at u = 1, in any unit of value."""

    def curve(t: float) -> Interval:
        value = scale * (math.exp(power * t) / power + math.exp(-t))
        return Interval.around(value, value * 2.0**-50)

    found = lowest_value(curve, [-3.0], 2.0**-20)
    truth = scale * (1.0 / power + 1.0)
    assert found.lower <= truth <= found.upper
    assert found.width <= 1e-10 * truth


def test_values_beyond_what_doubles_hold_may_be_left_open() -> None:
    """A steep wall on the right whose height is not known; the valley |u - 1| has its bottom at 0."""

    def curve(t: float) -> Interval:
        value = abs(math.exp(t) - 1.0)
        return Interval(value - 1e-12, value + 1e-12 if t < 0.01 else math.inf)

    found = lowest_value(curve, [-0.5], 2.0**-10)
    assert -0.1 <= found.lower <= 0.0 <= found.upper


def test_a_function_that_falls_forever_has_no_lower_bound() -> None:
    assert lowest_value(lambda t: Interval.around(-t, 1e-12), [0.0, 500.0], 1.0).lower == -math.inf


def test_a_function_that_is_not_convex_would_be_misjudged() -> None:
    """The certificate rests on convexity: a narrow pit beside the valley is not seen."""

    def pitted(t: float) -> Interval:
        value = abs(math.exp(t) - 1.0) - (50.0 if abs(t - 2.345) < 1e-6 else 0.0)
        return Interval.around(value, 1e-12)

    assert lowest_value(pitted, [0.0], 2.0**-10).lower > pitted(2.345).upper


@given(LINES, st.floats(-3.0, 3.0), st.sampled_from([2.0**-20, 2.0**-4]))
def test_whatever_says_where_to_look_the_lowest_value_is_enclosed(
    lines: list[tuple[int, int]], place: float, finest: float
) -> None:
    lines = [*lines, (-41, 500), (41, -500)]
    truth = lowest_of(lines)

    def curve(t: float) -> Interval:
        value = max(a * math.exp(t) + b for a, b in lines)
        error = 1e-11 * (1.0 + math.exp(t))
        return Interval(value - error, value + error)

    # What is said to be known roughly may be another function.
    found = lowest_value(curve, [0.0, 2.0], finest, about=lambda t: Interval.of(Fraction(t - place) ** 2))
    assert found.lower <= truth <= found.upper


def test_where_values_take_long_few_are_asked_for() -> None:
    asked: list[float] = []

    def curve(t: float, count: bool = True) -> Interval:
        if count:
            asked.append(t)
        value = math.exp(t) + math.exp(1.0 - t)
        return Interval(value * (1.0 - 1e-9), value * (1.0 + 1e-9))

    alone = lowest_value(curve, [0.0], 2.0**-12)
    often = len(asked)
    found = lowest_value(curve, [0.0], 2.0**-12, about=lambda t: curve(t, False))
    assert found == alone
    assert 2 * (len(asked) - often) <= often
