"""Skellam noise against Bessel functions in 60 digits, published bounds, and Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest

from accountant import GridTooLarge, PlanError, ShiftError, account, calibrate, read_plan
from accountant.loss import GaussianLoss, compose
from accountant.numbers.rounding import Ball, log1p
from accountant.plugin import Shift
from accountant_noise import Skellam, skellam_bounds
from accountant_noise.bessel import Falls, area, depth
from accountant_noise.skellam_loss import SkellamLoss
from accountant_noise.skellam_moments import SkellamMoments, _series
from tests.plugins.noise.references import Outcome, contains, hockey_stick, real, renyi, wrong_cells, wrong_moments

SETTINGS = list(product(["1e-5", "1/3", "7/3", "50"], [1, 2, 7]))


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(60):
        yield


@cache
def bessel(variance: str) -> list[mp.mpf]:
    """e^-v I_k(v) until it is below 1e-150 of the first."""
    v, found = real(variance), []
    while not found or found[-1] > found[0] * mp.mpf(10) ** -150:
        found.append(mp.exp(-v) * mp.besseli(len(found), v))
    return found


def outcomes(variance: str, move: int) -> list[Outcome]:
    """Losses and masses from the chances of the noise alone."""
    chances = bessel(variance)
    size = len(chances) - 1 - move
    return [(mp.log(chances[abs(k)] / chances[abs(k - move)]), chances[abs(k)]) for k in range(-size, size + 1)]


# Bessel functions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variance", ["1e-190", "1e-5", "1/3", "1", "7/3", "50", "2000"])
def test_ratios_are_right_to_a_few_roundoffs(variance: str) -> None:
    size = depth(float(Fraction(variance)), 720.0)
    falls = Falls.of(Fraction(variance), size + 5)
    for first, last in {(0, 1), (1, 2), (0, size), (size // 2, size // 2 + 3), (size - 1, size + 3)}:
        truth = mp.log(mp.besseli(first, real(variance)) / mp.besseli(last, real(variance)))
        found = float(falls.between(np.array([first]), np.array([last]))[0])
        assert abs(found / truth - 1) <= 8 * mp.mpf(2) ** -53


def test_ratios_lie_between_the_bounds_of_amos_and_fall() -> None:
    """The two bounds that the proofs rest on, and what makes the masses log-concave."""
    for variance in ("1/3", "7/3", "50"):
        v, chances = real(variance), bessel(variance)
        ratios = [right / left for left, right in pairwise(chances)]
        for k, ratio in enumerate(ratios):
            low = v / (k + mp.mpf(1) / 2 + mp.sqrt(v * v + (k + mp.mpf(3) / 2) ** 2))
            high = v / (k + mp.mpf(1) / 2 + mp.sqrt(v * v + (k + mp.mpf(1) / 2) ** 2))
            assert low < ratio < high
        turan = [ratios[0] ** 2, *(right / left for left, right in pairwise(ratios))]
        assert all(left < right < 1 for left, right in pairwise(turan))


def test_the_area_is_below_the_fall() -> None:
    for variance in ("1e-5", "7/3", "50"):
        chances = bessel(variance)
        for k in (1, 2, 5, len(chances) - 1):
            assert area(float(Fraction(variance)), float(k)) <= float(mp.log(chances[0] / chances[k])) * (1 + 1e-12)


# The loss --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
def test_delta_is_the_sum_over_all_outcomes(variance: str, move: int) -> None:
    loss, all_of_them = SkellamLoss(variance, move), outcomes(variance, move)
    assert all(left[0] > right[0] for left, right in pairwise(all_of_them))
    low, high = loss.window(-40.0)
    for epsilon in (*np.linspace(low, high, 9), 0.0, 0.1):
        found = loss.delta(float(epsilon))
        assert contains(found, hockey_stick(all_of_them, float(epsilon)))
        assert found.width <= 1e-11 * found.upper + 1e-290
    likely = float(max(all_of_them, key=lambda outcome: outcome[1])[0])
    assert contains(loss.delta(likely), hockey_stick(all_of_them, likely))


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
def test_renyi_is_the_sum_over_all_outcomes(variance: str, move: int) -> None:
    for order in ("1.000001", "1.0001", "1.5", "2", "7"):
        found = SkellamLoss(variance, move).renyi(order)
        assert contains(found, renyi(outcomes(variance, move), order))
        assert found.width <= 1e-9 * found.upper


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
def test_cells_hold_the_masses_of_both_laws(variance: str, move: int) -> None:
    loss = SkellamLoss(variance, move)
    low, high = loss.window(-40.0)
    for edges in (np.linspace(low, high, 8) + 1e-7, np.linspace(0.3, 0.8, 3), np.ones(1)):
        assert not wrong_cells(loss, outcomes(variance, move), edges)


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
@pytest.mark.parametrize("log_tail", [-16.0, -80.0])
def test_moments_off_the_real_line_are_those_of_what_is_left(variance: str, move: int, log_tail: float) -> None:
    loss = SkellamLoss(variance, move)
    moments = SkellamMoments.of([loss]).trimmed(log_tail)
    kept = moments.atoms[0][0].size
    left = sorted(outcomes(variance, move), key=lambda outcome: -outcome[1])[:kept]
    assert 1 - mp.fsum(mass for _, mass in left) <= moments.lost()[0] <= math.exp(log_tail) + 1e-300
    top = float(max(value for value, _ in left))
    points = [0.5 + 0.3j, 1 + 10j, 2 + 1000j, 0.01 + 1e4j]
    assert not wrong_moments(moments, left, [point for point in points if point.real * top < 290.0])


def test_composition_agrees_with_enumeration() -> None:
    first = [item for item in outcomes("1/3", 1) if item[1] > mp.mpf(10) ** -40]
    second = [item for item in outcomes("7/3", 2) if item[1] > mp.mpf(10) ** -40]
    both = [(a + b, p * q) for (a, p), (b, q) in product(first, second)]
    loss = compose([(SkellamLoss("1/3", 1), 1), (SkellamLoss("7/3", 2), 1)])
    for epsilon in (0.0, 1.0, 5.5):
        truth, found = hockey_stick(both, epsilon), loss.delta(epsilon)
        assert mp.mpf(found.lower) <= truth + mp.mpf(10) ** -35
        assert truth <= mp.mpf(found.upper)
        assert found.width <= 1e-9


@pytest.mark.parametrize("variance", ["1/10", "1", "50"])
def test_larger_moves_and_less_variance_lose_more(variance: str) -> None:
    moves = [SkellamLoss(variance, move) for move in (1, 2, 3, 8)]
    variances = [SkellamLoss(factor * Fraction(variance), 2) for factor in (4, 2, 1)]
    for smaller, larger in [*pairwise(moves), *pairwise(variances)]:
        for epsilon in (-1.0, 0.0, 0.2, 1.0, 4.0):
            assert smaller.delta(epsilon).lower <= larger.delta(epsilon).upper


# Concentration ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
def test_concentration_is_hardly_more_than_the_relative_entropy(variance: str, move: int) -> None:
    """Renyi(a)/a falls from the relative entropy at a = 1, wherever it was looked at."""
    entropy = mp.fsum(mass * value for value, mass in outcomes(variance, move))
    found = SkellamLoss(variance, move).concentration()
    assert mp.mpf(found.lower) <= entropy * (1 + mp.mpf(10) ** -30)
    assert entropy <= mp.mpf(found.upper)
    assert found.width <= 4e-6 * found.upper
    ratios = [renyi(outcomes(variance, move), order) / real(order) for order in ("1.001", "1.5", "3", "7")]
    assert all(left > right for left, right in pairwise([entropy, *ratios]))


@pytest.mark.parametrize("variance", ["1e-3", "0.1", "1", "5", "40", "1000", "20000"])
def test_closed_bounds_enclose_what_the_atoms_say(variance: str) -> None:
    for move, order in product((1, 2, 5, 17), (1e-6, 1e-3, 0.1, 1.0, 3.0, 10.0, 50.0, 300.0)):
        number = float(Fraction(variance))
        found = SkellamLoss(variance, move)._by_atoms(order)
        assert found.lower <= skellam_bounds._by_steepness(number, move, order)
        assert found.lower <= skellam_bounds._by_tangent(number, move, order)
        assert skellam_bounds.log_moment_below(number, move, order) <= found.upper


def test_closed_bounds_would_not_hold_with_less() -> None:
    """Each is sharp somewhere: a little less and the atoms refute it."""
    found = SkellamLoss(20000, 17)._by_atoms(1e-3)
    assert skellam_bounds._by_steepness(20000.0, 17.0, 1e-3) * (1 - 2e-4) < found.lower
    found = SkellamLoss(5, 1)._by_atoms(300.0)
    assert skellam_bounds._by_tangent(5.0, 1.0, 300.0) * 0.98 < found.lower


@pytest.mark.parametrize(("variance", "excess"), [("4e4", 3e-4), ("1e6", 3e-5), ("1e8", 2e-6), ("1e12", 3e-9)])
@pytest.mark.parametrize("move", [1, 3, 50])
def test_wide_noise_is_hardly_worse_than_gaussian_noise(variance: str, excess: float, move: int) -> None:
    gaussian = float(move**2 / (2 * Fraction(variance)))
    found = SkellamLoss(variance, move).concentration()
    assert found.upper <= gaussian * (1 + excess)
    assert found.lower >= gaussian * (1 - 1e-11 - move**2 / float(variance))
    for order in (1.01, 2.0, 10.0, 1e3):
        assert SkellamLoss(variance, move)._log_moment_at(order - 1).lower / (order - 1) <= order * found.upper


def test_renyi_keeps_the_published_bound() -> None:
    """Agarwal, Kairouz and Liu (2021), at whole orders: a d^2/(2 v) + min(((2 a - 1) d^2 + 6 d)/(4 v^2), 3 d/(2 v))."""
    for variance, move, order in product((1, 7, 50, 400), (1, 2, 5), (2, 3, 8)):
        more = min(Fraction((2 * order - 1) * move**2 + 6 * move, 4 * variance**2), Fraction(3 * move, 2 * variance))
        published = order * Fraction(move**2, 2 * variance) + more
        assert SkellamLoss(variance, move).renyi(order).upper <= float(published)


def test_known_wide_noise_is_close_to_gaussian_noise() -> None:
    found, near = SkellamLoss(10**6, 1).epsilon("1e-6"), GaussianLoss(Fraction(1, 10**6)).epsilon("1e-6")
    assert found.width <= 1e-6 * found.upper
    assert abs(found.upper / near.upper - 1) < 1e-4


# Extremes --------------------------------------------------------------------------------------------------------------


def test_noise_that_would_not_fit_is_refused_and_still_adds_up() -> None:
    loss = SkellamLoss(10**12, 1)
    with pytest.raises(GridTooLarge, match=r"needs .* atoms"):
        loss.delta("1e-9")
    assert loss.concentration().upper <= 0.5e-12 * (1 + 1e-8)
    assert compose([(loss, 100)]).concentration().upper <= 0.5e-10 * (1 + 1e-8)


@pytest.mark.parametrize("variance", ["1e-390", "1e-300"])
def test_hardly_any_noise_is_enclosed(variance: str) -> None:
    loss = SkellamLoss(variance, 1)
    assert loss.delta(1).lower > 1 - 1e-9
    assert loss.epsilon("1e-6").lower > 400.0
    assert loss.concentration().lower > 400.0
    assert loss.concentration().upper == math.inf
    assert compose([(loss, 2)]).delta(1).upper == 1.0


@pytest.mark.parametrize("variance", ["1e300", "1e390"])
def test_very_much_noise_is_enclosed(variance: str) -> None:
    loss = SkellamLoss(variance, 1)
    assert 0.0 < loss.concentration().upper < 1e-99
    assert 0.0 < loss.renyi("1.000000000001").upper < 1e-99
    assert loss.concentration().lower <= float(1 / (2 * Fraction(variance)))


@pytest.mark.parametrize("variance", ["1e-390", "1e-190", "1", "1e90", "1e390"])
@pytest.mark.parametrize("move", [1, 10**9, 10**120])
def test_no_order_is_too_extreme(variance: str, move: int) -> None:
    loss = SkellamLoss(variance, move)
    for order in ("1.0000000000000000001", "2", "1e9", "1e300"):
        value = loss.renyi(order)
        assert 0.0 <= value.lower <= value.upper
    assert loss.renyi("1.5").lower <= loss.renyi("1e300").upper
    assert loss.concentration().lower <= loss.concentration().upper


def test_a_move_beyond_all_noise_loses_nearly_everything() -> None:
    loss = SkellamLoss(1, 10**9)
    assert loss.delta(100).lower > 1 - 1e-9
    assert loss.renyi(2).lower > 1000.0
    # d log(2 d/v) - d is about the logarithm of the ratio of chances.
    assert 2.0e10 < loss.renyi(2).upper < 2.5e10


# In a plan -------------------------------------------------------------------------------------------------------------

PLAN = {
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "zcdp", "rho": "1/2"}],
    "release": [
        {"name": "counts", "query": {"kind": "count"}, "mechanism": {"kind": "skellam", "variance": "16"}, "times": 4}
    ],
}


def test_calibration_scales_the_variance_by_the_square() -> None:
    assert Skellam("2").scaled(Fraction(3)) == Skellam("18")
    found = calibrate(read_plan(PLAN), tolerance="1e-3")
    assert found.plan.releases[0].mechanism == Skellam("16").scaled(found.factor)
    assert 3.99 < float(found.plan.releases[0].mechanism.variance) < 4.05


def test_releases_add_up() -> None:
    whole = account(read_plan(PLAN)).measure("zcdp").value
    alone = SkellamLoss(16, 1).concentration()
    assert whole.lower <= 4 * alone.upper
    assert 4 * alone.lower <= whole.upper
    assert whole.width <= 1e-5 * whole.upper


@pytest.mark.parametrize("shift", [Shift.along(["1/2"]), Shift(Fraction(2), Fraction(2), Fraction(1))])
def test_a_shift_that_is_not_whole_or_not_known_is_refused(shift: Shift) -> None:
    with pytest.raises(ShiftError, match=r"'skellam' adds whole noise.*use 'gaussian'"):
        Skellam("1").loss(shift)


def test_a_variance_must_be_positive() -> None:
    release = {**PLAN["release"][0], "mechanism": {"kind": "skellam", "variance": "0"}}  # type: ignore[dict-item]
    with pytest.raises(PlanError, match=r"must be above 0.* @ release\[0\]\.mechanism\.variance"):
        read_plan({**PLAN, "release": [release]})


def test_the_rest_of_a_series_holds_for_every_ratio_that_it_may_have() -> None:
    """A ratio that is a difference of two logarithms is known up to roundings of these, not of itself."""
    for order, move, size in ((2.0, 3, 40), (5.0, 7, 300)):
        growth = order * log1p(Ball(float(move)) / (size + 1.0))
        ratio = growth - Ball.rounded(growth.middle + 2.0**-45, 4.0)
        truth = mp.mpf(ratio.middle) + mp.mpf(ratio.radius) * 0.9
        bound = _series(Ball(0.0), ratio)
        assert truth < 0
        assert bound >= mp.exp(truth) / -mp.expm1(truth)
