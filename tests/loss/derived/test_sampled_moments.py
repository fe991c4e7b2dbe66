"""Renyi divergences of sampled noise, both ways, at all orders, against sums and integrals in 40 digits."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.errors import InvalidValue
from accountant.loss import CutLoss, MirroredLoss, MixtureLoss, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.derived import sampled_integral
from accountant.loss.derived.sampled_halves import Half, first_edges
from accountant.loss.derived.sampled_integral import FORWARD, SampledIntegral
from accountant.loss.readings import renyi_supremum
from accountant.numbers.interval import Interval
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_noise.skellam_loss import SkellamLoss
from accountant_noise.staircase_loss import StaircaseLoss
from tests.loss.references import Real, real

DIGITS = 40
NARROW = 1e-6
ORDERS = ["1.0001", "1.01", "1.3", "1.5", "2", "2.75", "4", "17.3", "64"]

Mean = Callable[[Callable[[Real], Real]], Real]
"""The mean under Q of a function of the likelihood ratio P/Q."""


@frozen
class Noise:
    """A loss, and means of its likelihood ratio by the definition of the noise."""

    loss: PrivacyLoss
    mean: Mean


def laplace(ratio: str, panels: int = 3) -> Noise:
    """Noise of density e^-|x|/2, moved by `ratio`."""

    def mean(of: Callable[[Real], Real]) -> Real:
        move = real(ratio)
        # Cut finely at the end where powers are steep.
        cuts = [mp.mpf(0), *(move * (1 - mp.mpf(4) ** -k) for k in range(1, panels)), move]
        pieces = pairwise(cuts)
        between = sum(
            mp.quad(lambda x: mp.exp(-x) / 2 * of(mp.exp(2 * x - move)), [*ends], method="gauss-legendre")
            for ends in pieces
        )
        return of(mp.exp(-move)) / 2 + mp.exp(-move) / 2 * of(mp.exp(move)) + between

    return Noise(LaplaceLoss(ratio), mean)


def _on_integers(loss: PrivacyLoss, mass: Callable[[int], Any], reach: int, move: int) -> Noise:
    @cache
    def masses() -> list[tuple[Real, Real]]:
        weights = {k: mass(k) for k in range(-reach - move, reach + move + 1)}
        total = sum(weights[k] for k in range(-reach, reach + 1))
        return [(weights[k - move] / total, weights[k] / total) for k in range(-reach, reach + move + 1)]

    def mean(of: Callable[[Real], Real]) -> Real:
        return sum(q * of(p / q) for p, q in masses())

    return Noise(loss, mean)


def geometric(ratio: str, move: int) -> Noise:
    """Noise proportional to e^(-ratio |k|): up to 0 and from `move` on the likelihood ratio does not change."""

    def mean(of: Callable[[Real], Real]) -> Real:
        step = real(ratio)
        total = 1 + mp.exp(-step)
        ends = (of(mp.exp(-step * move)) + mp.exp(-step * move) * of(mp.exp(step * move))) / total
        inner = (mp.exp(-step * k) * of(mp.exp(step * (2 * k - move))) for k in range(1, move))
        return ends + (1 - mp.exp(-step)) / total * mp.fsum(inner)

    return Noise(GeometricLoss(ratio, move), mean)


def discrete_gaussian(variance: int, move: int, reach: int = 80) -> Noise:
    return _on_integers(
        DiscreteGaussianLoss(variance, move), lambda k: mp.exp(-mp.mpf(k * k) / (2 * variance)), reach + 12 * variance, move
    )


def skellam(variance: int, move: int) -> Noise:
    return _on_integers(SkellamLoss(variance, move), lambda k: mp.besseli(abs(k), variance), 90 + 4 * variance, move)


def response(epsilon: str) -> Noise:
    def mean(of: Callable[[Real], Real]) -> Real:
        growth = mp.exp(real(epsilon))
        return (of(growth) + growth * of(1 / growth)) / (1 + growth)

    return Noise(ResponseLoss(epsilon), mean)


def staircase(epsilon: str) -> Noise:
    """Stairs at 1/2, 3/2, ..., moved by one: heights fall by e^epsilon at each."""

    def mean(of: Callable[[Real], Real]) -> Real:
        step = real(epsilon)
        places = [Fraction(2 * k + 1, 4) for k in range(-400, 400)]
        height = [mp.exp(-step * math.floor(abs(x) + Fraction(1, 2))) for x in places]
        total = sum(height)
        moved = [mp.exp(-step * math.floor(abs(x - 1) + Fraction(1, 2))) for x in places]
        return sum(q / total * of(p / q) for p, q in zip(moved, height, strict=True))

    return Noise(StaircaseLoss(epsilon, "1/2", 1), mean)


NOISE = {
    "laplace 1": laplace("1"),
    "laplace 1/2": laplace("0.5"),
    "laplace 6": laplace("6", 5),
    "laplace 1, cut finely": laplace("1", 9),
    "laplace 1/1000": laplace("0.001"),
    "geometric 1/2": geometric("0.5", 1),
    "geometric 1/2 by 4": geometric("0.5", 4),
    "discrete gaussian 4": discrete_gaussian(4, 1),
    "discrete gaussian 2 by 3": discrete_gaussian(2, 3, 250),
    "skellam 6 by 2": skellam(6, 2),
    "response 1": response("1"),
    "staircase 1": staircase("1"),
}


def excess(noise: Noise, rate: str, order: str, *, swapped: bool) -> Real:
    """What the moment exceeds 1 by, by the definition."""
    q, t = real(rate), real(order) - 1
    power = -t if swapped else 1 + t
    return noise.mean(lambda y: (1 - q + q * y) ** power - 1 - power * q * (y - 1))


def mirrored_excess(noise: Noise, rate: str, order: str) -> Real:
    q, t = real(rate), real(order) - 1

    def of(y: Real) -> Real:
        r = 1 - q + q * y
        return r ** (1 + t) + r**-t - r - 1 if y > 1 else mp.mpf(0)

    return noise.mean(of)


def sampled(noise: Noise, rate: str, *, swapped: bool) -> PrivacyLoss:
    loss = SampledLoss(noise.loss, rate)
    return loss.reverse() if swapped else loss


def check(found: Interval, truth: Real, narrow: float = NARROW) -> None:
    assert mp.mpf(found.lower) <= truth <= mp.mpf(found.upper)
    assert found.upper - found.lower <= narrow * found.upper


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mp.workdps(DIGITS):
        yield


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("name", NOISE)
def test_renyi_of_a_sample_is_known_sharply_at_every_order_both_ways(name: str, swapped: bool) -> None:
    draws = random.Random(f"{name} {swapped}")
    for order in draws.sample(ORDERS, 4):
        rate = draws.choice(["0.001", "0.01", "0.1", "0.3", "0.9"])
        truth = mp.log1p(excess(NOISE[name], rate, order, swapped=swapped)) / (real(order) - 1)
        check(sampled(NOISE[name], rate, swapped=swapped).renyi(order), truth)


@pytest.mark.parametrize(
    ("name", "rate", "order", "forward", "backward"),
    [
        ("laplace 1", "0.1", "2", "0.008536457", "0.007818073"),
        ("response 1", "0.01", "1.5", "8.1314e-5", "8.0736e-5"),
        ("laplace 1/2", "0.01", "1.5", "1.6626e-5", "1.6599e-5"),
        ("geometric 1/2", "0.1", "4", "0.005154575", "0.004890343"),
    ],
)
def test_known_renyi_divergences_of_samples(name: str, rate: str, order: str, forward: str, backward: str) -> None:
    for swapped, value in ((False, forward), (True, backward)):
        found = sampled(NOISE[name], rate, swapped=swapped).renyi(order)
        assert found.lower == pytest.approx(float(value), rel=2e-5)
        assert found.upper == pytest.approx(found.lower, rel=NARROW)


@pytest.mark.parametrize("name", ["laplace 1, cut finely", "geometric 1/2 by 4", "response 1"])
def test_renyi_of_very_high_orders_is_known_sharply(name: str) -> None:
    truth = mp.log1p(excess(NOISE[name], "0.1", "10000", swapped=False)) / 9999
    check(sampled(NOISE[name], "0.1", swapped=False).renyi(10_000), truth)


@pytest.mark.parametrize("order", ["37.7", "300.5"])
def test_powers_beyond_the_range_of_doubles_are_bounded_by_moments(order: str) -> None:
    """The masses that decide these are far below what doubles hold."""
    noise = discrete_gaussian(1, 1, 400)
    truth = mp.log1p(excess(noise, "0.3", order, swapped=False)) / (real(order) - 1)
    check(SampledLoss(noise.loss, "0.3").renyi(order), truth, 1e-4)


@pytest.mark.parametrize("name", ["laplace 1", "geometric 1/2 by 4", "discrete gaussian 4"])
def test_mirrored_losses_are_known_sharply(name: str) -> None:
    for order in ("1.01", "1.5", "6.5"):
        truth = mp.log1p(mirrored_excess(NOISE[name], "0.1", order)) / (real(order) - 1)
        check(MirroredLoss(SampledLoss(NOISE[name].loss, "0.1")).renyi(order), truth)


def test_moments_of_mixtures_and_compositions_stay_sharp() -> None:
    mixture = MixtureLoss.of([("0.25", NOISE["laplace 1"].loss), ("0.75", NOISE["geometric 1/2"].loss)])
    loss = compose([(SampledLoss.of(mixture, "0.1"), 7)])
    for swapped in (False, True):
        parts = [excess(NOISE[name], "0.1", "1.3", swapped=swapped) for name in ("laplace 1", "geometric 1/2")]
        truth = 7 * mp.log1p((parts[0] + 3 * parts[1]) / 4) / real("0.3")
        check((loss.reverse() if swapped else loss).renyi("1.3"), truth)


def test_a_record_that_is_told_outright_costs_no_more_than_its_rate_backward() -> None:
    """A response that gives everything away with some chance: infinite forward, finite backward."""
    loss = SampledLoss(ResponseLoss("1", "0.25"), "0.1")
    assert loss.renyi("1.5").lower == math.inf
    q, growth = mp.mpf(1) / 10, mp.e
    chances = {
        mp.mpf(0): mp.mpf(1) / 4,
        growth: mp.mpf(3) / 4 / (1 + growth),
        1 / growth: mp.mpf(3) / 4 * growth / (1 + growth),
    }
    moment = sum(chance * (1 - q + q * y) ** mp.mpf("-0.5") for y, chance in chances.items())
    check(loss.reverse().renyi("1.5"), mp.log(moment) / mp.mpf("0.5"))


def test_what_was_read_before_changes_nothing() -> None:
    fresh, used = (SampledLoss(LaplaceLoss("1.7"), "0.05") for _ in range(2))
    for order in (1.5, 3000, 7.25):
        used.renyi(order)
        used.reverse().renyi(order)
    assert used.renyi("2.5") == fresh.renyi("2.5")


def two_coordinates(variance: int) -> Noise:
    """Discrete Gaussian noise on two answers that both move by 1: the likelihood ratio depends on the sum of the noise."""
    one = [mp.exp(-mp.mpf(k * k) / (2 * variance)) for k in range(-60, 61)]
    total = mp.fsum(one)
    sums = [mp.fsum(one[i] * one[s - i] for i in range(max(0, s - 120), min(s, 120) + 1)) / total**2 for s in range(241)]
    ratios = [mp.exp((mp.mpf(s - 120) - 1) / variance) for s in range(241)]
    loss = compose([(DiscreteGaussianLoss(variance, 1), 2)])
    return Noise(loss, lambda of: mp.fsum(mass * of(ratio) for mass, ratio in zip(sums, ratios, strict=True)))


def test_noise_on_several_coordinates_is_known_sharply_between_whole_orders() -> None:
    noise = two_coordinates(4)
    for order, swapped in (("1.3", False), ("1.5", True), ("5.25", False)):
        truth = mp.log1p(excess(noise, "0.1", order, swapped=swapped)) / (real(order) - 1)
        check(sampled(noise, "0.1", swapped=swapped).renyi(order), truth)
    truth = mp.log1p(mirrored_excess(noise, "0.1", "2.5")) / mp.mpf("1.5")
    found = MirroredLoss(SampledLoss(noise.loss, "0.1")).renyi("2.5")
    assert truth <= found.upper <= truth * (1 + mp.mpf(NARROW))
    assert found.lower <= truth


# The supremum over orders ------------------------------------------------------------------------------------------------


def _ratio(noise: Noise, rate: str, t: Real) -> Real:
    return mp.log1p(excess(noise, rate, str(1 + t), swapped=False)) / (t * (t + 1))


@pytest.mark.parametrize(
    ("name", "rate"),
    [("geometric 1/2 by 4", "0.1"), ("response 1", "0.01"), ("response 1", "1e-9"), ("discrete gaussian 4", "0.9")],
)
def test_concentration_is_the_largest_ratio(name: str, rate: str) -> None:
    found = sampled(NOISE[name], rate, swapped=False).concentration()
    if name == "discrete gaussian 4":
        check(found, mp.mpf(1) / 8)
        return
    low, high = mp.mpf("1e-7"), mp.mpf(10) ** 12
    for _ in range(40):
        ends = [low ** (1 - w) * high**w for w in (mp.mpf("0.38"), mp.mpf("0.62"))]
        low, high = (
            (low, ends[1]) if _ratio(NOISE[name], rate, ends[0]) > _ratio(NOISE[name], rate, ends[1]) else (ends[0], high)
        )
    truth = _ratio(NOISE[name], rate, low)
    assert found.lower <= truth * (1 + mp.mpf(10) ** -9)
    assert truth <= found.upper
    assert found.upper - found.lower <= NARROW * found.upper


def test_concentration_of_laplace_samples_is_sharp() -> None:
    loss = sampled(NOISE["laplace 1"], "0.1", swapped=False)
    found = loss.concentration()
    assert found.upper - found.lower <= NARROW * found.upper
    best = max(_ratio(NOISE["laplace 1"], "0.1", mp.mpf(t) / 2) for t in range(12, 32, 4))
    assert found.upper >= best > found.lower * (1 - 0.01)


def _random_pair(draws: random.Random) -> Callable[[Real], Real]:
    """The log moment of a random pair on four outcomes."""
    laws = []
    for _ in range(2):
        weights = [draws.uniform(0.05, 1.0) for _ in range(4)]
        laws.append([mp.mpf(weight) / mp.fsum(map(mp.mpf, weights)) for weight in weights])
    return lambda t: mp.log(mp.fsum(p * (p / q) ** t for p, q in zip(*laws, strict=True)))


def _bounds_hold() -> bool:
    draws = random.Random(7)
    for _ in range(60):
        moment, a = _random_pair(draws), draws.uniform(0.001, 8.0)
        b = a * draws.uniform(1.01, 6.0)
        bound = renyi_supremum._log_chord(a, b, float(moment(mp.mpf(a))), float(moment(mp.mpf(b))))
        for _ in range(4):
            t = mp.mpf(draws.uniform(a, b))
            if moment(t) / (t * (t + 1)) > bound * (1 + 1e-12):
                return False
    return True


def test_between_orders_the_ratio_stays_below_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _bounds_hold()
    monkeypatch.setattr(np, "maximum", np.minimum)
    assert not _bounds_hold()


# Planted errors ----------------------------------------------------------------------------------------------------------


def _enclosed(name: str, order: str = "3.5") -> bool:
    loss = NOISE[name].loss
    truth = mp.log1p(excess(NOISE[name], "0.1", order, swapped=False))
    try:
        found = SampledIntegral(loss, (0.1, 0.9), loss).log_moment(float(order) - 1.0, FORWARD)
    except InvalidValue:
        return False  # the two ends contradict each other
    # The rate is 1/10 up to rounding only.
    return bool(found.lower * (1 - 1e-12) <= truth <= found.upper * (1 + 1e-12))


@pytest.mark.parametrize("end", ["upper", "lower"])
def test_chords_and_means_may_not_be_exchanged(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    assert _enclosed("laplace 1")
    terms = SampledIntegral._terms

    def planted(*arguments: Any) -> Any:
        found = terms(*arguments)
        return evolve(found, upper=found.lower) if end == "upper" else evolve(found, lower=found.upper)

    monkeypatch.setattr(SampledIntegral, "_terms", planted)
    assert not _enclosed("laplace 1")


def test_what_lies_beyond_the_last_edge_may_not_be_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "discrete gaussian 4"
    monkeypatch.setattr(sampled_integral, "first_edges", lambda loss: first_edges(loss)[:12])
    monkeypatch.setattr(SampledIntegral, "_finer", lambda *_: None)
    assert _enclosed(name)
    monkeypatch.setattr(SampledIntegral, "_log_tail", lambda *_: -math.inf)
    assert not _enclosed(name)


@pytest.mark.parametrize("dropped", [None, "_log_slope", "_log_tail"])
def test_what_stands_above_may_lose_everything_where_the_source_does_not(
    monkeypatch: pytest.MonkeyPatch, dropped: str | None
) -> None:
    """Above Laplace noise stand cuts up to a loss of 1/2, from where on everything may be lost."""
    noise = laplace("1", 4)
    points = np.linspace(0.0, 0.5, 400)
    above = CutLoss.through(points, np.array([noise.loss.delta(point).upper for point in points.tolist()]))
    edge = mp.exp(mp.mpf(float(above.losses[above.masses > 0.0][-1])))
    q, power = mp.mpf(1) / 10, mp.mpf("3.5")

    def grown(y: Real) -> Real:
        return (1 - q + q * y) ** power - 1 - power * q * (y - 1)

    def beyond(y: Real) -> Real:
        """What is gained at prices above the edge."""
        slope = power * q * ((1 - q + q * edge) ** (power - 1) - 1)
        return grown(y) - grown(edge) - slope * (y - edge) if y > edge else mp.mpf(0)

    tail = float(mp.log(noise.mean(beyond))) + 1e-3
    assert SampledIntegral(above, (0.1, 0.9), noise.loss)._log_tail(2.5, float(mp.log(edge))) >= tail
    monkeypatch.setattr(SampledIntegral, "_log_tail", lambda *_: tail)
    if dropped is not None:
        monkeypatch.setattr(SampledIntegral, dropped, lambda *_: -math.inf)
    found = SampledIntegral(above, (0.1, 0.9), noise.loss).log_moment(2.5, FORWARD)
    truth = mp.log1p(noise.mean(grown))
    assert found.lower == 0.0
    assert (truth <= found.upper <= truth * mp.mpf("1.1")) is (dropped is None)


def test_masses_at_the_right_ends_may_not_be_understated(monkeypatch: pytest.MonkeyPatch) -> None:
    of = Half.of

    def planted(loss: PrivacyLoss, edges: Any) -> Half:
        half = of(loss, edges)
        moved = 0.5 * half.at_right
        return evolve(half, at_left=half.at_left + moved, at_right=half.at_right - moved)

    monkeypatch.setattr(sampled_integral.Half, "of", planted)
    assert not _enclosed("laplace 1")


@pytest.mark.parametrize("order", [2.0**-30, 1e-4, 0.7, 1.0, 3.3, 250.0, 1e6])
def test_what_is_integrated_is_relatively_exact(order: float) -> None:
    """Near no loss the functions are differences of numbers that are nearly equal."""
    sizes = np.concatenate([np.geomspace(1e-12, 30.0, 60), [0.0199 / (1.0 + order), 0.0201 / (1.0 + order)]])
    ups, downs = sampled_integral._log_up(sizes, order), sampled_integral._log_down(sizes, order)
    t = mp.mpf(order)
    for size, up, down in zip(sizes.tolist(), ups.tolist(), downs.tolist(), strict=True):
        with mp.workdps(80):
            w = mp.mpf(size)
            truths = mp.log(mp.expm1(t * w) + t * mp.expm1(-w)), mp.log(mp.exp(-w) * mp.expm1(-t * w) - t * mp.expm1(-w))
        for found, truth in ((up, truths[0]), (down, truths[1])):
            assert abs(found - truth) <= 2.0**-53 * (4096.0 + 64.0 * (1.0 + order) * size + 8.0 * abs(found))
