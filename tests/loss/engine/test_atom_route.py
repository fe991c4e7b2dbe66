"""Losses on few atoms together are their exact product."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant.loss import AtomicLoss, Atoms, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose
from accountant.loss.engine.atom_route import AtomProduct
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.testing.strategies import finite_losses
from tests.loss.references import atoms_delta, atoms_tradeoff, encloses, exact_atoms, product_atoms, response_atoms


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


@settings(max_examples=25, deadline=None)
@given(
    finite_losses(size=3),
    st.integers(1, 3),
    st.fractions(0, 4, max_denominator=6),
    st.fractions(0, "1/2", max_denominator=9),
)
def test_tables_and_responses_together_are_those_of_long_arithmetic(
    table: FiniteLoss, count: int, epsilon: Fraction, delta: Fraction
) -> None:
    parts: list[tuple[PrivacyLoss, int]] = [(table, count), (ResponseLoss(epsilon, delta), 2)]
    whole = AtomProduct.of(parts)
    assert whole is not None
    atoms = product_atoms([(exact_atoms(table.atoms), count), (response_atoms(epsilon, delta), 2)])
    backwards = [(q, p) for p, q in atoms]
    for place in (-1.0, 0.0, 0.25, 1.0, 3.0):
        for found, truth in ((whole, atoms), (whole.reverse(), backwards)):
            assert encloses(found.delta(place), atoms_delta(truth, place))
            assert found.delta(place).width < 1e-12
    for level in ("1/100", "1/2"):
        assert encloses(compose(parts).tradeoff(level), atoms_tradeoff(atoms, level))


def test_losses_that_doubles_do_not_hold_are_not_taken_by_their_atoms() -> None:
    assert AtomProduct.of([(ResponseLoss(10**301), 1), (COIN, 1)]) is None
    assert AtomProduct.of([(ResponseLoss(1), 1), (COIN, 1)]) is not None


def test_what_is_infinite_is_not_shared_out_among_what_is_finite() -> None:
    """Planted: chances of finite losses are taken as they are given that no loss is infinite."""
    table = FiniteLoss([("1/2", "1/4"), ("1/4", "3/4"), ("1/4", "0")])
    values, masses = table.finite_atoms()
    order = np.argsort(values.middle)
    shared = AtomProduct(((Atoms(values.middle[order], masses.middle[order], masses.radii[order], table.infinite()), 1),))
    truth = atoms_delta(exact_atoms(table.atoms), 0)
    assert not encloses(shared.delta(0.0), truth)
    kept = AtomProduct.of([(table, 1)])
    assert kept is not None
    assert encloses(kept.delta(0.0), truth)
