"""The contour and the zoom: both fast routes against closed forms, direct integration and the whole law."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant.loss import BracketLoss, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss
from accountant.loss.engine import contour_law as contour, zoom_route as zoom
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.engine.contour_nodes import ContourLine
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.convolution import convolve
from accountant.loss.engine.grid import Measure, dominated_measure, dominating_measure, grid_range
from accountant.loss.engine.grid_choice import found_tilt
from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.engine.zoom_route import Zoom
from accountant.loss.readings.base import log_largest_gain
from accountant.numbers.interval import Interval
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss

NOTHING = Interval.of(0)
PRECISION = 1e-4


def gaussian_delta(mu_squared: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    mu = mpmath.sqrt(mu_squared)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def mixed_delta(mu_squared: str, ratio: str, epsilon: float) -> mpmath.mpf:
    """A Gaussian and a Laplace release together: the Gaussian delta averaged over the Laplace loss.

    Integration is only absolutely accurate, and the smallest deltas here are of size 1e-70: hence 120 digits.
    """
    with mpmath.workdps(120):
        exact = Fraction(mu_squared)
        m, r, eps = mpmath.mpf(exact.numerator) / exact.denominator, mpmath.mpf(ratio), epsilon
        inside = mpmath.quad(lambda loss: mpmath.exp((loss - r) / 2) / 4 * gaussian_delta(m, eps - loss), [-r, 0, r])
        ends = gaussian_delta(m, eps - r) / 2 + mpmath.exp(-r) / 2 * gaussian_delta(m, eps + r)
        return inside + ends


def contains(value: Interval | None, truth: mpmath.mpf) -> bool:
    assert value is not None
    return bool(mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper))


@pytest.mark.parametrize("delta", ["0.3", "1e-2", "1e-6", "1e-14", "1e-30"])
@pytest.mark.parametrize(("mu_squared", "count"), [("1", 1), ("1/100", 7), ("1/10000", 10**4), ("1e-6", 10**7), ("9", 12)])
def test_a_contour_of_gaussians_meets_the_closed_form(mu_squared: str, count: int, delta: str) -> None:
    found = Contour.of([(GaussianLoss(mu_squared), count)], NOTHING)
    assert found is not None
    truth = GaussianLoss(count * Fraction(mu_squared)).epsilon(delta)
    for precision in (PRECISION, 1e-7):
        value = found.epsilon(Fraction(delta), precision)
        assert value is not None
        assert value.lower <= truth.upper
        assert truth.lower <= value.upper
        assert value.width <= precision * value.upper


@pytest.mark.slow
@pytest.mark.parametrize(("mu_squared", "ratio"), [("1/4", "0.5"), ("1", "3"), ("1/50", "0.1"), ("4", "0.01")])
def test_a_contour_of_a_mix_meets_direct_integration(mu_squared: str, ratio: str) -> None:
    found = Contour.of([(GaussianLoss(mu_squared), 1), (LaplaceLoss(ratio), 1)], NOTHING)
    assert found is not None
    for epsilon in (-1.0, 0.0, 0.05, 0.4, 1.0, 2.5, 6.0):
        assert contains(found.delta(epsilon, PRECISION), mixed_delta(mu_squared, ratio, epsilon))


@pytest.mark.slow
@given(
    st.fractions(Fraction(1, 50), Fraction(9)),
    st.fractions(Fraction(1, 50), Fraction(3)),
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from(["0.1", "1e-3", "1e-8", "1e-20"]),
)
@settings(max_examples=12, deadline=None)
def test_contour_and_grid_agree(mu_squared: Fraction, ratio: Fraction, gaussians: int, laplaces: int, delta: str) -> None:
    gaussian = GaussianLoss(mu_squared / gaussians)
    parts: list[tuple[PrivacyLoss, int]] = [(gaussian, gaussians), (LaplaceLoss(ratio), laplaces)]
    found = Contour.of(parts, NOTHING)
    assert found is not None
    fast = found.epsilon(Fraction(delta), PRECISION)
    loss = ComposedLoss.of(parts)
    loss._contours.append(None)
    loss._directs.append(None)
    slow = loss.epsilon(delta)
    if fast is not None:
        assert fast.lower <= slow.upper
        assert slow.lower <= fast.upper


@pytest.mark.parametrize(
    "parts",
    [
        [(LaplaceLoss(1), 1)],
        [(ResponseLoss(1), 3)],
        [(FiniteLoss([("1/2", "1/3"), ("1/2", "2/3")]), 4), (ResponseLoss("0.3"), 2)],
    ],
    ids=["a Laplace", "responses", "atoms"],
)
def test_without_a_proof_of_decay_the_grid_reads(parts: list[tuple[PrivacyLoss, int]]) -> None:
    found = Contour.of(parts, NOTHING)
    assert found is not None
    assert found.epsilon(Fraction("1e-3"), 1e-9) is None
    assert ComposedLoss.of(parts).delta(0.1).width <= 1e-3


@pytest.mark.parametrize(
    "parts",
    [
        [(GaussianLoss(1), 1), (ResponseLoss(1), 3)],
        [(LaplaceLoss(1), 100)],
        [(LaplaceLoss(1), 40), (DiscreteGaussianLoss("2.3", 1), 20), (ResponseLoss("0.37"), 3)],
        [(SampledLoss(GaussianLoss(1), "0.01"), 1000)],
        [(FiniteLoss([("1/2", "1/3"), ("1/2", "2/3")]), 4), (GaussianLoss("1/4"), 2)],
    ],
    ids=["responses and a Gaussian", "many Laplace", "no Gaussian at all", "a sample", "atoms and a Gaussian"],
)
def test_where_decay_is_proven_contour_and_grid_agree(parts: list[tuple[PrivacyLoss, int]]) -> None:
    found = Contour.of(parts, NOTHING)
    assert found is not None
    fast = found.epsilon(Fraction("1e-6"), PRECISION)
    assert fast is not None
    assert fast.width <= PRECISION * fast.upper
    loss = ComposedLoss.of(parts)
    loss._contours.append(None)
    loss._directs.append(None)
    slow = loss.epsilon("1e-6")
    assert fast.lower <= slow.upper
    assert slow.lower <= fast.upper


@pytest.mark.parametrize(
    "parts", [[(BracketLoss(GaussianLoss(2), GaussianLoss(1)), 1)], [(GaussianLoss(1), 2**53 + 1)], []], ids=str
)
def test_what_has_no_moments_or_counts_beyond_doubles_has_no_contour(parts: list[tuple[PrivacyLoss, int]]) -> None:
    assert Contour.of(parts, NOTHING) is None


def test_what_loses_everything_for_certain_has_no_contour() -> None:
    assert Contour.of([(GaussianLoss(1), 1)], Interval.of(1)) is None
    assert Contour.of([(GaussianLoss(1), 1)], Interval(0.25, 1.0)) is None


@pytest.mark.parametrize("leak", ["1e-9", "1e-3", "0.4"])
def test_the_chance_of_losing_everything_is_added_to_what_the_rest_loses(leak: str) -> None:
    chance = Fraction(leak)
    found = Contour.of([(GaussianLoss(1), 1)], Interval.of(chance))
    assert found is not None
    for epsilon in (-1.0, 0.5, 3.0):
        with mpmath.workdps(40):
            share = mpmath.mpf(chance.numerator) / chance.denominator
            truth = share + (1 - share) * gaussian_delta(mpmath.mpf(1), mpmath.mpf(epsilon))
            assert contains(found.delta(epsilon, PRECISION), truth)
    assert found.epsilon(chance, PRECISION) is None
    assert found.epsilon(chance / 2, PRECISION) is None


def test_a_gaussian_too_small_to_damp_is_routed_away() -> None:
    found = Contour.of([(GaussianLoss("1e-12"), 1), (ResponseLoss(1), 5)], NOTHING)
    assert found is not None
    assert found.epsilon(Fraction("1e-6"), PRECISION) is None


def test_images_that_are_not_taken_away_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a short period the images are large: the lower end stays below the truth only because they are charged."""
    monkeypatch.setattr(contour, "negligible", lambda precision: 0.5)
    found = Contour.of([(GaussianLoss(1), 1)], NOTHING)
    assert found is not None
    truth = GaussianLoss(1).delta(4)
    honest = found.delta(4.0, PRECISION)
    assert honest is not None
    assert honest.lower <= truth.upper
    assert truth.lower <= honest.upper
    monkeypatch.setattr(ContourLine, "_images", lambda self, epsilon: 0.0)
    again = Contour.of([(GaussianLoss(1), 1)], NOTHING)
    assert again is not None
    careless = again.delta(4.0, PRECISION)
    assert careless is not None
    assert careless.lower > truth.upper


