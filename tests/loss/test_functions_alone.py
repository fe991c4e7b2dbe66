"""Every function alone answers for what it rounds, and carries on what its operands are off by.

See `tests/loss/coarse_calls.py`. No reference is needed: both results enclose the truth, so that they overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from accountant.loss import Atoms
from accountant.numbers.rounding import Ball, Balls
from tests.loss import coarse_calls
from tests.loss.coarse import GRAIN
from tests.loss.coarse_calls import ANSWERED_ELSEWHERE, NOT_CARRIED, Call, apart, calls, enclosures
from tests.loss.coarse_settings import SETTINGS

pytestmark = pytest.mark.slow


@cache
def called(setting: str) -> list[Call]:
    """What is called while a setting is read."""
    return calls(lambda: SETTINGS[setting].read(SETTINGS[setting].make()))


def wrong(asked: Iterable[Call], again: Callable[[Call], Iterable[Any]]) -> set[str]:
    """The functions of which what they give does not overlap what they gave. Who cannot tell any more says nothing."""
    return {
        call.function.__qualname__
        for call in asked
        for given in again(call)
        if any(apart(one, other) for one, other in zip(enclosures(call.given), enclosures(given), strict=False))
    }


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_function_alone_answers_for_what_it_rounds(setting: str) -> None:
    grain = SETTINGS[setting].grain
    found = wrong(called(setting), lambda call: (call.again(side, grain) for side in ("up", "down")))
    assert found <= ANSWERED_ELSEWHERE.keys()


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_function_alone_answers_for_the_worst_that_its_roundings_do_together(setting: str) -> None:
    assert wrong(called(setting), lambda call: call.at_worst(SETTINGS[setting].grain)) <= ANSWERED_ELSEWHERE.keys()


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_function_alone_carries_what_its_operands_are_off_by(setting: str) -> None:
    carrying = (call for call in called(setting) if call.carries)
    assert wrong(carrying, lambda call: (call.moved(side) for side in ("up", "down"))) <= NOT_CARRIED.keys()


def test_an_operand_whose_error_is_forgotten_is_seen() -> None:
    carries = Call(lambda ball: 2.0 * ball, (Ball(1.0),), {}, Ball(2.0))
    forgets = Call(lambda ball: Ball(2.0 * ball.middle), (Ball(1.0),), {}, Ball(2.0))
    for side in ("up", "down"):
        assert apart(*enclosures(carries.given), *enclosures(carries.moved(side))) == 0.0
        assert apart(*enclosures(forgets.given), *enclosures(forgets.moved(side))) > 0.001


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
        assert wrong([call], lambda call: (call.moved(side) for side in ("up", "down")))
    carries = Call(lambda one: one.mass + one.mass, (holder,), {}, Ball(2.0))
    assert not wrong([carries], lambda call: (call.moved(side) for side in ("up", "down")))


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
