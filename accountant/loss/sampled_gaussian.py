"""Moments of Gaussian noise on a Poisson sample, off the real line, by quadrature with a proven error.

With x standard normal under Q, u = mu x - mu^2/2 and r = 1 - rate + rate e^u, the log moment of the loss is the logarithm
of E_Q[r^w], where w = 1 + z if the record may be present in the first law and w = -z if it is absent there. What r^w
exceeds 1 by is integrated, so that many copies of a small loss lose nothing. Outcomes beyond some `reach` are left out:
they hold next to none of the first law, but would let moments of high order explode.

The range is cut into panels with n Gauss-Legendre nodes each. A panel of half width c is integrated up to
(64/15) c M s^-2n/(1 - s^-2), M a bound on the size of the integrand on the ellipse with foci at the ends of the panel and
semi-axes c (s + 1/s)/2 and c (s - 1/s)/2 (Trefethen 2013, theorem 19.3). Where the shorter one stays below pi/(2 mu), |r|
lies between the norm of (1 - rate, rate e^u) and r at the real part, and the angle of r grows with x: values at the ends of
the ellipse bound M.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext

import numpy as np
from attrs import field, frozen

from accountant.interval import Interval
from accountant.loss.analytic import Complexes, log_of_moments, uniform_fall
from accountant.loss.base import ROUNDOFF, Floats

LARGEST_RULE = 2**13
_ACCURACY = 50.0
"""Natural logarithm of how small the error of the quadrature shall be beside the moment."""
_DEGREE = 32
_STRETCHES = np.array([1.7, 2.4, 3.4])
_CELLS = 1024
_PLACES = 97
_TURNS = 30.0
"""By how much the phase may move across a panel."""
_MOST_KNOWN = 64
_BLOCK = 2**18
_SQUARE_ROOT = math.sqrt(2.0 * math.pi)


def _legendre(degree: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre, correctly rounded or nearly so.

    The usual routines lose up to ten bits of the weights at the ends: each node is improved by Newton's method in long
    arithmetic, and its weight 2/((1 - x^2) P'(x)^2) taken from there.
    """
    nodes, weights = [], []
    with localcontext(Context(prec=40)):
        for start in np.polynomial.legendre.leggauss(degree)[0].tolist():
            x = Decimal(start)
            for _ in range(3):
                before, here = Decimal(1), x
                for k in range(2, degree + 1):
                    before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
                slope = degree * (x * here - before) / (x * x - 1)
                x -= here / slope
            nodes.append(float(x))
            weights.append(float(2 / ((1 - x * x) * slope * slope)))
    return np.array(nodes), np.array(weights)


_NODES, _WEIGHTS = _legendre(_DEGREE)


