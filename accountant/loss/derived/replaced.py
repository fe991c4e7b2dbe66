"""The loss of a mechanism on a Poisson sample when one record is replaced by another.

On the other records that are taken, let the mechanism have the law N without that one, F with the first record and S
with the second. The sample makes it (1 - rate) N + rate F against (1 - rate) N + rate S. For every event A, x >= 1 and
s + t = rate,

    first(A) - x second(A) = s (F(A) - (c/s) N(A)) + t (F(A) - (d/t) S(A)),  c = (x - 1)(1 - rate), d = x rate,

so delta(log x) is at most s times delta(log c/s) of F against N, plus t times delta(log d/t) of F against S. The
records may be exchanged, so this holds in both orders. See docs/explanation/sampling.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from accountant.loss.derived.both_orders import both_orders
from accountant.loss.derived.discretised import flat_above, flat_below
from accountant.loss.derived.merged import MergedLoss
from accountant.loss.derived.replaced_gaussian import ExchangedGaussian
from accountant.loss.derived.replaced_line import LineOutcomes
from accountant.loss.derived.sampled import SampledLoss
from accountant.loss.engine.composition import ComposedLoss, compose
from accountant.loss.families.finite import NO_LOSS, TOTAL_LOSS, FiniteLoss
from accountant.loss.families.gaussian import GaussianLoss
from accountant.loss.families.linear_bounds import CutLoss
from accountant.loss.families.power_bounds import power_curve
from accountant.loss.families.two_sided import BracketLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import PrivacyLoss
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log1p

_CUTS = 1024
_LOG_TAIL = -60.0
_RARE = Fraction(1, 10**9)
"""At lower rates cuts can hardly be told apart: an absent record is then counted as a replaced one."""
_LEAST = Fraction(1, 10**290)
"""Rates that are closer to 0 or to 1 are replaced by higher ones, which lose more."""
_LEVELS = tuple(Fraction(1, 2**k) for k in (30, 20, 14, 10, 8, 6, 5, 4, 3, 2, 1))


@lru_cache(maxsize=128)
def replaced_in_sample(
    apart: PrivacyLoss, replaced: PrivacyLoss, rate: Fraction, attained: PrivacyLoss | None = None
) -> PrivacyLoss:
    """The loss on a sample that takes each record with a chance strictly between 0 and 1.

    `apart` is that of the mechanism with a record against without it, `replaced` that with one against with another. On
    samples of a fixed size another record takes the place of one that is not taken, so there both are the same.
    `attained` is the loss of laws that the release has, where the answer moves along a line: lower ends are taken from it.
    """
    replaced = both_orders(replaced)
    if replaced == NO_LOSS:
        return NO_LOSS
    if apart == replaced:
        # A record may as well be absent. Who publishes the sample itself loses in both orders at once.
        loss = both_orders(SampledLoss.of(replaced, rate))
        return loss.dominating() if replaced == TOTAL_LOSS else loss
    if isinstance(apart, GaussianLoss) and isinstance(replaced, GaussianLoss):
        # Two steps of Gaussian noise are twice as far and no farther.
        far = min(replaced.mu_squared, 4 * apart.mu_squared)
        if ExchangedGaussian.holds(apart.mu_squared, far, rate):
            line = both_orders(ExchangedGaussian(apart.mu_squared, far, rate))
            # Twice as far, the three means are on one line. Otherwise they need not be, as in a histogram, and the line is
            # the worst that can be.
            if attained is not None or far == 4 * apart.mu_squared:
                return line
            return _bracket(line, apart, replaced, rate)
    if isinstance(apart, FiniteLoss) and isinstance(replaced, FiniteLoss):
        above: PrivacyLoss = _finite_above(apart, replaced, rate)
    elif rate < _RARE and _dominates(replaced, apart):
        above = both_orders(SampledLoss.of(replaced, rate)).dominating()
    elif 1 - rate < _LEAST:
        above = replaced.dominating()
    else:
        above = _cut(apart, replaced, max(rate, _LEAST), _whole_line(attained))
    if attained is None:
        return _bracket(above, apart, replaced, rate)
    # Mixing both laws with the same third one lowers every Renyi divergence.
    return BracketLoss(above, attained, replaced.concentration().exact)


def _whole_line(attained: PrivacyLoss | None) -> LineOutcomes | None:
    """The line along which the answer moves, where it takes whole numbers only."""
    line = attained.source if isinstance(attained, MergedLoss) else None
    return line if isinstance(line, LineOutcomes) and line.noise.whole else None


def replaced_in_cells(apart: PrivacyLoss, rate: Fraction) -> PrivacyLoss:
    """The loss on a Poisson sample where the two records are counted in two cells, each with noise of its own.

    Under the first law a record may be in the first cell and none is in the second, under the other law it is the other way
    round: one cell loses a record and another gains one, independently. What else is taken moves both laws alike, so no
    other two laws are compared.
    """
    cell = SampledLoss.of(apart, rate)
    return compose([(cell, 1), (cell.reverse(), 1)])


def _bracket(above: PrivacyLoss, apart: PrivacyLoss, replaced: PrivacyLoss, rate: Fraction) -> PrivacyLoss:
    """From below by a mechanism that loses as much whether a record is absent or replaced."""
    return BracketLoss(above, SampledLoss.of(_common(apart, replaced), rate))


def _with_masses(loss: PrivacyLoss) -> PrivacyLoss:
    """A loss that dominates and is known by its masses."""
    above = loss.dominating()
    return flat_above(above) if isinstance(above, ComposedLoss) else above


# From above ---------------------------------------------------------------------------------------------------------------


def _cut(apart: PrivacyLoss, replaced: PrivacyLoss, rate: Fraction, line: LineOutcomes | None) -> CutLoss:
    """Cuts with the shares of tests that have one power against both: if one test is best against both, none are better.

    At given ratios c/s and d/t the shares add up to the rate at one x. That is rounded up, where they add up to more: what
    F(A) is then counted too often is not negative. On a line of whole numbers thresholds are such tests, and there are few.
    """
    chance, rest = Ball.of(rate), Ball.of(1 - rate)
    first, second = _with_masses(apart), _with_masses(replaced)
    near, far = _places(first, second, line)
    deltas = [(first.delta(a).upper, second.delta(b).upper) for a, b in zip(near.tolist(), far.tolist(), strict=True)]
    ends = apart.supremum().upper, replaced.supremum().upper
    if max(ends) < 600.0:
        near, far = np.append(near, ends[0]), np.append(far, ends[1])
        deltas.append((apart.infinite().upper, replaced.infinite().upper))
    s, t = exp(Balls(-near)) * rest, exp(Balls(-far)) * chance
    growth = Balls(np.maximum((-expm1(Balls(-far)) * chance / (s + t)).upper, 0.0))
    one, other = np.array(deltas).T
    sums = growth * s * one + (growth + 1.0) * t * other
    return CutLoss.through(log1p(growth).upper, np.minimum(sums.upper, 1.0))


def _places(first: PrivacyLoss, second: PrivacyLoss, line: LineOutcomes | None) -> tuple[Floats, Floats]:
    """Losses with as much beyond them; where all of a line is too far apart for thresholds, by the laws alone."""
    near, far = (np.empty(0), np.empty(0)) if line is None else line.thresholds()
    if far.size:
        return _few(near, far)
    far = np.linspace(0.0, second.window(_LOG_TAIL)[1], _CUTS)
    return _same_power(first, second, far), far


def _few(near: Floats, far: Floats) -> tuple[Floats, Floats]:
    """So many of them at most, in the order of the second, with its origin."""
    order = np.unique(far, return_index=True)[1]
    kept = order[np.unique(np.linspace(0, order.size - 1, _CUTS).astype(np.int64))] if order.size > _CUTS else order
    return np.append(near[order[:1]], near[kept]), np.append(0.0, far[kept])


def _same_power(apart: PrivacyLoss, replaced: PrivacyLoss, losses: Floats) -> Floats:
    """About the losses of `apart` beyond which it has as much of its first law as `replaced` has beyond these."""
    low, high = apart.window(_LOG_TAIL)
    if not low < high:
        return np.full(losses.size, low)
    edges = np.linspace(low, high, 4 * _CUTS)
    return np.interp(-_tails(replaced, losses), -_tails(apart, edges), edges)


def _tails(loss: PrivacyLoss, edges: Floats) -> Floats:
    cells = loss.cells(edges)
    tails: Floats = np.cumsum(cells.p[:0:-1])[::-1] + cells.infinite.upper
    return tails


def _finite_above(apart: FiniteLoss, replaced: FiniteLoss, rate: Fraction) -> FiniteLoss:
    """Exactly: tests of one power against both laws are made of one event."""
    near, far = _corners(apart), _corners(replaced)
    points, best = [], Fraction(-1)
    for power in sorted({power for _, power in (*near, *far)}):
        gain = power - _level(far, power)
        # From where x = 1 is best on, only x < 1 is better, and that is seen with the records exchanged.
        if gain <= best:
            break
        best, shared = gain, (1 - rate) * _level(near, power)
        points.append((shared + rate * _level(far, power), shared + rate * power))
    return power_curve(points)


def _corners(loss: FiniteLoss) -> list[tuple[Fraction, Fraction]]:
    """Level and power of the most powerful tests that toss no coin."""
    corners, level, power = [(Fraction(0), Fraction(0))], Fraction(0), Fraction(0)
    for p, q in loss.atoms:
        level, power = level + q, power + p
        corners.append((level, power))
    return corners


def _level(corners: list[tuple[Fraction, Fraction]], power: Fraction) -> Fraction:
    """The smallest level of a test with a power."""
    for (low, weak), (high, strong) in pairwise(corners):
        if weak <= power <= strong and weak < strong:
            return low + (high - low) * (power - weak) / (strong - weak)
    return corners[-1][0]


# From below ---------------------------------------------------------------------------------------------------------------


def _common(apart: PrivacyLoss, replaced: PrivacyLoss) -> PrivacyLoss:
    """A loss that both dominate: a mechanism that loses it whether a record is absent or replaced is attained."""
    replaced = replaced.dominated()
    if _dominates(replaced, apart):
        return apart
    if _dominates(apart, replaced):
        return replaced
    sides = [flat_below(side) if isinstance(side, ComposedLoss) else side for side in (apart.dominated(), replaced)]
    if any(side.reverse() is not side for side in sides):
        return NO_LOSS
    # The smaller of two concave powers is concave: what tests reach under both stays under both after mixing.
    points = []
    for level in _LEVELS:
        power = min(1 - Fraction(side.tradeoff(level).upper) for side in sides)
        points.append((level, max(power, level)))
    return power_curve(points)


def _dominates(high: PrivacyLoss, low: PrivacyLoss) -> bool:
    """Whether one loss surely dominates another; False where that is not plain to see."""
    if high == low:
        return True
    if isinstance(high, FiniteLoss) and isinstance(low, FiniteLoss):
        corners, others = _corners(high), _corners(low)
        return all(_level(corners, power) <= _level(others, power) for _, power in (*corners, *others))
    if isinstance(high, GaussianLoss) and isinstance(low, GaussianLoss):
        return high.mu_squared >= low.mu_squared
    counts = dict(high.taken_apart())
    return all(counts.get(part, 0) >= count for part, count in low.taken_apart())
