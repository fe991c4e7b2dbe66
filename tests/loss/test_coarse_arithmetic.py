"""Roundings are answered for: what a file reads in coarse arithmetic encloses what it reads in doubles.

See `tests/loss/coarse.py`. No reference is needed: both enclose the truth, so that they overlap.
"""

from __future__ import annotations

import importlib
import inspect
import linecache
import math
from typing import Any

import numpy as np
import pytest

from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls
from tests.loss.coarse import coarse
from tests.loss.coarse_calls import ANSWERED_ELSEWHERE, NOT_CARRIED, Call, calls, enclosures
from tests.loss.coarse_settings import SETTINGS, Found, modules

pytestmark = pytest.mark.slow

PAIRS = [(name, files) for name, setting in SETTINGS.items() for files in setting.files.split()]
ALONE = {files: name for name, files in reversed(PAIRS) if "+" not in files}
"""Files that grant what they round, each with something that it takes part in."""
BEFORE = [(name, files) for name, setting in SETTINGS.items() for files in setting.before.split()]
SLOW = (
    "either order, thrice",
    "grid",
    "exchanged",
    "ranges",
    "noisy maxima",
    "rare",
    "line of samples",
    "few atoms",
    "sampled atoms",
)
_known: dict[str, Found] = {}


def asked(pairs: list[tuple[str, str]]) -> list[Any]:
    """Cases, of which those that take long are left to sweeps."""
    slow = [pytest.mark.sweep]
    return [pytest.param(name, files, marks=slow if name in SLOW else [], id=f"{files}, {name}") for name, files in pairs]


def plain(setting: str) -> Found:
    """What is read in doubles."""
    if setting not in _known:
        _known[setting] = SETTINGS[setting].read(SETTINGS[setting].make())
    return _known[setting]


def apart(one: Interval | Balls, other: Interval | Balls) -> float:
    """The distance of two enclosures, which is 0 where they overlap."""
    if isinstance(one, Interval):
        assert isinstance(other, Interval)
        return max(other.lower - one.upper, one.lower - other.upper, 0.0) if math.isfinite(one.lower) else 0.0
    assert isinstance(other, Balls)
    return float(np.max(np.abs(one.middle - other.middle) - one.radius - other.radius, initial=0.0))


@pytest.mark.parametrize(("setting", "files"), asked(PAIRS))
def test_what_is_read_encloses_the_truth_whatever_a_file_rounds(setting: str, files: str) -> None:
    encloses(setting, files)


@pytest.mark.parametrize(("setting", "files"), asked(BEFORE))
def test_what_a_file_is_off_by_is_carried_through_all_that_is_made_of_it(setting: str, files: str) -> None:
    encloses(setting, files)


@pytest.mark.parametrize("file", sorted(ALONE))
def test_a_function_alone_answers_for_what_it_rounds(file: str) -> None:
    setting = SETTINGS[ALONE[file]]
    wrong = []
    for call in calls(modules(file)[0], lambda: setting.read(setting.make())):
        for side in ("up", "down"):
            # Whoever cannot tell any more says nothing.
            found = enclosures(call.again(side, setting.grain))
            if found and any(apart(one, other) for one, other in zip(enclosures(call.given), found, strict=True)):
                wrong.append(call.function.__qualname__)
    assert set(wrong) <= ANSWERED_ELSEWHERE.keys()


@pytest.mark.parametrize("file", sorted(ALONE))
def test_a_function_alone_carries_what_its_operands_are_off_by(file: str) -> None:
    setting = SETTINGS[ALONE[file]]
    wrong = []
    for call in calls(modules(file)[0], lambda: setting.read(setting.make())):
        for side in ("up", "down") if call.carries else ():
            found = enclosures(call.moved(side))
            if found and any(apart(one, other) for one, other in zip(enclosures(call.given), found, strict=True)):
                wrong.append(call.function.__qualname__)
    assert set(wrong) <= NOT_CARRIED.keys()


def test_an_operand_whose_error_is_forgotten_is_seen() -> None:
    carries = Call(lambda ball: 2.0 * ball, (Ball(1.0),), {}, Ball(2.0))
    forgets = Call(lambda ball: Ball(2.0 * ball.middle), (Ball(1.0),), {}, Ball(2.0))
    for side in ("up", "down"):
        assert apart(*enclosures(carries.given), *enclosures(carries.moved(side))) == 0.0
        assert apart(*enclosures(forgets.given), *enclosures(forgets.moved(side))) > 0.001


def encloses(setting: str, files: str) -> None:
    for side in ("up", "down"):
        with coarse(modules(files), side, SETTINGS[setting].grain) as arithmetic:
            found = SETTINGS[setting].read(SETTINGS[setting].make())
        assert arithmetic.times > 0, "nothing was rounded"
        distances = [apart(one, other) for one, other in zip(plain(setting), found, strict=True)]
        assert not any(distances), f"readings are apart by {distances}"


@pytest.mark.parametrize(
    ("file", "setting", "granted", "forgotten"),
    [
        ("noise.laplace_loss", "laplace", "Balls.evaluated(mass, 32.0, mass * scale)", "Balls(mass)"),
        ("noise.laplace_loss", "laplace", "Ball.rounded(-math.expm1(exponent), 5.0)", "Ball(-math.expm1(exponent))"),
    ],
)
def test_a_rounding_that_nobody_answers_for_is_seen(
    file: str, setting: str, granted: str, forgotten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = inspect.getfile(importlib.import_module(modules(file)[0]))
    text = "".join(linecache.getlines(path))
    assert granted in text
    monkeypatch.setitem(linecache.cache, path, (0, None, text.replace(granted, forgotten).splitlines(keepends=True), path))
    with pytest.raises(AssertionError, match="apart"):
        encloses(setting, file)
