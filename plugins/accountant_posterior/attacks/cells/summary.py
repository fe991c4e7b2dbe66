"""What is told of an attack: over all cells, area by area, and level by level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant import Interval
from accountant.loss import Floats
from accountant_posterior.attacks.cells.areas import CellCounts
from accountant_posterior.attacks.cells.attacker import Attacker, Looked
from accountant_posterior.attacks.cells.mechanisms import scale_of
from accountant_posterior.attacks.cells.noise import ROUND
from accountant_posterior.attacks.cells.run import Attacked
from accountant_posterior.attacks.counts import CountAttack, NoisyCount


@frozen
class Expected:
    """What the attacker ends up with on average over all noise: the posterior, and the chance of a right guess."""

    posterior: Interval
    right: Interval


@frozen
class Outcome:
    """Over some cells: how many, the mean and the largest posterior, the share of right guesses."""

    cells: int
    mean: Interval
    largest: Interval
    right: Interval
    open: int
    """How many guesses the arithmetic leaves open; they count as wrong at the lower end and as right at the upper."""


@frozen
class Estimated:
    """Means over all noise, and over who is missed, as so many independent draws tell, with their standard errors."""

    draws: int
    posterior: Interval
    posterior_error: float
    right: Interval
    right_error: float


@frozen
class Rare:
    """How many cells of a table hold one person, and how many at most so many."""

    place: str
    table: str
    cells: int
    unique: int
    rare: int


def outcome(found: Attacked, present: bool, rows: NDArray[np.int64] | None = None) -> Outcome:
    """What was found at some of the cells, at all of them when left out."""
    chosen = slice(None) if rows is None else rows
    lower, upper, guess = found.lower[chosen], found.upper[chosen], found.guess[chosen]
    wrong, unclear = int((guess == int(not present)).sum()), int((guess < 0).sum())
    size = len(lower)
    right = Interval(_share(size - wrong - unclear, size).lower, _share(size - wrong, size).upper)
    mean = Interval(float(lower.mean()) * (1.0 - 64.0 * ROUND), float(upper.mean()) * (1.0 + 64.0 * ROUND)).clamp(0.0, 1.0)
    # Whichever cell it is, the largest lies between the largest of both ends.
    return Outcome(size, mean, Interval(float(lower.max()), float(upper.max())), right, unclear)


def estimated(outcomes: Sequence[Outcome]) -> Estimated | None:
    """The means of several independent draws of all noise, each between its two ends; None where there is one only."""
    number = len(outcomes)
    if number < 2:
        return None
    mean, right = _averaged([item.mean for item in outcomes]), _averaged([item.right for item in outcomes])
    return Estimated(number, *mean, *right)


def _averaged(values: Sequence[Interval]) -> tuple[Interval, float]:
    """The mean of numbers that lie between two ends each, and its standard error."""
    ends = np.array([(value.lower, value.upper) for value in values])
    low, high = ends.mean(axis=0)
    mean = Interval(float(low) * (1.0 - 64.0 * ROUND), float(high) * (1.0 + 64.0 * ROUND)).clamp(0.0, 1.0)
    return mean, float(ends.std(axis=0, ddof=1).max()) / math.sqrt(len(values))


def by_area(found: Attacked, cells: CellCounts, level: int, present: bool) -> list[tuple[str, Outcome]]:
    """The same for every area of a level that has such cells, the largest mean first."""
    where = cells.above[level][found.area]
    order = np.argsort(where, kind="stable")
    starts = np.flatnonzero(np.diff(where[order], prepend=-1))
    parts = np.split(order, starts[1:])
    told = [(cells.names[level][where[part[0]]], outcome(found, present, part)) for part in parts]
    return sorted(told, key=lambda item: (-item[1].mean.upper, item[0]))


def rare_cells(cells: CellCounts, looked: Sequence[Looked], rarest: int) -> list[Rare]:
    """How many cells of each table hold somebody who is unique there, or rare."""
    found = []
    for table in looked:
        counts = cells.margin(table.level, table.columns)
        unique, rare = int((counts == 1).sum()), int(((counts >= 1) & (counts <= rarest)).sum())
        found.append(Rare(cells.places[table.level], table.name, counts.size, unique, rare))
    return found


def expected(attacker: Attacker, looked: Sequence[Looked]) -> Expected | None:
    """The means over all noise, where nothing else is unknown to the attacker; None where they are not worked out."""
    from accountant.loss import compose
    from accountant.plugin import Shift
    from accountant_posterior.attacks.losses import LossAttack

    used = [table for table in looked if attacker.knows == "levels" or table.level == 0]
    made = [(table.mechanism, table.times) for table in used if table.mechanism is not None]
    if attacker.knows == "hierarchy" or attacker.missing or len(made) < len(used):
        return None
    present = attacker.present
    if all(mechanism.kind == "discrete-gaussian" for mechanism, _ in made):
        counts = [NoisyCount(scale_of(mechanism)) for mechanism, times in made for _ in range(times)]
        found = CountAttack(attacker.prior, counts).outlook(present=present)
    else:
        loss = compose((mechanism.loss(Shift.along([1])), times) for mechanism, times in made)
        found = LossAttack(attacker.prior, loss).outlook(present=present)
    return Expected(found.posterior, found.correct)


def risks(found: Attacked, prior: Fraction) -> tuple[Floats, Floats]:
    """Both ends of posterior over prior."""
    factor = float(1 / prior)
    return found.lower * factor * (1.0 - 4.0 * ROUND), found.upper * factor * (1.0 + 4.0 * ROUND)


def _share(count: int, size: int) -> Interval:
    return Interval.of(Fraction(count, size))
