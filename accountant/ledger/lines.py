"""Lines: what is spent, reserved, asked and left of one budget, in its own definition."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from accountant.display.brief import Brief
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval

_DIGITS = 6
_SHORT = 12


@frozen
class Line(Brief):
    """One budget of a ledger.

    Amounts are what the ledger charges: an upper bound on the value that the budget's definition has for all that was
    committed; by how much reservations raise it; and by how much what was asked raises it further, None where it would be
    infinite. `limit` is the budget, and `stop` the value at which releases are refused: the same, or just below it where a
    filter adds up another definition.
    """

    divergence: str
    name: str
    at: Mapping[str, Fraction]
    limit: Fraction
    stop: Fraction
    spent: Fraction
    reserved: Fraction
    asked: Fraction | None
    fits: bool

    @property
    def left(self) -> Fraction:
        """By how much the value may still rise, not counting what was asked: spent + reserved + left = stop."""
        return self.stop - self.spent - self.reserved

    @property
    def title(self) -> str:
        """What the numbers of the line are."""
        return f"{self.divergence} {self.name}" + "".join(f" at {word} {plain(value)}" for word, value in self.at.items())

    def as_data(self) -> dict[str, Any]:
        """The line as plain data: costs rounded up, what is left rounded down."""
        return {
            "divergence": self.divergence,
            "name": self.name,
            "at": {word: plain(value) for word, value in self.at.items()},
            "limit": plain(self.limit),
            "spent": shown(self.spent),
            "reserved": shown(self.reserved),
            "asked": shown(self.asked),
            "left": shown(self.left, upward=False),
            "fits": self.fits,
        }


def shown(amount: Fraction | None, *, upward: bool = True) -> str:
    """An amount in decimals: exactly where that is short, else rounded away from what one would like."""
    if amount is None:
        return "inf"
    written = plain(amount)
    if len(written) <= _SHORT and "/" not in written:
        return written
    return Interval.of(amount).rounded(_DIGITS)[1 if upward else 0]
