"""Mu of many copies on few values, against sums of binomials in long arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from accountant.loss import Atoms, ComposedLoss, FiniteLoss, PrivacyLoss, ResponseLoss, compose
from accountant_fdp import GaussianPrivacy
from accountant_fdp.corners import Corners

GDP = GaussianPrivacy()


def upper_quantile(tail: mp.mpf, lack: mp.mpf) -> mp.mpf:
    """Of a tail and what it lacks to 1, from a start by its logarithm, by steps of Newton."""
    if tail > lack:
        return -upper_quantile(lack, tail)
    z = mp.sqrt(2 * mp.log(1 / tail)) if tail < mp.mpf("0.1") else mp.mpf(0)
    for _ in range(60):
        here = mp.erfc(z / mp.sqrt(2)) / 2
        # Along the logarithm where the tail is thin, which is nearly straight there.
        move = mp.log(here / tail) * here / (mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi))
        z += move
        if abs(move) < mp.mpf(10) ** -20 * (1 + abs(z)):
            break
    return z


def largest_gap(p: mp.mpf, q: mp.mpf, count: int) -> mp.mpf:
    """Of some tests that reject from a number of an outcome on, which has chance p under P and q < p under Q."""
    laws = [
        [mp.mpf(math.comb(count, k)) * mp.exp(k * mp.log(c) + (count - k) * mp.log(1 - c)) for k in range(count + 1)]
        for c in (p, q)
    ]
    best = mp.mpf(0)
    for k in range(1, count + 1, max(1, count // 40)):
        (missed, power), (kept, level) = ((mp.fsum(law[:k]), mp.fsum(law[k:])) for law in laws)
        best = max(best, upper_quantile(level, kept) - upper_quantile(power, missed))
    return best


def mu_of(loss: PrivacyLoss) -> tuple[float, float]:
    found = GDP.measure(loss, {})
    return found.lower, found.upper


@pytest.mark.parametrize(("epsilon", "count"), [("1/10", 150), ("1/50", 900), ("1", 150), ("2", 120)])
def test_many_answers_at_random_have_the_largest_gap_of_their_counts(epsilon: str, count: int) -> None:
    """Corners are scanned with a stride: what is left out lies close below the largest."""
    with mp.workdps(30):
        p = 1 / (1 + mp.exp(-mp.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator))
        truth = largest_gap(p, 1 - p, count)
        low, high = mu_of(compose([(ResponseLoss(epsilon), count)]))
        assert truth <= high
        assert low <= truth * (1 + mp.mpf("2e-3"))
    assert high <= 1.01 * low


def test_two_outcomes_that_are_not_mirrored_are_read_in_both_orders() -> None:
    pair = FiniteLoss([("3/5", "1/3"), ("2/5", "2/3")])
    forward, back = compose([(pair, 300)]), compose([(pair.reverse(), 300)])
    assert isinstance(forward, ComposedLoss)
    with mp.workdps(30):
        truth = largest_gap(mp.mpf(3) / 5, mp.mpf(1) / 3, 300)
        for low, high in (mu_of(forward), mu_of(back)):
            assert truth <= high
            assert low <= truth * (1 + mp.mpf("2e-3"))
            assert high <= 1.01 * low


def binomial(p: Fraction, q: Fraction, count: int) -> tuple[Atoms, Atoms, list[tuple[Fraction, Fraction]]]:
    """Both laws of how often an outcome comes, and the exact masses, from the smallest loss up."""
    masses = [
        (math.comb(count, k) * p**k * (1 - p) ** (count - k), math.comb(count, k) * q**k * (1 - q) ** (count - k))
        for k in range(count + 1)
    ]
    losses = np.array([math.log(a / b) for a, b in masses])
    of_p, of_q = (np.array([float(pair[side]) for pair in masses]) for side in (0, 1))
    forward = Atoms(losses, of_p, 1e-15 * of_p)
    return forward, Atoms(-losses[::-1], of_q[::-1], 1e-15 * of_q[::-1]), masses


def quantile(tail: Fraction) -> mp.mpf:
    return upper_quantile(*(mp.mpf(share.numerator) / share.denominator for share in (tail, 1 - tail)))


def exact_gap(masses: list[tuple[Fraction, Fraction]]) -> mp.mpf:
    best, power, level = mp.mpf(0), Fraction(0), Fraction(0)
    for p, q in masses[:0:-1]:
        power, level = power + p, level + q
        best = max(best, quantile(level) - quantile(power))
    return best


@pytest.mark.parametrize(("p", "q", "count"), [("1/2", "1/3", 12), ("9/10", "1/10", 9), ("51/100", "1/2", 20)])
def test_all_corners_together_are_mu(p: str, q: str, count: int) -> None:
    forward, back, masses = binomial(Fraction(p), Fraction(q), count)
    found = Corners.of(forward, back)
    assert found is not None
    assert (found.power, found.kept) == (None, None)
    with mp.workdps(40):
        truth = exact_gap(masses)
        assert mp.mpf(found.mu.lower) <= truth <= mp.mpf(found.mu.upper)
    assert found.mu.width <= 1e-11 * found.mu.upper


@pytest.mark.parametrize("share", [-1.0, 1.0])
@pytest.mark.parametrize("side", [0, 1])
def test_masses_that_are_off_by_what_they_may_be_are_enclosed(side: int, share: float) -> None:
    """All of one law off by one in a thousand, with the truth at either end."""
    forward, back, masses = binomial(Fraction(1, 2), Fraction(1, 3), 12)
    laws = [forward, back]
    seen = laws[side].masses * (1.0 + 1e-3 * share)
    laws[side] = Atoms(laws[side].losses, seen, 1.0011e-3 * laws[side].masses)
    found = Corners.of(*laws)
    assert found is not None
    with mp.workdps(40):
        truth = exact_gap(masses)
        assert mp.mpf(found.mu.lower) <= truth <= mp.mpf(found.mu.upper)
    assert found.mu.width > 1e-5


def test_values_that_cannot_be_told_apart_are_left_to_others() -> None:
    forward, back, _ = binomial(Fraction(1, 2), Fraction(1, 3), 4)
    blurred = Atoms(forward.losses, forward.masses, forward.errors, grain=2.0**50)
    assert Corners.of(blurred, back) is None
    assert Corners.of(forward, Atoms(back.losses + 1.0, back.masses, back.errors)) is None


def test_rounded_values_count_as_all_that_they_may_be() -> None:
    """An atom known up to 1e-4 may be two: a little more can be told than by the corners at hand."""
    forward, back, _ = binomial(Fraction(1, 2), Fraction(1, 3), 4)
    grain = 1e-4 / (8 * 2.0**-53)
    sharp, blurred = (
        Corners.of(forward, back),
        Corners.of(Atoms(forward.losses, forward.masses, forward.errors, grain=grain), back),
    )
    assert sharp is not None
    assert blurred is not None
    assert blurred.mu.upper > sharp.mu.upper * (1.0 + 1e-6)


def test_no_number_of_copies_is_too_many_for_a_finite_answer() -> None:
    """Tests too rare for doubles are bounded by moments."""
    low, high = mu_of(compose([(ResponseLoss("1/10"), 4000)]))
    assert 0.1 * math.sqrt(4000) * 0.999 < low <= high < 1.01 * low
