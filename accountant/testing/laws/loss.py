"""Laws of every privacy loss."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

from accountant.loss import PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball
from accountant.testing.counterexamples import broken, delta, has_formula, meet, method, read, reverse_of, show
from accountant.testing.places import DELTAS, LEVELS, ORDERS, epsilons

# Rounding of the arithmetic that a law itself does with ends of intervals.
_ROUNDING, _TIMES = 1e-12, 1e4
_LARGEST = 600


def readings_keep_their_shape(loss: PrivacyLoss) -> None:
    """Delta, the trade-off and the Renyi divergence are what such functions of any pair are, with ends in order."""
    delta_falls(loss)
    tradeoff_is_convex(loss)
    renyi_grows(loss)
    ends_are_in_order(loss)


def delta_falls(loss: PrivacyLoss) -> None:
    """Delta does not increase in epsilon, and is a probability even before it is cut off at 0 and 1."""
    points = epsilons(loss)
    values = [delta(loss, point) for point in points]
    for point, value in zip(points, values, strict=True):
        formula = loss.delta_formula(float(point)) if has_formula(loss) else None
        for shown, found in (("the reading", value), ("the formula", formula)):
            if found is not None and (found.lower > 1.0 or found.upper < 0.0):
                broken(
                    "delta must lie between 0 and 1",
                    loss=show(loss),
                    at_epsilon=plain(point),
                    **{shown.replace(" ", "_"): found},
                )
    for (left, before), (right, after) in itertools.pairwise(zip(points, values, strict=True)):
        if after.lower > before.upper:
            broken(
                "delta must not increase in epsilon",
                loss=show(loss),
                **{f"at_epsilon_{plain(left)}": before, f"at_epsilon_{plain(right)}": after},
            )


def tradeoff_is_convex(loss: PrivacyLoss) -> None:
    """The trade-off function is convex, does not increase, and never exceeds 1 - x: a test can always toss a coin."""
    values = {level: read(loss, f"trade-off at {level}", loss.tradeoff, level) for level in LEVELS}
    for level, value in values.items():
        if Fraction(value.lower) > 1 - level:
            broken("the trade-off must be at most 1 - x", loss=show(loss), x=level, type_two_error=value)
    for left, right in itertools.pairwise(LEVELS):
        if values[right].lower > values[left].upper:
            broken(
                "the trade-off must not increase",
                loss=show(loss),
                **{f"at_{left}": values[left], f"at_{right}": values[right]},
            )
    for left, middle, right in zip(LEVELS, LEVELS[1:], LEVELS[2:], strict=False):
        if values[middle].lower > 0.5 * (values[left].upper + values[right].upper) + _ROUNDING:
            broken(
                "the trade-off must be convex",
                loss=show(loss),
                **{f"at_{x}": values[x] for x in (left, middle, right)},
            )


def renyi_grows(loss: PrivacyLoss) -> None:
    """The Renyi divergence does not decrease in the order, and no moment is below that of a loss of nothing."""
    values = [read(loss, f"Renyi of order {order}", loss.renyi, order) for order in ORDERS]
    for order in ORDERS:
        formula = loss.log_moment_formula(float(order - 1))
        if formula is not None and formula.upper < 0.0:
            broken("a log moment cannot be negative", loss=show(loss), order=plain(order), log_moment=formula)
    for (left, before), (right, after) in itertools.pairwise(zip(ORDERS, values, strict=True)):
        if before.lower > after.upper:
            broken(
                "the Renyi divergence must not decrease in the order",
                loss=show(loss),
                **{f"of_order_{plain(left)}": before, f"of_order_{plain(right)}": after},
            )


def ends_are_in_order(loss: PrivacyLoss) -> None:
    """Every reading answers with a lower end that is at most its upper end, and an exact value between them."""
    for side, direction in ((loss, "forward"), (reverse_of(loss), "reverse")):
        for name, action, *place in _readings(side):
            value = read(side, name, action, *place)
            inside = value.exact is None or value.lower <= value.exact <= value.upper
            if math.isnan(value.lower) or math.isnan(value.upper) or not value.lower <= value.upper or not inside:
                broken(
                    f"{name} must be an interval around the value",
                    loss=show(side),
                    direction=direction,
                    lower=value.lower,
                    upper=value.upper,
                    exact=value.exact,
                )


def _readings(loss: PrivacyLoss) -> list[tuple[Any, ...]]:
    """What every loss answers: in words, the method, and the place."""
    return [
        *((f"delta at epsilon = {plain(x)}", loss.delta, x) for x in epsilons(loss)),
        *((f"epsilon at delta = {plain(x)}", loss.epsilon, x) for x in DELTAS),
        *((f"trade-off at {x}", loss.tradeoff, x) for x in LEVELS),
        *((f"Renyi of order {plain(x)}", loss.renyi, x) for x in ORDERS),
        ("the supremum", loss.supremum),
        ("the infinite mass", loss.infinite),
        ("the concentration", loss.concentration),
    ]


def reverse_twice_is_the_same(loss: PrivacyLoss) -> None:
    """Exchanging P and Q twice gives the same readings again."""
    back = loss.reverse().reverse()
    for point in epsilons(loss):
        before, after = delta(loss, point), delta(back, point)
        if not meet(before, after):
            broken(
                "reversing twice must change nothing",
                loss=show(loss),
                at_epsilon=plain(point),
                delta=before,
                delta_after_reversing_twice=after,
                look_at=method(loss.reverse(), "reverse"),
            )


def directions_are_one_pair(loss: PrivacyLoss) -> None:
    """Both directions belong to one pair: delta of (Q, P) at -epsilon is 1 - e^-epsilon (1 - delta of (P, Q) at epsilon).

    The complement of the event that is best for one direction is best for the other. The other direction of the other
    direction is the first.
    """
    reverse_twice_is_the_same(loss)
    back = reverse_of(loss)
    for point in epsilons(loss):
        if abs(point) > _LARGEST:
            continue
        value, other = delta(loss, point), delta(back, -point)
        scale = math.exp(-point)
        slack = Ball.rounded(0.0, _TIMES, 1.0 + scale).radius
        implied = Interval(1.0 - scale * (1.0 - value.lower) - slack, 1.0 - scale * (1.0 - value.upper) + slack)
        if not meet(other, implied):
            broken(
                "both directions must belong to one pair",
                loss=show(loss),
                at_epsilon=plain(point),
                delta=value,
                delta_of_the_reverse_at_minus_epsilon=other,
                implied_by_the_first=implied,
                look_at=method(loss, "reverse"),
            )
