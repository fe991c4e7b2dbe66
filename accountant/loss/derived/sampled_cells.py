"""Masses of a sampled loss between edges, from those of its base between edges that are lifted back.

Lifting is a contraction: its slope rate e^L/(1 - rate + rate e^L) is below 1. What the masses of R lack to the scaled
masses of Q is `rate` times what P's lack, so nothing is subtracted that the base has not subtracted already. The proofs
are in docs/explanation/sampling.md.
"""

from __future__ import annotations

import math

import numpy as np

from accountant.loss.derived.masses import Masses, mixed, scaled
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, exp, expm1, joined, total

# Losses of the base beyond this, on the side of Q, are all one to the sampled loss.
_FARTHEST = 300.0


def present_cells(base: PrivacyLoss, rate: Ball, rest: Ball, edges: Floats, infinite: Interval) -> Cells:
    """The cells of R against Q, from those of P against Q between edges that are lifted back."""
    lifted = _unlifted(edges, rate.middle, rest.middle)
    first = int(np.searchsorted(lifted, -_FARTHEST))
    if first == edges.size:
        return _all_beyond(edges, rate, rest, infinite)
    lifted = lifted[first:]
    inner = base.cells(lifted)
    masses = Masses.of(inner)
    q = scaled(masses.q, np.exp(-np.concatenate([lifted[:1], lifted])))
    q = q.replaced(0, _below(base, float(lifted[0]), q[1:], inner.slack))
    p, gap = mixed(q, rest.middle, masses.p, rate.middle), scaled(masses.gap, rate.middle)
    # Where losses beyond the farthest are told apart, what they have may lie in any of the cells before.
    doubt = p.entry(0).most if first and _far_apart(rate, rest) else 0.0
    if first:
        # The cell that holds all losses of the base up to its first edge, and outcomes that P never has.
        lack = _lack(float(edges[first - 1]), rate, rest) * q.entry(0) + rate * masses.p.entry(0)
        p, gap = p.replaced(0, p.entry(0).widened(doubt)), gap.replaced(0, lack.widened(doubt))
    slack = _displaced(edges, rate.middle, lifted, _slope(-lifted, rate, rest).middle, inner)
    found = Masses(p, (p - gap).at_least(0.0), gap)
    return _padded(found, first, edges.size + 1 - first - p.size, doubt).cells(infinite, slack, counted=True)


def absent_cells(base: PrivacyLoss, rate: Ball, rest: Ball, edges: Floats) -> Cells:
    """The cells of Q against R, from those of `base`, which is Q against P.

    Q(A) - e^a R(A) = k (Q(A) - e^b P(A)) where a is what b is lifted to, and k = rate/(rate + (1 - rate) e^b).
    """
    lifted = -_unlifted(-edges[::-1], rate.middle, rest.middle)[::-1]
    last = int(np.searchsorted(lifted, _FARTHEST, side="right"))
    if last == 0:
        return _all_below(edges, rate, rest)
    lifted = lifted[:last]
    inner = base.cells(lifted)
    masses = Masses.of(inner)
    p, gap = masses.p, masses.gap
    if inner.infinite.upper > 0.0:
        # Outcomes that P never has are no longer infinitely telling: they have the largest loss there is.
        outright = Ball.of(inner.infinite)
        p, gap = (some.replaced(-1, some.entry(-1) + outright) for some in (p, gap))
    slope = _slope(lifted, rate, rest)
    gap = joined([np.zeros(1), slope]) * gap
    # Where losses beyond the farthest are told apart, what they have may lie in any of the cells beyond.
    doubt = p.entry(-1).most if last < edges.size and _far_apart(rate, rest) else 0.0
    p, gap = (some.replaced(-1, some.entry(-1).widened(doubt)) for some in (p, gap))
    slack = _displaced(edges, rate.middle, lifted, slope.middle, inner)
    found = Masses(p, (p - gap).at_least(0.0), gap)
    return _padded(found, 0, edges.size + 1 - p.size, doubt).cells(Interval.of(0), slack, counted=True)


def _far_apart(rate: Ball, rest: Ball) -> bool:
    """Whether losses of the base beyond the farthest are told apart by the sampled loss, up to rounding."""
    return rest.middle + rate.middle * math.exp(-_FARTHEST) > rest.middle


