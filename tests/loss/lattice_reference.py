"""Delta of compositions on a lattice, written apart from the engine: spread between points, tilted, and transformed once.

The masses of P and Q in a cell are shared out between its ends so that both are kept: that dominates, and is off by the
square of the step. Two steps tell by how much, up to rounding, which the tilt keeps small beside the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from scipy.special import ndtr

Array = Any


@frozen(eq=False)
class Release:
    """Masses of P and Q between losses of a release on all records, its atoms, and how samples of it are taken."""

    between: Callable[[Array], tuple[Array, Array]] | None
    atoms: tuple[tuple[float, float, float], ...] = ()
    """Losses with their masses under P and Q."""
    rate: float = 1.0
    swapped: bool = False
    count: int = 1


def gaussian(square: float, rate: float = 1.0, swapped: bool = False, count: int = 1) -> Release:
    mu = math.sqrt(square)

    def inside(z: Array) -> Array:
        left, right = z[:-1], z[1:]
        return np.where(left > 0.0, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left))

    return Release(lambda u: (inside((u - square / 2) / mu), inside((u + square / 2) / mu)), (), rate, swapped, count)


def laplace(ratio: float, rate: float = 1.0, swapped: bool = False, count: int = 1) -> Release:
    def between(u: Array) -> tuple[Array, Array]:
        v = np.clip(u, -ratio, ratio)
        fall = -np.expm1(-np.diff(v) / 2) / 2
        return np.exp(-(ratio - v[1:]) / 2) * fall, np.exp(-(ratio + v[:-1]) / 2) * fall

    ends = ((ratio, 0.5, 0.5 * math.exp(-ratio)), (-ratio, 0.5 * math.exp(-ratio), 0.5))
    return Release(between, ends, rate, swapped, count)


def discrete_gaussian(variance: float, move: int, rate: float = 1.0, swapped: bool = False, count: int = 1) -> Release:
    y = np.arange(-int(39 * math.sqrt(variance)) - 2, int(39 * math.sqrt(variance)) + 3 + move)
    p, q = np.exp(-((y - move) ** 2) / (2 * variance)), np.exp(-(y**2) / (2 * variance))
    seen = (p > 0.0) & (q > 0.0)
    losses = (2 * y * move - move**2) / (2 * variance)
    rows = zip(losses[seen].tolist(), (p / p.sum())[seen].tolist(), (q / q.sum())[seen].tolist(), strict=True)
    return Release(None, tuple(rows), rate, swapped, count)


def _masses(release: Release, step: float, reach: int) -> Array:
    """P's masses on the multiples of a step, up to `reach` of them either way; what lies beyond is left out."""
    points = step * np.arange(-reach, reach + 1)
    sign, rate = (-1.0 if release.swapped else 1.0), release.rate
    found = np.zeros(points.size)
    if release.between is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            lifted = (np.expm1(sign * points) + rate) / rate
            u = np.where(lifted > 0.0, np.log(np.maximum(lifted, 1e-320)), -1e5)
        p, q = (side[::-1] if release.swapped else side for side in release.between(u[::-1] if release.swapped else u))
        mixed = (1.0 - rate) * q + rate * p
        first, second = (q, mixed) if release.swapped else (mixed, q)
        right = np.clip((first - second * np.exp(points[:-1])) / -np.expm1(-step), 0.0, first)
        found[1:] += right
        found[:-1] += first - right
    for u, p, q in release.atoms:
        mixed = (1.0 - rate) * q + rate * p
        loss = sign * (math.log1p(rate * math.expm1(u)) if rate < 1.0 else u)
        place = math.floor(loss / step)
        share = -math.expm1(-(loss - place * step)) / -math.expm1(-step)
        if abs(place) < reach:
            mass = q if release.swapped else mixed
            found[place + reach] += mass * (1.0 - share)
            found[place + reach + 1] += mass * share
    return found


def _delta(releases: Sequence[Release], epsilon: float, step: float, most: float) -> float:
    reach = math.ceil(most / step)
    points = step * np.arange(-reach, reach + 1)
    laws = [(_masses(release, step, reach), release.count) for release in releases]

    def tilted(tilt: float) -> list[tuple[Array, float, float, int]]:
        found = []
        for masses, count in laws:
            with np.errstate(divide="ignore"):
                logs = np.log(masses) + tilt * points
            top = float(logs.max())
            weights = np.exp(logs - top)
            whole = float(weights.sum())
            found.append((weights / whole, top + math.log(whole), float(weights @ points) / whole, count))
        return found

    low, high = 0.0, 1.0
    while sum(mean * count for _, _, mean, count in tilted(high)) < epsilon:
        high *= 2.0
    for _ in range(12):
        middle = (low + high) / 2
        short = sum(mean * count for _, _, mean, count in tilted(middle)) < epsilon
        low, high = (middle, high) if short else (low, middle)
    known = tilted(low)
    spread = sum(count * (float(weights @ points**2) - mean * mean) for weights, _, mean, count in known)
    size = 1 << math.ceil(math.log2((24.0 * math.sqrt(spread) + 2.0 * most + 4.0 * epsilon) / step))
    spectrum, start, log_scale = np.ones(size // 2 + 1, dtype=complex), 0, 0.0
    for weights, scale, mean, count in known:
        centre = round(mean / step)
        row = np.zeros(size)
        np.add.at(row, (np.arange(-reach, reach + 1) - centre) % size, weights)
        spectrum *= np.fft.rfft(row) ** count
        start, log_scale = start + count * centre, log_scale + count * scale
    law = np.fft.irfft(spectrum, size)
    places = (np.arange(size) + size // 2) % size - size // 2
    losses = step * (places + start)
    above = losses > epsilon
    gains = np.exp(log_scale - low * losses[above]) * -np.expm1(epsilon - losses[above])
    return float(law[above] @ gains)


def lattice_delta(releases: Sequence[Release], epsilon: float, step: float, most: float) -> tuple[float, float]:
    """Delta at an epsilon, and by about how much it may be off."""
    coarse, fine = (_delta(releases, epsilon, size, most) for size in (step, step / 2))
    return fine - (coarse - fine) / 3, abs(coarse - fine) + 1e-8 * fine
