"""What became of a sample of mutants, stored beside the code, and the mutants that no test can kill."""

from __future__ import annotations

import hashlib
import json
import random
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from attrs import asdict

from tests.mutation.judging import Fate
from tests.mutation.mutant import Name
from tests.mutation.operators import OPERATORS

REPORT = Path(__file__).with_name("report.json")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
"""Mutants that change nothing that is promised, each with the reason."""

OUTWARD = Path(__file__).with_name("outward.toml")
"""Mutants that can only make a bound wider, and by so little that nobody is harmed, each with the reason."""

CHOICES = Path(__file__).with_name("choices.toml")
"""Functions whose results are only choices, each with the reason: mutants in them that survive change nothing promised."""

KILLED = Path(__file__).with_name("killed.toml")
"""Mutants that must always die, each with the test that kills it."""

OUTCOMES = ("killed", "survived", "unreached", "stopped", "equivalent", "outward")


def listed(path: Path, what: str) -> dict[Name, str]:
    """The mutants of a list, each with what is said of it there."""
    rows = tomllib.loads(path.read_text()).get("mutant", [])
    return {Name(**{key: row[key] for key in row if key != what}): row[what] for row in rows}


def chooses(name: Name) -> bool:
    """Whether a mutant stands in a function that only chooses."""
    rows = tomllib.loads(CHOICES.read_text())["choice"]
    return any(fnmatchcase(name.file, row["file"]) and fnmatchcase(name.function, row["function"]) for row in rows)


def files(names: Iterable[Name]) -> list[str]:
    """The files that mutants stand in."""
    return sorted({name.file for name in names})


def drawn(names: Collection[Name], size: int, seed: int) -> list[Name]:
    """A sample: half of it error terms, the rest in equal parts from the other kinds, as far as each has so many."""
    dice = random.Random(seed)
    kinds: dict[str, list[Name]] = {kind: [] for kind in OPERATORS}
    for name in sorted(names):
        kinds[name.operator].append(name)
    for members in kinds.values():
        dice.shuffle(members)
    first = kinds.pop("error-term")
    sample, others = first[: (size + 1) // 2], size // 2
    turns = [members[turn] for turn in range(others) for members in kinds.values() if turn < len(members)]
    return sorted(sample + turns[:others])


def half(name: Name) -> str:
    """In which of two halves a mutant is, whatever others there are: one to learn from, and one to judge by."""
    return "even" if hashlib.sha256(str(name).encode()).digest()[0] % 2 == 0 else "odd"


def figures(fates: Iterable[Fate]) -> dict[str, dict[str, int]]:
    """For each kind, how many were drawn and what became of them."""
    counted = Counter((fate.name.operator, fate.outcome) for fate in fates)
    kinds = [kind for kind in OPERATORS if any(kind == seen for seen, _ in counted)]
    rows = {kind: {outcome: counted[kind, outcome] for outcome in OUTCOMES} for kind in kinds}
    rows["all"] = {outcome: sum(row[outcome] for row in rows.values()) for outcome in OUTCOMES}
    return {kind: {"drawn": sum(row.values()), **row} for kind, row in rows.items()}


def table(fates: Sequence[Fate]) -> str:
    """The figures as a table, and the names of those that tests did not kill."""
    lines = ["| kind | drawn | " + " | ".join(OUTCOMES) + " | killed of the others |", "|---|" + "---|" * 8]
    for kind, row in figures(fates).items():
        whole = row["drawn"] - row["equivalent"] - row["outward"]
        share = f"{row['killed'] / whole:.0%}" if whole else ""
        lines.append(
            f"| {kind} | {row['drawn']} | " + " | ".join(str(row[outcome]) for outcome in OUTCOMES) + f" | {share} |"
        )
    alive = [fate for fate in fates if fate.outcome in ("survived", "unreached", "stopped")]
    return "\n".join(
        [*lines, "", *(f"{fate.outcome} ({fate.asked} of {fate.reaching} tests): {fate.name}" for fate in alive)]
    )


def write(path: Path, fates: Sequence[Fate], **how: Any) -> None:
    """Store a run: how it was drawn, the figures, and every mutant with its fate."""
    mutants = [
        {**asdict(fate.name), **{key: value for key, value in asdict(fate).items() if key != "name"}} for fate in fates
    ]
    path.write_text(
        json.dumps({"how": how, "figures": figures(fates), "mutants": mutants}, indent=1, ensure_ascii=False) + "\n"
    )


def read(path: Path = REPORT) -> tuple[dict[str, Any], list[Fate]]:
    """A stored run: how it was drawn, and the fates."""
    stored = json.loads(path.read_text())
    parts = [field for field in Name.__annotations__ if field != "plain"]
    return stored["how"], [
        Fate(Name(**{key: row[key] for key in parts}), **{key: row[key] for key in row if key not in parts})
        for row in stored["mutants"]
    ]