@frozen(eq=False)
class SampledGaussian:
    """One loss of Gaussian noise on a Poisson sample, for outcomes from -reach to reach, mu higher if a record is there."""

    mu: float
    rate: float
    rest: float
    swapped: bool
    reach: float
    _known: dict[bytes, tuple[Complexes, Floats]] = field(factory=dict, init=False)
    _shapes: dict[float, Shape] = field(factory=dict, init=False)

    @property
    def ends(self) -> tuple[float, float]:
        """Between which outcomes the law is kept."""
        return -self.reach, self.reach + (0.0 if self.swapped else self.mu)

    @property
    def lost(self) -> float:
        """A bound on the chance of all other outcomes."""
        return math.exp(-0.5 * self.reach**2) * (1.0 + 1e-6)

    def power(self, tilt: float) -> float:
        """The real part of w."""
        return -tilt if self.swapped else 1.0 + tilt

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        """As `Moments` asks, for one loss; an account asks again for the same points when a release is added to it."""
        key = points.tobytes()
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._log_moments(points)
        return self._known[key]

    def _log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        excess, error = np.empty(points.shape, dtype=np.complex128), np.empty(points.shape)
        for tilt in sorted({float(z.real) for z in points}):
            on_line = np.flatnonzero(points.real == tilt)
            # The farther up, the finer the panels: heights are taken together by powers of four.
            scale = np.ceil(0.5 * np.log2(np.maximum(np.abs(points.imag[on_line]), 1.0)))
            for power in sorted(set(scale.tolist())):
                here = on_line[scale == power]
                rule = _Rule.of(self, tilt, float(np.max(np.abs(points.imag[here]))))
                excess[here], error[here] = rule.sums(points.imag[here])
        return log_of_moments(excess, error)

    def whole_log_moment(self, tilt: float) -> Interval:
        """The log moment at a real tilt with all outcomes; the reach must go far beyond where the tilted law is."""
        low, high = self.ends
        power = self.power(tilt)
        rule = _Rule.of(self, tilt, 0.0)
        (excess,), (error,) = rule.sums(np.zeros(1))
        # Above the reach log r grows by mu at most, if it grows; below it r is at most 1, and nowhere below 1 - rate.
        logs, _ = self.log_ratio(np.array([high]))
        above = power * float(logs[0]) if power >= 0.0 else power * math.log(self.rest)
        below = max(0.0, power * math.log(self.rest))
        tails = math.exp(above - 0.5 * high * high) + math.exp(below - 0.5 * low * low)
        least, most = float(excess.real - error), float(excess.real + error) + tails
        doubt = 8 * ROUNDOFF
        return Interval(max(0.0, math.log1p(max(least, 0.0)) * (1.0 - doubt)), max(0.0, math.log1p(most) * (1.0 + doubt)))

    def log_ratio(self, x: Floats) -> tuple[Floats, Floats]:
        """log r, and the share rate e^u/r that the sampled record has in r."""
        u = self.mu * x - 0.5 * self.mu * self.mu
        growth = self.rate * np.exp(u)
        v = self.rate * np.expm1(u)
        near = np.abs(v) < 0.5
        logs = np.where(near, np.log1p(np.where(near, v, 0.0)), np.log(self.rest + growth))
        return logs, growth / (self.rest + growth)

    def shape(self, tilt: float) -> Shape:
        """What the law tilted by e^(tilt L) looks like."""
        if tilt not in self._shapes:
            self._shapes.clear()
            self._shapes[tilt] = self._shape(tilt)
        return self._shapes[tilt]

    def _shape(self, tilt: float) -> Shape:
        edges, power = np.linspace(*self.ends, _CELLS + 1), self.power(tilt)
        logs, _ = self.log_ratio(edges)
        u = self.mu * edges - 0.5 * self.mu * self.mu
        moments, errors = self.log_moments(np.array([complex(tilt)]))
        least, most = float(moments[0].real - errors[0]), float(moments[0].real + errors[0])
        near = -0.5 * np.square(np.maximum(np.maximum(edges[:-1], -edges[1:]), 0.0))
        far = -0.5 * np.square(np.maximum(np.abs(edges[:-1]), np.abs(edges[1:])))
        tops = near + np.maximum(power * logs[1:], power * logs[:-1]) - least
        chances = (edges[1] - edges[0]) / _SQUARE_ROOT * np.exp(tops)
        centre = float(chances @ (0.5 * (logs[1:] + logs[:-1]))) / float(chances.sum())
        farthest = np.maximum(np.abs(logs[1:] - centre), np.abs(logs[:-1] - centre))
        deviation = math.sqrt(float(chances @ np.square(farthest))) * (1.0 + 1e-9)
        # The density of the loss is phi r^(power + 1) e^-u over mu rate sqrt(2 pi) and the moment.
        scale = -math.log(self.rate * self.mu * _SQUARE_ROOT)
        ends = (power + 1.0) * logs[:-1], (power + 1.0) * logs[1:]
        densities = near + np.maximum(*ends) - u[:-1] + scale - least
        depths = far + np.minimum(*ends) - u[1:] + scale - most
        # Its logarithm has slope 0 where x + mu = mu (power + 1) share: a logistic curve meets a line at most three times,
        # and once where it is nowhere steeper. So there are at most two peaks, ends included, and it falls to 0 beyond.
        peaks = 1.0 if (power + 1.0) * self.mu**2 < 4.0 else 2.0
        variation = 2.0 * peaks * math.exp(min(float(np.max(densities)), 700.0)) * (1.0 + 1e-9)
        return Shape(deviation, variation, *_uniform_parts(logs, depths))


