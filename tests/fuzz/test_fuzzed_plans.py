"""Any plan is answered or refused within its limits, in words."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from accountant import AccountantError, LimitExceeded, certify, default_registry, read_plan
from accountant.limits import Limits
from tests.fuzz.meanings import meant
from tests.fuzz.plans import fuzzed

FEW, MANY = 30, 10_000
LIMITS = Limits(within="60s", memory="2GB")


def outcome(data: dict[str, Any]) -> str:
    """What a plan comes to. Anything but an answer or an error of ours is a defect, and so is a warning of a library."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return "kept" if certify(read_plan(data)).kept else "not kept"
        except AccountantError as error:
            return "refused" if str(error) else "refused without a word"


def within_limits(seed: int, made: Callable[[int], dict[str, Any]]) -> str:
    begun = time.monotonic()
    try:
        return LIMITS.run(outcome, made(seed))
    except LimitExceeded as error:
        if not str(error).startswith(("not finished within", "more memory is needed")):
            raise RuntimeError(str(error)) from error
        return "ended"
    finally:
        assert time.monotonic() - begun < 90, f"{seed} took longer than it may"


def sweep(seeds: range, made: Callable[[int], dict[str, Any]] = fuzzed) -> dict[str, int]:
    """How often each outcome came up, and which seeds broke."""
    default_registry()
    found: dict[str, int] = {}
    broken: list[str] = []
    for seed in seeds:
        try:
            word = within_limits(seed, made)
        except Exception as error:
            broken.append(f"{seed}: {type(error).__name__}: {str(error)[:200]}")
        else:
            found[word] = found.get(word, 0) + 1
    assert not broken, "\n".join(broken)
    assert set(found) <= {"kept", "not kept", "refused", "ended"}
    return found


@pytest.mark.slow
def test_some_plans_at_random_are_answered_or_refused() -> None:
    found = sweep(range(FEW))
    assert found.get("refused", 0) > 0
    assert found.get("kept", 0) + found.get("not kept", 0) > 0


@pytest.mark.slow
def test_some_plans_of_every_meaning_are_answered_or_refused() -> None:
    found = sweep(range(FEW), meant)
    assert min(found.get(word, 0) for word in ("kept", "not kept", "refused")) > 0
    assert "ended" not in found


@pytest.mark.parametrize("seed", [1742, pytest.param(1771, marks=pytest.mark.sweep)])
def test_plans_that_brought_warnings_bring_none(seed: int) -> None:
    """Losses next to nothing, and losses by the thousand on one lattice."""
    assert outcome(fuzzed(seed)) in {"kept", "not kept", "refused"}


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(20))
def test_ten_thousand_plans_at_random_are_answered_or_refused(part: int) -> None:
    """In twenty parts. `ACCOUNTANT_FUZZ` shifts the seeds, for others every night."""
    first = int(os.environ.get("ACCOUNTANT_FUZZ", "0")) * MANY + part * MANY // 20
    found = sweep(range(first, first + MANY // 20))
    print(found)
    assert found.get("ended", 0) < MANY // 20 / 50  # what is ended was too much, and that is rare


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(4))
def test_two_thousand_plans_of_every_meaning_are_answered_or_refused(part: int) -> None:
    assert "ended" not in sweep(range(part * 500, (part + 1) * 500), meant)


def test_a_plan_that_makes_the_program_fail_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep itself: what is neither an answer nor a refusal breaks it."""

    def fail(_: object) -> str:
        raise IndexError("planted")

    monkeypatch.setitem(globals(), "outcome", fail)
    with pytest.raises(AssertionError, match="0: IndexError: planted"):
        sweep(range(2))
