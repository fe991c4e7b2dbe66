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

from accountant.loss.engine.convolution import LARGEST_GRID, Flat, Parts, Tilted, fast_length, infinite_mass, transformed
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, image_sum, log_largest_gain

_NEGLIGIBLE = 20.0
"""Natural logarithm of how much smaller than the answer each neglected part shall be."""
_MOST_FREQUENCIES = 2048


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
    mass: float
    beyond: tuple[tuple[float, float], ...]
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
        reach = max((_NEGLIGIBLE - log_delta) / tilt, _reach(beyond, ahead))
        cells = max(int(np.ptp(part.offsets)) for part in tilted) + 1
        period = fast_length(max(math.ceil(reach / size), 16))
        if period > LARGEST_GRID:
            return None
        found = _frequencies(tilted, period, tilt * size, size)
        if found is None:
            return None
        weights, error = found
        spread = math.expm1(min(700.0, math.fsum(part.count * part.spread for part in tilted)))
        stray = 2.0 * math.fsum(part.count * part.stray for part in tilted)
        lower, upper = infinite_mass(parts)
        return cls(
            base=base,
            step=size,
            tilt=tilt,
            log_scale=log_scale,
            log_doubt=4 * ROUNDOFF * math.fsum(abs(part.count * part.log_total) for part in tilted) + math.log1p(spread),
            period=period,
            weights=weights,
            error=(error + stray) * (1.0 + 1e-6),
            mass=_whole_mass(parts),
            beyond=tuple(beyond),
            infinite_lower=lower,
            infinite_upper=upper,
            slack=sum(count * measure.slack for measure, count in parts) + 64 * ROUNDOFF * (abs(base) + period * size),
            peak=base,
            size=cells * 4,
        )

    def delta_above(self, epsilon: float) -> float:
        """An upper bound on delta(epsilon)."""
        point = epsilon - self.slack
        value = self._between(point, self._above)
        return min(1.0, (value + self.infinite_upper) * (1.0 + 8 * ROUNDOFF))

    def delta_below(self, epsilon: float) -> float:
        """A lower bound on delta(epsilon); it is never below 1 - e^epsilon."""
        value = self._between(epsilon + self.slack, self._below)
        least = -math.expm1(min(epsilon, 0.0)) * (1.0 - 8 * ROUNDOFF)
        return max(least, (value + self.infinite_lower) * (1.0 - 8 * ROUNDOFF))

    def _between(self, point: float, read: Callable[[int], float]) -> float:
        """Delta of a law on a grid is linear in e^epsilon between grid points."""
        place = math.floor((point - self.base) / self.step)
        share = math.expm1(min(max(point - self.base - place * self.step, 0.0), self.step)) / math.expm1(self.step)
        low, high = read(place), read(place + 1)
        return low + (high - low) * min(max(share, 0.0), 1.0)

    def _sum(self, place: int) -> float:
        turns = np.arange(self.weights.size, dtype=np.int64) * (place % self.period) % self.period
        return float(np.sum((self.weights * np.exp((-2j * math.pi / self.period) * turns)).real))

    def _exponent(self, place: int, direction: float) -> float:
        point = self.base + place * self.step
        doubt = self.log_doubt + 32 * ROUNDOFF * (4.0 + abs(self.log_scale) + abs(self.tilt * point))
        return self.log_scale - self.tilt * point + direction * doubt

    def _above(self, place: int) -> float:
        exponent = self._exponent(place, 1.0)
        return 1.0 if exponent > 700.0 else min(1.0, max(0.0, self._sum(place) + self.error) * math.exp(exponent) + TINY)

    def _below(self, place: int) -> float:
        exponent = self._exponent(place, -1.0)
        total = self._sum(place) - self.error
        if exponent > 700.0 or total <= 0.0:
            return 0.0
        distance = place * self.step
        span = self.period * self.step * (1.0 - 1e-12)
        left = self.mass * image_sum(0.0, self.tilt * span)
        right = min(
            image_sum(self._exponent(place, 1.0) + moment - more * distance, more * span) for more, moment in self.beyond
        )
        return max(0.0, total * math.exp(exponent) - (left + right) * (1.0 + 1e-9))


