"""Several points of approximate differential privacy at once, and groups."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant.loss import BracketLoss, FiniteLoss, PrivacyLoss
from accountant.testing import strategies
from accountant_approx import Approx, ApproxParameter
from accountant_approx.curve import FARTHEST, exponential, pair_through, worst_of

APPROX = Approx()
EVERYWHERE = [Fraction(k, 8) for k in range(-16, 41)]
SEVERAL = st.lists(
    st.tuples(st.fractions(0, 4, max_denominator=99), st.fractions("1/1000", "9/10", max_denominator=1000)),
    min_size=2,
    max_size=5,
)
EPSILONS = st.lists(st.fractions(0, 3, max_denominator=8), min_size=2, max_size=4, unique=True)


def points_of(pair: PrivacyLoss, epsilons: list[Fraction]) -> list[ApproxParameter]:
    """The points of a pair's own curve, rounded up."""
    deltas = [Fraction(APPROX.measure(pair, {"epsilon": epsilon}).upper) for epsilon in epsilons]
    return [ApproxParameter(epsilon, delta) for epsilon, delta in zip(epsilons, deltas, strict=True) if 0 < delta < 1]


@pytest.mark.slow
@given(strategies.finite_losses(), EPSILONS)
@settings(max_examples=30, deadline=None)
def test_no_finite_mechanism_beats_the_worst_case_of_points_on_its_curve(
    pair: FiniteLoss, epsilons: list[Fraction]
) -> None:
    points = points_of(pair, epsilons)
    assume(points)
    worst = APPROX.worst_case_of(points)
    for side in (pair, pair.reverse()):
        assert all(side.delta(epsilon).lower <= worst.delta(epsilon).upper for epsilon in EVERYWHERE)


@given(SEVERAL)
@settings(max_examples=30, deadline=None)
def test_a_mechanism_attains_the_worst_case_of_any_points(points: list[tuple[Fraction, Fraction]]) -> None:
    """The lower side satisfies every point, in both directions, and comes within rounding of the upper side."""
    worst = APPROX.worst_case_of([ApproxParameter(*point) for point in points])
    attained = worst.dominated()
    assert attained.reverse() is attained
    for epsilon, delta in points:
        ends = exponential(epsilon)
        assert isinstance(attained, FiniteLoss)
        gained = sum((max(p - ends[0] * q, Fraction(0)) for p, q in attained.atoms), Fraction(0))
        assert gained <= delta
    assert all(worst.delta(epsilon).width < 1e-12 for epsilon in EVERYWHERE)


@pytest.mark.slow
@given(SEVERAL)
@settings(max_examples=30, deadline=None)
def test_more_points_never_permit_more(points: list[tuple[Fraction, Fraction]]) -> None:
    parameters = [ApproxParameter(*point) for point in points]
    all_of_them = APPROX.worst_case_of(parameters)
    for parameter in parameters:
        alone = APPROX.worst_case(parameter)
        assert all(all_of_them.delta(epsilon).lower <= alone.delta(epsilon).upper for epsilon in EVERYWHERE)


def test_one_point_is_the_leaky_response_itself() -> None:
    point = ApproxParameter("0.7", "0.01")
    assert APPROX.worst_case_of([point]) == APPROX.worst_case(point)
    twice = APPROX.worst_case_of([point, point])
    assert isinstance(twice, BracketLoss)
    for epsilon in EVERYWHERE:
        assert twice.delta(epsilon).lower <= APPROX.worst_case(point).delta(epsilon).upper
        assert APPROX.worst_case(point).delta(epsilon).lower <= twice.delta(epsilon).upper


def test_interpolating_between_epsilons_would_be_caught() -> None:
    """Delta is convex in e^epsilon; the straight line over epsilon lies below what a mechanism with these points gains."""
    pair = pair_through([(Fraction(1), Fraction(1, 2)), (Fraction(8), Fraction(1, 100))])
    middle = math.log(8) / 2
    points = points_of(pair, [Fraction(0), Fraction(math.log(8))])
    assert pair.delta(middle).lower <= APPROX.worst_case_of(points).delta(middle).upper
    assert pair.delta(middle).lower > (0.5 + 0.01) / 2


def test_leaving_out_the_exchanged_points_would_not_be_the_worst_case_of_both_directions() -> None:
    """The curve of a point and the one seen with exchanged roles belong to one pair."""
    point = (Fraction(3), Fraction(1, 10))
    pair = pair_through([point])
    assert pair == pair.reverse()
    assert sum((max(p - 3 * q, Fraction(0)) for p, q in pair.atoms), Fraction(0)) == Fraction(1, 10)
    assert sum((max(p - q / 3, Fraction(0)) for p, q in pair.atoms), Fraction(0)) == Fraction(7, 10)


