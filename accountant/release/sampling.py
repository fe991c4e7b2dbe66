"""Sampling: which records a release looks at, drawn anew each time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.display.brief import Brief
from accountant.errors import ShiftError
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.theorem import Theorem
from accountant.release.query import Records
from accountant.values.family import Family, Kind

if TYPE_CHECKING:
    from accountant.loss import Noise, PrivacyLoss


@frozen
class Between(Brief):
    """What a mechanism loses between samples that are related in any way, and what is known of how it comes about.

    `records` says what a record adds to the answer, and `noise` what each of its coordinates gets on its own; None where
    that is not said.
    """

    lost: Callable[[Relation], PrivacyLoss]
    records: Records | None = None
    noise: Noise | None = None

    def __call__(self, relation: Relation) -> PrivacyLoss:
        return self.lost(relation)


@frozen
class Sampling(Brief, metaclass=Kind):
    """A random choice of the records that a mechanism sees, known by what it does to the mechanism's loss.

    A subclass is a frozen attrs class whose fields are its parameters, with the name it has in plans as `kind` and the
    theorem that gives the loss as `theorem`.
    """

    kind: ClassVar[str]
    theorem: ClassVar[Theorem]

    instead: ClassVar[Mapping[str, str]] = {}
    """What to write for parameters that people expect here and that there are not, by name."""

    covers_groups: ClassVar[bool] = False
    """Whether its theorem covers several units that differ at once."""

    def check(self, neighbours: Neighbours) -> None:
        """Raise ShiftError, with the remedy, if nothing is known about sampling between such neighbours."""
        return

    def check_group(self, neighbours: Neighbours) -> None:
        """Raise ShiftError if several units may differ at once and the sampling does not say that it covers that."""
        if neighbours.group > 1 and not self.covers_groups:
            raise ShiftError(
                f"'{self.kind}' sampling between groups of {neighbours.group} is not accounted for; leave the sampling out "
                "and account for the mechanism on all records, or promise groups of one"
            )

    def theorem_between(self, neighbours: Neighbours) -> Theorem:
        """The theorem that gives the loss between such neighbours, where one does not say it for all."""
        return self.theorem

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        """How two samples differ that are drawn alike from two such neighbours; None where they never do.

        Somebody who knows who was sampled compares these, whatever the plan's own neighbours are: a sample of a fixed size
        has a record replaced where the data gained or lost one. A sampling that does not say so promises nothing against
        insiders, and plans that ask for it are refused.
        """
        raise ShiftError(
            f"'{self.kind}' sampling does not say how samples of '{neighbours.relation.name}' neighbours differ for "
            "somebody who knows who was sampled; promise this against an 'outsider', or leave the sampling out"
        )

    @property
    def least_records(self) -> int:
        """How many records the larger of two neighbours has at least: of smaller datasets nothing is said."""
        return 0

    def draws(self, records: int) -> tuple[tuple[Fraction, tuple[int, ...]], ...] | None:
        """Every choice out of so many records, by their places, with its chance; None where there is none, or not said.

        Laws try what is stated of a sample on all draws from small datasets.
        """
        return None

    @abstractmethod
    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        """A privacy loss that dominates the mechanism on a sample.

        `between` gives a loss that dominates the mechanism on the records that it sees, for samples related in any way,
        whichever attributes differ; its first law is with the record in question and its second without it where samples
        differ by a record. It raises ShiftError where the mechanism or its query does not say. Where it is a `Between`, it
        also says what is known of the records and the noise.
        """


SAMPLINGS: Family[type[Sampling]] = Family(
    "accountant_samplings", "sampling", Sampling, classes=True, named_by="kind", cites=("theorem",)
)
