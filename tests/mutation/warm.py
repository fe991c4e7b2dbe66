"""Tests that are loaded once: a mutant of a function is a copy of this process in which that function has other code.

Nothing is loaded again for it, so that a mutant costs the tests that it is asked and nothing else. What runs when a module
is loaded cannot be changed in this way: `running.Replacement` is for that.
"""

from __future__ import annotations

import functools
import gc
import importlib
import inspect
import math
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from attrs import define, field, frozen

from tests.mutation.places import ROOT, module_name
from tests.mutation.running import (
    Verdict,
    Watch,
    apart,
    files_of,
    plant_words,
    quiet,
    same_examples_each_time,
    shown_as,
)


@frozen(eq=False)
class Change:
    """A function of a file that is to run other code."""

    file: str
    before: types.CodeType
    after: types.CodeType
    text: str
    """The whole file, changed."""


def change_of(file: str, before: str, after: str) -> Change | None:
    """The one function that differs between two texts of a file. None where something else does, or its closure does."""
    path = str(ROOT / file)
    pairs = zip(_functions(compile(before, path, "exec")), _functions(compile(after, path, "exec")), strict=False)
    differing = [(old, new) for old, new in pairs if old != new]
    if len(differing) != 1 or differing[0][0].co_freevars != differing[0][1].co_freevars:
        return None
    return Change(path, *differing[0], after)


def _functions(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of all functions that stand in no other function."""
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            if part.co_flags & inspect.CO_OPTIMIZED:
                yield part
            else:
                yield from _functions(part)


@define(eq=False)
class Loaded:
    """A pytest plugin: once all tests are loaded, it hands them over instead of running them."""

    work: Callable[[Loaded], None]
    items: dict[str, pytest.Item] = field(factory=dict)
    watch: Watch = field(factory=lambda: Watch({}))
    unloadable: int = 0
    _functions: dict[str, list[types.FunctionType]] = field(factory=dict)
    _caches: list[functools._lru_cache_wrapper[object]] = field(factory=list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.unloadable = session.testsfailed
        if self.unloadable:
            return True
        # The collector does not show what is frozen, and whoever runs many tests freezes what was loaded.
        gc.unfreeze()
        self._look()
        gc.collect()
        gc.freeze()
        self.work(self)
        return True

    def _look(self) -> None:
        """Note all functions, and what remembers their results."""
        self._functions.clear()
        self._caches.clear()
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType):
                self._functions.setdefault(thing.__code__.co_filename, []).append(thing)
            elif isinstance(thing, functools._lru_cache_wrapper):
                self._caches.append(thing)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.watch.pytest_runtest_logreport(report)

    def verdict(self, tests: Sequence[str], change: Change | None, seconds: float, patience: float = math.inf) -> Verdict:
        """Run tests in this order, in a copy of this process, up to the first that fails or that ends too late.

        It is stopped after some seconds, and begins no test after its patience has ended.
        """

        def work() -> Verdict:
            begun = time.process_time()
            # What was computed on loading would hide a change; without one it is forgotten too, to tell the two apart.
            for cache in self._caches:
                cache.cache_clear()
            if change is not None:
                self._plant(change)
            items = [self.items[test] for test in tests]
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                spent = time.process_time() - begun
                if self.watch.failed:
                    return Verdict("failed", self.watch.failed[0], spent)
                if spent > patience:
                    return Verdict("passed", item.nodeid, spent)
            return Verdict("passed", "", time.process_time() - begun)

        return apart(work, seconds)

    def _plant(self, change: Change) -> None:
        plant_words()
        shown_as(change.file, change.text)
        if change.file not in self._functions:
            # A module that tests load when they need it.
            importlib.import_module(module_name(str(Path(change.file).relative_to(ROOT))))
            self._look()
        found = [function for function in self._functions.get(change.file, ()) if function.__code__ == change.before]
        if not found:
            raise RuntimeError(f"{change.before.co_qualname} of {change.file} is not loaded")
        for function in found:
            function.__code__ = change.after


def with_tests(tests: Sequence[str], work: Callable[[Loaded], None]) -> None:
    """Load the files of some tests, and do some work with them."""
    if not tests:
        return
    same_examples_each_time()
    loaded = Loaded(work)
    code = pytest.main([*quiet(), "-s", *files_of(tests)], plugins=[loaded])
    if code == pytest.ExitCode.INTERNAL_ERROR:
        raise RuntimeError("mutants could not be judged")
    if loaded.unloadable:
        raise RuntimeError(f"{loaded.unloadable} of the files {files_of(tests)} do not load")
    if not loaded.items:
        raise RuntimeError("tests could not be loaded; measure again what they reach")
