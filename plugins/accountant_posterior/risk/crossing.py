"""Where something that grows passes a bound, found in few evaluations and from both sides."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from accountant import Interval

_LEAST, _FARTHEST = 2.0**-20, 2.0**20


def crossing(reached: Callable[[float], Interval], bound: Interval, low: float, high: float, fine: float) -> Interval:
    """The largest place at which something that grows is within a bound, no farther than `high`.

    Guarantee: at the lower end, unless it is `low`, it surely is, and at the upper end, unless that is infinite, it surely
    is not.
    """
    found = cache(reached)
    tried: list[float] = []

    def kept(place: float) -> float:
        tried.append(place)
        return found(place).upper - bound.lower

    def over(place: float) -> float:
        return found(place).lower - bound.upper

    inner = _between(kept, low, high, fine)[0]
    outer = min((place for place in tried if place > inner and over(place) > 0.0), default=max(2.0 * inner, _LEAST))
    while not over(outer) > 0.0:
        outer *= 2.0
        if outer > _FARTHEST:
            return Interval(inner, math.inf)
    return Interval(inner, max(inner, _between(over, inner, outer, fine)[1]))


def _between(excess: Callable[[float], float], low: float, high: float, fine: float) -> tuple[float, float]:
    """Two places that are close together, with an excess at the second and none at the first, unless they were given.

    A chord says where to look next. An end that stays where it is counts half, so that both move; where three chords have
    not halved what is left, the middle does.
    """
    below, above = excess(low) if low > 0.0 else -math.inf, excess(high) if high < math.inf else math.inf
    stayed, lengths = 0, [math.inf] * 3
    while high < math.inf and high - low > fine * high:
        known = -math.inf < below <= 0.0 < above < math.inf and high - low <= 0.5 * lengths[-3]
        lengths.append(high - low)
        share, margin = -below / (above - below) if known else 0.5, 0.45 * fine * high
        place = min(max(low + share * (high - low), low + margin), high - margin)
        if not low < place < high:
            break
        value = excess(place)
        if value > 0.0:
            high, above, below, stayed = place, value, below * (0.5 if stayed > 0 else 1.0), 1
        else:
            low, below, above, stayed = place, value, above * (0.5 if stayed < 0 else 1.0), -1
    return low, high
