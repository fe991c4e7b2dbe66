"""Balls between two ends hold both, and logarithms of normal chances hold what their arguments may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from accountant.numbers.interval import Interval
from accountant.numbers.rounding import (
    ROUNDOFF,
    Ball,
    Balls,
    binned_rows,
    exp,
    expm1,
    linear,
    log,
    log1p,
    running,
)
from accountant.numbers.rounding.special import log_normal_chance
from tests.numbers.rounding.bad import middles


def test_a_ball_between_two_numbers_holds_both_and_hardly_more() -> None:
    dice = np.random.default_rng(11)
    for left, right in zip(middles(dice, 4000).tolist(), middles(dice, 4000).tolist(), strict=True):
        low, high = min(left, right), max(left, right)
        ball = Ball.between(low, high)
        middle, radius = Fraction(ball.middle), Fraction(ball.radius)
        assert middle - radius <= Fraction(low) <= Fraction(high) <= middle + radius
        assert radius <= (Fraction(high) - Fraction(low)) / 2 + 4 * Fraction(ROUNDOFF) * (abs(low) + abs(high)) + Fraction(
            1e-320
        )


@pytest.mark.parametrize("radius", [0.0, 1e-3])
def test_logarithms_of_normal_chances_hold_every_argument(radius: float) -> None:
    places = np.concatenate([np.linspace(-30.0, 5.0, 71), [-1e-8, 1e-8, -200.0]])
    rows = log_normal_chance(Balls(places, np.full(places.size, radius)))
    with mp.workdps(40):
        for k, place in enumerate(places.tolist()):
            one = log_normal_chance(Ball(place, radius))
            for end in (-1, 1):
                truth = mp.log(mp.ncdf(mp.mpf(place) + end * mp.mpf(radius)))
                for found in (one, rows.entry(k)):
                    assert abs(truth - mp.mpf(found.middle)) <= mp.mpf(found.radius)
                    assert found.radius <= radius * (1.0 + abs(place)) + 1e-13 * (1.0 + abs(found.middle))


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p"])
def test_functions_of_complex_numbers_hold_the_value_without_any_error_of_the_argument(name: str) -> None:
    dice = np.random.default_rng(6)
    sizes = 10.0 ** dice.uniform(-6.0, 1.0, 300)
    points = sizes * np.exp(2j * np.pi * dice.random(300))
    found = {"exp": exp, "expm1": expm1, "log": log, "log1p": log1p}[name](Balls(points))
    for z, value, radius in zip(points.tolist(), found.middle.tolist(), found.radii.tolist(), strict=True):
        truth = {"exp": mp.exp, "expm1": mp.expm1, "log": mp.log, "log1p": lambda w: mp.log(1 + w)}[name](mp.mpc(z))
        assert abs(mp.mpc(value) - truth) <= mp.mpf(radius)
        assert radius <= 64 * ROUNDOFF * max(float(abs(truth)), 1e-300) * (1.0 + 1.0 / abs(1.0 + z))


def test_the_hull_of_two_intervals_begins_with_the_lower_and_ends_with_the_higher() -> None:
    for one, other in ((Interval(0.1, 0.2), Interval(0.3, 0.4)), (Interval(0.1, 0.9), Interval(0.3, 0.4))):
        for found in (one.hull(other), other.hull(one)):
            assert (found.lower, found.upper) == (0.1, max(one.upper, other.upper))


@pytest.mark.parametrize("error", [0.0, 1e-3])
def test_sums_of_parts_of_a_row_hold_the_exact_sums(error: float) -> None:
    """Of numbers of mixed sizes, which are rounded whenever one is added, and each of which may be off."""
    dice = np.random.default_rng(8)
    values = dice.random(600) * 10.0 ** dice.integers(-3, 4, 600)
    row = Balls(values, np.full(600, error))
    exact = [Fraction(value) + Fraction(error) for value in values.tolist()]
    found, total = running(row), Fraction(0)
    for k in range(600):
        total += exact[k]
        assert abs(Fraction(float(found.middle[k])) - total) <= Fraction(float(found.radii[k]))
    index = dice.integers(0, 5, 600)
    for bin_, sums in enumerate(binned_rows(index, (row,), 5)[0][k] for k in range(5)):
        truth = sum((exact[k] for k in range(600) if index[k] == bin_), Fraction(0))
        assert abs(Fraction(float(sums.middle)) - truth) <= Fraction(float(sums.radius))


@pytest.mark.parametrize(
    ("function", "ball"),
    [
        *((function, ball) for function in (exp, expm1) for ball in (Ball(800.0), Ball(0.0, math.inf))),
        *((log, ball) for ball in (Ball(0.5, 0.6), Ball(0.0), Ball(-1.0))),
        *((log1p, ball) for ball in (Ball(-1.0), Ball(0.0, 1.5))),
    ],
)
def test_where_nothing_is_known_nothing_is_said(function: Callable[[Ball], Ball], ball: Ball) -> None:
    found = function(ball)
    assert found.lower == -math.inf or found.upper == math.inf
    assert not found.radius < 1e300


def test_sums_of_products_are_off_by_what_any_factor_is_off_by() -> None:
    values = [0.3, -0.7, 0.2, 1.9]
    for off in range(4):
        factors = [Balls(np.array([value]), np.array([1e-3 if k == off else 0.0])) for k, value in enumerate(values)]
        found = linear((factors[0], factors[1]), (factors[2], factors[3]))
        for sign in (-1, 1):
            exact = [Fraction(value) + sign * (k == off) * Fraction(1e-3) for k, value in enumerate(values)]
            truth = exact[0] * exact[1] + exact[2] * exact[3]
            assert abs(Fraction(float(found.middle[0])) - truth) <= Fraction(float(found.radii[0]))


@pytest.mark.parametrize(
    ("function", "ball"),
    [
        (exp, Ball(710.0)),
        (exp, Ball(math.nan)),
        (expm1, Ball(710.0)),
        (expm1, Ball(math.nan)),
        (log, Ball(-1.0)),
        (log, Ball(1.0, 1.0)),
        (log, Ball(1.0, 2.0)),
        (log1p, Ball(-1.0)),
        (log1p, Ball(0.0, 1.0)),
        (log1p, Ball(-0.5, 0.75)),
    ],
)
def test_where_a_function_does_not_reach_nothing_is_known(function: Callable[..., Any], ball: Ball) -> None:
    assert function(ball).radius == math.inf
    with np.errstate(all="ignore"):
        assert not function(Balls(np.array([ball.middle]), np.array([ball.radius]))).radii[0] < math.inf


def test_balls_that_hold_zero_divide_into_everything() -> None:
    for bottom in (Ball(0.0), Ball(1.0, 1.0), Ball(-1.0, 2.0)):
        assert (Ball(1.0) / bottom).radius == math.inf
        assert (Balls(np.ones(1)) / Balls(np.array([bottom.middle]), np.array([bottom.radius]))).radii[0] == math.inf


def test_numbers_beyond_doubles_are_not_known() -> None:
    assert Ball.of(Fraction(10) ** 400).radius == math.inf
    assert Ball.between(-math.inf, math.inf).radius == math.inf
    assert Ball.between(-1e308, math.inf).radius == math.inf


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5)])
def test_sums_of_products_hold_whatever_their_factors_may_be(first: float, second: float) -> None:
    one, other = Balls(np.array([3.0]), np.array([first])), Balls(np.array([7.0]), np.array([second]))
    found = linear((one, other), (other, 2.0))
    truth = (3 + first) * (7 + second) + 2 * (7 + second)
    assert truth - 35.0 <= found.radii[0] <= (truth - 35.0) * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("middle", [1.0, -1.0, 3.7, -0.1])
def test_ends_of_a_ball_hold_what_rounding_would_lose(middle: float) -> None:
    """A radius far below one rounding of the middle is still a radius."""
    ball = Ball(middle, 2.0**-70)
    low, high = Fraction(middle) - Fraction(2) ** -70, Fraction(middle) + Fraction(2) ** -70
    found = ball.interval()
    assert Fraction(found.lower) <= low < high <= Fraction(found.upper)
    assert Fraction(ball.lower) <= low < high <= Fraction(ball.upper)
    assert Fraction(ball.most) >= max(abs(low), abs(high))
    several = Balls(np.array([middle]), np.array([2.0**-70]))
    assert Fraction(float(several.lower[0])) <= low < high <= Fraction(float(several.upper[0]))
    assert Fraction(float(several.most[0])) >= max(abs(low), abs(high))
