"""All records are looked at or none, by one coin.

Whoever also sees how the coin fell sees either the mechanism on all records or nothing that differs; whoever does not
sees no more. That is a mixture of the mechanism's own loss and of no loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import Neighbours, PrivacyLoss, fields
from accountant.loss import NO_LOSS, MixtureLoss
from accountant.plugin import ConformanceCase, Relation, Sampling, SamplingOracle, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(**proved(__name__, "all-or-nothing-loss", "A release that happens by a coin is a mixture with no loss."))


@frozen
class AllOrNothing(Sampling):
    """All records with some chance, and none otherwise."""

    kind: ClassVar[str] = "all-or-nothing"
    theorem: ClassVar[Theorem] = LOSS

    all: Fraction = field(
        converter=fields.exact,
        validator=[fields.at_least(0), fields.at_most(1)],
        metadata=fields.about("the chance that all records are looked at"),
    )

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        return neighbours if self.all else None

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        if not self.all:
            return NO_LOSS
        lost = between(neighbours.relation)
        return lost if self.all == 1 else MixtureLoss.of([(self.all, lost), (1 - self.all, NO_LOSS)])


def chance(sampling: AllOrNothing, taken: frozenset[int], of: int) -> Fraction:
    """The chance of these places."""
    return (sampling.all if len(taken) == of else Fraction(0)) + (Fraction(0) if taken else 1 - sampling.all)


@hookimpl
def accountant_samplings() -> Iterable[type[Sampling]]:
    return (AllOrNothing,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield SamplingOracle("all-or-nothing", chance)