def _slope(lifted: Floats, rate: Ball, rest: Ball) -> Balls:
    """rate/(rate + (1 - rate) e^loss), no loss beyond the farthest: all terms are positive, so that no digit is lost."""
    return 1.0 / (exp(Balls(lifted)) * (rest / rate) + 1.0)


def _all_beyond(edges: Floats, rate: Ball, rest: Ball, infinite: Interval) -> Cells:
    """The cells of a law that lives above all edges, but for losses of the base beyond the farthest."""
    p, q = Balls(np.zeros(edges.size + 1)), Balls(np.zeros(edges.size + 1))
    if _far_apart(rate, rest):
        # R has at most this much where P is that much less likely than Q, and so has Q in units of a left edge there.
        stray = Balls(p.middle, (rest + rate * exp(Ball(-_FARTHEST))).most)
        p, q = stray, stray
    p = p.replaced(-1, (1.0 - Ball.of(infinite)).widened(float(p.radii[-1])))
    q = q.replaced(-1, exp(Ball(min(float(edges[-1]), 0.0))).widened(float(q.radii[-1])))
    return Masses(p, q, p - q).cells(infinite, 0.0)


def _all_below(edges: Floats, rate: Ball, rest: Ball) -> Cells:
    """The cells of a law that lives below all edges; nothing is known where losses beyond the farthest are told apart."""
    p = Balls(np.eye(1, edges.size + 1)[0], 1.0 if _far_apart(rate, rest) else 0.0)
    nothing = Balls(np.zeros(edges.size + 1), p.radius)
    return Masses(p, nothing, p - nothing).cells(Interval.of(0), 0.0)


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


def _lack(edge: float, rate: Ball, rest: Ball) -> Ball:
    """1 - rate - e^edge for an edge so low that it is not negative."""
    lack = rest - exp(Ball(edge)) if edge < -0.5 else -expm1(Ball(edge)) - rate
    return lack.at_least(0.0)


def _displaced(edges: Floats, rate: float, lifted: Floats, slope: Floats, inner: Cells) -> float:
    """How far rounding may have displaced a lifted loss.

    In roundoffs: the base counts losses as lying on an edge up to 32 (1 + |loss|) away, and lifting shrinks that by the
    slope. An edge is displaced by 4 d + 4 (1 + |loss|) slope, which counts three times, because cells get wider or
    narrower by it too.
    """
    near = min(1.0, 2.0 * (max(abs(float(edges[0])), abs(float(edges[-1]))) + rate))
    steep = float(np.max((1.0 + np.abs(lifted)) * slope))
    return (Ball.rounded(0.0, 12.0, near) + Ball.rounded(0.0, 44.0, steep)).widened(inner.slack).radius


def _below(base: PrivacyLoss, edge: float, masses: Balls, slack: float) -> Ball:
    """Q's mass of losses up to an edge, where P may have none.

    It is what all others lack to 1; or the mass of the exchanged laws beyond the edge, which is sharper far out, and
    where atoms on the edge are doubtful. Those may be displaced: by 32 roundoffs, or by a slack, either way.
    """
    left = (1.0 - total(masses)).at_least(0.0)
    around = Ball.rounded(-edge, 64.0, 1.0 + abs(edge)).widened(2.0 * slack)
    tail = base.exchanged().cells(np.array([around.lower, around.upper]))
    if tail.slack > slack:
        return left
    beyond = Ball(float(tail.p[2]), float(tail.p_error[2])) + Ball.of(tail.infinite)
    beyond = beyond.widened(Ball(float(tail.p[1]), float(tail.p_error[1])).most)
    return beyond if beyond.radius < left.radius else left


def _padded(masses: Masses, before: int, after: int, doubt: float) -> Masses:
    """Masses with so many cells before and after them, which are empty but for so much that may lie there."""
    if not before and not after:
        return masses
    empty = [Balls(np.zeros(size), np.full(size, doubt)) for size in (before, after)]
    return Masses(*(joined([empty[0], part, empty[1]]) for part in (masses.p, masses.q, masses.gap)))
