"""Pairs with two outcomes that some instance of a mechanism attains, as points (Q, P) of one outcome's chances."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant import fields
from accountant.loss import AtomicLoss, Atoms, Floats
from accountant.numbers.rounding import Ball, Balls, lowered, raised
from accountant_selection.choice import Pairs

_LEAST = 2.0**-900
_TIMES = 512
"""How many roundoffs of themselves chances are moved by: more than they are off, towards each other."""
_NEAR = 2.0**-44


@frozen(eq=False)
class Points:
    """Chances of an outcome under Q and under P, both rising, such that no point lies below a line between two others.

    A test that mixes others reaches what lies between them, and whatever is convex in both chances is largest at a corner.
    """

    q: Floats
    p: Floats

    @classmethod
    def outermost(cls, q: Floats, p: Floats) -> Points:
        """The corners of the concave hull of points that are known up to 2^-45 of themselves and of their complements."""
        q, p = raised(q, _TIMES), lowered(p, _TIMES)
        kept = (p - q > _NEAR) & (q > _LEAST) & (p < 1.0)
        hull = [(0.0, 0.0)]
        for point in [*sorted(zip(q[kept].tolist(), p[kept].tolist(), strict=True)), (1.0, 1.0)]:
            while len(hull) >= 2 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], point):
                hull.pop()
            if point[0] > hull[-1][0]:
                hull.append(point)
        if len(hull) <= 2:
            return cls.nothing()
        corners = np.array(hull[1:-1])
        return cls(corners[:, 0], corners[:, 1])

    @classmethod
    def nothing(cls) -> Points:
        """A fair coin, which tells nothing."""
        return cls(np.array([0.5]), np.array([0.5]))

    @property
    def pairs(self) -> Pairs:
        """The same as pairs whose losses are whole ones."""
        lows, highs = _losses(self.p, self.q)
        return Pairs(self.p, 1.0 - self.p, highs, lows, Ball.rounded(1.0, 16.0).radius)

    def best(self, order: float) -> TwoOutcomes:
        """The pair with the largest moment of an order, or nearly: any is attained."""
        place = int(np.argmax(self.pairs.log_moments(order)))
        return TwoOutcomes(Fraction(float(self.p[place])), Fraction(float(self.q[place])))


def _losses(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """The losses of the complement and of the outcome, up to 8 roundoffs of 1 and of themselves.

    Next to 0 they come from the difference of the chances, far from it from their ratio: there the difference is close
    to -1, and the logarithm would multiply what it is off by.
    """
    fall = (q - p) / (1.0 - q)
    with np.errstate(divide="ignore"):
        lows = np.where(fall > -0.5, np.log1p(np.maximum(fall, -0.5)), np.log((1.0 - p) / (1.0 - q)))
    return lows, np.log1p((p - q) / q)


def _slope(left: tuple[float, float], right: tuple[float, float]) -> float:
    return (right[1] - left[1]) / (right[0] - left[0]) if right[0] > left[0] else -1.0


@frozen(cache_hash=True)
class TwoOutcomes(AtomicLoss):
    """The loss of an outcome with the chances p and q, and of its complement."""

    symmetric: ClassVar[bool] = False

    p: Fraction = field(converter=fields.exact)
    q: Fraction = field(converter=fields.exact)

    def find_atoms(self) -> Atoms:
        p, q = np.array([float(self.p)]), np.array([float(self.q)])
        masses = np.concatenate([1.0 - p, p])
        return Atoms(np.concatenate(_losses(p, q)), masses, Balls.rounded(masses, 8.0).radii)
