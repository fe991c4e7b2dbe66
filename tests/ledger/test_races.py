"""Many writers never overspend and never lose an entry, also when they die."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from accountant import BudgetExceeded
from tests.ledger.cases import Place, claim, terms
from tests.ledger.racer import PRICE

pytestmark = pytest.mark.slow

RACER = Path(__file__).with_name("racer.py")


def run(action: str, place: Place, *numbers: int) -> list[object]:
    done = subprocess.run(
        [sys.executable, str(RACER), action, place.location, place.name, *map(str, numbers)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert isinstance(said, list)
    return said


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.sweep)])
def test_eight_processes_racing_for_the_last_of_the_budget_never_overspend(fresh: Callable[[], Place], rounds: int) -> None:
    for _ in range(rounds):
        place = fresh()
        with place.create(terms()) as ledger:
            ledger.reserve(claim("0.3"), commit=True)
            acknowledged = run("race", place, 8)
            assert all(isinstance(number, int) for number in acknowledged), acknowledged
            assert len(set(acknowledged)) == len(acknowledged)
            committed = {entry.settles for entry in ledger.history() if entry.kind == "committed"} - {1}
            assert committed == set(acknowledged)
            (line,) = ledger.status().lines
            assert line.spent == Fraction("0.3") + Fraction(PRICE) * len(acknowledged) <= 1
            assert line.reserved == 0
            assert line.left < Fraction(PRICE)  # a racer gives up only when nothing more fits, whatever others hold by then
            with pytest.raises(BudgetExceeded):
                ledger.reserve(claim(PRICE))
            assert ledger.verify() == ()


@pytest.mark.parametrize("times", [15, pytest.param(50, marks=pytest.mark.sweep)])
def test_writers_that_are_killed_again_and_again_lose_nothing(place: Place, times: int) -> None:
    with place.create(terms()) as ledger:
        acknowledged = run("crash", place, times, 20261116)
        assert all(isinstance(number, int) for number in acknowledged), acknowledged
        assert len(acknowledged) > 2 * times // 5
        entries = list(ledger.history())
        committed = {entry.settles for entry in entries if entry.kind == "committed"}
        assert set(acknowledged) <= committed
        # What was written but not acknowledged any more is there in full: each entry with its commitment.
        assert {entry.number for entry in entries if entry.kind == "reserved"} == committed
        assert ledger.verify() == ()
        (line,) = ledger.status().lines
        assert line.spent == Fraction("1e-6") * len(committed)
        assert ledger.reserve(claim("0.1"), commit=True).state == "committed"
