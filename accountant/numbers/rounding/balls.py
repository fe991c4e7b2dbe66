"""Balls: arrays with a bound on the absolute error of each entry, real or complex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accountant.numbers.rounding.ball import Ball
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, SMALL, TINY

Floats = NDArray[np.float64]
Array = NDArray[Any]
Radius = Floats | float
_FEW = 3


class Balls:
    """Numbers that lie within `radius` of `middle`, entry by entry.

    Guarantee: whatever numbers the operands stand for, the result's balls contain the results. Every operation counts its
    own roundings, those of the radius too. A radius may be one number for all entries, and is 0.0 where the array is exact:
    then it costs nothing. Where it is not below infinity nothing is known of the entry, whatever its middle is.
    """

    __slots__ = ("middle", "radius")
    __array_ufunc__ = None  # arrays leave arithmetic with balls to balls
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, middle: Array, radius: Radius = 0.0) -> None:
        self.middle = middle
        self.radius = radius

    @classmethod
    def of(cls, values: Sequence[Ball]) -> Balls:
        """Several balls in a row."""
        return cls(np.array([ball.middle for ball in values]), np.array([ball.radius for ball in values]))

    @classmethod
    def rounded(cls, middle: Array, times: float = 1.0, scale: Floats | float | None = None) -> Balls:
        """Numbers known up to so many roundings of themselves, or of a scale."""
        size = np.abs(middle if scale is None else scale)
        radius = size * (times * ROUNDOFF * GROW)
        radius += np.minimum(size, LEAST)
        return cls(middle, radius)

    @classmethod
    def evaluated(cls, middle: Array, times: float = 1.0, scale: Floats | float | None = None) -> Balls:
        """Values of a formula, known up to so many roundings of themselves or of a scale; terms of it may underflow."""
        size = np.abs(middle if scale is None else scale)
        return cls(middle, size * (times * ROUNDOFF * GROW) + TINY)

    @classmethod
    def relative(cls, middle: Array, share: Radius) -> Balls:
        """Numbers known up to a share of themselves: what a formula loses in all, where only products are rounded."""
        size = np.abs(middle)
        radius = size * (share * GROW)
        radius += np.minimum(size, LEAST)
        return cls(middle, radius)

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.middle.size

    @property
    def radii(self) -> Floats:
        """The radius of every entry."""
        return self.radius if isinstance(self.radius, np.ndarray) else np.full(self.middle.shape, self.radius)

    @property
    def lower(self) -> Floats:
        """The least that each number can be, rounded down."""
        if is_exact(self.radius):
            return self.middle
        return _outward(self.middle - self.radius, -1.0, self.radius)

    @property
    def upper(self) -> Floats:
        """The most that each number can be, rounded up."""
        if is_exact(self.radius):
            return self.middle
        return _outward(self.middle + self.radius, 1.0, self.radius)

    @property
    def most(self) -> Floats:
        """The largest size that each number can have, rounded up."""
        return abs(self).upper

    def widened(self, error: Radius) -> Balls:
        """The same numbers, off by so much more."""
        return Balls(self.middle, (self.radius + error) * GROW)

    def at_least(self, bound: Floats | float) -> Balls:
        """The larger of each number and a bound."""
        return Balls(np.maximum(self.middle, bound), self.radius)

    def at_most(self, bound: Floats | float) -> Balls:
        """The smaller of each number and a bound."""
        return Balls(np.minimum(self.middle, bound), self.radius)

    def __repr__(self) -> str:
        # Of many numbers no more than how many there are: an array is written on many lines.
        few = np.size(self.middle) <= _FEW
        return f"Balls({self.middle!r}, {self.radius!r})" if few else f"Balls(… {np.size(self.middle):,} numbers)"

    def __len__(self) -> int:
        return len(self.middle)

    def __getitem__(self, index: Any) -> Balls:
        radius = self.radius[index] if isinstance(self.radius, np.ndarray) else self.radius
        return Balls(self.middle[index], radius)

    def entry(self, index: int) -> Ball:
        """One of the numbers."""
        radius = self.radius[index] if isinstance(self.radius, np.ndarray) else self.radius
        return Ball(float(self.middle[index]), float(radius))

    def replaced(self, index: Any, values: Balls | Ball | float) -> Balls:
        """The same numbers but for those at an index."""
        middle, radius = self.middle.copy(), self.radii.copy()
        middle[index], radius[index] = parts_of(values)
        return Balls(middle, radius)

    def turned(self, condition: NDArray[np.bool_]) -> Balls:
        """The same numbers, with their signs changed where a condition holds."""
        return Balls(np.where(condition, -self.middle, self.middle), self.radius)

    @property
    def real(self) -> Balls:
        """The real parts."""
        return Balls(self.middle.real, self.radius)

    @property
    def imag(self) -> Balls:
        """The imaginary parts."""
        return Balls(self.middle.imag, self.radius)

    def conjugate(self) -> Balls:
        """The same numbers, mirrored in the real line."""
        return Balls(np.conj(self.middle), self.radius)

    def __neg__(self) -> Balls:
        return Balls(-self.middle, self.radius)

    def __abs__(self) -> Balls:
        size = np.abs(self.middle)
        return Balls(size, (self.radius + 2 * ROUNDOFF * size) * GROW if is_complex(self.middle) else self.radius)

    def __add__(self, other: Any) -> Balls:
        middle, radius = parts_of(other)
        return _summed(self.middle + middle, self.radius, radius)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Balls:
        middle, radius = parts_of(other)
        return _summed(self.middle - middle, self.radius, radius)

    def __rsub__(self, other: Any) -> Balls:
        middle, radius = parts_of(other)
        return _summed(middle - self.middle, self.radius, radius)

    def __mul__(self, other: Any) -> Balls:
        right, slip = parts_of(other)
        left, doubt = self.middle, self.radius
        with np.errstate(over="ignore", invalid="ignore"):
            middle = left * right
            size = np.abs(middle)
            radius = size * product_rounding(middle)
            if not is_exact(slip):
                radius += np.abs(left) * slip
            if not is_exact(doubt):
                radius += doubt * (np.abs(right) if is_exact(slip) else np.abs(right) + slip)
            radius *= GROW
        if _smallest(size) > SMALL:
            return Balls(middle, radius)
        plain = size > SMALL
        first, doubt, second, slip = _at(~plain, left, doubt, right, slip)
        return _charged(middle, radius, ~plain, ((first == 0.0) & (doubt == 0.0)) | ((second == 0.0) & (slip == 0.0)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Balls:
        return _quotient(self.middle, self.radius, *parts_of(other))

    def __rtruediv__(self, other: Any) -> Balls:
        return _quotient(*parts_of(other), self.middle, self.radius)

    def squared(self) -> Balls:
        """Each number times itself."""
        return self * self

    def __pow__(self, count: int) -> Balls:
        whole = Balls(np.ones_like(self.middle))
        for digit in format(abs(count), "b"):
            whole = whole * whole
            whole = whole * self if digit == "1" else whole
        return whole if count >= 0 else 1.0 / whole


def parts_of(value: Any) -> tuple[Any, Any]:
    """The middle and the radius of an operand; arrays and plain numbers are exact."""
    if isinstance(value, (Balls, Ball)):
        return value.middle, value.radius
    if isinstance(value, int) and abs(value) > 2**53:
        return parts_of(Ball.of(value))
    return value, 0.0


def is_exact(radius: Radius) -> bool:
    """Whether a radius is known to be 0 without looking at entries."""
    return radius.__class__ is float and radius == 0.0


def is_complex(values: Array) -> bool:
    """Whether an array is complex, without looking at entries."""
    return values.dtype.kind == "c"


def product_rounding(middle: Array) -> float:
    """A complex product is off by at most sqrt(5) roundoffs of its size (Brent, Percival and Zimmermann 2007)."""
    return 2.25 * ROUNDOFF if is_complex(middle) else ROUNDOFF


def _summed(middle: Array, first: Radius, second: Radius) -> Balls:
    """A sum that was rounded once. Sums lose nothing to underflow."""
    radius = np.abs(middle) * ROUNDOFF
    if not is_exact(first):
        radius += first
    if not is_exact(second):
        radius += second
    radius *= GROW
    return Balls(middle, radius)


def _quotient(top: Any, doubt: Any, bottom: Any, slip: Any) -> Balls:
    least = np.abs(bottom) if is_exact(slip) else np.abs(bottom) - slip
    all_known = _smallest(least) > 0.0
    known = True if all_known else least > 0.0
    if not all_known:
        bottom, least = np.where(known, bottom, 1.0), np.where(known, least, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = top / bottom
        size = np.abs(middle)
        radius = size * (16 * ROUNDOFF if is_complex(middle) else ROUNDOFF)
        if not is_exact(slip):
            # The quotient comes first, so that no product of small numbers is lost before it is divided.
            radius += size * (slip / least)
        if not is_exact(doubt):
            radius += doubt / least
        radius *= GROW
    if not all_known:
        radius = np.where(known, radius, np.inf)
    if _smallest(size) > SMALL:
        return Balls(middle, radius)
    plain = size > SMALL
    first, doubt, held = _at(~plain, top, doubt, known)
    return _charged(middle, radius, ~plain, (first == 0.0) & (doubt == 0.0) & held)


def _smallest(sizes: Any) -> float:
    """The smallest of some sizes."""
    if sizes.__class__ is float:
        return sizes
    found: float = np.minimum.reduce(sizes, axis=None, initial=np.inf)
    return found


def _at(places: Any, *operands: Any) -> list[Any]:
    """What operands are at some places of their result."""
    return [np.broadcast_to(operand, places.shape)[places] for operand in operands]


def _charged(middle: Array, radius: Floats, places: Any, nothing: NDArray[np.bool_]) -> Balls:
    """Balls that pay for underflow at some places, but not where a factor is exactly 0."""
    middle, radius = np.array(middle), np.array(radius)
    middle[places] = np.where(nothing, 0.0, middle[places])
    radius[places] = np.where(nothing, 0.0, radius[places] + LEAST)
    return Balls(middle, radius)


def _outward(ends: Floats, side: float, radius: Radius) -> Floats:
    """Ends moved to the next double or the one after it, far faster than by asking for it; subnormal sums are exact."""
    moved = np.abs(ends)
    moved *= side * 2 * ROUNDOFF
    moved += ends
    # A sum is finite where all of its terms are; one that overflows is looked at closely.
    if math.isfinite(np.add.reduce(moved, axis=None)):
        return moved
    return np.where(radius < np.inf, moved, side * np.inf)
