"""Probabilistic differential privacy against exact finite pairs, closed forms and published figures."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from accountant import Interval, InvalidValue, default_registry
from accountant.finite import Pair
from accountant.loss import FiniteLoss, GaussianLoss
from accountant.numbers import log_of
from accountant.plugin import DIVERGENCES
from accountant_posterior import (
    approximate_epsilon,
    concentrated_epsilon,
    failure_probability,
    from_bounded,
    gaussian_epsilon,
    one_sided_epsilon,
    over_curve,
    probabilistic_epsilon,
    zcdp_epsilon,
)
from accountant_posterior.semantics.odds import largest_difference, updated, worst_prior

PBDP = default_registry()[DIVERGENCES]["pbdp"]
RATIOS = st.fractions(Fraction(11, 10), 8, max_denominator=20)
CHANCES = st.fractions(Fraction(1, 200), Fraction(199, 200), max_denominator=200)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    size = draw(st.integers(2, 5))
    rows = [draw(st.lists(st.integers(1, 40), min_size=size, max_size=size)) for _ in range(2)]
    return Pair(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


def slack(pair: Pair, ratio: Fraction) -> Fraction:
    """The exact delta at e^epsilon = ratio, both directions."""
    return max(pair.delta(ratio), pair.reverse().delta(ratio))


def outside(pair: Pair, epsilon: float, *, below: bool = True) -> Fraction:
    """The exact chance that the log likelihood ratio is surely farther than epsilon from 0, when the first law is true."""
    far = [
        p
        for p, q in pair.atoms
        if p and (not q or log_of(p / q).lower > epsilon or (below and log_of(p / q).upper < -epsilon))
    ]
    return sum(far, Fraction(0))


# From approximate differential privacy ---------------------------------------------------------------------------------


@pytest.mark.slow
@given(pairs(), RATIOS, CHANCES)
@settings(max_examples=150, deadline=None)
def test_no_pair_leaves_the_bound_more_often_than_stated(pair: Pair, ratio: Fraction, failure: Fraction) -> None:
    delta = slack(pair, ratio)
    assume(delta < failure)
    bound = probabilistic_epsilon(log_of(ratio), delta, failure)
    one_sided = one_sided_epsilon(log_of(ratio), delta, failure)
    for side in (pair, pair.reverse()):
        assert outside(side, bound.upper) <= failure
        assert outside(side, one_sided.upper, below=False) <= failure


@st.composite
def extremes(draw: st.DrawFn) -> tuple[Pair, Fraction, Fraction, Fraction]:
    """The pair that attains the conversion, with e^epsilon, e^epsilon' and delta."""
    ratio = draw(RATIOS)
    wider = ratio + draw(st.fractions(Fraction(1, 10), 5, max_denominator=20))
    delta = draw(st.fractions(Fraction(1, 1000), Fraction(1, 30), max_denominator=1000))
    mass = delta / (1 - ratio / wider)
    assume(mass * (1 + 1 / wider) < 1)
    rest = 1 - mass * (1 + 1 / wider)
    return Pair([(mass, mass / wider), (mass / wider, mass), (rest, rest)]), ratio, wider, delta


@given(extremes())
@settings(max_examples=60, deadline=None)
def test_some_pair_attains_the_conversion(extreme: tuple[Pair, Fraction, Fraction, Fraction]) -> None:
    pair, ratio, wider, delta = extreme
    assert slack(pair, ratio) == delta
    failure = sum((p for p, q in pair.atoms if p != q), Fraction(0))
    bound = probabilistic_epsilon(log_of(ratio), delta, failure)
    assert bound.lower <= log_of(wider).upper
    assert bound.upper >= log_of(wider).lower
    assert bound.width < 1e-12
    found = failure_probability(log_of(ratio), delta, log_of(wider))
    assert found.lower <= failure <= found.upper
    assert found.width < 1e-10


@given(extremes())
@settings(max_examples=30, deadline=None)
def test_pure_but_with_probability_delta_is_a_wrong_reading(extreme: tuple[Pair, Fraction, Fraction, Fraction]) -> None:
    """Read as "within epsilon except with probability delta", it fails on the extreme pair, and the check sees it."""
    pair, ratio, _, delta = extreme
    assert outside(pair, log_of(ratio).upper) > delta
    assert math.isinf(probabilistic_epsilon(log_of(ratio), delta, delta).upper)


