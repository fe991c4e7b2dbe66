"""Roundings are answered for: what a file reads in coarse arithmetic encloses what it reads in doubles.

See `tests/loss/coarse.py`. No reference is needed: both enclose the truth, so that they overlap.
"""

from __future__ import annotations

import importlib
import inspect
import linecache
from typing import Any

import pytest

from tests.loss.coarse import coarse
from tests.loss.coarse_results import apart
from tests.loss.coarse_settings import SETTINGS, Found, modules

pytestmark = pytest.mark.slow

PAIRS = [(name, files) for name, setting in SETTINGS.items() for files in setting.files.split()]
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


@pytest.mark.parametrize(("setting", "files"), asked(PAIRS))
def test_what_is_read_encloses_the_truth_whatever_a_file_rounds(setting: str, files: str) -> None:
    encloses(setting, files)


@pytest.mark.parametrize(("setting", "files"), asked(BEFORE))
def test_what_a_file_is_off_by_is_carried_through_all_that_is_made_of_it(setting: str, files: str) -> None:
    encloses(setting, files)


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
