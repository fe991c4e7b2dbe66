"""Bounds on a chance hold as often as they say, exactly, and are those of Clopper and Pearson."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

import mpmath
import pytest

from accountant.analysis.auditing.binomial import chance_at_least, chance_at_most, tail


def exact_tail(events: int, runs: int, chance: Fraction) -> Fraction:
    """P(Bin(runs, chance) >= events) by adding up every term."""
    return sum((math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(events, runs + 1)), Fraction(0))


def failure_rate(bound: Callable[[int, int, float], float], runs: int, chance: Fraction, failure: float) -> Fraction:
    """The exact probability that a lower bound exceeds the chance."""
    rate = Fraction(0)
    for events in range(runs + 1):
        if Fraction(bound(events, runs, failure)) > chance:
            rate += math.comb(runs, events) * chance**events * (1 - chance) ** (runs - events)
    return rate


CHANCES = [Fraction(1, 1000), Fraction(1, 20), Fraction(3, 10), Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000)]


@pytest.mark.parametrize("chance", CHANCES, ids=str)
@pytest.mark.parametrize(("runs", "failure"), [(1, 0.1), (12, 0.25), (12, 0.01), (40, 0.05), (60, 0.001)])
def test_a_bound_fails_at_most_as_often_as_it_says(runs: int, failure: float, chance: Fraction) -> None:
    assert failure_rate(chance_at_least, runs, chance, failure) <= Fraction(failure)
    above = failure_rate(lambda k, n, f: 1.0 - chance_at_most(n - k, n, f), runs, chance, failure)
    assert above <= Fraction(failure)


def test_a_bound_from_the_normal_law_fails_too_often() -> None:
    """Planted: the estimate less some standard deviations, which many audits use."""

    def normal(events: int, runs: int, failure: float) -> float:
        share = events / runs
        return share - NormalDist().inv_cdf(1 - failure) * math.sqrt(share * (1 - share) / runs)

    assert failure_rate(normal, 40, Fraction(19, 20), 0.05) > Fraction(5, 100)


def test_the_bound_is_the_largest_chance_that_the_definition_allows() -> None:
    for runs, events, failure in [
        (1, 1, 0.05),
        (12, 5, 0.01),
        (40, 1, 1e-6),
        (40, 39, 1e-6),
        (90, 45, 0.25),
        (90, 90, 0.001),
    ]:
        found = Fraction(chance_at_least(events, runs, failure))
        assert exact_tail(events, runs, found) <= Fraction(failure)
        assert exact_tail(events, runs, found * (1 + Fraction(1, 10**9))) > Fraction(failure)


def long_tail(events: int, runs: int, chance: float) -> mpmath.mpf:
    """P(Bin(runs, chance) >= events) in 40 digits, from the first term on until terms no longer matter."""
    with mpmath.workdps(40):
        p, k = mpmath.mpf(chance), events
        term = mpmath.binomial(runs, k) * p**k * mpmath.exp((runs - k) * mpmath.log1p(-p))
        total = term
        while k < runs and term > total * mpmath.mpf(10) ** -30:
            term *= (runs - k) * p / ((k + 1) * (1 - p))
            total, k = total + term, k + 1
        return total


@pytest.mark.parametrize(
    ("events", "runs"),
    [(184_000, 10**6), (7, 10**6), (500_000, 10**6), (999_990, 10**6), (100, 20_000), (40, 10**9), (33, 50_000)],
)
def test_many_runs_agree_with_sums_in_forty_digits(events: int, runs: int) -> None:
    failure = 5e-4
    low, high = chance_at_least(events, runs, failure), chance_at_most(events, runs, failure)
    assert long_tail(events, runs, low) <= failure < long_tail(events, runs, low * 1.000001)
    assert long_tail(runs - events, runs, 1.0 - high) <= failure < long_tail(runs - events, runs, 1.0 - high * 0.999999)


def test_the_tail_is_bounded_from_above_and_closely() -> None:
    for events, runs, chance in [
        (9, 12, 0.5),
        (1, 40, 0.001),
        (35, 90, 0.25),
        (60, 90, 0.25),
        (90, 90, 0.5),
        (80, 90, 0.875),
    ]:
        true = exact_tail(events, runs, Fraction(chance))
        assert true <= Fraction(tail(events, runs, chance)) <= true * (1 + Fraction(1, 10**7))


def test_nothing_seen_and_everything_seen() -> None:
    assert chance_at_least(0, 100, 0.01) == 0.0
    assert chance_at_most(100, 100, 0.01) == 1.0
    assert chance_at_least(100, 100, 0.01) == pytest.approx(0.01**0.01, rel=1e-12)
    assert chance_at_most(0, 100, 0.01) == pytest.approx(1 - 0.01**0.01, rel=1e-12)


def test_a_failure_that_underflows_leaves_nothing_to_say() -> None:
    assert chance_at_least(50, 100, 0.0) == 0.0
    assert chance_at_most(50, 100, 0.0) == 1.0