@given(extremes())
@settings(max_examples=30, deadline=None)
def test_leaving_out_the_reverse_direction_is_caught(extreme: tuple[Pair, Fraction, Fraction, Fraction]) -> None:
    """The one-sided formula used for both sides is too small: it forgets how often evidence points the wrong way."""
    pair, ratio, wider, delta = extreme
    largest = pair.atoms[0][0]
    failure = largest * (1 + 1 / (2 * wider))
    planted, bound = (way(log_of(ratio), delta, failure) for way in (one_sided_epsilon, probabilistic_epsilon))
    assert outside(pair, planted.upper) > failure
    assert outside(pair, bound.upper) <= failure


@given(RATIOS, st.fractions(Fraction(1, 10**6), Fraction(1, 100)), CHANCES)
@settings(max_examples=80, deadline=None)
def test_the_inverse_leads_back(ratio: Fraction, delta: Fraction, failure: Fraction) -> None:
    assume(failure > 2 * delta)
    epsilon = log_of(ratio)
    wider = probabilistic_epsilon(epsilon, delta, failure)
    assert wider.lower >= epsilon.lower
    assert probabilistic_epsilon(epsilon, delta, min(Fraction(1), failure * 2)).upper <= wider.upper
    back = approximate_epsilon(wider, delta, failure)
    assert back.lower <= epsilon.upper
    assert back.upper >= epsilon.lower
    assert back.width < 1e-9
    assert probabilistic_epsilon(Interval(back.lower, back.lower), delta, failure).upper <= wider.upper


def test_a_difference_of_a_fifth_leaves_this_much_for_all_releases() -> None:
    """Published example: 2 log 1.5 in all, less what delta = 1e-6 costs at failure probability 0.01."""
    allowed = log_of(Fraction(9, 4))
    assert allowed.upper == pytest.approx(0.8109302162163288, abs=1e-12)
    assert approximate_epsilon(allowed, "1e-6", "0.01").lower == pytest.approx(0.810786, abs=1e-6)


def test_a_fixed_delta_wastes_much_of_a_week() -> None:
    week = Interval.around(0.07 + 2 * math.sqrt(0.07 * math.log(1e6)), 1e-12)
    fixed = updated(Fraction(1, 2), probabilistic_epsilon(week, "1e-6", "0.01"))
    assert fixed.upper == pytest.approx(0.885, abs=5e-4)


def test_without_slack_nothing_widens() -> None:
    assert probabilistic_epsilon("0.3", 0, 0) == Interval.of("0.3")
    assert probabilistic_epsilon("0.3", "1e-30", "0.01").upper == pytest.approx(0.3, abs=1e-14)
    assert approximate_epsilon("0.3", 0, "0.01") == Interval.of("0.3")


def test_what_cannot_be_reached_is_refused_with_the_remedy() -> None:
    with pytest.raises(InvalidValue, match="no epsilon is small enough"):
        approximate_epsilon("0.1", "0.01", "0.02")
    with pytest.raises(InvalidValue, match="between 0 and 1"):
        probabilistic_epsilon("0.1", "0.01", 2)
    with pytest.raises(InvalidValue, match="negative"):
        probabilistic_epsilon("-0.1", "0.01", "0.1")
    with pytest.raises(InvalidValue, match="rho"):
        zcdp_epsilon(0, "0.1")
    with pytest.raises(InvalidValue, match="strictly between"):
        from_bounded(lambda delta: Interval.of(1), 1)


# Along a whole curve ---------------------------------------------------------------------------------------------------


STEEP = Pair([("1/4", "1/32"), ("1/4", "1/32"), ("1/4", "7/16"), ("1/4", "1/2")])


@given(pairs(), CHANCES)
@example(STEEP, Fraction(96, 143))
@settings(max_examples=40, deadline=None)
def test_a_whole_curve_says_the_same_as_the_bounded_one(pair: Pair, failure: Fraction) -> None:
    """The best point of the approximate curve and the power of tests are a linear programme and its dual."""
    loss = FiniteLoss(pair.atoms)
    both = [loss, FiniteLoss((q, p) for p, q in pair.atoms)]
    by_curve = over_curve(
        lambda epsilon: max((side.delta(epsilon) for side in both), key=lambda value: value.upper), failure
    )
    by_power = from_bounded(lambda delta: PBDP.measure(loss, {"delta": delta}), failure)
    for side in (pair, pair.reverse()):
        assert outside(side, by_curve.upper) <= failure
        assert outside(side, by_power.upper) <= failure
    # The curve of the worse direction at every point is that of a pair which dominates both, so it may cost a little.
    assert by_power.upper <= by_curve.upper * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(("days", "expected"), [(7, 1.0971), (30, 2.3626), (58, 3.4149)])
