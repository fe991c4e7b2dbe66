"""Whether the tests notice a mutant."""

from __future__ import annotations

import math
import multiprocessing
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from attrs import evolve, frozen

from tests.mutation.mutant import Mutant, Name
from tests.mutation.places import ROOT
from tests.mutation.reach import Reach
from tests.mutation.running import Replacement, Verdict, judged
from tests.mutation.warm import Change, Loaded, change_of, with_tests

_LOADING = 20.0


@frozen
class Fate:
    """What became of a mutant.

    `killed` by a test that passes without it; `survived` all tests that were run; `stopped` since tests took far
    longer than without it, which is counted as no death; `unreached` by any test. `asked` of `reaching` tests were run.
    """

    name: Name
    outcome: str
    by: str = ""
    cpu: float = 0.0
    asked: int = 0
    reaching: int = 0


@frozen(eq=False)
class Case:
    """A mutant, the tests that it is to be asked in their order, and how many reach it."""

    mutant: Mutant
    tests: Sequence[str]
    reaching: int
    change: Change | None
    """How it is planted where everything is loaded already; None where something must be loaded anew."""

    @classmethod
    def of(cls, mutant: Mutant, tests: Sequence[str], reaching: int = 0) -> Case:
        """The case of one mutant."""
        source = (ROOT / mutant.name.file).read_text()
        return cls(mutant, tests, reaching, change_of(mutant.name.file, source, mutant.applied(source)))


def case_of(mutant: Mutant, reach: Reach, seconds: float) -> Case:
    """The tests that reach a mutant, quick ones first, up to so many seconds of usual time.

    No test runs what only runs on loading, where a file has nothing else: those of its room are asked.
    """
    found = reach.tests(mutant.name.file, mutant.place)
    if not found and not mutant.name.function:
        found = [test for test in reach.seconds if _near(test, mutant.name.file)]
    order = ordered(found, mutant.name.file, reach.seconds, reach.breadth)
    return Case.of(mutant, within(order, reach.seconds, seconds), len(found))


@frozen(eq=False)
class Court:
    """Where mutants are judged: the usual seconds of tests, and the tests themselves if they are loaded."""

    seconds: dict[str, float]
    patience: float = math.inf
    loaded: Loaded | None = None

    def judge(self, case: Case) -> Fate:
        """Run the tests of a case until one fails that passes without the mutant."""
        tests = [test for test in case.tests if self.loaded is None or test in self.loaded.items]
        fate = Fate(case.mutant.name, "survived" if tests else "unreached", reaching=case.reaching)
        while tests:
            verdict = self._verdict(tests, case)
            done = tests.index(verdict.by) + 1 if verdict.by in tests else len(tests)
            fate = evolve(fate, cpu=round(fate.cpu + verdict.cpu, 3), asked=fate.asked + done)
            if verdict.state == "passed":
                break
            if verdict.state == "stopped":
                return evolve(fate, outcome="stopped")
            if self.loaded is not None and verdict.state == "broken" and verdict.by:
                # Everything is loaded already: it is the mutant that could not be planted, and no test has seen it.
                raise RuntimeError(f"{case.mutant.name}: {verdict.by}")
            blamed = [verdict.by] if verdict.state == "failed" else tests
            if self._verdict(blamed, None).state == "passed":
                return evolve(fate, outcome="killed", by=verdict.by if verdict.state == "failed" else "it does not load")
            if verdict.state != "failed":
                raise RuntimeError(f"tests do not run without {case.mutant.name} either: measure again what they reach")
            tests = tests[done:]
        return fate

    def _verdict(self, tests: Sequence[str], case: Case | None) -> Verdict:
        most = _LOADING + 3.0 * sum(self.seconds.get(test, 1.0) for test in tests)
        if self.loaded is not None:
            return self.loaded.verdict(tests, None if case is None else case.change, most, self.patience)
        if case is None:
            return judged(tests, None, most)
        file = case.mutant.name.file
        return judged(tests, Replacement(file, case.mutant.applied((ROOT / file).read_text())), most)


def judge_all(
    cases: Sequence[Case],
    seconds: dict[str, float],
    jobs: int,
    tell: Callable[[Fate], None],
    patience: float = math.inf,
) -> None:
    """Tell the fates of mutants: first of those for which everything must be loaded anew, then of the others.

    Of these, no test is begun after so many seconds.
    """
    _share_out([case for case in cases if case.change is None], Court(seconds), jobs, tell)
    warm = [case for case in cases if case.change is not None]
    tests = list(dict.fromkeys(test for case in warm for test in case.tests))
    with_tests(tests, lambda loaded: _share_out(warm, Court(seconds, patience, loaded), jobs, tell))


def _share_out(cases: Sequence[Case], court: Court, jobs: int, tell: Callable[[Fate], None]) -> None:
    """Judge in so many processes; what they share is handed on by copying this one."""
    global _here
    _here = (court, cases)
    if jobs == 1:
        for place in range(len(cases)):
            tell(_judge(place))
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        for done in as_completed([pool.submit(_judge, place) for place in range(len(cases))]):
            tell(done.result())


_here: tuple[Court, Sequence[Case]] | None = None


def _judge(place: int) -> Fate:
    assert _here is not None
    court, cases = _here
    return court.judge(cases[place])


def ordered(tests: Sequence[str], file: str, seconds: dict[str, float], breadth: Mapping[str, int]) -> list[str]:
    """First tests that are quick, of the same room, and about few files: a piece alone hides nothing behind others.

    Every further case of a test counts as if it took as much longer. A case that names the file is about it. Where every
    function is asked alone nothing is hidden, however many are asked.
    """
    quick = sorted(tests, key=lambda test: (seconds[test], test))
    cases: Counter[str] = Counter()
    costs = {}
    for test in quick:
        function = test.split("[")[0]
        cases[function] += 1
        apart = 1.0 if _near(test, file) else 3.0
        files = 1 if test.startswith(_ALONE) else breadth.get(test) or _SOME_FILES
        costs[test] = max(seconds[test], _LEAST) * cases[function] * apart * files
        if re.search(rf"\b{Path(file).stem}\b", test.partition("[")[2]):
            costs[test] *= _NAMED
    return sorted(quick, key=lambda test: (costs[test], test))


_LEAST, _NAMED = 0.01, 0.001
_ALONE = "tests/loss/test_functions_alone.py"
"""Here every function that is called is asked again alone."""
_SOME_FILES = 10
"""How many files a test reaches for as long as nobody knows better."""


def within(tests: Sequence[str], seconds: dict[str, float], most: float) -> list[str]:
    """As many of the first tests as fit into some seconds."""
    kept: list[str] = []
    total = 0.0
    for test in tests:
        total += seconds[test]
        if total > most and kept:
            break
        kept.append(test)
    return kept


def _near(test: str, file: str) -> bool:
    """Whether a test stands in the room that mirrors a file's."""
    room = file.replace("plugins/accountant_", "tests/plugins/").replace("accountant/", "tests/", 1).rsplit("/", 1)[0]
    return test.startswith(room)
