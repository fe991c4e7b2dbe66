"""A small panel: a plan, random events, and what is counted from them slowly."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import accountant as ac

RELEASES = (
    ac.Gaussian(sigma="10").on(ac.Count()).repeated(3).named("wave"),
    ac.Gaussian(sigma="10").on(ac.Count()).repeated(4).named("another like it"),
    ac.Laplace(scale="8").on(ac.Count()).repeated(2).named("extra"),
    ac.Gaussian(sigma="4").on(ac.Count()).named('it\'s, "quoted"'),
)
BUDGETS = (ac.Budget.of("approx", epsilon="0.9", delta="1e-6"), ac.Budget.of("zcdp", rho="0.025"))
PLAN = ac.Plan.of(
    *RELEASES, neighbours="add-remove", budgets=BUDGETS, questions=[ac.Question.of("renyi", order="3")], title="A panel"
)


def write(path: Path, rows: Sequence[Sequence[object]], header: Sequence[str] = ("unit", "release")) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def drawn(random: Random, units: int) -> list[tuple[str, str]]:
    """Events of some units, none of which takes part more often than the plan runs a release."""
    rows = []
    for unit in range(units):
        for release in RELEASES:
            rows += [(f"unit {unit}", release.name)] * random.randint(0, release.times)
    random.shuffle(rows)
    return rows


def own_account(events: Counter[str]) -> ac.Account:
    """The account of what a unit took part in, made from nothing but that."""
    taken = [ac.Release(r.name, r.mechanism, r.query, times=events[r.name]) for r in RELEASES if events[r.name]]
    return ac.account(ac.Plan.of(*taken, neighbours="add-remove", budgets=BUDGETS))


def units_in(folder: Path) -> dict[str, dict[str, Any]]:
    from pyarrow import parquet

    return {row["unit"]: row for row in parquet.read_table(folder / "units").to_pylist()}
