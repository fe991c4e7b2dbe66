"""Permute-and-flip and report noisy max: exact laws on few candidates never beat the claimed loss, and two attain it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant.finite import Pair
from accountant.loss import FiniteLoss, ResponseLoss, compose
from accountant.plugin import Shift
from accountant_selection import PermuteAndFlip, ReportNoisyMax
from accountant_selection.cases import outrun, permuted, raced, softmax
from accountant_selection.noisy_max_loss import NoisyMaxLoss
from accountant_selection.range_loss import RangeLoss
from accountant_selection.slope_pair import SlopePair

Weights = Sequence[Fraction]


def flipped(weights: Weights) -> list[Fraction]:
    """Permute-and-flip in exact numbers, from e^(c score): all orders, each candidate accepted relative to the best."""
    best = max(weights)
    chances = [Fraction(0)] * len(weights)
    for order in itertools.permutations(range(len(weights))):
        left = Fraction(1, math.factorial(len(weights)))
        for candidate in order:
            chances[candidate] += left * weights[candidate] / best
            left *= 1 - weights[candidate] / best
    return chances


def smallest(weights: Weights) -> list[Fraction]:
    """Exponential noise in exact numbers: the index of the smallest of uniform numbers between 0 and 1/weight."""
    heights = [1 / weight for weight in weights]
    chances = []
    for candidate, height in enumerate(heights):
        polynomial = [Fraction(1)]
        for other in heights[:candidate] + heights[candidate + 1 :]:
            shifted = [Fraction(0), *(-c / other for c in polynomial)]
            polynomial = [a + b for a, b in itertools.zip_longest(polynomial, shifted, fillvalue=Fraction(0))]
        whole = sum(c * min(heights) ** (k + 1) / (k + 1) for k, c in enumerate(polynomial))
        chances.append(whole / height)
    return chances


weights = st.lists(st.fractions(Fraction(1, 6), 12, max_denominator=6), min_size=1, max_size=5)
ratios = st.sampled_from([Fraction(5, 4), Fraction(2), Fraction(6)])


@settings(deadline=None, max_examples=40)
@given(weights)
def test_permute_and_flip_is_exponential_noise(chosen: list[Fraction]) -> None:
    assert flipped(chosen) == smallest(chosen)


def test_tests_of_the_shipped_oracles_agree() -> None:
    scores = [Fraction(0), Fraction(3, 2), Fraction(-1), Fraction(1)]
    assert max(abs(a - b) for a, b in zip(permuted(scores), raced(scores), strict=True)) < Fraction(1, 10**55)


def laplace_delta(root: Fraction, factor: Fraction) -> Fraction:
    """1 - e^((x - epsilon)/2) in exact numbers: e^x = root^2 and e^epsilon = factor^2."""
    return 1 - root / factor


def moved(chosen: Weights, factor: Fraction, data: st.DataObject) -> list[Fraction]:
    """Weights of which each moves by a factor of at most `factor` either way, so that two move apart by factor^2."""
    steps = st.sampled_from([1 / factor, Fraction(1), (1 + factor) / 2, factor])
    return [weight * data.draw(steps) for weight in chosen]


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(weights, ratios, st.data())
def test_no_number_of_candidates_beats_laplace_noise(chosen: list[Fraction], factor: Fraction, data: st.DataObject) -> None:
    pair = Pair(zip(flipped(moved(chosen, factor, data)), flipped(chosen), strict=True))
    for root in (1 / factor, Fraction(9, 10), Fraction(1), Fraction(11, 10), factor * Fraction(15, 16)):
        if 1 / factor <= root <= factor:
            assert pair.delta(root**2) <= laplace_delta(root, factor)
            assert pair.reverse().delta(root**2) <= laplace_delta(root, factor)


@pytest.mark.parametrize("root", [Fraction(2, 3), Fraction(1), Fraction(4, 3), Fraction(3, 2)])
def test_two_candidates_attain_it(root: Fraction) -> None:
    """With e^epsilon = 4: one candidate is behind by (epsilon - x)/2 and then ahead by (epsilon + x)/2."""
    factor = Fraction(2)
    ahead, behind = [factor / root, Fraction(1)], [Fraction(1), factor * root]
    assert flipped(ahead)[0] - root**2 * flipped(behind)[0] == laplace_delta(root, factor)
    claimed = NoisyMaxLoss(Fraction(math.log(4.0)))
    value = claimed.delta(Fraction(2.0 * math.log(root)))
    assert value.lower <= float(laplace_delta(root, factor)) * (1.0 + 1e-12) + 1e-15
    assert float(laplace_delta(root, factor)) <= value.upper * (1.0 + 1e-12) + 1e-15


def test_a_curve_for_scores_that_move_one_way_is_caught_where_they_do_not() -> None:
    """The planted error of counting one score's move where two move apart."""
    pair = Pair(zip(flipped([Fraction(2), Fraction(1)]), flipped([Fraction(1), Fraction(2)]), strict=True))
    assert pair.delta(Fraction(121, 100)) <= laplace_delta(Fraction(11, 10), Fraction(2))
    assert float(pair.delta(Fraction(121, 100))) > 1.0 - 1.1 / math.sqrt(2.0)


