"""Losses on few atoms together are their exact product."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant.loss import (
    AtomicLoss,
    Atoms,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    compose,
)
from accountant.loss.engine.atom_route import AtomProduct
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.testing.strategies import finite_losses
from tests.loss.references import (
    Pair,
    atoms_delta,
    atoms_tradeoff,
    encloses,
    exact_atoms,
    product_atoms,
    real,
    response_atoms,
)


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


def response_sampled(epsilon: str, lost: str, rate: str, *, swapped: bool) -> list[Pair]:
    q, base = real(rate), response_atoms(epsilon, lost)
    mixed = [((1 - q) * absent + q * present, absent) for present, absent in base]
    return [(absent, present) for present, absent in mixed] if swapped else mixed


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("lost", ["0", "1/1000"])
@pytest.mark.parametrize(
    ("epsilon", "rate", "count"), [("1", "1/250", 3), ("1.87", "0.101", 2), ("3", "0.9", 8), ("1e-4", "1/2", 5)]
)
def test_samples_of_what_is_told_by_its_atoms_are_their_exact_product(
    epsilon: str, rate: str, count: int, lost: str, swapped: bool
) -> None:
    one = SampledLoss(ResponseLoss(epsilon, lost), rate, swapped)
    whole, single = AtomProduct.of([(one, count)]), response_sampled(epsilon, lost, rate, swapped=swapped)
    assert whole is not None
    truth, less = (product_atoms([(single, copies)]) for copies in (count, count - 1))
    top = float(one.supremum().upper) if one.supremum().upper < 1e9 else float(epsilon)
    for point in (0.0, 0.1 * top, 0.9 * top, 1.5 * top):
        found = whole.delta(point)
        assert encloses(found, atoms_delta(truth, point))
        assert found.width <= 1e-12
    # A copy less is seen.
    assert not encloses(whole.delta(0.0), atoms_delta(less, 0.0))


def test_a_thousand_samples_of_two_answers_are_told_by_a_number() -> None:
    found = compose([(SampledLoss(ResponseLoss(1), "1/250"), 1000)])
    share = (real("1/250") * (mp.exp(1) - 1), real("1/250") * (mp.exp(-1) - 1))
    likely = 1 / (1 + mp.exp(-1))
    q = [mp.binomial(1000, k) * (1 - likely) ** k * likely ** (1000 - k) for k in range(1001)]
    truth = sum(
        max(0, (1 + share[0]) ** k * (1 + share[1]) ** (1000 - k) - mp.exp("0.1")) * mass for k, mass in enumerate(q)
    )
    assert encloses(found.delta("0.1"), truth)
    assert found.delta("0.1").width <= 1e-10 * float(truth)


def test_samples_of_what_is_only_enclosed_are_not_taken_by_their_atoms() -> None:
    assert AtomProduct.of([(SampledLoss(Half(), "1/2"), 2)]) is None
