"""The worst case of zCDP: never beaten by a mechanism with that parameter, and close to the best that is possible."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings, strategies as st

from accountant.loss import CutLoss, FiniteLoss, GaussianLoss
from accountant.numbers.interval import Interval
from accountant_zcdp import ZcdpParameter, ZeroConcentrated
from accountant_zcdp.envelope import envelope

pytestmark = pytest.mark.slow

ZCDP = ZeroConcentrated()
EPSILONS = (0, 0.01, 0.1, 0.3, 0.7, 1, 1.5, 2, 3, 5, 8)


@st.composite
def pairs(draw: st.DrawFn) -> FiniteLoss:
    """Two laws on up to four outcomes with common support."""
    size = draw(st.integers(2, 4))
    weights = [draw(st.lists(st.integers(1, 200), min_size=size, max_size=size)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in weights), strict=True))


def beaten(pair: FiniteLoss, worst: CutLoss) -> list[float]:
    """The epsilons at which an exact pair gains more than the worst case allows."""
    return [eps for eps in EPSILONS if pair.delta(eps).lower > worst.delta(eps).upper]


@given(pairs())
@settings(max_examples=40, deadline=None)
def test_no_finite_mechanism_beats_the_worst_case_of_its_own_rho(pair: FiniteLoss) -> None:
    rho = ZCDP.measure(pair, {}).upper
    assume(rho > 1e-12)
    for direction in (pair, pair.reverse()):
        assert isinstance(direction, FiniteLoss)
        assert beaten(direction, envelope(Fraction(rho))) == []


def binary(p: str, q: str) -> FiniteLoss:
    return FiniteLoss([(p, q), (1 - Fraction(p), 1 - Fraction(q))])


@pytest.mark.parametrize(("p", "q"), [("0.02", "0.001"), ("0.3", "0.1"), ("0.004", "1e-6"), ("0.5", "0.2")])
def test_an_envelope_for_too_small_a_rho_is_caught(p: str, q: str) -> None:
    pair = binary(p, q)
    rho = Fraction(ZCDP.measure(pair, {}).upper)
    assert beaten(pair, envelope(rho)) == []
    gain = {eps: pair.delta(eps).lower for eps in (k / 50 for k in range(400))}
    small = envelope(rho * Fraction(9, 10))
    assert any(value > small.delta(eps).upper for eps, value in gain.items())


@pytest.mark.parametrize(("p", "q"), [("0.02", "0.001"), ("0.3", "0.1"), ("0.004", "1e-6"), ("0.05", "0.04")])
def test_yes_or_no_mechanisms_come_within_two_percent_of_the_envelope(p: str, q: str) -> None:
    pair = binary(p, q)
    worst = envelope(Fraction(ZCDP.measure(pair, {}).upper))
    top = math.log(float(Fraction(p) / Fraction(q)))
    assert max(pair.delta(top * k / 400).lower / worst.delta(top * k / 400).upper for k in range(400)) > 0.98


@pytest.mark.parametrize("rho", ["0.07", "2.56", "4.96", "7.70"])
def test_the_conversion_lies_between_the_gaussian_and_the_classic_one(rho: str) -> None:
    """The closed forms are computed here at 30 digits: Gaussian delta, and the optimised Renyi conversion."""
    value = ZCDP.worst_case(ZcdpParameter(rho)).epsilon("1e-10")
    with mpmath.workdps(30):
        mu = mpmath.sqrt(2 * mpmath.mpf(rho))

        def gaussian(eps: mpmath.mpf) -> mpmath.mpf:
            return mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu)

        def classic(eps: mpmath.mpf) -> mpmath.mpf:
            orders = (1 + mpmath.mpf(k) / 50 for k in range(1, 2000))
            return min(mpmath.exp((a - 1) * (a * mpmath.mpf(rho) - eps)) * (1 - 1 / a) ** a / (a - 1) for a in orders)

        # Some mechanism loses more than Gaussian noise with that rho, and none as much as the classic conversion says.
        assert gaussian(mpmath.mpf(value.lower)) < mpmath.mpf("1e-10")
        assert classic(mpmath.mpf(value.upper) * (1 + mpmath.mpf(1) / 5000)) < mpmath.mpf("1e-10")
        assert gaussian(mpmath.mpf(value.upper)) < mpmath.mpf("1e-10")


@pytest.mark.parametrize(("rho", "powers"), [("2.63", (0.698, 0.947, 0.962)), ("0.1115", (0.037, 0.140, 0.240))])
def test_the_power_against_any_mechanism_is_the_known_one(rho: str, powers: tuple[float, ...]) -> None:
    """Three-figure values of Kifer et al. (2022), section 6."""
    worst = ZCDP.worst_case(ZcdpParameter(rho))
    assert tuple(round(1 - worst.tradeoff(level).lower, 3) for level in ("0.01", "0.05", "0.1")) == powers


def needed(p: mpmath.mpf, q: mpmath.mpf) -> mpmath.mpf:
    """The rho of a yes-or-no mechanism: the largest ratio of Renyi divergence to order, searched along the orders."""

    def ratio(exponent: mpmath.mpf) -> mpmath.mpf:
        a = 1 + mpmath.mpf(10) ** exponent
        both = (x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a) for x, y in ((p, q), (q, p)))
        return mpmath.log(max(both)) / (a * (a - 1))

    best, step = max((mpmath.mpf(k) / 5 for k in range(-40, 11)), key=ratio), mpmath.mpf(1) / 5
    for _ in range(4):
        step /= 4
        best = max((best + k * step for k in range(-4, 5)), key=ratio)
    return ratio(best)


def largest_power(rho: mpmath.mpf, level: mpmath.mpf) -> mpmath.mpf:
    """The power at which a yes-or-no test just needs rho, by bisection."""
    low, high = level, mpmath.mpf(1)
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if needed(middle, level) <= rho else (low, middle)
    return low


@pytest.mark.parametrize(
    ("rho", "level"), [("2.63", "0.01"), ("2.63", "0.05"), ("0.1115", "0.01"), ("1", "0.2"), ("1", "0.6")]
)
def test_the_envelope_solves_the_binary_inequalities_of_all_orders(rho: str, level: str) -> None:
    found = 1 - envelope(Fraction(rho)).tradeoff(level).lower
    with mpmath.workdps(30):
        expected = float(largest_power(mpmath.mpf(rho), mpmath.mpf(level)))
    assert expected - 1e-6 <= found <= expected + 1e-5


@pytest.mark.parametrize("rho", ["1e-300", "1e-30", "1e30", "1e300"])
def test_parameters_that_doubles_barely_hold_stay_sound(rho: str) -> None:
    worst, gaussian = envelope(Fraction(rho)), GaussianLoss(2 * Fraction(rho))
    for epsilon in (0, 1, 100):
        assert gaussian.delta(epsilon).lower <= worst.delta(epsilon).upper


def test_no_rho_means_no_loss() -> None:
    worst = ZCDP.worst_case(ZcdpParameter(0))
    assert worst.delta(0) == Interval.of(0)


@pytest.mark.parametrize("rho", ["1e-12", "1e-6", "50", "300", "5000"])
def test_extreme_parameters_stay_between_the_gaussian_and_certainty(rho: str) -> None:
    value = ZCDP.worst_case(ZcdpParameter(rho)).epsilon("1e-6")
    classic = float(rho) + 2 * math.sqrt(float(rho) * math.log(1e6))
    assert value.lower <= value.upper
    assert value.upper <= classic * 1.001 or classic > 600


def test_a_group_of_three_pays_nine_times_and_gaussian_noise_needs_it() -> None:
    one, three = GaussianLoss("1/2"), GaussianLoss(Fraction(3**2, 2))
    rho = ZCDP.measure(one, {}).exact
    assert rho is not None
    assert ZCDP.group(ZcdpParameter(rho), 3).rho == ZCDP.measure(three, {}).exact
