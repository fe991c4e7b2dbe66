"""Costless releases: which cost nothing in any definition, and why."""

from __future__ import annotations

from accountant.accounting.entry import Entry
from accountant.loss import NO_LOSS
from accountant.values.writing import listed


def costless(entry: Entry) -> str | None:
    """Why a release costs nothing between the neighbours of its plan; None where it may cost something."""
    scope = entry.release.scope
    if scope is not None and scope.may_change(entry.neighbours):
        return _lossless(entry.leaving)
    return _still(entry) if entry.shift.is_zero else _lossless(entry)


def _still(entry: Entry) -> str:
    """Why the query does not move."""
    if entry.inside:
        return "what is published exactly fixes its answer"
    query, neighbours = entry.release.query, entry.neighbours
    attributes = None if query is None else query.attributes
    if attributes is None or neighbours.affects(attributes):
        return "its query does not move between neighbours"
    if not attributes:
        return "it depends on no attribute of a record, only on how many there are, and neighbours have equally many"
    if not neighbours.attributes:
        return "the specification lets no attribute differ"
    return f"it reads only {listed(sorted(attributes))}, which the promise does not protect"


def _lossless(entry: Entry) -> str | None:
    if entry.claim is not None or entry.loss != NO_LOSS:
        return None
    kind, sampled = entry.release.mechanism.kind, entry.base != NO_LOSS
    return "its sample never holds a record" if sampled else f"'{kind}' tells nothing of the data"
