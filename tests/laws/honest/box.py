"""Noise that is anything up to some width, all of it equally likely, by an author who runs it and works cases out.

Where an answer moves by m, outputs within the width of both answers are as likely on either side, and all others show
which it was; these have a chance of m over twice the width, or of 1 from there on. Coordinates have noise of their own, and
show nothing where all of them do.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import ShiftError, fields
from accountant.loss import FiniteLoss, Floats, PrivacyLoss
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

if TYPE_CHECKING:
    from numpy.random import Generator

LOSS = Theorem(**proved(__name__, "box-loss", "Even noise shows which answer it was, or nothing."))


@frozen
class Box(Mechanism):
    """Even noise up to some width."""

    kind: ClassVar[str] = "box"
    theorem: ClassVar[Theorem] = LOSS

    width: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("how far the answer is off at most")
    )

    def scaled(self, factor: Fraction) -> Box:
        return Box(self.width * factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        if shift.coordinates is None:
            raise ShiftError(f"'{self.kind}' is for queries of which every move is known, but this one moves {shift}")
        same = prod((max(1 - abs(move) / (2 * self.width), Fraction(0)) for move in shift.coordinates), start=Fraction(1))
        return FiniteLoss([(1 - same, 0), (same, same), (0, 1 - same)])

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        off: Floats = generator.uniform(-1.0, 1.0, answers.shape)
        return answers + float(self.width) * off


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Box,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    one = FiniteLoss([("1/4", 0), ("3/4", "3/4"), (0, "1/4")])
    yield MechanismCase("a box", Box(2), Shift.along([1]), (one,))
    far = FiniteLoss([("3/4", 0), ("1/4", "1/4"), (0, "3/4")])
    yield MechanismCase("a box, far", Box(2), Shift.along([3]), (one, far))
    yield MechanismCase("two boxes", Box(2), Shift.along([1, -1]), (one.times(one),))
    yield MechanismOracle("box", tail=tail)


def tail(box: Box, answer: Fraction, threshold: Fraction) -> Fraction:
    """The share of the box above a threshold."""
    return min(max((answer + box.width - threshold) / (2 * box.width), Fraction(0)), Fraction(1))