def _uniform_parts(logs: Floats, depths: Floats) -> tuple[Floats, Floats]:
    """Intervals of losses around the highest density, and masses that are uniform on them."""
    top = int(np.argmax(depths))
    lengths, masses = [], []
    for level in float(depths[top]) - np.linspace(0.1, 4.0, 14):
        low = np.flatnonzero(depths[:top] < level)
        high = np.flatnonzero(depths[top:] < level)
        first = int(low[-1]) + 1 if low.size else 0
        last = top + int(high[0]) if high.size else depths.size
        length = abs(float(logs[last] - logs[first]))
        lengths.append(length)
        masses.append(min(length * math.exp(min(level, 700.0)), 1.0))
    return np.array(lengths) * (1.0 - 1e-9), np.array(masses) * (1.0 - 1e-6)


@frozen(eq=False)
class Shape:
    """Bounds on a tilted loss: its standard deviation, the variation of its density, and parts of it that are uniform.

    By parts, the transform at height y is at most the variation over |y|.
    """

    deviation: float
    variation: float
    lengths: Floats
    masses: Floats

    def fall(self, height: float) -> float:
        """An upper bound on the logarithm of the size of the transform at all heights from this one on."""
        return min(float(np.min(uniform_fall(height, self.lengths, self.masses))), math.log(self.variation / height))


