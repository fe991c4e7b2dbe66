"""Laplace noise on several coordinates, against sums over a fine partition of the plane and against norms."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import mpmath as mp
import pytest

from accountant import Interval
from accountant.loss import ResponseLoss, compose
from accountant.plugin import Shift
from accountant_noise import Laplace
from accountant_noise.laplace_loss import LaplaceLoss

Piece = tuple[mp.mpf, mp.mpf]


def partition(ratio: str, parts: int) -> list[Piece]:
    """(P mass, Q mass) of each of some intervals between the two answers, and of what lies beyond either, exactly."""
    r = mp.mpf(Fraction(ratio).numerator) / Fraction(ratio).denominator
    cuts = [r * k / parts for k in range(parts + 1)]

    def above(x: mp.mpf) -> mp.mpf:
        return mp.exp(-x) / 2 if x >= 0 else 1 - mp.exp(x) / 2

    tails = [(mp.mpf(1), mp.mpf(1)), *((above(cut), above(cut - r)) for cut in cuts), (mp.mpf(0), mp.mpf(0))]
    return [(p - next_p, q - next_q) for (p, q), (next_p, next_q) in pairwise(tails)]


def hockey_stick(pieces: list[list[Piece]], epsilon: float, spread: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """Bounds on delta: merging outcomes lowers it, and within a piece losses vary by at most `spread`."""
    outcomes = [(mp.mpf(1), mp.mpf(1))]
    for part in pieces:
        outcomes = [(p * r, q * s) for (p, q), (r, s) in product(outcomes, part)]
    low, high = (mp.fsum(max(p - mp.exp(mp.mpf(e)) * q, 0) for p, q in outcomes) for e in (epsilon, epsilon - spread))
    return low, high


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "shift"), [("2", [1, -1]), ("1/2", [1, "1/3"]), ("5", [4, -2]), ("1", ["1/10", "1/10"])])
def test_coordinates_lose_independently(scale: str, shift: list[object]) -> None:
    moves = [abs(Fraction(str(move))) / Fraction(scale) for move in shift]
    loss = Laplace(scale).loss(Shift.along([Fraction(str(move)) for move in shift]))
    parts = 60
    with mp.workdps(30):
        pieces = [partition(str(move), parts) for move in moves]
        spread = 2 * sum(mp.mpf(move.numerator) / move.denominator for move in moves) / parts
        top = float(sum(moves))
        for share in (-0.5, 0.0, 0.25, 0.6, 0.9):
            low, high = hockey_stick(pieces, share * top, spread)
            found = loss.delta(share * top)
            assert found.lower <= high
            assert low <= found.upper
    assert loss.supremum().exact == sum(moves)


def test_two_coordinates_are_the_integral_of_one_over_the_other() -> None:
    """delta(e) = E over the second loss of delta of the first at e less that loss, by quadrature."""
    loss = Laplace("1").loss(Shift.along([1, "1/2"]))
    with mp.workdps(25):

        def first(epsilon: mp.mpf) -> mp.mpf:
            if epsilon >= 1:
                return mp.mpf(0)
            return 1 - mp.exp((epsilon - 1) / 2) if epsilon > -1 else 1 - mp.exp(epsilon)

        r = mp.mpf(1) / 2
        for epsilon in (mp.mpf("0"), mp.mpf("0.25"), mp.mpf("0.7"), mp.mpf("1.2")):
            ends = first(epsilon - r) / 2 + mp.exp(-r) / 2 * first(epsilon + r)
            cuts = sorted({-r, r, *(cut for cut in (epsilon - 1, epsilon + 1) if -r < cut < r)})
            inner = mp.quad(lambda value, e=epsilon: mp.exp((value - r) / 2) / 4 * first(e - value), cuts)
            found = loss.delta(Fraction(str(epsilon)))
            assert mp.mpf(found.lower) - mp.mpf(10) ** -20 <= ends + inner <= mp.mpf(found.upper) + mp.mpf(10) ** -20
            assert found.width < 1e-3 * found.upper


def test_norms_alone_are_enclosed_and_their_supremum_is_exact() -> None:
    """Whatever two coordinates have an L1 norm of 3 and no move above 2, they lose what lies in between."""
    loss = Laplace("2").loss(Shift(Fraction(3), Fraction(5), Fraction(2)))
    assert loss.supremum().exact == Fraction(3, 2)
    for epsilon in ("0", "1/2", "1.2"):
        value, held = loss.delta(epsilon), Laplace("2").loss(Shift.along([2, -1])).delta(epsilon)
        assert value.lower == LaplaceLoss(1).delta(epsilon).lower
        # At worst all of the L1 norm is in one coordinate.
        assert value.upper == LaplaceLoss("3/2").delta(epsilon).upper <= ResponseLoss("3/2").delta(epsilon).upper
        assert value.lower <= held.upper
        assert held.lower <= value.upper


def test_norms_stay_enclosed_in_company() -> None:
    norms = Laplace("2").loss(Shift(Fraction(3), Fraction(5), Fraction(2)))
    whole = compose([(norms, 2), (LaplaceLoss(1), 1)])
    assert whole.supremum().exact == 4
    held = compose([(Laplace("2").loss(Shift.along([2, 1])), 2), (LaplaceLoss(1), 1)])
    value = whole.delta("1/2")
    assert value.lower <= held.delta("1/2").upper
    assert held.delta("1/2").lower <= value.upper


@pytest.mark.parametrize("ratio", ["1e-12", "1e-9", "1e-6", "1e-3"])
def test_the_concentration_of_wide_noise_is_sharp(ratio: str) -> None:
    """It is about half the square of the ratio: what is purely private is never worse than randomised response."""
    found = LaplaceLoss(ratio).concentration()
    half = float(Fraction(ratio) ** 2 / 2)
    assert half * (1 - float(Fraction(ratio))) <= found.upper <= half * (1 + 1e-9)
    assert found.width <= 1e-5 * found.upper


@pytest.mark.parametrize("scale", ["1e-300", "1e300"])
def test_extreme_scales_are_enclosed(scale: str) -> None:
    loss = Laplace(scale).loss(Shift.along([1, -1]))
    assert loss.supremum().exact == 2 / Fraction(scale)
    value = loss.renyi(2)
    assert 0.0 <= value.lower <= value.upper <= float(2 / Fraction(scale)) * (1 + 1e-9) + 1e-300
    assert Laplace(scale).loss(Shift.along([1])).delta(1) == (
        Interval.of(0) if scale == "1e300" else LaplaceLoss("1e300").delta(1)
    )
