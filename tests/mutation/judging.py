"""Whether the tests notice a mutant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attrs import evolve, frozen

from tests.mutation.mutant import Mutant, Name
from tests.mutation.places import ROOT
from tests.mutation.reach import Reach
from tests.mutation.running import Replacement, Verdict, judged

FIRST = 24
"""How many tests are tried before the others are even loaded: most mutants die of one of them."""

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


def judge(mutant: Mutant, reach: Reach, seconds: float) -> Fate:
    """Run the tests that reach a mutant, up to so many seconds of usual time, until one fails that passes without it."""
    found = reach.tests(mutant.name.file, mutant.place)
    tests = within(ordered(found, mutant.name.file, reach.seconds), reach.seconds, seconds)
    fate = Fate(mutant.name, "survived" if tests else "unreached", reaching=len(found))
    for batch in (tests[:FIRST], tests[FIRST:]):
        fate = _tried(mutant, batch, reach.seconds, fate)
        if fate.outcome in ("killed", "stopped"):
            break
    return fate


def _tried(mutant: Mutant, tests: Sequence[str], seconds: dict[str, float], fate: Fate) -> Fate:
    """One batch of tests. A failure counts only if the same test passes without the mutant, now."""
    left = list(tests)
    while left:
        verdict = verdict_on(mutant, left, seconds)
        fate = evolve(fate, cpu=round(fate.cpu + verdict.cpu, 3), asked=fate.asked + len(left))
        if verdict.state == "passed":
            return fate
        if verdict.state == "stopped":
            return evolve(fate, outcome="stopped")
        blamed = [verdict.by] if verdict.state == "failed" else left
        without = judged(blamed, None, _allowed(blamed, seconds))
        if without.state == "passed":
            return evolve(fate, outcome="killed", by=verdict.by if verdict.state == "failed" else "it does not load")
        if verdict.state != "failed":
            raise RuntimeError(
                f"tests do not run without a mutant either: {', '.join(left[:3])}; measure again what they reach"
            )
        left = [test for test in left if test != verdict.by]
    return fate


def verdict_on(mutant: Mutant, tests: Sequence[str], seconds: dict[str, float]) -> Verdict:
    """How these tests go with the mutant in place."""
    text = mutant.applied((ROOT / mutant.name.file).read_text())
    return judged(tests, Replacement(mutant.name.file, text), _allowed(tests, seconds))


def _allowed(tests: Sequence[str], seconds: dict[str, float]) -> float:
    return _LOADING + 3.0 * sum(seconds.get(test, 1.0) for test in tests)


def ordered(tests: Sequence[str], file: str, seconds: dict[str, float]) -> list[str]:
    """One case of each test before any second case; among these, quick ones and those of the same room first."""
    quick = sorted(tests, key=lambda test: (seconds[test] * (1.0 if _near(test, file) else 3.0), test))
    cases: Counter[str] = Counter()
    turns = []
    for rank, test in enumerate(quick):
        function = test.split("[")[0]
        turns.append((cases[function], rank, test))
        cases[function] += 1
    return [test for _, _, test in sorted(turns)]


def within(tests: Sequence[str], seconds: dict[str, float], most: float) -> list[str]:
    """As many of the first tests as fit into some seconds."""
    kept, total = [], 0.0
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
