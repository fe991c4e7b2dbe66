"""Laws by which the readings of one loss check each other."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from accountant.loss import ComposedLoss, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.testing.counterexamples import broken, delta, has_formula, meet, method, read, show
from accountant.testing.digits import apart
from accountant.testing.laws.masses import moments_agree
from accountant.testing.places import DELTAS, LEVELS, ORDERS, epsilons, few_epsilons

_ROUNDING = 1e-9
_LARGEST = 600
_FAR = (Fraction(1, 10**12), Fraction(1, 10**30))


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
            first, second = (direct, from_cells) if direct.upper < from_cells.lower else (from_cells, direct)
            told = dict(zip((id(first), id(second)), apart(first, second), strict=True))
            broken(
                "the cells must tell the same delta as the formula",
                loss=show(loss),
                at_epsilon=plain(point),
                by_the_formula=told[id(direct)],
                by_the_cells=told[id(from_cells)],
                look_at=f"{method(loss, 'cells')}, {method(loss, 'delta_formula')}",
            )


def epsilon_inverts_delta(loss: PrivacyLoss) -> None:
    """At the epsilon that a delta allows, delta is no larger; just below it, no smaller."""
    far = () if not has_formula(loss) or loss.bracketed() else _FAR
    for target in (*DELTAS, *far):
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
        broken(
            "delta must vanish at the supremum",
            loss=show(loss),
            supremum=top,
            delta_there=found,
            look_at=f"{method(loss, 'supremum_formula')} and {method(loss, 'delta_formula')}",
        )
    for point in epsilons(loss):
        if point < top.lower and delta(loss, point).upper <= 0.0:
            broken(
                "delta must not vanish below the supremum",
                loss=show(loss),
                supremum=top,
                at_epsilon=plain(point),
                delta=delta(loss, point),
                look_at=f"{method(loss, 'delta_formula')} and {method(loss, 'supremum_formula')}",
            )


def renyi_bounds_delta(loss: PrivacyLoss) -> None:
    """Markov: delta(epsilon) <= e^((a - 1)(Renyi(a) - epsilon)), and Renyi(a) <= min(supremum, a concentration).

    Markov leaves room: moments are also those of the masses in the cells, and of delta, by an integral.
    """
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
    moments_agree(loss)


def tradeoff_bounds_delta(loss: PrivacyLoss) -> None:
    """A test of level x misses with probability at least 1 - delta(epsilon) - e^epsilon x."""
    deltas = {point: delta(loss, point) for point in epsilons(loss) if point < _LARGEST}
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


def tradeoff_reaches_delta(loss: PrivacyLoss) -> None:
    """Between two epsilons delta falls with some slope x, and a test of level x misses no more than delta says there."""
    points = [point for point in epsilons(loss) if 0 <= point < _LARGEST]
    for left, right in itertools.pairwise(points):
        above, below = delta(loss, left), delta(loss, right)
        low, high = math.exp(left), math.exp(right)
        # The slope from both sides: a larger level misses no more, and the error is read at the larger one.
        slope, level = (above.lower - below.upper) / (high - low), (above.upper - below.lower) / (high - low)
        if slope <= _ROUNDING or above.width + below.width > 1e-3 * (above.lower - below.upper):
            continue
        level *= 1.0 + _ROUNDING
        value = read(loss, f"trade-off at {level:.6g}", loss.tradeoff, Fraction(level))
        most = 1.0 - below.lower - low * slope + _ROUNDING
        if value.lower > most:
            broken(
                "the trade-off is above what delta allows",
                loss=show(loss),
                level=f"{level:.6g}",
                type_two_error=value,
                most=f"{most:.6g}",
                **{f"delta_at_epsilon_{plain(left)}": above, f"delta_at_epsilon_{plain(right)}": below},
                look_at=method(loss, "_tradeoff_at"),
            )
