"""Composition of approximate parameters: textbook theorems against enumeration, the engine and each other."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant.loss import ResponseLoss, compose
from accountant_approx import ApproxParameter
from accountant_approx.composition import advanced, basic, optimal, optimal_delta

PARAMETERS = st.builds(
    ApproxParameter, st.fractions(0, 3, max_denominator=50), st.sampled_from(["1e-12", "1e-6", "1/1000", "1/20"])
)


def enumerated(parameter: ApproxParameter, count: int, epsilon: Fraction) -> mpmath.mpf:
    """Delta of all outcomes of leaky responses, one by one, at 40 digits."""
    with mpmath.workdps(40):
        e, d, x = (mpmath.mpf(v.numerator) / v.denominator for v in (parameter.epsilon, parameter.delta, epsilon))
        likely, unlikely = ((1 - d) / (1 + mpmath.exp(-side * e)) for side in (1, -1))
        outcomes = [(d, mpmath.mpf(0)), (likely, unlikely), (unlikely, likely), (mpmath.mpf(0), d)]
        total = mpmath.mpf(0)
        for chosen in itertools.product(outcomes, repeat=count):
            p, q = (mpmath.fprod(outcome[side] for outcome in chosen) for side in (0, 1))
            total += max(p - mpmath.exp(x) * q, mpmath.mpf(0))
        return total


@given(PARAMETERS, st.integers(1, 4), st.fractions(0, 8))
@settings(max_examples=60, deadline=None)
def test_the_binomial_formula_is_the_enumeration_of_all_answers(
    parameter: ApproxParameter, count: int, epsilon: Fraction
) -> None:
    value, truth = optimal_delta(parameter, count, epsilon), enumerated(parameter, count, epsilon)
    assert value.lower <= truth * (1 + mpmath.mpf(10) ** -30)
    assert truth <= value.upper * (1 + mpmath.mpf(10) ** -30)
    assert value.width <= 1e-12


@pytest.mark.parametrize(
    ("epsilon", "delta", "count", "total"),
    [("0.1", "1e-8", 50, "1e-6"), ("0.05", "1e-6", 200, "1e-3"), ("1", "1e-9", 12, "1e-7"), ("0.3", "0.001", 7, "0.01")],
)
def test_optimal_composition_is_the_composition_of_leaky_responses(
    epsilon: str, delta: str, count: int, total: str
) -> None:
    formula = optimal(ApproxParameter(epsilon, delta), count, Fraction(total))
    engine = compose([(ResponseLoss(epsilon, delta), count)]).epsilon(total)
    assert formula.lower <= engine.upper
    assert engine.lower <= formula.upper
    assert formula.width <= 1e-9
    assert engine.width <= 1e-3 * formula.upper


@given(PARAMETERS, st.integers(1, 40), st.integers(1, 11))
@settings(deadline=None)
def test_basic_and_advanced_composition_never_promise_more_than_is_possible(
    parameter: ApproxParameter, count: int, digits: int
) -> None:
    total = Fraction(1, 10**digits)
    best = optimal(parameter, count, total)
    for theorem in (basic, advanced):
        assert best.lower <= theorem([(parameter, count)], total).upper


def test_forgetting_the_drift_of_advanced_composition_is_caught() -> None:
    """Without the sum of e tanh(e/2) the bound undercuts what leaky responses attain."""
    parameter, count, total = ApproxParameter("0.5", "1e-12"), 200, Fraction("1e-6")
    best, whole = optimal(parameter, count, total), advanced([(parameter, count)], total)
    drift = count * 0.5 * float(mpmath.tanh(0.25))
    assert best.lower <= whole.upper
    assert best.lower > whole.upper - drift


@given(st.lists(st.tuples(PARAMETERS, st.integers(1, 5)), min_size=1, max_size=4))
@settings(max_examples=20, deadline=None)
def test_theorems_for_different_parameters_never_undercut_the_product_of_their_worst_cases(
    parts: list[tuple[ApproxParameter, int]],
) -> None:
    total = sum((count * part.delta for part, count in parts), Fraction(0)) + Fraction(1, 1000)
    if total < 1:
        product = compose([(ResponseLoss(part.epsilon, part.delta), count) for part, count in parts]).epsilon(total)
        assert product.lower <= basic(parts, total).upper
        assert product.lower <= advanced(parts, total).upper


def test_advanced_composition_is_its_formula() -> None:
    parts = [(ApproxParameter("0.1", "1e-8"), 30), (ApproxParameter("0.7", "1e-7"), 2)]
    value = advanced(parts, Fraction("1e-5"))
    with mpmath.workdps(30):
        known = [(mpmath.mpf("0.1"), mpmath.mpf("1e-8"), 30), (mpmath.mpf("0.7"), mpmath.mpf("1e-7"), 2)]
        drift = sum(k * e * (mpmath.exp(e) - 1) / (mpmath.exp(e) + 1) for e, _, k in known)
        nats = -mpmath.log(mpmath.mpf("1e-5") - sum(k * d for _, d, k in known))
        truth = drift + mpmath.sqrt(2 * sum(k * e**2 for e, _, k in known) * nats)
        assert value.lower <= truth <= value.upper
    assert value.width < 1e-12


def test_twelve_releases_share_a_budget_almost_evenly_at_a_small_delta() -> None:
    """Twelve releases with delta 1e-8 each that together spend epsilon 2 log 1.5 at 1e-6 may spend 0.067779 each."""
    budget = 2 * float(mpmath.log(mpmath.mpf("1.5")))
    low, high = Fraction("0.05"), Fraction("0.2")
    for _ in range(30):
        middle = (low + high) / 2
        fits = optimal(ApproxParameter(middle, "1e-8"), 12, Fraction("1e-6")).upper <= budget
        low, high = (middle, high) if fits else (low, middle)
    assert round(float(low), 6) == 0.067779
    assert round(budget / 12, 6) == 0.067578  # by basic composition


@pytest.mark.parametrize("theorem", [basic, advanced], ids=["basic", "advanced"])
def test_deltas_that_exceed_the_total_leave_no_epsilon(theorem: object) -> None:
    assert callable(theorem)
    parameter = ApproxParameter("0.1", "1e-3")
    assert theorem([(parameter, 20)], Fraction("1e-2")).lower == float("inf")
    assert optimal(parameter, 20, Fraction("1e-2")).lower == float("inf")


def test_one_release_keeps_its_own_parameter() -> None:
    parameter = ApproxParameter("0.7", "0.01")
    value = optimal(parameter, 1, Fraction("0.01"))
    assert value.lower <= 0.7 <= value.upper
    assert value.width < 1e-12
    assert optimal_delta(parameter, 1, Fraction("0.7")).contains("0.01")
