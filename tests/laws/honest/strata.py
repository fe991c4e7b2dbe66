"""Records in two strata, by turns, each taken by a coin of its own: heads more often in one stratum than in the other.

A record that is taken with a chance q of at most q' is one that is taken with q' and then given up with a further chance.
So the pair of laws is a mixture of the pair for q' and of two equal laws, and loses no more: the larger of both rates
serves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import prod
from typing import ClassVar

from attrs import field, frozen

from accountant import Neighbours, PrivacyLoss, ShiftError, fields
from accountant.loss import NO_LOSS, SampledLoss
from accountant.plugin import ADD_REMOVE, ConformanceCase, Relation, Sampling, SamplingOracle, Theorem, hookimpl
from tests.laws.honest import proved

LOSS = Theorem(**proved(__name__, "strata-loss", "A sample by strata loses no more than one with the largest rate of all."))
_RATE = [fields.at_least(0), fields.at_most(1)]


@frozen
class Strata(Sampling):
    """Every record by its own coin, of one of two kinds by turns."""

    kind: ClassVar[str] = "strata"
    theorem: ClassVar[Theorem] = LOSS

    even: Fraction = field(converter=fields.exact, validator=_RATE, metadata=fields.about("the chance in one stratum"))
    odd: Fraction = field(converter=fields.exact, validator=_RATE, metadata=fields.about("the chance in the other"))

    def check(self, neighbours: Neighbours) -> None:
        if not neighbours.relation.by_presence:
            raise ShiftError(f"'{self.kind}' sampling is accounted for between '{ADD_REMOVE.name}' neighbours only")

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        self.check(neighbours)
        return neighbours if max(self.even, self.odd) else None

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        self.check(neighbours)
        rate = max(self.even, self.odd)
        return SampledLoss.of(between(neighbours.relation), rate) if rate else NO_LOSS


def chance(sampling: Strata, taken: frozenset[int], of: int) -> Fraction:
    """The chance of these places: coins of two kinds, by turns."""
    rates = [sampling.odd if place % 2 else sampling.even for place in range(of)]
    return Fraction(prod(rate if place in taken else 1 - rate for place, rate in enumerate(rates)))


@hookimpl
def accountant_samplings() -> Iterable[type[Sampling]]:
    return (Strata,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    yield SamplingOracle("strata", chance)
