"""The exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields
from accountant.plugin import Mechanism, Shift

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

BOUNDED_RANGE = Theorem(
    "bounded-range-selection",
    "When the losses of each selection lie in an interval of length epsilon, one selection has at most the delta "
    "(e^(epsilon/2) - e^(x/2))^2/(e^epsilon - 1) at x, and several have at most what the best choice of the next "
    "interval reaches at each step.",
    "accountant",
    "explanation/choosing-one-of-many",
    (
        "a candidate is picked with a chance proportional to e^(c score) for a fixed c, or by adding Gumbel noise",
        "epsilon is c times the most by which two scores move apart: twice what one moves, or once if all move one way",
    ),
    assurance="proved-here",
)


@frozen
class Exponential(Mechanism):
    """A candidate picked with a chance proportional to e^(c score): all losses lie in an interval of length epsilon.

    Epsilon is for a shift of 1. A larger one, of a group of units or of a query that moves further, counts as its L1 norm
    rounded up. Where scores move by a known amount each, `report-noisy-max` with Gumbel noise is the same mechanism and
    counts the largest move only.
    """

    kind: ClassVar[str] = "exponential"
    theorem: ClassVar[Theorem] = BOUNDED_RANGE
    needs_query: ClassVar[bool] = False

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about(
            "the length of the interval of losses, which is the epsilon of pure differential privacy too"
        ),
    )

    def scaled(self, factor: Fraction) -> Exponential:
        return Exponential(self.epsilon / factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant_selection.range_loss import RangeLoss

        return RangeLoss(self.epsilon * math.ceil(shift.l1))
