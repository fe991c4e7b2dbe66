"""Bounded noise from a table: an answer is off by one at most, and now and then that shows.

The noise is -1, 0 or 1 with chances c, 1 - 2c and c. Where the answer moves by one, two of the four outputs are possible
on one side only; where it moves further, fewer are shared, and from three on none are. The noise is log-concave as long
as c <= (1 - 2c) (c is at most 1/3), so that a smaller move loses no more; coordinates have noise of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import ShiftError, fields
from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(**proved(__name__, "tent-loss", "Noise from a table loses what two copies of it lose."))


@frozen
class Tent(Mechanism):
    """Noise of at most one, from a table."""

    kind: ClassVar[str] = "tent"
    theorem: ClassVar[Theorem] = LOSS

    chance: Fraction = field(
        converter=fields.exact,
        validator=[fields.above(0), fields.at_most("1/3")],
        metadata=fields.about("the chance that the answer is one too large, and that it is one too small"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None or not shift.whole:
            raise ShiftError(f"'{self.kind}' is for answers known to move by whole numbers, but the query moves {shift}")
        return compose((FiniteLoss(self._pair(min(abs(move.numerator), 3))), 1) for move in shift.coordinates)

    def _pair(self, steps: int) -> list[tuple[Fraction, Fraction]]:
        table, none = [self.chance, 1 - 2 * self.chance, self.chance], [Fraction(0)] * steps
        return list(zip([*table, *none], [*none, *table], strict=True))


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Tent,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    one = FiniteLoss([("1/4", 0), ("1/2", "1/4"), ("1/4", "1/2"), (0, "1/4")])
    back = FiniteLoss((q, p) for p, q in one.atoms)
    two = FiniteLoss([("3/4", 0), ("1/4", "1/4"), (0, "3/4")])
    yield MechanismCase("tent by one", Tent("1/4"), Shift.along([1]), (one,))
    yield MechanismCase("tent by two", Tent("1/4"), Shift.along([2]), (one, two))
    yield MechanismCase("two tents", Tent("1/4"), Shift.along([1, -1]), (one.times(back),))
    yield MechanismOracle(
        "tent",
        law=lambda tent, answer: {answer - 1: tent.chance, answer: 1 - 2 * tent.chance, answer + 1: tent.chance},
        answers=lambda tent: range(-4, 5),
    )
