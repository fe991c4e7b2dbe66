"""Two thousand random settings: every reading is an interval that no reference lies outside of.

A setting is checked by whatever is known of it without the engine: closed forms, single parts, sums of suprema, Chernoff's
bound in long arithmetic, direct convolution of few releases, and the engine's own two routes against each other.

About one setting in five has rare losses that only the grid reads, in seconds each. One in 23 of these is read in
full; of the others only what the contour knows is checked, so that the whole stays within minutes. A test counts them.
One chunk in five belongs to the suite, all of them to `pytest -m sweep tests/loss/test_sweep.py` beside it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from accountant.errors import GridTooLarge
from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss, SampledLoss, compose
from accountant.numbers.interval import Interval
from tests.loss.references import epsilon_faults, gaussian_delta, real
from tests.loss.sweep_settings import CHUNKS, SETTINGS, Setting, setting

pytestmark = pytest.mark.slow

PRECISION = 1e-4


def chunk(number: int) -> range:
    return range(number, SETTINGS, CHUNKS)


OFTEN = 4
"""So many chunks are part of the suite; the others are left to sweeps."""


def marks(number: int) -> list[pytest.MarkDecorator]:
    """Tests of one chunk run in one process and one after another, where what the contour read of a setting serves all."""
    return [pytest.mark.xdist_group(f"sweep {number}"), *([pytest.mark.sweep] if number >= OFTEN else [])]


CHUNKED = pytest.mark.parametrize(
    "number", [pytest.param(number, marks=marks(number)) for number in range(CHUNKS)], scope="module"
)


def precise(found: Interval | None) -> bool:
    return found is not None and found.width <= PRECISION * found.upper


def by_contour(loss: PrivacyLoss, delta: Fraction) -> Interval | None:
    """What a formula or a short line of the contour alone reads."""
    if not isinstance(loss, ComposedLoss):
        return loss.epsilon(delta)
    return None if loss._contour is None else loss._contour.epsilon(delta, PRECISION, patient=False)


def in_full(one: Setting) -> bool:
    return one.number % 23 == 0


@lru_cache(maxsize=SETTINGS // CHUNKS)
def composed(number: int) -> tuple[Setting, PrivacyLoss, Interval | None]:
    """A setting, its loss, and what the contour alone reads of it."""
    one = setting(number)
    loss = compose(one.parts)
    return one, loss, by_contour(loss, one.delta)


def reading(number: int) -> Interval | None:
    """Epsilon as the engine reads it, or what the contour alone knows."""
    one, loss, found = composed(number)
    return loss.epsilon(one.delta) if in_full(one) or precise(found) else found


def quick(numbers: range) -> Iterator[tuple[Setting, PrivacyLoss]]:
    """Settings that are read without a grid."""
    for one, loss, found in map(composed, numbers):
        if precise(found):
            yield one, loss


def gaussian_square(one: Setting) -> Fraction | None:
    """The variance of the whole where every part is Gaussian."""
    total = Fraction(0)
    for loss, count in one.parts:
        if not isinstance(loss, GaussianLoss):
            return None
        total += count * loss.mu_squared
    return total


def chernoff_epsilon(one: Setting) -> float | None:
    """An upper bound by moments of whole order, summed in long arithmetic; None where a family has no such sum here."""
    orders = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    totals = dict.fromkeys(orders, mp.mpf(0))
    for loss, count in one.parts:
        if isinstance(loss, GaussianLoss):
            moments = {order: real(loss.mu_squared) * order * (order + 1) / 2 for order in orders}
        elif isinstance(loss, SampledLoss) and isinstance(loss.base, GaussianLoss) and not loss.swapped:
            moments = sampled_log_moments(real(loss.rate), real(loss.base.mu_squared), orders)
        else:
            return None
        for order in orders:
            totals[order] += count * moments[order]
    log_delta = mp.log(real(one.delta))
    return float(min((total - log_delta) / order for order, total in totals.items()) * (1 + mp.mpf(10) ** -15))


def sampled_log_moments(q: Any, m: Any, orders: Sequence[int]) -> dict[int, Any]:
    """log E[(1 - q + q e^u)^(order + 1)], summed less 1, so that rates that are next to nothing lose nothing."""
    most = max(orders) + 1
    taken = [q**k * mp.expm1(m * k * (k - 1) / 2) for k in range(most + 1)]
    left = [(1 - q) ** k for k in range(most + 1)]
    return {
        order: mp.log1p(mp.fsum(math.comb(order + 1, k) * left[order + 1 - k] * taken[k] for k in range(2, order + 2)))
        for order in orders
    }


def faults(number: int) -> list[str]:
    one, found = setting(number), reading(number)
    if found is None:
        return []
    wrong = []
    if not 0.0 <= found.lower <= found.upper:
        wrong.append(f"{found} is no interval of epsilons")
    with mp.workdps(60):
        square = gaussian_square(one)
        if square is not None:
            wrong += epsilon_faults(found, one.delta, lambda point: gaussian_delta(square, point))
        if all(count == 1 for _, count in one.parts) and len(one.parts) == 1:
            alone = one.parts[0][0].epsilon(one.delta)
            if not found.lower <= alone.upper or not alone.lower <= found.upper:
                wrong.append(f"{found} is not {alone}, that of the closed form")
        most = chernoff_epsilon(one)
        if most is not None and found.lower > most:
            wrong.append(f"{found} is above {most}, by moments")
    for part, _ in one.parts:
        # Delta falls: where it is still too much, epsilon lies above, and nobody need look for it.
        if found.upper < math.inf and Fraction(part.delta(found.upper).lower) > one.delta:
            wrong.append(f"{found} is less than {part} alone loses")
    top = compose(one.parts).supremum().upper
    if found.lower > top:
        wrong.append(f"{found} is more than can be lost at all, {top}")
    return [f"{one}: {why}" for why in wrong]


@CHUNKED
def test_readings_over_the_whole_range(number: int) -> None:
    assert [fault for member in chunk(number) for fault in faults(member)] == []


@CHUNKED
def test_delta_and_epsilon_say_the_same(number: int) -> None:
    """At the upper end of epsilon delta may be at most the target, and at the lower end at least that."""
    for one, loss in quick(chunk(number)[::8]):
        found = loss.epsilon(one.delta)
        above = loss.delta(found.upper)
        assert 0.0 <= above.lower <= above.upper <= 1.0, str(one)
        assert Fraction(above.lower) <= one.delta, str(one)
        if found.lower > 0.0:
            below = loss.delta(found.lower)
            assert 0.0 <= below.lower <= below.upper <= 1.0, str(one)
            assert Fraction(below.upper) >= one.delta, str(one)


@CHUNKED
def test_most_settings_are_read_precisely_and_without_a_grid(number: int) -> None:
    """Three of four, and fewer of those that are hard: few expected samples, above all with nothing else beside them."""
    some, share = chunk(number), (0.65, 0.75, 0.80, 0.80)[number % 4]
    assert sum(1 for _ in quick(some)) >= share * len(some)


# All settings in full ---------------------------------------------------------------------------------------------------


SECONDS = 2.0


@pytest.mark.sweep
@CHUNKED
def test_all_settings_are_read_precisely(number: int) -> None:
    """And none of them takes more than two seconds of processor time."""
    wrong = []
    for one in map(setting, chunk(number)):
        start = time.process_time()
        found = compose(one.parts).epsilon(one.delta)
        spent = time.process_time() - start
        assert 0.0 <= found.lower <= found.upper, str(one)
        if not precise(found):
            wrong.append(f"{one}: {found}")
        if spent > SECONDS:
            wrong.append(f"{one}: {spent:.1f} seconds")
    assert wrong == []


# Independent references ---------------------------------------------------------------------------------------------------


def sampled_curve(square: Fraction, rate: Fraction, swapped: bool, epsilons: Any) -> Any:
    """Delta of one sampled release at many epsilons, from the tails of both laws."""
    from scipy.special import ndtr

    mu, q = math.sqrt(float(square)), float(rate)
    sign = -1.0 if swapped else 1.0
    ratio = (np.expm1(sign * epsilons) + q) / q
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.where(ratio > 0.0, (np.log(np.maximum(ratio, 1e-300)) + mu * mu / 2) / mu, -np.inf)
    if swapped:
        mixed = (1.0 - q) * ndtr(x) + q * ndtr(x - mu)
        return np.maximum(0.0, ndtr(x) - np.exp(epsilons) * mixed)
    return (1.0 - q) * ndtr(-x) + q * ndtr(mu - x) - np.exp(epsilons) * ndtr(-x)


def two_releases(square: Fraction, rate: Fraction, swapped: bool, epsilon: float) -> float:
    """Delta of two sampled releases: that of one, averaged over the loss of the other, on a fine grid of outcomes."""
    mu, q = math.sqrt(float(square)), float(rate)
    edges, (x, w) = np.linspace(-13.0, 13.0 + mu, 4001), np.polynomial.legendre.leggauss(6)
    half = 0.5 * np.diff(edges)[:, None]
    places = (edges[:-1, None] + half * (1.0 + x)).ravel()
    ratio = np.log1p(q * np.expm1(mu * places - mu * mu / 2))
    density = (half * w).ravel() * np.exp(-0.5 * places**2) / math.sqrt(2.0 * math.pi)
    losses, chances = (-ratio, density) if swapped else (ratio, density * np.exp(ratio))
    return float(chances @ sampled_curve(square, rate, swapped, epsilon - losses))


@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
@pytest.mark.parametrize(("square", "rate"), [("1", "0.1"), ("1/4", "0.5"), ("4", "0.01"), ("1", "0.9"), ("9", "0.2")])
def test_two_releases_are_those_of_direct_convolution(square: str, rate: str, swapped: bool) -> None:
    """The convolution is good to 1e-9 of itself or 1e-14, whichever is more."""
    loss = ComposedLoss.of([(SampledLoss(GaussianLoss(square), rate, swapped), 2)])
    top = -2.0 * math.log1p(-float(Fraction(rate))) if swapped else 6.0
    for epsilon in (0.02 * top, 0.1 * top, 0.3 * top, 0.6 * top):
        truth, found = two_releases(Fraction(square), Fraction(rate), swapped, epsilon), loss.delta(epsilon)
        doubt = 1e-9 * truth + 1e-14
        assert found.lower <= truth + doubt
        assert truth - doubt <= found.upper


def slow_delta(square: str, rate: str, count: int, epsilon: float, tilt: float) -> Any:
    """Delta of sampled releases along a vertical line: the moment by a trapezoid rule, and the line by another."""
    mu, q = mp.sqrt(real(square)), real(rate)
    step = mp.mpf(1) / 16
    nodes = []
    for k in range(-224, 225 + int(16 * mu * (2 + tilt))):
        x = step * k
        nodes.append((mp.log1p(q * mp.expm1(mu * x - mu * mu / 2)), step * mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)))
    sizes = [(ratio, weight * mp.exp((1 + tilt) * ratio)) for ratio, weight in nodes]
    spacing = 2 * mp.pi / 60
    total, k = mp.mpf(0), 0
    while True:
        y = spacing * k
        z = mp.mpc(tilt, y)
        moment = mp.fsum(weight * mp.expj(y * ratio) for ratio, weight in sizes) ** count
        term = (moment * mp.exp(-z * mp.mpf(epsilon)) / (z * (z + 1))).real
        total += term / 2 if k == 0 else term
        if abs(moment) < sizes_total(sizes) ** count * mp.mpf(10) ** -16:
            return total * spacing / mp.pi
        k += 1


def sizes_total(sizes: list[tuple[Any, Any]]) -> Any:
    return mp.fsum(weight for _, weight in sizes)


@pytest.mark.parametrize(
    ("square", "rate", "count", "epsilon", "tilt"),
    [("1", "0.1", 100, 4.0, 1.0), ("1", "0.3", 40, 8.0, 1.0), ("1/4", "0.5", 60, 6.0, 1.0)],
)
def test_many_releases_are_those_of_a_slow_line(square: str, rate: str, count: int, epsilon: float, tilt: float) -> None:
    """Images, a period of 60 away, and what is left out are below 1e-9 of the whole here."""
    found = ComposedLoss.of([(SampledLoss(GaussianLoss(square), rate), count)]).sharpened(1e-7).delta(epsilon)
    with mp.workdps(30):
        truth = slow_delta(square, rate, count, epsilon, tilt)
        assert mp.mpf(found.lower) <= truth * (1 + mp.mpf(10) ** -9)
        assert mp.mpf(found.upper) >= truth * (1 - mp.mpf(10) ** -9)
    assert found.width <= 1e-5 * found.upper


# The engine against itself ------------------------------------------------------------------------------------------------


def grid_alone(one: Setting) -> Interval | None:
    loss = ComposedLoss.of(one.parts)
    loss._contours.append(None)
    loss._directs.append(None)
    try:
        return loss.epsilon(one.delta)
    except GridTooLarge:
        return None


@CHUNKED
def test_both_routes_meet(number: int) -> None:
    for one, loss in quick(chunk(number)[3::50]):
        fast, slow = by_contour(loss, one.delta), grid_alone(one)
        if fast is not None and slow is not None:
            assert fast.lower <= slow.upper, str(one)
            assert slow.lower <= fast.upper, str(one)


@CHUNKED
def test_more_precision_only_narrows(number: int) -> None:
    for one, loss in quick(chunk(number)[5::33]):
        coarse, fine = loss.epsilon(one.delta), loss.sharpened(1e-6).epsilon(one.delta)
        assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper, str(one)


def test_the_settings_cover_what_they_should() -> None:
    ones = [setting(number) for number in range(SETTINGS)]
    parts = [part for one in ones for part in one.parts]
    samples = [(loss, count) for loss, count in parts if isinstance(loss, SampledLoss)]
    assert min(float(loss.rate) for loss, _ in samples) < 3e-6
    assert max(count for _, count in samples) > 10**8
    assert sum(float(loss.rate) * count < 1.0 for loss, count in samples) > 200
    assert {loss.swapped for loss, _ in samples} == {False, True}
    assert len({type(loss) for loss, _ in parts}) == 5
    assert min(one.delta for one in ones) < Fraction(1, 10**29) < Fraction(1, 10**3) < max(one.delta for one in ones)
    assert max(len(one.parts) for one in ones) == 4
