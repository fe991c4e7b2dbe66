"""Drawing again until the output satisfies a public constraint."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import evolve, field, frozen

from accountant import ShiftError, Theorem, fields
from accountant.plugin import Mechanism, Shift

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

CONDITIONAL = Theorem(
    "conditional-mechanism",
    "If the loss of a mechanism lies between -b and a, its loss given that the output satisfies a constraint lies in an "
    "interval of length a + b that contains 0: at most twice epsilon of pure differential privacy, and once epsilon if the "
    "chance of satisfying it is the same for both datasets.",
    "accountant",
    "reference/mechanisms/conditional",
    (
        "the constraint is public, fixed before the data are seen, and satisfied with positive probability",
        "nobody learns how many draws it took",
    ),
    assurance="proved-here",
)
_WIDEST = Fraction(7)
"""Up to this range an eighth of its square is less than what pure differential privacy alone gives."""


@frozen
class Conditional(Mechanism):
    """The output of a mechanism, drawn again and again until it satisfies a public constraint.

    Guarantee: holds for every constraint. A constraint that is always satisfied loses what the mechanism does, and some
    constraints cost twice as much.
    """

    kind: ClassVar[str] = "conditional"
    theorem: ClassVar[Theorem] = CONDITIONAL
    needs_query: ClassVar[bool] = False
    any_relation: ClassVar[bool] = True

    mechanism: Mechanism = field(
        converter=fields.mechanism, metadata=fields.about("the mechanism that is run again, a table with its kind")
    )
    until: str = field(
        converter=fields.text, metadata=fields.about("the public constraint that the output satisfies in the end, in words")
    )

    def scaled(self, factor: Fraction) -> Conditional | None:
        less = self.mechanism.scaled(factor)
        return None if less is None else evolve(self, mechanism=less)

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant.loss import BracketLoss, ResponseLoss

        inner = self.mechanism.loss(shift)
        ends = [side.supremum() for side in (inner, inner.reverse())]
        if any(end.upper == math.inf for end in ends):
            raise ShiftError(
                f"'conditional' needs a mechanism with a finite largest loss, and '{self.mechanism.kind}' has none: "
                "the constraint may keep just the outputs with the largest losses; use 'laplace' or 'geometric' inside"
            )
        width = sum((Fraction(end.upper) if end.exact is None else end.exact for end in ends), Fraction(0))
        if not width:
            return inner
        return BracketLoss(ResponseLoss(width), inner, width**2 / 8 if width <= _WIDEST else None)
