"""Tests in a process of their own, with at most one module replaced by a mutant."""

from __future__ import annotations

import builtins
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import linecache
import numbers
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attrs import define, field, frozen

from tests.mutation.places import ROOT, module_name

MOST_MEMORY = 6 * 2**30


@frozen
class Verdict:
    """How tests went: `passed`, `failed` with the test that did, `broken` where nothing could run, or `stopped`."""

    state: str
    by: str = ""
    cpu: float = 0.0


@frozen
class Replacement(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Loads one module from a text instead of its file; digests, tracebacks and all else still see the file."""

    file: str
    text: str

    def find_spec(
        self, fullname: str, path: object, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != module_name(self.file):
            return None
        return importlib.util.spec_from_file_location(fullname, ROOT / self.file, loader=self)

    def get_filename(self, fullname: str) -> str:
        return str(ROOT / self.file)

    def get_data(self, path: str | bytes) -> bytes:
        return self.text.encode()

    def path_stats(self, path: str) -> dict[str, object]:
        raise OSError("a mutant is never cached")


@define(eq=False)
class Watch:
    """A pytest plugin: runs the tests that were asked for, in that order, and says which of them failed."""

    wanted: dict[str, int]
    failed: list[str] = field(factory=list)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.wanted), key=lambda item: self.wanted[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def nothing(error: Any) -> Any:
    """No error, in the shape of one. Mutants know this function by name."""
    import numpy as np

    if isinstance(error, tuple):
        return tuple(nothing(item) for item in error)
    if isinstance(error, np.ndarray):
        return np.zeros_like(error)
    if hasattr(error, "radius"):
        return type(error)(error.middle)
    return type(error)(0) if isinstance(error, numbers.Number) else error


def unchanged(value: Any) -> Any:
    """The same. Mutants that change nothing know this function by name."""
    return value


def plant_words() -> None:
    """Let mutants know `nothing` and `unchanged`, wherever they stand."""
    vars(builtins).update(nothing=nothing, unchanged=unchanged)


def shown_as(path: str, text: str) -> None:
    """Let those who ask what code runs, and write it anew, see the mutant too: `tests/loss/coarse.py` does."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def preload() -> None:
    """Load what mutants do not touch, so that every process starts with it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in (
        "numpy.fft",
        "scipy.special",
        "scipy.optimize",
        "scipy.stats",
        "mpmath",
        "hypothesis.extra.numpy",
        "attrs",
        "rich",
    ):
        importlib.import_module(name)
    if "accountant" in sys.modules:
        raise RuntimeError("mutants are planted before anything is loaded")


def judged(tests: Sequence[str], replacement: Replacement | None, seconds: float) -> Verdict:
    """Run tests in this order up to the first that fails, within so many seconds of processor time."""

    def work() -> Verdict:
        if replacement is not None:
            plant_words()
            shown_as(str(ROOT / replacement.file), replacement.text)
            sys.meta_path.insert(0, replacement)
        watch = Watch({test: rank for rank, test in enumerate(tests)})
        begun = time.process_time()
        code = pytest.main(["-x", *quiet(), *files_of(tests)], plugins=[watch])
        spent = time.process_time() - begun
        if watch.failed:
            return Verdict("failed", watch.failed[0], spent)
        return Verdict("passed" if code == pytest.ExitCode.OK else "broken", "", spent)

    return apart(work, seconds)


def quiet() -> list[str]:
    """Options of pytest under which a run leaves nothing behind and depends on nothing that was left."""
    loaded = "ignore::pytest.PytestAssertRewriteWarning"  # of plugins that every process starts with
    return ["-q", "-p", "no:cacheprovider", "-W", loaded, "--rootdir", str(ROOT), "--tb=no", "-m", "not sweep"]


def files_of(tests: Iterable[str]) -> list[str]:
    """The files that tests stand in."""
    return list(dict.fromkeys(str(ROOT / test.split("::")[0]) for test in tests))


def apart(work: Callable[[], Verdict], seconds: float) -> Verdict:
    """Do some work in a process of its own, without output, and within so many seconds of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        child = os.fork()
        if child == 0:
            _child(work, answer, seconds)
        _, status = os.waitpid(child, 0)
        if answer.exists():
            return Verdict(**json.loads(answer.read_text()))
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Verdict("stopped" if ended in (signal.SIGXCPU, signal.SIGKILL) else "broken", "", seconds if ended else 0.0)


def _child(work: Callable[[], Verdict], answer: Path, seconds: float) -> None:
    try:
        os.chdir(ROOT)
        used = time.process_time()
        limit = int(used + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        with open(os.devnull, "r+b") as nothing:
            for stream in (0, 1, 2):
                os.dup2(nothing.fileno(), stream)
        same_examples_each_time()
        verdict = work()
        answer.write_text(json.dumps({"state": verdict.state, "by": verdict.by, "cpu": round(verdict.cpu, 3)}))
    except BaseException as error:
        with contextlib.suppress(OSError):
            answer.write_text(json.dumps({"state": "broken", "by": repr(error)}))
    finally:
        os._exit(0)


def same_examples_each_time() -> None:
    """A mutant's fate must not hang on the dice of property tests."""
    from hypothesis import settings

    settings.register_profile("mutation", derandomize=True, database=None, deadline=None)
    settings.load_profile("mutation")
