"""The smallest mu of Gaussian differential privacy that a loss satisfies.

Tests of a mechanism reach points (level, power). The mechanism satisfies mu exactly when every such point lies under the
curve of Gaussian noise, power = Phi(mu - z(level)) with z the upper normal quantile: when z(level) - z(power) <= mu.

From above: each y >= 1 gives the line power <= delta(log y) + y level, in both directions. The curve is concave, so if
all corners between neighbouring lines lie under it, so does everything under the lines. Two ends are left.

- A finite supremum s gives the line power <= e^s level, which passes through the origin.
- Where all but Gaussian noise of mu loses at most s, power <= e^s Phi(mu - z(level)).
- Otherwise let every Renyi divergence of order a be at most a rho. The points reached then satisfy
  sqrt(2 log 1/level) - sqrt(2 log 1/power) <= sqrt(2 rho), and where power has the quantile z > 0, this implies
  z(level) - z(power) <= sqrt(2 rho) (1 + log(sqrt(2 pi) (z + 1/z))/z^2).

From below: mu satisfies delta_mu(epsilon) >= delta(epsilon) at every epsilon, and mu^2 >= 2 rho. The proofs are in the
documentation, explanation/tests-and-tails.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

from accountant import GridTooLarge, Interval
from accountant.loss import (
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    RivalledLoss,
    directions,
    enclosed,
    sides,
)
from accountant.numbers import larger
from accountant.numbers.rounding import Ball, sqrt
from accountant_fdp.corners import Corners
from accountant_fdp.cuts import factor_of, quantile_gap
from accountant_fdp.mu_search import Search, enough, highest
from accountant_fdp.normal import root, tail_quantile
from accountant_fdp.rare_tests import LARGEST, rare_tests

_CLOSE = 1.02

_TESTS = (1e-5, 0.05, 0.1, 0.3, 0.4)
"""Levels of tests for which a single claim is tried to be as bad as it may be."""


@lru_cache(maxsize=1024)
def smallest_mu(loss: PrivacyLoss) -> Interval:
    """The smallest mu that the loss satisfies; both directions have the same.

    Guarantee: the interval contains it; the upper end is infinite where no bound is known.
    """
    if isinstance(loss, GaussianLoss):
        return root(loss.mu_squared)
    if sides(loss) != (loss, loss):
        return _bracketed(loss)
    if loss.infinite().lower > 0.0 or loss.reverse().infinite().lower > 0.0:
        return Interval.infinite()
    if isinstance(loss, FiniteLoss):
        return _exact_corners(loss)
    ways = directions(loss)
    upper = min(_pure_bound(ways), _sum_bound(loss), _whole_bound(loss))
    lower = max(_least(way.concentration().lower) for way in ways)
    if upper <= enough(loss) * lower:
        return Interval(min(lower, upper), upper)
    counted = _counted(loss)
    if counted is not None:
        lower, upper = max(lower, counted.lower), min(upper, counted.upper)
        if upper <= enough(loss) * lower:
            return Interval(min(lower, upper), upper)
    found = 0.0
    for way in ways:
        try:
            search = Search.of(way, lower, upper)
        except GridTooLarge:
            return Interval(min(lower, upper), upper)
        lower, found = max(lower, search.lower), max(found, search.upper)
    upper = min(upper, found)
    return Interval(min(upper, lower), upper)


@lru_cache(maxsize=1024)
def _least_mu(loss: PrivacyLoss) -> Interval:
    """From below alone. Where deltas are slow to read, a few of them say nearly as much as a search would."""
    if loss.precision is None or isinstance(loss, GaussianLoss) or sides(loss) != (loss, loss):
        return smallest_mu(loss)
    if loss.infinite().lower > 0.0 or loss.reverse().infinite().lower > 0.0:
        return Interval.infinite()
    lower, ways = 0.0, directions(loss)
    for way in ways:
        lower = max(lower, _least(way.concentration().lower))
    if _known_mu(loss).upper <= _CLOSE * lower:
        return Interval(lower, math.inf)
    try:
        for way in ways:
            lower = highest(way, lower)
    except GridTooLarge:
        pass
    return Interval(lower, math.inf)


def _bracketed(loss: PrivacyLoss) -> Interval:
    """Each end from its own side; but what dominates may have a tail that the loss itself cannot have."""
    found = enclosed(smallest_mu, loss, *(_TESTS if loss.precision is None else ()), least=_least_mu)
    if found.upper < math.inf or loss.infinite().lower > 0.0:
        return found
    alone, plain = loss.precision is None, loss.alone() if isinstance(loss, RivalledLoss) else loss
    upper = max(Search.of(way).upper for way in {plain, plain.reverse()}) if alone else _sum_bound(loss)
    return Interval(min(found.lower, upper), upper)


def _exact_corners(loss: FiniteLoss) -> Interval:
    """On finitely many outcomes the points reached are a polygon: its largest gap of quantiles is mu itself."""
    steps = itertools.accumulate(loss.atoms, lambda total, atom: (total[0] + atom[0], total[1] + atom[1]))
    return larger([Interval.of(0), *(quantile_gap(level, power) for power, level in steps if level < 1)])


def _counted(loss: PrivacyLoss) -> Interval | None:
    """The same where all values are known up to rounding. Tests that are rarer than doubles tell are bounded by moments."""
    back = loss.reverse()
    if not isinstance(loss, ComposedLoss) or not isinstance(back, ComposedLoss):
        return None
    if loss.enumerated is None or back.enumerated is None:
        return None
    corners = Corners.of(loss.enumerated.atoms, back.enumerated.atoms)
    if corners is None:
        return None
    ends = [(loss, corners.power), (back, corners.kept)]
    beyond = [rare_tests(way, power) for way, power in ends if power is not None]
    return Interval(corners.mu.lower, max([corners.mu.upper, *beyond]))


def _pure_bound(ways: list[PrivacyLoss]) -> float:
    """The mu of randomised response with the largest loss, which dominates."""
    largest = max(way.supremum().upper for way in ways)
    if largest > LARGEST:
        return math.inf
    return 2.0 * tail_quantile(1 / (1 + factor_of(largest))).upper


def _sum_bound(loss: PrivacyLoss) -> float:
    """Squares of mu add up over the parts of a composition."""
    if loss.precision is None:
        return math.inf
    # A part that is slow to read costs as much as the whole, and its own search hardly narrows the sum.
    parts = [
        ((smallest_mu if part.precision is None else _known_mu)(part).upper, count) for part, count in loss.taken_apart()
    ]
    if any(math.isinf(mu) for mu, _ in parts):
        return math.inf
    return root(sum((Fraction(mu) ** 2 * count for mu, count in parts), Fraction(0))).upper


def _known_mu(loss: PrivacyLoss) -> Interval:
    """From above, by what is known without a search."""
    above, _ = sides(loss)
    apart = _sum_bound(above) if above.taken_apart() != ((above, 1),) else math.inf
    return Interval(0.0, min(_pure_bound([above, above.reverse()]), _whole_bound(above), apart))


def _whole_bound(loss: PrivacyLoss) -> float:
    """The mu of the same release on all records, which dominates, where that is Gaussian noise."""
    whole = loss.unsampled()
    return root(whole.mu_squared).upper if isinstance(whole, GaussianLoss) else math.inf


def _least(rho: float) -> float:
    """sqrt(2 rho), rounded down."""
    return max(0.0, sqrt(Ball(rho) * 2.0).lower) if 0.0 < rho < math.inf else rho
