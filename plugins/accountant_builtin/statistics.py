"""What analysts release of one value or of several: means, proportions, variances, quantiles and cross-products."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from attrs import Attribute, evolve, field, frozen

from accountant import InvalidValue, Neighbours, ShiftError, Theorem, fields
from accountant.fields import about, above, at_least, at_most, below, exact_list
from accountant.plugin import Query, Records, Shift
from accountant_builtin.queries import Bounded, furthest
from accountant_builtin.theorems import SHIFT

_SIZE = about("how many records there are, which everybody knows")
_SIZED = dict.fromkeys(("n", "count", "records", "population"), "did you mean 'size'?")
_MOST_COLUMNS = 200


def _moves_among(query: Mean | Proportion | Variance, neighbours: Neighbours) -> frozenset[tuple[int, int]]:
    """How many records appear and disappear: no more than there are. Refused where their number is not the same."""
    if not neighbours.relation.public_size:
        raise ShiftError(
            f"a {query.kind} divides by the number of records, and between '{neighbours.relation.name}' neighbours that is "
            "not the same, so it is not public; release a 'sum' and a 'count' and divide them, or promise 'replace-one'"
        )
    return frozenset((min(appear, query.size), min(gone, query.size)) for appear, gone in neighbours.moves)


@frozen
class Mean(Bounded):
    """The mean of a value that every record keeps between two bounds, over records whose number is public.

    Definition: the sum of the values, divided by `size`.
    Guarantee: between datasets of that size in which k records have other values it moves by at most k (upper - lower)
    over size, which is attained; where k are null records that add nothing, by k times the larger bound over size. No more
    than all records have other values. Where records come and go their number is not public, and it is refused.
    """

    kind: ClassVar[str] = "mean"
    theorem: ClassVar[Theorem] = SHIFT
    instead: ClassVar[Mapping[str, str]] = {**Bounded.instead, **_SIZED}

    size: int = field(converter=fields.whole, validator=at_least(1), metadata=_SIZE)

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.at([furthest(self.lower, self.upper, _moves_among(self, neighbours)) / self.size])

    def records(self) -> Records:
        return Records(((self.lower / self.size,), (self.upper / self.size,)), all_of_them=False)


@frozen
class Proportion(Query):
    """The share of records that satisfy a condition, among records whose number is public.

    Guarantee: where k of them have other values it moves by at most k/size, and by no more than 1, which is attained.
    """

    kind: ClassVar[str] = "proportion"
    theorem: ClassVar[Theorem] = SHIFT
    instead: ClassVar[Mapping[str, str]] = _SIZED

    size: int = field(converter=fields.whole, validator=at_least(1), metadata=_SIZE)

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.at([Fraction(max(max(move) for move in _moves_among(self, neighbours)), self.size)])

    def records(self) -> Records:
        return Records(((Fraction(0),), (Fraction(1, self.size),)), all_of_them=True)


@frozen
class Variance(Bounded):
    """The variance of a value that every record keeps between two bounds, over records whose number is public.

    Definition: the mean of the squared distances from the mean; it divides by `size`, not by one less.
    Guarantee: where k of n records have other values it moves by at most (upper - lower)^2 j (n - j)/n^2 with j the smaller
    of k and n/2, rounded down, which is attained.
    """

    kind: ClassVar[str] = "variance"
    theorem: ClassVar[Theorem] = SHIFT
    instead: ClassVar[Mapping[str, str]] = {**Bounded.instead, **_SIZED}

    size: int = field(converter=fields.whole, validator=at_least(2), metadata=_SIZE)

    def _shift(self, neighbours: Neighbours) -> Shift:
        moves = _moves_among(self, neighbours)
        if not neighbours.relation.keeps_size:
            raise ShiftError(
                f"between '{neighbours.relation.name}' neighbours not all records have a value, and a variance is of all; "
                "promise 'replace-one', or release sums"
            )
        moved = min(max(appear for appear, _ in moves), self.size // 2)
        return Shift.at([(self.upper - self.lower) ** 2 * Fraction(moved * (self.size - moved), self.size**2)])


@frozen
class Quantile(Bounded):
    """A quantile of a value that every record keeps between two bounds.

    Definition: the least value that is at least as large as a share `level` of the values, and `lower` without records.
    Guarantee: it moves by at most upper - lower, whatever differs, and does so in some datasets, where one record decides
    between both bounds. So noise on it hides everything; to release it, pick among candidates by their `quantile-scores`.
    """

    kind: ClassVar[str] = "quantile"
    theorem: ClassVar[Theorem] = SHIFT

    level: Fraction = field(
        converter=fields.exact, validator=[above(0), below(1)], metadata=about("which share of the values lies below it")
    )

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.at([self.upper - self.lower])


@frozen
class QuantileScores(Query):
    """How well each of several candidates serves as a quantile: scores, of which the largest is picked.

    Definition: minus the size of (1 - level) times the number of values below the candidate less `level` times the number
    above it. Candidates do not depend on the data.
    Guarantee: where one record comes or goes no score moves by more than the larger of `level` and 1 - `level`, and where
    one has another value by no more than 1. Some scores may rise while others fall.
    """

    kind: ClassVar[str] = "quantile-scores"
    theorem: ClassVar[Theorem] = SHIFT

    level: Fraction = field(
        converter=fields.exact, validator=[above(0), below(1)], metadata=about("which share of the values lies below it")
    )
    candidates: int = field(
        converter=fields.whole,
        validator=[at_least(2), at_most(10**6)],
        metadata=about("how many candidates there are; they are fixed without looking at the data"),
    )

    def _shift(self, neighbours: Neighbours) -> Shift:
        left, right = 1 - self.level, self.level
        furthest = max(max(rise * left + fall * right, rise * right + fall * left) for rise, fall in neighbours.moves)
        return Shift(furthest * self.candidates, furthest**2 * self.candidates, furthest)


def _few(_: object, attribute: Attribute[tuple[Fraction, ...]] | None, value: tuple[Fraction, ...]) -> None:
    if not 1 <= len(value) <= _MOST_COLUMNS:
        raise InvalidValue(f"expected 1 to {_MOST_COLUMNS} bounds, one for each column, got {len(value)}")


@frozen
class CrossProduct(Query):
    """The sums of products of columns that every record keeps between bounds: what a regression is computed from.

    Definition: for columns x_1, ..., x_p all sums of x_j x_k with j at most k, in that order. A column of ones, with both
    bounds 1, gives the number of records and the sums.
    Guarantee: each sum moves by at most what products between the bounds do, which is attained. All do so at once where a
    record comes or goes, and where no column has values of both signs; else all together move by no more than that, and at
    least by as much as some record that takes the place of another.
    """

    kind: ClassVar[str] = "cross-product"
    theorem: ClassVar[Theorem] = SHIFT
    instead: ClassVar[Mapping[str, str]] = Bounded.instead

    lower: tuple[Fraction, ...] = field(
        converter=exact_list, validator=_few, metadata=about("the smallest value of each column, in order")
    )
    upper: tuple[Fraction, ...] = field(
        converter=exact_list, validator=_few, metadata=about("the largest value of each column, in order")
    )

    def __attrs_post_init__(self) -> None:
        if len(self.lower) != len(self.upper):
            raise InvalidValue(f"there are {len(self.lower)} lower bounds and {len(self.upper)} upper ones")
        for place, (low, high) in enumerate(zip(self.lower, self.upper, strict=True), start=1):
            if low > high:
                raise InvalidValue(f"column {place}: the lower bound {low} is above the upper bound {high}")

    def _shift(self, neighbours: Neighbours) -> Shift:
        ends = list(self._products())
        moves = [
            [max(abs(rise * high - fall * low), abs(rise * low - fall * high)) for low, high in ends]
            for rise, fall in neighbours.moves
        ]
        most = Shift(
            max(sum(move, Fraction(0)) for move in moves),
            max(sum((size**2 for size in move), Fraction(0)) for move in moves),
            max(max(move) for move in moves),
        )
        least = max(self._attained(neighbours), key=lambda shift: (shift.l2_squared, shift.l1))
        if _norms(least) == _norms(most):
            return least
        whole = all(size.denominator == 1 for size in (*self.lower, *self.upper))
        return evolve(most, least=least, gathered=(most.l1,) if whole else None)

    def _attained(self, neighbours: Neighbours) -> Iterator[Shift]:
        """Moves that there are: of the record that is farthest from 0, beside others."""
        far, *others = map(self._answer, self._extremes())
        for other in others:
            for rise, fall in neighbours.moves:
                yield Shift.at(rise * one - fall * two for one, two in zip(far, other, strict=True))

    def _extremes(self) -> Iterator[list[Fraction]]:
        """The records farthest from 0 and nearest to it, and those in which one, half or all of the signed columns turn."""
        bounds = list(zip(self.lower, self.upper, strict=True))
        farthest = [max(low, high, key=abs) for low, high in bounds]
        yield farthest
        yield [min(max(low, Fraction(0)), high) for low, high in bounds]
        signed = [place for place, (low, high) in enumerate(bounds) if low < 0 < high]
        for number in sorted({1, len(signed) // 2, len(signed)} & set(range(1, len(signed) + 1))):
            turned = list(farthest)
            for place in signed[:number]:
                turned[place] = sum(bounds[place]) - farthest[place]
            yield turned

    @staticmethod
    def _answer(record: Sequence[Fraction]) -> list[Fraction]:
        """What one record adds."""
        return [one * other for one, other in itertools.combinations_with_replacement(record, 2)]

    def _products(self) -> Iterator[tuple[Fraction, Fraction]]:
        """The least and the largest product of every two columns, and of each with itself."""
        bounds = list(zip(self.lower, self.upper, strict=True))
        for first, second in itertools.combinations_with_replacement(range(len(bounds)), 2):
            corners = [one * other for one in bounds[first] for other in bounds[second]]
            if first != second:
                yield min(corners), max(corners)
            else:
                low, high = bounds[first]
                yield Fraction(0) if low <= 0 <= high else min(low**2, high**2), max(low**2, high**2)


def _norms(shift: Shift) -> tuple[Fraction, ...]:
    return shift.l1, shift.l2_squared, shift.linf
