"""Scores that all move in the same direction."""

from __future__ import annotations

from typing import Any

from accountant import InvalidValue, ShiftError, fields
from accountant.plugin import Relation, Shift


def flag(value: bool) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidValue(f"expected true or false, got {value!r}")
    return value


def about_monotone(scores: str) -> dict[str, Any]:
    """Metadata of the parameter."""
    return fields.about(f"whether between neighbours all {scores} move in the same direction", schema={"type": "boolean"})


def check_relation(kind: str, relation: Relation) -> None:
    """Refuse neighbours between which a record appears while another disappears: scores may then move both ways."""
    if any(appear and disappear for appear, disappear in relation.moves):
        raise ShiftError(
            f"'{kind}' with monotone = true is not accounted for between '{relation.name}' neighbours: one record appears "
            "and another disappears, so one score may rise and another fall; leave 'monotone' out, or promise 'add-remove'"
        )


def check_shift(kind: str, shift: Shift) -> None:
    """Refuse a query that says itself that it moves both ways."""
    signs = {move > 0 for move in shift.coordinates or ()}
    if len(signs) > 1:
        raise ShiftError(f"'{kind}' with monotone = true needs all scores to move one way, but the query moves {shift}")
