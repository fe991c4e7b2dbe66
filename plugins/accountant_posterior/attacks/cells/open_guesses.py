"""Guesses that the arithmetic leaves open: what is seen at each of them, as exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant_posterior.attacks.cells.ties import Area, Chain, guess
from accountant_posterior.attacks.cells.weights import Missed, Places

if TYPE_CHECKING:
    from accountant_posterior.attacks.cells.areas import CellCounts
    from accountant_posterior.attacks.cells.attacker import Attacker
    from accountant_posterior.attacks.cells.released import Released

_MOST_TERMS = 2**16
"""How many weights are worked out exactly."""
_AREAS = 2**8
"""To look through so many areas for siblings costs about as much as one weight."""


@frozen(eq=False)
class Guesses:
    """Settings with their guesses: the cell of each, how many of its people are not known to be counted, and the missed."""

    area: Places
    kind: Places
    unknown: Places
    missed: Places
    guess: NDArray[np.int8]


def decide(cells: CellCounts, released: Released, attacker: Attacker, used: Sequence[int], settings: Guesses) -> None:
    """Decide guesses that are open, where finite sums tell; `used` are the releases that are looked at.

    Where there are very many of them some stay open.
    """
    left = _MOST_TERMS
    beside = sum(map(len, cells.parents)) // _AREAS if attacker.knows == "hierarchy" else 0
    for row in np.flatnonzero(settings.guess < 0):
        missed = Missed(int(settings.missed[row]), attacker.chance)
        left -= (missed.number + 2) * len(used) + beside
        if left < 0:
            return
        area, kind, unknown = (int(part[row]) for part in (settings.area, settings.kind, settings.unknown))
        if attacker.knows == "hierarchy":
            known = int(cells.counts[area, kind]) - unknown
            found = guess(attacker.prior, _chain(cells, released, attacker, area, kind, known), known, missed.chances)
        else:
            # Others are known at every level: their counts are taken off, and all tables are of one area.
            seen = [_noise(cells, released, place, area, kind) + unknown for place in used]
            alone = Area([released.looked[place].noise for place in used], seen)
            found = guess(attacker.prior, Chain([alone], attacker.above), 0, missed.chances)
        if found is not None:
            settings.guess[row] = int(found)


def _noise(cells: CellCounts, released: Released, place: int, area: int, kind: int) -> Fraction:
    """The noise of a release where it counts the cell of a smallest area."""
    above = cells.above[released.looked[place].level][area]
    return Fraction(float(released.noise[place][above, released.groups[place][kind]]))


def _chain(cells: CellCounts, released: Released, attacker: Attacker, area: int, kind: int, known: int) -> Chain:
    """What is seen of the areas that hold a target."""
    expected = known + attacker.prior + attacker.missing * attacker.chance
    areas: list[Area] = []
    for level in range(len(cells.places)):
        noises = [released.looked[place].noise for place in released.of_level(level)]
        tables = [released.noisy(place)[:, released.groups[place][kind]] for place in released.of_level(level)]
        own = [_added(table[[area]]) for table in tables]
        if level + 1 == len(cells.places):
            areas.append(Area(noises, own))
            break
        parents = cells.parents[level]
        others = np.setdiff1d(np.flatnonzero(parents == parents[area]), [area])
        areas.append(Area(noises, own, [_added(table[others]) for table in tables], len(others), expected))
        area, expected = int(parents[area]), expected * (len(others) + 1)
    return Chain(areas, attacker.above)


def _added(numbers: Iterable[float]) -> Fraction:
    return sum((Fraction(float(number)) for number in numbers), Fraction(0))
