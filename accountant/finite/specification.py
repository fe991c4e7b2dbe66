"""FiniteSpecification: which datasets of a tiny domain are compared, found by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any

from attrs import evolve, field, frozen

from accountant.errors import InvalidValue
from accountant.numbers.exact import exact, plain

Statistic = Callable[[Any], Hashable]


@frozen
class DatasetPair:
    """Two datasets that are compared, and how far apart they are."""

    left: Hashable
    right: Hashable
    distance: Fraction = field(default=Fraction(1), converter=exact)

    def __attrs_post_init__(self) -> None:
        if self.distance < 0:
            raise InvalidValue(f"a distance cannot be negative, got {plain(self.distance)}")


def _listed(comparisons: Iterable[DatasetPair]) -> tuple[DatasetPair, ...]:
    return tuple(comparisons)


@frozen
class FiniteSpecification:
    """The comparisons that a promise speaks about. Each is listed once and read in both directions.

    Guarantee: `comparisons` is complete for the datasets it was built from. A specification without any is
    vacuous: every mechanism satisfies it, and it promises nothing.
    """

    comparisons: tuple[DatasetPair, ...] = field(converter=_listed)

    @classmethod
    def neighbours(
        cls,
        datasets: Iterable[Hashable],
        relation: Callable[[Any, Any], bool],
        invariants: Iterable[Statistic] = (),
    ) -> FiniteSpecification:
        """All pairs for which the relation holds one way or the other and that agree on every invariant."""
        return cls.universes(datasets, lambda left, right: 1 if relation(left, right) else None, invariants)

    @classmethod
    def universes(
        cls,
        datasets: Iterable[Hashable],
        distance: Callable[[Any, Any], int | Fraction | None],
        invariants: Iterable[Statistic] = (),
    ) -> FiniteSpecification:
        """All pairs of datasets, at whatever distance, that agree on every invariant.

        Definition: a distance of None is infinite, so the pair is not compared; where the two directions
        differ, the smaller one binds.
        """
        comparisons = []
        for left, right in itertools.combinations(dict.fromkeys(datasets), 2):
            ends = [end for end in (distance(left, right), distance(right, left)) if end is not None]
            if ends:
                comparisons.append(DatasetPair(left, right, min(ends)))
        return cls(comparisons).refine(*invariants)

    def refine(self, *invariants: Statistic) -> FiniteSpecification:
        """The same promise after publishing further statistics exactly.

        Guarantee: compares a subset of the pairs compared before, those that agree on every new invariant.
        """
        return evolve(
            self,
            comparisons=[
                pair
                for pair in self.comparisons
                if all(invariant(pair.left) == invariant(pair.right) for invariant in invariants)
            ],
        )

    @property
    def count(self) -> int:
        """The number of pairs of datasets that are compared."""
        return len(self.comparisons)

    @property
    def vacuous(self) -> bool:
        """Whether nothing is compared, so that nothing is promised."""
        return not self.comparisons