def _tails(flat: Flat, logs: Floats, tilt: float, size: float) -> list[tuple[float, float]]:
    """Chernoff bounds on what lies beyond, at several further tilts: each with the logarithm of its factor."""
    beyond = []
    for factor in (0.1, 0.25, 0.5, 1.0, 2.0):
        moment, doubt = flat.moment(logs, factor * tilt * size)
        beyond.append((factor * tilt, moment + doubt + log_largest_gain((1.0 + factor) * tilt)))
    return beyond


def _whole_mass(parts: Parts) -> float:
    """An upper bound on the mass of the product of these measures, infinite where doubles do not reach."""
    whole = math.fsum(count * math.log(max(1.0, float(measure.masses.sum()))) for measure, count in parts)
    return math.exp(whole) * (1.0 + 1e-6) if whole < 700.0 else math.inf


def _reach(beyond: Sequence[tuple[float, float]], distance: float) -> float:
    """How long a period must be so that what lies above it is negligible at a distance above the centre."""
    return min((moment - more * distance + _NEGLIGIBLE + 6.0) / more for more, moment in beyond)


def _gain(angle: Floats, tilt: float, step: float) -> NDArray[np.complex128]:
    """The sum over j >= 1 of e^(-tilt j) (1 - e^(-step j)) e^(-i angle j)."""
    value: NDArray[np.complex128] = (
        np.exp(-tilt - 1j * angle) * -math.expm1(-step) / (_fall(tilt, angle) * _fall(tilt + step, angle))
    )
    return value


def _fall(size: float, angle: Floats) -> NDArray[np.complex128]:
    """1 - e^-(size + i angle), relatively accurate for small arguments: both parts are sums of positive terms."""
    half = np.sin(0.5 * angle)
    real = -math.expm1(-size) + math.exp(-size) * 2.0 * half * half
    value: NDArray[np.complex128] = real + 1j * (math.exp(-size) * np.sin(angle))
    return value


def _frequencies(
    parts: Sequence[Tilted], period: int, tilt: float, step: float
) -> tuple[NDArray[np.complex128], float] | None:
    """T G at the frequencies that matter, as weights of the mean over a period, and a bound on all errors of their sum."""
    kept = min(_MOST_FREQUENCIES, period // 2)
    log_most = np.zeros(period // 2 + 1)
    total, doubt = np.zeros(kept, dtype=np.complex128), np.zeros(kept)
    for part in parts:
        spectrum, error = transformed(part, period)
        size = np.abs(spectrum)
        most = np.log(np.minimum(size + error, 1.0))
        log_most += part.count * (most + 8 * ROUNDOFF * (np.abs(most) + 1.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.conj(spectrum[:kept]))
            relative = np.where(size[:kept] > 4 * error, 2 * error / size[:kept], 50.0)
            total += part.count * logs
            doubt += part.count * (relative + 16 * ROUNDOFF * (np.abs(logs) + 1.0)) + 4 * ROUNDOFF * np.abs(total)
    # |G| falls as the frequency grows, so its value at 0 bounds what is left out.
    largest = float(np.abs(_gain(np.zeros(1), tilt, step)[0]))
    rest = np.cumsum(np.exp(log_most)[::-1])[::-1] * (2.0 * largest / period) * (1.0 + 1e-9)
    count = int(np.searchsorted(-rest, -math.exp(-_NEGLIGIBLE) * largest / period))
    if not 1 < count < kept:
        return None
    angle: Floats = (2.0 * math.pi / period) * np.arange(count, dtype=np.float64)
    gains = _gain(angle, tilt, step) * (2.0 / period)
    # Frequencies whose phase is lost are set to zero and charged in full.
    certain = doubt[:count] < 0.5
    weights = np.zeros(count, dtype=np.complex128)
    weights[certain] = np.exp(total[:count][certain]) * gains[certain]
    weights[0] *= 0.5
    relative = np.expm1(np.minimum(doubt[:count], 0.5)) + ROUNDOFF * (256.0 + count)
    lost = np.where(certain, TINY, np.exp(log_most[:count]) * np.abs(gains))
    return weights, float(np.sum(np.abs(weights) * relative + lost)) * (1.0 + 1e-6) + float(rest[count])
