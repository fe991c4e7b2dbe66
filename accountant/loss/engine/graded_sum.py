"""Sums of very many losses mass by mass: on a lattice that gets coarser as the sums get broader.

A sum of few copies needs a fine lattice only where most of it is. Its thin tail stands on the coarse lattice of the whole
from the start, for few copies of many are ever there at once. See docs/explanation/two-sided-composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Generic

import numpy as np
from attrs import evolve, frozen

from accountant.loss.engine.direct_sum import FineLaw, Frame, Law, MergedLaw, SpreadLaw
from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import Ball, Balls, exp, expm1, lowered, raised, up

BASE = 3
"""How much coarser each lattice is than the one before: odd, so that cells around its points are whole cells of that."""

_NEXT_TO_NOTHING = 2.0**-500
"""The product of two masses that are more than this is a number like any other."""


def grade(count: int, whole: int) -> int:
    """How many times finer by `BASE` the lattice of so many copies is than that of all: as their spread is smaller."""
    return max(0, math.ceil(math.log(whole / count) / math.log(BASE**2) - 1e-9))


@frozen(eq=False)
class GradedLaw(Generic[Law]):
    """The law of a sum as that of outcomes of several kinds, each on a lattice of its own: the coarsest one comes first.

    Every lattice is finer by `BASE` than the one before it. All but the first end at its last number: what lies beyond
    stands on the one before. Finer laws have nothing above them.
    """

    laws: tuple[Law, ...]

    @property
    def _last(self) -> int:
        return self.laws[0].frame.last

    def plus(self, other: GradedLaw[Law]) -> GradedLaw[Law]:
        """The law of the sum of two independent losses that stand on the same lattices: on the coarser one of both."""
        mine, its = self.laws[-1], other.laws[-1]
        found, beyond = _cut(mine.plus(its), self._last if len(self.laws) > 1 else None)
        laws = [found]
        for own, others in zip(self.laws[-2::-1], other.laws[-2::-1], strict=True):
            mine, its = coarser(mine, BASE, own.frame), coarser(its, BASE, own.frame)
            found = joined(own.plus(joined(others, its)), mine.plus(others))
            found = found if beyond is None else joined(found, coarser(beyond, BASE, own.frame))
            found, beyond = _cut(found, self._last if len(laws) < len(self.laws) - 1 else None)
            laws.append(found)
            mine, its = joined(own, mine), joined(others, its)
        return GradedLaw(tuple(_trimmed(law) for law in reversed(laws)))

    def at(self, exponent: int) -> GradedLaw[Law]:
        """The same without lattices that are finer than this power of `BASE`."""
        laws = list(self.laws)
        while len(laws) > exponent + 1:
            finest = laws.pop()
            laws[-1] = joined(laws[-1], coarser(finest, BASE, laws[-1].frame))
        return GradedLaw(tuple(laws))


def graded_times(single: Callable[[int], GradedLaw[Law]], count: int) -> Law:
    """The law of the sum of so many independent losses, one of which is known at every exponent."""

    @cache
    def one(exponent: int) -> GradedLaw[Law]:
        return GradedLaw(tuple(_trimmed(law) for law in single(exponent).laws))

    law, so_far = one(grade(1, count)), 1
    for bit in bin(count)[3:]:
        law, so_far = law.plus(law), 2 * so_far
        law = law.at(grade(so_far, count))
        if bit == "1":
            law, so_far = law.plus(one(grade(so_far, count))), so_far + 1
    return law.at(0).laws[0]


def coarser(law: Law, factor: int, frame: Frame) -> Law:
    """The same law on a lattice with so many times the step: spread between its points, or seen through the nearest one."""
    if factor == 1:
        return evolve(law, frame=frame)
    law = _trimmed(law)
    if isinstance(law, SpreadLaw):
        start, table = _table(law.masses, law.start, factor)
        left, right = _shares(law.frame.size, factor)
        masses = np.append(table @ left, 0.0)
        masses[1:] += table @ right
        # A product, and sums of so many of them on the left and on the right.
        return evolve(law, frame=frame, start=start, masses=raised(masses, factor + 1.0))
    half = (factor - 1) // 2
    start, table = _table(law.p, law.start + half, factor)
    p = table.sum(axis=1)
    if isinstance(law, MergedLaw):
        q = _table(law.q, law.start + half, factor)[1].sum(axis=1)
        return evolve(law, frame=frame, start=start, p=p, q=q, doubt=_doubted(law.doubt, factor))
    gaps = _table(law.gaps, law.start + half, factor)[1].sum(axis=1)
    mass_doubt, gap_doubt = _doubted(law.mass_doubt, factor), _gap_doubted(law.gap_doubt, law.gap.middle, factor)
    return evolve(law, frame=frame, start=start, p=p, gaps=gaps, mass_doubt=mass_doubt, gap_doubt=gap_doubt)


@lru_cache(maxsize=64)
def _shares(size: float, factor: int) -> tuple[Floats, Floats]:
    """At most what a mass at each place of a coarser cell leaves to either end of it: together as much of P and of Q.

    At k steps out of n, each of size h, these are e^-hk (1 - e^-h(n - k))/(1 - e^-hn) and (1 - e^-hk)/(1 - e^-hn).
    """
    places = Balls(np.arange(factor + 1, dtype=np.float64)) * -size
    falls = expm1(places)
    whole = falls.entry(factor)
    left, right = exp(places[:-1]) * falls[:0:-1] / whole, falls[:-1] / whole
    return np.minimum(left.upper, 1.0), np.minimum(right.upper, 1.0)


def _doubted(doubt: float, roundings: float) -> float:
    """A bound on the relative error of masses that were off by a share before they were added up with so many roundings."""
    return (Ball(1.0, doubt) * Ball.rounded(1.0, roundings)).radius


def _gap_doubted(doubt: float, most: float, roundings: float) -> float:
    """The same of gaps, none above `most`, in units of the masses that are added up with them and round as well."""
    fine = Ball.rounded(1.0, roundings)
    return (Ball(0.0, (Ball(most, doubt) * fine).radius) / fine).radius


def _table(masses: Floats, start: int, factor: int) -> tuple[int, Floats]:
    """Masses in rows of so many numbers, and the number of the first row."""
    row, before = divmod(start, factor)
    after = -(before + masses.size) % factor
    return row, np.pad(masses, (before, after)).reshape(-1, factor)


def joined(left: Law, right: Law) -> Law:
    """The outcomes of two measures on one lattice together."""
    slack = max(left.slack, right.slack)
    if isinstance(left, SpreadLaw):
        start, (masses,) = _added((left.start, left.masses), (right.start, right.masses))
        infinite = raised(left.infinite + right.infinite, 1)
        return evolve(left, start=start, masses=raised(masses, 1), infinite=infinite, slack=slack)
    if isinstance(left, MergedLaw):
        start, (p, q) = _added((left.start, left.p, left.q), (right.start, right.p, right.q))
        above, doubt = (left.above[0] + right.above[0], left.above[1] + right.above[1]), max(left.doubt, right.doubt)
        return evolve(left, start=start, p=p, q=q, above=above, slack=slack, doubt=_doubted(doubt, 1))
    start, (p, gaps) = _added((left.start, left.p, left.gaps), (right.start, right.p, right.gaps))
    mass, gap = left.above[0] + right.above[0], (Ball(left.above[1]) + right.above[1]).lower
    return evolve(
        left,
        start=start,
        p=p,
        gaps=gaps,
        # Less mass, and a gap that is less in at least the same proportion; one below 0 need not shrink with it.
        above=(lowered(mass, 1), lowered(gap, 8) if gap > 0.0 else gap),
        slack=slack,
        mass_doubt=_doubted(max(left.mass_doubt, right.mass_doubt), 1),
        gap_doubt=_gap_doubted(max(left.gap_doubt, right.gap_doubt), max(left.gap.middle, right.gap.middle), 1),
    )


def _added(left: tuple[int, *tuple[Floats, ...]], right: tuple[int, *tuple[Floats, ...]]) -> tuple[int, list[Floats]]:
    """Arrays that begin at two numbers, added where they meet."""
    (mine, *arrays), (its, *others) = left, right
    start = min(mine, its)
    size = max(mine + arrays[0].size, its + others[0].size) - start
    found = []
    for one, other in zip(arrays, others, strict=True):
        whole = np.zeros(size)
        whole[mine - start : mine - start + one.size] = one
        whole[its - start : its - start + other.size] += other
        found.append(whole)
    return start, found


def _cut(law: Law, last: int | None) -> tuple[Law, Law | None]:
    """The outcomes up to a number, and those beyond it if there are any."""
    size = _size(law)
    kept = size if last is None else max(1, min(last + 1 - law.start, size))
    return _part(law, 0, kept), _part(law, kept, size) if kept < size else None


def _trimmed(law: Law) -> Law:
    """The law without masses that are next to nothing, whose products would only slow down its sums."""
    masses = law.masses if isinstance(law, SpreadLaw) else law.p
    if not masses.size:
        empty = np.zeros(1)
        if isinstance(law, SpreadLaw):
            return evolve(law, masses=empty)
        return evolve(law, p=empty, q=empty) if isinstance(law, MergedLaw) else evolve(law, p=empty, gaps=empty)
    light = masses < _NEXT_TO_NOTHING
    heavy = np.flatnonzero(~light)
    begin, end = (int(heavy[0]), int(heavy[-1]) + 1) if heavy.size else (0, 1)
    if isinstance(law, SpreadLaw):
        moved = raised(float(masses[light].sum()), masses.size)
        infinite = up(law.infinite + moved) if moved else law.infinite
        return _part(evolve(law, masses=np.where(light, 0.0, masses), infinite=infinite), begin, end)
    if isinstance(law, MergedLaw):
        return _part(evolve(law, p=np.where(light, 0.0, law.p), q=np.where(light, 0.0, law.q)), begin, end)
    return _part(evolve(law, p=np.where(light, 0.0, law.p), gaps=np.where(light, 0.0, law.gaps)), begin, end)


def _part(law: Law, begin: int, end: int) -> Law:
    """Some of the outcomes with a number; what is above stays."""
    start = law.start + begin
    if isinstance(law, SpreadLaw):
        return evolve(law, start=start, masses=law.masses[begin:end])
    if isinstance(law, MergedLaw):
        return evolve(law, start=start, p=law.p[begin:end], q=law.q[begin:end])
    return evolve(law, start=start, p=law.p[begin:end], gaps=law.gaps[begin:end])


def _size(law: SpreadLaw | MergedLaw | FineLaw) -> int:
    return law.masses.size if isinstance(law, SpreadLaw) else law.p.size
