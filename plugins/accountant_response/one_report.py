"""What mechanisms of one report for each unit have in common."""

from __future__ import annotations

from accountant import ShiftError
from accountant.plugin import Shift

REPLACED: tuple[str, ...] = ("replace-one",)
"""A report that is missing would be noticed, so the theorems compare reports on one answer with reports on another."""


def changed_answers(kind: str, shift: Shift) -> int:
    """How many answers change, each reported on its own; a query that may hide several of them in one move is refused."""
    moves = shift.coordinates
    if moves is None or any(abs(move) != 1 for move in moves):
        raise ShiftError(
            f"'{kind}' reports answers one by one, but the query moves {shift}; leave the query out, or use one whose "
            "every coordinate is an answer that changes by 1"
        )
    return len(moves)
