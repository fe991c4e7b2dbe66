"""The two usual neighbour relations."""

from __future__ import annotations

from accountant.neighbours import Relation

ADD_REMOVE = Relation(
    "add-remove",
    frozenset({(1, 0), (0, 1)}),
    edits=False,
    meaning="one unit is present in one dataset and absent from the other",
)

REPLACE_ONE = Relation(
    "replace-one", frozenset({(1, 1)}), edits=True, meaning="one unit has other values in one dataset than in the other"
)
