"""Stratum: records that exchange values among each other, and how likely a permutation is by how many of them it moves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from attrs import frozen

from accountant import Interval, InvalidValue
from accountant.numbers import larger, log_of
from accountant.numbers.rounding import down, up
from accountant_invariants.derangements import derangements_over
from accountant_invariants.repeated import deranged_sum, permuted_sum
from accountant_invariants.two_values import counted, largest_step
from accountant_invariants.versions import Single, Version

_MOST_LISTED = 6


@frozen
class Jump:
    """How many times as likely a permutation that moves k records is as one that moves more, w(k)/w(k + j).

    `distance` is the smallest number of records in which datasets differ that turn one into the other. The ratio lies
    between `low` and `high`, both positive; they are equal where it is known exactly.
    """

    distance: int
    low: Fraction
    high: Fraction

    @property
    def cost(self) -> Interval:
        """The size of the logarithm of the ratio."""
        below, above = log_of(self.low), log_of(self.high)
        if below == above and below.exact is not None:
            return below
        least, most = below.lower, above.upper
        return Interval(max(0.0, least, -most), max(-least, most))


@frozen
class Stratum:
    """Records that agree on the attributes that stratify, each selected for swapping with the same chance.

    Definition: with all values distinct, the output is the input permuted, and a permutation that moves k records has
    chance w(k). No permutation moves just one.
    """

    size: int
    rate: Fraction
    version: Version
    single: Single = "redraw"
    rarest: tuple[int, ...] | None = None
    """How often its three rarest values come, or two where there are no more; None where all may be distinct."""

    @property
    def odds(self) -> Fraction:
        """The odds that a record is selected."""
        return self.rate / (1 - self.rate)

    def jumps(self) -> Iterator[Jump]:
        """The jumps that decide: for each length, those among which the largest and the smallest ratio are.

        See docs/explanation/swapping.md, Theorems 2 and 3, for why the rest lie between.
        """
        for length in (1, 2, 3):
            last = self.size - length
            ends = {last if last != 1 else 0}
            for start in sorted(ends if self.version == "permute" else {0, 2} | ends):
                if 0 <= start <= last and start + length != 1:
                    low, high = self.ratio(start, length)
                    yield Jump(max(length, 2), low, high)

    def ratio(self, start: int, length: int) -> tuple[Fraction, Fraction]:
        """w(start)/w(start + length), from below and above. Permuting, it takes a walk from the end to the start."""
        if self.version == "permute":
            whole = math.prod(
                itertools.islice(self._steps(), self.size - start - length, self.size - start), start=Fraction(1)
            )
            return whole, whole
        below = above = 1 / self.odds**length
        if start == 0 and self.single == "keep":
            below = above = below * (1 + self.size * self.odds)
        for count in range(start + 1, start + length + 1):
            low, high = derangements_over(count) if count > 2 else (Fraction(1), Fraction(1))
            below, above = below * low, above * high
        return below, above

    def _steps(self) -> Iterator[Fraction]:
        """w(k)/w(k + 1) for k = size - 1, size - 2, ..., with w(1) by its formula."""
        step = Fraction(1)
        for start in range(self.size - 1, -1, -1):
            step = 1 + (start + 1 + (self.size - start - 1) / step) / self.odds
            yield step

    def permutations(self) -> dict[tuple[int, ...], Fraction]:
        """The chance of every permutation of a small stratum of distinct values, exactly."""
        if self.size > _MOST_LISTED:
            raise InvalidValue(f"permutations are listed for up to {_MOST_LISTED} records, got {self.size}")
        moved = {
            order: sum(place != source for place, source in enumerate(order))
            for order in itertools.permutations(range(self.size))
        }
        # Where everybody is permuted no permutation is less likely than another; nothing moves just one record.
        even = self.rate == 1 and self.version == "permute"
        weights = {count: Fraction(1) if even or not count else 1 / self.ratio(0, count)[0] for count in moved.values()}
        total = sum((weights[count] for count in moved.values()), start=Fraction(0))
        return {order: weights[count] / total for order, count in moved.items()}

    @property
    def epsilon(self) -> Interval:
        """The largest size of a logarithm of a ratio of chances, for each record in which datasets differ."""
        if self.rate == 0 or (self.rate == 1 and self.version == "derange"):
            # Where all are deranged it is not known what values that come again lose.
            return Interval.infinite() if self.rate == 0 or self.rarest is None else Interval(0.0, math.inf)
        if self.rate == 1:
            return Interval.of(0)
        distinct = larger(_divided(jump.cost, jump.distance) for jump in self.jumps())
        if self.rarest is None:
            return distinct
        numbers = range(2, len(self.rarest) + 1)
        return _at_most(distinct, larger(_divided(self._repeated(number), number) for number in numbers))

    def reach(self, distance: int) -> Interval:
        """The same for all records in which datasets differ, two or three at most, where some are selected and some not."""
        distinct = larger(jump.cost for jump in self.jumps() if jump.distance <= distance)
        if self.rarest is None:
            return distinct
        numbers = range(2, min(distance, len(self.rarest)) + 1)
        return _at_most(distinct, larger(map(self._repeated, numbers)))

    def _repeated(self, number: int) -> Interval:
        """At most what datasets lose that differ in two or three records with different values, which may come again.

        Guarantee: from above; from below nothing is said.
        """
        return Interval(0.0, log_of(self._largest_ratio(number)).upper)

    def _largest_ratio(self, number: int) -> Fraction:
        assert self.rarest is not None
        # That nobody is moved also happens where just one is selected and kept.
        alone = 1 + self.size * self.odds if self.single == "keep" else Fraction(1)
        if len(self.rarest) == 2 and counted(self.size, self.odds):
            return largest_step(self.rarest, self.odds, self.version, alone)
        if self.version == "permute":
            return permuted_sum(self.rarest[:number], self.size, self.odds)
        return deranged_sum(self.rarest[:number], self.size, self.odds, alone)


def _at_most(distinct: Interval, repeated: Interval) -> Interval:
    """The smaller of two bounds from above: values that come again lose no more than distinct ones."""
    return Interval(0.0, min(distinct.upper, repeated.upper))


def _divided(value: Interval, count: int) -> Interval:
    if value.exact is not None:
        return Interval.of(value.exact / count)
    return Interval(max(0.0, down(value.lower / count)), up(value.upper / count))
