"""Work is done within its limits or ended, it is said at what, and only what is handed over is an answer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from accountant import Fault, InvalidValue, LimitExceeded, PlanError, load_plan
from accountant.errors import BudgetExceeded
from accountant.limits import Limits
from accountant.progress import working_on

SURVEY = Path(__file__).parents[2] / "examples" / "survey.toml"


def for_ever() -> None:
    working_on("the release 'wages'")
    while True:
        pass


def more_and_more() -> None:
    working_on("the release 'wages'")
    kept = []
    while True:
        kept.append(bytearray(5 * 10**6))


@pytest.mark.parametrize(
    ("work", "limits", "told"),
    [
        (for_ever, Limits(within="200ms"), "not finished within 0.2 s, at the release 'wages'"),
        (lambda: 10 ** (10**9), Limits(within=0.2), "not finished within 0.2 s; allow"),
        (more_and_more, Limits(memory="100MB"), "more memory is needed than 100 MB, at the release 'wages'"),
        (lambda: bytearray(2**50), Limits(memory="1GB"), "more memory is needed than 1 GB"),
    ],
)
def test_what_takes_too_much_is_ended_and_it_is_said_at_what(work: Callable[[], object], limits: Limits, told: str) -> None:
    begun = time.monotonic()
    with pytest.raises(LimitExceeded, match=told):
        limits.run(work)
    assert time.monotonic() - begun < 30
    assert no_children()


def no_children() -> bool:
    """Whether every process that was started is gone and was waited for."""
    try:
        return os.waitpid(-1, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return True


@pytest.mark.parametrize("leaving", [lambda: os._exit(0), lambda: sys.exit(0), lambda: os.kill(os.getpid(), 9)])
def test_work_that_leaves_has_no_answer(leaving: Callable[[], object]) -> None:
    with pytest.raises(LimitExceeded, match="ended without an answer"):
        Limits(within="30s").run(leaving)


def test_an_answer_comes_back_and_so_does_an_error() -> None:
    plan = Limits(within="60s", memory="2GB").run(load_plan, SURVEY)
    assert plan == load_plan(SURVEY)
    with pytest.raises(PlanError) as refused:
        Limits(within="60s").run(load_plan, SURVEY.with_name("none.toml"))
    assert refused.value.faults[0].message.startswith("cannot be read")


def test_an_answer_larger_than_a_pipe_comes_back_whole() -> None:
    assert Limits(within="30s").run(bytes, 3 * 10**6) == bytes(3 * 10**6)


def test_what_cannot_be_handed_over_is_said() -> None:
    with pytest.raises(InvalidValue, match="cannot be handed over from the worker"):
        Limits(within="30s").run(lambda: (item for item in ()))


def test_errors_with_data_survive_being_handed_over() -> None:
    def refuse() -> None:
        raise BudgetExceeded("too much", [1, 2])

    with pytest.raises(BudgetExceeded, match="too much") as refused:
        Limits(within="30s").run(refuse)
    assert refused.value.lines == (1, 2)
    with pytest.raises(PlanError) as faults:
        Limits(within="30s").run(lambda: (_ for _ in ()).throw(PlanError((Fault("a", "b"),))))
    assert faults.value.faults == (Fault("a", "b"),)


def test_what_work_does_stays_in_its_process() -> None:
    kept: list[int] = []
    Limits(within="30s").run(kept.append, 1)
    assert not kept


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"within": "30s"}, (30.0, None)),
        ({"within": "1.5 min"}, (90.0, None)),
        ({"within": "2h", "memory": "2GB"}, (7200.0, 2 * 10**9)),
        ({"within": 3, "memory": 4096}, (3.0, 4096)),
        ({"memory": "1GiB"}, (None, 2**30)),
        ({"within": "250ms"}, (0.25, None)),
    ],
)
def test_limits_are_written_as_people_do(given: dict[str, str], read: tuple[float | None, int | None]) -> None:
    found = Limits(**given)
    assert (found.within, found.memory) == read
    assert found


@pytest.mark.parametrize("word", ["", "soon", "30x", "-1s", "0s", "1e9h", "nan", "inf", "9999999h"])
def test_limits_that_are_none_are_refused(word: str) -> None:
    with pytest.raises(InvalidValue, match="expected a time such as"):
        Limits(within=word)
    with pytest.raises(InvalidValue, match="expected a size such as"):
        Limits(memory=word)
    assert not Limits()