def sampled_parts(count: int, rate: str, upper: bool, step: Fraction) -> list[tuple[Measure, int]]:
    loss = SampledLoss(GaussianLoss(1), rate)
    first, last = grid_range(loss, step, -60.0, Fraction(0))
    build = dominating_measure if upper else dominated_measure
    return [(build(loss, step, first, last), count)]


@pytest.mark.parametrize(
    ("count", "rate", "target"), [(1000, "0.01", "1e-5"), (300, "0.1", "1e-8"), (10**5, "0.01", "1e-5")]
)
def test_zoom_and_whole_law_agree(count: int, rate: str, target: str) -> None:
    step, log_delta = Fraction(1, 2048), math.log(float(target))
    for upper in (True, False):
        parts = sampled_parts(count, rate, upper, step)
        tilt, _ = found_tilt(parts, float(step), lambda value, slope, tilt: value - tilt * slope > log_delta, 0.0)
        near, law = Zoom.of(parts, step, tilt, log_delta), convolve(parts, step, tilt)
        assert near is not None
        for epsilon in (near.peak * share for share in (0.8, 0.95, 1.0, 1.1)):
            assert near.delta_below(epsilon) <= law.delta_above(epsilon)
            assert law.delta_below(epsilon) <= near.delta_above(epsilon)
            assert near.delta_above(epsilon) <= near.delta_below(epsilon) * (1 + 1e-4) + 1e-9 * float(target)


