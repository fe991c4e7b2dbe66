"""Every function alone answers for what it rounds, and carries on what its operands are off by.

See `tests/loss/coarse_calls.py`. No reference is needed: both results enclose the truth, so that they overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import Atoms, Cells
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls
from tests.loss import coarse_calls
from tests.loss.coarse import GRAIN, SIDES
from tests.loss.coarse_calls import ANSWERED_ELSEWHERE, ANSWERED_IN_FILE, NOT_CARRIED, NOT_CARRIED_ON, Call, calls, name_of
from tests.loss.coarse_pieces import GRAINS, PIECES
from tests.loss.coarse_results import Said
from tests.loss.coarse_settings import SETTINGS

pytestmark = pytest.mark.slow


READS: dict[str, tuple[Callable[[], object], float]] = {
    **{name: ((lambda one=one: one.read(one.make())), one.grain) for name, one in SETTINGS.items()},
    **{name: (read, GRAINS.get(name, GRAIN)) for name, read in PIECES.items()},
}
"""What is read, and how coarse roundings may be then."""


@cache
def called(name: str) -> list[Call]:
    """What is called while something is read."""
    return calls(READS[name][0])


def wrong(asked: Iterable[Call], again: Callable[[Call], Iterable[list[Said]]]) -> set[str]:
    """The functions of which what they give does not hold what it must. Who cannot tell any more says nothing."""
    return {name_of(call.function) for call in asked for said in again(call) if call.distance(said)}


@pytest.mark.parametrize("name", READS)
def test_a_function_alone_answers_for_what_it_rounds(name: str) -> None:
    found = wrong(called(name), lambda call: (call.again(side, READS[name][1]) for side in SIDES))
    assert found <= ANSWERED_ELSEWHERE.keys() | ANSWERED_IN_FILE.keys()


@pytest.mark.parametrize("name", READS)
def test_a_function_answers_together_with_others_in_its_file_for_what_it_rounds(name: str) -> None:
    asked = [call for call in called(name) if name_of(call.function) in ANSWERED_IN_FILE]
    assert not wrong(asked, lambda call: call.with_its_file(READS[name][1]))


@pytest.mark.parametrize("name", READS)
def test_a_function_alone_answers_for_the_worst_that_its_roundings_do_together(name: str) -> None:
    assert wrong(called(name), lambda call: call.at_worst(READS[name][1])) <= (
        ANSWERED_ELSEWHERE.keys() | ANSWERED_IN_FILE.keys()
    )


@pytest.mark.parametrize("name", READS)
def test_a_function_alone_carries_what_its_operands_are_off_by(name: str) -> None:
    assert wrong(called(name), Call.moved) <= NOT_CARRIED.keys()


@pytest.mark.parametrize("name", READS)
def test_a_function_alone_carries_what_those_that_it_asks_are_off_by(name: str) -> None:
    assert wrong(called(name), Call.with_callees_off) <= NOT_CARRIED_ON.keys()


def test_an_operand_whose_error_is_forgotten_is_seen() -> None:
    carries = Call(lambda ball: 2.0 * ball, (Ball(1.0),), {}, Ball(2.0))
    forgets = Call(lambda ball: Ball(2.0 * ball.middle), (Ball(1.0),), {}, Ball(2.0))
    assert [carries.distance(said) for said in carries.moved()] == [0.0, 0.0]
    assert all(forgets.distance(said) > 0.001 for said in forgets.moved())


@frozen
class Holder:
    """Something that holds numbers with errors."""

    mass: Ball
    atoms: Atoms


def test_operands_inside_of_others_are_moved_too() -> None:
    holder = Holder(Ball(1.0), Atoms(np.array([0.0]), np.array([0.5]), np.array([0.0])))
    forgetful: dict[str, Callable[[Holder], Any]] = {
        "mass": lambda one: Ball(one.mass.middle),
        "atoms": lambda one: Ball(float(one.atoms.masses[0])),
    }
    for forgets in forgetful.values():
        call = Call(forgets, (holder,), {}, forgets(holder))
        assert call.carries
        assert wrong([call], Call.moved)
    carries = Call(lambda one: one.mass + one.mass, (holder,), {}, Ball(2.0))
    assert not wrong([carries], Call.moved)


def known_by_itself() -> Ball:
    return Ball(1.0)


def carries() -> Ball:
    return 2.0 * known_by_itself()


def forgets() -> Ball:
    return Ball(2.0 * known_by_itself().middle)


def test_an_error_of_what_is_asked_for_is_seen_where_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarse_calls, "ROOMS", (__name__,))
    found = [call for function in (carries, forgets) for call in calls(function)]
    assert wrong(found, Call.with_callees_off) == {"test_functions_alone.forgets"}


class Steps:
    """Masses between edges that have all mass where the middle edge is, which may be displaced."""

    def cells(self, edges: Any) -> Cells:
        p = np.array([0.0, float(edges[1] <= 0.5), float(edges[1] > 0.5), 0.0])
        return Cells(p, p, 0.0 * p, 0.0 * p, Interval.of(0), slack=0.0)


def hands_on() -> Cells:
    return Steps().cells(np.array([0.0, 0.4995, 1.0]))


def forgets_displacement() -> Cells:
    return evolve(Steps().cells(np.array([0.0, 0.4995, 1.0])), slack=0.0)


def test_a_displacement_that_is_not_handed_on_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarse_calls, "ROOMS", (__name__,))
    found = [call for function in (hands_on, forgets_displacement) for call in calls(function)]
    assert wrong(found, Call.with_callees_off) == {"test_functions_alone.forgets_displacement"}


def difference_of_roundings(values: Any, granted: float) -> Balls:
    """Two products that are off to the same side take each other's error away."""
    return Balls.rounded(0.3 * values - 0.2 * values, granted, values)


def test_roundings_that_take_each_other_away_are_seen_where_one_alone_is_granted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coarse_calls, "ROOMS", (__name__,))
    values = np.array([1.0, 3.0])
    for granted, seen in ((0.61, False), (0.35, True)):
        (call,) = calls(lambda granted=granted: difference_of_roundings(values, granted))
        assert not wrong([call], lambda call: (call.again(side, GRAIN) for side in ("up", "down")))
        assert bool(wrong([call], lambda call: call.at_worst(GRAIN))) is seen
