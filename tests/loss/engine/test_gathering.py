"""How releases are gathered: exactly, whatever their order, and with no work that a reading does not need."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.engine.gathering import LONGEST_SUM, Squares, gathered
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss


def mixed(number: int) -> list[tuple[PrivacyLoss, int]]:
    draw = random.Random(7)
    scales = [Fraction(draw.randrange(10**4, 10**6), 10**4) for _ in range(number)]
    kinds = (lambda s: GaussianLoss(s**-2), lambda s: LaplaceLoss(s**-1), lambda s: DiscreteGaussianLoss(s**2, 1))
    return [(kinds[index % 3](scale), 1 + index % 2) for index, scale in enumerate(scales)]


@pytest.mark.parametrize("seed", range(8))
def test_gaussian_parts_add_up_exactly(seed: int) -> None:
    """The largest seeds have sums too long for one part, and a further one is begun only there."""
    draw = random.Random(seed)
    squares = [
        (Fraction(draw.randrange(1, 10**6), draw.randrange(1, 10**6)), draw.randrange(1, 99)) for _ in range(4**seed)
    ]
    found = gathered((GaussianLoss(square), count) for square, count in squares)
    parts = [loss.mu_squared for loss, count in found if isinstance(loss, GaussianLoss) and count == 1]
    assert sum(parts, Fraction(0)) == sum((square * count for square, count in squares), Fraction(0))
    assert all(part.denominator.bit_length() > LONGEST_SUM for part in parts[:-1])


def test_sums_with_common_denominators_stay_in_one_part() -> None:
    parts = gathered((GaussianLoss(Fraction(1, 2 + k % 90)), 1) for k in range(3000))
    assert len(parts) == 1


def test_a_sum_that_forgets_what_it_began_again_with_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Squares, "sums", lambda self: [Fraction(self._top, self._bottom)])
    with pytest.raises(AssertionError):
        test_gaussian_parts_add_up_exactly(7)


def test_readings_do_not_depend_on_the_order_of_unlike_releases() -> None:
    parts = [(loss, count) for loss, count in mixed(60) if not isinstance(loss, GaussianLoss)]
    parts += [(SampledLoss(GaussianLoss(1), Fraction(1, 10)), 3), (ResponseLoss("1/3"), 2), (GaussianLoss("1/7"), 1)]
    found = {compose(random.Random(seed).sample(parts, len(parts))).epsilon("1e-6") for seed in range(5)}
    assert len(found) == 1


def test_equal_releases_are_counted_together_however_their_numbers_are_written() -> None:
    (part,) = gathered([(LaplaceLoss("1/2"), 2), (LaplaceLoss("0.50"), 3)])
    assert part == (LaplaceLoss(Fraction(2, 4)), 5)
    assert hash(DiscreteGaussianLoss("5/2", 1)) == hash(DiscreteGaussianLoss("2.5", 1))
    assert LaplaceLoss("1/2") != LaplaceLoss("1/3")


def test_a_precise_contour_is_not_followed_by_other_routes() -> None:
    loss = ComposedLoss.of([(SampledLoss(GaussianLoss(1), Fraction(1, 100)), 1000)])
    assert loss.epsilon("1e-5").width < 1e-4
    assert loss.delta("1/3").width < 1e-4
    assert not loss._directs
