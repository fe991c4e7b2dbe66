"""Which tests reach which statement, and how long each takes: measured once, on the code as it is."""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from tests.mutation.places import KEPT, ROOT, TESTS, Place, sources, statements
from tests.mutation.running import Verdict, apart, quiet

_FILE = KEPT / "reach.json"


@define(eq=False, slots=False)
class Reach:
    """Processor seconds of every test that passes, and for each place of each file the tests that reach it."""

    seconds: dict[str, float] = field(factory=dict)
    places: dict[str, dict[str, list[str]]] = field(factory=dict)
    importing: dict[str, list[str]] = field(factory=dict)
    """Tests that were not measured, by a file that they import."""

    @classmethod
    def known(cls) -> Reach:
        """What was measured before, which may be nothing."""
        if not _FILE.exists():
            return cls()
        stored = json.loads(_FILE.read_text())
        names = stored["tests"]
        places = {
            file: {place: [names[index] for index in indices] for place, indices in reached.items()}
            for file, reached in stored["places"].items()
        }
        return cls(dict(zip(names, stored["seconds"], strict=True)), places)

    def keep(self) -> None:
        """Store it, each test's name once."""
        KEPT.mkdir(exist_ok=True)
        index = {name: place for place, name in enumerate(self.seconds)}
        places = {
            file: {place: sorted(index[test] for test in tests if test in index) for place, tests in reached.items()}
            for file, reached in self.places.items()
        }
        stored = {"tests": list(index), "seconds": [round(cpu, 3) for cpu in self.seconds.values()], "places": places}
        _FILE.write_text(json.dumps(stored))

    def tests(self, file: str, place: Place) -> list[str]:
        """The tests that reach a statement, and those that may since they import its file.

        Of what runs when a module is loaded, and of statements that have changed since, those that reach its function or,
        failing that, its file.
        """
        reached = self.places.get(file, {})
        function, _ = place
        others = self.importing.get(file, [])
        if function and (found := reached.get(_key(place))):
            return [*found, *others]
        near = {test for key, tests in reached.items() for test in tests if function and key.split("\t")[0] == function}
        return [*sorted(near or {test for tests in reached.values() for test in tests}), *others]

    @cached_property
    def breadth(self) -> Counter[str]:
        """How many files each test reaches: one that reaches few is about these."""
        return Counter(test for reached in self.places.values() for test in set().union(*reached.values()))

    def forget(self, folders: Sequence[str]) -> None:
        """Drop what is known of the tests in some folders or files."""
        gone = {test for test in self.seconds if test.startswith(tuple(folders))}
        self.seconds = {test: cpu for test, cpu in self.seconds.items() if test not in gone}
        for reached in self.places.values():
            for place, tests in reached.items():
                reached[place] = [test for test in tests if test not in gone]


def measure(folders: Sequence[str] = TESTS, patience: float = math.inf) -> Reach:
    """Run the tests of some folders with a tracer, and keep what they reach beside what is known of others.

    Further cases of a test that took so many seconds in all are taken for its others.
    """
    KEPT.mkdir(exist_ok=True)
    for folder in folders:
        answer = KEPT / f"measured-{os.getpid()}.json"
        answer.unlink(missing_ok=True)
        verdict = apart(partial(_traced, folder, answer, patience), 3600.0)
        if not answer.exists():
            raise RuntimeError(f"the tests of {folder} could not be traced: {verdict.by or verdict.state}")
        measured = json.loads(answer.read_text())
        reach = Reach.known()
        reach.forget([folder])
        reach.seconds |= measured["seconds"]
        for file, reached in measured["places"].items():
            into = reach.places.setdefault(file, {})
            for place, tests in reached.items():
                into[place] = sorted({*into.get(place, []), *tests})
        reach.keep()
        answer.unlink()
    return Reach.known()


@define(eq=False)
class Clock:
    """A pytest plugin: names the test that runs to the tracer, takes its time, and leaves out what takes long."""

    tracer: Any
    patience: float
    seconds: dict[str, float] = field(factory=dict)
    failed: set[str] = field(factory=set)
    left_out: set[str] = field(factory=set)
    """Cases for which there was no patience any more."""
    spent: Counter[str] = field(factory=Counter)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.tracer.switch_context(item.nodeid)
        begun = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - begun
        self.spent[_function(item.nodeid)] += self.seconds[item.nodeid]
        self.tracer.switch_context("")
        return result

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.spent[_function(item.nodeid)] > self.patience:
            self.left_out.add(item.nodeid)
            pytest.skip("its other cases took long enough")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.failed.add(report.nodeid)

    def results(self) -> tuple[dict[str, float], dict[str, list[str]]]:
        """Seconds of all tests that pass, and for each measured case those left out, which are taken for much the same."""
        passed = {test: cpu for test, cpu in self.seconds.items() if test not in self.failed}
        measured: dict[str, list[str]] = {}
        for test in passed:
            measured.setdefault(_function(test), []).append(test)
        alike: dict[str, list[str]] = {}
        for test in sorted(self.left_out):
            if cases := measured.get(_function(test)):
                passed[test] = sum(self.seconds[case] for case in cases) / len(cases)
                for case in cases:
                    alike.setdefault(case, []).append(test)
        return passed, alike


def _function(test: str) -> str:
    return test.split("[")[0]


def _traced(folder: str, answer: Path, patience: float) -> Verdict:
    import coverage

    tracer = coverage.Coverage(data_file=None, include=[str(path) for path in sources()], config_file=False)
    clock = Clock(tracer, patience)
    tracer.start()
    code = pytest.main([*quiet(), str(ROOT / folder)], plugins=[clock])
    tracer.stop()
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"pytest ended with {code!r}, which a file that does not load may be the cause of")
    passed, alike = clock.results()
    places = {str(path.relative_to(ROOT)): _reached(tracer.get_data(), path, passed, alike) for path in sources()}
    answer.write_text(json.dumps({"seconds": passed, "places": places}))
    return Verdict("passed")


def _reached(data: Any, path: Path, passed: dict[str, float], alike: dict[str, list[str]]) -> dict[str, list[str]]:
    tests = data.contexts_by_lineno(str(path))
    reached: dict[str, set[str]] = {}
    for lines, place in statements(path.read_text()):
        found = {test for line in lines for test in tests.get(line, ()) if test in passed}
        reached.setdefault(_key(place), set()).update(found, *(alike.get(test, ()) for test in found))
    return {place: sorted(found) for place, found in reached.items()}


def _key(place: Place) -> str:
    return "\t".join(place)
