"""The largest delta that several selections reach together when each may look at all earlier ones.

Let F(e) be the largest delta that the later selections reach. One more before them, with losses a and b and chances p and
1 - p, reaches p F(e - a) + (1 - p) F(e - b), and the best of all pairs counts. F is convex in e^e. So on rungs that divide
the largest loss evenly

- an upper end lies below chords: F between two rungs is at most what the line in e^e through both says;
- a lower end lies above tangents: from a value and a slope at each rung follows a line that F nowhere falls below.

See docs/explanation/choosing-one-of-many.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant import Interval
from accountant.loss import AtomicLoss, Atoms, Floats
from accountant.numbers.rounding import TINY, Ball, Balls, raised
from accountant_selection.choice import Pairs, Selection

LONGEST = 256
"""So many selections are followed one by one."""
_BLOCK = 128
"""Of more than that, blocks of at most so many are multiplied."""
_SHARED = 16
_CHANGING = 16
_STEADY = 4
"""After the first few selections, which choices are good is looked for only at every fourth."""
WIDEST = 100
"""Losses beyond this are not divided into rungs."""
_NODES = 4096
_MOST_RUNGS = 512
_FEWEST_RUNGS = 48
_LOG_TAIL = -90.0
"""Of many selections, losses that are rarer than this are not followed."""
_FAR = 16
"""In so many parts the choices are divided that were not good the last time."""
_FELT = 1e-45
_BESIDE = 2
_ADDING = 2.0**15
"""More roundoffs than what rounding does to sums over all nodes, each of which is added, scaled and added again."""
_MARGIN = 256.0
"""More roundoffs of 1 + reach than what rounding does to a slope in one step."""
_MOVED = Ball.rounded(0.0, 2.0**13, 1.0).radius


Places = NDArray[np.intp]


@frozen(eq=False)
class Tangents:
    """Values and slopes at rungs of a curve that lies above all lines in e^loss through them."""

    values: Floats
    slopes: Floats

    def at(self, left: Places, share: Floats, step: float, margin: float) -> tuple[Floats, Floats]:
        """The larger of two neighbouring lines, such a share of a step beyond the left rung, and its slope there."""
        up, down = np.expm1(share * step), np.expm1((share - 1.0) * step)
        first = self.values[left] * (1.0 - margin) + self.slopes[left] * up * (1.0 + margin)
        second = self.values[left + 1] + self.slopes[left + 1] * down * (1.0 - margin)
        ahead = second > first
        slopes = np.where(ahead, self.slopes[left + 1] * (1.0 + down), self.slopes[left] * (1.0 + up))
        return np.where(ahead, second, first), slopes


@frozen(eq=False)
class Ladder:
    """Bounds on the largest delta of `count` selections at rungs from 0 to where they are followed."""

    choice: Selection
    count: int
    rungs: int
    above: Floats
    below: Tangents

    @property
    def step(self) -> Fraction:
        return self.choice.reach / self.rungs

    @property
    def top(self) -> Fraction:
        """The largest loss."""
        return self.choice.reach * self.count

    def delta(self, epsilon: Fraction) -> Interval:
        """The largest delta at an epsilon between 0 and the largest loss."""
        place, rest = divmod(epsilon, self.step)
        step, last = float(self.step), self.above.size - 1
        if place >= last:
            return Interval(0.0, self._beyond(epsilon))
        # The chord between two rungs is straight in e^epsilon.
        # Two functions are granted 4 each, and their arguments, below 100, and the quotient round once.
        weight = Ball.rounded(math.expm1(float(rest)) / math.expm1(step), 16.0 + 2.0 * step).lower
        here, there = float(self.above[place]), float(self.above[place + 1])
        upper = Ball.rounded(here - weight * (here - there), 8.0).upper
        margin = Ball.rounded(0.0, _MARGIN, 1.0 + float(self.choice.reach)).radius
        share = Balls.rounded(np.array([float(rest / self.step)]), 4.0).upper
        lower = float(self.below.at(np.array([place]), share, step, margin)[0][0]) * (1.0 - self.choice.doubt)
        return Interval(min(max(0.0, lower), upper), upper)

    def _beyond(self, epsilon: Fraction) -> float:
        """The chord from the last rung to the largest loss, where delta is 0."""
        left, last = float(self.top - epsilon), float(self.top - self.step * (self.above.size - 1))
        if last <= 0.0 or left <= 0.0:
            return 0.0
        # Two functions are granted 4 each, their arguments round once, and then the quotient and the product.
        ratio = Ball.rounded(math.expm1(-left) / math.expm1(-last), 16.0)
        return float(self.above[-1]) * min(1.0, ratio.upper)


def blocks(count: int, reach: Fraction) -> list[tuple[int, int]]:
    """How many selections are followed together, and how often: sizes with their counts, at most two of them and alike."""
    if reach > WIDEST or count <= LONGEST:
        return [(1, count)] if reach > WIDEST else [(count, 1)]
    times = -(-count // _BLOCK)
    size, more = divmod(count, times)
    return [(size, times - more), (size + 1, more)] if more else [(size, times)]


@lru_cache(maxsize=64)
def ladder(choice: Selection, count: int) -> Ladder:
    """The ladder of at least two selections."""
    size, start = _rungs(count), _start(choice, count)
    above = _outward(choice.largest(start), choice, size)
    values, slopes = (array * (np.arange(start.size) < size) for array in choice.reached(start))
    below, steps = Tangents(values * (1.0 - choice.doubt), slopes), Steps(choice, size)
    for done in range(1, count):
        above = _outward(steps.upward(above), choice, size * (done + 1))
        below = steps.downward(below)
    return Ladder(choice, count, size, above, below)


def _rungs(count: int) -> int:
    return min(_MOST_RUNGS, max(_FEWEST_RUNGS, _NODES // count))


def _start(choice: Selection, count: int) -> Floats:
    """The rungs that so many selections are followed on, as losses of one of them."""
    size, last = _rungs(count), _rungs(count) * count
    step = float(choice.reach) / size
    if last > _NODES:
        last = min(last, max(size, math.ceil(choice.spread(count, _LOG_TAIL) / step)))
    return np.minimum(np.arange(last + 1), size) * step


def upper_curve(choice: Selection, count: int) -> Floats:
    """Upper ends at the rungs, without lower ones."""
    return _climbed(choice, count).curve


@frozen(eq=False)
class _Climbed:
    """Upper ends, and which choices were good for them."""

    curve: Floats
    near: tuple[int, int]


@lru_cache(maxsize=64)
def _climbed(choice: Selection, count: int) -> _Climbed:
    size, start, base = _rungs(count), _start(choice, count), count - count % _SHARED
    if 0 < base < count and _rungs(base) == size:
        # Blocks that are nearly as long go the first part of the way together; beyond its last rung a curve is no higher.
        found = _climbed(choice, base)
        above = np.concatenate([found.curve, np.full(max(0, start.size - found.curve.size), found.curve[-1])])
        steps, first = Steps(choice, size, found.near), base
    else:
        above, steps, first = _outward(choice.largest(start), choice, size), Steps(choice, size), 1
    for done in range(first, count):
        higher = _outward(steps.upward(above), choice, size * (done + 1))
        if done <= _CHANGING or done % _STEADY == 0:
            steps.look_near(above, higher)
        above = higher
    return _Climbed(above, steps.near)


class Steps:
    """One selection more, again and again. Where choices were good the last time, they are looked at closely."""

    def __init__(self, choice: Selection, size: int, near: tuple[int, int] | None = None) -> None:
        self.choice, self.size, self.step = choice, size, float(choice.reach) / size
        self.near = near or (0, size)
        self._higher: dict[tuple[int, int], Moves] = {}
        self._lower: dict[tuple[int, int], Moves] = {}

    def upward(self, curve: Floats) -> Floats:
        """An upper end for one selection more. Choices that are not near are bounded as well, from places far apart."""
        if self.near not in self._higher:
            places = np.arange(self.size + 1.0)
            kept = (places % max(1, self.size // _FAR) == 0) | (places == self.size)
            kept |= (places >= self.near[0]) & (places <= self.near[1])
            self._higher[self.near] = Moves.of(self.choice.bounding(places[kept], self.size), self.step, 1.0)
        around = _reflected(curve, self.size, self.step, float(curve[-1]))
        return self._higher[self.near].largest(around, self.size)

    def downward(self, curve: Tangents) -> Tangents:
        """A lower end for one selection more."""
        moves, chosen = self._best(curve.values)
        found = moves.reached(curve, chosen, self.size, self.step, self.choice)
        self._stay_near(chosen[found.values > _FELT])
        return found

    def look_near(self, curve: Floats, higher: Floats) -> None:
        """Look for the choices that made a curve higher, wherever that is felt; any are sound."""
        self._stay_near(self._best(curve)[1][higher > _FELT])

    def _best(self, curve: Floats) -> tuple[Moves, Places]:
        if self.near not in self._lower:
            places = np.arange(self.near[0], self.near[1] + 1.0)
            self._lower[self.near] = Moves.of(self.choice.attained(places, self.size), self.step, -1.0)
        moves = self._lower[self.near]
        return moves, moves.best(_reflected(curve, self.size, self.step, 0.0), self.size)

    def _stay_near(self, felt: Places) -> None:
        low, high = (self.near[0] + int(felt.min()), self.near[0] + int(felt.max())) if felt.size else self.near
        wider = 2 + self.size // 64
        self.near = (max(0, low - wider) // 2 * 2, min(self.size, (high + wider + 1) // 2 * 2))


@frozen(eq=False)
class Moves:
    """Pairs as moves on a ladder: by how many rungs each outcome brings a loss down, and how far beyond that rung."""

    pairs: Pairs
    places: tuple[Places, Places]
    shares: tuple[Floats, Floats]
    weights: tuple[Floats, Floats]

    @classmethod
    def of(cls, pairs: Pairs, step: float, sign: float) -> Moves:
        """Losses that are not whole are moved by more than they are off, up or down: never in favour of the other side."""
        places, shares, weights = [], [], []
        for losses in (pairs.highs, pairs.lows):
            moved = np.where(losses == np.round(losses), losses, losses + sign * (pairs.doubt + _MOVED))
            whole = np.ceil(moved)
            places.append(whole.astype(np.intp))
            shares.append(whole - moved)
            # Less of the right rung, which lies lower, is more.
            weight = Balls.rounded(np.expm1((whole - moved) * step) / math.expm1(step), 64.0)
            weights.append(weight.lower if sign > 0.0 else weight.upper)
        return cls(pairs, (places[0], places[1]), (shares[0], shares[1]), (weights[0], weights[1]))

    def largest(self, curve: Floats, size: int) -> Floats:
        """The most that any of the pairs makes of a curve, by its chords; the curve goes on beyond both ends."""
        best = np.zeros(curve.size - 2 * (size + _BESIDE))
        for pair in range(self.pairs.chances.size):
            np.maximum(best, self._made(curve, size, pair), out=best)
        return best

    def best(self, curve: Floats, size: int) -> Places:
        """Which pair makes the most of a curve, or nearly: any answer is a choice."""
        best = np.full(curve.size - 2 * (size + _BESIDE), -1.0)
        chosen = np.zeros(best.size, dtype=np.intp)
        for pair in range(self.pairs.chances.size):
            made = self._made(curve, size, pair)
            better = made > best
            np.copyto(best, made, where=better)
            np.copyto(chosen, pair, where=better)
        return chosen

    def _made(self, curve: Floats, size: int, pair: int) -> Floats:
        nodes, total = curve.size - 2 * (size + _BESIDE), None
        for chance, places, weights in zip((self.pairs.chances, self.pairs.rests), self.places, self.weights, strict=True):
            first, weight = size + _BESIDE - int(places[pair]), float(weights[pair])
            part = curve[first : first + nodes] * (float(chance[pair]) * (1.0 - weight))
            if weight:
                part += curve[first + 1 : first + 1 + nodes] * (float(chance[pair]) * weight)
            total = part if total is None else np.add(total, part, out=total)
        assert total is not None
        return total

    def reached(self, curve: Tangents, chosen: Places, size: int, step: float, choice: Selection) -> Tangents:
        """What the pair that is chosen at each rung makes of a curve, with its slope: both from lines below the curve."""
        around = Tangents(_reflected(curve.values, size, step, 0.0), _reflected_slopes(curve, size, step))
        rungs = np.arange(curve.values.size) + (size + _BESIDE)
        margin = Ball.rounded(0.0, _MARGIN, 1.0 + float(choice.reach)).radius
        found, slopes = np.zeros(chosen.size), np.zeros(chosen.size)
        for chance, places, shares in zip((self.pairs.chances, self.pairs.rests), self.places, self.shares, strict=True):
            value, slope = around.at(rungs - places[chosen], shares[chosen], step, margin)
            found += chance[chosen] * np.maximum(value, 0.0)
            slopes += chance[chosen] * np.where(value > 0.0, slope, 0.0)
        return Tangents(found * (1.0 - choice.doubt), slopes)


def _outward(curve: Floats, choice: Selection, top: int) -> Floats:
    """A curve with its rounding errors added; from the largest loss on it is 0."""
    above = np.minimum(curve * (1.0 + choice.doubt) + TINY, 1.0)
    above[top:] = 0.0
    return above


def _reflected(curve: Floats, size: int, step: float, beyond: float) -> Floats:
    """A curve from below minus the reach on: with roles exchanged, delta(-e) = 1 - e^-e + e^-e delta(e)."""
    places = np.arange(1, size + _BESIDE + 1) * step
    back = -np.expm1(-places) + np.exp(-places) * _filled(curve, places.size, beyond)
    return np.concatenate([back[::-1], curve, np.full(size + _BESIDE, beyond)])


def _reflected_slopes(curve: Tangents, size: int, step: float) -> Floats:
    """The slopes that belong to it."""
    places = np.arange(1, size + _BESIDE + 1) * step
    values, slopes = (_filled(array, places.size, 0.0) for array in (curve.values, curve.slopes))
    back = -np.exp(-places) * np.maximum((1.0 - values) + slopes, 0.0)
    return np.concatenate([back[::-1], curve.slopes, np.zeros(size + _BESIDE)])


def _filled(curve: Floats, length: int, beyond: float) -> Floats:
    """So many values of a curve after the first."""
    return np.concatenate([curve[1 : length + 1], np.full(max(0, length + 1 - curve.size), beyond)])


@frozen(cache_hash=True)
class LadderPair(AtomicLoss):
    """A pair that dominates so many selections together: its curve joins the upper ends of the ladder by chords."""

    choice: Selection
    count: int

    symmetric = True

    def step(self) -> Fraction:
        return self.choice.reach / _rungs(self.count)

    def lattice(self) -> Fraction:
        return self.step()

    def supremum_formula(self) -> Interval:
        return Interval.of(self.choice.reach * self.count)

    def find_atoms(self) -> Atoms:
        """P's mass at a rung is what the slope changes there, times e^loss."""
        curve, step = upper_curve(self.choice, self.count), float(self.step())
        places = (
            np.append(np.arange(curve.size), _rungs(self.count) * self.count) if curve[-1] > 0.0 else np.arange(curve.size)
        )
        curve = np.append(curve, 0.0) if curve[-1] > 0.0 else curve
        losses = places[1:] * step
        gaps = np.diff(places) * step
        ahead, growth = np.append(curve[2:], 0.0), np.append(np.expm1(gaps[1:]), math.inf)
        # The slopes in e^loss before and after, times e^loss; rounding may have bent the curve the other way.
        falls = (curve[:-1] - curve[1:]) / -np.expm1(-gaps)
        masses = np.maximum(falls - (curve[1:] - ahead) / growth, 0.0)
        masses *= raised(float(np.max(curve[:-1] / _reached(masses, gaps))), _ADDING)
        back = masses * np.exp(-losses)
        rest = Ball.rounded(max(0.0, 1.0 - float(masses.sum() + back.sum())), _ADDING, 1.0).upper
        every = np.concatenate([back[::-1], [rest], masses])
        return Atoms(np.concatenate([-losses[::-1], [0.0], losses]), every, np.zeros(every.size))


def _reached(masses: Floats, gaps: Floats) -> Floats:
    """The delta at each rung that masses at the rungs above it make: sums of positive terms from the top down."""
    rest, total = 0.0, 0.0
    found = []
    for mass, gap in zip(reversed(masses.tolist()), reversed(gaps.tolist()), strict=True):
        rest += mass
        total -= math.expm1(-gap) * rest
        rest *= math.exp(-gap)
        found.append(total)
    return np.array(found[::-1])
