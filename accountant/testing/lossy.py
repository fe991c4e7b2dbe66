"""Lossy: mechanisms whose claimed losses have an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from accountant.errors import AccountantError
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.registry.registry import default_registry
from accountant.release.query import Shift
from accountant.release.release import Mechanism
from accountant.testing.instances import plainest
from accountant.testing.planting import TENTH, changed, faulty


def times(share: float, own: Callable[..., Any], self: PrivacyLoss, *place: Any) -> Any:
    found = own(self, *place)
    return None if found is None else Interval(share * found.lower, share * found.upper)


a_tenth_low = partial(times, float(TENTH))


_MOVES = ((1,), (2,), (1, 1), (1, -1), (1, 1, 1), ("3/2",), (5,), (8,))
_SHIFTS = (*(Shift.along(moves) for moves in _MOVES), Shift(Fraction(2), Fraction(2), Fraction(1)))


def unless_same(cls: type[Mechanism], loss: Callable[[Any, Shift], PrivacyLoss]) -> type[Mechanism] | None:
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


def lossy(cls: type[Mechanism], other: Callable[[PrivacyLoss], PrivacyLoss]) -> type[Mechanism] | None:
    return unless_same(cls, lambda mechanism, shift: other(cls.loss(mechanism, shift)))


def with_method(loss: PrivacyLoss, name: str, wrong: Callable[..., Any]) -> PrivacyLoss:
    """The loss with one of its methods wrong."""
    own = getattr(type(loss), name)
    return changed(loss, **{name: lambda self, *place: wrong(own, self, *place)})


def with_formula(cls: type[Mechanism], name: str, wrong: Callable[..., Any]) -> type[Mechanism] | None:
    """Losses that have a formula of their own have it wrong; None where they have none."""

    def other(loss: PrivacyLoss) -> PrivacyLoss:
        own = getattr(type(loss), name)
        if isinstance(loss, FiniteLoss) or own is getattr(PrivacyLoss, name) or not attrs.has(type(loss)):
            return loss
        return with_method(loss, name, wrong)

    plain = plainest(cls, default_registry())
    try:
        loss = None if plain is None else plain.loss(Shift.along([1]))
        return None if loss is None or other(loss) is loss else lossy(cls, other)
    except (AccountantError, TypeError):
        return None


def with_reading(cls: type[Mechanism], name: str, wrong: Callable[..., Any]) -> type[Mechanism] | None:
    """Losses find a reading in a way of their own, and wrongly."""
    return lossy(cls, lambda loss: with_method(loss, name, wrong)) if own_loss(cls) else None


def unbounded(cls: type[Mechanism]) -> bool:
    """Whether losses of a class of their own have no largest value: much of what is wrong there shows nowhere else."""
    plain = plainest(cls, default_registry())
    return plain is not None and own_loss(cls) and plain.loss(Shift.along([1])).supremum().lower == math.inf


def own_loss(cls: type[Mechanism]) -> bool:
    """Whether the losses of a mechanism are of a class of their own, known by formulas."""
    plain = plainest(cls, default_registry())
    try:
        loss = None if plain is None else plain.loss(Shift.along([1]))
    except AccountantError:
        return False
    known = loss is not None and not isinstance(loss, FiniteLoss) and attrs.has(type(loss)) and loss.precision is None
    return known and loss is not None and loss.delta_formula(0.0) is not None
