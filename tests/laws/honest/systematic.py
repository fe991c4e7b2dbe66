"""Every k-th record of a list, from a random one on: no two records that stand side by side are ever looked at together.

A record whose values are replaced is looked at with a chance of one in k, and then with the same others whatever it says.
Otherwise the same records are looked at in both datasets. Whoever also sees where it began sees the mechanism's own loss
with that chance, and no loss otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import Neighbours, PrivacyLoss, ShiftError, fields
from accountant.loss import NO_LOSS, MixtureLoss
from accountant.plugin import ConformanceCase, Relation, Sampling, SamplingOracle, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(
    **proved(__name__, "systematic-loss", "A record is looked at with a chance of one in k, beside the same others."),
    relations=("replace-one",),
)


@frozen
class Systematic(Sampling):
    """Every k-th record of a list, from a random one on."""

    kind: ClassVar[str] = "systematic"
    theorem: ClassVar[Theorem] = LOSS

    step: int = field(
        converter=fields.whole, validator=fields.at_least(1), metadata=fields.about("how far apart the records stand")
    )

    def check(self, neighbours: Neighbours) -> None:
        if not neighbours.relation.by_value:
            raise ShiftError(f"'{self.kind}' sampling is for replaced records: one that comes or goes moves all others")

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        self.check(neighbours)
        return neighbours

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        self.check(neighbours)
        lost, rate = between(neighbours.relation), Fraction(1, self.step)
        return lost if rate == 1 else MixtureLoss.of([(rate, lost), (1 - rate, NO_LOSS)])


def chance(sampling: Systematic, taken: frozenset[int], of: int) -> Fraction:
    """The share of the starts from which exactly these places are reached."""
    reached = [frozenset(range(start, of, sampling.step)) for start in range(sampling.step)]
    return Fraction(reached.count(taken), sampling.step)


@hookimpl
def accountant_samplings() -> Iterable[type[Sampling]]:
    return (Systematic,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield SamplingOracle("systematic", chance)
