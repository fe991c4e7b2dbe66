"""Books: which one a ledger keeps."""

from __future__ import annotations

from accountant.ledger.book import Book
from accountant.ledger.filter_book import FilterBook
from accountant.ledger.plan_book import PlanBook
from accountant.ledger.terms import Terms
from accountant.registry.registry import Registry


def book_of(terms: Terms, registry: Registry) -> Book:
    """The book for the adaptivity that the terms declare."""
    return FilterBook(terms, registry) if terms.adaptivity == "fully-adaptive" else PlanBook(terms, registry)
