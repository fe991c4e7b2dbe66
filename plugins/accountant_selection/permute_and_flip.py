"""Permute-and-flip."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Theorem, fields
from accountant.plugin import Mechanism, Shift

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

PERMUTE_AND_FLIP = Theorem(
    "permute-and-flip-loss",
    "Permute-and-flip picks the largest score after exponential noise, and is dominated by the pair of Laplace noise on a "
    "move by epsilon scales; two candidates attain its delta everywhere, and have the largest moments; several picks "
    "have at most what the best choice of such two candidates reaches at each step.",
    "accountant",
    "explanation/choosing-one-of-many",
    (
        "candidates are tried in random order and accepted with chance e^(c (score - largest score)) for a fixed c",
        "epsilon is c times the most by which two scores move apart: twice what one moves, or once if all move one way",
    ),
    assurance="proved-here",
)


@frozen
class PermuteAndFlip(Mechanism):
    """Candidates tried in random order, each accepted with chance e^(c (score - largest score)), until one is.

    Epsilon is for a shift of 1. A larger one, of a group of units or of a query that moves further, counts as its L1 norm
    rounded up. Where scores move by a known amount each, `report-noisy-max` with exponential noise is the same mechanism
    and counts the largest move only.
    """

    kind: ClassVar[str] = "permute-and-flip"
    theorem: ClassVar[Theorem] = PERMUTE_AND_FLIP
    needs_query: ClassVar[bool] = False

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the largest loss: c times the most by which two scores move apart"),
    )

    def scaled(self, factor: Fraction) -> PermuteAndFlip:
        return PermuteAndFlip(self.epsilon / factor)

    def loss(self, shift: Shift) -> PrivacyLoss:
        from accountant_selection.noisy_max_loss import NoisyMaxLoss

        return NoisyMaxLoss(self.epsilon * math.ceil(shift.l1))
