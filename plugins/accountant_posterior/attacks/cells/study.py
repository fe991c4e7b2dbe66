"""A study: one attacker with several priors, followed at every rare person's cell of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from accountant import InvalidValue, Plan
from accountant.engines import Engine
from accountant.progress import reached
from accountant_posterior.attacks.cells.areas import CellCounts
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.counting import count_cells
from accountant_posterior.attacks.cells.processing import processed
from accountant_posterior.attacks.cells.released import Released
from accountant_posterior.attacks.cells.run import Attacked, attacked, targets
from accountant_posterior.attacks.cells.summary import (
    Estimated,
    Expected,
    Outcome,
    Rare,
    estimated,
    expected,
    outcome,
    rare_cells,
)
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
    processed: Expected | None
    """What bounds the mean posterior after post-processing, for who knows everybody else."""
    estimated: Estimated | None
    """The means over all noise as several draws of it tell, where these were asked for."""


@frozen(eq=False)
class CellStudy:
    """A simulated attack, not a guarantee: what attackers find at every cell, if noise falls out as the seed has it."""

    plan: Plan
    cells: CellCounts
    tables: Tables
    rarest: int
    seed: int
    rare: tuple[Rare, ...]
    processed: NDArray[np.int64] | None
    """The counts of the smallest areas after post-processing, where that is asked for."""
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
    processing: bool = False,
    seed: int,
    draws: int = 1,
    engine: Engine | None = None,
) -> CellStudy:
    """Follow attackers, who differ in their priors only, at the cells of a table of people or of counts.

    `places` are the columns of the areas, the smallest first, and `of` the other attributes of the histograms that are
    looked at; `rarest` is how many people a cell holds at most for its people to be attacked. People are
    counted into cells by an engine, where one is given. What is found is about the first of `draws` of all noise; further
    ones estimate the means over all noise.
    """
    first = attackers[0]
    if len(set(places)) < len(places) or not places:
        raise InvalidValue("name every place once, the smallest areas first")
    if processing and first.knows == "block":
        raise InvalidValue("counts are processed from the largest areas down, and this attacker looks at the smallest only")
    tables = tables_of(plan, places, first.knows, of, alike=processing or bool(first.missing))
    if engine is None:
        cells = read_cells(data, places, tables.columns, counts)
    elif counts is None:
        cells = count_cells(engine, data, places, tables.columns)
    else:
        raise InvalidValue("a table of counts is counted already; leave --engine out")
    area, kind = targets(cells, rarest, present=first.present)
    if not len(area):
        raise InvalidValue(f"no cell holds at most {rarest:,}: there is nobody to attack; allow more with --rare")
    followed: list[Followed] = []
    for attacker in attackers:
        # Every attacker sees the same noise, and misses the same people.
        found, outcomes = None, []
        for draw in range(draws):
            generator = np.random.default_rng(seed if draw == 0 else (seed, draw))
            released = Released.of(cells, tables.looked, generator)
            drawn = attacked(cells, released, attacker, area, kind, generator)
            outcomes.append(outcome(drawn, attacker.present))
            found = found or drawn
            reached((len(followed) + (draw + 1) / draws) / len(attackers))
        assert found is not None
        means = expected(attacker, tables.looked)
        bound = expected(evolve(attacker, knows="levels", missing=0, present=True), tables.looked) if processing else None
        followed.append(Followed(attacker, found, outcomes[0], means, bound, estimated(outcomes)))
    rare = rare_cells(cells, tables.looked, rarest)
    after = processed(cells, Released.of(cells, tables.looked, np.random.default_rng(seed))) if processing else None
    return CellStudy(plan, cells, tables, rarest, seed, tuple(rare), after, tuple(followed))


def with_priors(attacker: Attacker, priors: Sequence[str]) -> tuple[Attacker, ...]:
    """The same attacker with each of several priors."""
    return tuple(evolve(attacker, prior=prior) for prior in priors)
