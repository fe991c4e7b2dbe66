"""Log moments of a sampled loss, both ways, as integrals over the masses of its base.

Let v be the loss of the sampled pair (R, Q), or of (Q, R). Its moment of order t exceeds 1 by the mean of
G(v) = e^(tv) - 1 + t (e^-v - 1), because e^-v has mean 1, or less by what is lost outright. G is never negative, so that
nothing cancels. With w = |v| it is, for each unit of the law that has the loss v and for each unit of the other law,

    up(w) = e^(tw) - 1 - t (1 - e^-w) where v > 0, and down(w) = t (1 - e^-w) - e^-w (1 - e^-tw) where v < 0.

For P's mass at a loss l > 0 of the base these are multiplied by rate + (1 - rate) e^-l, and w = log(1 - rate + rate e^l);
for Q's mass at a loss -l they stand alone, and w = -log(1 - rate + rate e^-l). As functions of e^-l all four are convex and
do not rise. See docs/explanation/sampling.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import define, field, frozen

from accountant.loss.derived.log_sums import log1p_exp, log_of_terms
from accountant.loss.derived.sampled_halves import Half, first_edges
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, exp, log

Piece = tuple[bool, bool]
"""Whether losses above 0 are integrated over, and whether by `up`."""
FORWARD: tuple[Piece, ...] = ((True, True), (False, False))
BACKWARD: tuple[Piece, ...] = ((True, False), (False, True))
MIRRORED: tuple[Piece, ...] = ((True, True), (True, False))

_LARGEST_ORDER = 2.0**100
_NEAR = 0.02
"""Up to this (1 + t) w the functions are summed from their series."""
_TERMS = 8
_TARGET = 2.0**-22
_ROUNDS = 10
_MOST_CELLS = 2**14
_FINEST = 16
_FARTHEST = 1e290


@frozen(eq=False)
class Lifted:
    """A half of the base with what sampling makes of its losses."""

    half: Half
    at_points: tuple[Floats, Floats]
    """The sizes of the sampled losses, and the logarithms of the factors."""
    at_means: tuple[Floats, Floats]
    at_zero: tuple[Floats, Floats]
    at_infinity: tuple[Floats, Floats]

    @classmethod
    def of(cls, half: Half, chances: tuple[float, float], *, above: bool) -> Lifted:
        lift = _above if above else _below
        rest = (lift(places, *chances) for places in (half.means, np.array([half.at_zero]), np.array([math.inf])))
        return cls(half, lift(half.points, *chances), *rest)


@frozen(eq=False)
class _Terms:
    """What the cells of a half add to an integral: logarithms of bounds from above and from below."""

    upper: Floats
    lower: Floats
    more: list[tuple[float, float]]
    """What is not in cells: bounds from above and from below."""
    reach: float


@define(eq=False)
class SampledIntegral:
    """The integrals of one sampled loss: `base` with masses, and the chances that a record is taken and that it is not.

    `base` may stand above a `source` that has no masses: upper ends are then those of samples of the source. What is far
    out is taken from the moments of the source.
    """

    base: PrivacyLoss
    chances: tuple[float, float]
    source: PrivacyLoss
    _first: dict[bool, Lifted] = field(factory=dict, init=False)
    _known: dict[tuple[tuple[Piece, ...], float], Interval] = field(factory=dict, init=False)

    def log_moment(self, order: float, pieces: tuple[Piece, ...]) -> Interval:
        """The log moment of an order above 0, forward, backward or mirrored.

        It does not depend on what was asked before.
        """
        if not 0.0 < order < _LARGEST_ORDER:
            return Interval(0.0, math.inf)
        key = (pieces, order)
        if key not in self._known:
            self._known[key] = self._log_moment(order, pieces)
        return self._known[key]

    def _log_moment(self, order: float, pieces: tuple[Piece, ...]) -> Interval:
        halves = {above: self._half(above) for above, _ in pieces}
        best, width = Interval(0.0, math.inf), math.inf
        for _ in range(_ROUNDS):
            terms = [self._terms(halves[above], order, above, up) for above, up in pieces]
            low, high = _log_sums(terms)
            # What stands above a source is no lower end of it.
            least = max(0.0, log1p_exp(Ball(low)).lower) if self.source is self.base else 0.0
            found = Interval(least, max(least, log1p_exp(Ball(high)).upper))
            best = Interval(max(best.lower, found.lower), max(best.lower, min(best.upper, found.upper)))
            last, width = width, high - low
            if not _TARGET < width < 0.8 * last:
                break
            finer = self._finer(halves, pieces, terms, low)
            if finer is None:
                break
            halves = finer
        return best

    def _half(self, above: bool) -> Lifted:
        if above not in self._first:
            loss = self._side(above)
            self._first[above] = Lifted.of(Half.of(loss, first_edges(loss)), self.chances, above=above)
        return self._first[above]

    def _side(self, above: bool) -> PrivacyLoss:
        return self.base if above else self.base.reverse()

    def _terms(self, lifted: Lifted, order: float, above: bool, up: bool) -> _Terms:
        half, kind = lifted.half, _log_up if up else _log_down
        at_points, at_means, at_zero, at_infinity = (
            kind(sizes, order) + factors
            for sizes, factors in (lifted.at_points, lifted.at_means, lifted.at_zero, lifted.at_infinity)
        )
        # Losses that count as none are hardly any; all of the law may have them.
        more = [(float(at_zero[0]), -math.inf)]
        left, right = half.at_left, half.at_right
        endless = above and up and not half.bounded
        if endless:
            # The function has no bound: what lies above the last edge is known by moments.
            left, right = np.append(left[:-1], 0.0), np.append(right[:-1], 0.0)
            more.append((self._log_tail(order, float(half.edges[-1])), -math.inf))
        with np.errstate(divide="ignore", invalid="ignore"):
            at_right = np.where(right > 0.0, np.log(right) + at_points[1:], -np.inf)
            upper = np.logaddexp(np.log(left) + at_points[:-1], at_right)
            lower = np.log(half.least) + at_means
        if half.infinite.upper > 0.0:
            value = float(at_infinity[0])
            most = self._log_slope(order, float(lifted.at_points[0][-2])) if endless else value
            least = value if self.source is self.base else -math.inf
            high, low = (
                place + math.log(end) if end > 0.0 else -math.inf
                for place, end in ((most, half.infinite.upper), (least, half.infinite.lower))
            )
            more.append((high, low))
        sizes = lifted.at_points[0]
        reach = (1.0 + order) * float(np.max(sizes[np.isfinite(sizes)]))
        return _Terms(upper, lower, more, reach)

    def _log_slope(self, order: float, size: float) -> float:
        """log((1 + t) rate (e^(tw) - 1)): the slope of the function of the likelihood ratio at the last edge.

        A test gains at most as much from the base as from what stands above it, at prices up to the last edge's; there all
        that is told outright counts with this slope. At higher prices the moments of the source say what it gains.
        """
        grown = order * size
        growth = math.log(math.expm1(grown)) if grown < 30.0 else grown
        return math.log1p(order) + math.log(self.chances[0]) + growth if grown > 0.0 else -math.inf

    def _log_tail(self, order: float, last: float) -> float:
        """Chernoff: losses above c add at most (rate + (1 - rate) e^-c)^(1 + t) e^(-s c) times the base's moment of t + s.

        Any s > 0 will do; a good one is looked for.
        """
        rate, rest = (Ball.rounded(chance) for chance in self.chances)
        factor = log(rate + rest * exp(Ball(-last))) * (Ball(order) + 1.0)

        def at(tilt: float) -> float:
            higher = order + tilt
            moment = self.source._log_moment_at(higher).upper
            return (factor + moment - (Ball(higher) - order) * last).upper if moment < math.inf else math.inf

        tilt = 1.0
        best = at(tilt)
        for step in (4.0, 0.25, 2.0, 0.5):
            while 1e-6 < tilt < 1e9 and (value := at(tilt * step)) < best:
                tilt, best = tilt * step, value
        return best

    def _finer(
        self, halves: dict[bool, Lifted], pieces: Sequence[Piece], terms: Sequence[_Terms], low: float
    ) -> dict[bool, Lifted] | None:
        """The halves with those cells cut that add most to the width; None where that is no use."""
        share = low + math.log(0.5 * _TARGET) - math.log(sum(found.upper.size for found in terms))
        finer, grown = dict(halves), False
        for above, half in halves.items():
            counts = np.ones(half.half.edges.size)
            for (side, _), found in zip(pieces, terms, strict=True):
                if side is above:
                    with np.errstate(invalid="ignore", over="ignore"):
                        wide = np.exp(np.minimum(found.upper - share, 80.0)) - np.exp(np.minimum(found.lower - share, 80.0))
                    counts = np.maximum(counts, np.clip(np.ceil(np.sqrt(np.maximum(wide, 0.0))), 1.0, _FINEST))
            edges = _split(half.half.edges, counts, open_end=not half.half.bounded)
            if half.half.edges.size < edges.size <= _MOST_CELLS:
                finer[above] = Lifted.of(Half.of(self._side(above), edges), self.chances, above=above)
                grown = True
        return finer if grown else None


def _split(edges: Floats, counts: Floats, *, open_end: bool) -> Floats:
    """Each cell cut into so many; one that has no end is cut at twice the last edge, if any."""
    pieces = counts[:-1].astype(np.int64)
    cells = np.repeat(np.arange(pieces.size), pieces)
    places = np.arange(cells.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    cut = edges[cells] + (edges[cells + 1] - edges[cells]) * (places / pieces[cells])
    far = edges[-1:] * 2.0 if open_end and counts[-1] > 1.0 and edges[-1] < _FARTHEST else edges[:0]
    cut = np.concatenate([cut, edges[-1:], far])
    found: Floats = cut[np.append(np.diff(cut) > 0.0, True)]
    return found


def _above(losses: Floats, rate: float, rest: float) -> tuple[Floats, Floats]:
    """log(1 - rate + rate e^l) for l >= 0, and log(rate + (1 - rate) e^-l)."""
    factors = np.log(rate + rest * np.exp(-losses))
    # Both terms of a factor are positive, and next to 1 it is by what it lacks.
    near = rest * -np.expm1(-losses)
    factors = np.where(near < 0.5, np.log1p(-np.minimum(near, 0.5)), factors)
    sizes = np.where(losses > 600.0, losses + factors, np.log1p(rate * np.expm1(np.minimum(losses, 600.0))))
    return sizes, factors


def _below(losses: Floats, rate: float, rest: float) -> tuple[Floats, Floats]:
    """-log(1 - rate + rate e^-l) for l >= 0, and no factor."""
    lack = rate * -np.expm1(-losses)
    near = np.minimum(lack, 0.5)
    sizes: Floats = np.where(lack < 0.5, -np.log1p(-near), -np.log(rest + rate * np.exp(-losses)))
    return sizes, np.zeros(losses.shape)


def _log_up(sizes: Floats, order: float) -> Floats:
    """log(e^(tw) - 1 - t (1 - e^-w)) for w >= 0."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        exponents = order * sizes
        lack = -order * np.expm1(-sizes)
        middle = np.log(np.expm1(np.minimum(exponents, 1.0)) - lack)
        far = exponents + np.log1p(-np.exp(-exponents) * (1.0 + lack))
        values: Floats = np.where(exponents < 1.0, middle, far)
    return _near_zero(values, sizes, order, 1.0)


