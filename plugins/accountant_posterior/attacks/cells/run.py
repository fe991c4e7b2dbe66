"""The attack itself: noise is drawn for all tables, and every target's cell is weighed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.attacks.cells.areas import CellCounts, added
from accountant_posterior.attacks.cells.attacker import Attacker
from accountant_posterior.attacks.cells.chain import LevelSeen, above_logs, message_of
from accountant_posterior.attacks.cells.noise import CellNoise
from accountant_posterior.attacks.cells.open_guesses import Guesses, decide
from accountant_posterior.attacks.cells.released import Released
from accountant_posterior.attacks.cells.sums import Around
from accountant_posterior.attacks.cells.weights import Beliefs, Logs, Missed, Places, believed, weighed

_AT_ONCE = 2**18


@frozen(eq=False)
class Attacked:
    """What an attacker finds at each cell: ends of the posterior, and the guess (1 present, 0 absent, -1 open)."""

    area: Places
    kind: Places
    count: NDArray[np.int64]
    released: Floats
    """The noisy count of the finest table of the smallest area."""
    lower: Floats
    upper: Floats
    guess: NDArray[np.int8]
    settings: int
    """How many different settings were weighed."""


def targets(cells: CellCounts, rarest: int, *, present: bool) -> tuple[Places, Places]:
    """The cells in which one person among at most so many is looked for, or from which one is missing."""
    counts = cells.counts
    chosen = (counts >= 1) & (counts <= rarest) if present else counts < rarest
    area, kind = np.nonzero(chosen)
    return area.astype(np.int64), kind.astype(np.int64)


def attacked(
    cells: CellCounts, released: Released, attacker: Attacker, area: Places, kind: Places, generator: Generator
) -> Attacked:
    """Follow an attacker at the given cells."""
    here = int(attacker.present)
    missed, found = _missed(cells, attacker, area, kind, generator)
    offsets = found + here
    used = [place for place, table in enumerate(released.looked) if attacker.knows == "levels" or table.level == 0]
    if not used:
        raise InvalidValue("no table of the smallest areas is looked at")
    above, index = _above(cells, released, attacker, area, kind, offsets)
    noises = [released.looked[place].noise for place in used]
    over = np.array(
        [
            released.noise[place][cells.above[released.looked[place].level][area], released.groups[place][kind]] + offsets
            for place in used
        ]
    )
    # Cells that see the same, and know as many, are weighed once.
    first, inverse = distinct(np.column_stack([*over, missed, index]))
    settings = _Settings(over[:, first], missed[first], index[first])
    lower, upper, guess = settings.weighed(attacker, noises, above)
    decide(cells, released, attacker, used, Guesses(area[first], kind[first], offsets[first], missed[first], guess))
    finest = max(used, key=lambda place: (released.looked[place].level == 0, len(released.looked[place].columns)))
    noisy = released.noisy(finest)[area, released.groups[finest][kind]]
    return Attacked(area, kind, cells.counts[area, kind], noisy, lower[inverse], upper[inverse], guess[inverse], len(first))


@frozen(eq=False)
class _Settings:
    """What attackers may see, each once: noisy counts less those who are known, how many they miss, and what is above."""

    over: Floats
    missed: Places
    index: Places

    def weighed(
        self, attacker: Attacker, noises: Sequence[CellNoise], above: Logs | None
    ) -> tuple[Floats, Floats, NDArray[np.int8]]:
        """Both ends of the posterior and the guess, at each of them."""
        size = len(self.missed)
        lower, upper, guess = np.empty(size), np.empty(size), np.empty(size, dtype=np.int8)
        for number in np.unique(self.missed):
            rows = np.flatnonzero(self.missed == number)
            for start in range(0, len(rows), _AT_ONCE):
                part = rows[start : start + _AT_ONCE]
                over, unknown = list(self.over[:, part]), Missed(int(number), attacker.chance)
                beliefs = beliefs_of(attacker.prior, noises, over, _rows(above, self.index[part], int(number)), unknown)
                lower[part], upper[part] = beliefs.posterior()
                guess[part] = beliefs.guesses()
        return lower, upper, guess


def _missed(
    cells: CellCounts, attacker: Attacker, area: Places, kind: Places, generator: Generator
) -> tuple[Places, Places]:
    """How many others of each target's area the attacker misses, and how many of these are counted in the cell."""
    zero = np.zeros(len(area), dtype=np.int64)
    if not attacker.missing:
        return zero, zero
    counted = cells.counts[area, kind] - int(attacker.present)
    # With the target absent from the cell, the target is somebody else of the area, where there is anybody.
    others = np.maximum(cells.counts.sum(axis=1)[area] - 1, counted)
    missed = np.minimum(others, attacker.missing)
    return missed, generator.hypergeometric(counted, others - counted, missed)


def beliefs_of(
    prior: Fraction, noises: Sequence[CellNoise], over: Sequence[Floats], above: Logs | None, missed: Missed
) -> Beliefs:
    """The beliefs after noisy counts, less those who are known, and what is seen around the area."""
    steps = np.arange(missed.number + 2, dtype=np.float64)
    own = Logs.none((len(over[0]), len(steps)))
    for noise, numbers in zip(noises, over, strict=True):
        own = own.times(weighed(noise, numbers[:, np.newaxis] - steps))
    return believed(prior, own, Logs.none(own.values.shape) if above is None else above, missed)


