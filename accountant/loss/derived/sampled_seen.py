"""Gaussian noise on a Poisson sample where the record is seen: the part of the law with outcomes that stand out.

Every outcome x counts as seen with chance s(x) = Phi((x - place)/width), so that the law is the sum of a seen and an unseen
part. The moment of the seen part is the integral of s a^(1 + z) beside the normal density. Off the real line |Phi(x + i y)|
is at most e^(y^2/2) Phi(x), since Phi is the integral of the normal density along a line; so both the quadrature and the
path that is moved (sampled_path.py) have their bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import field, frozen

from accountant.loss.derived.sampled_path import MovedPaths
from accountant.loss.derived.sampled_rule import DEGREE, Densities, Panels, outcomes
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.numbers.rounding import (
    Ball,
    Balls,
    dot,
    exp,
    expm1,
    log1p,
    log_normal_chance,
    normal_chance,
    normal_density,
    scaled_tail,
    total,
    where,
)

_SHARE = 30.0
"""Natural logarithm of how small the error of the quadrature shall be beside the seen part."""
_ACCURACY = 45.0
"""Natural logarithm of how small that of the unseen part shall be."""
_SHIFTS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.4)
_STEEPEST = 1.5
_ROUNDS = 8
_BLOCK = 2**18
_CONSTANT = math.log(2.0 * 64.0 / 15.0 / math.sqrt(2.0 * math.pi))


@frozen(eq=False)
class SeenPart:
    """The seen part of one loss, given by where and how softly it begins."""

    laws: Densities
    ends: tuple[float, float]
    place: float
    width: float
    panels: Callable[[float, float], Panels]
    """Panels for all heights up to one, so much finer than usual."""
    paths: Callable[[float], MovedPaths]
    """The whole law at a tilt, cell by cell."""
    _weights: dict[tuple[float, float], _Weights] = field(factory=dict, init=False)

    def moments(self, tilt: float, heights: Floats) -> Balls:
        """The moments of the seen part at several heights."""
        found, radii = np.empty(heights.shape, dtype=np.complex128), np.empty(heights.shape)
        scale = np.ceil(0.5 * np.log2(np.maximum(np.abs(heights), 1.0)))
        for power in sorted(set(scale.tolist())):
            here = np.flatnonzero(scale == power)
            top = 2.0 ** math.ceil(math.log2(max(float(np.max(np.abs(heights[here]))), 1.0)))
            if (tilt, top) not in self._weights:
                self._weights.clear()
                self._weights[tilt, top] = self._weighted(tilt, top)
            found[here], radii[here] = self._weights[tilt, top].sums(heights[here])
        return Balls(found, radii)

    def chances(self, x: Floats, *, seen: bool = True) -> Balls:
        """The chance with which outcomes count as seen, or as unseen."""
        away = x - self.place if seen else self.place - x
        z = Balls.rounded(away / self.width, 8.0, (np.abs(x) + abs(self.place)) / self.width)
        above, below = z.at_least(0.0), (-z).at_least(0.0)
        return where(z.middle > 0.0, normal_chance(above), scaled_tail(below) * normal_density(below))

    def _weighted(self, tilt: float, height: float) -> _Weights:
        finer = 1.0
        for _ in range(_ROUNDS):
            panels = self.panels(height, finer)
            x = outcomes(panels.edges)
            exponents = panels.at.front(tilt) - panels.square
            if float(np.max(exponents)) > 600.0:
                break
            # Exponents are off by what the logarithms of both densities are, 1 + tilt times, and by that of the square;
            # a function, a product and the spread by less than 32 roundings.
            first, second = panels.doubts
            doubt = 4.0 * ((1.0 + tilt) * first + tilt * second) + 8.0 * panels.square + 64.0
            weights = Balls.rounded(panels.spread * np.exp(exponents), 1.0, panels.spread * np.exp(exponents) * doubt)
            weights = weights * self.chances(x)
            whole, error = float(weights.middle.sum()), self._log_error(panels, tilt, height)
            if whole > 0.0 and error <= math.log(whole) - _SHARE:
                doubts = exp(Ball(error)) + total(weights).radius
                return _Weights(panels.at.losses, weights.middle, first + second, doubts.upper)
            finer *= 1.3
        raise OverflowError("the part of a sampled loss that is seen is too small, or its moment too large")

    def _log_error(self, panels: Panels, tilt: float, height: float, *, seen: bool = True) -> float:
        """The logarithm of a bound on the error of the panels, as for the whole law, with what s can be on the ellipses.

        From the moment of the unseen part 1 is taken away.
        """
        if not panels.stretches.size:
            return math.inf
        half, stretches = 0.5 * np.diff(panels.edges), panels.stretches[:, None]
        long, short = 0.5 * half * (stretches + 1.0 / stretches), 0.5 * half * (stretches - 1.0 / stretches)
        middle = panels.edges[:-1] + half
        away = (middle + long - self.place if seen else self.place - middle + long) / self.width
        chance = log_normal_chance(Balls(np.minimum(away, 9.0))).upper * (away < 9.0) + 0.5 * (short / self.width) ** 2
        # The second law is that of no record: on the ellipses b is 1.
        most_a, _, turn_a = panels.sizes[0]
        size = chance + (1.0 + tilt) * most_a + height * turn_a
        size = panels.log_plain + (size if seen else np.maximum(size, 0.0) + math.log(2.0))
        most = size.max(axis=1)
        totals = most + np.log(np.exp(size - most[:, None]).sum(axis=1))
        falls = 2.0 * DEGREE * np.log(panels.stretches) + np.log1p(-(panels.stretches**-2.0))
        found = float(np.min(totals - falls)) + _CONSTANT
        scale = (1.0 + 2.0 * tilt + height) * (8.0 + panels.reach) + float(np.max(np.abs(chance))) + DEGREE + abs(found)
        return Ball.rounded(found, 64.0, scale).upper

    def fall(self, tilt: float, height: float) -> float:
        """A bound on the size of the seen part's moment from a height on, in units of that of the whole at the tilt."""
        paths = self.paths(tilt)
        seen = (Balls(self.chances(paths.edges[1:]).upper) * paths.most).upper
        first = self.chances(paths.edges[:1]).upper[0]
        found = math.inf
        for shift in _SHIFTS:
            if shift * paths.move > _STEEPEST:
                break
            drop = paths.drop(height, paths.shares, math.sin(paths.move * shift))
            along = dot(seen, exp(Balls(-drop)))
            ends = Ball(float(first)) * paths.first * shift + paths.back(height, shift)
            growth = exp(Ball.rounded(0.5 * shift * shift, 4.0) * (1.0 + 1.0 / (Ball(self.width) * self.width)))
            found = min(found, ((ends + along) * growth).upper)
        return found

    def log_unseen(self, tilt: float) -> float:
        """An upper bound on the log moment of the unseen part at a real tilt."""
        finer = 1.0
        for _ in range(_ROUNDS):
            panels = self.panels(1.0, finer)
            error = self._log_error(panels, tilt, 1.0, seen=False)
            if error <= -_ACCURACY:
                most = self._unseen(panels, tilt) + exp(Ball(error)).upper
                return log1p(most.at_least(-0.999)).upper
            finer *= 1.3
        return math.inf

    def _unseen(self, panels: Panels, tilt: float) -> Ball:
        """What the moment of the unseen part exceeds 1 by; outcomes beyond the ends would only lower it."""
        x, (first, _) = outcomes(panels.edges), panels.doubts
        front = panels.at.front(tilt)
        exponents = Balls.rounded(front, 4.0, (1.0 + tilt) * first + np.abs(front))
        # What is far from 1 by the logarithm, so that nothing overflows that hardly ever counts.
        away = Balls.rounded((self.place - x) / self.width, 8.0, (np.abs(x) + abs(self.place)) / self.width)
        logs = exponents + log_normal_chance(away.at_most(9.0))
        if float(np.max(logs.middle)) > 600.0:
            return Ball(0.0, math.inf)
        small = expm1(exponents.at_most(1.0)) * self.chances(x, seen=False) - self.chances(x)
        gains = where(exponents.middle > 1.0, exp(logs) - 1.0, small)
        # The square rounds, its exponential is granted 8 roundings, and the spread and a product less than 32 more.
        plain = Balls.rounded(panels.plain, 1.0, panels.plain * (40.0 + 2.0 * panels.square))
        return dot(gains, plain)


@frozen(eq=False)
class _Weights:
    """Losses with their weights at a tilt, how far losses are off in roundoffs, and what all weights are off by."""

    losses: Floats
    weights: Floats
    doubt: Floats
    error: float

    def sums(self, heights: Floats) -> tuple[Complexes, Floats]:
        whole, size = float(self.weights.sum()), self.losses.size
        found = np.empty(heights.shape, dtype=np.complex128)
        block = max(1, _BLOCK // size)
        for start in range(0, heights.size, block):
            turns = heights[start : start + block, None] * self.losses[None, :]
            found[start : start + block] = np.cos(turns) @ self.weights + 1j * (np.sin(turns) @ self.weights)
        # Losses are off by their doubt and turns round; functions are granted 8 roundings, sums as many as there are terms.
        turned = np.abs(heights) * float(self.weights @ (self.doubt + np.abs(self.losses)))
        radii = Balls.rounded(found, 1.0, 2.0 * turned + 2.0 * (size + 16.0) * whole).widened(self.error)
        return found, radii.radii
