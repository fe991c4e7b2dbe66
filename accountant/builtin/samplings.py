"""Poisson sampling."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant.builtin.theorems import POISSON
from accountant.errors import ShiftError
from accountant.fields import about, above, at_most, exact
from accountant.neighbours import Neighbours, Relation
from accountant.sampling import Sampling
from accountant.theorem import Theorem

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss

_ONE_RECORD = frozenset({(1, 0), (0, 1)})


@frozen
class Poisson(Sampling):
    """Each record is taken independently with the same chance."""

    kind: ClassVar[str] = "poisson"
    theorem: ClassVar[Theorem] = POISSON

    rate: Fraction = field(
        converter=exact,
        validator=[above(0), at_most(1)],
        metadata=about("the chance that a record is taken"),
    )

    def check(self, neighbours: Neighbours) -> None:
        if neighbours.group > 1:
            raise ShiftError(
                f"'{self.kind}' sampling between groups of {neighbours.group} is not accounted for; leave the sampling "
                "out: without it the release only costs more"
            )
        if not neighbours.relation.moves <= _ONE_RECORD:
            raise ShiftError(
                f"'{self.kind}' sampling between '{neighbours.relation.name}' neighbours is not accounted for yet; promise "
                "'add-remove' neighbours, or leave the sampling out: without it the release only costs more"
            )

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        from accountant.loss import SampledLoss

        self.check(neighbours)
        return SampledLoss.of(between(neighbours.relation), self.rate)

    def seen(self, contrast: tuple[Floats, Floats], runs: int, generator: Generator) -> tuple[Floats, Floats]:
        import numpy as np

        without, present = contrast
        taken = generator.random((runs, 1)) < float(self.rate)
        return np.broadcast_to(without, (runs, without.size)), np.where(taken, present, without)
