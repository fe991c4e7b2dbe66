"""Masses of a sampled loss between edges, from those of its base between edges that are lifted back.

Lifting is a contraction: its slope rate e^L/(1 - rate + rate e^L) is below 1. What the masses of R lack to the scaled
masses of Q is `rate` times what P's lack, so nothing is subtracted that the base has not subtracted already. The proofs
are in docs/explanation/sampling.md.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import evolve

from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, Cells, PrivacyLoss
from accountant.numbers.interval import Interval

# Losses of the base beyond this, on the side of Q, are all one to the sampled loss.
_FARTHEST = 300.0


def present_cells(base: PrivacyLoss, rate: float, rest: float, edges: Floats, infinite: Interval) -> Cells:
    """The cells of R against Q, from those of P against Q between edges that are lifted back."""
    size = edges.size + 1
    lifted = _unlifted(edges, rate, rest)
    first = int(np.searchsorted(lifted, -_FARTHEST))
    if first == edges.size:
        return _all_beyond(edges, infinite)
    lifted = lifted[first:]
    inner = base.cells(lifted)
    gap, gap_error = _known_gap(inner)
    # What underflows is charged, but not where there is nothing: a mass beyond the largest loss would mislead a tilt.
    tiny = np.where(inner.p_error + inner.q_error > 0.0, TINY, 0.0)
    unscale = np.exp(-np.concatenate([lifted[:1], lifted]))
    q, q_error = inner.q * unscale, inner.q_error * unscale + tiny
    q_error += 8 * ROUNDOFF * q
    q[0], q_error[0] = _below(base, float(lifted[0]), q[1:], q_error[1:])
    p = rest * q + rate * inner.p
    p_error = rest * q_error + rate * inner.p_error + 4 * ROUNDOFF * p + tiny
    gap, gap_error = rate * gap, rate * gap_error + 4 * ROUNDOFF * rate * np.abs(gap) + tiny
    if first:
        # The cell that holds all losses of the base up to its first edge, and outcomes that P never has.
        lack, lack_error = _lack(float(edges[first - 1]), rate, rest)
        gap[0] = lack * q[0] + rate * inner.p[0]
        gap_error[0] = lack * q_error[0] + lack_error * (q[0] + q_error[0]) + rate * inner.p_error[0]
        gap_error[0] += 4 * ROUNDOFF * gap[0] + (p[0] if _far_apart(rate, rest) else 0.0)
        p_error[0] += p[0] if _far_apart(rate, rest) else 0.0
    slack = _displaced(edges, rate, lifted, _slope(-lifted, rate, rest), inner)
    return _padded(size, first, (p, gap, p_error, gap_error), infinite, slack, left=not first)


def absent_cells(base: PrivacyLoss, rate: float, rest: float, edges: Floats) -> Cells:
    """The cells of Q against R, from those of `base`, which is Q against P.

    Q(A) - e^a R(A) = k (Q(A) - e^b P(A)) where a is what b is lifted to, and k = rate/(rate + (1 - rate) e^b).
    """
    size = edges.size + 1
    lifted = -_unlifted(-edges[::-1], rate, rest)[::-1]
    last = int(np.searchsorted(lifted, _FARTHEST, side="right"))
    if last == 0:
        return evolve(_all_beyond(edges, Interval.of(0)), p=np.eye(1, size)[0], q=np.zeros(size))
    lifted = lifted[:last]
    inner = base.cells(lifted)
    gap, gap_error = _known_gap(inner)
    p, p_error = inner.p.copy(), inner.p_error.copy()
    # Outcomes that P never has are no longer infinitely telling: they have the largest loss there is.
    lost = inner.infinite.upper
    for array in (p, gap):
        array[-1] += lost
    for array in (p_error, gap_error):
        array[-1] += lost - inner.infinite.lower + 4 * ROUNDOFF * lost
    slope = _slope(lifted, rate, rest)
    factor = np.concatenate([[0.0], slope])
    tiny = np.where(p_error > 0.0, TINY, 0.0)
    gap, gap_error = factor * gap, factor * gap_error + 8 * ROUNDOFF * factor * np.abs(gap) + tiny
    if last < edges.size and _far_apart(rate, rest):
        p_error[-1] += p[-1]
        gap_error[-1] += p[-1]
    slack = _displaced(edges, rate, lifted, slope, inner)
    return _padded(size, 0, (p, gap, p_error, gap_error), Interval.of(0), slack, left=True)


def _far_apart(rate: float, rest: float) -> bool:
    """Whether losses of the base beyond the farthest are told apart by the sampled loss, up to rounding."""
    return rate * math.exp(-_FARTHEST) > ROUNDOFF * rest


def _slope(lifted: Floats, rate: float, rest: float) -> Floats:
    """rate/(rate + (1 - rate) e^loss): all terms are positive, so no digit is lost."""
    with np.errstate(over="ignore"):
        slope: Floats = 1.0 / (1.0 + rest / rate * np.exp(lifted))
    return slope


def _known_gap(cells: Cells) -> tuple[Floats, Floats]:
    """What the scaled masses of Q lack to those of P, as the family knows it or by subtraction; copies."""
    if cells.gap is None or cells.gap_error is None:
        return cells.p - cells.q, cells.p_error + cells.q_error + 2 * ROUNDOFF * (cells.p + cells.q)
    return cells.gap.copy(), cells.gap_error.copy()


def _all_beyond(edges: Floats, infinite: Interval) -> Cells:
    """The cells of a law that lives above all edges."""
    p, q, error = (np.zeros(edges.size + 1) for _ in range(3))
    p[-1], q[-1] = 1.0 - infinite.lower, math.exp(min(float(edges[-1]), 0.0))
    error[-1] = infinite.upper - infinite.lower + 8 * ROUNDOFF
    return Cells(p, q, error, error, infinite)


def _unlifted(edges: Floats, rate: float, rest: float) -> Floats:
    """The losses of the base that are lifted to the edges; -infinity where there is none.

    Where the exponential is far from 1 it is compared with `rest` itself, otherwise by what it is more than 1: either way
    what is found is lifted to within 4 d + 4 (1 + |loss|) slope roundoffs of the edge, d the smaller of 1 and
    2 (|edge| + rate). Near 0, what an edge is more than 1 by and the rate round by that much of themselves only.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.expm1(np.minimum(edges, 40.0))
        share = growth / rate
        above = np.where(edges < -0.5, np.exp(np.minimum(edges, 0.0)) - rest, growth + rate) / rate
        found = np.where(share > -0.5, np.log1p(np.maximum(share, -0.5)), np.log(np.maximum(above, 0.0)))
        far = edges - math.log(rate) + np.log1p(-rest * np.exp(-np.maximum(edges, 30.0)))
    lifted: Floats = np.maximum.accumulate(np.where(edges > 30.0, far, found))
    return lifted


