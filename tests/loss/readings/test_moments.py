"""Log moments off the real line, deviations and falls of every family, against sums and integrals in 40 digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve
from scipy.special import ndtr

from accountant.loss import GaussianLoss
from accountant.loss.derived import sampled_rule
from accountant.loss.derived.sampled_gaussian import SampledGaussian, Shape
from accountant.loss.engine.contour_route import Contour
from accountant.loss.families import gaussian as gaussian_module
from accountant.numbers.interval import Interval
from accountant_noise.laplace_loss import LaplaceMoments
from tests.loss.moment_references import (
    ATOMS,
    DIGITS,
    LATTICES,
    PLAIN,
    RARE,
    SAMPLED,
    SAMPLES,
    Dense,
    Known,
    discrete_gaussian,
    finite,
    gauss_legendre,
    gaussian,
    laplace,
    random_points,
    response,
    sampled,
)

ROUNDOFF = mp.mpf(2) ** -53
TILTS = (0.01, 0.4, 3.0, 17.0)
Points = np.ndarray[Any, np.dtype[np.complex128]]


def named(known: Any) -> str:
    return known.name if isinstance(known, Known) else ""


def moment_faults(known: Known, points: Points) -> list[str]:
    """Every point where the error does not cover the difference, or the size is above its bound."""
    found = []
    values, errors = known.moments.log_moments(points)
    assert values.shape == errors.shape == (1, points.size)
    for z, value, error in zip(points.tolist(), values[0].tolist(), errors[0].tolist(), strict=True):
        assert error >= 0.0
        if error == np.inf:
            if mp.mpf(value.real) < known.log_size(z):
                found.append(f"{known.name} at {z}: the size is above e^{value.real}")
        elif known.difference(z, value) > error:
            found.append(f"{known.name} at {z}: off by {mp.nstr(known.difference(z, value), 5)}, error {error}")
    return found


def deviation_faults(known: Known, tilts: Sequence[float] = TILTS) -> list[str]:
    # A difference quotient of the reference is off by less than 1e-9 of itself.
    truths = [(tilt, known.deviation(tilt) * (1 - mp.mpf(10) ** -9)) for tilt in tilts]
    return [f"{known.name}, {tilt}" for tilt, truth in truths if known.moments.deviations(tilt)[0] < truth]


def fall_faults(known: Known, tilts: Sequence[float] = (0.4, 3.0), scale: float = 1.0) -> list[str]:
    """Heights from 1/20 of what a deviation asks for to 40 times as much, each against all that lie above."""
    found = []
    for tilt in tilts:
        unit = scale / float(known.deviation(tilt))
        heights = [unit * 0.05 * 800.0 ** (k / 24) for k in range(25)]
        base = known.log_size(complex(tilt))
        sizes = [known.log_size(complex(tilt, height)) - base for height in heights]
        for k, height in enumerate(heights):
            bound, largest = float(known.moments.falls(tilt, height)[0]), max(sizes[k:])
            if largest > bound + mp.mpf(10) ** -30:
                found.append(f"{known.name} at tilt {tilt}, height {height}: {mp.nstr(largest, 8)} above {bound}")
    return found


@pytest.mark.parametrize("known", [*PLAIN, *LATTICES], ids=named)
def test_log_moments_are_as_close_as_they_say(known: Known) -> None:
    with mp.workdps(DIGITS):
        assert moment_faults(known, random_points(len(known.name), 24, 200.0)) == []


@pytest.mark.parametrize("known", SAMPLED, ids=named)
def test_log_moments_on_a_sample_are_as_close_as_they_say(known: Known) -> None:
    with mp.workdps(DIGITS):
        assert moment_faults(known, random_points(len(known.name), 4, 60.0, 3.0)) == []


def test_samples_are_followed_to_two_hundred() -> None:
    with mp.workdps(DIGITS):
        assert moment_faults(SAMPLED[0], np.array([0.7 + 200.0j])) == []
        assert moment_faults(SAMPLED[3], np.array([4.0 + 200.0j])) == []


@pytest.mark.parametrize("known", RARE, ids=named)
def test_rare_samples_are_followed_to_great_heights(known: Known) -> None:
    with mp.workdps(DIGITS):
        highest = 2000.0 if known is RARE[0] else 300.0
        assert moment_faults(known, np.array([0.3 + 1j * highest, 2.0 - 60.0j])) == []
        _, errors = known.moments.log_moments(np.array([0.3 + 1j * highest]))
        assert errors[0, 0] < 1e-9


@pytest.mark.parametrize("known", [*PLAIN, *LATTICES, *SAMPLED], ids=named)
def test_errors_are_small_where_nothing_cancels(known: Known) -> None:
    values, errors = known.moments.log_moments(np.array([0.5 + 0.0j, 2.0 + 0.01j]))
    assert np.all(errors[0] <= 1e-10 * (np.abs(values[0]) + 1e-6))


@pytest.mark.parametrize(
    ("known", "tilt", "height"),
    [
        (discrete_gaussian("1", 1), 0.5, np.pi),
        (discrete_gaussian("0.3", 2), 1.25, np.pi * 0.15),
        (discrete_gaussian("0.1", 1), 2.5, np.pi * 0.1),
        (ATOMS[0], np.log(4.0) / np.log(2.25), np.pi / np.log(2.25)),
    ],
    ids=named,
)
def test_near_a_zero_only_the_size_is_bounded(known: Known, tilt: float, height: float) -> None:
    points = np.array([complex(tilt, height * (1.0 + k * 1e-16)) for k in (-40, -2, 0, 1, 30, 4000, 10**9)])
    with mp.workdps(DIGITS):
        assert moment_faults(known, points) == []
    _, errors = known.moments.log_moments(points)
    assert np.isinf(errors[0, 2])
    assert np.isfinite(errors[0, -1])


@pytest.mark.parametrize("known", [*PLAIN, *LATTICES], ids=named)
def test_deviations_are_upper_bounds(known: Known) -> None:
    with mp.workdps(DIGITS):
        assert deviation_faults(known) == []


@pytest.mark.parametrize("known", [*PLAIN, *LATTICES[::3]], ids=named)
def test_falls_hold_from_their_height_on(known: Known) -> None:
    with mp.workdps(DIGITS):
        assert fall_faults(known) == []


def shape_faults(square: str, rate: str, swapped: bool, log_tail: float = -90.0) -> list[str]:
    """As above, for samples: the law on a dense grid in doubles, good to 1e-11."""
    moments, found = sampled(square, rate, swapped, log_tail).moments, []
    for tilt in (0.01, 3.0):
        law = Dense.of(square, rate, swapped, tilt, log_tail)
        deviation = law.deviation()
        if moments.deviations(tilt)[0] < deviation * (1.0 - 1e-9):
            found.append(f"deviation at tilt {tilt}")
        heights = min(10.0 / deviation, law.highest) * 200.0 ** (np.arange(-40, 1) / 40)
        ahead = np.maximum.accumulate(law.sizes(heights)[::-1])[::-1]
        bounds = np.exp([float(moments.falls(tilt, float(height))[0]) for height in heights])
        found += [f"fall at {tilt}, {height}" for height in heights[ahead > bounds + 1e-11]]
    return found


@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
@pytest.mark.parametrize(("square", "rate"), [*SAMPLES, ("1", "1e-6"), ("15", "0.3"), ("1e-4", "0.01"), ("2", "0.999")])
def test_deviations_and_falls_of_samples_are_upper_bounds(square: str, rate: str, swapped: bool) -> None:
    assert shape_faults(square, rate, swapped) == []
    assert shape_faults(square, rate, swapped, -12.0) == []


def test_many_losses_are_answered_row_by_row() -> None:
    points = random_points(5, 6, 50.0, 4.0)
    for members in (PLAIN[:4], PLAIN[4:8], ATOMS, PLAIN[-4:], LATTICES, SAMPLED):
        losses = [known.loss for known in members]
        family = losses[0].analytic()
        assert family is not None
        together = family.of(losses).trimmed(-90.0)
        values, errors = together.log_moments(points)
        for row, known in enumerate(members):
            alone, doubt = known.moments.log_moments(points)
            turns = np.round((values[row] - alone[0]).imag / (2 * np.pi))
            gaps = np.abs(values[row] - alone[0] - 2j * np.pi * turns)
            both = np.isfinite(errors[row]) & np.isfinite(doubt[0])
            assert np.all(gaps[both] <= errors[row][both] + doubt[0][both])
            assert together.deviations(1.0)[row] == pytest.approx(known.moments.deviations(1.0)[0], rel=1e-12)
            assert together.falls(1.0, 3.0)[row] == pytest.approx(known.moments.falls(1.0, 3.0)[0], rel=1e-12, abs=1e-300)


# The rule behind samples --------------------------------------------------------------------------------------------------


def test_nodes_and_weights_are_those_of_legendre() -> None:
    """Nodes within a roundoff; weights within 1024 of themselves at the ends, and all together within 32 of their sum."""
    with mp.workdps(DIGITS):
        for nodes, weights in (
            (sampled_rule._NODES, sampled_rule._WEIGHTS),
            (2.0 * gaussian_module._NODES - 1.0, gaussian_module._WEIGHTS),
        ):
            truth = sorted((mp.mpf(node.mid()), mp.mpf(weight.mid())) for node, weight in gauss_legendre(nodes.size))
            total = mp.mpf(0)
            for x, w, (node, weight) in zip(nodes.tolist(), weights.tolist(), truth, strict=True):
                assert abs(mp.mpf(x) - node) <= 2 * ROUNDOFF
                assert abs(mp.mpf(w) - weight) <= 1024 * ROUNDOFF * weight
                total += abs(mp.mpf(w) - weight)
            assert total <= 64 * ROUNDOFF


@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
@pytest.mark.parametrize("log_tail", [-2.0, -8.0, -30.0])
def test_what_is_left_out_of_a_sample_is_at_most_what_it_says(log_tail: float, swapped: bool) -> None:
    """The chance of an outcome beyond the ends, under the first of the two laws."""
    for square, rate in (("1", "0.5"), ("9", "0.01"), ("0.01", "0.999")):
        known = sampled(square, rate, swapped, log_tail)
        with mp.workdps(DIGITS):
            mu, q = mp.sqrt(mp.mpf(square)), mp.mpf(rate)
            reach = mp.sqrt(-2 * mp.mpf(log_tail))
            low, high = -reach, reach + (0 if swapped else mu)
            outside = mp.ncdf(low) + mp.ncdf(-high)
            if not swapped:
                outside = (1 - q) * outside + q * (mp.ncdf(low - mu) + mp.ncdf(mu - high))
            lost = mp.mpf(float(known.moments.lost()[0]))
            assert outside <= lost <= mp.exp(log_tail) * (1 + mp.mpf(10) ** -5)
            # What is kept is known: the transform of the kept law at 0 is its mass.
            assert abs(known.transform(0).real - (1 - outside)) <= mp.mpf(10) ** -30


@pytest.mark.parametrize("log_tail", [-4.0, -12.0, -40.0])
def test_a_trimmed_sample_has_the_moments_of_what_is_kept(log_tail: float) -> None:
    with mp.workdps(DIGITS):
        for swapped in (False, True):
            known = sampled("2", "0.2", swapped, log_tail)
            assert moment_faults(known, random_points(3, 8, 40.0)) == []


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_a_reading_answers_for_what_was_left_out(epsilon: float) -> None:
    """With much left out the upper end holds only because it is charged.

    The truth is the delta of a Gaussian release, averaged over the loss of a sampled one beside it.
    """
    known, beside = sampled("4", "0.3", False, -3.0), GaussianLoss("1/4")
    law = Dense.of("4", "0.3", False, 0.0, -90.0)
    arguments = (epsilon - law.losses) / 0.5
    truth = float(law.chances @ (ndtr(0.25 - arguments) - np.exp(epsilon - law.losses) * ndtr(-0.25 - arguments)))
    whole = Contour.of([(known.loss, 1), (beside, 1)], Interval.of(0))
    assert whole is not None
    families = tuple((moments.trimmed(-3.0), counts) for moments, counts in whole.families)
    trimmed = evolve(whole, families=families, lost=float(known.moments.lost()[0]))
    value = trimmed._delta(epsilon, 1e-4, 0.0)
    assert value is not None
    assert value.lower <= truth * (1.0 + 1e-9)
    assert truth * (1.0 - 1e-9) <= value.upper
    careless = evolve(trimmed, lost=0.0)._delta(epsilon, 1e-4, 0.0)
    assert careless is not None
    if epsilon == 2.0:
        # Nearer to 0 the log moment, which is in doubt by as much, hides that it was forgotten.
        assert careless.upper < truth * (1.0 - 1e-9)


# What would be wrong ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "known",
    [gaussian("1"), response("0.1"), ATOMS[1], laplace("0.01"), discrete_gaussian("1", 1)],
    ids=named,
)
def test_half_a_deviation_is_caught(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = type(known.moments).deviations
    with mp.workdps(DIGITS):
        assert deviation_faults(known, (0.01, 0.4)) == []
        monkeypatch.setattr(type(known.moments), "deviations", lambda self, tilt: 0.5 * sound(self, tilt))
        assert deviation_faults(known, (0.01, 0.4)) != []


def test_a_gaussian_that_falls_faster_than_it_does_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = gaussian_module.GaussianMoments.falls
    monkeypatch.setattr(gaussian_module.GaussianMoments, "falls", lambda self, *at: 1.001 * sound(self, *at))
    with mp.workdps(DIGITS):
        assert fall_faults(gaussian("1")) != []


def test_a_uniform_part_that_is_too_heavy_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = LaplaceMoments.falls
    monkeypatch.setattr(LaplaceMoments, "falls", lambda self, *at: 8.0 * sound(self, *at))
    with mp.workdps(DIGITS):
        assert fall_faults(laplace("0.01")) != []


def test_wrong_shapes_of_samples_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = SampledGaussian._shape
    monkeypatch.setattr(SampledGaussian, "_shape", lambda self, tilt: halved(sound(self, tilt)))
    assert any("deviation" in fault for fault in shape_faults("1", "0.01", False))
    assert any("deviation" in fault for fault in shape_faults("1", "0.01", True))
    monkeypatch.setattr(SampledGaussian, "_shape", lambda self, tilt: flattened(sound(self, tilt)))
    assert any("fall" in fault for fault in shape_faults("4", "0.9", False))
    monkeypatch.setattr(SampledGaussian, "_shape", lambda self, tilt: heavier(sound(self, tilt)))
    assert any("fall" in fault for fault in shape_faults("4", "0.9", False))


def halved(shape: Shape) -> Shape:
    return evolve(shape, deviation=0.5 * shape.deviation)


def flattened(shape: Shape) -> Shape:
    """A density that varies by a fifth of what it does."""
    return evolve(shape, variation=0.2 * shape.variation)


def heavier(shape: Shape) -> Shape:
    """Uniform parts that are longer than the law is wide."""
    return evolve(shape, lengths=6.0 * shape.lengths)


def test_a_coarse_rule_is_covered_by_its_error_and_not_by_a_millionth_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(4)
    for name, value in (("_NODES", nodes), ("_WEIGHTS", weights), ("DEGREE", 4), ("_ACCURACY", 2.0)):
        monkeypatch.setattr(sampled_rule, name, value)
    points = np.array([0.5 + 6.0j, 2.0 + 20.0j, 5.0 + 3.0j, 1.0 + 18.0j])
    with mp.workdps(DIGITS):
        for swapped in (False, True):
            assert moment_faults(sampled("4", "0.3", swapped), points) == []
        monkeypatch.setattr(sampled_rule.Rule, "sums", without_quadrature(sampled_rule.Rule.sums))
        faults = [fault for swapped in (False, True) for fault in moment_faults(sampled("4", "0.3", swapped), points)]
        assert faults != []


def without_quadrature(sound: Any) -> Any:
    """Sums that answer for a millionth of the error of the rule only."""
    return lambda self, heights: sound(evolve(self, error=1e-6 * self.error), heights)


def test_a_rule_that_forgets_what_was_left_out_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.array([0.5 + 0.0j, 1.0 + 2.0j])
    monkeypatch.setattr(SampledGaussian, "lost", 0.0)
    with mp.workdps(DIGITS):
        assert moment_faults(sampled("2", "0.2", False, -12.0), points) != []
        assert moment_faults(sampled("2", "0.2", True, -12.0), points) != []


def test_moments_of_another_loss_are_caught() -> None:
    points = random_points(11, 6, 30.0)
    with mp.workdps(DIGITS):
        for right, wrong in (
            (gaussian("1"), gaussian("1.0000001")),
            (response("0.1"), response("0.10000001")),
            (laplace("0.5"), laplace("0.50000001")),
            (discrete_gaussian("1", 1), discrete_gaussian("1.0000001", 1)),
            (finite("a", [("1/3", "1/2"), ("2/3", "1/2")]), finite("b", [("0.33333333", "1/2"), ("0.66666667", "1/2")])),
            (sampled("1", "0.1", False), sampled("1", "0.10000001", False)),
        ):
            assert moment_faults(evolve(right, moments=wrong.moments), points) != []