def _rows(above: Logs | None, index: Places, missed: int) -> Logs | None:
    if above is None:
        return None
    columns = slice(0, missed + 2)
    return Logs(above.values[index, columns], above.errors[index], above.stray[index, columns])


def _above(
    cells: CellCounts, released: Released, attacker: Attacker, area: Places, kind: Places, offsets: Places
) -> tuple[Logs | None, Places]:
    """The weights of what the smallest areas may hold, given all around and above, and which of them is each target's."""
    if attacker.knows != "hierarchy":
        return None, np.zeros(len(area), dtype=np.int64)
    if attacker.above.largest_count is not None and len(cells.parents) > 1:
        raise InvalidValue(f"{attacker.above} says what one parent holds, and so needs exactly two levels")
    chance = float(attacker.prior) + attacker.missing * float(attacker.chance)
    base = (cells.counts[area, kind] - offsets).astype(np.float64)
    expected = base + chance if attacker.above.looks_at_expected else np.zeros(len(base))
    rows, ups = _climbed(cells, _Rows(area, kind, expected))
    falls = [_steepest(cells, level, some, attacker) for level, some in enumerate(rows)]
    steps: list[LevelSeen] = []
    index: Places | None = None
    for level in range(len(rows) - 1, 0, -1):
        around, key = _seen(cells, released, level, rows[level], index)
        first, inverse = distinct(key)
        pulled = falls[level - 1], falls[level]
        some = None if around is None else around.taken(first)
        steps.insert(0, _step(released, level, rows[level].taken(first), some, pulled))
        index = inverse[ups[level - 1]]
    around, key = _seen(cells, released, 0, rows[0], index)
    assert around is not None
    first, inverse = distinct(np.column_stack([key, base]))
    noises = [released.looked[place].noise for place in released.of_level(0)]
    message = message_of(steps, attacker.above)
    low, width = base[first].astype(np.int64), attacker.missing + 2
    return above_logs(message, around.taken(first), noises, low, width, attacker.above), inverse


@frozen(eq=False)
class _Rows:
    """Areas of one level, each for one kind: which they are, and what each is expected to hold beforehand."""

    area: Places
    kind: Places
    expected: Floats

    def taken(self, rows: Places) -> _Rows:
        """Some of them."""
        return _Rows(self.area[rows], self.kind[rows], self.expected[rows])

    def own(self, released: Released, place: int) -> Floats:
        """Their noisy counts in one of the tables."""
        return released.noisy(place)[self.area, released.groups[place][self.kind]]


def _climbed(cells: CellCounts, lowest: _Rows) -> tuple[list[_Rows], list[Places]]:
    """The areas of every level, each once, and for every level but the top which one above holds each."""
    rows, ups = [lowest], []
    for level, parents in enumerate(cells.parents):
        below = rows[-1]
        parent = parents[below.area]
        expected = below.expected * cells.inside(level)[parent]
        first, inverse = distinct(np.column_stack([parent, below.kind, expected]))
        rows.append(_Rows(parent, below.kind, expected).taken(first))
        ups.append(inverse)
    return rows, ups


def _seen(
    cells: CellCounts, released: Released, level: int, rows: _Rows, index: Places | None
) -> tuple[Around | None, Floats]:
    """What is seen around the areas of a level, and all that their message depends on, as rows of numbers."""
    places = released.of_level(level)
    own = [rows.own(released, place) for place in places]
    if index is None:
        return None, np.column_stack(own)
    parent = cells.parents[level]
    above = parent[rows.area]
    beside = []
    for place, mine in zip(places, own, strict=True):
        sums = added(released.noisy(place), parent, len(cells.names[level + 1]))
        beside.append(sums[above, released.groups[place][rows.kind]] - mine)
    siblings = cells.inside(level)[above] - 1
    keys = [index, siblings, *beside, rows.expected]
    return Around(index, siblings, np.array(beside), rows.expected), np.column_stack([*keys, *own] if level else keys)


def _step(released: Released, level: int, rows: _Rows, around: Around | None, pulled: tuple[float, float]) -> LevelSeen:
    places = released.of_level(level)
    noises = tuple(released.looked[place].noise for place in places)
    return LevelSeen(noises, np.array([rows.own(released, place) for place in places]), around, pulled)


def _steepest(cells: CellCounts, level: int, rows: _Rows, attacker: Attacker) -> float:
    """How much beliefs about what lies beside areas of a level fall at most with each one more there."""
    if level == len(cells.parents):
        return 0.0
    siblings = cells.inside(level)[cells.parents[level][rows.area]] - 1
    beside = (rows.expected * siblings)[siblings > 0]
    return float(attacker.above.steepest(beside).max(initial=0.0))


def distinct(rows: Floats) -> tuple[Places, Places]:
    """Where each different row stands first, and for each row which of these it is."""
    order = np.lexsort(rows.T)
    ordered = rows[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)]) if len(rows) else np.zeros(0, dtype=bool)
    inverse = np.empty(len(rows), dtype=np.int64)
    inverse[order] = np.cumsum(new) - 1
    return order[new], inverse
