"""What a sample leaves of a loss that is not the same both ways, against the laws themselves.

The largest loss, the chance of telling everything and the concentration come from the loss on all records, seen from the
right side: of a pair that differs from its exchange each of them is another.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import pytest

from accountant.loss import FiniteLoss, SampledLoss

P = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]
Q = [Fraction(1, 10), Fraction(3, 10), Fraction(3, 5)]


def laws(rate: Fraction, swapped: bool) -> list[tuple[Fraction, Fraction]]:
    pairs = [(rate * p + (1 - rate) * q, q) for p, q in zip(P, Q, strict=True)]
    return [(q, r) for r, q in pairs] if swapped else pairs


def log_of(value: Fraction) -> object:
    return mp.log(mp.mpf(value.numerator) / value.denominator)


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(9, 10), Fraction(1)])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_largest_loss_and_the_concentration_are_those_of_the_sampled_laws(rate: Fraction, swapped: bool) -> None:
    loss = SampledLoss(FiniteLoss(zip(P, Q, strict=True)), rate)
    side = loss.reverse() if swapped else loss
    pairs = laws(rate, swapped)
    top = max(log_of(p / q) for p, q in pairs)
    assert side.supremum().lower <= top <= side.supremum().upper
    assert side.supremum().width < 1e-12

    def slope(order: float) -> object:
        """The log moment over t (t + 1), of which the concentration is the least upper bound."""
        t = mp.mpf(order)
        moment = mp.fsum(mp.mpf(p.numerator) / p.denominator * mp.exp(t * log_of(p / q)) for p, q in pairs)
        return mp.log(moment) / (t * (t + 1))

    orders = [2.0 ** (k / 4) for k in range(-120, -20)] + [2.0 ** (k / 64) for k in range(-320, 320)]
    found, best = side.concentration(), max(map(slope, orders))
    assert best <= found.upper
    assert found.lower <= best * (1 + mp.mpf(10) ** -4)
    assert found.width < 1e-2 * float(best)


@pytest.mark.parametrize("swapped", [False, True])
def test_what_tells_everything_is_sampled_with_its_record(swapped: bool) -> None:
    """Under P an outcome that Q does not have, and under Q one that P does not have."""
    loss = SampledLoss(
        FiniteLoss([(Fraction(1, 2), 0), (Fraction(1, 2), Fraction(2, 3)), (0, Fraction(1, 3))]), Fraction(1, 4)
    )
    side = loss.reverse() if swapped else loss
    # With a rate below 1 every outcome of Q is an outcome of the sampled law.
    truth = Fraction(0) if swapped else Fraction(1, 8)
    assert side.infinite().lower <= truth <= side.infinite().upper
    assert side.infinite().width < 1e-15
    if swapped:
        top = side.supremum()
        assert top.lower <= math.log(4 / 3) + 1e-15
        assert top.upper >= math.log(4 / 3) - 1e-15
        assert top.width < 1e-12
