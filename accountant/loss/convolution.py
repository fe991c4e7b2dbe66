"""Sums of many grid losses: one tilted transform, with every error bounded.

The masses are tilted by e^(tilt L) and normalised, so that the part of the law that a reading asks about stands in the
middle and the transform's absolute error becomes a relative one there. The window comes from Chernoff bounds on the
tilted masses themselves; what wraps around it, what lies beyond it, and what the transform rounds are bounded from the
numbers at hand and charged to both ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant.errors import GridTooLarge
from accountant.loss.base import ROUNDOFF, Floats
from accountant.loss.grid import Measure

Parts = Sequence[tuple[Measure, int]]

LARGEST_GRID = 2**24
_LOG_TAIL = 50.0
_UNDERFLOW = 1e-320


@frozen(eq=False)
class Law:
    """The law of the composed loss, tilted: entry j is the mass at loss `base + j step`, times e^(tilt loss - log_scale).

    `masses` are off by at most `error` each, beside a relative `spread`. `beyond` bounds the tilted mass above the grid
    and `wrapped` what may have been added to any entry from outside. `infinite` is mass at +infinity.
    """

    base: float
    step: float
    tilt: float
    log_scale: float
    masses: Floats
    error: float
    spread: float
    beyond: float
    wrapped: float
    below: float
    infinite_lower: float
    infinite_upper: float
    slack: float

    def delta_above(self, epsilon: float) -> float:
        """An upper bound on delta(epsilon)."""
        point = epsilon - self.slack
        if point < self.base:
            return 1.0
        losses, gains = self._gains(point)
        weights = np.maximum(self.masses[losses], 0.0) + self.error
        end = self.base + self.step * self.masses.size
        total = float(np.sum(weights * gains)) * (1.0 + self._rounding(gains.size)) + gains.size * _UNDERFLOW
        total += self.beyond * math.exp(min(0.0, -self.tilt * (end - point)))
        return min(1.0, self._unscaled(total, point, 1.0) + self.infinite_upper)

    def delta_below(self, epsilon: float) -> float:
        """A lower bound on delta(epsilon)."""
        point = epsilon + self.slack
        losses, gains = self._gains(max(point, self.base))
        weights = np.maximum(self.masses[losses] - self.error - self.wrapped, 0.0)
        total = float(np.sum(weights * gains)) * (1.0 - self._rounding(gains.size))
        finite = self._unscaled(total, max(point, self.base), -1.0)
        return max(0.0, finite + self.infinite_lower)

    def _gains(self, point: float) -> tuple[slice, Floats]:
        """e^(-tilt (L - point)) (1 - e^(point - L)) for every loss L above the point."""
        first = max(0, math.floor((point - self.base) / self.step) + 1)
        distance = self.base - point + self.step * np.arange(first, self.masses.size, dtype=np.float64)
        distance = np.maximum(distance, 0.0)
        gains: Floats = np.exp(-self.tilt * distance) * -np.expm1(-distance)
        return slice(first, None), gains

    def _rounding(self, size: int) -> float:
        reach = self.step * self.masses.size * (1.0 + self.tilt)
        return ROUNDOFF * (64.0 + 8.0 * math.log2(size + 2.0) + 8.0 * reach) + self.spread

    def _unscaled(self, total: float, point: float, direction: float) -> float:
        exponent = self.log_scale - self.tilt * point
        doubt = 16 * ROUNDOFF * (abs(self.log_scale) + abs(self.tilt * point) + 4.0)
        if total == 0.0:
            return 0.0
        if exponent > 700.0:
            return 1.0 if direction > 0 else 0.0
        return total * math.exp(exponent + direction * doubt)


def largest_sum(parts: Parts, step: float) -> float:
    """The largest finite loss that all parts can add up to."""
    return sum(step * count * (m.start + int(np.flatnonzero(m.masses)[-1])) for m, count in parts)


def log_moment(parts: Parts, step: float, tilt: float) -> tuple[float, float]:
    """The log moment of all parts at a tilt, and its slope: the mean of the tilted sum."""
    value, slope = 0.0, 0.0
    for measure, count in parts:
        losses = step * (measure.start + np.arange(measure.masses.size, dtype=np.float64))
        with np.errstate(divide="ignore"):
            terms = np.log(measure.masses) + tilt * losses
        top = float(np.max(terms))
        if top == -math.inf:
            return -math.inf, 0.0
        weights = np.exp(terms - top)
        total = float(weights.sum())
        value += count * (top + math.log(total))
        slope += count * float(weights @ losses) / total
    return value, slope


@frozen(eq=False)
class _Tilted:
    """One part after tilting: probabilities on offsets from an integer centre."""

    offsets: Floats
    masses: Floats
    centre: int
    count: int
    log_total: float
    spread: float

    @classmethod
    def of(cls, measure: Measure, count: int, step: float, tilt: float) -> _Tilted:
        index = np.arange(measure.masses.size, dtype=np.float64)
        losses = step * (measure.start + index)
        kept = measure.masses > 0.0
        terms = np.log(measure.masses[kept]) + tilt * losses[kept]
        top = float(terms.max())
        weights = np.exp(terms - top)
        total = float(weights.sum())
        masses = weights / total
        positions = measure.start + np.flatnonzero(kept)
        centre = round(float(masses @ positions))
        reach = float(np.max(np.abs(terms))) + tilt * float(np.max(np.abs(losses))) + float(np.max(np.abs(terms - top)))
        return cls(
            (positions - centre).astype(np.float64),
            masses,
            centre,
            count,
            top + math.log(total),
            ROUNDOFF * (16.0 + 4.0 * reach),
        )

    def log_moment(self, exponent: float) -> float:
        terms = exponent * self.offsets
        top = float(np.max(terms))
        return top + math.log(float(self.masses @ np.exp(terms - top)))


def convolve(parts: Parts, step: Fraction, tilt: float) -> Law:
    """The law of the sum of all parts, each taken `count` times."""
    size = float(step)
    tilted = [_Tilted.of(measure, count, size, tilt) for measure, count in parts]
    low, below = _reach(tilted, -1.0)
    high, beyond = _reach(tilted, 1.0)
    length = _fast_length(high - low + 1)
    if length > LARGEST_GRID:
        raise GridTooLarge(
            f"composing these losses with a step of {size:.3g} needs a grid of {length:,} points (at most "
            f"{LARGEST_GRID:,}); ask for less precision or read a definition that adds up, such as 'zcdp'"
        )
    masses, error = _power(tilted, length)
    order = (low + np.arange(length)) % length
    origin = low + sum(part.centre * part.count for part in tilted)
    base = float(origin * step)
    infinite_lower, infinite_upper = _infinite(parts)
    slack = sum(count * measure.slack for measure, count in parts)
    return Law(
        base=base,
        step=size,
        tilt=tilt,
        log_scale=math.fsum(part.count * part.log_total for part in tilted),
        masses=masses[order],
        error=error,
        spread=math.expm1(min(700.0, sum(part.count * part.spread for part in tilted))),
        beyond=beyond,
        wrapped=below + beyond,
        below=below,
        infinite_lower=infinite_lower,
        infinite_upper=infinite_upper,
        slack=slack + 16 * ROUNDOFF * (abs(base) + length * size),
    )


def _infinite(parts: Parts) -> tuple[float, float]:
    """Bounds on the chance that any part loses everything."""
    log_escape = 0.0
    for measure, count in parts:
        if measure.infinite >= 1.0:
            return 1.0, 1.0
        log_escape += count * math.log1p(-measure.infinite)
    value = -math.expm1(log_escape)
    return value * (1.0 - 64 * ROUNDOFF * (1 + len(parts))), value * (1.0 + 64 * ROUNDOFF * (1 + len(parts)))


def _reach(parts: Sequence[_Tilted], side: float) -> tuple[int, float]:
    """The farthest sum on one side that the grid must hold, and a bound on the mass beyond it."""
    farthest = sum(part.count * int(np.max(side * part.offsets)) for part in parts)
    variance = sum(part.count * float(part.masses @ np.square(part.offsets)) for part in parts)
    if variance == 0.0:
        return int(side * farthest), 0.0
    scale = math.sqrt(2.0 * _LOG_TAIL / variance)
    bound = math.inf
    for power in range(-8, 5):
        exponent = scale * 2.0 ** (power / 2)
        moment = sum(part.count * part.log_moment(side * exponent) for part in parts)
        bound = min(bound, (moment + _LOG_TAIL) / exponent)
    if bound >= farthest:
        return int(side * farthest), 0.0
    return int(side * math.ceil(bound)), math.exp(1.0 - _LOG_TAIL)


def _fast_length(least: int) -> int:
    """The smallest product of powers of 2, 3 and 5 that is at least `least`."""
    best = 1 << max(1, (least - 1).bit_length())
    for fives in range(3):
        for threes in range(4):
            base = 5**fives * 3**threes
            twos = max(0, (-(-least // base) - 1).bit_length())
            candidate = base << twos
            if candidate >= least and candidate % 2 == 0:
                best = min(best, candidate)
    return best


def _power(parts: Sequence[_Tilted], length: int) -> tuple[Floats, float]:
    """The circular convolution of all parts, and a bound on the error of each entry.

    The transform's error is at most about log2(length) units of roundoff of its norm in the root-mean-square sense
    (Higham 2002, theorem 24.2); the constant below leaves room.
    """
    transform = 16 * ROUNDOFF * math.log2(length + 1)
    log_size = np.zeros(length // 2 + 1)
    log_most = np.zeros(length // 2 + 1)
    angle = np.zeros(length // 2 + 1)
    doubt = np.zeros(length // 2 + 1)
    for part in parts:
        position = np.mod(part.offsets, length).astype(np.int64)
        spectrum = np.fft.rfft(np.bincount(position, part.masses, length))
        error = transform * math.sqrt(length) * float(np.linalg.norm(part.masses))
        size = np.abs(spectrum)
        with np.errstate(divide="ignore"):
            logs = np.log(size)
        turn = np.angle(spectrum)
        log_size += part.count * logs
        log_most += part.count * np.log(size + error)
        angle += part.count * turn
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(size > 2 * error, 2 * error / size, 1.0) + 8 * ROUNDOFF * (np.abs(turn) + 1.0)
            relative += np.where(size > 0, 8 * ROUNDOFF * np.abs(logs), 0.0)
        doubt += part.count * relative
    spectrum = np.exp(log_size) * np.exp(1j * angle)
    certain = doubt < 0.5
    most = np.exp(np.minimum(log_most, 1.0))
    errors = np.where(certain, np.abs(spectrum) * np.expm1(np.minimum(doubt, 1.0)), 2.0 * most)
    spectrum = np.where(np.isfinite(spectrum), spectrum, 0.0)
    norm = math.sqrt(2.0) * float(np.linalg.norm(spectrum)) / math.sqrt(length)
    masses = np.fft.irfft(spectrum, length)
    return masses, 2.0 * float(np.sum(errors)) / length + transform * norm
