"""Log moments of mixtures: logarithms of weighted sums.

With shares w_i of the finite law and log moments K_i, the mixture's is log sum w_i e^K_i. Tilted by e^(tL), it is a
mixture of the tilted parts with shares v_i proportional to w_i e^K_i(t). So its transform is at most the v-weighted sum of
the sizes of theirs, and its mean square about any place is the v-weighted sum of theirs. The mean of a tilted part is
K_i'(t), which lies between the slopes of chords on either side of t because K_i is convex.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, Self

import numpy as np
from attrs import evolve, frozen

from accountant.loss.engine.contour_route import Contour
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import ROUNDOFF, TINY, PrivacyLoss
from accountant.loss.readings.moments import Moments, expm1, log_of_moments
from accountant.numbers.interval import Interval

_CHORD = 2.0**-6
"""The length of the chords, beside the tilt."""


@frozen(eq=False)
class Share:
    """One part of a mixture: how much of the finite law it holds, up to a doubt, and its moments."""

    weight: float
    doubt: float
    contour: Contour

    def without(self, log_tail: float) -> Share:
        """The same without the part's rarest outcomes."""
        copies = sum(float(counts.sum()) for _, counts in self.contour.families)
        return evolve(self, contour=self.contour.without(log_tail - math.log(copies)))

    def variance(self, tilt: float) -> float:
        """An upper bound on the variance of the tilted part."""
        families = self.contour.families
        return sum(float(counts @ np.square(moments.deviations(tilt))) for moments, counts in families)

    def fall(self, tilt: float, height: float) -> float:
        """An upper bound on the logarithm of the size of the tilted part's transform, from a height on."""
        return sum(float(counts @ moments.falls(tilt, height)) for moments, counts in self.contour.families)


def shares_of(parts: Sequence[tuple[Fraction, PrivacyLoss]], infinite: Interval) -> tuple[Share, ...] | None:
    """The finite parts of a mixture that loses everything with the chance `infinite`; None where moments are not known."""
    if infinite.upper >= 1.0:
        return None
    shares = []
    for chance, loss in parts:
        leak = loss.infinite()
        if leak.lower == 1.0:
            continue
        contour = Contour.of(loss.taken_apart(), leak)
        if contour is None:
            return None
        low, high = (
            chance * (1 - Fraction(mass)) / (1 - Fraction(whole))
            for mass, whole in ((leak.upper, infinite.lower), (leak.lower, infinite.upper))
        )
        weight = float((low + high) / 2)
        shares.append(Share(weight, float((high - low) / 2) + 2 * ROUNDOFF * weight + TINY, contour))
    return tuple(shares)


class Mixed(Protocol):
    """A loss that is a mixture, as far as its moments depend on it."""

    def shares(self) -> tuple[Share, ...] | None:
        """The finite parts; None where moments are not known."""


@frozen(eq=False)
class MixtureMoments(Moments):
    """Log moments of mixtures, each with its shares."""

    mixtures: tuple[tuple[Share, ...], ...]

    @classmethod
    def of(cls, losses: Sequence[Mixed]) -> Self:
        return cls(tuple(shares for loss in losses if (shares := loss.shares()) is not None))

    def trimmed(self, log_tail: float) -> Self:
        cut = tuple(tuple(share.without(log_tail) for share in shares) for shares in self.mixtures)
        pairs = zip((share for row in cut for share in row), (share for row in self.mixtures for share in row), strict=True)
        return self if all(new.contour is old.contour for new, old in pairs) else evolve(self, mixtures=cut)

    def lost(self) -> Floats:
        return np.array([sum((s.weight + s.doubt) * s.contour.lost for s in shares) for shares in self.mixtures])

    @property
    def work(self) -> int:
        return sum(share.contour.work for shares in self.mixtures for share in shares)

    def log_moments(self, points: Complexes) -> tuple[Complexes, Floats]:
        rows = [_log_moments(shares, points) for shares in self.mixtures]
        return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])

    def deviations(self, tilt: float) -> Floats:
        return np.array([_deviation(shares, tilt) for shares in self.mixtures])

    def falls(self, tilt: float, height: float) -> Floats:
        return np.array([_fall(shares, tilt, height) for shares in self.mixtures])


