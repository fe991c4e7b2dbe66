"""Ledgers: releases over time against a budget, written by many, with nothing lost.

What may be added up is decided by `filters` and the books, what is written by `entries`, where by `store`. `Ledger` holds
them together.
"""

from __future__ import annotations

from accountant._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
