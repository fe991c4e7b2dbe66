"""Losses on atoms with rounded masses agree with the exact finite losses they stand for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant.loss import AtomicLoss, Atoms, FiniteLoss, compose
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.testing import laws
from accountant.testing.strategies import finite_losses

EPSILONS = [Fraction(k, 4) for k in range(-12, 13)]


@frozen
class Rounded(AtomicLoss):
    """A finite loss whose masses are only known as doubles."""

    exact_loss: FiniteLoss

    def find_atoms(self) -> Atoms:
        losses, _ = self.exact_loss.finite_atoms()
        masses = [float(p) for p, q in self.exact_loss.atoms if p and q]
        pairs = sorted(zip(losses.middle.tolist(), masses, strict=True))
        values = np.array([mass for _, mass in pairs])
        both = [sum((pair[side] for pair in self.exact_loss.atoms if not pair[1 - side]), Fraction(0)) for side in (0, 1)]
        infinite, absent = (Interval(float_below(mass), float_above(mass)) for mass in both)
        return Atoms(np.array([loss for loss, _ in pairs]), values, values * 2.0**-53, infinite, absent)


@settings(max_examples=20, deadline=None)
@given(finite_losses())
def test_every_reading_encloses_the_exact_one(exact_loss: FiniteLoss) -> None:
    for rounded, exact_side in ((Rounded(exact_loss), exact_loss), (Rounded(exact_loss).reverse(), exact_loss.reverse())):
        for epsilon in EPSILONS:
            meets(rounded.delta(epsilon), exact_side.delta(epsilon))
        for order in (Fraction(9, 8), Fraction(2), Fraction(30)):
            meets(rounded.renyi(order), exact_side.renyi(order))
        meets(rounded.supremum(), exact_side.supremum())
        meets(rounded.infinite(), exact_side.infinite())
        for level in (Fraction(1, 100), Fraction(1, 2)):
            meets(rounded.tradeoff(level), exact_side.tradeoff(level))


@settings(max_examples=12, deadline=None)
@given(finite_losses(size=3), st.integers(2, 3))
def test_compositions_enclose_the_exact_product(exact_loss: FiniteLoss, count: int) -> None:
    composed, product = compose([(Rounded(exact_loss), count)]), compose([(exact_loss, count)])
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
        meets(composed.delta(epsilon), product.delta(epsilon))


def meets(computed: Interval, truth: Interval) -> None:
    assert computed.lower <= truth.upper
    assert truth.lower <= computed.upper


@pytest.mark.parametrize("law", laws.LOSS_LAWS.values(), ids=laws.LOSS_LAWS.keys())
def test_laws_hold_for_an_uneven_pair(law) -> None:  # type: ignore[no-untyped-def]
    law(Rounded(FiniteLoss([("1/2", "1/4"), ("1/4", "1/4"), ("1/4", "0"), ("0", "1/2")])))


@frozen
class Lightened(Rounded):
    """The same with a mass that is too small by more than it admits."""

    def find_atoms(self) -> Atoms:
        atoms = super().find_atoms()
        return Atoms(atoms.losses, atoms.masses * (1.0 - 2.0**-40), atoms.errors, atoms.infinite, atoms.absent)


def test_a_mass_that_is_too_small_is_noticed() -> None:
    pair = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    assert Rounded(pair).delta("1/2").upper >= pair.delta("1/2").lower
    assert Lightened(pair).delta("1/2").upper < pair.delta("1/2").lower
