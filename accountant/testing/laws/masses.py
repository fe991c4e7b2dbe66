"""Laws by which the cells of a loss hold all of its mass, and by which moments, cells and delta are those of one pair."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from accountant.errors import GridTooLarge
from accountant.loss import Cells, Floats, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball
from accountant.testing.counterexamples import broken, has_formula, meet, method, show
from accountant.testing.places import epsilons

_EDGES = 257
_POINTS = 160
_POWERS = (1e-3, 0.1, 1.0, 4.0, 31.0)
ROUNDING = Ball.rounded(0.0, 90_000.0, 1.0).radius
"""What is forgiven as rounding: about 1e-11."""
_FAR = 600.0


def cells_hold_all_mass(loss: PrivacyLoss) -> None:
    """The masses of P in all cells sum to 1, those of Q to at most 1, and in each cell P is as many times Q as it says."""
    for side in sides_of(loss):
        edges = _edges(side)
        cells = cells_of(side, edges)
        if cells is None:
            continue
        missing = 1.0 - float(cells.p.sum()) - cells.infinite.upper
        spare = float(cells.p.sum()) + cells.infinite.lower - 1.0
        error = float(cells.p_error.sum()) + ROUNDING
        if max(missing, spare) > error:
            broken(
                "the cells of P must hold all of its mass",
                loss=show(side),
                edges=f"{edges.size} from {edges[0]:.6g} to {edges[-1]:.6g}",
                missing=f"{missing:.6g}",
                error_that_is_stated=f"{float(cells.p_error.sum()):.3g}",
                look_at=method(side, "cells"),
            )
        known = side.infinite_formula()
        if known is not None and not meet(known, cells.infinite):
            broken(
                "the cells must hold the mass that is infinite as the formula says it",
                loss=show(side),
                by_the_formula=known,
                by_the_cells=cells.infinite,
                look_at=f"{method(side, 'infinite_formula')}, {method(side, 'cells')}",
            )
        _ratios(side, edges, cells)


def _ratios(loss: PrivacyLoss, edges: Floats, cells: Cells) -> None:
    """Between two edges P is between e^left and e^right times Q; the masses of Q come multiplied by e^left."""
    p, q = cells.p[1:], cells.q[1:]
    errors = cells.p_error[1:] + cells.q_error[1:]
    displaced = ROUNDING * (1.0 + np.abs(edges)) + cells.slack
    too_few = p - q * np.exp(-displaced) + errors + ROUNDING * p
    growth = np.append(np.diff(edges), np.inf) + 2.0 * displaced
    with np.errstate(over="ignore", invalid="ignore"):
        # The last cell has no right edge, and says nothing where Q has no mass.
        most = np.where(np.isfinite(growth), (q + errors) * np.exp(np.minimum(growth, _FAR)), np.inf)
    too_many = most + errors + ROUNDING * p - p
    for name, room in (("less than e^left", too_few), ("more than e^right", too_many)):
        if float(room.min()) < 0.0:
            place = int(room.argmin())
            right = "infinity" if place == edges.size - 1 else f"{edges[place + 1]:.6g}"
            broken(
                f"in a cell P must not be {name} times Q",
                loss=show(loss),
                cell=f"from {edges[place]:.6g} to {right}",
                mass_of_P=f"{p[place]:.9g}",
                mass_of_Q_times_e_to_the_left=f"{q[place]:.9g}",
                look_at=method(loss, "cells"),
            )


def cells_tell_delta(loss: PrivacyLoss) -> None:
    """At an edge the masses beyond it tell delta exactly, which is what the formula says there."""
    for side in sides_of(loss):
        edges = _edges(side)
        round_ones = {float(point) for point in epsilons(side)}.intersection(edges[1:-1].tolist())
        cells, inside = cells_of(side, edges), round_ones.union(edges[1:-1:8].tolist())
        if cells is None or not has_formula(side):
            continue
        for edge in sorted(inside):
            found, stated = _delta_beyond(cells, edges, edge), side.delta_formula(edge)
            if stated is not None and (found.lower > stated.upper or stated.lower > found.upper):
                gap = max(found.lower - stated.upper, stated.lower - found.upper)
                broken(
                    "the masses in the cells must tell the delta of the formula",
                    loss=show(side),
                    at_epsilon=repr(edge),
                    by_the_formula=stated.shown(12),
                    by_the_cells=found.shown(12),
                    apart_by=f"{gap:.3g}",
                    look_at=f"{method(side, 'cells')}, {method(side, 'delta_formula')}",
                )


def _delta_beyond(cells: Cells, edges: Floats, edge: float) -> Interval:
    """The sum of p - e^epsilon q over the cells beyond an edge, and what is infinite."""
    beyond = edges >= edge
    p, q, shrink = cells.p[1:][beyond], cells.q[1:][beyond], np.exp(edge - edges[beyond])
    found = float((p - shrink * q).sum())
    displaced = ROUNDING * (1.0 + abs(edge)) + cells.slack
    error = float((cells.p_error[1:][beyond] + shrink * cells.q_error[1:][beyond]).sum()) + displaced + ROUNDING
    return Interval(found - error + cells.infinite.lower, found + error + cells.infinite.upper)


def moments_agree(loss: PrivacyLoss) -> None:
    """Moments are those of the masses in the cells, and of delta, which may be known by a formula of its own."""
    moments_agree_with_cells(loss)
    moments_agree_with_delta(loss)


def moments_agree_with_cells(loss: PrivacyLoss) -> None:
    """E[e^(t L)] is at least what the left edges of the cells give, and at most what the right ones do."""
    for side in sides_of(loss):
        edges = _edges(side)
        cells = cells_of(side, edges)
        if cells is None or cells.infinite.upper > 0.0:
            continue
        top = side.supremum().upper
        displaced = ROUNDING * (1.0 + np.abs(edges)) + cells.slack
        for power in _POWERS:
            stated = side.log_moment_formula(power)
            if stated is None:
                continue
            low = _log_sum(cells.p[1:] - cells.p_error[1:], power * (edges - displaced))
            right = np.append(edges + displaced, top)
            high = _log_sum(cells.p + cells.p_error, power * right) if top < math.inf else math.inf
            _require_moment(side, power, stated, (low, high), "the cells")


def moments_agree_with_delta(loss: PrivacyLoss) -> None:
    """E[e^(t L)] - 1 is t (t + 1) times the integral of e^(t x) delta(x) + e^(-(t + 1) x) delta of the reverse over x > 0.

    Both fall in x, so that sums over many places enclose the integral. Where losses are not bounded, only from below; and
    where the ends of readings are taken from two losses, moments are at least those of the one below.
    """
    for side in sides_of(loss):
        _require_integral(side, side)
    if loss.bracketed() and loss.precision is None:
        _require_integral(loss, loss.dominated())


def _require_integral(loss: PrivacyLoss, pair: PrivacyLoss) -> None:
    back = pair.reverse()
    suprema = [side.supremum().upper for side in (pair, back)]
    top = max(pair.window(-40.0)[1], *(most for most in suprema if most < _FAR), 0.0)
    if not has_formula(pair) or not has_formula(back) or not 0.0 < top < _FAR:
        return
    bounded = pair is loss and max(suprema) <= top
    points = np.linspace(0.0, top, _POINTS + 1)
    there = _deltas(pair, points)
    backward = there if back is pair else _deltas(back, points)
    for power in _POWERS:
        stated = loss.log_moment_formula(power)
        if stated is None:
            continue
        sums = []
        for end, kept in ((0, slice(1, None)), (1, slice(None, -1))):
            total = _log_integral(points, power, there[end][kept])
            total = np.logaddexp(total, _log_integral(points, -power - 1.0, backward[end][kept]))
            sums.append(_log1p_exp(float(total) + math.log(power * (power + 1.0))))
        _require_moment(loss, power, stated, (sums[0], sums[1] if bounded else math.inf), "delta")


def _require_moment(loss: PrivacyLoss, power: float, stated: Interval, found: tuple[float, float], source: str) -> None:
    doubt = 1e-9 * (1.0 + abs(stated.upper if math.isfinite(stated.upper) else 0.0))
    if found[0] * (1.0 - 1e-9) > stated.upper + doubt * min(1.0, found[0]):
        words, bound = "too small", f"at least {found[0]:.6g}"
    elif stated.lower > found[1] * (1.0 + 1e-9) + doubt * min(1.0, stated.lower):
        words, bound = "too large", f"at most {found[1]:.6g}"
    else:
        return
    broken(
        f"a log moment is {words}",
        loss=show(loss),
        order=f"{1.0 + power:.6g}",
        log_moment=stated,
        **{f"by_{source.replace(' ', '_')}": bound},
        look_at=method(loss, "log_moment_formula"),
    )


def sides_of(loss: PrivacyLoss) -> Iterator[PrivacyLoss]:
    """The losses that ends are taken from, each with cells of its own; the parts of what is composed."""
    if loss.precision is not None:
        for part, _ in loss.taken_apart():
            yield from sides_of(part)
    elif loss.bracketed():
        for end in (loss.dominating(), loss.dominated()):
            if end is not loss:
                yield from sides_of(end)
    else:
        yield loss
        if loss.reverse() is not loss:
            yield loss.reverse()


def _edges(loss: PrivacyLoss) -> Floats:
    """Edges over all of the loss, round ones among them."""
    low, high = loss.window(-40.0)
    low, high = max(low, -_FAR), min(high, _FAR)
    if not low < high:
        low, high = low - 1.0, high + 1.0
    room = 0.01 * (high - low)
    own = [float(point) for point in epsilons(loss) if low < point < high]
    return np.unique(np.append(np.linspace(low - room, high + room, _EDGES), own))


def cells_of(loss: PrivacyLoss, edges: Floats) -> Cells | None:
    """The cells of a loss, None where they need too much memory."""
    try:
        return loss.cells(edges)
    except GridTooLarge:
        return None


def _log_sum(masses: Floats, exponents: Floats) -> float:
    kept = masses > 0.0
    if not kept.any():
        return -math.inf
    terms = np.log(masses[kept]) + exponents[kept]
    most = float(terms.max())
    return most + math.log(float(np.exp(terms - most).sum())) if math.isfinite(most) else most


def _deltas(loss: PrivacyLoss, points: Floats) -> tuple[Floats, Floats]:
    found = [loss.delta_formula(float(point)) or Interval(0.0, 1.0) for point in points]
    return np.array([max(value.lower, 0.0) for value in found]), np.array([value.upper for value in found])


def _log_integral(points: Floats, rate: float, values: Floats) -> float:
    """The logarithm of the integral of e^(rate x) times a step function."""
    left, right = points[:-1], points[1:]
    weights = np.log(np.abs(np.expm1(-abs(rate) * (right - left))) / abs(rate)) + rate * (right if rate > 0.0 else left)
    return _log_sum(values, weights)


def _log1p_exp(value: float) -> float:
    return value if value > 40.0 else math.log1p(math.exp(value))
