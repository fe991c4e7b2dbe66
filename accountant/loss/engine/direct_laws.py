"""One loss as a law on a lattice, or on several: what sums mass by mass begin with."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from accountant.loss.engine.direct_sum import FineLaw, Frame, MergedLaw, SpreadLaw
from accountant.loss.engine.graded_sum import BASE, GradedLaw
from accountant.loss.engine.grid import dominating_measure, grid_cells, known_cells
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, Balls, linear, lowered, raised


def spread_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> SpreadLaw:
    """The law of one loss on a lattice, spread between its points."""
    first, last = _range(loss, frame, offset)
    cells = grid_cells(loss, frame.step, first, last, offset)
    measure = dominating_measure(loss, frame.step, first, last, offset, cells)
    slack = _slack(cells, frame, offset, first, last)
    return SpreadLaw(frame, offset, measure.start, measure.masses, float(measure.infinite), slack)


def merged_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> MergedLaw:
    """What is seen of one loss through the number of the nearest point of a lattice."""
    first, last, left, edges, cells = _numbered(loss, frame, offset)
    p, q, above = _merged(cells, edges)
    return MergedLaw(frame, offset, first, p, q, above, _slack(cells, frame, left, first, last + 1))


def _merged(cells: Cells, edges: Floats) -> tuple[Floats, Floats, tuple[float, float]]:
    """Masses of P that are not too large and of Q that are not too small from each edge on, and those above the last."""
    p = lowered(np.maximum(cells.p - cells.p_error, 0.0)[1:], 1)
    # Masses of Q come in units of the left end of their cell; more of them is a move down. There are never more of them
    # than P's in these units, which is what counts where errors are larger than masses: a part of an outcome is one, too.
    # A sum, a product, and a function that is granted 8 roundings.
    q = raised(np.minimum((cells.q + cells.q_error)[1:], p) * np.exp(-edges), 10)
    above = (Ball(float(p[-1])) + max(cells.infinite.lower, 0.0)).lower
    return p[:-1], q[:-1], (above, float(q[-1]))


def fine_law(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> FineLaw:
    """The same by what Q's masses lack to P's."""
    first, last, left, edges, cells = _numbered(loss, frame, offset)
    p, gaps, above = _gapped(cells, edges)
    return FineLaw(frame, offset, first, p, gaps, above, _slack(cells, frame, left, first, last + 1))


def _gapped(cells: Cells, edges: Floats) -> tuple[Floats, Floats, tuple[float, float]]:
    """Masses of P and gaps that are not too large from each edge on, and those above the last."""
    p = Balls(cells.p[1:], cells.p_error[1:])
    # Gaps are counted from the left end of each cell: from 0 they are more by what that end is worth. Functions are granted
    # 8 roundings.
    unit, rise = Balls.rounded(np.exp(-edges), 8.0), Balls.rounded(-np.expm1(-edges), 8.0)
    least = linear((rise, p), (unit, _gap(cells))).lower
    masses = lowered(np.maximum(p.middle - p.radius, 0.0), 1)
    # Less mass, and a gap that is less in at least the same proportion; one below 0 need not shrink with it. An outcome
    # that P may lack is dropped. No loss of a cell is less than its left end, which is what counts where errors are larger
    # than masses.
    shrunk = (Balls(least) * masses / Balls(np.maximum(p.upper, TINY))).lower
    gaps = np.maximum(np.minimum(least, shrunk), (rise * masses).lower)
    infinite = max(cells.infinite.lower, 0.0)
    above = ((Ball(float(masses[-1])) + infinite).lower, (Ball(float(gaps[-1])) + infinite).lower)
    return masses[:-1], gaps[:-1], above


def _numbered(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> tuple[int, int, Fraction, Floats, Cells]:
    """The numbers that are told apart, and the cells around these points with their left ends."""
    first, last = _range(loss, frame, offset)
    left = offset - frame.step / 2
    edges: Floats = float(left) + frame.size * np.arange(first, last + 2, dtype=np.float64)
    return first, last, left, edges, grid_cells(loss, frame.step, first, last + 1, left)


def _gap(cells: Cells) -> Balls:
    """What Q's masses lack to P's from the left end of each cell on, as the family knows it or by subtraction."""
    if cells.gap is not None and cells.gap_error is not None:
        return Balls(cells.gap[1:], cells.gap_error[1:])
    return Balls(cells.p[1:], cells.p_error[1:]) - Balls(cells.q[1:], cells.q_error[1:])


def _range(loss: PrivacyLoss, frame: Frame, offset: Fraction) -> tuple[int, int]:
    """The numbers of the first and last point for one loss: no farther down than it goes."""
    low, _ = loss.window(-60.0)
    return max(frame.first, min(math.floor((low - float(offset)) / frame.size) - 1, frame.last - 1)), frame.last


def graded_spread(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> GradedLaw[SpreadLaw]:
    """`spread_law` on lattices that are finer the closer to the offset."""
    scales = _scales(loss, frame, offset, exponent)
    # Each lattice goes on from where the one before it ends.
    places = [np.arange(first + (k > 0), last + 1) for k, (_, first, last) in enumerate(scales)]
    edges = np.concatenate([float(offset) + one.size * at for (one, _, _), at in zip(scales, places, strict=True)])
    cells = known_cells(loss, edges)
    slack, laws, begin = _slack(cells, frame, offset, min(scales[0][1], 0), frame.last), [], 0
    for (one, first, last), at in zip(scales, places, strict=True):
        end = begin + at.size
        measure = dominating_measure(loss, one.step, first, last, offset, _between(cells, begin, end))
        laws.append(SpreadLaw(one, offset, measure.start, measure.masses, float(measure.infinite), slack))
        begin = end
    return GradedLaw(tuple(reversed(laws)))


def graded_merged(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> GradedLaw[MergedLaw]:
    """`merged_law` on lattices that are finer the closer to the offset."""
    scales, edges, cells, slack = _graded_numbers(loss, frame, offset, exponent)
    p, q, above = _merged(cells, edges)
    return GradedLaw(
        tuple(
            MergedLaw(one, offset, first, p[part], q[part], above if one is frame else (0.0, 0.0), slack)
            for one, first, part in reversed(scales)
        )
    )


def graded_fine(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> GradedLaw[FineLaw]:
    """`fine_law` on lattices that are finer the closer to the offset."""
    scales, edges, cells, slack = _graded_numbers(loss, frame, offset, exponent)
    p, gaps, above = _gapped(cells, edges)
    return GradedLaw(
        tuple(
            FineLaw(one, offset, first, p[part], gaps[part], above if one is frame else (0.0, 0.0), slack)
            for one, first, part in reversed(scales)
        )
    )


def _scales(loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int) -> list[tuple[Frame, int, int]]:
    """The finest lattice first, each one `BASE` times as coarse as the one before, with its first and last number in use.

    Each is long enough for sums of two, the last one is the frame.
    """
    joint = max(1, frame.last // BASE)
    found: list[tuple[Frame, int, int]] = []
    for power in range(exponent, 0, -1):
        one = Frame(frame.step / BASE**power, BASE * frame.first, 2 * max(frame.last, BASE * joint))
        found.append((one, joint if found else _range(loss, one, offset)[0], BASE * joint))
    return [*found, (frame, joint, frame.last)]


def _graded_numbers(
    loss: PrivacyLoss, frame: Frame, offset: Fraction, exponent: int
) -> tuple[list[tuple[Frame, int, slice]], Floats, Cells, float]:
    """The lattices of `_scales` with their first number and which cells are theirs, left ends, cells, and a slack."""
    edges, scales, begin = [], [], 0
    for one, first, last in _scales(loss, frame, offset, exponent):
        # The first cell of the next lattice begins within the last cell but one of this one.
        at = np.arange(first, last + 2 if one is frame else last - BASE // 2)
        edges.append(float(offset - one.step / 2) + one.size * at)
        scales.append((one, first, slice(begin, begin + at.size - (one is frame))))
        begin += at.size
    lefts = np.concatenate(edges)
    cells = known_cells(loss, lefts)
    return scales, lefts, cells, _slack(cells, frame, offset, min(scales[0][1], 0), frame.last + 1)


def _between(cells: Cells, begin: int, end: int) -> Cells:
    """Cells between some edges, from the last one before them on: what is outside is left out, but at both ends of all."""
    whole = cells.p.size
    finite = end == whole - 1

    def cut(array: Floats) -> Floats:
        inside = array[begin:whole] if finite else np.append(array[begin:end], 0.0)
        return inside if begin == 0 else np.insert(inside, 0, 0.0)

    gap, gap_error = (None if array is None else cut(array) for array in (cells.gap, cells.gap_error))
    p, q, p_error, q_error = (cut(array) for array in (cells.p, cells.q, cells.p_error, cells.q_error))
    infinite = cells.infinite if finite else Interval.of(0)
    return Cells(p, q, p_error, q_error, infinite, gap, gap_error, cells.slack, cells.counted)


def _slack(cells: Cells, frame: Frame, offset: Fraction, first: int, last: int) -> float:
    """How far rounding may have displaced a loss; edges themselves are off by three roundings."""
    reach = abs(float(offset)) + frame.size * max(abs(first), abs(last))
    return Ball.rounded(cells.slack, *((8.0, reach) if cells.counted else (64.0, 1.0 + reach))).upper


def bulk_offset(loss: PrivacyLoss, step: Fraction) -> Fraction:
    """Where a lattice counts from: the mean of most of the law, or of what lies within half a step of it if that is more.

    Any value is sound. A bulk narrower than a step is then held by one point, and lower ends lose nothing to it.
    """
    low, high = loss.window(-3.0)
    wide = high - low > float(step)
    half = 0.501 * (high - low) if wide else 0.5 * float(step)
    place = 0.5 * (low + high)
    for _ in range(1 if wide else 8):
        cells = loss.cells(np.array([place - half, place + half]))
        mass = float(cells.p[1])
        if not mass > 0.5:
            break
        gap = mass - float(cells.q[1]) if cells.gap is None else float(cells.gap[1])
        shift = -math.log1p(-gap / mass) - half if gap < mass else 0.0
        place += shift
        if abs(shift) <= 1e-14 * abs(place):
            break
    return Fraction(place)