@given(st.fractions(0, 2000))
def test_exponentials_are_enclosed(epsilon: Fraction) -> None:
    low, high = exponential(epsilon)
    with mpmath.workdps(50):
        truth = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in (low, high)]
        assert ends[0] <= truth <= ends[1]
        assert ends[1] <= ends[0] * (1 + mpmath.mpf(10) ** -11)


# Groups --------------------------------------------------------------------------------------------------------------


@given(st.fractions(0, 5), st.integers(1, 60))
def test_the_delta_of_a_group_is_the_geometric_sum_rounded_up(epsilon: Fraction, size: int) -> None:
    together = APPROX.group(ApproxParameter(epsilon, Fraction(1, 10**200)), size)
    assert together is not None
    assert together.epsilon == size * epsilon
    with mpmath.workdps(50):
        exact = mpmath.fsum(mpmath.exp(k * mpmath.mpf(epsilon.numerator) / epsilon.denominator) for k in range(size))
        found = mpmath.mpf((together.delta * 10**200).numerator) / (together.delta * 10**200).denominator
        assert exact <= found * (1 + mpmath.mpf(10) ** -40)
        assert found <= exact * (1 + mpmath.mpf(10) ** -11)


def test_a_group_that_nothing_protects_has_no_parameter() -> None:
    assert APPROX.group(ApproxParameter(1, "0.1"), 20) is None
    assert APPROX.group(ApproxParameter(1, "1e-10"), 10**6) is None
    assert APPROX.group(ApproxParameter(0, "0.1"), 9) == ApproxParameter(0, "0.9")


@pytest.mark.parametrize("size", [2, 3])
def test_adding_deltas_without_the_growth_is_caught(size: int) -> None:
    """Datasets in a row, each leaking more than the last: k epsilon and k delta would not hold for the ends."""
    delta, ratio = Fraction(1, 100), Fraction(2)
    chance = Fraction(1, 1000)
    chances = [chance]
    for _ in range(size):
        chances.append(ratio * chances[-1] + delta)
    together = APPROX.group(ApproxParameter(Fraction(math.log(2)), delta), size)
    gained = chances[-1] - ratio**size * chances[0]
    assert together is not None
    assert size * delta < gained <= together.delta * Fraction(1 + 2**-40)


# Far out -------------------------------------------------------------------------------------------------------------


FAR = st.lists(
    st.tuples(st.sampled_from([0, 1, 30, 9000, "16384", "16385", "1e7", "1e300"]), st.fractions("1/1000", "9/10")),
    min_size=2,
    max_size=4,
)


@pytest.mark.slow
@given(FAR)
@settings(max_examples=20, deadline=None)
def test_points_however_far_are_kept_from_both_sides(points: list[tuple[int | str, Fraction]]) -> None:
    """The lower side satisfies every point; the upper side permits at least as much as the lower one and as each point."""
    parameters = [ApproxParameter(*point) for point in points]
    worst = worst_of([(item.epsilon, item.delta) for item in parameters])
    attained, permitted = worst.dominated(), worst.dominating()
    assert isinstance(attained, FiniteLoss)
    for item in parameters:
        low, _ = exponential(min(item.epsilon, FARTHEST))
        assert sum((max(p - low * q, Fraction(0)) for p, q in attained.atoms), Fraction(0)) <= item.delta
    for epsilon in EVERYWHERE:
        assert attained.delta(epsilon).lower <= permitted.delta(epsilon).upper


def test_forgetting_a_point_far_out_for_the_lower_side_would_be_caught() -> None:
    """A pair that only keeps what is said near by gains more far out than it may."""
    near, far = (Fraction(1), Fraction(1, 10)), (Fraction(10**9), Fraction(1, 1000))
    careless = pair_through([(exponential(near[0])[0], near[1])])
    attained = worst_of([near, far]).dominated()
    assert isinstance(attained, FiniteLoss)
    lost = [sum((p for p, q in pair.atoms if q == 0), Fraction(0)) for pair in (careless, attained)]
    assert lost[0] > far[1] >= lost[1]


def test_a_claim_at_an_epsilon_that_nobody_could_write_out_takes_no_time() -> None:
    points = [ApproxParameter("100", "1e-6"), ApproxParameter("1e300", "1e-9")]
    started = time.process_time()
    assert APPROX.worst_case_of(points).delta(50).upper <= 1
    assert time.process_time() - started < 5