@frozen(eq=False)
class _Rule:
    """Nodes and weights at one tilt, with what all heights share."""

    logs: Floats
    weights: Floats
    excess: float
    excess_error: float
    sensitivity: float
    swapped: bool
    error: float

    @classmethod
    def of(cls, loss: SampledGaussian, tilt: float, height: float) -> _Rule:
        """The coarsest rule of the scale whose error is small enough at all heights up to the given one."""
        power, finer = loss.power(tilt), 1.0
        while True:
            edges = _edges(loss, height, finer)
            log_error, top = _log_error(loss, power, height, edges)
            if log_error <= max(top, 0.0) - _ACCURACY:
                break
            finer *= 1.3
        if top > 600.0:
            raise OverflowError("the moment of a sampled loss is too large")
        half = 0.5 * np.diff(edges)[:, None]
        x = (edges[:-1, None] + half * (1.0 + _NODES)).ravel()
        return cls._at(loss, power, x, (half * _WEIGHTS).ravel() / _SQUARE_ROOT, math.exp(log_error))

    @classmethod
    def _at(cls, loss: SampledGaussian, power: float, x: Floats, spread: Floats, error: float) -> _Rule:
        logs, share = loss.log_ratio(x)
        exponents, square = power * logs, 0.5 * x * x
        plain, weights = spread * np.exp(-square), spread * np.exp(exponents - square)
        small = np.abs(exponents) < 1.0
        rise = np.where(small, plain * np.expm1(np.where(small, exponents, 0.0)), weights - plain)
        # How far log r is off, in roundoffs: x, u and the rate are off by some, functions round, and away from 1 so does r.
        doubt = share * (2.0 * loss.mu * np.abs(x) + loss.mu**2 + 8.0) + 4.0 * np.abs(logs)
        doubt += np.where(np.abs(logs) > 0.4, 8.0, 0.0)
        moved = 4.0 * abs(power) * float(np.maximum(weights, plain) @ doubt)
        summed = (x.size + 64.0 + 8.0 * float(np.max(square))) * float(np.sum(np.abs(rise)))
        return cls(
            logs=logs,
            weights=weights,
            excess=float(np.sum(rise)),
            excess_error=ROUNDOFF * (moved + summed) + loss.lost,
            sensitivity=8.0 * ROUNDOFF * float(np.sum(doubt * weights * (1.0 + square))),
            swapped=loss.swapped,
            error=error,
        )

    def sums(self, heights: Floats) -> tuple[Complexes, Floats]:
        """E[r^w] - 1 at several heights, and bounds on the errors."""
        excess, error = np.empty(heights.shape, dtype=np.complex128), np.empty(heights.shape)
        block = max(1, _BLOCK // self.logs.size)
        for start in range(0, heights.size, block):
            some = heights[start : start + block]
            half = (-0.5 if self.swapped else 0.5) * some[:, None] * self.logs[None, :]
            sine, cosine = np.sin(half), np.cos(half)
            turned = sine * sine
            real = self.excess - 2.0 * (turned @ self.weights)
            imaginary = 2.0 * ((sine * cosine) @ self.weights)
            excess[start : start + block] = real + 1j * imaginary
            np.abs(sine, out=sine)
            sums = ROUNDOFF * (self.logs.size + 64.0) * 4.0 * (sine @ self.weights)
            error[start : start + block] = sums + self.sensitivity * np.abs(some)
        return excess, error + self.excess_error + self.error


def _edges(loss: SampledGaussian, height: float, finer: float) -> Floats:
    """Panels that are narrow where the integrand turns fast: its phase moves by height mu times the record's share."""
    places = np.linspace(*loss.ends, _PLACES)
    _, share = loss.log_ratio(places)
    wanted = finer * (0.5 * max(loss.mu, 0.5) + height * loss.mu * share / _TURNS)
    steps = 0.5 * (wanted[1:] + wanted[:-1]) * (places[1] - places[0])
    panels = np.concatenate([[0.0], np.cumsum(steps)])
    if not panels[-1] * _DEGREE < LARGEST_RULE:
        raise OverflowError("the height or the order is too large for a sampled loss")
    return np.interp(np.linspace(0.0, panels[-1], max(3, math.ceil(panels[-1]) + 1)), panels, places)


def _log_error(loss: SampledGaussian, power: float, height: float, edges: Floats) -> tuple[float, float]:
    """The logarithms of a bound on the error of the panels between edges, and of about the largest value between them."""
    half = 0.5 * np.diff(edges)
    middle = edges[:-1] + half
    logs, _ = loss.log_ratio(middle)
    top = float(np.max(power * logs - 0.5 * middle * middle))
    widest = loss.mu * float(half.max())
    stretches = _STRETCHES[widest * (_STRETCHES - 1.0 / _STRETCHES) <= math.pi][:, None]
    if not stretches.size:
        return math.inf, top
    long, short = 0.5 * half * (stretches + 1.0 / stretches), 0.5 * half * (stretches - 1.0 / stretches)
    left, right, angle = middle - long, middle + long, loss.mu * short
    growth = loss.rate * np.exp(loss.mu * right - 0.5 * loss.mu * loss.mu)
    size = np.log(loss.rest + growth)
    if power < 0.0:
        size = np.log(np.hypot(loss.rest, loss.rate * np.exp(loss.mu * left - 0.5 * loss.mu * loss.mu)))
    turn = np.arctan2(growth * np.sin(angle), loss.rest + growth * np.cos(angle))
    plain = 0.5 * short * short - 0.5 * np.square(np.maximum(np.maximum(left, -right), 0.0))
    # The integrand has 1 taken away, whose size on the ellipse is that of phi alone.
    largest = plain + np.maximum(power * size + height * turn, 0.0) + np.log(half)
    most = largest.max(axis=1)
    totals = most + np.log(np.exp(largest - most[:, None]).sum(axis=1))
    falls = 2.0 * _DEGREE * np.log(stretches[:, 0]) + np.log1p(-(stretches[:, 0] ** -2.0))
    return float(np.min(totals - falls)) + math.log(2.0 * 64.0 / 15.0 / _SQUARE_ROOT) + 1e-6, top
