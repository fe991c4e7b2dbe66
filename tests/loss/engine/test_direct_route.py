"""Losses added up mass by mass, against enumeration, quadrature in long arithmetic and each other."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant.loss import FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.engine import direct_route
from accountant.loss.engine.direct_route import Direct, Window
from accountant.loss.engine.direct_sum import FineLaw, MergedLaw
from accountant.loss.readings.base import PrivacyLoss as Loss
from accountant.numbers.interval import Interval
from accountant.testing.strategies import finite_losses
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss.references import epsilon_faults, real

pytestmark = pytest.mark.slow

PRECISION = 1e-4


def relative(value: Interval, precision: float) -> float:
    return value.width / (precision * value.upper) if value.upper > 0.0 else 0.0


def direct(parts: list[tuple[PrivacyLoss, int]]) -> Direct:
    sides = [(loss.dominating(), count) for loss, count in parts], [(loss.dominated(), count) for loss, count in parts]
    found = Direct.of(*sides)
    assert found is not None
    return found


# Small worlds, exactly ------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(finite_losses(size=4), finite_losses(size=3), st.integers(1, 4), st.sampled_from([-0.5, 0.0, 0.125, 0.75, 2.0]))
def test_readings_enclose_those_of_the_exact_product(
    first: FiniteLoss, second: FiniteLoss, count: int, epsilon: float
) -> None:
    exact = second
    for _ in range(count):
        exact = exact.times(first)
    whole = Direct.of([(first, count), (second, 1)], [(first, count), (second, 1)])
    if whole is None:
        return
    found, truth = whole.delta(epsilon).to(relative, PRECISION), exact.delta(epsilon)
    assert found is None or (found.lower <= truth.upper and truth.lower <= found.upper)


@settings(max_examples=25, deadline=None)
@given(
    finite_losses(size=3),
    st.integers(1, 6),
    st.floats(-1.0, 0.5),
    st.floats(0.01, 1.5),
    st.sampled_from([8, 64, 300]),
    st.floats(-1.0, 1.5),
)
def test_laws_in_any_window_lie_on_their_sides(
    loss: FiniteLoss, count: int, bottom: float, width: float, points: int, epsilon: float
) -> None:
    exact = loss
    for _ in range(count - 1):
        exact = exact.times(loss)
    truth = exact.delta(epsilon)
    whole, window = Direct([(loss, count)], [(loss, count)]), Window(bottom, bottom + width, points)
    try:
        above, below = whole.upper(window), whole.lower(window)
    except Exception as error:
        assert type(error).__name__ == "GridTooLarge"  # noqa: PT017 - any window is tried, and some are refused
        return
    assert above.delta(epsilon) >= truth.lower
    assert below.delta(epsilon) <= truth.upper


SHORT = FiniteLoss([("1/2", "2/5"), ("1/4", "1/20"), ("1/4", "11/20")])


def test_a_planted_law_that_forgets_what_is_above_is_caught() -> None:
    truth = SHORT.times(SHORT).times(SHORT).delta("1/10")
    whole, window = Direct([(SHORT, 3)], [(SHORT, 3)]), Window(-3.0, 1.5, 300)
    above, below = whole.upper(window), whole.lower(window)
    assert isinstance(below, MergedLaw)
    assert evolve(above, infinite=0.0).delta(0.1) < truth.lower
    assert evolve(below, above=(below.above[0], 0.0)).delta(0.1) > truth.upper
    assert below.delta(0.1) <= truth.upper
    assert truth.lower <= above.delta(0.1)


def test_a_planted_lattice_that_rounds_to_the_nearest_point_is_caught() -> None:
    """Masses that keep their place instead of being spread say too little."""
    loss = SampledLoss(GaussianLoss(1), "1/10")
    above = direct([(loss, 40)]).upper(Window(-2.0, 2.0, 40))
    merged = direct([(loss, 40)]).lower(Window(-2.0, 2.0, 40))
    assert isinstance(merged, MergedLaw)
    truth = compose([(loss, 40)]).delta("1/2")
    nearest = float(
        merged.p @ -np.expm1(np.minimum(0.5 - (above.losses[0] + above.frame.size * np.arange(merged.p.size)), 0.0))
    )
    assert not truth.lower <= nearest <= truth.upper
    assert merged.delta(0.5) <= truth.upper
    assert truth.lower <= above.delta(0.5)


# Sampled Gaussian noise, by quadrature ----------------------------------------------------------------------------------


def one_release(mu: Any, q: Any, swapped: bool, epsilon: Any) -> Any:
    """Delta of one release in long arithmetic."""

    def tail(z: Any) -> Any:
        return mp.erfc(z / mp.sqrt(2)) / 2

    ratio = (mp.expm1(-epsilon if swapped else epsilon) + q) / q
    if ratio <= 0:
        return mp.mpf(0) if swapped else -mp.expm1(epsilon)
    x = mp.log(ratio) / mu + mu / 2
    if swapped:
        return (1 - tail(x)) - mp.exp(epsilon) * ((1 - q) * (1 - tail(x)) + q * (1 - tail(x - mu)))
    return (1 - q) * tail(x) + q * tail(x - mu) - mp.exp(epsilon) * tail(x)


def two_releases(square: str, rate: str, swapped: bool, epsilon: float) -> Any:
    """That of one, averaged over the loss of the other: panels that close in on where the other alone loses epsilon."""
    mu, q = mp.sqrt(real(square)), real(rate)
    ratio = mp.expm1(-mp.mpf(epsilon) if swapped else mp.mpf(epsilon)) / q + 1
    turn = mp.log(ratio) / mu + mu / 2 if ratio > 0 else mp.mpf(0)
    edges = sorted(
        {mp.mpf(k) / 2 for k in range(-26, 60)} | {turn + sign * mp.mpf(2) ** -k for k in range(18) for sign in (-1, 1)}
    )
    nodes, weights = np.polynomial.legendre.leggauss(12)
    total = mp.mpf(0)
    for low, high in pairwise(edges):
        half = (high - low) / 2
        for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            x = low + half * (1 + mp.mpf(node))
            ratio = mp.log1p(q * mp.expm1(mu * x - mu * mu / 2))
            density = half * mp.mpf(weight) * mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
            loss, chance = (-ratio, density) if swapped else (ratio, density * mp.exp(ratio))
            total += chance * max(mp.mpf(0), one_release(mu, q, swapped, mp.mpf(epsilon) - loss))
    return total


@pytest.mark.parametrize(
    ("square", "rate", "swapped", "epsilon"),
    [
        ("1", "1/10000", False, 0.02),
        ("1/25", "1/100", False, 0.05),
        ("4", "1/1000000", False, 1e-5),
        ("1/4", "1/1000000000", False, 2e-9),
        ("1", "1/10000", True, 1e-4),
        ("1/4", "1/1000000", True, 5e-7),
    ],
)
def test_two_rare_samples_are_those_of_quadrature(square: str, rate: str, swapped: bool, epsilon: float) -> None:
    loss = SampledLoss(GaussianLoss(square), rate, swapped)
    found = direct([(loss, 2)]).delta(epsilon).to(relative, PRECISION)
    assert found is not None
    with mp.workdps(40):
        truth = two_releases(square, rate, swapped, epsilon)
        doubt = truth * mp.mpf(10) ** -7
        assert mp.mpf(found.lower) <= truth + doubt
        assert truth - doubt <= mp.mpf(found.upper)
    assert found.width <= PRECISION * found.upper


def test_few_samples_without_the_record_are_told_apart_at_a_delta_of_next_to_nothing() -> None:
    """Outcomes of which little is known, at the far end of a lattice, do not spoil what is known of the others."""
    square, rate, target = "25/484", "0.0036", Fraction("1.4e-27")
    found = direct([(SampledLoss(GaussianLoss(square), rate, swapped=True), 2)]).epsilon(target).to(relative, PRECISION)
    assert found is not None
    assert found.width <= PRECISION * found.upper
    with mp.workdps(60):
        assert two_releases(square, rate, True, found.upper) <= real(target) * (1 + mp.mpf(10) ** -7)
        assert two_releases(square, rate, True, found.lower) >= real(target) * (1 - mp.mpf(10) ** -7)


@pytest.mark.parametrize(("epsilon", "count", "target"), [("0.0031", 600, "1e-20"), ("1/7", 90, "1e-9")])
def test_atoms_lie_on_the_lattice(epsilon: str, count: int, target: str) -> None:
    """What has no values between its atoms is read to many digits from few points: the whole law is a binomial one."""
    found = direct([(ResponseLoss(epsilon), count)]).epsilon(Fraction(target)).to(relative, PRECISION, brief=True)

    def delta(point: Any) -> Any:
        """Of so many answers, all but k of which are true."""
        own, total = real(epsilon), mp.mpf(0)
        truthful = 1 / (1 + mp.exp(-own))
        for k in range(count // 2 + 1):
            gain = -mp.expm1(point - (count - 2 * k) * own)
            total += max(gain, 0) * math.comb(count, k) * truthful ** (count - k) * (1 - truthful) ** k
        return total

    assert found is not None
    assert found.width <= 1e-6 * found.upper
    with mp.workdps(60):
        assert epsilon_faults(found, target, delta) == []


def test_samples_beside_coarse_atoms_are_told_apart_next_to_the_largest_of_these() -> None:
    """Four answers take few values, and beside the largest of them one sample decides: an average of its deltas."""
    square, rate, answer, target = "25/441", "8.1e-3", "0.86", Fraction("7.3e-17")
    search = direct([(SampledLoss(GaussianLoss(square), rate), 1), (ResponseLoss(answer), 4)]).epsilon(target)
    found = search.to(relative, 1e-6)

    def delta(point: Any) -> Any:
        own = real(answer)
        truthful = 1 / (1 + mp.exp(-own))
        return mp.fsum(
            math.comb(4, k)
            * truthful ** (4 - k)
            * (1 - truthful) ** k
            * one_release(mp.sqrt(real(square)), real(rate), False, point - (4 - 2 * k) * own)
            for k in range(5)
        )

    assert search.window.from_largest
    assert found is not None
    assert found.width <= 1e-6 * found.upper
    with mp.workdps(60):
        assert epsilon_faults(found, target, delta) == []


def test_a_delta_far_out_is_known_and_falls() -> None:
    """Two samples of wide noise: beyond what one tilt brings into the range of doubles."""
    loss = compose([(SampledLoss(GaussianLoss(1 / Fraction("5.32165") ** 2), "1/100"), 2)])
    deltas = [loss.delta(epsilon) for epsilon in ("0", "1/10", "1/5")]
    assert all(value.width <= 1e-3 * value.upper for value in deltas)
    assert 1.06e-3 < deltas[0].lower < 1.07e-3
    with mp.workdps(60):
        for epsilon, value in ((0.1, deltas[1]), (0.2, deltas[2])):
            truth = two_releases(str(1 / Fraction("5.32165") ** 2), "1/100", False, epsilon)
            assert value.lower <= truth * (1 + mp.mpf(10) ** -6)
            assert truth * (1 - mp.mpf(10) ** -6) <= value.upper


def three_releases(square: float, rate: float, epsilon: float) -> float:
    """Three, on a fine grid of outcomes in doubles: good to 1e-7 of itself, for all terms are positive."""
    mu = math.sqrt(square)
    x = np.arange(-9.0, 9.0 + mu, 1.0 / 48.0)
    ratio = np.log1p(rate * np.expm1(mu * x - mu * mu / 2))
    chance = np.exp(-0.5 * x * x + ratio) / (48.0 * math.sqrt(2.0 * math.pi))
    from scipy.special import ndtr

    rest = epsilon - np.add.outer(ratio, ratio).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (np.expm1(rest) + rate) / rate
        z = np.where(share > 0.0, np.log(np.maximum(share, 1e-300)) / mu + mu / 2, -np.inf)
    deltas = (1.0 - rate) * ndtr(-z) + rate * ndtr(mu - z) - np.exp(rest) * ndtr(-z)
    return float(np.multiply.outer(chance, chance).ravel() @ np.maximum(deltas, 0.0))


def test_three_rare_samples_are_those_of_a_grid_of_outcomes() -> None:
    for square, rate, epsilon in (("1", "1/1000", 0.05), ("4", "1/100", 0.7), ("1/4", "1/50", 0.03)):
        loss = SampledLoss(GaussianLoss(square), rate)
        found = direct([(loss, 3)]).delta(epsilon).to(relative, PRECISION)
        assert found is not None
        truth = three_releases(float(Fraction(square)), float(Fraction(rate)), epsilon)
        assert found.lower <= truth * (1.0 + 1e-4)
        assert truth * (1.0 - 1e-4) <= found.upper
        assert found.width <= PRECISION * found.upper


# Few copies of discrete noise, by enumeration ---------------------------------------------------------------------------

Pairs = list[tuple[Any, Any]]


def geometric_pairs(scale: str, move: int) -> Pairs:
    """Outcomes of an answer that is 0 or `move` under geometric noise, those beyond either taken together."""
    fall = mp.exp(-1 / real(scale))
    inside = [(1 - fall) / (1 + fall) * fall**k for k in range(move + 1)]
    ends = fall ** (move + 1) / (1 + fall)
    q = [1 / (1 + fall), *inside[1:move], inside[move] + ends]
    return list(zip(reversed(q), q, strict=True))


def gaussian_pairs(variance: int) -> Pairs:
    """Discrete Gaussian noise on an answer that moves by 1; beyond 40 nothing is left that 1e-200 would show."""
    weights = {k: mp.exp(-(mp.mpf(k) ** 2) / (2 * variance)) for k in range(-41, 42)}
    total = mp.fsum(weights.values())
    return [(weights[k - 1] / total, weights[k] / total) for k in range(-12, 14)]


def sampled_pairs(pairs: Pairs, rate: str, swapped: bool) -> Pairs:
    chance = real(rate)
    lifted = [((1 - chance) * q + chance * p, q) for p, q in pairs]
    return [(q, r) for r, q in lifted] if swapped else lifted


def together(parts: list[tuple[Pairs, int]]) -> Pairs:
    """All outcomes together: copies in any order are one outcome, as often as there are orders."""
    whole: dict[tuple[int, ...], tuple[Any, Any]] = {(): (mp.mpf(1), mp.mpf(1))}
    for pairs, count in parts:
        seen: Counter[tuple[int, ...]] = Counter({(0,) * len(pairs): 1})
        for _ in range(count):
            more: Counter[tuple[int, ...]] = Counter()
            for key, ways in seen.items():
                for k in range(len(pairs)):
                    more[(*key[:k], key[k] + 1, *key[k + 1 :])] += ways
            seen = more
        terms = []
        for key, ways in seen.items():
            p = mp.fprod(pair[0] ** n for pair, n in zip(pairs, key, strict=True) if n)
            q = mp.fprod(pair[1] ** n for pair, n in zip(pairs, key, strict=True) if n)
            terms.append((key, ways * p, ways * q))
        whole = {(*old, *key): (a * p, b * q) for old, (a, b) in whole.items() for key, p, q in terms}
    return list(whole.values())


def curve(pairs: Pairs) -> Callable[[Any], Any]:
    def delta(epsilon: Any) -> Any:
        growth = mp.exp(real(epsilon))
        return mp.fsum(max(mp.mpf(0), p - growth * q) for p, q in pairs)

    return delta


GEOMETRIC = [("1.051", 2), ("1", 3), ("2.3", 1)]


def discrete_setting(
    kind: str, rate: str, count: int, swapped: bool
) -> tuple[list[tuple[Loss, int]], list[tuple[Pairs, int]]]:
    """Losses as the engine has them, and their outcomes."""
    if kind == "gaussian":
        known = [(DiscreteGaussianLoss(1, 1), gaussian_pairs(1), count)]
    elif kind == "mixed":
        known = [
            (GeometricLoss(1 / Fraction(scale), move), geometric_pairs(scale, move), 1 + (k < count - 2))
            for k, (scale, move) in enumerate(GEOMETRIC)
        ]
    elif kind == "both":
        pairs = geometric_pairs("1.3", 1)
        base = compose([(GeometricLoss(1 / Fraction("1.3"), 1), 2)])
        known = [(base, together([(pairs, 2)]), count)]
    else:
        scale, move = GEOMETRIC[int(kind)]
        known = [(GeometricLoss(1 / Fraction(scale), move), geometric_pairs(scale, move), count)]
    parts, worlds = [], []
    for base, pairs, times in known:
        loss = SampledLoss.of(base, rate)
        parts.append((loss.reverse() if swapped else loss, times))
        worlds.append((sampled_pairs(pairs, rate, swapped), times))
    return parts, worlds


def discrete_faults(kind: str, rate: str, count: int, swapped: bool) -> list[str]:
    with mp.workdps(50):
        parts, worlds = discrete_setting(kind, rate, count, swapped)
        delta = curve(together(worlds))
        wrong = []
        for target in ("1e-2", "1e-3", "1e-4", "1e-5", "1e-6"):
            found = compose(parts).epsilon(target)
            why = epsilon_faults(found, Fraction(target), delta)
            why += [f"{found} is wide"] if found.width > PRECISION * found.upper else []
            wrong += [f"{kind} {rate} x{count} {swapped} at {target}: {one}" for one in why]
        return wrong


SCAN = [
    (kind, rate, count, swapped)
    for kind, most in (("0", 8), ("1", 5), ("2", 8), ("both", 4), ("mixed", 4), ("gaussian", 3))
    for rate in ("1/1000", "1/100", "1/10")
    for count in range(2, most + 1)
    for swapped in (False, True)
]


@pytest.mark.parametrize("number", range(0, len(SCAN), 29))
def test_few_copies_of_sampled_discrete_noise_are_enumerated(number: int) -> None:
    assert discrete_faults(*SCAN[number]) == []


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(len(SCAN)))
def test_all_few_copies_of_sampled_discrete_noise_are_enumerated(number: int) -> None:
    assert discrete_faults(*SCAN[number]) == []


# Rare samples at random -------------------------------------------------------------------------------------------------

STRESS = 150


def stress(number: int) -> tuple[list[tuple[PrivacyLoss, int]], Fraction]:
    """One kind of noise on rare samples, with a delta that is between the chance of anything and almost nothing."""
    chance = random.Random(f"rare samples {number}")
    rate = Fraction(f"{10 ** chance.uniform(-9, -2):.2e}")
    count = max(1, min(int(10 ** chance.uniform(0, 3.3)), int(3 / rate)))
    delta = 10 ** chance.uniform(-12, -4) * min(1.0, 30 * float(rate) * count)
    size = Fraction(f"{chance.uniform(0.5, 5.0):.3g}")
    kind = number % 5
    base: PrivacyLoss = GaussianLoss(1 / size**2)
    if kind == 3:
        base = LaplaceLoss(1 / size)
    if kind == 4:
        base = GeometricLoss(1 / size, chance.randint(1, 3)) if number % 2 else DiscreteGaussianLoss(size, 1)
    return [(SampledLoss(base, rate, chance.random() < 0.4), count)], Fraction(f"{delta:.2e}")


def stress_faults(number: int) -> list[str]:
    """Precise, and what one release, moments and the largest loss say is kept."""
    parts, delta = stress(number)
    loss = compose(parts)
    found = loss.epsilon(delta)
    wrong = [] if found.width <= PRECISION * found.upper else [f"{found} is wide"]
    if parts[0][0].epsilon(delta).lower > found.upper:
        wrong.append(f"{found} is less than one release loses")
    above, below = loss.delta(found.upper), loss.delta(found.lower)
    if Fraction(above.lower) > delta or (found.lower > 0.0 and Fraction(below.upper) < delta):
        wrong.append(f"{found} is not where delta is {delta}: {above}, {below}")
    return [f"{parts} at {float(delta)}: {why}" for why in wrong]


@pytest.mark.parametrize("number", range(7, STRESS, 15))
def test_rare_samples_are_read_precisely(number: int) -> None:
    assert stress_faults(number) == []


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(STRESS))
def test_all_rare_samples_are_read_precisely(number: int) -> None:
    assert stress_faults(number) == []


@pytest.mark.parametrize(("rate", "count"), [("1/1000", 30), ("1/100", 12), ("1/20", 40)])
@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
def test_sums_mass_by_mass_meet_the_contour(rate: str, count: int, swapped: bool) -> None:
    """Two routes that share nothing but the loss."""
    loss = SampledLoss(GaussianLoss("1/4"), rate, swapped)
    whole = compose([(loss, count)])
    for epsilon in (0.0, 0.01, 0.05):
        contour = whole._contour.delta(epsilon, PRECISION) if whole._contour is not None else None  # type: ignore[attr-defined]
        summed = direct([(loss, count)]).delta(epsilon).to(relative, PRECISION)
        assert summed is not None
        if contour is not None:
            assert contour.lower <= summed.upper
            assert summed.lower <= contour.upper


def test_tiny_losses_keep_their_digits() -> None:
    """Losses of 1e-9 in thousands: what Q lacks to P is not the difference of two numbers next to 1."""
    loss = SampledLoss(GaussianLoss("1/25"), "1/1000000000")
    law = direct([(loss, 2000)]).lower(Window(-1e-7, 1e-7, 2048))
    assert isinstance(law, FineLaw)
    found = compose([(loss, 2000)]).epsilon("1e-12")
    assert 1e-9 < found.upper < 1e-7
    assert found.width <= PRECISION * found.upper


def test_a_reading_next_to_the_largest_loss_stays_inside_its_window() -> None:
    """A coarse lattice is read higher up than the truth, and a window around that reading would leave the truth outside."""
    absent = SampledLoss(GaussianLoss(1 / Fraction("0.53") ** 2), "2.3e-6", swapped=True)
    found = compose([(absent, 824), (ResponseLoss("3.3e-4"), 13)]).epsilon("1e-28")
    assert found.width <= PRECISION * found.upper


# Readings close to one another ------------------------------------------------------------------------------------------


def close_readings() -> tuple[list[tuple[PrivacyLoss, int]], list[float]]:
    """What a search for the best epsilon asks of one composition."""
    parts: list[tuple[PrivacyLoss, int]] = [(SampledLoss(LaplaceLoss("1"), "1/1000"), 30), (GeometricLoss("2", 1), 1)]
    return parts, [0.75 + 0.003 * k for k in range(12)]


def test_readings_close_to_one_another_share_lattices(monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[Window] = []
    before = direct_route._whole

    def counted(*arguments: Any) -> Any:
        laid.append(arguments[-1])
        return before(*arguments)

    monkeypatch.setattr(direct_route, "_whole", counted)
    parts, places = close_readings()
    whole = direct(parts)
    for place in places:
        assert whole.delta(place).to(relative, PRECISION) is not None
    assert len(laid) < 2 * len(places)


def test_a_reading_does_not_depend_on_what_was_read_before() -> None:
    parts, places = close_readings()
    whole = direct(parts)
    for place in reversed(places):
        whole.delta(place).to(relative, PRECISION)
    for place in places[::3]:
        assert whole.delta(place).to(relative, PRECISION) == direct(parts).delta(place).to(relative, PRECISION)


@given(st.floats(-300.0, 300.0), st.floats(2.0**-100, 300.0))
def test_windows_with_round_ends_hold_what_they_should(bottom: float, width: float) -> None:
    """They are hardly larger, and larger by nothing where another one must hold them."""
    window = Window(bottom, bottom + width)
    if not window.top > bottom:
        return
    wide = window.within(Window(-math.inf, math.inf))
    assert wide.bottom <= bottom < window.top <= wide.top
    assert wide.top - wide.bottom <= 1.125 * (window.top - bottom)
    assert window.within(window) == window