def test_both_ways_agree_for_gaussian_noise(days: int, expected: float) -> None:
    loss = GaussianLoss(Fraction(days, 50))
    by_curve = over_curve(loss.delta, "0.01")
    by_power = from_bounded(lambda delta: PBDP.measure(loss, {"delta": delta}), "0.01")
    assert by_curve.upper == pytest.approx(by_power.upper, rel=1e-5)
    assert by_power.upper == pytest.approx(expected, abs=6e-5)


# From rho --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "epsilon", "delta", "posterior", "difference"),
    [
        (7, 1.584139655461271, 0.0007446269216316047, 0.8297899954170419, 0.376551179712196),
        (30, 3.26053, 1.72e-3, 0.96305, 0.67241),
        (58, 4.5984719599215875, 0.0023395102692364464, 0.9900331314363634, 0.8176274868129635),
        (202, 9.20831, 3.76e-3, 0.99990, 0.980178),
    ],
)
def test_the_published_example_with_the_best_delta(
    days: int, epsilon: float, delta: float, posterior: float, difference: float
) -> None:
    """Daily counts with rho = 0.01, failure probability 0.01: with delta fixed at 1e-6 the week would read 0.885."""
    found = zcdp_epsilon(Fraction(days, 100), "0.01")
    assert found.epsilon.upper == pytest.approx(epsilon, abs=1e-5)
    assert float(found.delta) == pytest.approx(delta, abs=1e-5)
    assert updated(Fraction(1, 2), found.epsilon).upper == pytest.approx(posterior, abs=1e-5)
    assert largest_difference(found.epsilon).upper == pytest.approx(difference, abs=1e-5)


@pytest.mark.parametrize(("days", "prior"), [(7, 0.311724410143902), (58, 0.09118625659351824)])
def test_the_prior_at_which_a_belief_of_the_published_example_changes_most(days: int, prior: float) -> None:
    worst = worst_prior(zcdp_epsilon(Fraction(days, 100), "0.01").epsilon)
    assert (worst.lower, worst.upper) == pytest.approx((prior, prior), abs=1e-5)


def test_the_published_days_at_which_thresholds_are_crossed() -> None:
    reached = {days: zcdp_epsilon(Fraction(days, 100), "0.01").epsilon for days in (57, 58, 201, 202)}
    assert updated(Fraction(1, 2), reached[57]).upper <= 0.99 < updated(Fraction(1, 2), reached[58]).lower
    assert largest_difference(reached[201]).upper <= 0.98 < largest_difference(reached[202]).lower


@pytest.mark.parametrize(
    ("rho", "moments", "exact"),
    [("0.07", 1.2365466512711023, 0.9801628045408105), ("0.3", 2.667851937589205, 2.127989700177434)],
)
def test_shorter_ways_are_tighter(rho: str, moments: float, exact: float) -> None:
    assert concentrated_epsilon(rho, "0.01").upper == pytest.approx(moments, abs=1e-6)
    assert gaussian_epsilon(rho, "0.01").upper == pytest.approx(exact, abs=1e-6)


@given(st.fractions(Fraction(1, 1000), 10), st.fractions(Fraction(1, 10**6), Fraction(1, 2)))
@settings(max_examples=40, deadline=None)
def test_exact_below_moments_below_the_classic_way(rho: Fraction, failure: Fraction) -> None:
    exact, moments, classic = gaussian_epsilon(rho, failure), concentrated_epsilon(rho, failure), zcdp_epsilon(rho, failure)
    assert exact.upper <= moments.upper <= classic.epsilon.upper
    with mpmath.workdps(40):
        mean, spread = (
            mpmath.mpf(rho.numerator) / rho.denominator,
            mpmath.sqrt(2 * mpmath.mpf(rho.numerator) / rho.denominator),
        )

        def tails(place: float) -> mpmath.mpf:
            return mpmath.ncdf((mean - place) / spread) + mpmath.ncdf((-mean - place) / spread)

        target = mpmath.mpf(failure.numerator) / failure.denominator
        assert tails(exact.upper) <= target <= tails(exact.lower)

        def chernoff(place: float) -> mpmath.mpf:
            return (1 + mpmath.exp(-mpmath.mpf(place))) * mpmath.exp(-((place - mean) ** 2) / (4 * mean))

        assert chernoff(moments.upper) <= target <= chernoff(moments.lower)
