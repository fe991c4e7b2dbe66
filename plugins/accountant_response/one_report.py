"""What mechanisms of one report have in common."""

from __future__ import annotations

from accountant import Shift, ShiftError

REPLACED = ("replace-one",)
"""A report that is missing would be noticed, so its theorems compare reports on one answer with reports on another."""


def require_one_answer(kind: str, shift: Shift) -> None:
    """Refuse a query that is not one answer: categories have no size, so how far it moves does not matter."""
    if shift.coordinates is None or len(shift.coordinates) != 1:
        raise ShiftError(
            f"'{kind}' reports one answer of each unit, but the query moves {shift}; leave the query out, and give every "
            "further answer a release of its own"
        )
