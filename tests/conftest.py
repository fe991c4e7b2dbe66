"""What all tests stand on: long arithmetic of known precision, single threads, shared bytecode, files kept together."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator

import hypothesis
import mpmath
import pytest

# Tests run on every core already: sums that are shared out among threads would only wait for one another. This is read when
# the first array is made, and by programs that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


# How long an example takes says how busy the machine is. What must not take long is counted in work.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")

_FEW, _TOGETHER = 10, 40


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--examples", type=int, default=1, metavar="TIMES", help="so many times as many examples as usual")


def pytest_configure(config: pytest.Config) -> None:
    """Tests and programs that they start can be interrupted, and compile each module once, beside the cache of pytest."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As shells have it that start the suite in the background. Some tests wait for ever until they are interrupted.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(config.rootpath / ".pytest_cache" / "bytecode")
        sys.dont_write_bytecode = False


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One process more than `-n auto` means: who waits for a program, a database or a browser leaves a core to others."""
    return (yield) + ("PYTEST_XDIST_AUTO_NUM_WORKERS" not in os.environ)


def _drawn_from() -> None:
    """Have hypothesis see numpy's generator and that somebody holds it: early versions cannot tell of what is frozen."""
    import numpy  # noqa: F401

    hypothesis.given(hypothesis.strategies.none())(lambda value: None)()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay to the end: no cycles are looked for while they are loaded, nor among them later."""
    gc.disable()
    try:
        return (yield)
    finally:
        _drawn_from()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> list[pytest.Item] | None:
    """Sweeps have thousands of cases: where none is asked for, neither by a mark nor by its name, they are not listed."""
    asked = "not sweep" not in collector.config.option.markexpr or any("::" in place for place in collector.config.args)
    marks = getattr(obj, "pytestmark", ())
    return None if asked or all(mark.name != "sweep" for mark in marks) else []


def _drawing_more(items: list[pytest.Item], times: int) -> None:
    """Have every test that draws its examples draw so many times as many."""
    for test in {item.obj for item in items if isinstance(item, pytest.Function)}:
        if hypothesis.is_hypothesis_test(test):
            usual = getattr(test, "_hypothesis_internal_use_settings", None) or hypothesis.settings.default
            test._hypothesis_internal_use_settings = hypothesis.settings(usual, max_examples=times * usual.max_examples)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where tests are shared out among processes, those of one file go out by the dozen.

    What they share, fixtures and references in long arithmetic, is then computed in one process and not in each. Files of
    a few tests, which may be long ones, are shared out test by test, last, so that all processes end together.
    """
    if config.getoption("--examples") > 1:
        _drawing_more(items, config.getoption("--examples"))
    if not hasattr(config, "workerinput"):
        return
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            files[item.nodeid.partition("::")[0]].append(item)
    for file, members in files.items():
        for place, item in enumerate(members if len(members) > _FEW else ()):
            item.add_marker(pytest.mark.xdist_group(f"{file} {place // _TOGETHER}"))


@pytest.fixture(scope="module", autouse=True)
def digits() -> Iterator[None]:
    """Long arithmetic has fifty digits, whatever precision modules that were loaded before a test asked for.

    Tests that need more have a fixture of this name nearer to them.
    """
    with mpmath.workdps(50):
        yield