def _log_down(sizes: Floats, order: float) -> Floats:
    """log(t (1 - e^-w) - e^-w (1 - e^-tw)) for w >= 0."""
    # An order times a size that is infinite leaves what it would in the limit.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        finite = np.minimum(sizes, _FARTHEST)
        values: Floats = np.log(np.exp(-finite) * np.expm1(-order * finite) - order * np.expm1(-finite))
    return _near_zero(values, sizes, order, -1.0)


def _near_zero(values: Floats, sizes: Floats, order: float, sign: float) -> Floats:
    """The values, with those next to 0 from the series of G(v), the sum over k >= 2 of (t^k + t (-1)^k) v^k/k!.

    Its first term is t (t + 1) v^2/2. Beside it term number k is at most 2 |(1 + t) v|^(k - 2)/k!, and what is left out is
    below a roundoff.
    """
    near = np.flatnonzero((1.0 + order) * sizes < _NEAR)
    if near.size:
        some = sizes[near]
        steps, total = sign * some, np.zeros(near.size)
        for k in range(_TERMS, 2, -1):
            share = (order ** (k - 1) + (-1.0) ** k) / (order + 1.0) * 2.0 / math.factorial(k)
            total = (total + share) * steps
        with np.errstate(divide="ignore"):
            logs = 2.0 * np.log(some) + np.log1p(total) + math.log(0.5 * order) + math.log1p(order)
        values[near] = logs if sign > 0.0 else logs - some
    return values


def _log_sums(terms: Sequence[_Terms]) -> tuple[float, float]:
    """Logarithms of the sums of all terms, rounded outward.

    Of a sampled loss some 24 roundoffs are doubtful, which the functions feel at most 2 + (1 + t) w times. Where the
    functions are differences these are at least a 250th of what they are taken from: at most 250 times 8 roundoffs, and
    48. What is felt (1 + t) w times is counted with the reach.
    """
    reach = 2.0 * max(some.reach for some in terms)
    low, high = (
        log_of_terms(np.concatenate(arrays), reach, 2048.0)
        for arrays in (
            [*(some.lower for some in terms), np.array([low for some in terms for _, low in some.more])],
            [*(some.upper for some in terms), np.array([high for some in terms for high, _ in some.more])],
        )
    )
    return low.lower, high.upper
