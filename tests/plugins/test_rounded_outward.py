"""Formulas of definitions and published conversions enclose the truth in their last digits, and hardly more."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp

from accountant import Interval
from accountant.numbers.rounding import Ball
from accountant_approx import composition, curve, definition as approx
from accountant_fdp import normal
from accountant_pbdp import curve as bounded_curve, definition as pbdp
from accountant_pure.conversions import PureToZcdpTight
from accountant_pure.definition import PureParameter
from accountant_zcdp import conversions as zcdp
from accountant_zcdp.definition import ZcdpParameter

Found = tuple[str, Fraction | float, Fraction | float, Any]
DELTA = Fraction(1, 10**6)


def number(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def some(seed: int, count: int, low: float, high: float) -> list[Fraction]:
    """Fractions that no double is, evenly by their logarithms, with a few that are."""
    chosen = random.Random(seed)
    odd = [Fraction(chosen.uniform(low, high)) * Fraction(10**12 + 1, 10**12 + 3) for _ in range(count)]
    return [
        *(Fraction(10) ** round(power) * (1 + abs(power - round(power)) / 3) for power in odd),
        Fraction(1),
        Fraction(1, 3),
    ]


def quantiles() -> Iterator[Found]:
    for tail in [*some(1, 60, -299, -1), Fraction(1, 2) - Fraction(1, 10**9), Fraction(1, 2)]:
        if tail <= Fraction(1, 2):
            found = normal.tail_quantile(tail)
            # The tail is known at a place far better than a place with that tail.
            low, high = (mp.erfc(mp.mpf(end) / mp.sqrt(2)) / 2 for end in (found.upper, found.lower))
            yield "quantile", -high, -low, -number(tail)


def growths() -> Iterator[Found]:
    for size in (2, 3, 7):
        for epsilon in (value for value in some(2, 40, -9, 1.9) if size * value < 700):
            truth = mp.expm1(size * number(epsilon)) / mp.expm1(number(epsilon))
            yield "growth", Fraction(0), approx._growth(epsilon, size), truth
            grown = pbdp.Bounded().group(pbdp.BoundedParameter(epsilon, Fraction(1, 10**300)), size)
            if grown is not None:
                yield "group", Fraction(0), grown.delta * 10**300, mp.exp((size - 1) * number(epsilon))


def exponentials() -> Iterator[Found]:
    for epsilon in some(3, 60, -9, 2.6):
        yield "exponential", *curve.exponential(epsilon), mp.exp(number(epsilon))
        low, high = pbdp._level(pbdp.BoundedParameter(epsilon, Fraction(1, 3)))
        yield "level", low, high, mp.exp(-number(epsilon)) / 3


def converted() -> Iterator[Found]:
    for value in some(4, 60, -9, 1.5):
        tight = PureToZcdpTight().convert(PureParameter(value), {})
        yield "tight", tight.lower, tight.upper, number(value) * mp.tanh(number(value) / 2)
        classic = zcdp.ZcdpToApproxClassic().convert(ZcdpParameter(value), {"delta": DELTA})
        yield "classic", classic.lower, classic.upper, number(value) + 2 * mp.sqrt(number(value) * mp.log(10**6))
        best = zcdp.ZcdpToApproxOptimised().convert(ZcdpParameter(value), {"delta": DELTA})
        yield "optimised", best.lower, best.upper, best_order(number(value))


def best_order(rho: Any) -> Any:
    """(2 a - 1) rho + log(1 - 1/a) where rho (a - 1)^2 + log a = log(1/delta)."""
    nats = mp.log(10**6)
    low, high = mp.mpf(0), min(mp.sqrt(nats / rho), mp.expm1(nats))
    for _ in range(190):
        step = (low + high) / 2
        low, high = (step, high) if rho * step**2 + mp.log1p(step) < nats else (low, step)
    return max((1 + 2 * low) * rho + mp.log(low) - mp.log1p(low), mp.mpf(0))


def composed() -> Iterator[Found]:
    for epsilon, count in zip(some(5, 12, -4, 0.3), [1, 2, 3, 5, 8, 20, 50] * 2, strict=True):
        parameter = approx.ApproxParameter(epsilon, Fraction(1, 10**9))
        found = composition.advanced([(parameter, count)], DELTA)
        e, rest = number(epsilon), number(DELTA - count * parameter.delta)
        yield "advanced", found.lower, found.upper, count * e * mp.tanh(e / 2) + mp.sqrt(-2 * count * e * e * mp.log(rest))
        for at in (Fraction(0), epsilon, count * epsilon * Fraction(2, 3)):
            found = composition.optimal_delta(parameter, count, at)
            yield "optimal", found.lower, found.upper, leaky(e, count, number(at))


def leaky(e: Any, count: int, at: Any) -> Any:
    gained = mp.fsum(
        mp.binomial(count, i) * mp.exp(-i * e) / (1 + mp.exp(-e)) ** count * max(-mp.expm1(at - (count - 2 * i) * e), 0)
        for i in range(count + 1)
    )
    kept = (1 - mp.mpf(1) / 10**9) ** count
    return 1 - kept + kept * gained


def logarithms() -> Iterator[Found]:
    for rho in some(6, 40, -6, 1):
        most = bounded_curve._most_epsilon(rho, DELTA)
        yield "moments", 0.0, most, number(rho) + 2 * mp.sqrt(number(rho) * mp.log(10**6))
        yield "moments", 0.0, bounded_curve._most_delta(rho, 3 * rho), mp.exp(-number(rho))


ROWS: dict[str, Callable[[], Iterator[Found]]] = {
    "quantiles": quantiles,
    "growths": growths,
    "exponentials": exponentials,
    "converted": converted,
    "composed": composed,
    "logarithms": logarithms,
}


def outside(rows: Iterator[Found]) -> list[tuple[str, float]]:
    """Formulas whose ends do not hold the truth."""
    with mp.workdps(60):
        return [(name, float(truth)) for name, low, high, truth in rows if not exact(low) <= truth <= exact(high)]


def exact(end: Any) -> Any:
    return end if isinstance(end, mp.mpf) else number(Fraction(end))


@pytest.mark.parametrize("row", ROWS)
def test_formulas_hold_the_truth_between_their_ends(row: str) -> None:
    assert outside(ROWS[row]()) == []


def test_ends_are_close() -> None:
    for tail in some(7, 40, -290, -1):
        if tail <= Fraction(1, 2):
            found = normal.tail_quantile(tail)
            assert found.width <= 1e-14 * max(found.upper, 1.0)
    for name, low, high, _ in converted():
        # The best order is found from logarithms that cancel where rho is small.
        assert float(high) - float(low) <= (1e-12 if name == "optimised" else 1e-14 * float(high))


@pytest.mark.parametrize("row", ["quantiles", "growths", "exponentials", "converted", "composed"])
def test_formulas_that_forget_what_they_round_are_noticed(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No ball has a radius, and lumps add nothing."""
    monkeypatch.setattr(Ball, "upper", property(lambda self: self.middle))
    monkeypatch.setattr(Ball, "lower", property(lambda self: self.middle))
    monkeypatch.setattr(Ball, "interval", lambda self, *bounds: Interval(self.middle, self.middle))
    for room in (zcdp, composition):
        for name in ("raised", "lowered"):
            monkeypatch.setattr(room, name, lambda value, times: value)
    assert outside(ROWS[row]()) != []
