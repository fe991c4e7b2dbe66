"""The supremum of Renyi(a)/a over all orders a > 1, from both sides.

With t = a - 1 and the log moment k(t) = log E_P[e^(tL)], the quantity is sup over t > 0 of k(t)/(t(t + 1)). Because k
is convex with k(0) = 0, its chord over [a, b] lies above it, which bounds the ratio there; below the first node the
Renyi divergence itself is the bound, since it does not decrease in the order; beyond the last one it is what the family
knows, usually the essential supremum of the loss over the order. A pair whose losses lie between -e and e is randomised
response of e after post-processing, so that e tanh(e/2) is a bound too.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Protocol

from accountant.numbers.interval import Interval

_TINY = 2.0**-1000
_FIRST = 2.0**-20
LAST_ORDER = 2.0**20
"""The largest order above 1 that is looked at."""
_PRECISION = 2.0**-20
_SPLITS = 4000


class Known(Protocol):
    """What the supremum is found from: a loss, as far as it matters here."""

    def reverse(self) -> Known: ...

    def supremum(self) -> Interval: ...

    def concentration_beyond(self, order: float) -> float: ...

    def _log_moment_at(self, order: float) -> Interval: ...


def certified_supremum(loss: Known, beyond: float | None = None) -> Interval:
    """sup over a > 1 of Renyi(a)/a; the upper end is infinite where no bound can be had.

    Who knows a bound on the ratio at all orders beyond the last gives it; by default the loss says.
    """
    supremum = max(loss.supremum().upper, loss.reverse().supremum().upper)
    if supremum == 0.0:
        return Interval.of(0)
    nodes = [_FIRST * 2.0 ** (k / 2) for k in range(81)]
    moments = {t: loss._log_moment_at(t) for t in nodes}
    best = max(_ratio(moments[t].lower, t) for t in nodes)
    if math.isinf(best):
        return Interval.infinite()
    head = moments[nodes[0]].upper / nodes[0]
    tail = loss.concentration_beyond(nodes[-1] + 1.0) if beyond is None else beyond
    enough = max(head, tail) if tail < math.inf else head
    heap = [(-_chord(a, b, moments[a].upper, moments[b].upper), a, b) for a, b in itertools.pairwise(nodes)]
    heapq.heapify(heap)
    for _ in range(_SPLITS):
        bound, a, b = heap[0]
        if -bound <= max(best, enough) * (1.0 + _PRECISION) or math.isinf(bound):
            break
        middle = math.sqrt(a * b)
        if not a < middle < b:
            break
        heapq.heappop(heap)
        moments[middle] = loss._log_moment_at(middle)
        best = max(best, _ratio(moments[middle].lower, middle))
        for left, right in ((a, middle), (middle, b)):
            bound = _chord(left, right, moments[left].upper, moments[right].upper)
            heapq.heappush(heap, (-bound, left, right))
    upper = min(max(head, tail, -heap[0][0]), supremum * math.tanh(0.5 * supremum)) * (1.0 + 2.0**-48) + _TINY
    return Interval(min(max(0.0, best * (1.0 - 2.0**-48)), upper), upper)


def _ratio(moment: float, t: float) -> float:
    return moment / (t * (t + 1.0))


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
    # What rounding does to the chord and to the place of its peak is far below this.
    return max(candidates) * (1.0 + 2.0**-36)
