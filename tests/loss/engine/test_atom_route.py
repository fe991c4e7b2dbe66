"""Losses on few atoms together are their exact product."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant.loss import AtomicLoss, Atoms, FiniteLoss, GaussianLoss, PrivacyLoss, compose
from accountant.loss.engine.atom_route import AtomProduct
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.testing.strategies import finite_losses


@frozen
class Given(AtomicLoss):
    """A finite loss whose masses are only known as doubles."""

    exact_loss: FiniteLoss

    def find_atoms(self) -> Atoms:
        losses, _ = self.exact_loss.finite_atoms()
        masses = [float(p) for p, q in self.exact_loss.atoms if p and q]
        pairs = sorted(zip(losses.middle.tolist(), masses, strict=True))
        both = [sum((pair[side] for pair in self.exact_loss.atoms if not pair[1 - side]), Fraction(0)) for side in (0, 1)]
        infinite, absent = (Interval(float_below(mass), float_above(mass)) for mass in both)
        values = np.array([mass for _, mass in pairs])
        return Atoms(np.array([loss for loss, _ in pairs]), values, values * 2.0**-53, infinite, absent)


@settings(max_examples=25, deadline=None)
@given(finite_losses(size=3), finite_losses(size=4), st.integers(1, 3))
def test_readings_enclose_those_of_the_exact_product(first: FiniteLoss, second: FiniteLoss, count: int) -> None:
    parts: list[tuple[PrivacyLoss, int]] = [(Given(first), count), (Given(second), 1)]
    whole, exact = AtomProduct.of(parts), first
    assert whole is not None
    for other in [first] * (count - 1) + [second]:
        exact = exact.times(other)
    for epsilon in (-1.0, 0.0, 0.25, 1.0, 3.0):
        meets(whole.delta(epsilon), exact.delta(epsilon))
        assert whole.delta(epsilon).width < 1e-12
    for level in ("1/100", "1/2"):
        meets(whole.tradeoff(level), exact.tradeoff(level))
    meets(compose(parts).epsilon("1/10"), exact.epsilon("1/10"))


def meets(computed: Interval, truth: Interval) -> None:
    assert computed.lower <= truth.upper
    assert truth.lower <= computed.upper


COIN = Given(FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")]))


def test_equal_sums_are_one_atom() -> None:
    whole = AtomProduct.of([(COIN, 10)])
    assert whole is not None
    assert whole.atoms.losses.size == 11


def test_only_few_atoms_are_taken_together() -> None:
    many = Given(FiniteLoss((Fraction(1, 200), Fraction(k, 20100)) for k in range(1, 201)))
    assert AtomProduct.of([(many, 2)]) is not None
    assert AtomProduct.of([(many, 4)]) is None
    assert AtomProduct.of([(COIN, 10**9)]) is None
    assert AtomProduct.of([(COIN, 1), (GaussianLoss(1), 1)]) is None


@frozen
class Half(AtomicLoss):
    """A loss that doubles do not hold: enclosed by others."""

    def find_atoms(self) -> Atoms:
        raise AssertionError("nobody may ask")

    def dominating(self) -> PrivacyLoss:
        return COIN


def test_a_loss_that_is_only_enclosed_is_not_taken_by_its_atoms() -> None:
    assert AtomProduct.of([(Half(), 2)]) is None


def test_what_is_left_out_counts_as_lost() -> None:
    rare = Fraction(1, 10**50)
    pair = FiniteLoss([(rare, rare / 2), ((1 - rare) / 2, (1 - rare / 2) / 3), ((1 - rare) / 2, 2 * (1 - rare / 2) / 3)])
    whole = AtomProduct.of([(Given(pair), 2)])
    assert whole is not None
    assert 1e-50 < whole.atoms.infinite.upper < 3e-50
    assert whole.atoms.infinite.lower == 0.0
    for epsilon in (0.0, 0.5, 2.0):
        exact = pair.times(pair).delta(epsilon)
        meets(whole.delta(epsilon), exact)


def test_what_one_side_alone_has_is_lost_in_the_other_direction() -> None:
    pair = FiniteLoss([("1/2", "1/4"), ("1/4", "1/4"), ("1/4", "0"), ("0", "1/2")])
    whole = AtomProduct.of([(Given(pair), 2)])
    assert whole is not None
    truth = pair.times(pair).reverse()
    assert whole.reverse().infinite().contains(Fraction(3, 4))
    for epsilon in (0.0, 0.5, 2.0):
        meets(whole.reverse().delta(epsilon), truth.delta(epsilon))
    meets(whole.reverse().supremum(), truth.supremum())


def test_what_is_rare_on_one_side_is_not_forgotten_on_the_other() -> None:
    rare = Fraction(1, 10**50)
    pair = FiniteLoss([(rare, Fraction(1, 4)), (1 - rare, Fraction(3, 4))])
    whole = AtomProduct.of([(Given(pair), 2)])
    assert whole is not None
    truth = pair.times(pair).reverse()
    for epsilon in (0.0, 0.5, 2.0):
        meets(whole.reverse().delta(epsilon), truth.delta(epsilon))
    assert whole.reverse().infinite().lower == 0.0


def test_a_planted_product_that_forgets_an_order_is_caught() -> None:
    """Atoms multiplied one by one instead of each with each."""
    pair = FiniteLoss([("1/2", "1/4"), ("1/4", "1/4"), ("1/4", "1/2")])
    atoms = Given(pair).atoms
    forgetful = Atoms(2 * atoms.losses, atoms.masses, atoms.errors)
    whole = AtomProduct(((forgetful, 1),))
    truth = pair.times(pair).delta("1/2")
    assert whole.delta("1/2").upper < truth.lower or truth.upper < whole.delta("1/2").lower
    good = AtomProduct.of([(Given(pair), 2)])
    assert good is not None
    meets(good.delta("1/2"), truth)
    assert len({p + q for p, q in product(atoms.losses, atoms.losses)}) >= good.atoms.losses.size