def test_a_zoom_whose_images_are_not_taken_away_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Fraction(1, 2048)
    parts = sampled_parts(1000, "0.01", True, step)
    tilt, _ = found_tilt(parts, float(step), lambda value, slope, tilt: value - tilt * slope > -11.0, 0.0)
    law = convolve(parts, step, tilt)
    monkeypatch.setattr(zoom, "_NEGLIGIBLE", 0.0)
    short = Zoom.of(parts, step, tilt, -11.0)
    if short is None:
        pytest.fail("the zoom was routed away")
    assert short.delta_below(short.peak) <= law.delta_above(short.peak)
    assert short._sum(0) * math.exp(short.log_scale - short.tilt * short.base) > law.delta_above(short.base)


def test_a_spectrum_that_does_not_fall_is_routed_away() -> None:
    step = Fraction(1, 64)
    loss = ResponseLoss(1)
    first, last = grid_range(loss, step, -60.0, Fraction(0))
    assert Zoom.of([(dominating_measure(loss, step, first, last), 5)], step, 1.0, -5.0) is None


@pytest.mark.parametrize("tilt", [0.0, 1e-300, 1e-6, 0.1, 1.0, 50.0, 1e6, 1e15])
def test_the_largest_gain_is_rounded_up(tilt: float) -> None:
    with mpmath.workdps(50):
        t = mpmath.mpf(tilt)
        truth = (t * mpmath.log(t) if tilt else mpmath.mpf(0)) - (1 + t) * mpmath.log1p(t)
        assert truth <= log_largest_gain(tilt) <= truth * (1 - mpmath.mpf(10) ** -12) + mpmath.mpf(10) ** -290


@pytest.mark.parametrize("delta", ["1e-2", "1e-3", "1e-5"])
def test_readings_next_to_the_largest_loss_stay_tight(delta: str) -> None:
    """Two Laplace releases: the second one's delta averaged over the first one's loss, by integration at 30 digits."""
    value = ComposedLoss.of([(LaplaceLoss("1/2"), 2)]).epsilon(delta)
    with mpmath.workdps(30):
        r = mpmath.mpf("0.5")

        def single(eps: mpmath.mpf) -> mpmath.mpf:
            return mpmath.mpf(0) if eps >= r else 1 - mpmath.exp((eps - r) / 2) if eps >= -r else 1 - mpmath.exp(eps)

        def both(eps: mpmath.mpf) -> mpmath.mpf:
            inside = mpmath.quad(lambda loss: mpmath.exp((loss - r) / 2) / 4 * single(eps - loss), [-r, eps - r, r])
            return single(eps - r) / 2 + mpmath.exp(-r) / 2 * single(eps + r) + inside

        assert both(mpmath.mpf(value.lower)) >= mpmath.mpf(delta) * (1 - mpmath.mpf(10) ** -12)
        assert both(mpmath.mpf(value.upper)) <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -12)
    assert value.width <= 1e-3 * value.upper


def test_a_log_moment_that_is_not_known_tells_nothing() -> None:
    """An error of several units in the logarithm must not be charged as if it were one."""
    found = Contour.of([(GaussianLoss(1), 1)], NOTHING)
    assert found is not None
    heights = 0.125 * np.arange(81.0)
    values, errors = found.log_moment(4.0 + 1j * heights)
    beyond = ((8.0, float(found.log_moment(np.array([8.0 + 0j]))[0][0].real)),)
    line = ContourLine.of(4.0, heights, values, errors, Smoothing(0.0), 1e-20, beyond)
    assert line is not None
    low, high = line.delta(4.0)
    assert 0.99 * high < low <= high < 1e-3
    errors[1:] = 30.0
    lost = ContourLine.of(4.0, heights, values, errors, Smoothing(0.0), 1e-20, beyond)
    assert lost is not None
    assert lost.delta(4.0) == (0.0, 1.0)
    errors[0] = 30.0
    assert ContourLine.of(4.0, heights, values, errors, Smoothing(0.0), 1e-20, beyond) is None


def test_images_beyond_doubles_are_not_taken_for_small_ones() -> None:
    """A moment of e^479 says nothing about a delta near 1e-15; single samples bound it from above."""
    single = SampledLoss(GaussianLoss("25/36"), "63e-6")
    found = Contour.of([(single, 27)], Interval.of(0))
    assert found is not None
    for epsilon in (0.02, 0.0583, 0.3):
        # Of 27 losses that add up to more than epsilon, one is above epsilon/27.
        most = 27 * single.delta(epsilon / 54).upper * 54 / epsilon
        value = found.delta(epsilon, 1e-4)
        assert value is None or value.lower <= most < 0.05