def _log_moments(shares: Sequence[Share], points: Complexes) -> tuple[Complexes, Floats]:
    known = [share.contour.log_moment(points) for share in shares]
    largest = np.max([values.real for values, _ in known], axis=0)
    # Moments near 1 are summed as what they exceed 1 by; large ones are measured by the largest.
    top = np.where(largest > 1.0, largest, 0.0)
    excess, error = np.zeros(points.shape, dtype=np.complex128), np.zeros(points.shape)
    for share, (values, errors) in zip(shares, known, strict=True):
        lost = ~(errors < 1.0)
        doubts = np.where(lost, 0.0, errors)
        moved = values - top
        sizes = np.exp(np.minimum(moved.real + np.where(np.isinf(errors), 0.0, errors), 700.0))
        rises = np.where(lost, -1.0, expm1(np.where(lost, 0.0, moved)))
        # Of a part whose phase is lost only the size is known: it is left out and charged in full.
        rounding = 64 * ROUNDOFF * (np.abs(rises) + (np.abs(values) + top) * sizes)
        doubt = np.where(lost, sizes, np.expm1(doubts) * sizes) + rounding
        excess += share.weight * rises
        error += (share.weight + share.doubt) * doubt + share.doubt * np.abs(rises)
    values, errors = log_of_moments(excess, error * (1.0 + 1e-9))
    total = values + top
    rounding = 4 * ROUNDOFF * (np.abs(total) + top)
    return np.where(np.isinf(errors), total + rounding, total), errors + rounding


def _tilted(shares: Sequence[Share], tilt: float) -> Floats:
    """Upper bounds on the shares of the tilted parts, which together are hardly more than 1."""
    values, errors = (
        np.array([found[0] for found in ends])
        for ends in zip(*(share.contour.log_moment(np.array([complex(tilt)])) for share in shares), strict=True)
    )
    logs, top = values.real, float(values.real.max())
    doubts = np.where(np.isinf(errors), 0.0, errors) + 16 * ROUNDOFF * (np.abs(logs) + top + 1.0)
    weights, spare = np.array([share.weight for share in shares]), np.array([share.doubt for share in shares])
    most = (weights + spare) * np.exp(logs - top + doubts)
    least = np.where(np.isinf(errors), 0.0, np.maximum(weights - spare, 0.0) * np.exp(logs - top - doubts))
    total = float(least.sum()) * (1.0 - 1e-12)
    return most / total * (1.0 + 1e-12) if total > 0.0 else np.full(len(shares), np.inf)


def _deviation(shares: Sequence[Share], tilt: float) -> float:
    step = _CHORD * tilt
    points = np.array([complex(tilt - step), complex(tilt), complex(tilt + step)])
    try:
        known = [share.contour.log_moment(points) for share in shares]
    except OverflowError:
        return math.inf
    held = _tilted(shares, tilt)
    low, high = np.empty(len(shares)), np.empty(len(shares))
    for index, (values, errors) in enumerate(known):
        (before, here, after), doubt = values.real, float(errors.sum())
        slack = (doubt + 8 * ROUNDOFF * float(np.abs(values).sum())) / step
        low[index], high[index] = (here - before) / step - slack, (after - here) / step + slack
    spans = np.where(np.isfinite(high - low), 0.5 * (low + high), 0.0)
    centre = float(np.sum(np.minimum(held, 1.0) * spans) / np.sum(np.minimum(held, 1.0)))
    reach = np.maximum(np.abs(low - centre), np.abs(high - centre))
    variance = sum(
        share * (part.variance(tilt) + distance * distance)
        for share, part, distance in zip(held.tolist(), shares, reach.tolist(), strict=True)
    )
    return math.sqrt(variance) * (1.0 + 1e-9) if variance < math.inf else math.inf


def _fall(shares: Sequence[Share], tilt: float, height: float) -> float:
    falls = np.array([share.fall(tilt, height) for share in shares])
    total = float(np.sum(_tilted(shares, tilt) * np.exp(falls)))
    return min(0.0, math.log(total) * (1.0 - 1e-9)) if 0.0 < total < math.inf else 0.0 if total else -700.0
