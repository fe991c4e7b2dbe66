"""The supremum of Renyi(a)/a over all orders a > 1, from both sides.

With t = a - 1 and the log moment k(t) = log E_P[e^(tL)], the quantity is sup over t > 0 of k(t)/(t(t + 1)). Because k
is convex with k(0) = 0, its chord over [a, b] lies above it, which bounds the ratio there; below the first node the
Renyi divergence itself is the bound, since it does not decrease in the order; beyond the last one it is what the family
knows, usually the essential supremum of the loss over the order. A pair whose losses lie between -e and e is randomised
response of e after post-processing, so that e tanh(e/2) is a bound too.

Where the ratio hardly changes chords of k are slow. The moment exceeds 1 by s n(t), s = t(t + 1), and n(t) is the integral
of x^(t - 1) times what a test may gain at the price x, which is never negative: so log n is convex too. The ratio
log(1 + s n)/s grows in n and falls in s.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Protocol

import numpy as np

from accountant.numbers.interval import Interval
from accountant.numbers.rounding import TINY, Ball, lowered, raised, tanh

_FIRST = 2.0**-20
LAST_ORDER = 2.0**20
"""The largest order above 1 that is always looked at."""
_FAR, _FARTHEST = 2.0**48, 2.0**80
_PRECISION = 2.0**-21
_SPLITS, _MANY = 4000, 128
_STEPS = np.linspace(0.0, 1.0, 257)
_LARGEST_EXCESS = 300.0
_LOGS = 2.0**14
"""Logarithms are of numbers from e^-700 to e^300 and of orders up to 2^160: each is off by 4 roundoffs of its size and of
1, two of them and what lies between by less than 8200, and what is made of their exponential by a few more of itself."""


class Known(Protocol):
    """What the supremum is found from: a loss, as far as it matters here."""

    def reverse(self) -> Known: ...

    def supremum(self) -> Interval: ...

    def concentration_beyond(self, order: float) -> float: ...

    def _log_moment_at(self, order: float) -> Interval: ...


def certified_supremum(loss: Known, most: float = math.inf, first: float = 0.0) -> Interval:
    """sup over a > 1 of Renyi(a)/a, or over a > 1 + first; the upper end is infinite where no bound can be had.

    Who knows that it is at most so much says so: the search ends where that is met.
    """
    supremum = max(loss.supremum().upper, loss.reverse().supremum().upper)
    if supremum == 0.0:
        return Interval.of(0)
    moments, tail = _at_nodes(loss, most, max(first, _FIRST))
    best = max(_ratio(moment.lower, t) for t, moment in moments.items())
    if math.isinf(best):
        return Interval.infinite()
    nodes = sorted(moments)
    head = 0.0 if nodes[0] <= first else moments[nodes[0]].upper / nodes[0]
    # The answer is no smaller than any of these: there is no use in bounds that are.
    enough = max(head, tail if tail < math.inf else 0.0, *(_ratio(moments[t].upper, t) for t in nodes))
    heap = [(-_bound(a, b, moments[a].upper, moments[b].upper), a, b) for a, b in itertools.pairwise(nodes)]
    heapq.heapify(heap)
    for _ in range(_SPLITS):
        bound, a, b = heap[0]
        if -bound <= max(best, enough) * (1.0 + _PRECISION) or best * (1.0 + _PRECISION) >= most or math.isinf(bound):
            break
        # No bound will be below what is known already; only the lower end may still rise.
        if max(enough, tail) >= most and len(moments) >= _MANY:
            break
        middle = math.sqrt(a * b)
        if not a < middle < b:
            break
        heapq.heappop(heap)
        moments[middle] = loss._log_moment_at(middle)
        best = max(best, _ratio(moments[middle].lower, middle))
        enough = max(enough, _ratio(moments[middle].upper, middle))
        for left, right in ((a, middle), (middle, b)):
            bound = _bound(left, right, moments[left].upper, moments[right].upper)
            heapq.heappush(heap, (-bound, left, right))
    # Ratios are quotients by a product with a sum.
    found = raised(max(head, tail, -heap[0][0]), 3) + TINY
    upper = min(found, (tanh(Ball(0.5 * supremum)) * supremum).upper if supremum < math.inf else math.inf, most)
    return Interval(min(max(0.0, lowered(best, 3)), upper), upper)


def _at_nodes(loss: Known, most: float, first: float) -> tuple[dict[float, Interval], float]:
    """Log moments at places far apart, as far out as the supremum may lie, and a bound on ratios beyond the last."""
    moments = {t: loss._log_moment_at(t) for t in (first * 2.0 ** (4 * k) for k in range(11))}
    last = max(moments)
    best, tail = max(_ratio(moment.lower, t) for t, moment in moments.items()), loss.concentration_beyond(last + 1.0)
    farthest = _FARTHEST if tail < math.inf else _FAR
    while last < farthest and best < min(tail, most) < math.inf and best * (1.0 + _PRECISION) < most:
        # Losses that are next to nothing are worst at orders that are next to infinite.
        farther = loss._log_moment_at(16.0 * last)
        if math.isinf(farther.upper):
            break
        last *= 16.0
        moments[last] = farther
        best, tail = max(best, _ratio(farther.lower, last)), loss.concentration_beyond(last + 1.0)
    return moments, tail


def _ratio(moment: float, t: float) -> float:
    return moment / (t * (t + 1.0))


def _bound(a: float, b: float, at_a: float, at_b: float) -> float:
    """A bound on the ratio over [a, b] from bounds on the log moment at both ends."""
    return min(_chord(a, b, at_a, at_b), _log_chord(a, b, at_a, at_b))


def _log_chord(a: float, b: float, at_a: float, at_b: float) -> float:
    """The largest value over [a, b] of log(1 + s n)/s where log n is the chord through both ends.

    Between neighbouring places it is at most that of the smaller s and the larger n.
    """
    if min(at_a, at_b) <= 0.0 or max(at_a, at_b) > _LARGEST_EXCESS:
        return math.inf
    low, high = (math.log(math.expm1(k)) - math.log(t * (t + 1.0)) for k, t in ((at_a, a), (at_b, b)))
    places = a + (b - a) * _STEPS
    sizes = np.exp(low + (high - low) * _STEPS)
    spans = places * (places + 1.0)
    ratios = np.log1p(spans[:-1] * np.maximum(sizes[:-1], sizes[1:])) / spans[:-1]
    return raised(float(np.max(ratios)), _LOGS)


def _chord(a: float, b: float, at_a: float, at_b: float) -> float:
    """The largest value over [a, b] of (c + s t)/(t(t + 1)) for the chord c + s t through both ends."""
    if math.isinf(at_a) or math.isinf(at_b):
        return math.inf
    slope = (at_b - at_a) / (b - a)
    start = at_a - slope * a
    candidates = [_ratio(at_a, a), _ratio(at_b, b)]
    if start < 0.0 < slope:
        peak = (-start + math.sqrt(start * start - start * slope)) / slope
        if a < peak < b:
            candidates.append(_ratio(at_a + slope * (peak - a), peak))
    # The slope rounds 3 times, what it makes of a distance 3 times, and the ratio 3 times. Where there is a peak, what the
    # chord starts from is known to 2^-30 of itself, as orders less 1 are at least 2^-20: so is its place, and only the
    # square of that is felt.
    return raised(max(candidates), 16)
