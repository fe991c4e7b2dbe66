"""Summary: how a reading is spread over units. Every figure is two-sided, as the readings are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import frozen

from accountant import Interval
from accountant.numbers import larger
from accountant_scale.individuals.reading import Value

SHARES = (Fraction(1, 2), Fraction(9, 10), Fraction(99, 100), Fraction(999, 1000))


@frozen
class Read:
    """One signature: how many units have it, and its values."""

    signature: str
    units: int
    values: tuple[Value, ...]


@frozen
class Spread:
    """One value over all units: its quantiles by share of units, the largest with a signature that has it, the verdicts."""

    quantiles: tuple[tuple[Fraction, Interval], ...]
    worst: Interval
    worst_signature: str
    verdicts: tuple[tuple[str, int], ...]
    """How many units have each verdict, where it is that of a budget."""

    @classmethod
    def of(cls, found: Sequence[Read], index: int) -> Spread:
        """The spread of the value that stands at an index; there is at least one unit."""
        values = [(read.values[index].value, read.units) for read in found]
        largest = max(found, key=lambda read: (read.values[index].value.upper, read.values[index].value.lower))
        verdicts: dict[str, int] = {}
        for read in found:
            if word := read.values[index].verdict:
                verdicts[word] = verdicts.get(word, 0) + read.units
        return cls(
            tuple((share, _quantile(values, share)) for share in SHARES),
            larger(value for value, _ in values),
            largest.signature,
            tuple(sorted(verdicts.items())),
        )

    @property
    def beyond(self) -> int:
        """How many units are not shown to keep the budget."""
        return sum(units for word, units in self.verdicts if word != "implied")


def _quantile(values: Sequence[tuple[Interval, int]], share: Fraction) -> Interval:
    """The least value that at least a share of the units do not exceed.

    A quantile grows with every unit's value, so that the quantiles of lower and of upper ends enclose that of the truth.
    """
    wanted = share * sum(units for _, units in values)
    lower = _reached(sorted(values, key=lambda item: item[0].lower), wanted)
    upper = _reached(sorted(values, key=lambda item: item[0].upper), wanted)
    return upper if lower == upper else Interval(lower.lower, upper.upper)


def _reached(values: Sequence[tuple[Interval, int]], wanted: Fraction) -> Interval:
    counted = 0
    for value, units in values:
        counted += units
        if counted >= wanted:
            return value
    return values[-1][0]
