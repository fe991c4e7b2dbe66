"""A study: one attacker with several priors, followed at every rare person's cell of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from attrs import evolve, field, frozen

from accountant import InvalidValue, Plan
from accountant_posterior.attacks.cells.areas import Cells
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.run import Attacked, Released, attacked, targets
from accountant_posterior.attacks.cells.summary import Expected, Outcome, Rare, expected, outcome, rare_cells
from accountant_posterior.attacks.cells.table import read_cells
from accountant_posterior.attacks.cells.tables import Tables, tables_of
from accountant_posterior.attacks.scenario import SIMULATED


@frozen(eq=False)
class Followed:
    """What an attacker with one prior finds."""

    attacker: Attacker
    found: Attacked
    outcome: Outcome
    expected: Expected | None


@frozen(eq=False)
class CellStudy:
    """A simulated attack, not a guarantee: what attackers find at every cell, if noise falls out as the seed has it."""

    plan: Plan
    cells: Cells
    tables: Tables
    rarest: int
    seed: int
    rare: tuple[Rare, ...]
    followed: tuple[Followed, ...]
    label: str = field(default=SIMULATED, init=False)


def study_cells(
    plan: Plan,
    data: str,
    attackers: Sequence[Attacker],
    *,
    places: Sequence[str],
    counts: str | None = None,
    of: Collection[str] | None = None,
    rarest: int = 1,
    seed: int,
) -> CellStudy:
    """Follow attackers, who differ in their priors only, at the cells of a table of people or of counts.

    `places` are the columns of the areas, the smallest first, and `of` the other attributes of the histograms that are
    looked at; `rarest` is how many people a cell holds at most for its people to be attacked.
    """
    first = attackers[0]
    if len(set(places)) < len(places) or not places:
        raise InvalidValue("name every place once, the smallest areas first")
    tables = tables_of(plan, places, first.knows, of, alike=bool(first.missing))
    cells = read_cells(data, places, tables.columns, counts)
    area, kind = targets(cells, rarest, present=first.present)
    if not len(area):
        raise InvalidValue(f"no cell holds at most {rarest:,}: there is nobody to attack; allow more with --rare")
    followed = []
    for attacker in attackers:
        # Every attacker sees the same noise, and misses the same people.
        generator = np.random.default_rng(seed)
        released = Released.of(cells, tables.looked, generator)
        found = attacked(cells, released, attacker, area, kind, generator)
        followed.append(Followed(attacker, found, outcome(found, attacker.present), expected(attacker, tables.looked)))
    rare = rare_cells(cells, tables.looked, rarest)
    return CellStudy(plan, cells, tables, rarest, seed, tuple(rare), tuple(followed))


def with_priors(attacker: Attacker, priors: Sequence[str]) -> tuple[Attacker, ...]:
    """The same attacker with each of several priors."""
    return tuple(evolve(attacker, prior=prior) for prior in priors)
