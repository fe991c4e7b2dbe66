"""What ledgers say of their budgets."""

from __future__ import annotations

from accountant.display.card import Rows
from accountant.ledger.lines import Line, shown
from accountant.numbers.exact import plain


def budget_table(lines: tuple[Line, ...]) -> Rows:
    """Every budget in its own definition: costs rounded up, what is left rounded down."""
    return Rows(
        ("budget", "limit", "spent", "reserved", "left"),
        tuple(
            (line.title, plain(line.limit), shown(line.spent), shown(line.reserved), shown(line.left, upward=False))
            for line in lines
        ),
    )
