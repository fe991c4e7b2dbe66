"""Draw mutants, judge them, and store what became of them."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

from tests.mutation import report
from tests.mutation.importing import with_importing
from tests.mutation.judging import Case, Fate, case_of, judge_all
from tests.mutation.mutant import Mutant, Name, all_mutants
from tests.mutation.places import TESTS
from tests.mutation.reach import Reach, measure
from tests.mutation.running import preload


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Its exit code is 1 where a mutant was not killed that is not known to be equivalent."""
    asked = _parser().parse_args(arguments)
    preload()
    if asked.measure is not None:
        reach = measure(asked.measure or TESTS, asked.patience)
        print(f"{len(reach.seconds)} tests, {sum(reach.seconds.values()):.0f} seconds")
        return 0
    if asked.quick:
        return quick()
    reach = Reach.known()
    if not reach.seconds:
        reach = measure()
    known = dict.fromkeys(report.listed(report.EQUIVALENT, "reason"), "equivalent")
    known |= dict.fromkeys(report.listed(report.OUTWARD, "reason"), "outward")
    mutants = all_mutants(asked.only)
    stored = asked.again or (asked.most and asked.report.exists())
    how, earlier = report.read(asked.report) if stored else ({"sample": asked.sample, "seed": asked.seed}, [])
    if not asked.again and (how["sample"], how["seed"]) != (asked.sample, asked.seed):
        raise SystemExit(f"{asked.report} holds another sample: draw the same one, or name another report")
    how |= {"only": asked.only, "seconds": asked.seconds, "half": asked.half}
    pending, settled = _pending(asked, mutants, earlier)

    def tell(fate: Fate) -> None:
        if fate.name in known:
            if fate.outcome == "killed":
                print(f"listed as {known[fate.name]}, but killed by {fate.by}: {fate.name}", file=sys.stderr)
            else:
                fate = evolve(fate, outcome=known[fate.name])
        elif fate.outcome != "killed" and report.chooses(fate.name):
            fate = evolve(fate, outcome="equivalent")
        settled.append(fate)
        print(f"{fate.outcome:10} {fate.cpu:7.1f} s  {fate.name}  {fate.by}", flush=True)

    reach = with_importing(reach, report.files(mutant.name for mutant in pending))
    judge_all([case_of(mutant, reach, asked.seconds) for mutant in pending], reach.seconds, asked.jobs, tell, asked.seconds)
    settled.sort(key=lambda fate: fate.name)
    print(f"\n{report.table(settled)}")
    if asked.report is not None:
        report.write(asked.report, settled, **how)
    return int(any(fate.outcome not in ("killed", "equivalent", "outward") for fate in settled))


def quick() -> int:
    """Ask only those mutants that must always die, each of the one test that kills it.

    Each of these tests must also pass where nothing is changed, and where something is planted that changes nothing.
    """
    killers = report.listed(report.KILLED, "by")
    mutants = all_mutants(report.files(killers))
    for name in killers.keys() - mutants.keys():
        print(f"no longer there: {name}")
    standing = [name for name in killers if name in mutants]
    asked = [(mutant, killers[name]) for name in standing for mutant in (mutants[name], mutants[name].idle)]
    dead, idle, wrong = [], [], []

    def tell(fate: Fate) -> None:
        if fate.name.operator == "idle":
            (idle if fate.outcome == "survived" else wrong).append(f"{fate.outcome}: {fate.name}")
        else:
            (dead if fate.by == killers[fate.name] else wrong).append(f"{fate.outcome}: {fate.name}")

    judge_all([Case.of(mutant, [test]) for mutant, test in asked], {}, 1, tell)
    print(f"{len(dead)} of {len(killers)} killed, {len(idle)} that change nothing survived", *wrong, sep="\n")
    return int(len(dead) < len(killers) or len(idle) < len(killers))


def _pending(
    asked: argparse.Namespace, mutants: dict[Name, Mutant], earlier: list[Fate]
) -> tuple[list[Mutant], list[Fate]]:
    """Whom to judge, and whose fate is settled already: with --again, all that were killed and still stand."""
    if asked.again:
        standing = [fate for fate in earlier if fate.name in mutants]
        settled = [fate for fate in standing if fate.outcome == "killed"]
        return [mutants[fate.name] for fate in standing if fate.outcome != "killed"], settled
    matching = [name for name in mutants if asked.kind in ("", name.operator) and asked.text in str(name)]
    matching = [name for name in matching if asked.half in ("", report.half(name))]
    names = report.drawn(matching, asked.sample, asked.seed) if asked.sample else matching
    settled = [fate for fate in earlier if fate.name in mutants]
    done = {fate.name for fate in settled}
    return [mutants[name] for name in names if name not in done][: asked.most or None], settled


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="how many to draw, half of them error terms; all by default")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument(
        "--only", nargs="*", default=[""], help="only files whose path holds such a text: loss/engine/grid.py"
    )
    parser.add_argument("--kind", default="", help="only this kind of mutant, such as error-term")
    parser.add_argument("--text", default="", help="only mutants whose name holds this text")
    parser.add_argument(
        "--half", default="", choices=["even", "odd"], help="only of one half: learn from one, and judge by the other"
    )
    parser.add_argument("--quick", action="store_true", help="judge only those that must always die; nothing else")
    parser.add_argument("--again", action="store_true", help="judge those again that the report does not call killed")
    parser.add_argument("--report", type=Path, help="where to store what became of them")
    parser.add_argument(
        "--most", type=int, default=0, help="judge no more than so many now; asked again, go on in the report"
    )
    parser.add_argument(
        "--seconds", type=float, default=30.0, help="of processor time that tests of one mutant may usually take"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants are judged at the same time")
    parser.add_argument("--measure", nargs="*", metavar="TESTS", help="measure what tests reach, and nothing else")
    parser.add_argument(
        "--patience",
        type=float,
        default=math.inf,
        help="seconds of all cases of a test after which it is measured no further",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
