"""Inside a universe: how far a query moves, for each unit of distance, between datasets that agree on what is exact.

Noise is needed for what may differ between datasets that are compared, and for nothing else. The rules are proved in
docs/explanation/inside-the-universe.md, and tried by enumeration and by integer programs.
"""

from __future__ import annotations

from fractions import Fraction

from accountant.promise.effect import Effect
from accountant.promise.universe import Universe
from accountant.release.query import STILL, Shift
from accountant.release.release import Release


def shift_inside(release: Release, universe: Universe) -> Shift | None:
    """How far the query of a release moves for each step, at any distance inside a universe; None where no less is known.

    Guarantee: between any two datasets of the universe that are k steps apart, the answer is the same where nothing moves,
    and otherwise moves by at most k times the shift in every norm. The second is of use to noise that any answer may get:
    between the two are answers that no dataset has.
    """
    query, neighbours = release.query, universe.neighbours
    if query is None or query.attributes is None or not _shows_its_answer_alone(release):
        return None
    counted = query.of or neighbours.unit
    tables = [known.counts_by for known in universe.invariants if (known.of or neighbours.unit) == counted]
    if any(table is not None and query.attributes <= table for table in tables):
        return STILL
    if not _interpolates(release) or not Effect(neighbours, counted, query.attributes).plain:
        return None
    return _cells_inside(query.attributes, universe)


def _shows_its_answer_alone(release: Release) -> bool:
    """Whether a release of all records is an answer that the data gives, with noise, and nothing else.

    Who reports on each record, or answers over time, shows more than the answer of the query.
    """
    stated = release.query is None or release.query.stated
    part = release.sampling is not None or release.scope is not None
    return not stated and not part and release.mechanism.added_noise() is not None


def _cells_inside(attributes: frozenset[str], universe: Universe) -> Shift | None:
    """How far cells move together where exact tables keep them from moving alone; None where no table does."""
    neighbours = universe.neighbours
    if neighbours.relation.by_presence and universe.tables:
        return _apiece(Fraction(1)).times(neighbours.group)
    if not neighbours.relation.by_value or neighbours.attributes is None:
        return None
    moving = neighbours.attributes & attributes
    return _apiece(Fraction(2)).times(neighbours.group) if any(moving <= table for table in universe.tables) else None


def _interpolates(release: Release) -> bool:
    """Whether each record adds one to a cell, and noise is Gaussian on the line: it loses by the L2 norm, of any answer."""
    from accountant.loss import NormalNoise

    records = None if release.query is None else release.query.records()
    return records is not None and records.one_in_a_cell and isinstance(release.mechanism.added_noise(), NormalNoise)


def _apiece(most: Fraction) -> Shift:
    """As much as that in the L1 norm, of which no cell has more than a half of what rises."""
    half = Fraction(1, 2)
    return Shift(most, l2_squared=most * half, linf=half)
