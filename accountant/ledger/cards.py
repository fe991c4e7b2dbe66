"""What ledgers say of their budgets."""

from __future__ import annotations

from accountant.display.card import CardRows, Label
from accountant.ledger.lines import Line, shown
from accountant.numbers.exact import plain


def budget_table(lines: tuple[Line, ...], *, asked: bool = False) -> CardRows:
    """Every budget in its own definition: costs rounded up, what is left before what is asked rounded down."""
    names = ("budget", "limit", "spent", "reserved", *(("asked",) if asked else ()), "left")
    return CardRows(names, tuple(_cells(line, asked) for line in lines))


def _cells(line: Line, asked: bool) -> tuple[str | Label, ...]:
    cost = shown(line.asked)
    return (
        line.title,
        plain(line.limit),
        shown(line.spent),
        shown(line.reserved),
        *((cost if line.fits else Label(cost, "bad"),) if asked else ()),
        shown(line.left, upward=False),
    )
