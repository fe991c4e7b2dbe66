"""The usual samplings: each record by its own coin, or so many out of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from attrs import evolve, field, frozen

from accountant import InvalidValue, Neighbours, ShiftError, Theorem
from accountant.fields import about, at_least, at_most, exact, whole
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Between, Relation, Sampling
from accountant_builtin.theorems import FIXED_SIZE, POISSON, POISSON_REPLACED

if TYPE_CHECKING:
    from numpy.random import Generator

    from accountant.loss import Floats, PrivacyLoss


def _one_record(relation: Relation) -> bool:
    """Whether one dataset has a record more than the other."""
    return relation.moves <= ADD_REMOVE.moves


def _check(sampling: Sampling, relation: Relation, *, present: bool = False) -> None:
    """Refuse neighbours of which it is not known how their samples differ; with `present` also those of which one has a
    record that the other has not, whichever may."""
    if not ((present and _one_record(relation)) or relation.by_presence or relation.by_value):
        raise ShiftError(
            f"'{sampling.kind}' sampling is accounted for between '{ADD_REMOVE.name}' and '{REPLACE_ONE.name}' neighbours, "
            f"not between '{relation.name}' ones; promise one of these"
        )


def _in_cells(between: Callable[[Relation], PrivacyLoss], rate: Fraction) -> PrivacyLoss | None:
    """The loss where the two records are counted in two cells with noise of their own: no other two laws are compared."""
    from accountant.loss import replaced_in_cells

    return replaced_in_cells(between(ADD_REMOVE), rate) if _cells(between) else None


def _cells(between: Callable[[Relation], PrivacyLoss]) -> int:
    """In how many cells a record may be counted, in one of them and with noise of its own in each; 0 where it is not so."""
    if not isinstance(between, Between) or between.records is None or between.noise is None:
        return 0
    return len(between.records.vectors) if between.records.one_in_a_cell else 0


def _on_line(between: Callable[[Relation], PrivacyLoss], rate: Fraction) -> PrivacyLoss | None:
    """A loss that the release has, where records move one number and the noise is known."""
    from accountant.loss import replaced_on_line

    if not isinstance(between, Between) or between.records is None or between.noise is None:
        return None
    if between.records.ends is None:
        return None
    near, far = sorted(between.records.ends, key=abs)
    return replaced_on_line(between.noise, far, near, rate)


def _counted_or_not(between: Callable[[Relation], PrivacyLoss]) -> bool:
    """Whether a record is counted or not and adds nothing else: then a replaced one comes or goes, and that is all."""
    if not isinstance(between, Between) or between.records is None or between.records.ends is None:
        return False
    records, low, high = between.records, min(between.records.ends), max(between.records.ends)
    if between.noise is not None and between.noise.whole and low == 0 and high == 1:
        # Whole numbers between 0 and 1 are one of these.
        return True
    return records.all_of_them and len(records.vectors) == 2 and low == 0


def _ends_are_worst(between: Callable[[Relation], PrivacyLoss]) -> bool:
    """Whether no two records on a Poisson sample are worse than those at both ends, in either order."""
    if not isinstance(between, Between) or between.records is None or between.noise is None:
        return False
    ends = between.records.ends
    return ends is not None and max(map(abs, ends)) <= between.noise.near


@frozen
class Poisson(Sampling):
    """Each record is taken independently with the same chance."""

    kind: ClassVar[str] = "poisson"
    theorem: ClassVar[Theorem] = POISSON
    instead: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("sample_rate", "sampling_rate", "q", "probability"), "did you mean 'rate'?"),
        "batch_size": "'rate' is the batch size over the number of records, such as \"256/60000\"",
    }

    rate: Fraction = field(
        converter=exact,
        validator=[at_least(0), at_most(1)],
        metadata=about("the chance that a record is taken"),
    )

    def check(self, neighbours: Neighbours) -> None:
        # Who is not there is not taken, and everybody else has a coin of their own.
        _check(self, neighbours.relation, present=True)

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        # Every other record has its own coin, which falls alike for both: only the record in question can differ.
        self.check(neighbours)
        return None if self.rate == 0 else neighbours

    def theorem_between(self, neighbours: Neighbours) -> Theorem:
        return POISSON if _one_record(neighbours.relation) else POISSON_REPLACED

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        from accountant.loss import NO_LOSS, SampledLoss, either_order, replaced_in_sample

        self.check(neighbours)
        if self.rate == 0:
            return NO_LOSS
        base = between(neighbours.relation)
        if self.rate == 1 or _one_record(neighbours.relation):
            return SampledLoss.of(base, self.rate)
        cells = _in_cells(between, self.rate)
        if cells is not None:
            return cells
        loss = replaced_in_sample(between(ADD_REMOVE), base, self.rate, _on_line(between, self.rate))
        return either_order(loss) if _counted_or_not(between) or _ends_are_worst(between) else loss

    def draws(self, records: int) -> tuple[tuple[Fraction, tuple[int, ...]], ...]:
        return tuple(
            (self.rate**size * (1 - self.rate) ** (records - size), chosen)
            for size in range(records + 1)
            for chosen in combinations(range(records), size)
        )

    def seen(self, contrast: tuple[Floats, Floats], runs: int, generator: Generator) -> tuple[Floats, Floats]:
        import numpy as np

        without, present = contrast
        taken = generator.random((runs, 1)) < float(self.rate)
        return np.broadcast_to(without, (runs, without.size)), np.where(taken, present, without)


@frozen
class WithoutReplacement(Sampling):
    """A sample of a fixed size, each as likely as any other."""

    kind: ClassVar[str] = "without-replacement"
    theorem: ClassVar[Theorem] = FIXED_SIZE

    sample: int = field(converter=whole, validator=at_least(0), metadata=about("how many records are taken"))
    population: int = field(
        converter=whole,
        validator=at_least(1),
        metadata=about("how many records there are, at least; under add-remove in the larger of two neighbours"),
    )

    def __attrs_post_init__(self) -> None:
        if self.sample > self.population:
            raise InvalidValue(f"a sample of {self.sample} cannot be drawn from a population of {self.population}")

    def check(self, neighbours: Neighbours) -> None:
        _check(self, neighbours.relation)
        if self.sample == self.population and _one_record(neighbours.relation):
            raise ShiftError(
                f"a sample of {self.sample} cannot be drawn from the neighbour that has one record less than "
                f"{self.population}; take fewer, or leave the sampling out where every record is used"
            )

    @property
    def least_records(self) -> int:
        return self.population

    def draws(self, records: int) -> tuple[tuple[Fraction, tuple[int, ...]], ...] | None:
        if records < self.sample:
            return None
        found = tuple(combinations(range(records), self.sample))
        return tuple((Fraction(1, len(found)), chosen) for chosen in found)

    def between_samples(self, neighbours: Neighbours) -> Neighbours | None:
        self.check(neighbours)
        if self.sample == 0:
            return None
        if not _one_record(neighbours.relation):
            return neighbours
        # Samples of one size cannot gain a record: where one has the record in question, the other has some other.
        return evolve(neighbours, relation=REPLACE_ONE, attributes=None)

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        from accountant.loss import NO_LOSS, SampledLoss, both_orders, either_order, replaced_beside, replaced_in_sample

        self.check(neighbours)
        rate = Fraction(self.sample, self.population)
        if rate == 0:
            return NO_LOSS
        if _one_record(neighbours.relation):
            return SampledLoss.of(both_orders(between(REPLACE_ONE)), rate)
        base = both_orders(between(neighbours.relation))
        if rate == 1:
            return base
        loss = replaced_in_sample(base, base, rate)
        cells = _cells(between)
        if cells:
            # What is taken in place of the record is in its cell, in that of the other one, or in a third.
            return either_order(loss, *([replaced_beside(between(ADD_REMOVE), rate)] if cells > 2 else []))
        return either_order(loss) if _counted_or_not(between) else loss
