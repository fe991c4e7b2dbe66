"""What a derived loss charges for its values follows from what the inner loss states of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from mpmath import mp

from accountant.loss import AtomicLoss, AtomMoments, Atoms, PrivacyLoss, SampledLoss
from accountant.loss.derived.sampled_atoms import DerivedAtoms, lifted_atoms, lifted_back, mirrored_atoms
from accountant.loss.derived.symmetrised import MirroredLoss
from accountant.loss.engine.grid import dominating_measure
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Balls

mp.dps = 60
EIGHT = mp.mpf(2) ** -50
POINTS = np.array([0.5 + 1e3j, 2.0 + 3.0j, 6.0 + 0.0j, 0.25 - 200.0j])
LAWS = (
    ([2e-9, 3e-9], [0.5, 0.5]),
    ([-4e-7, 2e-9, 1e-3, 2.5], [0.125, 0.25, 0.125, 0.5]),
    ([1e-3, 2.0, 5.0], [0.25, 0.25, 0.5]),
    ([5.0, 40.0], [0.5, 0.5]),
)


@frozen(eq=False)
class Stated(AtomicLoss):
    """A loss whose author states its values and a grain."""

    losses: tuple[float, ...]
    chances: tuple[float, ...]
    coarse: float

    def find_atoms(self) -> Atoms:
        left = [1 - mp.fsum(q for _, q in world) for world in worlds(self.losses, self.chances, self.coarse)]
        absent = Interval(float(min(left)) * (1.0 - 1e-15), float(max(left)) * (1.0 + 1e-15))
        zeros = np.zeros(len(self.chances))
        return Atoms(np.array(self.losses), np.array(self.chances), zeros, absent=absent, grain=self.coarse)


def worlds(losses: Sequence[float], chances: Sequence[float], coarse: float) -> Iterator[list[tuple[Any, Any]]]:
    """Pairs of laws that a stated loss may stand for, as masses of P and Q where P has some."""
    for signs in ((1, 1), (-1, -1), (1, -1)):
        moved = [
            mp.mpf(loss) + signs[place % 2] * EIGHT * (mp.mpf(coarse) + abs(mp.mpf(loss)))
            for place, loss in enumerate(losses)
        ]
        yield [(mp.mpf(mass), mp.mpf(mass) * mp.exp(-loss)) for mass, loss in zip(chances, moved, strict=True)]


def sampled(pairs: list[tuple[Any, Any]], rate: Any) -> list[tuple[Any, Any]]:
    """Values of log R/Q with their masses under R = (1 - rate) Q + rate P."""
    only = 1 - mp.fsum(q for _, q in pairs)
    assert only >= 0
    return [((1 - rate) * q + rate * p, mp.log(((1 - rate) * q + rate * p) / q)) for p, q in pairs] + [
        ((1 - rate) * only, mp.log(1 - rate))
    ]


def mirrored(values: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    above = [(mass, value) for mass, value in values if value > 0]
    images = [(mass * mp.exp(-value), -value) for mass, value in above]
    return [*above, *images, (1 - mp.fsum(mass for mass, _ in above + images), mp.mpf(0))]


def outside(loss: PrivacyLoss, truths: list[tuple[Any, Any]]) -> bool:
    """Whether some stated moment does not enclose that of a law."""
    values, errors = AtomMoments.of([loss]).log_moments(POINTS)  # type: ignore[list-item]
    for point, value, error in zip(POINTS.tolist(), values[0].tolist(), errors[0].tolist(), strict=True):
        truth = mp.fsum(mass * mp.exp(mp.mpc(point) * at) for mass, at in truths)
        if not abs(mp.exp(mp.mpc(value)) / truth - 1) <= mp.expm1(mp.mpf(error)):
            return True
    return False


@pytest.mark.parametrize("rate", ["1/2", "1/100", "9/10", "1e-12"])
@pytest.mark.parametrize("coarse", [0.0, 1.0, 1000.0])
@pytest.mark.parametrize("law", LAWS)
def test_moments_of_samples_answer_for_what_the_values_of_the_noise_are_off_by(
    law: tuple[list[float], list[float]], coarse: float, rate: str
) -> None:
    loss = SampledLoss(Stated(tuple(law[0]), tuple(law[1]), coarse), Fraction(rate))
    chance = mp.mpf(Fraction(rate).numerator) / Fraction(rate).denominator
    for world in worlds(*law, coarse):
        lifted = sampled(world, chance)
        assert not outside(loss, lifted)
        assert not outside(MirroredLoss(loss), mirrored(lifted))
        back = loss.reverse()
        if back.analytic() is AtomMoments:
            absent = [(q, mp.log(q / r)) for (p, q), (r, _) in zip(world, lifted, strict=False)]
            assert not outside(back, [*absent, (1 - mp.fsum(q for q, _ in absent), -mp.log(1 - chance))])


def forgetful(lift: Callable[..., DerivedAtoms | None]) -> Callable[..., DerivedAtoms | None]:
    """Takes values for what they are up to some roundoffs of themselves, whatever their author states."""

    def found(*given: Any, **named: Any) -> DerivedAtoms | None:
        atoms = lift(*given, **named)
        return atoms and DerivedAtoms(Balls.rounded(atoms.values.middle, 64.0), atoms.masses, atoms.infinite)

    return found


@pytest.mark.parametrize("lift", ["lifted_atoms", "lifted_back", "mirrored_atoms"])
def test_a_derived_loss_that_charges_for_its_own_values_alone_is_noticed(
    lift: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accountant.loss.derived import sampled as sampled_room, symmetrised as symmetrised_room

    room = symmetrised_room if lift == "mirrored_atoms" else sampled_room
    plain = {"lifted_atoms": lifted_atoms, "lifted_back": lifted_back, "mirrored_atoms": mirrored_atoms}[lift]
    monkeypatch.setattr(room, lift, forgetful(plain))  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        test_moments_of_samples_answer_for_what_the_values_of_the_noise_are_off_by(LAWS[0], 1000.0, "1/2")


def test_values_on_either_side_of_0_are_left_there_with_what_they_are_off_by() -> None:
    """A value that is stated to be 0 may be a little more, and then has a mirror image."""
    values = Balls(np.array([-1e-12, 0.5]), np.array([3e-12, 0.0]))
    found = mirrored_atoms(DerivedAtoms(values, Balls(np.array([0.25, 0.25])), Atoms(*np.zeros((3, 1))).infinite))
    assert found.values.middle.tolist() == [-0.5, 0.5, 0.0]
    assert found.values.radii[-1] >= 2e-12


@pytest.mark.parametrize("coarse", [1.0, 1000.0])
def test_cells_of_atoms_answer_for_their_grain(coarse: float) -> None:
    """An atom that is stated just below a point of the grid and lies just above it counts at the next one."""
    losses, chances = [0.0, 0.25], [0.5, 0.5]
    loss = Stated(tuple(losses), tuple(chances), coarse)
    step = Fraction(1, 4)
    above = dominating_measure(loss, step, 0, 4, Fraction(0))
    places = [mp.mpf(above.start + k) / 4 for k in range(above.masses.size)]
    for world in worlds(losses, chances, coarse):
        for epsilon in (0.0, 0.1, 0.24):
            grown = mp.exp(mp.mpf(epsilon))
            truth = mp.fsum(max(p - grown * q, 0) for p, q in world)
            point = mp.mpf(epsilon) - mp.mpf(above.slack)
            gains = [max(1 - mp.exp(point - place), 0) for place in places]
            assert truth <= mp.fdot(above.masses.tolist(), gains) + mp.mpf(above.infinite)
