"""Readings of a sum of very many grid losses from the few frequencies that matter.

The law of the sum is never written down. With t_k the tilted masses of the sum, delta at the grid point m is

    e^(log_scale - tilt l_m) times the sum over j >= 1 of t_(m+j) e^(-tilt j h) (1 - e^(-jh)),

and by the discrete Fourier transform with a period of n points that sum is the mean over frequencies of T(w) G(w) e^(-iwm),
T the product of the parts' transforms to the power of their counts and G a quotient of geometric series. A period adds
images of delta, all positive: an upper end as it stands, and a lower end once they are taken away, those below because
delta is at most the whole mass and those above by Chernoff's bound. All frequencies of the period are looked at, and those
that are left out are bounded one by one: where too many matter there is no zoom, and the whole law is computed instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant.loss.engine.convolution import (
    LARGEST_GRID,
    Flat,
    Parts,
    Tilted,
    displaced,
    fast_length,
    infinite_mass,
    log_size,
    sizes_of,
    transformed,
)
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import log_images, log_largest_gain
from accountant.numbers.rounding import Ball, Balls, exp, expm1, log, running, total

_NEGLIGIBLE = 20.0
"""Natural logarithm of how much smaller than the answer each neglected part shall be."""
_MOST_FREQUENCIES = 2048
_TURN = Ball.rounded(2.0 * math.pi)


@frozen(eq=False)
class Zoom:
    """The frequencies that matter, with every error they carry. Offers the same readings as a law."""

    base: float
    step: float
    tilt: float
    log_scale: float
    log_doubt: float
    period: int
    weights: NDArray[np.complex128]
    error: float
    images: _Images
    infinite_lower: float
    infinite_upper: float
    slack: float
    peak: float
    size: int

    @classmethod
    def of(cls, parts: Parts, step: Fraction, tilt: float, log_delta: float) -> Zoom | None:
        """The zoom of these parts at a tilt for deltas near e^log_delta, or None where too many frequencies matter."""
        if tilt <= 0.0 or not parts or any(not np.any(measure.masses > 0.0) for measure, _ in parts):
            return None
        size = float(step)
        tilted = [Tilted.of(measure, count, size, tilt) for measure, count in parts]
        flat = Flat.of([part.offsets for part in tilted], [part.count for part in tilted])
        logs = np.log(np.concatenate([part.masses for part in tilted]))
        beyond = _tails(flat, logs, tilt, size)
        log_scale = math.fsum(part.count * part.log_total for part in tilted)
        origin = sum(part.centre * part.count for part in tilted)
        base = float(origin * step + sum((measure.offset * count for measure, count in parts), Fraction(0)))
        # Deltas are read where their Chernoff bound is: the images must be small beside them.
        ahead = (log_scale + log_largest_gain(tilt) - log_delta) / tilt - base - 4.0 / tilt
        reach = max((_NEGLIGIBLE - log_delta) / (tilt * size), _reach(beyond, ahead / size))
        cells = max(int(np.ptp(part.offsets)) for part in tilted) + 1
        period = fast_length(max(math.ceil(reach), 16))
        if period > LARGEST_GRID:
            return None
        found = _frequencies(tilted, period, Ball.of(step) * tilt, Ball.of(step))
        if found is None:
            return None
        weights, error = found
        spread = sum((Ball(part.spread) * part.count for part in tilted), Ball(0.0)).upper
        stray = sum((Ball(part.stray) * part.count for part in tilted), Ball(0.0)) * 2.0
        lower, upper = infinite_mass(parts)
        return cls(
            base=base,
            step=size,
            tilt=tilt,
            log_scale=log_scale,
            # Each product rounds once, and their sum.
            log_doubt=Ball.rounded(0.0, 2.0, math.fsum(abs(part.count * part.log_total) for part in tilted))
            .widened(spread)
            .radius,
            period=period,
            weights=weights,
            error=(stray + error).upper,
            images=_Images.of(tilt * size, period, _whole_mass(parts), beyond),
            infinite_lower=lower,
            infinite_upper=upper,
            slack=displaced(parts, abs(base) + period * size),
            peak=base,
            size=cells * 4,
        )

    def delta_above(self, epsilon: float) -> float:
        """An upper bound on delta(epsilon)."""
        value = self._between(epsilon - self.slack, self._above)
        return min(1.0, (value + self.infinite_upper).upper)

    def delta_below(self, epsilon: float) -> float:
        """A lower bound on delta(epsilon); it is never below 1 - e^epsilon."""
        value = self._between(epsilon + self.slack, self._below)
        return max((-expm1(Ball(min(epsilon, 0.0)))).lower, (value + self.infinite_lower).lower, self.infinite_lower)

    def _between(self, point: float, read: Callable[[int], float]) -> Ball:
        """Delta of a law on a grid is linear in e^epsilon between grid points."""
        place = math.floor((point - self.base) / self.step)
        gap = min(max(point - self.base - place * self.step, 0.0), self.step)
        share = expm1(Ball(gap)) / expm1(Ball(self.step))
        low, high = Ball(read(place)), Ball(read(place + 1))
        # By one share or the other, so that little is taken from little.
        return low + (high - low) * share if share.middle < 0.5 else high + (low - high) * (1.0 - share)

    def _sum(self, place: int) -> float:
        turns = np.arange(self.weights.size, dtype=np.int64) * (place % self.period) % self.period
        return float(np.sum((self.weights * np.exp((-2j * math.pi / self.period) * turns)).real))

    def _scale(self, place: int) -> Ball:
        """The logarithm of what the sum is multiplied with at a grid point, which may be off by the slack."""
        return Ball(self.log_scale, self.log_doubt) - Ball(self.tilt) * self._point(place)

    def _point(self, place: int) -> Ball:
        """A grid point: the base, the step and their multiple and sum round."""
        point = self.base + place * self.step
        return Ball.rounded(point, 4.0, abs(self.base) + abs(place * self.step))

    def _above(self, place: int) -> float:
        return min(1.0, max(0.0, (Ball(self._sum(place), self.error) * exp(self._scale(place))).upper))

    def _below(self, place: int) -> float:
        scale = self._scale(place)
        least = (Ball(self._sum(place), self.error) * exp(scale)).lower
        return max(0.0, (Ball(least) - self.images.at(scale, place)).lower) if least > 0.0 else 0.0


@frozen(eq=False)
class _Images:
    """What lies a period or more away, at a place: at most `below`, and e^(scale + value - x place) for each (x, value)."""

    below: float
    beyond: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, tilt: float, period: int, mass: float, beyond: Sequence[tuple[float, float]]) -> _Images:
        """From the tilt for one step, which is rounded twice, and Chernoff bounds at further exponents for one step."""
        left = (exp(log_images((Ball.rounded(tilt, 2.0) * period).lower)) * mass).upper
        return cls(left, tuple((x, (log_images((Ball(x) * period).lower) + value).upper) for x, value in beyond))

    def at(self, scale: Ball, place: int) -> float:
        """A bound on all of them together."""
        _, x, value = min((value - x * place, x, value) for x, value in self.beyond)
        return (exp(scale + value - Ball(x) * place) + self.below).upper


def _tails(flat: Flat, logs: Floats, tilt: float, size: float) -> list[tuple[float, float]]:
    """Chernoff bounds on what lies beyond, at several exponents for one step: each with the logarithm of its factor.

    The gain falls as the tilt grows, and the tilt of an exponent is the one asked for up to four roundings.
    """
    beyond = []
    for factor in (0.1, 0.25, 0.5, 1.0, 2.0):
        exponent = factor * tilt * size
        gain = log_largest_gain(Ball.rounded((1.0 + factor) * tilt, 4.0).lower)
        beyond.append((exponent, (Ball(*flat.moment(logs, exponent)) + gain).upper))
    return beyond


def _whole_mass(parts: Parts) -> float:
    """An upper bound on the mass of the product of these measures, infinite where doubles do not reach."""
    whole = Ball(0.0)
    for measure, count in parts:
        whole = whole + log(total(Balls(measure.masses)).at_least(1.0)) * count
    return exp(whole).upper


def _reach(beyond: Sequence[tuple[float, float]], distance: float) -> float:
    """How long a period must be so that what lies above it is negligible at a distance above the centre, in steps."""
    return min((moment - x * distance + _NEGLIGIBLE + 6.0) / x for x, moment in beyond)


def _gain(angle: Balls, tilt: Ball, step: Ball) -> Balls:
    """The sum over j >= 1 of e^(-tilt j) (1 - e^(-step j)) e^(-i angle j)."""
    turn = angle * -1j
    near, far = turn - tilt, turn - (tilt + step)
    return exp(near) * -expm1(-step) / (expm1(near) * expm1(far))


def _frequencies(
    parts: Sequence[Tilted], period: int, tilt: Ball, step: Ball
) -> tuple[NDArray[np.complex128], float] | None:
    """T G at the frequencies that matter, as weights of the mean over a period, and a bound on all errors of their sum."""
    kept = min(_MOST_FREQUENCIES, period // 2)
    log_most = np.zeros(period // 2 + 1)
    known = []
    for part in parts:
        spectrum, error = transformed(part, period)
        log_most += part.count * log_size(spectrum, error)
        known.append((np.conj(spectrum[:kept]), error, float(part.count)))
    # |G| falls as the frequency grows, so its value at 0 bounds what is left out.
    largest = (exp(-tilt) * -expm1(-step) / (expm1(-tilt) * expm1(-(tilt + step)))).upper
    sizes = sizes_of(log_most, len(parts))
    rest = (running(Balls(sizes[::-1])) * (Ball(2.0 * largest) / period)).upper[::-1]
    count = int(np.searchsorted(-rest, -math.exp(-_NEGLIGIBLE) * largest / period))
    if not 1 < count < kept:
        return None
    logs = Balls(np.zeros(count, dtype=np.complex128))
    for start, error, times in known:
        logs = logs + log(Balls(start[:count], np.full(count, error))) * times
    gains = _gain(Balls(np.arange(count, dtype=np.float64)) * (_TURN / period), tilt, step) * (Ball(2.0) / period)
    # Frequencies whose phase is lost are set to zero and charged in full.
    certain = logs.radii < 0.5
    found = exp(logs[certain]) * gains[certain]
    weights = np.zeros(count, dtype=np.complex128)
    weights[certain] = found.middle
    whole, lost = total(abs(found)), total((Balls(sizes[:count]) * gains.most)[~certain])
    weights[0] *= 0.5
    # A turn is rounded three times, which moves it by up to 6 pi roundoffs. Its exponential is granted 16, its product with
    # a weight rounds, and takes part in no more additions than there are weights.
    rounding = Ball.rounded(0.0, 40.0 + count, whole.middle)
    return weights, rounding.widened(whole.radius).widened(lost.upper).widened(float(rest[count])).radius
