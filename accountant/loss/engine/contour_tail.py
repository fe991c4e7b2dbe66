"""How fast the transform of a composed loss falls: a proof, not a hope, that the far nodes of a line can be left out.

Let phi(y) be the transform of one loss under its tilted law, D the difference of two independent copies of it and s its
standard deviation. Then (1 - |phi(y)|^2)/2 = E[sin(y D/2)^2], so g(y) = sqrt((1 - |phi(y)|^2)/2) is the norm of a function
that moves by at most |D|/2 per unit of y, and g itself moves by at most s/sqrt(2). One evaluation therefore bounds |phi| on
a whole interval around it. Intervals are laid over all heights from the last node up to one from where a bound holds that
needs no evaluation: from what a family knows of the densities of its losses, and |1/(z (z + 1))| <= 1/y^2 in any case.
Intervals whose bound is not small enough are divided; the last that stays too large is where the nodes must reach.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from attrs import frozen

from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.smoothing import Smoothing
from accountant.loss.families.gaussian import GaussianMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.moments import Moments
from accountant.numbers.rounding import TINY, Ball, Balls, dot, exp, expm1, log1p, matrix_product, raised, sqrt, up
from accountant.progress import nearer


class Transform(Protocol):
    """What is known of the transform of a composed loss: families of its parts with their counts, and its Gaussian part."""

    @property
    def families(self) -> tuple[tuple[Moments, Floats], ...]: ...

    @property
    def damping(self) -> float: ...


def negligible(precision: float) -> float:
    """Natural logarithm of how much smaller than delta each neglected part shall be, where delta shall be so precise."""
    return min(max(9.0 - math.log(precision), 17.0), 36.0)


_MOST_WORK, _HASTE = 2.0**23, 0.5
_FARTHEST, _STRIDE = 200, 4
_ROUNDS = 10
_DIVISION = 4
_RATIO = 1.5
_PI, _HALF_ROOT = Ball.rounded(math.pi), Ball.rounded(math.sqrt(0.5))
_LARGEST_LACK = 0.999999999999
"""No transform is taken for smaller than the root of what is left to 1."""


@frozen
class Decay:
    """Nodes up to `height` are needed; all that lie above add up to at most `tail`, in units of the moment at the tilt.

    Both hold for the integrand after `smoothing`.
    """

    height: float
    tail: float
    smoothing: Smoothing

    @classmethod
    def of(
        cls, contour: Transform, saddle: Saddle, spacing: float, most: float, precision: float, patience: float = 1.0
    ) -> Decay | None:
        """Where nodes with some spacing may end, if that is proven to be at most at a height of `most`.

        Patience is how much of the usual effort may go into the proof. What has no bound far up but 1/y^2 is smoothed, as
        much as the precision asked of delta allows.
        """
        if contour.damping > 0.0:
            height = math.sqrt(2.0 * (negligible(precision) + 4.0) / contour.damping)
            if height <= most:
                fall = exp(-0.5 * (Ball(contour.damping) * height) * height)
                return cls(height, (fall / (_PI * height)).upper, Smoothing(0.0))
        start = 0.8 * math.sqrt(2.0 * negligible(precision) / max(saddle.bend, 1e-300))
        if not start < most:
            return None
        whole = math.exp(saddle.log_size)
        smoothing = Smoothing.for_delta(saddle.tilt, min(precision, 0.01))
        goal = whole * math.exp(-negligible(precision))
        allowed = whole * precision / 32.0
        sharper = any(type(moments).sharper_falls is not Moments.sharper_falls for moments, _ in contour.families)
        for sharp in (False, True) if patience >= 1.0 and sharper else (False,):
            found = cls._found(contour, saddle, start, spacing, smoothing, (allowed, goal), most, patience, sharp)
            if found is not None:
                return found
        return None

    @classmethod
    def _found(
        cls,
        contour: Transform,
        saddle: Saddle,
        start: float,
        spacing: float,
        smoothing: Smoothing,
        goals: tuple[float, float],
        most: float,
        patience: float,
        sharp: bool,
    ) -> Decay | None:
        """The same from one kind of bounds far up."""
        end, far, falls = _far(contour, saddle.tilt, start, spacing, smoothing, *goals, sharp)
        smoothing = Smoothing(0.0) if falls else smoothing
        parts = _Parts.of(contour, saddle.tilt, smoothing)
        # A cover is worth its cost only where it saves more nodes than it takes.
        if end <= most and end <= 64.0 * spacing:
            return cls(end, far, smoothing)
        work = _MOST_WORK * (patience if sharp else min(patience, _HASTE))
        cover = _cover(parts, start, max(end, 2.0 * start), spacing, goals[1] + far, work)
        height, near = (end, 0.0) if cover is None else cover
        return None if height > most else cls(height, (Ball(near) + far).upper, smoothing)


def _far(
    contour: Transform,
    tilt: float,
    start: float,
    spacing: float,
    smoothing: Smoothing,
    allowed: float,
    goal: float,
    sharp: bool = False,
) -> tuple[float, float, bool]:
    """A height, a bound on all nodes above it, and whether that is owed to the losses and not to smoothing."""

    def at(power: int) -> tuple[float, float, bool] | None:
        nearer()
        end = start * 1.25**power
        room = (Ball(spacing) / end + 1.0) / (_PI * end)
        known = ((moments.sharper_falls if sharp else moments.falls, counts) for moments, counts in contour.families)
        falls = sum((dot(counts, bounds(tilt, end)) for bounds, counts in known), Ball(0.0))
        far = (exp(falls) * room).upper
        if far <= goal:
            return end, far, True
        smooth = (exp(Ball(float(smoothing.log_fall(np.array([end]))[0]))) * room).upper
        return (end, smooth, False) if smooth <= allowed or power == _FARTHEST else None

    # Bounds fall with the height: strides find about where they are small enough, and halves the least place.
    below, above = 0, _STRIDE
    while (found := at(above)) is None:
        below, above = above, above + _STRIDE
    while above - below > 1:
        middle = (below + above) // 2
        if (lower := at(middle)) is None:
            below = middle
        else:
            above, found = middle, lower
    return found


@frozen(eq=False)
class _Parts:
    """The losses that a cover evaluates, with their own moments and deviations at the tilt."""

    tilt: float
    damping: float
    smoothing: Smoothing
    members: list[tuple[Moments, Floats, Floats, Floats]]

    @classmethod
    def of(cls, contour: Transform, tilt: float, smoothing: Smoothing) -> _Parts:
        members = []
        for moments, counts in contour.families:
            if not isinstance(moments, GaussianMoments):
                values, errors = moments.log_moments(np.array([complex(tilt)]))
                # A loss that is hardly known at the tilt cannot be used; its transform is at most 1.
                least = np.where(errors[:, 0] < 1.0, Balls(values[:, 0].real, errors[:, 0]).lower, -np.inf)
                members.append((moments, counts, least, (Balls(moments.deviations(tilt)) * _HALF_ROOT).upper))
        return cls(tilt, contour.damping, smoothing, members)

    def work(self, heights: Floats) -> float:
        """About how many numbers bounds at these heights take."""
        if not heights.size:
            return 0.0
        lowest, highest = float(heights.min()), float(heights.max())
        ends = [sum(moments.effort(self.tilt, height) for moments, *_ in self.members) for height in (lowest, highest)]
        # Effort grows along a line.
        return float(np.sum(np.interp(heights, [lowest, highest], ends)))

    def log_bounds(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Bounds on the logarithm of the transform on each interval, and what they would be at its middle alone."""
        middle = 0.5 * (low + high)
        radius = up(np.maximum(high - middle, middle - low))
        bound = self.smoothing.log_fall(low) - (Balls(low).squared() * (0.5 * self.damping)).lower
        ideal = bound.copy()
        for moments, counts, least, deviations in self.members:
            block = max(1, 2**15 // counts.size)
            for start in range(0, middle.size, block):
                some = slice(start, start + block)
                values, errors = moments.log_moments((self.tilt + 1j * middle[some]).astype(np.complex128))
                distance = _distance(Balls(values.real, np.where(np.isinf(errors), 0.0, errors)), least[:, None])
                kept = (Balls(distance) - Balls(radius[some]) * deviations[:, None]).lower
                bound[some] -= _fall(counts, np.maximum(kept, 0.0))
                ideal[some] -= _fall(counts, distance)
        # Every difference rounds by no more than the whole, but for a smoothing that is above 0.
        return Balls.rounded(bound, 2.0 + len(self.members), np.abs(bound) + 2.0).upper, ideal


def _distance(log_sizes: Balls, least: Floats) -> Floats:
    """A lower bound on g from the logarithm of the size of a moment, and from that of the moment at the tilt."""
    rise = np.minimum((log_sizes - least).upper, 0.0)
    return sqrt(expm1(Balls(2.0 * rise)) * -0.5).lower


def _fall(counts: Floats, distance: Floats) -> Floats:
    """What so many losses with such distances take from the logarithm of the size at least: -log(1 - 2 g^2)/2 each."""
    square = np.minimum(2.0 * Balls(distance).squared().lower, _LARGEST_LACK)
    return matrix_product(counts, log1p(Balls(-square)) * -0.5).lower


def _cover(
    parts: _Parts, start: float, end: float, spacing: float, budget: float, most: float = _MOST_WORK
) -> tuple[float, float] | None:
    """Up to where the bounds are too large, and a bound on all nodes between there and the end."""
    count = math.ceil(math.log(end / start) / math.log(_RATIO))
    edges = start * (end / start) ** (np.arange(count + 1) / count)
    edges[-1] = max(float(edges[-1]), end)
    low, high = edges[:-1], edges[1:]
    done_high, done_size = np.empty(0), np.empty(0)
    height, work = start, 0.0
    for last in [*([False] * (_ROUNDS - 1)), True]:
        work += parts.work(high)
        if work > most:
            return None
        bound, ideal = parts.log_bounds(low, high)
        needed = np.log(budget * math.pi * low) - 3.0
        small = bound <= needed
        # So many nodes lie in an interval, and no more.
        sizes = np.exp(bound[small]) * (high[small] - low[small] + spacing) / np.square(low[small]) + TINY
        done_high, done_size = np.concatenate([done_high, high[small]]), np.concatenate([done_size, sizes])
        # Where intervals are shorter than the nodes are apart, nodes cost less than more intervals.
        hopeless = ~small & ((ideal > needed - 1.0) | (high - low < spacing) | last)
        height = max(height, float(np.max(high[hopeless], initial=0.0)))
        open_ = ~small & ~hopeless & (high > height)
        if not np.any(open_):
            break
        parts_of = np.linspace(0.0, 1.0, _DIVISION + 1)
        edges = low[open_][:, None] + (high - low)[open_][:, None] * parts_of[None, :]
        # Intervals leave no gaps between them, not even by rounding.
        edges[:, -1] = high[open_]
        low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    near = done_size[done_high > height]
    # A function that is granted 8 roundings, five more, their sum, and what it is divided by.
    return height, raised(float(np.sum(near)) / math.pi, near.size + 15.0)
