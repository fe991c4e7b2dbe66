"""Book: what a ledger needs to know about prices and budgets, whatever its adaptivity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from accountant.errors import LedgerError
from accountant.ledger.batch import Priced
from accountant.ledger.entries import Charge
from accountant.ledger.lines import Line
from accountant.numbers.exact import ExactLike
from accountant.promise.guarantee import Guarantee
from accountant.promise.specification import Budget


class Book(ABC):
    """The arithmetic of a ledger: what a batch is charged, and whether sums of charges keep the budgets."""

    @abstractmethod
    def charge(self, priced: Priced, total: Charge) -> Charge | None:
        """What a batch is charged, given all that was charged before; None where it costs more than any budget."""

    @abstractmethod
    def keeps(self, total: Charge) -> bool:
        """Whether a sum of charges is known to keep every budget."""

    @abstractmethod
    def lines(self, spent: Charge, reserved: Charge, asked: Charge | None) -> tuple[Line, ...]:
        """Every budget in its own definition."""

    @abstractmethod
    def measure(self, spent: Charge, divergence: str, at: Mapping[str, ExactLike]) -> Guarantee:
        """A value of any definition that holds under the adaptivity of the ledger."""


def budget_line(budget: Budget, values: list[Fraction | None], fits: bool, stop: Fraction | None = None) -> Line:
    definition, limit = budget.divergence, budget.limit
    stop = limit if stop is None else stop
    return line_of(definition.name, definition.primary.value, budget.at, limit, values, fits, stop)


def line_of(
    divergence: str,
    name: str,
    at: Mapping[str, Fraction],
    limit: Fraction,
    values: list[Fraction | None],
    fits: bool,
    stop: Fraction,
) -> Line:
    """A line from the values of growing sums: what is spent, with what is reserved, and with what was asked."""
    spent, held = values[0], values[1]
    if spent is None or held is None:
        raise LedgerError(f"'{divergence}' has no finite bound on what was let out already; run 'accountant ledger verify'")
    # Two bounds that were computed apart may be in the wrong order by a rounding.
    held = max(spent, held)
    asked = None if len(values) < 3 or values[2] is None else max(Fraction(0), values[2] - held)
    return Line(divergence, name, at, limit, stop, spent, held - spent, asked, fits)


def remembered(kept: dict[Any, Any], key: Any, find: Callable[[], Any], most: int) -> Any:
    """What was found before, or now; a full cupboard is emptied."""
    if key not in kept:
        if len(kept) >= most:
            kept.clear()
        kept[key] = find()
    return kept[key]
