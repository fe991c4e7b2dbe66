"""A yes-or-no answer that is kept with some chance and flipped otherwise, by an author who writes the loss down himself.

P has the chances (k, 1 - k) and Q the chances (1 - k, k), so that the loss is c = log(k/(1 - k)) with chance k and -c
otherwise. Exchanging the two laws exchanges the outcomes: both directions lose the same. Delta is k - e^x (1 - k) between
-c and c; at most -c both outcomes gain, 1 - e^x together, and from c on none does.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant import Interval, fields
from accountant.loss import Cells, FiniteLoss, Floats, PrivacyLoss
from accountant.numbers.rounding import Ball, exp, expm1, log
from accountant.plugin import ConformanceCase, Mechanism, MechanismCase, MechanismOracle, Shift, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(
    **proved(__name__, "kept-or-flipped-loss", "A kept answer has the odds of being kept."), relations=("replace-one",)
)


@frozen
class FlipLoss(PrivacyLoss):
    """The odds of being kept, with the chance of being kept; one over these otherwise."""

    kept: Fraction

    @cached_property
    def _odds(self) -> Ball:
        return log(Ball.of(self.kept / (1 - self.kept)))

    def reverse(self) -> PrivacyLoss:
        return self

    def window(self, log_tail: float) -> tuple[float, float]:
        return -self._odds.upper, self._odds.upper

    def cells(self, edges: Floats) -> Cells:
        p, q = np.zeros(edges.size + 1), np.zeros(edges.size + 1)
        anchors = np.concatenate([edges[:1], edges])
        for loss, mass, other in ((self._odds, self.kept, 1 - self.kept), (-self._odds, 1 - self.kept, self.kept)):
            place = int(np.searchsorted(edges, loss.middle, side="left"))
            p[place] += float(mass)
            q[place] += float(other) * float(np.exp(min(anchors[place], 700.0)))
        q[0] = 0.0
        error = 2.0**-48
        return Cells(p, q, error * p, error * (1.0 + np.abs(anchors)) * q, Interval.of(0))

    def delta_formula(self, epsilon: float) -> Interval:
        if epsilon >= self._odds.upper:
            return Interval.of(0)
        if epsilon <= -self._odds.upper:
            return (-expm1(Ball(epsilon))).interval(0.0, 1.0)
        return (Ball.of(self.kept) - exp(Ball(epsilon)) * Ball.of(1 - self.kept)).interval(0.0, 1.0)

    def log_moment_formula(self, order: float) -> Interval:
        """log of k e^(t c) + (1 - k) e^(-t c), by what it is more than t c."""
        rest = Ball.of(self.kept) + Ball.of(1 - self.kept) * exp(-(2.0 * order * self._odds))
        return (order * self._odds + log(rest)).interval(0.0)

    def supremum_formula(self) -> Interval:
        return self._odds.interval(0.0)

    def infinite_formula(self) -> Interval:
        return Interval.of(0)


@frozen
class KeptOrFlipped(Mechanism):
    """A yes-or-no answer that is kept with some chance."""

    kind: ClassVar[str] = "kept-or-flipped"
    theorem: ClassVar[Theorem] = LOSS
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)

    kept: Fraction = field(
        converter=fields.exact,
        validator=[fields.above("1/2"), fields.at_most("999/1000")],
        metadata=fields.about("the chance that an answer is kept"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        return FlipLoss(self.kept)


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (KeptOrFlipped,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for kept in (Fraction(3, 4), Fraction(99, 100)):
        pair = FiniteLoss([(kept, 1 - kept), (1 - kept, kept)])
        yield MechanismCase(f"an answer kept with {kept}", KeptOrFlipped(kept), Shift.along([1]), (pair,))
    yield MechanismOracle("kept-or-flipped", law=lambda coin, answer: {answer: coin.kept, 1 - answer: 1 - coin.kept})
