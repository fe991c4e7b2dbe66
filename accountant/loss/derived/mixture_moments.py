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
from accountant.loss.readings.base import PrivacyLoss
from accountant.loss.readings.moments import Moments, log_of_moments
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import Ball, Balls, dot, exp, expm1, log, sqrt, total, up, where

_CHORD = 2.0**-6
"""The length of the chords, beside the tilt."""


@frozen(eq=False)
class Share:
    """One part of a mixture: how much of the finite law it holds, and its moments."""

    weight: Ball
    contour: Contour

    def without(self, log_tail: float) -> Share:
        """The same without the part's rarest outcomes."""
        copies = sum(float(counts.sum()) for _, counts in self.contour.families)
        return evolve(self, contour=self.contour.without(log_tail - math.log(copies)))

    def variance(self, tilt: float) -> float:
        """An upper bound on the variance of the tilted part."""
        known = ((Balls(moments.deviations(tilt)), counts) for moments, counts in self.contour.families)
        return sum((dot(counts, deviations.squared()) for deviations, counts in known), Ball(0.0)).upper

    def fall(self, tilt: float, height: float) -> float:
        """An upper bound on the logarithm of the size of the tilted part's transform, from a height on."""
        families = self.contour.families
        whole = sum((dot(counts, moments.falls(tilt, height)) for moments, counts in families), Ball(0.0))
        return min(0.0, whole.upper)


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
        shares.append(Share(Ball.of((low + high) / 2).widened(Ball.of((high - low) / 2).upper), contour))
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
        return np.array([sum((s.weight * s.contour.lost for s in shares), Ball(0.0)).upper for shares in self.mixtures])

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
    excess = Balls(np.zeros(points.shape, dtype=np.complex128))
    for share, (values, errors) in zip(shares, known, strict=True):
        lost = ~(errors < 1.0)
        moved = Balls(np.where(lost, top, values), np.where(lost, 0.0, errors)) - top
        rises = expm1(moved)
        if np.any(lost):
            # Of a part whose phase is lost only the size is known: it is left out and charged in full.
            sizes = exp((Balls(values.real, np.where(np.isinf(errors), 0.0, errors)) - top).at_most(700.0)).upper
            rises = where(lost, Balls(np.full(points.shape, -1.0), sizes), rises)
        excess = excess + rises * share.weight
    whole = Balls(*log_of_moments(excess.middle, excess.radii)) + top
    # Where the phase is lost the real part is a bound from above.
    ends = up(whole.middle.real) + 1j * whole.middle.imag
    return np.where(np.isinf(whole.radii), ends, whole.middle), whole.radii


def _tilted(shares: Sequence[Share], tilt: float) -> Floats:
    """Upper bounds on the shares of the tilted parts, which together are hardly more than 1."""
    values, errors = (
        np.array([found[0] for found in ends])
        for ends in zip(*(share.contour.log_moment(np.array([complex(tilt)])) for share in shares), strict=True)
    )
    lost = np.isinf(errors)
    logs = Balls(values.real, np.where(lost, 0.0, errors)) - float(values.real.max())
    sizes = exp(logs) * Balls.of([share.weight for share in shares])
    least = total(Balls(np.where(lost, 0.0, np.maximum(sizes.lower, 0.0)))).lower
    return (Balls(sizes.upper) / least).upper if least > 0.0 else np.full(len(shares), np.inf)


def _deviation(shares: Sequence[Share], tilt: float) -> float:
    step = _CHORD * tilt
    points = np.array([complex(tilt - step), complex(tilt), complex(tilt + step)])
    try:
        known = [share.contour.log_moment(points) for share in shares]
    except OverflowError:
        return math.inf
    held = _tilted(shares, tilt)
    steps = Balls(points.real[1:]) - points.real[:-1]
    low, high = np.empty(len(shares)), np.empty(len(shares))
    for index, (values, errors) in enumerate(known):
        chords = (Balls(values.real[1:], errors[1:]) - Balls(values.real[:-1], errors[:-1])) / steps
        low[index], high[index] = chords.lower[0], chords.upper[1]
    with np.errstate(invalid="ignore"):
        spans = np.where(np.isfinite(high - low), 0.5 * (low + high), 0.0)
    centre = float(np.sum(np.minimum(held, 1.0) * spans) / np.sum(np.minimum(held, 1.0)))
    reach = np.maximum((Balls(low) - centre).most, (Balls(high) - centre).most)
    variances = np.array([part.variance(tilt) for part in shares])
    variance = dot(held, Balls(reach).squared() + variances)
    return sqrt(variance).upper if variance.radius < math.inf else math.inf


def _fall(shares: Sequence[Share], tilt: float, height: float) -> float:
    falls = np.array([share.fall(tilt, height) for share in shares])
    whole = dot(_tilted(shares, tilt), exp(Balls(falls))).upper
    return min(0.0, log(Ball(whole)).upper) if 0.0 < whole < math.inf else 0.0 if whole else -700.0
