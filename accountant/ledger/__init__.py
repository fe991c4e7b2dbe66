"""Ledgers: releases over time against a budget, written by many, with nothing lost.

What may be added up is decided by `filters` and the books, what is written by `entries`, where by `store`. `Ledger` holds
them together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant._lazy import lazy

if TYPE_CHECKING:
    from accountant.ledger.batch import Batch, read_batch
    from accountant.ledger.entries import Entry
    from accountant.ledger.filters import Filter
    from accountant.ledger.ledger import Ledger
    from accountant.ledger.lines import Line
    from accountant.ledger.results import Forecast, Quote, Reservation, Status
    from accountant.ledger.terms import Terms, load_terms, read_terms

_HOMES = {
    "batch": ("Batch", "read_batch"),
    "entries": ("Entry",),
    "filters": ("Filter",),
    "ledger": ("Ledger",),
    "lines": ("Line",),
    "results": ("Forecast", "Quote", "Reservation", "Status"),
    "terms": ("Terms", "load_terms", "read_terms"),
}

__getattr__, __dir__ = lazy(__name__, _HOMES)

__all__ = [
    "Batch",
    "Entry",
    "Filter",
    "Forecast",
    "Ledger",
    "Line",
    "Quote",
    "Reservation",
    "Status",
    "Terms",
    "load_terms",
    "read_batch",
    "read_terms",
]