def _lack(edge: float, rate: float, rest: float) -> tuple[float, float]:
    """1 - rate - e^edge for an edge so low that it is not negative, and a bound on its error."""
    if edge < -0.5:
        unit = math.exp(edge)
        return max(0.0, rest - unit), 6 * ROUNDOFF * (rest + unit)
    growth = math.expm1(edge)
    return max(0.0, -growth - rate), 6 * ROUNDOFF * (abs(growth) + rate)


def _displaced(edges: Floats, rate: float, lifted: Floats, slope: Floats, inner: Cells) -> float:
    """How far rounding may have displaced a lifted loss.

    In roundoffs: the base counts losses as lying on an edge up to 32 (1 + |loss|) away, and lifting shrinks that by the
    slope. An edge is displaced by 4 d + 4 (1 + |loss|) slope, which counts three times, because cells get wider or
    narrower by it too.
    """
    near = min(1.0, 2.0 * (max(abs(float(edges[0])), abs(float(edges[-1]))) + rate))
    return ROUNDOFF * (12.0 * near + 44.0 * float(np.max((1.0 + np.abs(lifted)) * slope))) + inner.slack


def _below(base: PrivacyLoss, edge: float, masses: Floats, errors: Floats) -> tuple[float, float]:
    """Q's mass of losses up to an edge, where P may have none, and a bound on its error.

    It is what all others lack to 1; or the mass of the reversed loss beyond the edge, which is the sharper one far out, and
    where atoms on the edge are doubtful.
    """
    total = float(masses.sum())
    value, error = max(0.0, 1.0 - total), float(errors.sum()) + ROUNDOFF * (8.0 + masses.size) * (1.0 + total)
    around = 64 * ROUNDOFF * (1.0 + abs(edge))
    tail = base.reverse().cells(np.array([-edge - around, -edge + around]))
    low = float(tail.p[2]) + tail.infinite.lower
    doubt = float(tail.p[1] + tail.p_error[1]) + float(tail.p_error[2]) + (tail.infinite.upper - tail.infinite.lower)
    doubt = doubt * (1.0 + 8 * ROUNDOFF) + 4 * ROUNDOFF * low + TINY
    return (low, doubt) if doubt < error else (value, error)


def _padded(size: int, first: int, arrays: tuple[Floats, ...], infinite: Interval, slack: float, *, left: bool) -> Cells:
    """Cells of which the first ones, and the last ones, are empty; with `left`, the first one has no left edge."""
    p, gap, p_error, gap_error = arrays
    q, q_error = np.maximum(p - gap, 0.0), p_error + gap_error + 2 * ROUNDOFF * p
    if left:
        q[0], q_error[0] = 0.0, 0.0
    before, after = np.zeros(first), np.zeros(size - p.size - first)
    p, q, p_error, q_error, gap, gap_error = (
        np.concatenate([before, array, after]) for array in (p, q, p_error, q_error, gap, gap_error)
    )
    return Cells(p, q, p_error, q_error, infinite, gap, gap_error, slack, counted=True)
