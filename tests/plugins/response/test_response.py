"""Randomised response on several answers at once."""

from __future__ import annotations

import pytest

from accountant import ShiftError
from accountant.plugin import Shift
from accountant_response import RandomisedResponse


def test_two_answers_cost_twice() -> None:
    assert RandomisedResponse("0.3").loss(Shift.along([1, -1])).supremum().exact == Shift.along(["0.6"]).l1


@pytest.mark.parametrize("moves", [["2"], ["1", "1/2"]])
def test_answers_that_are_not_yes_or_no_are_refused(moves: list[str]) -> None:
    with pytest.raises(ShiftError, match="yes-or-no"):
        RandomisedResponse("1").loss(Shift.along(moves))
