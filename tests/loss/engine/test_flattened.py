"""Some hundreds of losses without moments are read by others that have them, a little wider on either side."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss, SampledLoss, compose
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss import lattice_reference as lattice


def beside(copies: int, *, swapped: bool) -> tuple[PrivacyLoss, list[lattice.Release]]:
    """Discrete noise on samples beside Laplace noise on all records, and the same for the lattice."""
    sample = SampledLoss.of(DiscreteGaussianLoss("3.3", 1), "0.13")
    loss = compose([(sample.reverse() if swapped else sample, copies), (LaplaceLoss(Fraction(1, 5)), 3)])
    return loss, [lattice.discrete_gaussian(3.3, 1, 0.13, swapped, copies), lattice.laplace(0.2, 1.0, False, 3)]


@pytest.mark.parametrize("swapped", [False, True])
def test_hundreds_of_discrete_samples_beside_other_noise_are_enclosed_and_precise(swapped: bool) -> None:
    loss, known = beside(300, swapped=swapped)
    assert isinstance(loss, ComposedLoss)
    flat = loss._flattened
    assert flat is not None
    target = 1e-8
    for found in (flat.epsilon(Fraction(target)), loss.epsilon(Fraction(target))):
        assert found.width <= 1e-4 * found.upper
        for end, sign in ((found.upper, 1.0), (found.lower, -1.0)):
            value, doubt = lattice.lattice_delta(known, end, 2e-4 * end, 12.0)
            assert doubt < 1e-2 * target
            assert sign * (value - target) <= doubt


def test_few_losses_and_those_that_have_moments_stay_as_they_are() -> None:
    few, _ = beside(20, swapped=False)
    assert isinstance(few, ComposedLoss)
    assert few._flattened is None
    line = compose([(SampledLoss.of(GaussianLoss(1), "0.1"), 100)])
    assert isinstance(line, ComposedLoss)
    assert line._contour is not None
    assert line._flattened is None


def test_noise_without_atoms_is_flattened_only_where_a_grid_would_be_coarse() -> None:
    """Its masses are many, so that lines cost much."""
    sample = SampledLoss.of(LaplaceLoss(1), "1/100")
    some, many = (compose([(sample, count)]) for count in (300, 1000))
    assert isinstance(some, ComposedLoss)
    assert isinstance(many, ComposedLoss)
    assert some._flattened is None
    assert many._flattened is not None
