"""The largest delta that several selections of bounded range reach together when each may look at all earlier ones.

Let F(e) be the largest delta that the later selections reach. One more before them, with losses t and t - range and chances
p(t) and 1 - p(t), reaches p(t) F(e - t) + (1 - p(t)) F(e - t + range), and the best t counts.

- Lower end: with rungs that divide the range evenly and t on a rung, the maximum is attained.
- Upper end: F is convex in e^e, so between rungs it lies below its chords, and the value at any t between two rungs is
  linear in e^t and e^-t. It is at most the largest of three: at either rung, and where the tangents to that hyperbola
  meet, which is where the two rungs have exchanged their chances.

See docs/explanation/choosing-one-of-many.md.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import field, frozen

from accountant import Interval, fields
from accountant.loss import ROUNDOFF, TINY, AtomicLoss, Atoms, Floats

LONGEST = 64
"""So many selections are followed one by one; of more, blocks of so many are multiplied."""
WIDEST = 100
"""Ranges beyond this are not divided into rungs."""
_NODES = 4096
_MOST_RUNGS = 512
_ADDING = 2.0**-38
"""More than what rounding does to sums over all nodes, each of which is added, scaled and added again."""


@frozen(eq=False)
class Ladder:
    """Bounds on the largest delta of `count` selections at whole multiples of a rung.

    `above` are upper ends from 0 to the largest loss. `before` are lower ends for one selection less, from minus the range
    to where they have long been 0.
    """

    range_: Fraction
    count: int
    rungs: int
    above: Floats
    before: Floats

    def delta(self, epsilon: Fraction) -> Interval:
        """The largest delta at an epsilon between 0 and the largest loss."""
        place, rest = divmod(epsilon * self.rungs, self.range_)
        share, gap = float(rest / self.rungs), float((self.range_ - rest) / self.rungs)
        step = float(self.range_) / self.rungs
        # The chord between two rungs is straight in e^epsilon.
        weight = math.expm1(share) / math.expm1(step) * (1.0 - 16 * ROUNDOFF)
        here, there = self.above[place], self.above[min(place + 1, self.above.size - 1)]
        upper = (here - weight * (here - there)) * (1.0 + 8 * ROUNDOFF)
        # Some t for the first selection brings the others back to a rung.
        tries = np.arange(self.rungs + (not rest))
        tops: Floats = tries * np.float64(step) + share
        lacks: Floats = (self.rungs - 1 - tries) * np.float64(step) + gap
        high, low = _chances(tops, lacks, float(self.range_))
        first = place + self.rungs - tries
        reached = high * self.before[first] + low * self.before[first + self.rungs]
        lower = float(np.max(reached)) * (1.0 - _doubt(self.range_))
        return Interval(min(lower, upper), upper)


@lru_cache(maxsize=64)
def ladder(range_: Fraction, count: int) -> Ladder:
    """The ladder of at least two selections."""
    size, whole = min(_MOST_RUNGS, _NODES // count), float(range_)
    step = whole / size
    places: Floats = np.arange(size + 1) * np.float64(step)
    chances = _chances(places, places[::-1], whole)
    share = 1.0 / (1.0 + math.exp(-step))
    single = np.square(np.expm1(-0.5 * places[::-1])) / -math.expm1(-whole)
    above, below = _outward(single, range_)
    before = below
    for _ in range(count - 1):
        most, before = _extended(above, size, step), _extended(below, size, step)
        above = _outward(np.maximum(_on_rungs(most, chances), _between_rungs(most, chances, share)), range_)[0]
        below = _outward(_on_rungs(before, chances), range_)[1]
    return Ladder(range_, count, size, above, before)


def _on_rungs(curve: Floats, chances: tuple[Floats, Floats]) -> Floats:
    """The most that a selection with t on a rung makes of a curve, from 0 to one range beyond its end."""
    best = np.zeros(curve.size - 2 * (chances[0].size - 1))
    for rung, (high, low) in enumerate(zip(*chances, strict=True)):
        up, down = _moved(curve, chances[0].size - 1, rung)
        np.maximum(best, high * up + low * down, out=best)
    return best


def _between_rungs(curve: Floats, chances: tuple[Floats, Floats], share: float) -> Floats:
    """A bound on the most that a selection with t between rungs makes of a curve: two rungs exchange their chances."""
    best = np.zeros(curve.size - 2 * (chances[0].size - 1))
    for rung, (left, right) in enumerate(itertools.pairwise(zip(*chances, strict=True))):
        up, down = _moved(curve, chances[0].size - 1, rung)
        over, under = _moved(curve, chances[0].size - 1, rung + 1)
        value = share * (left[0] * over + left[1] * under) + (1.0 - share) * (right[0] * up + right[1] * down)
        np.maximum(best, value, out=best)
    return best


def _moved(curve: Floats, size: int, rung: int) -> tuple[Floats, Floats]:
    """The curve at epsilon - t and at epsilon - t + range, for t on a rung."""
    nodes = curve.size - 2 * size
    return curve[size - rung : size - rung + nodes], curve[2 * size - rung : 2 * size - rung + nodes]


def _outward(curve: Floats, range_: Fraction) -> tuple[Floats, Floats]:
    """A curve with its rounding errors added and taken away; at the largest loss both are 0."""
    above = np.minimum(curve * (1.0 + _doubt(range_)) + TINY, 1.0)
    above[-1] = 0.0
    return above, curve * (1.0 - _doubt(range_))


def _doubt(range_: Fraction) -> float:
    """What one more selection adds to the relative error: chances, products and sums round."""
    return 64 * ROUNDOFF * (1.0 + float(range_))


def _chances(tops: Floats, lacks: Floats, range_: float) -> tuple[Floats, Floats]:
    """The chances of the losses t and t - range that make both laws sum to 1, given t and range - t."""
    whole = -math.expm1(-range_)
    return -np.expm1(-lacks) / whole, -np.expm1(-tops) * np.exp(-lacks) / whole


def _extended(curve: Floats, size: int, step: float) -> Floats:
    """A curve from minus the range on: with roles exchanged, delta(-e) = 1 - e^-e + e^-e delta(e)."""
    places = np.arange(1, size + 1) * step
    back = -np.expm1(-places) + np.exp(-places) * curve[1 : size + 1]
    return np.concatenate([back[::-1], curve, np.zeros(2 * size)])


@frozen(cache_hash=True)
class LadderPair(AtomicLoss):
    """A pair that dominates so many selections together: its curve joins the upper ends of the ladder by chords."""

    range_: Fraction = field(converter=fields.exact, validator=fields.above(0))
    count: int

    symmetric = True

    def step(self) -> Fraction:
        return self.range_ / ladder(self.range_, self.count).rungs

    def lattice(self) -> Fraction:
        return self.step()

    def find_atoms(self) -> Atoms:
        """P's mass at a rung is what the slope changes there, times e^loss."""
        curve, step = ladder(self.range_, self.count).above, float(self.step())
        growth = math.expm1(step)
        ahead = np.append(curve[2:], 0.0)
        # F(next) - F + e^step (F(previous) - F) over e^step - 1; rounding may have bent the curve the other way.
        masses = np.maximum((ahead - curve[1:]) + (1.0 + growth) * (curve[:-1] - curve[1:]), 0.0) / growth
        masses *= float(np.max(curve[:-1] / _reached(masses, step))) * (1.0 + _ADDING)
        losses = np.arange(1, curve.size) * step
        back = masses * np.exp(-losses)
        rest = max(0.0, 1.0 - float(masses.sum() + back.sum())) + _ADDING
        every = np.concatenate([back[::-1], [rest], masses])
        return Atoms(np.concatenate([-losses[::-1], [0.0], losses]), every, np.zeros(every.size))


def _reached(masses: Floats, step: float) -> Floats:
    """The delta at each rung that masses at the rungs above it make: sums of positive terms from the top down."""
    fall, rest, total = math.exp(-step), 0.0, 0.0
    found = []
    for mass in reversed(masses.tolist()):
        rest += mass
        total -= math.expm1(-step) * rest
        rest *= fall
        found.append(total)
    return np.array(found[::-1])
