"""Ledgers and releases that the tests share."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from accountant import Ledger, Release, default_registry
from accountant.ledger import Terms, read_terms
from accountant.plugin import DIVERGENCES
from accountant.release.claim import Claim


@frozen
class Place:
    """Where a ledger is: a database and a name."""

    location: str
    name: str = "main"

    def create(self, terms: Terms) -> Ledger:
        return Ledger.create(self.location, terms, name=self.name)

    def open(self) -> Ledger:
        return Ledger.open(self.location, name=self.name)


def terms(*budgets: dict[str, Any], **further: Any) -> Terms:
    """Terms with these budgets; a rho of 1 where none is given."""
    chosen = list(budgets) or [{"divergence": "zcdp", "rho": "1"}]
    return read_terms({"specification": {"neighbours": "add-remove"}, "budget": chosen, **further})


FIXED = {"ledger": {"adaptivity": "fixed-plan"}}


def claim(rho: str, name: str = "claimed", times: int = 1) -> Release:
    """A release of which only a rho is known: its price is exactly that."""
    zcdp = default_registry()[DIVERGENCES]["zcdp"]
    return Release(name, Claim(zcdp, zcdp.parameter(rho)), times=times)


def gaussian(sigma: str, name: str = "count") -> dict[str, Any]:
    """A noisy count as plain data."""
    return {"name": name, "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": sigma}}
