"""Laws by which the readings of one loss check each other."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.loss import ComposedLoss, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.testing.counterexamples import broken, delta, meet, read, show
from accountant.testing.places import DELTAS, LEVELS, ORDERS, epsilons, few_epsilons

_ROUNDING = 1e-9


def cells_agree(loss: PrivacyLoss) -> None:
    """The masses that composition uses tell the same delta as the formula that a single release uses."""
    if loss.precision is not None:
        for part, _ in loss.taken_apart():
            cells_agree(part)
        return
    gridded = ComposedLoss.of([(loss, 1)])
    for point in few_epsilons(loss):
        direct, from_cells = delta(loss, point), delta(gridded, point)
        if not meet(direct, from_cells):
            broken(
                "the cells must tell the same delta as the formula",
                loss=show(loss),
                at_epsilon=plain(point),
                by_the_formula=direct,
                by_the_cells=from_cells,
            )


def epsilon_inverts_delta(loss: PrivacyLoss) -> None:
    """At the epsilon that a delta allows, delta is no larger; just below it, no smaller."""
    for target in DELTAS:
        value = read(loss, f"epsilon at delta = {plain(target)}", loss.epsilon, target)
        if value.upper < math.inf and Fraction(delta(loss, Fraction(value.upper)).lower) > target:
            found = delta(loss, Fraction(value.upper))
            broken("epsilon is too small", loss=show(loss), at_delta=plain(target), epsilon=value, delta_there=found)
        if 0.0 < value.lower < math.inf:
            found = delta(loss, Fraction(value.lower) * Fraction(1 - 2**-30))
            if found.upper < target:
                broken(
                    "epsilon is too large",
                    loss=show(loss),
                    at_delta=plain(target),
                    epsilon=value,
                    delta_just_below=found,
                )


def supremum_ends_delta(loss: PrivacyLoss) -> None:
    """Delta vanishes at the largest loss and not before. It is asked of the family itself: readings trust the supremum."""
    top = read(loss, "the supremum", loss.supremum)
    found = Interval.of(0) if top.upper == math.inf else read(loss, "delta at the supremum", loss._delta_at, top.upper)
    if found.lower > 0.0:
        broken("delta must vanish at the supremum", loss=show(loss), supremum=top, delta_there=found)
    for point in epsilons(loss):
        if point < top.lower and delta(loss, point).upper <= 0.0:
            broken(
                "delta must not vanish below the supremum",
                loss=show(loss),
                supremum=top,
                at_epsilon=plain(point),
                delta=delta(loss, point),
            )


def renyi_bounds_delta(loss: PrivacyLoss) -> None:
    """Markov: delta(epsilon) <= e^((a - 1)(Renyi(a) - epsilon)), and Renyi(a) <= min(supremum, a concentration)."""
    top = read(loss, "the supremum", loss.supremum)
    spread = read(loss, "the concentration", loss.concentration)
    deltas = {point: delta(loss, point) for point in epsilons(loss)}
    for order in ORDERS:
        value = read(loss, f"Renyi of order {order}", loss.renyi, order)
        for name, bound in (("supremum", top.upper), ("concentration times the order", spread.upper * float(order))):
            if value.lower > bound * (1.0 + _ROUNDING):
                broken(f"Renyi exceeds the {name}", loss=show(loss), order=plain(order), renyi=value, bound=bound)
        for point, found in deltas.items():
            exponent = float(order - 1) * (value.upper - float(point))
            bound = math.exp(exponent) * (1.0 + _ROUNDING) if exponent < 0.0 else 1.0
            if found.lower > bound:
                broken(
                    "delta exceeds what the Renyi divergence allows",
                    loss=show(loss),
                    order=plain(order),
                    renyi=value,
                    at_epsilon=plain(point),
                    delta=found,
                    allowed=bound,
                )


def tradeoff_bounds_delta(loss: PrivacyLoss) -> None:
    """A test of level x misses with probability at least 1 - delta(epsilon) - e^epsilon x."""
    deltas = {point: delta(loss, point) for point in epsilons(loss)}
    for level in LEVELS:
        value = read(loss, f"trade-off at {level}", loss.tradeoff, level)
        for point, found in deltas.items():
            least = 1.0 - found.upper - math.exp(point) * float(level) - _ROUNDING
            if value.upper < least:
                broken(
                    "the trade-off is below what delta allows",
                    loss=show(loss),
                    level=level,
                    type_two_error=value,
                    at_epsilon=plain(point),
                    delta=found,
                    least=Interval(least, math.inf).rounded(6)[0],
                )
