"""Lower ends of Laplace noisy max and of the sparse vector technique belong to instances that can be enumerated."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from accountant.loss import FiniteLoss, compose
from accountant.plugin import Shift
from accountant_selection import SparseVector
from accountant_selection.cases import outrun
from accountant_selection.crowds import attained, wins
from accountant_selection.laplace_products import above, below, density, integral
from accountant_selection.noisy_max_loss import NoisyMaxLoss
from accountant_selection.stream_points import Stream, Streams
from accountant_selection.two_outcomes import Points, TwoOutcomes


def group(first: int, second: int, behind: Fraction) -> Fraction:
    """The chance that one of the first is picked, by exact integration."""
    return sum(outrun([Fraction(0)] * first + [behind] * second)[:first], Fraction(0))


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (3, 1), (1, 6), (6, 2), (4, 4)])
def test_groups_win_with_their_exact_chances(sizes: tuple[int, int]) -> None:
    """Off by at most 2^-46 of the chance and of its complement, which is less than what points are moved by."""
    for behind in (Fraction(0), Fraction(1, 1000), Fraction(1, 2), Fraction(3), Fraction(-2), Fraction(12)):
        exact = group(*sizes, behind)
        found = Fraction(float(wins(*sizes, np.array([float(behind)]))[0]))
        assert abs(found - exact) <= min(exact, 1 - exact) * Fraction(1, 2**46)


@pytest.mark.parametrize("ratio", [Fraction(1, 4), Fraction(2), Fraction(5)])
def test_points_reach_what_groups_attain(ratio: Fraction) -> None:
    """Exact pairs of groups of several sizes, at several places."""
    points = attained(ratio)
    exact = []
    for first, second in ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2), (3, 3)):
        for place in range(7):
            behind = ratio * Fraction(place, 6)
            exact.append((group(first, second, behind), group(first, second, behind - ratio)))
    inside = [(float(q), float(p)) for q, p in exact]
    for epsilon in (0.0, 0.2, 0.5, 0.8):
        growth = math.exp(epsilon * float(ratio))
        best = max(p - growth * q for q, p in inside)
        claimed = float(np.max(points.p - growth * points.q))
        assert claimed >= best * (1.0 - 1e-9)


def test_a_point_that_nobody_attains_is_caught() -> None:
    """The planted error of taking two candidates by exponential noise for candidates by Laplace noise."""
    ratio = Fraction(2)
    p, q = 1.0 - math.exp(-1.0) / 2.0, math.exp(-1.0) / 2.0
    best = max(
        group(m, n, ratio * Fraction(k, 8) - ratio) - group(m, n, ratio * Fraction(k, 8))
        for m, n in ((1, 1), (2, 2), (3, 3), (4, 4))
        for k in range(9)
    )
    assert p - q > float(best)
    assert NoisyMaxLoss(ratio, laplace=True).delta(0).lower < p - q


@pytest.mark.parametrize(("share", "least"), [("0.3", 0.355), ("0.5", 0.235), ("0.7", 0.122)])
def test_more_than_two_candidates_raise_the_lower_end(share: str, least: float) -> None:
    """What random scores of up to five candidates reach when they move apart by two scales."""
    value = NoisyMaxLoss(2, laplace=True).delta(2 * Fraction(share))
    assert least <= value.lower <= value.upper


@pytest.mark.parametrize("seed", range(3))
def test_no_laplace_scores_leave_the_interval(seed: int) -> None:
    """Moments and delta of random scores lie below the upper ends, for moves of any size within the range."""
    generator, ratio = random.Random(seed), Fraction(3, 2)
    claimed = NoisyMaxLoss(ratio, laplace=True)
    for _ in range(8):
        scores = [Fraction(generator.randint(-6, 6), 2) for _ in range(generator.randint(2, 4))]
        moved = [score + ratio * Fraction(generator.randint(0, 4), 4) for score in scores]
        laws = [outrun(values) for values in (moved, scores)]
        pair = FiniteLoss(zip(*([*law[:-1], 1 - sum(law[:-1], Fraction(0))] for law in laws), strict=True))
        for one in (pair, pair.reverse()):
            assert one.renyi(2).lower <= claimed.renyi(2).upper
            assert one.concentration().lower <= claimed.concentration().upper
            assert one.delta("0.4").lower <= claimed.delta("0.4").upper


@pytest.mark.parametrize("epsilon", [0.0, 0.6, 2.5])
def test_two_laplace_selections_are_the_best_of_what_is_attained(epsilon: float) -> None:
    """Every first pair, and the best second one given what the first lost: the lower end is that, and no more."""
    points = attained(Fraction(2))

    def single(x: float) -> float:
        if x < 0.0:
            return -math.expm1(x) + math.exp(x) * single(-x)
        return max(0.0, float(np.max(points.p - math.exp(x) * points.q)))

    reached = max(
        p * single(epsilon - math.log(p / q)) + (1.0 - p) * single(epsilon - math.log((1.0 - p) / (1.0 - q)))
        for q, p in zip(points.q.tolist(), points.p.tolist(), strict=True)
    )
    value = compose([(NoisyMaxLoss(2, laplace=True), 2)]).delta(Fraction(epsilon))
    assert reached * (1.0 - 1e-3) <= value.lower <= reached * (1.0 + 1e-12)
    assert value.lower <= value.upper


def test_only_corners_of_points_are_kept() -> None:
    points = Points.outermost(np.array([0.1, 0.2, 0.3, 0.15, 0.9]), np.array([0.5, 0.7, 0.75, 0.3, 0.8]))
    assert points.q.size == 3
    assert np.all(points.p < np.array([0.5, 0.7, 0.75]))
    assert np.all(points.q > np.array([0.1, 0.2, 0.3]))
    assert Points.outermost(np.array([0.5]), np.array([0.4])).p.tolist() == [0.5]
    best = points.best(1.0)
    assert isinstance(best, TwoOutcomes)
    assert best.delta(0).lower == pytest.approx(float(best.p - best.q), rel=1e-12)


# The sparse vector technique --------------------------------------------------------------------------------------------


def exactly(stream: Stream, low: Fraction, high: Fraction) -> Fraction:
    """The chance that all of the first are below a threshold of 0 and all others above it, by exact integration."""
    first, second = Fraction(stream.first), Fraction(stream.second)
    factors = [below(low, second)] * stream.below + [above(high, second)] * stream.above
    return integral([density(Fraction(0), first), *factors], [Fraction(0), low, high])


@pytest.mark.parametrize("stream", [Stream(1.0, 2.0, 1, 1), Stream(4.0, 8.0, 5, 2), Stream(0.5, 3.0, 4, 1)])
def test_chances_of_streams_are_enclosed(stream: Stream) -> None:
    generator = random.Random(3)
    for _ in range(6):
        low, high = (Fraction(generator.randint(-40, 60), 4) for _ in range(2))
        least, most = (float(end[0]) for end in stream.chances(np.array([float(low)]), np.array([float(high)])))
        assert least <= float(exactly(stream, low, high)) <= most
        assert most <= least * 1.02


def test_chords_and_tangents_are_not_exchanged() -> None:
    """The planted error of taking the one for the other encloses nothing."""
    stream = Stream(4.0, 8.0, 5, 2)
    least, most = (float(end[0]) for end in stream.chances(np.array([10.0]), np.array([-3.0])))
    exact = float(exactly(stream, Fraction(10), Fraction(-3)))
    assert least < exact < most
    assert not most <= exact <= least


@pytest.mark.parametrize("monotone", [False, True])
def test_a_stream_attains_the_lower_end_of_epsilon(monotone: bool) -> None:
    """Found again by quadrature: many answers below, then one above, at the heights that the lower end belongs to."""
    mechanism = SparseVector("4", "8", 1, monotone)
    value = mechanism.loss(Shift.along([1])).epsilon("1e-6")
    assert value.upper * 0.95 < value.lower
    points = Streams(Fraction(4), Fraction(8), 1, monotone).attained
    best = int(np.argmax((points.p - 1e-6) / points.q))
    assert math.log((points.p[best] - 1e-6) / points.q[best]) >= value.lower

    def chance(low: float, high: float) -> mpmath.mpf:
        def below_zero(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2

        def integrand(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-abs(z) / 4) / 8 * below_zero((z - low) / 8) ** 192 * (1 - below_zero((z - high) / 8))

        return mpmath.quad(integrand, [-60, 0, 10, 20, 30, 45, 60, 100, 200])

    with mpmath.workdps(20):
        height = 288.0 / 13.0
        low = height - 8.0 * math.log(192.0)
        p, q = chance(low, 6.0 - height), chance(low + 1.0, 6.0 - height - (0.0 if monotone else 1.0))
        reached = float(mpmath.log((p - mpmath.mpf("1e-6")) / q))
    assert value.lower <= reached <= value.lower * 1.01


def test_random_streams_stay_inside() -> None:
    """Every point is a pair of exact chances of one answer, and none beats the upper ends."""
    loss = SparseVector("1", "2", 2).loss(Shift.along([1]))
    points = Streams(Fraction(1), Fraction(2), 2, False).attained
    for q, p in zip(points.q.tolist(), points.p.tolist(), strict=True):
        for epsilon in (0.0, 0.7, 2.0):
            assert p - math.exp(epsilon) * q <= loss.delta(Fraction(epsilon)).upper
        assert math.log(p / q) <= loss.supremum().upper
    assert loss.renyi(30).lower > 0.5 * loss.renyi(30).upper


@pytest.mark.parametrize(("scales", "count"), [(("4", "8", 1), 3), (("1", "2", 3), 3), (("2", "2", 1), 8)])
def test_several_streams_lose_what_one_answer_of_each_tells(scales: tuple[str, str, int], count: int) -> None:
    """Whether each has its answer is a law on two outcomes; the product of so many is summed in fractions."""
    loss = SparseVector(*scales).loss(Shift.along([1]))
    value = compose([(loss, count)]).epsilon("1e-6")
    points, best = Streams(Fraction(scales[0]), Fraction(scales[1]), scales[2], monotone=False).attained, 0.0
    for p, q in zip(points.p.tolist(), points.q.tolist(), strict=True):
        first, second = Fraction(p), Fraction(q)
        for least in range(count + 1):
            # Tests that say yes where so many of the streams have their answer.
            power, level = (
                sum(math.comb(count, k) * one**k * (1 - one) ** (count - k) for k in range(least, count + 1))
                for one in (first, second)
            )
            if power > Fraction(1, 10**6):
                best = max(best, math.log((power - Fraction(1, 10**6)) / level))
    assert best <= value.upper
    assert value.lower >= 0.75 * best
    assert value.lower > compose([(loss.dominated(), count)]).epsilon("1e-6").upper
