"""Losses from below are those of whole laws: rounding and what is left out take no mass away."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from accountant import account, read_plan
from accountant.loss import FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.derived.discretised import FlatLoss, flat_below
from accountant.loss.derived.merged import under
from accountant.loss.engine.composition import ComposedLoss
from accountant.loss.families.atomic import AtomicLoss, Atoms
from accountant.numbers.rounding import Balls
from accountant_noise.laplace_loss import LaplaceLoss

SOURCE = ComposedLoss.of([(LaplaceLoss(Fraction(1, 3)), 2), (ResponseLoss(Fraction(1, 5)), 6)])


def masses_of(atoms: Atoms) -> tuple[mp.mpf, mp.mpf]:
    """All of the first law and of the second, in sixty digits."""
    with mp.workdps(60):
        pairs = list(zip(atoms.masses.tolist(), atoms.losses.tolist(), strict=True))
        return mp.fsum(m for m, _ in pairs) + atoms.infinite.lower, mp.fsum(m * mp.exp(-mp.mpf(x)) for m, x in pairs)


def test_a_composition_from_below_has_all_of_its_mass() -> None:
    flat = flat_below(SOURCE)
    assert isinstance(flat, FlatLoss)
    first, second = masses_of(flat.atoms)
    assert abs(first - 1) < 1e-18
    assert abs(second - 1) < 1e-14


@pytest.mark.parametrize("place", [-40, -30, -20, -3, -1, 0, 1])
def test_a_loss_from_below_is_read_far_below_zero(place: int) -> None:
    """It lacked 3e-13 of its mass, which was taken for a contradiction below -3."""
    flat, whole = flat_below(SOURCE), SOURCE.delta(place)
    for loss in (flat, compose([(flat, 1)]), flat.reverse()):
        value = loss.delta(place)
        assert value.lower <= whole.upper
        assert value.upper >= -math.expm1(min(place, 0)) * (1.0 - 1e-12)
    beside = compose([(flat, 3), (GaussianLoss(Fraction(1, 4)), 1)]).delta(place)
    assert beside.lower <= compose([(SOURCE, 3), (GaussianLoss(Fraction(1, 4)), 1)]).delta(place).upper


@pytest.mark.parametrize("missing", [0.0, 1e-13, 1e-3, 0.2])
@pytest.mark.parametrize("lost", [0.0, 1e-3])
def test_what_is_missing_is_merged_with_what_loses_least(missing: float, lost: float) -> None:
    """Against every law that the masses may have been rounded from: at no epsilon does the result lose more."""
    generator = np.random.default_rng(5)
    for size in (2, 3, 9):
        p, q = (generator.dirichlet(np.full(size, 0.7)) for _ in range(2))
        p *= 1.0 - lost
        low, high = (
            p * (1.0 - missing * generator.random(size)),
            np.minimum(q * (1.0 + missing * generator.random(size)), 1.0),
        )
        atoms = under(Balls(low), Balls(high), lost)
        first, second = masses_of(atoms)
        assert abs(first - 1) < 1e-15
        assert abs(second + atoms.absent.lower - 1) < 1e-12
        for point in (-5.0, -1.0, -0.2, 0.0, 0.3, 2.0):
            truth = lost + float(np.maximum(p - math.exp(point) * q, 0.0).sum())
            assert delta_of(atoms, point) <= max(truth, -math.expm1(point)) + 1e-13
            assert delta_of(atoms, point) >= -math.expm1(min(point, 0.0)) - 1e-13


def delta_of(atoms: Atoms, point: float) -> float:
    return float(atoms.masses @ np.maximum(-np.expm1(point - atoms.losses), 0.0)) + atoms.infinite.lower


def test_nothing_that_is_known_is_given_away() -> None:
    """Exact masses keep all but their lowest atom, which is what was left of both laws."""
    pair = FiniteLoss([("1/2", "1/8"), ("1/4", "3/8"), ("1/4", "1/2")])
    p, q = (np.array([float(atom[side]) for atom in pair.atoms]) for side in (0, 1))
    atoms = under(Balls(p), Balls(q))
    assert atoms.losses == pytest.approx(np.log(p / q)[::-1], rel=1e-15)
    assert atoms.masses.tolist() == [0.25, 0.25, 0.5]


def test_where_hardly_anything_is_left_nothing_is_lost() -> None:
    atoms = under(Balls(np.array([1e-3])), Balls(np.array([0.9])))
    assert delta_of(atoms, 0.0) == 0.0
    assert masses_of(atoms)[0] == 1


class Short(AtomicLoss):
    """A law of which a tenth is missing."""

    def find_atoms(self) -> Atoms:
        return Atoms(np.array([-1.0, 1.0]), np.array([0.2, 0.7]), np.zeros(2))


def test_a_law_that_lacks_mass_is_noticed() -> None:
    from accountant.testing import laws

    with pytest.raises(AssertionError, match="must hold all of its mass"):
        laws.cells_hold_all_mass(Short())
    sides: list[PrivacyLoss] = [flat_below(SOURCE), SampledLoss.of(flat_below(SOURCE), "1/10")]
    for loss in sides:
        laws.cells_hold_all_mass(loss)


@pytest.mark.parametrize("rate", ["1e-4", "1/10", "9/10"])
@pytest.mark.parametrize("edges", [[0.0], [-1e-4, 0.0, 1e-3], [-0.5, 0.0, 0.5]])
def test_samples_of_a_loss_from_below_have_all_of_its_mass(rate: str, edges: list[float]) -> None:
    """An atom that rounding put just below 0 was on neither side of 0: the other order has it just below 0 as well."""
    base = flat_below(ComposedLoss.of([(ResponseLoss(1), 2)]))
    assert -1e-12 < base.atoms.losses[1] < 0.0  # type: ignore[attr-defined]
    cells = SampledLoss.of(base, rate).cells(np.array(edges))
    assert float(cells.p.sum()) == pytest.approx(1.0, rel=1e-13)


@pytest.mark.slow
def test_thousands_of_discrete_histograms_beside_a_sum_are_read() -> None:
    plan = {
        "specification": {"neighbours": "replace-one"},
        "release": [
            {
                "name": "counts",
                "query": {"kind": "histogram", "attributes": ["age"]},
                "mechanism": {"kind": "geometric", "scale": "1"},
                "sampling": {"kind": "without-replacement", "sample": 1, "population": 10000},
                "times": 2026,
            },
            {
                "name": "sum",
                "query": {"kind": "sum", "attributes": ["income"], "lower": "0", "upper": "1"},
                "mechanism": {"kind": "laplace", "scale": "0.05"},
            },
        ],
    }
    value = account(read_plan(plan)).measure("pbdp", epsilon="0.001").value
    # The sum alone, of 20 at its largest loss: delta is 1 - e^(-(20 - 0.001)/2), and no sample adds more than is left.
    assert value.upper >= 1 - math.exp(-10) >= 0.999 * value.lower
    assert value.width < 1e-4
