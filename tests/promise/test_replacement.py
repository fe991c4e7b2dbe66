"""How many steps give one record other values."""

from __future__ import annotations

import pytest

from accountant.promise.neighbours import Relation


@pytest.mark.parametrize(
    ("moves", "steps"),
    [
        ({(1, 1)}, 1),
        ({(1, 0), (0, 1)}, 2),
        ({(1, 0), (0, 1), (1, 1)}, 1),
        ({(1, 0)}, 2),
        ({(0, 1)}, 2),
        ({(2, 2)}, None),
        ({(1, 1), (2, 1)}, None),
        ({(1, 1), (0, 3)}, None),
    ],
)
def test_a_record_gets_other_values_by_leaving_and_coming_back_or_at_once(
    moves: set[tuple[int, int]], steps: int | None
) -> None:
    assert Relation("ours", frozenset(moves), False, "as we say").replacement == steps
