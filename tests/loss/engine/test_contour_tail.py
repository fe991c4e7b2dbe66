"""What is left out above the last node of a line is no more than was proven, and means of delta lie on their sides."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import frozen

from accountant.loss import FiniteLoss, GaussianLoss, Moments, PrivacyLoss, ResponseLoss, SampledLoss
from accountant.loss.derived.sampled_gaussian import SampledMoments
from accountant.loss.engine.contour_route import Contour
from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.contour_tail import Decay, _Parts
from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.families.response import ResponseMoments
from accountant.numbers.interval import Interval
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss, DiscreteGaussianMoments
from accountant_noise.laplace_loss import LaplaceLoss, LaplaceMoments
from tests.loss.references import gaussian_delta

PRECISION = 1e-4
Parts = list[tuple[PrivacyLoss, int]]
FAMILIES: tuple[type[Moments], ...] = (LaplaceMoments, DiscreteGaussianMoments, ResponseMoments, SampledMoments)


def mix(seed: int) -> Parts:
    """One to three families, none of them plain Gaussian, of a spread between 1/2 and 10 together."""
    chance = random.Random(f"decay {seed}")

    def size(count: int) -> Fraction:
        return Fraction(f"{chance.uniform(0.5, 6.0) / math.sqrt(count):.3g}")

    parts: Parts = []
    for kind in chance.sample(["laplace", "lattice", "response", "sampled", "atoms"], chance.randint(1, 3)):
        count = round(10 ** chance.uniform(0.5, 4.0))
        if kind == "laplace":
            parts.append((LaplaceLoss(size(count)), count))
        elif kind == "lattice":
            parts.append(
                (DiscreteGaussianLoss(Fraction(f"{1 / float(size(count)) ** 2:.3g}"), chance.randint(1, 2)), count)
            )
        elif kind == "response":
            parts.append((ResponseLoss(size(count)), count))
        elif kind == "sampled":
            rate = Fraction(f"{10 ** chance.uniform(-3, -0.3):.2g}")
            parts.append((SampledLoss(GaussianLoss(chance.choice(["1/4", "1", "3"])), rate, chance.random() < 0.5), count))
        else:
            parts.append((FiniteLoss([("1/2", "0.45"), ("1/3", "0.35"), ("1/6", "1/5")]), min(count, 300)))
    return parts


def contour_of(parts: Parts) -> Contour:
    found = Contour.of(parts, Interval.of(0))
    assert found is not None
    return found.trimmed(-30.0, PRECISION)


def saddles_of(contour: Contour) -> list[Saddle]:
    found = (contour._saddle(step) for step in (-24, 8, 40))
    return [saddle for saddle in found if saddle is not None]


def left_out(contour: Contour, saddle: Saddle, spacing: float, decay: Decay) -> float:
    """What nodes above the last one needed add up to, in units of the moment, as far as they can be followed."""
    first = math.ceil(decay.height / spacing) + 1
    # Samples are integrated at each node, the others have formulas.
    most = 300 if any(isinstance(moments, SampledMoments) for moments, _ in contour.families) else 6000
    total = 0.0
    for start in range(first, first + most, 300):
        points = (saddle.tilt + 1j * spacing * np.arange(start, start + 300)).astype(np.complex128)
        try:
            values, errors = contour.log_moment(points)
        except OverflowError:
            break
        below, above = (factor.middle for factor in decay.smoothing.factors(points))
        sizes = np.exp(values.real - saddle.value - np.where(np.isinf(errors), np.inf, errors)) / np.abs(
            points * (points + 1.0)
        )
        total += float(np.sum(sizes * np.maximum(np.abs(below), np.abs(above))))
    return spacing / math.pi * total


def tail_faults(parts: Parts) -> tuple[int, list[str]]:
    """How many proofs there were, and those that do not hold."""
    contour, proofs, found = contour_of(parts), 0, []
    for saddle in saddles_of(contour):
        for spacing in (0.2 / math.sqrt(saddle.bend + 1e-9), 0.6 / math.sqrt(saddle.bend + 1e-9)):
            try:
                decay = Decay.of(contour, saddle, spacing, 1e9, PRECISION)
            except OverflowError:
                continue
            if decay is not None:
                proofs += 1
                rest = left_out(contour, saddle, spacing, decay)
                if rest > decay.tail:
                    found.append(f"{parts} at tilt {saddle.tilt}, above {decay.height}: {rest} and not {decay.tail}")
    return proofs, found


def interval_faults(parts: Parts) -> list[str]:
    """Intervals of heights within which the transform is larger than the bound for all of the interval."""
    contour, found = contour_of(parts), []
    for saddle in saddles_of(contour)[:2]:
        scale = 1.0 / math.sqrt(saddle.bend + 1e-9)
        low = scale * 10.0 ** np.linspace(-1.0, 1.2, 12)
        for width in (0.02, 0.2, 0.6):
            high = low * (1.0 + width)
            inner = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, 17)[None, :]
            try:
                bounds, _ = _Parts.of(contour, saddle.tilt, Smoothing(0.0)).log_bounds(low, high)
                values, errors = contour.log_moment((saddle.tilt + 1j * inner.ravel()).astype(np.complex128))
            except OverflowError:
                continue
            known = np.where(np.isinf(errors), -np.inf, values.real - errors - saddle.value).reshape(inner.shape)
            # The scale itself is only known up to the error at the tilt.
            doubt = float(contour.log_moment(np.array([complex(saddle.tilt)]))[1][0])
            found += [f"{parts}: {left}" for left in low[known.max(axis=1) > bounds + doubt + 1e-12]]
    return found


@pytest.mark.slow
def test_what_is_left_out_is_at_most_the_proven_tail() -> None:
    proofs, faults = zip(*(tail_faults(mix(seed)) for seed in range(14)), strict=True)
    assert [fault for some in faults for fault in some] == []
    assert sum(proofs) >= 30


@pytest.mark.parametrize("seed", range(8))
def test_one_evaluation_bounds_a_whole_interval(seed: int) -> None:
    assert interval_faults(mix(100 + seed)) == []


@pytest.mark.parametrize(
    "parts",
    [
        [(ResponseLoss("0.5"), 40)],
        [(DiscreteGaussianLoss(2, 1), 30)],
        [(LaplaceLoss("0.4"), 60)],
        [(SampledLoss(GaussianLoss(1), "0.3"), 60)],
    ],
    ids=["responses", "lattice", "Laplace", "samples"],
)
def test_a_deviation_that_is_a_third_of_the_true_one_is_caught(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    assert interval_faults(parts) == []
    for family in FAMILIES:
        monkeypatch.setattr(family, "deviations", lambda self, tilt, sound=family.deviations: sound(self, tilt) / 3.0)
    assert interval_faults(parts) != []


def test_some_proofs_are_within_ten_orders_of_magnitude_of_the_truth() -> None:
    """The sums above the nodes are not all next to nothing, or nothing would have been tried."""
    shares = []
    for seed in range(12):
        contour = contour_of(mix(seed))
        for saddle in saddles_of(contour)[:2]:
            spacing = 0.6 / math.sqrt(saddle.bend + 1e-9)
            decay = Decay.of(contour, saddle, spacing, 1e9, PRECISION)
            if decay is not None:
                shares.append(left_out(contour, saddle, spacing, decay) / decay.tail)
    assert max(shares) > 1e-10


@pytest.mark.parametrize("width", [1e-6, 1e-3, 0.02, 0.2])
@pytest.mark.parametrize("square", ["1e-4", "1", "9"])
def test_means_of_delta_lie_on_their_sides(square: str, width: float) -> None:
    """The integral for the means, in 30 digits: each is delta of a Gaussian averaged over three short stretches."""
    smoothing = Smoothing(width)
    with mp.workdps(30):
        m = mp.mpf(Fraction(square).numerator) / Fraction(square).denominator
        for epsilon, tilt in ((0.01, 0.5), (0.5, 2.0), (3.0, 1.0)):
            scale = 1 / mp.sqrt(m)
            spacing = scale / 6
            if tilt * width > 0.5:
                continue
            heights = [spacing * k for k in range(-90, 91)]
            below, above = smoothing.factors(np.array([complex(tilt, float(y)) for y in heights]))
            error = np.maximum(below.radii, above.radii)
            sums = [mp.mpf(0), mp.mpf(0)]
            doubt = mp.mpf(0)
            for y, low, high, off in zip(
                heights, below.middle.tolist(), above.middle.tolist(), error.tolist(), strict=True
            ):
                z = mp.mpc(tilt, y)
                weight = mp.exp(m * z * (z + 1) / 2 - z * mp.mpf(epsilon)) / (z * (z + 1)) * spacing / (2 * mp.pi)
                sums[0] += (weight * mp.mpc(low)).real
                sums[1] += (weight * mp.mpc(high)).real
                doubt += abs(weight) * off
            truth = gaussian_delta(square, epsilon)
            period = 2 * mp.pi / spacing
            images = 1 / mp.expm1(tilt * period) + mp.exp(-40)
            assert sums[0] - doubt - images <= truth
            assert sums[1] + doubt >= truth
            assert sums[1] - sums[0] <= 60 * width**2 * (1 + 1 / float(m)) * (1 + tilt) ** 2 * 1.0 + 2 * (doubt + images)


@pytest.mark.parametrize("width", [1e-5, 0.003, 0.25])
def test_factors_of_the_means_fall_as_they_say(width: float) -> None:
    smoothing = Smoothing(width)
    for tilt in (0.01, 0.02 / width):
        heights = np.geomspace(1e-3 / width, 1e4 / width, 400)
        below, above = smoothing.factors((tilt + 1j * heights).astype(np.complex128))
        bounds = np.exp(smoothing.log_fall(heights))
        assert np.all(np.maximum(abs(below).lower, abs(above).lower) <= bounds)
        assert np.all(np.diff(bounds) <= 0.0)


@pytest.mark.parametrize("width", [1e-4, 0.003, 0.25])
def test_factors_of_the_means_answer_for_whole_turns(width: float) -> None:
    """Where a stretch is a whole turn the factors nearly vanish, and rounding the turn is felt far more than elsewhere."""
    heights = [2.0 * math.pi * turns / width for turns in (1, 2, 7, 50)]
    for tilt in (1e-6, 0.1):
        points = np.array([complex(tilt, height) for height in heights])
        _, above = Smoothing(width).factors(points)
        used = []
        with mp.workdps(50):
            shift = 3 * mp.log(mp.expm1(mp.mpf(width)) / width)
            for point, found, radius in zip(points.tolist(), above.middle.tolist(), above.radii.tolist(), strict=True):
                z = mp.mpc(point)
                # The shift back is a little too large, by a few roundings of itself.
                truth = (-mp.expm1(-width * z) / (width * z)) ** 3 * mp.exp(shift * z)
                size = abs(truth) * abs(z) * shift * 2**-48
                assert abs(found - truth) <= radius + size
                used.append(float(abs(found - truth) / abs(truth)))
        assert max(used) > 64 * 2.0**-53 * (4.0 + width * abs(points[0])) or tilt == 0.1


class Level(LaplaceMoments):
    """A loss whose transform hardly falls: its log moment is 1000 at the tilt, and the double below elsewhere."""

    def log_moments(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.where(points.imag == 0.0, 1000.0, math.nextafter(1000.0, 0.0)).astype(np.complex128)
        return values[None, :], np.full((1, points.size), 5e-14)

    def deviations(self, tilt: float) -> np.ndarray:
        return np.zeros(1)


def test_intervals_answer_for_errors_that_are_smaller_than_a_rounding() -> None:
    """The true fall may be as small as 1.4e-14, and not the 1.1e-13 between two doubles, taken a billion times."""
    moments, counts = Level.of([LaplaceLoss(1)]), np.array([1e9])
    parts = _Parts.of(Given(((moments, counts),), 0.0), 1.0, Smoothing(0.0))
    bounds, _ = parts.log_bounds(np.array([1.0]), np.array([1.0]))
    least = (math.nextafter(1000.0, 0.0) - 1000.0) + 2 * 5e-14
    assert least < 0.0
    assert 1e9 * least <= bounds[0] <= 1e-6


@frozen
class Given:
    """Families with their counts, and a damping."""

    families: tuple[tuple[Moments, np.ndarray], ...]
    damping: float


def test_a_cover_stops_where_nodes_cost_less_than_more_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted: intervals that are looked at, and nodes. Lattices of very different widths return to 1 again and again; what
    a finer cover would still save are nodes just above those that are needed anyway."""
    looked = []
    bounds = _Parts.log_bounds

    def counted(self: _Parts, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        looked.append(low.size)
        return bounds(self, low, high)

    monkeypatch.setattr(_Parts, "log_bounds", counted)
    variances = {"10.078": 2, "118.33": 2, "559.97": 2, "1893.2": 4, "4417.5": 2, "7951.5": 12}
    contour = contour_of([(DiscreteGaussianLoss(Fraction(variance), 1), count) for variance, count in variances.items()])
    found = contour.epsilon(Fraction(1, 10**10), PRECISION)
    assert found is not None
    assert found.width <= PRECISION * found.upper
    contours = [contour, *contour._trimmed.values()]
    nodes = [line.heights.size for other in contours for line in other._lines.values() if line is not None]
    assert nodes
    assert max(nodes) < 2_000
    assert sum(looked) < 20_000 * len(nodes)