def test_permute_and_flip_is_not_range_bounded() -> None:
    """The planted error of taking it for the exponential mechanism, which has the same epsilon and a smaller loss."""
    factor = Fraction(2)
    pair = Pair(zip(flipped([factor, Fraction(1)]), flipped([Fraction(1), factor]), strict=True))
    assert pair.delta(1) == laplace_delta(Fraction(1), factor) == Fraction(1, 2)
    assert pair.delta(1) > (factor - 1) ** 2 / (factor**2 - 1)


# Noise of each kind, by quadrature ---------------------------------------------------------------------------------------

Noise = tuple[Callable[[mpmath.mpf], mpmath.mpf], Callable[[mpmath.mpf], mpmath.mpf]]


def laplace() -> Noise:
    def below(z: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2

    return lambda z: mpmath.exp(-abs(z)) / 2, below


def exponential() -> Noise:
    return lambda z: mpmath.exp(-z) if z >= 0 else mpmath.mpf(0), lambda z: 1 - mpmath.exp(-z) if z > 0 else mpmath.mpf(0)


def gumbel() -> Noise:
    return lambda z: mpmath.exp(-z - mpmath.exp(-z)), lambda z: mpmath.exp(-mpmath.exp(-z))


def picked(scores: Sequence[Fraction], noise: Noise) -> list[mpmath.mpf]:
    """The chance of each candidate to be the largest, by integration over its own noisy score."""
    density, below = noise
    values = [mpmath.mpf(score.numerator) / score.denominator for score in scores]
    places = sorted({-40, *values, *(v + 4 for v in values), 60})
    return [
        mpmath.quad(
            lambda z, i=i: density(z - values[i]) * mpmath.fprod(below(z - v) for k, v in enumerate(values) if k != i),
            places,
        )
        for i in range(len(values))
    ]


ORACLES = {"laplace": (laplace, outrun), "exponential": (exponential, raced), "gumbel": (gumbel, softmax)}


@pytest.mark.parametrize("noise", ORACLES)
def test_the_oracles_are_the_integrals(noise: str) -> None:
    make, oracle = ORACLES[noise]
    scores = [Fraction(0), Fraction(3, 2), Fraction(-1)]
    with mpmath.workdps(20):
        for direct, exact in zip(picked(scores, make()), oracle(scores), strict=True):
            assert abs(direct - mpmath.mpf(exact.numerator) / exact.denominator) < mpmath.mpf(10) ** -12


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(sorted(ORACLES)),
    st.booleans(),
    st.lists(st.fractions(-3, 3, max_denominator=2), min_size=1, max_size=4),
    st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(5, 2)]),
    st.data(),
)
def test_no_scores_beat_the_claimed_loss(
    noise: str, monotone: bool, scores: list[Fraction], move: Fraction, data: st.DataObject
) -> None:
    steps = st.sampled_from([Fraction(0), move] if monotone else [-move, Fraction(0), move])
    after = [score + data.draw(steps) for score in scores]
    laws = [ORACLES[noise][1](values) for values in (after, scores)]
    last = [1 - sum(law[:-1], Fraction(0)) for law in laws]
    pair = FiniteLoss(zip([*laws[0][:-1], last[0]], [*laws[1][:-1], last[1]], strict=True))
    claimed = ReportNoisyMax(noise, "1", monotone).loss(Shift(move, move**2, move))
    for epsilon in ("-1", "0", "0.1", "0.5", "1", "2", "4.9"):
        assert pair.delta(epsilon).lower <= claimed.delta(epsilon).upper
        assert pair.reverse().delta(epsilon).lower <= claimed.delta(epsilon).upper


