"""What may go wrong in a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import attrs

from accountant.errors import AccountantError, ShiftError
from accountant.loss import Cells, FiniteLoss, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.registry.registry import default_registry
from accountant.release.mechanism import MECHANISMS, Mechanism
from accountant.release.query import Shift
from accountant.testing.instances import plainest
from accountant.testing.planting import TENTH, changed, faulty, number_fields, with_field

FAMILY = MECHANISMS


def loss_of_a_smaller_shift(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Half of the way that the query moves is accounted for."""
    return _moved(cls, lambda move: move / 2, lambda move: Fraction((abs(move) + 1) // 2))


def second_coordinate_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Only one of the coordinates that move is accounted for."""
    return _reshifted(cls, lambda shift: Shift.along((shift.coordinates or ())[:1]))


def l2_for_l1(cls: type[Mechanism]) -> type[Mechanism] | None:
    """All coordinates are put into one, as long as they are together by the L2 norm."""
    return _reshifted(cls, lambda shift: Shift.along([Fraction(isqrt(int(shift.l2_squared * 10**12)), 10**6)]))


def right_for_whole_moves_only(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Moves are rounded down to whole numbers."""
    return _moved(cls, lambda move: Fraction(abs(move) // 1)) if _takes(cls, Shift.along(["3/2"])) else None


def right_for_positive_moves_only(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Coordinates that fall are forgotten."""
    return _reshifted(cls, lambda shift: Shift.along(move for move in shift.coordinates or () if move > 0))


def norms_taken_for_one_coordinate(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where only norms are known, the largest coordinate is taken for all there is."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        return cls.loss(mechanism, Shift.along([shift.linf]) if shift.coordinates is None else shift)

    return _unless_same(cls, loss)


def large_moves_cut_off(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Moves beyond three are taken for three."""
    return _moved(cls, lambda move: min(abs(move), Fraction(3)))


def reverse_ignored(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Both directions are said to lose what one of them loses."""
    return _lossy(cls, lambda loss: loss if loss.reverse() is loss else changed(loss, reverse=lambda self: self))


def outcome_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The likeliest outcome that tells something is said to tell nothing."""
    return _lossy(cls, _without_an_outcome)


def cells_lose_a_little_mass(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What composition is made of lacks one part in ten million."""

    def light(own: Callable[..., Cells], self: PrivacyLoss, edges: Any) -> Cells:
        found = own(self, edges)
        return attrs.evolve(found, p=found.p * (1.0 - 1e-7))

    return _with_formula(cls, "cells", light)


def moments_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The formula of moments is a tenth too small."""
    return _with_formula(cls, "log_moment_formula", _a_tenth_low)


def delta_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The formula of delta is a tenth too small."""
    return _with_formula(cls, "delta_formula", _a_tenth_low)


def supremum_a_tenth_low(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The largest loss is said to be a tenth smaller."""
    return _with_formula(cls, "supremum_formula", _a_tenth_low)


def scaled_the_wrong_way(cls: type[Mechanism]) -> type[Mechanism] | None:
    """More noise is less noise."""
    return None if cls.scaled is Mechanism.scaled else faulty(cls, scaled=lambda self, by: cls.scaled(self, 1 / by))


def half_the_noise_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has half the noise that is accounted for."""
    return _run(cls, 0.5)


def a_tenth_less_noise_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has nine tenths of the noise that is accounted for."""
    return _run(cls, 0.9)


def exact_output_hidden(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What the output shows exactly is not declared."""
    return faulty(cls, publishes=lambda self: ()) if cls.theorem.exactly else None


def scope_exceeded(cls: type[Mechanism]) -> type[Mechanism] | None:
    """It is said to hold between neighbours that its theorem does not cover."""
    return faulty(cls, relations=None) if cls.theorem.relations is not None else None


def parameter_halved_when_read(cls: type[Mechanism]) -> type[Mechanism] | None:
    """A parameter is halved when it is read, and so again when what was written is read."""
    names = [name for name in number_fields(cls) if name not in cls.alternatives]

    def halved(value: Any) -> Fraction:
        from accountant.fields import exact

        return exact(value) / 2

    return with_field(cls, names[0], converter=halved) if names else None


def _a_tenth_low(own: Callable[..., Interval | None], self: PrivacyLoss, *place: float) -> Interval | None:
    found = own(self, *place)
    return None if found is None else Interval(float(TENTH) * found.lower, float(TENTH) * found.upper)


def _reshifted(cls: type[Mechanism], other: Callable[[Shift], Shift]) -> type[Mechanism] | None:
    """The loss of another shift where several coordinates are known, or one; norms stay as they are."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        wrong = shift if shift.coordinates is None else other(shift)
        return cls.loss(mechanism, shift if wrong.is_zero else wrong)

    return _unless_same(cls, loss)


def _moved(cls: type[Mechanism], *ways: Callable[[Fraction], Fraction]) -> type[Mechanism] | None:
    """The loss of other moves: the first of several ways that the mechanism takes."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        for way in ways if shift.coordinates else ():
            wrong = Shift.along(map(way, shift.coordinates or ()))
            try:
                return cls.loss(mechanism, shift if wrong.is_zero else wrong)
            except ShiftError:
                continue
        return cls.loss(mechanism, shift)

    return _unless_same(cls, loss)


_MOVES = ((1,), (2,), (1, 1), (1, -1), ("3/2",), (5,))
_SHIFTS = (*(Shift.along(moves) for moves in _MOVES), Shift(Fraction(2), Fraction(2), Fraction(1)))


def _unless_same(cls: type[Mechanism], loss: Callable[[Any, Shift], PrivacyLoss]) -> type[Mechanism] | None:
    """The class with another loss, None where that is the honest one after all."""
    plain = plainest(cls, default_registry())
    if plain is None:
        return None
    for shift in _SHIFTS:
        try:
            if cls.loss(plain, shift) != loss(plain, shift):
                return faulty(cls, loss=loss)
        except AccountantError:
            continue
    return None


def _lossy(cls: type[Mechanism], other: Callable[[PrivacyLoss], PrivacyLoss]) -> type[Mechanism] | None:
    return _unless_same(cls, lambda mechanism, shift: other(cls.loss(mechanism, shift)))


def _with_formula(cls: type[Mechanism], name: str, wrong: Callable[..., Any]) -> type[Mechanism] | None:
    """Losses that have a formula of their own have it wrong; None where they have none."""

    def other(loss: PrivacyLoss) -> PrivacyLoss:
        own = getattr(type(loss), name)
        if isinstance(loss, FiniteLoss) or own is getattr(PrivacyLoss, name) or not attrs.has(type(loss)):
            return loss
        return changed(loss, **{name: lambda self, *place: wrong(own, self, *place)})

    plain = plainest(cls, default_registry())
    try:
        loss = None if plain is None else plain.loss(Shift.along([1]))
        return None if loss is None or other(loss) is loss else _lossy(cls, other)
    except (AccountantError, TypeError):
        return None


def _takes(cls: type[Mechanism], shift: Shift) -> bool:
    plain = plainest(cls, default_registry())
    try:
        return plain is not None and plain.loss(shift) is not None
    except AccountantError:
        return False


def _without_an_outcome(loss: PrivacyLoss) -> PrivacyLoss:
    if not isinstance(loss, FiniteLoss):
        return loss
    telling = [atom for atom in loss.atoms if atom[0] > atom[1]]
    first = max(telling, default=None)
    if first is None:
        return loss
    p, q = first
    rest = [atom for atom in loss.atoms if atom is not first]
    return FiniteLoss([*rest, (q, q), (p - q, 0)]) if not rest else FiniteLoss(_spread(rest, p, q))


def _spread(rest: list[tuple[Fraction, Fraction]], p: Fraction, q: Fraction) -> list[tuple[Fraction, Fraction]]:
    """What one outcome had more on one side goes to the others on that side, in equal shares."""
    share = (p - q) / len(rest)
    return [(q, q), *((left + share, right) for left, right in rest)]


def _run(cls: type[Mechanism], share: float) -> type[Mechanism] | None:
    simulate: Any = getattr(cls, "simulate", None)
    if simulate is None:
        return None
    return faulty(cls, simulate=_less(simulate, share))


def _less(simulate: Callable[..., Any], share: float) -> Callable[..., Any]:
    def run(self: Any, answers: Any, generator: Any) -> Any:
        return answers + share * (simulate(self, answers, generator) - answers)

    return run
