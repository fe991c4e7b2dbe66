"""Guesses that the arithmetic leaves open: what is seen at each of them, as exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from accountant_posterior.attacks.cells.ties import Area, Chain, guess
from accountant_posterior.attacks.cells.weights import Missed, Places

if TYPE_CHECKING:
    from accountant_posterior.attacks.cells.areas import CellCounts
    from accountant_posterior.attacks.cells.attacker import Attacker
    from accountant_posterior.attacks.cells.released import Released

_MOST_TERMS = 2**16
"""How many weights are worked out exactly."""
_ADDED = 2**4
"""To add up so many siblings costs about as much as one weight."""


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
    left, tables = _MOST_TERMS, _Tables(cells, released)
    for row in np.flatnonzero(settings.guess < 0):
        missed = Missed(int(settings.missed[row]), attacker.chance)
        left -= (missed.number + 2) * len(used)
        if left < tables.added // _ADDED:
            return
        area, kind, unknown = (int(part[row]) for part in (settings.area, settings.kind, settings.unknown))
        if attacker.knows == "hierarchy":
            known = int(cells.counts[area, kind]) - unknown
            found = guess(attacker.prior, tables.chain(attacker, area, kind, known), known, missed.chances)
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


@define(eq=False)
class _Tables:
    """What is seen of areas, as exact numbers; those that have one parent are added up once."""

    cells: CellCounts
    released: Released
    added: int = 0
    """How many numbers were added up so far."""
    _inside: dict[int, tuple[Places, Places]] = field(factory=dict, init=False)
    _sums: dict[tuple[int, int, int], Fraction] = field(factory=dict, init=False)

    def chain(self, attacker: Attacker, area: int, kind: int, known: int) -> Chain:
        """What is seen of the areas that hold a target."""
        expected = known + attacker.prior + attacker.missing * attacker.chance
        areas: list[Area] = []
        for level in range(len(self.cells.places)):
            places = self.released.of_level(level)
            noises = [self.released.looked[place].noise for place in places]
            own = [self._sum(place, np.array([area]), kind) for place in places]
            if level + 1 == len(self.cells.places):
                areas.append(Area(noises, own))
                break
            parent = int(self.cells.parents[level][area])
            whole = [self._together(level, place, parent, kind) for place in places]
            beside = [every - alone for every, alone in zip(whole, own, strict=True)]
            siblings = self._children(level, parent).size - 1
            areas.append(Area(noises, own, beside, siblings, expected))
            area, expected = parent, expected * (siblings + 1)
        return Chain(areas, attacker.above)

    def _children(self, level: int, parent: int) -> Places:
        """The areas of a level that have a parent."""
        if level not in self._inside:
            parents = self.cells.parents[level]
            order = np.argsort(parents, kind="stable")
            self._inside[level] = order, np.searchsorted(parents[order], np.arange(len(self.cells.names[level + 1]) + 1))
        order, ends = self._inside[level]
        return order[ends[parent] : ends[parent + 1]]

    def _together(self, level: int, place: int, parent: int, kind: int) -> Fraction:
        """What one release counts in all areas of a parent."""
        key = place, parent, int(self.released.groups[place][kind])
        if key not in self._sums:
            self._sums[key] = self._sum(place, self._children(level, parent), kind)
        return self._sums[key]

    def _sum(self, place: int, areas: Places, kind: int) -> Fraction:
        self.added += areas.size
        seen = self.released.noisy_of(place, areas, int(self.released.groups[place][kind]))
        return sum(map(Fraction, seen.tolist()), Fraction(0))
