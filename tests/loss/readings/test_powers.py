"""Moments that are bounded by second moments, against 40 digits on random laws."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache, partial

import mpmath
import pytest

from accountant.loss.readings import powers
from accountant.numbers import Interval
from accountant.numbers.rounding import Ball

mpmath.mp.dps = 40

Law = list[tuple[Fraction, Fraction]]
ORDERS = [2.0**-30, 2.0**-19, 1e-3, 0.3, 0.5, 0.999, 1.0, 1.7, 2.0, 3.5, 12.0, 100.0]


def law(draw: random.Random, spread: float, *, lossless: bool = True) -> Law:
    """Masses of P and Q on a few outcomes, whose ratios are about e^spread."""
    q = [Fraction(draw.randint(1, 50)) for _ in range(draw.randint(2, 5))]
    p = [mass * Fraction(math.exp(draw.uniform(-spread, spread))) for mass in q]
    if not lossless:
        p[0] = Fraction(0)
    return [(a / sum(p), b / sum(q)) for a, b in zip(p, q, strict=True)]


def log_moment(pairs: Law, order: float) -> mpmath.mpf:
    """log of the sum of p (p/q)^order, in 40 digits."""
    terms = [_number(p) * mpmath.exp(order * mpmath.log(_number(p) / _number(q))) for p, q in pairs if p]
    return mpmath.log(mpmath.fsum(terms))


def _number(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def enclosed(pairs: Law, order: float) -> Interval:
    value, doubt = log_moment(pairs, order), mpmath.mpf(2) ** -100
    return Interval(math.nextafter(float(value - doubt), -1.0), math.nextafter(float(value + doubt), math.inf))


def tops(pairs: Law) -> tuple[float, float]:
    largest = max(mpmath.log(_number(p) / _number(q)) for p, q in pairs if p)
    smallest = math.inf if any(not p for p, _ in pairs) else max(mpmath.log(_number(q) / _number(p)) for p, q in pairs)
    return math.nextafter(float(largest), math.inf), math.nextafter(float(smallest), math.inf)


def faults() -> list[tuple[Law, float]]:
    """Laws and orders at which some bound excludes the truth."""
    draw, found = random.Random(20261117), []
    for trial in range(24):
        pairs = law(draw, draw.choice([1e-7, 1e-3, 0.1, 1.0, 4.0]), lossless=trial % 4 > 0)
        found += [
            (pairs, order) for order in ORDERS if not all(_holds(value, pairs, order) for value in bounds(pairs, order))
        ]
    return found


def bounds(pairs: Law, order: float) -> list[Interval]:
    """All that is said of a log moment, with and without bounds on the losses."""
    own, back = cache(partial(enclosed, pairs)), cache(partial(enclosed, [(q, p) for p, q in pairs]))
    if not all(p for p, _ in pairs):
        back = lambda order: Interval(0.0, math.inf)  # type: ignore[assignment]  # noqa: E731
    top = tops(pairs)
    known = [powers.compared_with_squares(own, back, ends, order) for ends in (top, (math.inf, math.inf))]
    return [*known[0], *known[1], Interval(0.0, powers.response_moment(max(top), order))]


def _holds(value: Interval, pairs: Law, order: float) -> bool:
    return bool(mpmath.mpf(value.lower) <= log_moment(pairs, order) <= mpmath.mpf(value.upper))


def test_second_moments_bound_every_other_moment() -> None:
    assert not faults()


def test_a_power_that_may_lie_on_either_side_of_two_is_bounded_on_neither() -> None:
    """Just below 2 the ratio falls to 0 as losses grow, just above it rises: rounding must not decide which."""
    assert powers._average(Ball(math.nextafter(1.0, 0.0)) + 1.0, math.inf) == (0.0, math.inf)
    assert powers._average(Ball(0.5) + 1.0, math.inf)[0] == 0.0
    assert powers._average(Ball(2.0) + 1.0, math.inf)[1] == math.inf
    # Of x^-1 the ratio at x is 1/x.
    lower, upper = powers._average(Ball(-1.0), 1000.0)
    assert lower == 0.0 < math.exp(-700.0) < upper <= 1.0 + 1e-12
    assert powers._average(Ball(-1.0), -1000.0)[1] == math.inf


def test_bounds_are_close_where_losses_are_small() -> None:
    pairs = law(random.Random(1), 0.02)
    values = bounds(pairs, 0.5)
    lower, upper = max(value.lower for value in values), min(value.upper for value in values)
    assert 0.0 < lower <= upper <= 1.02 * lower


def test_laws_without_a_largest_loss_are_bounded_away_from_nothing() -> None:
    pairs = law(random.Random(2), 0.2)
    own, nothing = partial(enclosed, pairs), Interval(0.0, math.inf)
    values = powers.compared_with_squares(own, lambda order: nothing, (math.inf, math.inf), 0.3)
    assert max(value.lower for value in values) > 0.2 * float(log_moment(pairs, 0.3))


@pytest.mark.parametrize("planted", ["ends exchanged", "tail kept", "slightly too sharp"])
def test_wrong_comparisons_are_caught(monkeypatch: pytest.MonkeyPatch, planted: str) -> None:
    if planted == "ends exchanged":
        sound = powers._extremes
        monkeypatch.setattr(powers, "_extremes", lambda power, low, high: sound(power, low, high)[::-1])
    elif planted == "tail kept":
        monkeypatch.setattr(powers, "_without_the_tail", lambda squares, cubes, order: Interval(squares.lower, math.inf))
    else:
        average = powers._average
        monkeypatch.setattr(powers, "_average", lambda power, log_x: _sharper(*average(power, log_x)))
    assert faults()


def _sharper(low: float, high: float) -> tuple[float, float]:
    return low * (1.0 + 1e-6), high * (1.0 - 1e-6)
