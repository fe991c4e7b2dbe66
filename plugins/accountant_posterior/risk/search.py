"""The smallest epsilon that a tolerance admits over a box of priors, enclosed from both sides by splitting the box.

A grid sees some priors and so finds too large an epsilon. Here every part of the box has a bound from below: where the
tolerance is at least r, it admits no less than the constant r does, whose smallest epsilon on a box is known exactly.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

from accountant import Interval, InvalidValue
from accountant_posterior.risk.bounds import largest_epsilon
from accountant_posterior.risk.ceilings import Binding, Box, Corner, Range, binding, corners
from accountant_posterior.semantics.odds import written

Tolerance = Callable[[Fraction, Fraction], Fraction | None]
"""The largest tolerated ratio at a prior, rounded down; None for anything."""
Floor = Callable[[Box], Fraction | None]
"""A lower bound on the tolerance over a box; None for anything."""

_MOST_BOXES = 20_000
_NEAR = Fraction(1, 16)


def smallest(box: Box, tolerance: Tolerance, floor: Floor, steps: int, precision: Fraction) -> Binding:
    """The smallest epsilon over a box.

    Guarantee: the lower end is admissible if `floor` is a lower bound. The upper end is what one prior admits.
    """
    count = itertools.count()
    best = _sampled(box, tolerance, floor(box), steps)
    heap = [(_bound(box, floor(box), steps), next(count), box)]
    while True:
        low, _, worst = heapq.heappop(heap)
        if low >= best.epsilon.upper * (1.0 - float(precision)) or math.isinf(low) or next(count) > _MOST_BOXES:
            break
        for part in _halves(worst):
            known = floor(part)
            best = min(best, _sampled(part, tolerance, known, steps), key=lambda item: item.epsilon.upper)
            heapq.heappush(heap, (max(low, _bound(part, known, steps)), next(count), part))
    if math.isinf(low):
        return Binding(Interval.infinite())
    return Binding(Interval(min(low, best.epsilon.upper), best.epsilon.upper), best.corner)


def sampled(box: Box, tolerance: Tolerance, steps: int) -> Binding:
    """What priors on a coarse grid admit: nothing between them is known, so that only 0 is admissible for sure."""
    parts = [box]
    for _ in range(8):
        parts = [half for part in parts for half in _halves(part)]
    best = min((_sampled(part, tolerance, Fraction(0), steps) for part in parts), key=lambda item: item.epsilon.upper)
    return Binding(Interval(0.0, best.epsilon.upper), best.corner)


def _bound(box: Box, ratio: Fraction | None, steps: int) -> float:
    if ratio is None:
        return math.inf
    return binding(corners(box, ratio), steps).epsilon.lower if ratio > 1 else 0.0


def _sampled(box: Box, tolerance: Tolerance, least: Fraction | None, steps: int) -> Binding:
    """The smallest of what some priors of a box admit."""
    best = Binding(Interval.infinite())
    for membership, disclosure in _priors(box):
        ratio = tolerance(membership, disclosure)
        if ratio is not None and (least is None or ratio < least):
            declared = "infinity" if least is None else written(least)
            raise InvalidValue(
                f"the tolerance at membership {written(membership)} and disclosure {written(disclosure)} is "
                f"{written(ratio)}, below the bound {declared} that was declared for priors around it"
            )
        if ratio is None:
            continue
        admitted = Binding(largest_epsilon(membership, disclosure, ratio, steps), Corner(membership, disclosure, ratio))
        best = min(best, admitted, key=lambda item: item.epsilon.upper)
    return best


def _priors(box: Box) -> set[tuple[Fraction, Fraction]]:
    """The corners at the largest probability of membership, and the middle."""
    sure = [(box.membership[1], disclosure) for disclosure in box.disclosure if disclosure]
    return {*sure, (_middle(box.membership), _middle(box.disclosure))}


def _middle(side: Range) -> Fraction:
    return (side[0] + side[1]) / 2


def _halves(box: Box) -> tuple[Box, ...]:
    """The two halves of a box, split across the side that is longer for where it lies; a single prior stays as it is."""
    lengths = [(side[1] - side[0]) / (side[1] + _NEAR) for side in (box.membership, box.disclosure)]
    if not any(lengths):
        return (box,)
    across = lengths[0] >= lengths[1]
    side = box.membership if across else box.disclosure
    halves = (side[0], _middle(side)), (_middle(side), side[1])
    return tuple(Box(half, box.disclosure) if across else Box(box.membership, half) for half in halves)
