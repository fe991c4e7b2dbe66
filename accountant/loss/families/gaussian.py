"""The loss of Gaussian noise: normal with mean mu^2/2 and variance mu^2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from attrs import field, frozen

from accountant.fields import above, exact
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import (
    TINY,
    Ball,
    Balls,
    exp,
    expm1,
    lowered,
    normal_chance,
    normal_density,
    raised,
    scaled_tail,
    sqrt,
    tails_by_density,
    times_exp,
)

# Beyond these, doubles run out: the loss is read from the nearest loss on either side that they can hold.
_LEAST, _MOST = Fraction(1, 10**200), Fraction(10**200)
# Nodes of Gauss and Legendre on (0, 1), and their weights on (-1, 1), known up to two roundings of 1.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_NODES = 0.5 * (_NODES + 1.0)
_FAR = 1e6
_BLOCK = 4096
_HALF_WEIGHTS, _BACK = 0.5 * _WEIGHTS, -_NODES
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


@frozen
class GaussianLoss(PrivacyLoss):
    """The loss of N(mu, 1) against N(0, 1), known by mu^2.

    Guarantee: composing adds mu^2 exactly.
    """

    mu_squared: Fraction = field(converter=exact, validator=above(0))

    def __str__(self) -> str:
        return f"Gaussian noise with mu^2 = {plain(self.mu_squared)}"

    @cached_property
    def _root(self) -> Ball:
        """mu; of thousands of losses that are added up most are never asked for it."""
        return _clamped_root(self.mu_squared)

    @cached_property
    def _half(self) -> Ball:
        return 0.5 * self._root

    @cached_property
    def _held(self) -> bool:
        """Whether doubles can hold the loss itself."""
        return _holds(self.mu_squared)

    @property
    def _mu(self) -> float:
        return self._root.middle

    def reverse(self) -> PrivacyLoss:
        return self

    def dominating(self) -> PrivacyLoss:
        if self._held:
            return self
        from accountant.loss.families.finite import TOTAL_LOSS

        return GaussianLoss(_LEAST) if self.mu_squared < _LEAST else TOTAL_LOSS

    def dominated(self) -> PrivacyLoss:
        if self._held:
            return self
        from accountant.loss.families.finite import NO_LOSS

        return GaussianLoss(_MOST) if self.mu_squared > _MOST else NO_LOSS

    def window(self, log_tail: float) -> tuple[float, float]:
        mu = self._mu
        reach = mu * math.sqrt(2.0 * max(1.0, -log_tail))
        return 0.5 * mu * mu - reach, 0.5 * mu * mu + reach

    def anchor(self) -> float:
        return 0.5 * self._mu**2

    def delta_formula(self, epsilon: float) -> Interval:
        """phi(a) (R(a) - R(b)) with a = epsilon/mu - mu/2, b = a + mu and R the Mills ratio.

        Where a or b is negative, its own tail takes the place of phi(a) R.
        """
        if not self._held:
            return Interval(self.dominated().delta(epsilon).lower, self.dominating().delta(epsilon).upper)
        place, half = Ball(epsilon) / self._root, self._half
        a, b = place - half, place + half
        if a.lower > 40.0:
            return Interval(0.0, TINY)
        if b.upper < -40.0:
            # Q's mass of losses above epsilon is within e^-800 of 1.
            return (-expm1(Ball(epsilon))).widened(TINY).interval(0.0, 1.0)
        if not a.radius < 2.0**-8:
            return Interval((-expm1(Ball(min(epsilon, 0.0)))).interval(0.0, 1.0).lower, 1.0)
        density = normal_density(a)
        if a.middle > 0.0:
            return (density * (scaled_tail(a) - scaled_tail(b))).interval(0.0, 1.0)
        second = density * scaled_tail(b) if b.middle > 0.0 else exp(Ball(epsilon)) * normal_chance(-b)
        return (normal_chance(-a) - second).interval(0.0, 1.0)

    def infinite_formula(self) -> Interval:
        return Interval.of(0)

    def analytic(self) -> type[Moments] | None:
        return GaussianMoments if self._held else None

    def log_moment_formula(self, order: float) -> Interval:
        number = Fraction(order)
        return Interval.of(number * (number + 1) * self.mu_squared / 2)

    def supremum_formula(self) -> Interval:
        return Interval.infinite()

    def concentration_formula(self) -> Interval:
        return Interval.of(self.mu_squared / 2)

    def cells(self, edges: Floats) -> Cells:
        mu = self._root
        places, half = edges / mu.middle, self._half.middle
        # A quotient and a difference; mu is known up to two roundoffs.
        z = Balls.rounded(places - half, 5.0, np.abs(places) + half)
        if float(np.abs(z.middle).max()) > _FAR:
            # So far out, all that matters is on which side.
            near = np.abs(z.middle) - z.radii <= _FAR
            z = Balls(np.clip(z.middle, -_FAR, _FAR), np.where(near, z.radii, 0.0))
        shifted = z + mu
        density, own, other = tails_by_density(z, z, shifted)
        p = _between(z.middle, own, None, edges)
        # e^(edge) phi(z + mu) = phi(z): Q's tails in units of P's density at the same edge.
        q = _between(shifted.middle, other, Balls.rounded(edges[:-1] - edges[1:]), edges)
        gap = p - q
        # A narrow cell is integrated instead: nothing cancels.
        sizes, steps = np.abs(z.middle), z.middle[1:] - z.middle[:-1]
        reach = np.maximum(sizes[:-1], sizes[1:]) + (mu.middle + 1.0)
        narrow = np.flatnonzero((reach * steps <= 0.5) & (steps > 0.0))
        # In blocks that stay in the processor's cache.
        for start in range(0, narrow.size, _BLOCK):
            some = narrow[start : start + _BLOCK]
            inner = some + 1
            widths = (edges[inner] - edges[some]) / mu.middle
            masses, lacks = _integrated(z[some], density[some], widths, mu, reach[some])
            for cells, found in ((p, masses), (q, masses - lacks), (gap, lacks)):
                cells.middle[inner], cells.radii[inner] = found.middle, found.radius
        return Cells(p.middle, q.middle, p.radii, q.radii, Interval.of(0), gap.middle, gap.radii)


@frozen(eq=False)
class GaussianMoments(Moments):
    """Log moments mu^2 z (z + 1)/2."""

    squares: Floats

    @classmethod
    def of(cls, losses: Sequence[GaussianLoss]) -> Self:
        return cls(np.array([float(loss.mu_squared) for loss in losses]))

    @property
    def work(self) -> int:
        return self.squares.size

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        # Squares are rounded once, complex products by less than three roundoffs: eight in all.
        found = Balls.rounded(np.outer(0.5 * self.squares, points * (points + 1.0)), 8.0)
        return found.middle, found.radii

    def deviations(self, tilt: float) -> Floats:
        # The square is rounded once, which counts half, and the root once.
        return raised(np.sqrt(self.squares), 2.0)

    def falls(self, tilt: float, height: float) -> Floats:
        # The square and three products round.
        return -lowered(0.5 * self.squares * height * height, 4.0)


def _clamped_root(square: Fraction) -> Ball:
    """mu, or the nearest that doubles can work with."""
    return sqrt(Ball.of(square if _holds(square) else min(max(square, _LEAST), _MOST)))


def _holds(square: Fraction) -> bool:
    """Whether doubles can hold a loss; mostly seen from the lengths of the numbers, because fractions are slow."""
    bits = square.numerator.bit_length() - square.denominator.bit_length()
    return -600 < bits < 600 or _LEAST <= square <= _MOST


def _between(z: Floats, tail: Balls, carry: Balls | None, edges: Floats) -> Balls:
    """Masses between edges, each cell taken from the smaller tails at its ends.

    `tail` is the mass beyond each edge on z's own side, in units of 1, or of e^edge if there is something to carry: the
    logarithms of what turns the unit of a cell's right edge into that of its left edge. At most one cell lies on both sides
    of 0.
    """
    front, back = tail[:-1], tail[1:] if carry is None else times_exp(tail[1:], carry)
    between = front - back
    middle, radius = np.empty(z.size + 1), np.empty(z.size + 1)
    middle[1:-1], radius[1:-1] = between.middle, between.radius
    turned = int(z.searchsorted(0.0, side="right"))
    np.negative(middle[1:turned], out=middle[1:turned])

    def whole(place: int) -> Ball:
        return Ball(1.0) if carry is None else exp(Ball(min(float(edges[place]), 700.0)))

    def put(place: int, found: Ball) -> None:
        middle[place], radius[place] = found.middle, found.radius

    around = int(z.searchsorted(0.0)) - 1
    if 0 <= around < z.size - 1 and z[around] < 0.0 < z[around + 1]:
        put(around + 1, whole(around) - front.entry(around) - back.entry(around))
    put(0, tail.entry(0) if z[0] < 0.0 else whole(0) - tail.entry(0))
    put(-1, tail.entry(-1) if z[-1] > 0.0 else whole(-1) - tail.entry(-1))
    # What leaves the range of doubles is charged.
    return Balls(np.maximum(middle, 0.0, out=middle), radius).widened(1e-300)


def _integrated(left: Balls, density: Balls, width: Floats, mu: Ball, reach: Floats) -> tuple[Balls, Balls]:
    """Masses of narrow cells under P, and what Q's lack to them, by five nodes of Gauss and Legendre.

    Definition: integrals over d from 0 to `width` of phi(left + d) and of phi(left + d) (1 - e^(-mu d)). With h the
    width and r >= |z| + mu + 1 on the cell, h r <= 1/2, the rule errs by at most 3.95e-13 h^11 times the largest tenth
    derivative. Those of phi are phi times Hermite polynomials, |He_m(z)| <= K_m r^m with K_10 = 945, and phi varies by
    e^(1/2) at most: a share of 6.2e-10 (h r)^10 of the first integral. For the second, Leibniz' rule with K_9, ..., K_0
    at most 45, 105, 7, 15, 2, 3, 1, 1, 1, 1 bounds the derivative by 11000 mu r^9 phi, and the integral is at least
    0.415 mu h^2 phi: a share of 1.8e-8 (h r)^9.

    The sums over nodes have positive terms only, and exponents d (left + d/2) of at most 1/2: functions, nodes and weights
    round the first by less than 32 of its roundoffs and the second by less than 64. Widths are known up to four of their
    roundoffs: a difference, a quotient, and mu, known up to two. They count as factors and in the distances of nodes. With
    three products and the root of 2 pi that makes less than 64, and less than 96. The error of `left` moves both by at most
    twice h times as much.
    """
    back = _BACK[:, None] * width
    masses = -0.5 * back
    masses += left.middle
    masses *= back
    np.exp(masses, out=masses)
    masses *= _HALF_WEIGHTS[:, None]
    first = masses.sum(axis=0)
    back *= mu.middle
    np.expm1(back, out=back)
    masses *= back
    second = -masses.sum(axis=0)
    scale = width / _ROOT_TWO_PI
    square = np.square(reach * width)
    share, moved = np.square(np.square(square)), left.radius * width * 2.1
    found = []
    for sums, times, left_out in ((first, 64.0, 7e-10 * share * square), (second, 96.0, 2e-8 * share * np.sqrt(square))):
        factor = scale * sums
        values = density.middle * factor
        doubt = density.radius * factor
        doubt += values * (left_out + moved)
        found.append(Balls.rounded(values, times).widened(raised(doubt, 64.0)))
    return found[0], found[1]
