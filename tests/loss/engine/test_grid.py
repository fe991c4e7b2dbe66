"""The pieces of the engine: measures on a grid, the transform and its window, each against its own claim."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant.loss import FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss
from accountant.loss.engine.convolution import Tilted, _power, _reach, convolve, fast_length
from accountant.loss.engine.grid import Measure, dominated_measure, dominating_measure, grid_range
from accountant.loss.readings.inversion import crossing, smallest_epsilon, type_two_error
from accountant.numbers.interval import Interval
from tests.loss.cases import LEAKY, RARE, SKEW, atoms_of
from tests.loss.references import atoms_delta, gaussian_delta

LOSSES = [SKEW, LEAKY, RARE, RARE.reverse(), ResponseLoss("0.3", "1e-3"), GaussianLoss("0.5"), GaussianLoss("1e-4")]


def truth(loss: PrivacyLoss, point: float) -> object:
    if isinstance(loss, GaussianLoss):
        return gaussian_delta(loss.mu_squared, point)
    return atoms_delta(atoms_of(loss), point)


def measured(measure: Measure, step: Fraction, point: float) -> object:
    """The delta of a measure, in long arithmetic."""
    total = mp.mpf(measure.infinite)
    for k, mass in enumerate(measure.masses.tolist()):
        place = measure.offset + (measure.start + k) * step
        loss = mp.mpf(place.numerator) / place.denominator
        if loss > point and mass:
            total += mp.mpf(mass) * -mp.expm1(mp.mpf(point) - loss)
    return total


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(("step", "offset"), [("1/8", "0"), ("0.3", "0"), ("1/8", "0.05"), ("7/5", "1/3"), ("1/40", "0")])
def test_measures_lie_on_their_sides(loss: PrivacyLoss, step: str, offset: str) -> None:
    size, shift = Fraction(step), Fraction(offset)
    for log_tail in (-1.0, -30.0):
        first, last = grid_range(loss, size, log_tail, shift)
        above = dominating_measure(loss, size, first, last, shift)
        below = dominated_measure(loss, size, first, last, shift)
        for point in (-25.0, -2.0, -0.4, -0.01, 0.0, 0.02, 0.25, 0.3, 0.41, 1.0, 2.5, 19.0, 20.5):
            assert measured(above, size, point - above.slack) >= truth(loss, point)
            assert measured(below, size, point + below.slack) <= truth(loss, point)
        assert above.slack < 1e-9
        assert below.slack < 1e-9


@pytest.mark.parametrize("loss", [GaussianLoss("0.5"), GaussianLoss("4")], ids=repr)
def test_both_measures_are_of_second_order(loss: PrivacyLoss) -> None:
    gaps = []
    for step in (Fraction(1, 8), Fraction(1, 16), Fraction(1, 32)):
        first, last = grid_range(loss, step, -60.0)
        above, below = dominating_measure(loss, step, first, last), dominated_measure(loss, step, first, last)
        gaps.append(float(measured(above, step, 0.7) - measured(below, step, 0.7)))  # type: ignore[operator]
    assert 3.0 < gaps[0] / gaps[1] < 5.5
    assert 3.0 < gaps[1] / gaps[2] < 5.5


def test_lattices_are_held_exactly() -> None:
    loss, step = ResponseLoss("0.3"), Fraction(1, 10)
    first, last = grid_range(loss, step, -30.0)
    for build in (dominating_measure, dominated_measure):
        found = build(loss, step, first, last)
        for point in (-0.2, 0.0, 0.1, 0.29):
            assert abs(measured(found, step, point) - truth(loss, point)) < 1e-12  # type: ignore[operator]


@pytest.mark.parametrize("length", [2, 6, 30, 64, 90, 240, 600])
@pytest.mark.parametrize("kind", ["flat", "spike", "geometric", "noise"])
def test_the_transform_keeps_its_error_bound(length: int, kind: str) -> None:
    generator = np.random.default_rng(length)
    size = min(length, 40)
    weights = {
        "flat": np.ones(size),
        "spike": np.where(np.arange(size) == size // 2, 1.0, 1e-12),
        "geometric": 0.5 ** np.arange(size),
        "noise": generator.random(size) ** 6 + 1e-15,
    }[kind]
    masses = weights / weights.sum()
    offsets = np.arange(size, dtype=np.float64) - size // 2
    for count in (1, 2, 5, 37):
        part = Tilted(offsets, masses, 0, count, 0.0, 0.0, 0.0)
        found, error = _power([part], length)
        exact = exact_power(masses, -(size // 2), count, length)
        worst = max(abs(mp.mpf(value) - true) for value, true in zip(found.tolist(), exact, strict=True))
        assert worst <= error
        assert error < 1e-10


def exact_power(masses: np.ndarray, start: int, count: int, length: int) -> list[object]:  # type: ignore[type-arg]
    """The circular power in whole numbers, as multiples of 2^-120: a convolution is one product of long integers."""
    unit = 2**120
    row = [0] * length
    for k, mass in enumerate(masses.tolist()):
        row[(start + k) % length] += int(Fraction(mass) * unit)
    total = [unit] + [0] * (length - 1)
    for _ in range(count):
        packed = pack(total) * pack(row)
        wide = unpack(packed, 2 * length)
        total = [(wide[k] + wide[k + length]) // unit for k in range(length)]
    return [mp.mpf(value) / unit for value in total]


def pack(row: list[int]) -> int:
    return int.from_bytes(b"".join(value.to_bytes(40, "little") for value in row), "little")


def unpack(value: int, size: int) -> list[int]:
    data = value.to_bytes(40 * size, "little")
    return [int.from_bytes(data[40 * k : 40 * (k + 1)], "little") for k in range(size)]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=6), st.integers(2, 60), st.sampled_from([-1.0, 1.0]))
def test_the_window_holds_what_it_says(weights: list[int], count: int, side: float) -> None:
    masses = np.array(weights, dtype=np.float64) / sum(weights)
    offsets = np.arange(len(weights), dtype=np.float64) - 1.0
    reach, beyond = _reach([Tilted(offsets, masses, 0, count, 0.0, 0.0, 0.0)], side)
    law = [mp.mpf(1)]
    for _ in range(count):
        law = [
            mp.fsum(law[k - j] * mp.mpf(masses[j]) for j in range(len(weights)) if 0 <= k - j < len(law))
            for k in range(len(law) + len(weights) - 1)
        ]
    outside = mp.fsum(mass for k, mass in enumerate(law) if side * (k - count) > side * reach)
    assert outside <= beyond


def testfast_lengths() -> None:
    for least in [*range(1, 300), 4097, 10**6 + 1]:
        found = fast_length(least)
        assert least <= found <= max(2, 2 * least)
        assert found % 2 == 0


def test_tilting_changes_no_reading() -> None:
    loss, step = GaussianLoss("0.25"), Fraction(1, 64)
    first, last = grid_range(loss, step, -100.0)
    parts = [(dominating_measure(loss, step, first, last), 4)], [(dominated_measure(loss, step, first, last), 4)]
    for tilt in (0.0, 1e-9, 0.5, 3.0, 12.0):
        above, below = (convolve(part, step, tilt) for part in parts)
        for point in (-1.0, 0.0, 1.0, 4.0, 7.0):
            assert above.delta_above(point) >= gaussian_delta(1, point) >= below.delta_below(point)
    sharp = convolve(parts[0], step, 7.0).delta_above(7.0)
    assert sharp <= 1.01 * float(gaussian_delta(1, 7.0))  # type: ignore[arg-type]


def test_searching_never_trusts_what_it_did_not_evaluate() -> None:
    """A curve that is a step: the crossing lies between points where its ends were seen on both sides."""
    for jump in (1e-300, 1e-12, 0.3, 7.0, 1e6, 1e25):

        def curve(epsilon: float, jump: float = jump) -> Interval:
            value = 1e-3 if epsilon < jump else 1e-9
            return Interval(value * 0.5, value)

        found = smallest_epsilon(curve, Fraction(1, 10**6))
        assert found.lower < jump <= found.upper
        assert found.width <= 1e-12 * found.upper
        rough = crossing(lambda e: curve(e).upper, lambda e: curve(e).lower, Fraction(1, 10**6), 2.0, 1e-3)
        assert rough.lower < jump <= rough.upper
    never = smallest_epsilon(lambda epsilon: Interval(0.125, 0.25), Fraction(1, 8))
    assert never.upper == math.inf
    assert never.lower == 0.0
    always = smallest_epsilon(lambda epsilon: Interval(0.2, 0.3), Fraction(1, 10))
    assert 1e9 < always.lower < math.inf
    assert always.upper == math.inf


@pytest.mark.parametrize("noise", [0.0, 1e-13, 1e-6, 1e-2])
@pytest.mark.parametrize("level", ["1e-10", "0.01", "0.4", "0.99"])
def test_type_two_error_survives_noisy_curves(noise: float, level: str) -> None:
    loss = FiniteLoss([("1/2", "1/5"), ("1/4", "1/5"), ("1/4", "3/5")])
    generator = np.random.default_rng(3)

    def curve(epsilon: float) -> Interval:
        value = loss.delta(epsilon)
        return Interval(value.lower - noise * generator.random(), value.upper + noise * generator.random())

    found = type_two_error(curve, Fraction(level), Interval.of(0))
    exact = loss.tradeoff(level).exact
    assert exact is not None
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)
