"""Products over releases of what divergences leave, or add, rounded outward."""

from __future__ import annotations

import math
from collections.abc import Sequence

from accountant import Interval
from accountant.numbers.rounding import Ball, expm1, log1p

Parts = Sequence[tuple[Interval, int]]
_HIGHEST = 640.0


def told_apart(parts: Parts) -> Interval:
    """1 - product of (1 - value), over all parts."""
    low, high = ([(end, count) for end, count in ends] for ends in _ends(parts))
    return Interval(max(0.0, _lacking(low).lower), min(1.0, _lacking(high).upper))


def grown(parts: Parts) -> Interval:
    """The product of (1 + value) over all parts, less 1."""
    low, high = (sum((log1p(Ball(min(end, 1e300))) * count for end, count in ends), Ball(0.0)) for ends in _ends(parts))
    finite = high.upper <= _HIGHEST and all(value.upper <= 1e300 for value, _ in parts)
    least = expm1(Ball(min(low.lower, _HIGHEST))).lower
    return Interval(max(0.0, least), expm1(Ball(high.upper)).upper if finite else math.inf)


def _ends(parts: Parts) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
    return [(value.lower, count) for value, count in parts], [(value.upper, count) for value, count in parts]


def _lacking(ends: list[tuple[float, int]]) -> Ball:
    if any(end >= 1.0 for end, _ in ends):
        return Ball(1.0)
    return -expm1(sum((log1p(-Ball(end)) * count for end, count in ends), Ball(0.0)))