def test_the_move_and_the_direction_of_the_scores_set_the_loss() -> None:
    one, three = Shift.along([1]), Shift.along([3, 1])
    assert ReportNoisyMax("gumbel", "2").loss(one) == RangeLoss(1)
    assert ReportNoisyMax("gumbel", "2", monotone=True).loss(three) == RangeLoss(Fraction(3, 2))
    assert ReportNoisyMax("exponential", "2").loss(three) == NoisyMaxLoss(3)
    assert ReportNoisyMax("laplace", "2").loss(one) == NoisyMaxLoss(1, laplace=True)
    assert PermuteAndFlip("1").loss(one) == NoisyMaxLoss(1)
    assert PermuteAndFlip("1").loss(three) == NoisyMaxLoss(4)


@pytest.mark.parametrize("laplace_noise", [False, True])
@pytest.mark.parametrize("ratio", ["1e-9", "0.3", "3", "50", "900"])
def test_every_size_is_read_without_a_warning(ratio: str, laplace_noise: bool) -> None:
    loss = NoisyMaxLoss(ratio, laplace_noise)
    for share in (-2.0, -0.5, 0.0, 0.5, 1.0):
        value = loss.delta(share * float(ratio))
        assert 0.0 <= value.lower <= value.upper <= 1.0
    assert loss.supremum().exact == Fraction(ratio)
    for order in ("1.001", "2", "100"):
        value = loss.renyi(order)
        assert 0.0 <= value.lower <= value.upper <= float(ratio) * (1.0 + 1e-12)
    assert loss.concentration().lower <= loss.concentration().upper <= float(ratio) ** 2 / 2 * (1.0 + 1e-12)


@pytest.mark.parametrize("ratio", ["0.1", "1", "3"])
@pytest.mark.parametrize("order", ["1.5", "4", "30"])
def test_moments_lie_between_two_candidates_and_laplace_noise(ratio: str, order: str) -> None:
    with mpmath.workdps(30):
        r, a = mpmath.mpf(ratio), mpmath.mpf(order) - 1
        most = mpmath.log(((1 + a) * mpmath.exp(a * r) + a * mpmath.exp(-(1 + a) * r)) / (1 + 2 * a)) / a
        # Candidates that are level in one dataset.
        p, q = mpmath.mpf(1) / 2, mpmath.exp(-r) / 2
        least = mpmath.log(p ** (1 + a) * q**-a + (1 - p) ** (1 + a) * (1 - q) ** -a) / a
        value = NoisyMaxLoss(ratio).renyi(order)
        assert least * (1 - mpmath.mpf(10) ** -9) <= value.lower <= value.upper <= most * (1 + mpmath.mpf(10) ** -12)


def test_composition_lies_between_two_candidates_and_laplace_noise() -> None:
    """Below 30 Laplace releases; above 30 responses with odds 2 e^(ratio/2) - 1; and close to neither."""
    value = compose([(NoisyMaxLoss(Fraction(1, 3)), 30)]).epsilon("1e-6")
    response = compose([(ResponseLoss(Fraction(math.log(2.0 * math.exp(1 / 6) - 1.0))), 30)]).epsilon("1e-6")
    laplace_noise = compose([(SlopePair(Fraction(1, 3), ends=True), 30)]).epsilon("1e-6")
    assert 1.02 * response.upper < value.lower <= value.upper < 0.99 * laplace_noise.lower
    assert value.upper < 1.0001 * value.lower
