"""Rare losses on a contour: the law of a sum without the case in which none of them is seen.

Split the law A of each rare loss into a seen part T and an unseen part B. Of n copies, A^n - B^n is the law of the sum
where at least one is seen; over several losses the products of both are taken apart likewise. Its transform is

    A^n (1 - e^w),  w = the sum of n log(1 - T/A),

which is as small as it is rare, and falls as fast as that of T, where A^n would have to be followed until the narrow bulk
of all unseen copies is told apart. For |B(z)| <= B(t), |T(z)| <= T(t) and A = B + T its size is at most A(t)^n times the
sum of n |T(z)|/A(t). The sum where nothing is seen is bounded by its moments: upper ends add it, lower ends leave it out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.contour_tail import Decay, negligible
from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.readings.arrays import Complexes, Floats
from accountant.loss.readings.base import log_largest_gain
from accountant.loss.readings.moments import Moments, Seen
from accountant.numbers.rounding import Ball, Balls, dot, exp, expm1, log, log1p
from accountant.progress import nearer

Families = tuple[tuple[Moments, Floats], ...]

_SHARES = (2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
"""How many times smaller than epsilon losses are that are seen."""
_TILTS = (16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
"""Tilts at which unseen losses are bounded, in units of 1/epsilon."""
_FARTHEST = 60
_PI = Ball.rounded(math.pi)


@frozen(eq=False)
class SeenLosses:
    """Which losses are split, with the family and the row of each and its count, and bounds on the sum of all unseen."""

    parts: tuple[tuple[Seen, int, int, float], ...]
    unseen: tuple[tuple[float, float], ...]
    """Tilts with the logarithm of a bound on the moment and the largest gain there."""

    @classmethod
    def of(cls, families: Families, epsilon: float, log_delta: float, precision: float) -> SeenLosses | None:
        """The split with as little seen as serves deltas near e^log_delta at an epsilon, if there is one."""
        for share in _SHARES:
            parts = tuple(
                (seen, number, row, float(counts[row]))
                for number, (moments, counts) in enumerate(families)
                for row, seen in enumerate(moments.seen(epsilon / share))
                if seen is not None
            )
            if not parts:
                return None
            found = cls(parts, _bounds(families, parts, [tilt / epsilon for tilt in _TILTS]))
            if found.log_rest(epsilon) <= log_delta - negligible(precision):
                return found
        return None

    def log_rest(self, epsilon: float) -> float:
        """The logarithm of a bound on delta of the sum where nothing is seen."""
        return min(((Ball(value) - Ball(tilt) * epsilon).upper for tilt, value in self.unseen), default=math.inf)

    def rest(self, epsilon: float) -> float:
        """A bound on delta of the sum where nothing is seen."""
        most = self.log_rest(epsilon)
        return exp(Ball(most)).upper if most < 0.0 else 1.0

    def log_shares(self, families: Families, points: Complexes) -> tuple[Balls, Floats]:
        """1 - e^w at points, and bounds on its size where its phase is lost: no factor 1 - s is larger than 1 + |s|."""
        whole, most = Balls(np.zeros(points.shape, dtype=np.complex128)), Balls(np.zeros(points.shape))
        for seen, number, row, count in self.parts:
            values, errors = (array[row] for array in families[number][0].log_moments(points))
            if not np.all(errors < 1.0):
                raise OverflowError("too little is known of a loss to split it")
            share = _on_lines(seen, points) * exp(-Balls(values, errors))
            whole = whole + log1p(-share) * count
            most = most + log1p(Balls(share.most)) * count
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = expm1(most).upper
        if not np.all(np.isfinite(sizes)):
            raise OverflowError("the moment of losses that are seen is too large")
        return -expm1(whole), sizes

    def decay(self, families: Families, saddle: Saddle, spacing: float, most: float, precision: float) -> Decay | None:
        """Where nodes may end, if that is at most at a height of `most`: there every transform of a seen part is small."""
        whole = Ball(0.0)
        for moments, counts in families:
            values, errors = moments.log_moments(np.array([complex(saddle.tilt)]))
            for value, error, count in zip(values[:, 0].real, errors[:, 0], counts, strict=True):
                whole = whole + Ball(float(value), float(error)) * float(count)
        lead = exp(whole - Ball(saddle.value, saddle.error)).upper
        goal = math.exp(saddle.log_size) * min(precision, 0.01) / 32.0
        split = {number for _, number, _, _ in self.parts}
        height = 2.0 * spacing
        for _ in range(_FARTHEST):
            nearer()
            height *= 1.25
            if height > most:
                return None
            sizes = sum((Ball(seen.fall(saddle.tilt, height)) * count for seen, _, _, count in self.parts), Ball(0.0))
            falls = sum(
                (
                    dot(counts, moments.falls(saddle.tilt, height))
                    for number, (moments, counts) in enumerate(families)
                    if number not in split
                ),
                Ball(0.0),
            )
            room = (Ball(spacing) / height + 1.0) / (_PI * height)
            tail = (exp(falls) * lead * sizes * room).upper
            if tail <= goal:
                return Decay(height, tail, Smoothing(0.0))
        return None


def log_factor(shares: Balls, sizes: Floats) -> tuple[Complexes, Floats]:
    """The logarithm of numbers of which bounds on the size are known too, as `Moments` says it."""
    sure = shares.radii < 0.25 * np.abs(shares.middle)
    # Of others no more is known than their size.
    values = log(Balls(np.maximum(sizes, 1e-300))).upper.astype(np.complex128)
    errors = np.full(sizes.shape, math.inf)
    if sure.any():
        found = log(shares[sure])
        values[sure], errors[sure] = found.middle, found.radii
    return values, errors


def _on_lines(seen: Seen, points: Complexes) -> Balls:
    """Moments of a seen part at points of any lines."""
    found, radii = np.empty(points.shape, dtype=np.complex128), np.empty(points.shape)
    for tilt in sorted(set(points.real.tolist())):
        here = np.flatnonzero(points.real == tilt)
        moments = seen.moments(tilt, points.imag[here])
        found[here], radii[here] = moments.middle, moments.radii
    return Balls(found, radii)


def _bounds(
    families: Families, parts: Sequence[tuple[Seen, int, int, float]], tilts: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    """Tilts that doubles reach, with a bound on the log moment of the sum where nothing is seen and the largest gain."""
    split = {(number, row) for _, number, row, _ in parts}
    found = []
    for tilt in tilts:
        total = Ball(log_largest_gain(tilt))
        for seen, _, _, count in parts:
            total = total + Ball(seen.log_unseen(tilt)) * count
        try:
            for number, (moments, counts) in enumerate(families):
                if all((number, row) in split for row in range(counts.size)):
                    continue
                values, errors = moments.log_moments(np.array([complex(tilt)]))
                for row, count in enumerate(counts.tolist()):
                    if (number, row) not in split:
                        total = total + Ball(float(values[row, 0].real), float(errors[row, 0])) * count
        except OverflowError:
            continue
        if math.isfinite(total.upper):
            found.append((tilt, total.upper))
    return tuple(found)
