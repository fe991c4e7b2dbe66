"""Ball: a number with a bound on its absolute error. It needs nothing but the standard library."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.numbers.interval import Interval
from accountant.numbers.rounding.direction import GROW, LEAST, ROUNDOFF, SMALL, TINY, down, up

Number = int | float


class Ball:
    """A real number that lies within `radius` of `middle`.

    Guarantee: whatever numbers the operands stand for, the result's ball contains the result. Every operation counts its
    own roundings, those of the radius too. A radius that is infinite says that nothing is known.
    """

    __slots__ = ("middle", "radius")

    def __init__(self, middle: float, radius: float = 0.0) -> None:
        self.middle = middle
        self.radius = radius

    @classmethod
    def of(cls, value: Fraction | int | float | Interval) -> Ball:
        """A number that is known exactly, or by an interval."""
        if isinstance(value, Interval):
            return cls.between(value.lower, value.upper) if value.exact is None else cls.of(value.exact)
        if isinstance(value, float):
            return cls(value)
        top, bottom = value.numerator, value.denominator
        try:
            # Python divides whole numbers with one rounding, however long they are.
            middle = top / bottom
        except OverflowError:
            return cls(0.0, math.inf)
        if bottom & (bottom - 1) == 0 and top.bit_length() <= 53 and bottom.bit_length() < 1000:
            return cls(middle)
        return cls(middle, ROUNDOFF * abs(middle) + LEAST)

    @classmethod
    def between(cls, lower: float, upper: float) -> Ball:
        """A number known to lie between two others."""
        if lower == upper:
            return cls(lower)
        middle = 0.5 * lower + 0.5 * upper
        if not math.isfinite(middle):
            return cls(0.0, math.inf)
        return cls(middle, up(max(upper - middle, middle - lower)))

    @classmethod
    def rounded(cls, middle: float, times: float = 1.0, scale: float | None = None) -> Ball:
        """A number known up to so many roundings of itself, or of a scale."""
        size = abs(middle if scale is None else scale)
        return cls(middle, times * ROUNDOFF * size * GROW + (LEAST if size else 0.0))

    @classmethod
    def evaluated(cls, middle: float, times: float = 1.0, scale: float | None = None) -> Ball:
        """The value of a formula, known up to so many roundings of itself or of a scale; terms of it may underflow."""
        size = abs(middle if scale is None else scale)
        return cls(middle, times * ROUNDOFF * size * GROW + TINY)

    @property
    def lower(self) -> float:
        """The least that the number can be, rounded down."""
        if self.radius == 0.0:
            return self.middle
        return down(self.middle - self.radius) if self.radius < math.inf else -math.inf

    @property
    def upper(self) -> float:
        """The most that the number can be, rounded up."""
        if self.radius == 0.0:
            return self.middle
        return up(self.middle + self.radius) if self.radius < math.inf else math.inf

    @property
    def most(self) -> float:
        """The largest size that the number can have, rounded up."""
        return up(abs(self.middle) + self.radius) if self.radius else abs(self.middle)

    def interval(self, lower: float = -math.inf, upper: float = math.inf) -> Interval:
        """The ends, given that the number is known to lie between two bounds."""
        radius = self.radius
        if radius == 0.0:
            low = high = self.middle
        elif radius < math.inf:
            low, high = math.nextafter(self.middle - radius, -math.inf), math.nextafter(self.middle + radius, math.inf)
        else:
            low, high = -math.inf, math.inf
        if low < lower:
            low = lower
        if low > upper:
            low = upper
        if high > upper:
            high = upper
        return Interval(low, high if high > low else low)

    def widened(self, error: float) -> Ball:
        """The same number, off by so much more."""
        return Ball(self.middle, (self.radius + error) * GROW)

    def at_least(self, bound: float) -> Ball:
        """The larger of the number and a bound."""
        return self if self.middle >= bound else Ball(bound, self.radius)

    def at_most(self, bound: float) -> Ball:
        """The smaller of the number and a bound."""
        return self if self.middle <= bound else Ball(bound, self.radius)

    def __repr__(self) -> str:
        return f"Ball({self.middle!r}, {self.radius!r})"

    def __neg__(self) -> Ball:
        return Ball(-self.middle, self.radius)

    def __abs__(self) -> Ball:
        return Ball(abs(self.middle), self.radius)

    def __add__(self, other: Ball | Number) -> Ball:
        if other.__class__ is not Ball:
            other = _ball(other)
        middle = self.middle + other.middle
        return Ball(middle, (self.radius + other.radius + ROUNDOFF * abs(middle)) * GROW)

    __radd__ = __add__

    def __sub__(self, other: Ball | Number) -> Ball:
        if other.__class__ is not Ball:
            other = _ball(other)
        middle = self.middle - other.middle
        return Ball(middle, (self.radius + other.radius + ROUNDOFF * abs(middle)) * GROW)

    def __rsub__(self, other: Number) -> Ball:
        return _ball(other) - self

    def __mul__(self, other: Ball | Number) -> Ball:
        if other.__class__ is not Ball:
            other = _ball(other)
        left, right, doubt, slip = self.middle, other.middle, self.radius, other.radius
        middle = left * right
        radius = (abs(left) * slip + doubt * (abs(right) + slip) + ROUNDOFF * abs(middle)) * GROW
        if abs(middle) > SMALL:
            return Ball(middle, radius)
        if (left == doubt == 0.0) or (right == slip == 0.0):
            return Ball(0.0)
        return Ball(middle, radius + LEAST)

    __rmul__ = __mul__

    def __truediv__(self, other: Ball | Number) -> Ball:
        if other.__class__ is not Ball:
            other = _ball(other)
        least = abs(other.middle) - other.radius
        if not least > 0.0:
            return Ball(0.0, math.inf)
        middle = self.middle / other.middle
        # The quotient of the radius comes first, so that no product of small numbers is lost before it is divided.
        radius = (self.radius / least + abs(middle) * (other.radius / least) + ROUNDOFF * abs(middle)) * GROW
        if abs(middle) > SMALL:
            return Ball(middle, radius)
        return Ball(0.0) if self.middle == self.radius == 0.0 else Ball(middle, radius + LEAST)

    def __rtruediv__(self, other: Number) -> Ball:
        return _ball(other) / self

    def __pow__(self, count: int) -> Ball:
        whole = Ball(1.0)
        for digit in format(abs(count), "b"):
            whole = whole * whole
            whole = whole * self if digit == "1" else whole
        return whole if count >= 0 else 1.0 / whole


def _ball(value: Ball | Number) -> Ball:
    if value.__class__ is float:
        return Ball(value)
    return value if isinstance(value, Ball) else Ball.of(value)
