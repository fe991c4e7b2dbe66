"""Interval: the type of every number that was computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from attrs import field, frozen

from accountant.errors import InvalidValue
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.rounding.direction import (
    down,
    float_above as float_above,
    float_below as float_below,
    times_down,
    times_up,
    up,
)

LONGEST_DENOMINATOR = 4096
"""Bits of a denominator beyond which a sum is no longer kept exactly: many unlike fractions would never end."""


_LONGEST_DECIMAL, _LONGEST_RATIO, _LONGEST_WRITTEN = 24, 14, 80


@frozen
class Interval:
    """Two ends between which the true value lies, and the value itself where it is known exactly.

    Guarantee: lower <= truth <= upper. When `exact` is given, the ends are its nearest doubles outward.
    """

    lower: float = field(converter=float)
    upper: float = field(converter=float)
    exact: Fraction | None = None

    def __attrs_post_init__(self) -> None:
        if self.lower <= self.upper:
            return
        if math.isnan(self.lower) or math.isnan(self.upper):
            raise InvalidValue("an interval cannot end at NaN")
        raise InvalidValue(f"an interval cannot have lower end {self.lower!r} above upper end {self.upper!r}")

    @classmethod
    def of(cls, value: ExactLike) -> Interval:
        """The interval of an exactly known value."""
        number = exact(value)
        return cls(float_below(number), float_above(number), number)

    @classmethod
    def infinite(cls) -> Interval:
        """A value known to be infinite."""
        return cls(math.inf, math.inf)

    @classmethod
    def around(cls, value: float, error: float) -> Interval:
        """A computed value with a bound on its absolute error, widened by one more rounding."""
        return cls(down(value - error), up(value + error))

    def __add__(self, other: Interval) -> Interval:
        if self.exact is not None and other.exact is not None:
            total = self.exact + other.exact
            whole = Interval.of(total)
            return whole if total.denominator.bit_length() <= LONGEST_DENOMINATOR else Interval(whole.lower, whole.upper)
        return Interval(_sum(self.lower, other.lower, down), _sum(self.upper, other.upper, up))

    def __neg__(self) -> Interval:
        return Interval.of(-self.exact) if self.exact is not None else Interval(-self.upper, -self.lower)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def times(self, count: int) -> Interval:
        """The value taken `count` times."""
        if self.exact is not None:
            return Interval.of(self.exact * count)
        if count == 0:
            return Interval.of(0)
        if count == 1:
            return self
        return Interval(times_down(self.lower, count), times_up(self.upper, count))

    def clamp(self, lower: float, upper: float) -> Interval:
        """The same value, given that it is known to lie between two further bounds."""
        if self.exact is not None:
            return self
        low = min(max(self.lower, lower), upper)
        return Interval(low, max(low, min(self.upper, upper)))

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        if self == other:
            return self
        return Interval(min(self.lower, other.lower), max(self.upper, other.upper))

    def at_most(self, bound: Fraction) -> bool | None:
        """Whether the value is at most `bound`: yes, no, or None when the interval cannot tell."""
        if self.exact is not None:
            return self.exact <= bound
        if self.upper < math.inf and Fraction(self.upper) <= bound:
            return True
        if self.lower == math.inf or Fraction(self.lower) > bound:
            return False
        return None

    def contains(self, value: ExactLike) -> bool:
        """Whether a finite value lies in the interval."""
        if self.exact is not None:
            return self.exact == exact(value)
        number = exact(value)
        if self.lower == math.inf:
            return False
        return (self.lower == -math.inf or Fraction(self.lower) <= number) and (
            self.upper == math.inf or number <= Fraction(self.upper)
        )

    @property
    def width(self) -> float:
        """The distance between the ends, rounded up; zero when the value is exact."""
        if self.exact is not None or self.lower == self.upper:
            return 0.0
        return up(self.upper - self.lower)

    def __str__(self) -> str:
        return self.shown(6)

    def __repr__(self) -> str:
        if self.exact is None:
            return f"Interval({self.lower!r}, {self.upper!r})"
        whole = plain(self.exact)
        return (
            f"Interval.of({whole!r})" if len(whole) <= _LONGEST_WRITTEN else f"Interval({self.lower!r}, {self.upper!r}, …)"
        )

    def _repr_html_(self) -> str:
        """Six figures, and all of them for whoever points there."""
        return f'<span title="{self.lower!r} to {self.upper!r}">{self}</span>'

    def shown(self, digits: int) -> str:
        """The value in words: exactly where it is known so and short enough, otherwise from one end to the other."""
        whole = "" if self.exact is None else plain(self.exact)
        if whole and len(whole) <= (_LONGEST_RATIO if "/" in whole else _LONGEST_DECIMAL):
            return whole
        low, high = self.rounded(digits)
        return low if low == high else f"{low} to {high}"

    def rounded(self, digits: int) -> tuple[str, str]:
        """Both ends as decimals of at most `digits` significant figures, rounded outward."""
        low, high = (self.lower, self.upper) if self.exact is None else (self.exact, self.exact)
        return _decimal(low, digits, ROUND_FLOOR), _decimal(high, digits, ROUND_CEILING)


def upper_fraction(value: Interval) -> Fraction:
    """An exact upper bound on a value, of few enough digits to compute with."""
    known = value.exact
    return Fraction(value.upper) if known is None or known.denominator.bit_length() > LONGEST_DENOMINATOR else known


def larger(values: Iterable[Interval]) -> Interval:
    """The maximum of several values, each known by an interval."""
    items = list(values)
    best = max(items, key=lambda item: item.upper)
    if best.exact is not None and all(item.exact is not None and item.exact <= best.exact for item in items):
        return best
    return Interval(max(item.lower for item in items), best.upper)


def _sum(left: float, right: float, outward: Callable[[float], float]) -> float:
    total = left + right
    if math.isinf(left) or math.isinf(right):
        return total
    # A sum that doubles do not reach is no more infinite than its terms: its lower end is the largest of them.
    exactly = not math.isinf(total) and Fraction(left) + Fraction(right) == Fraction(total)
    return total if exactly else outward(total)


def _decimal(value: float | Fraction, digits: int, rounding: str) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    number = Fraction(value)
    context = Context(prec=digits, rounding=rounding)
    rounded = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return plain(Fraction(rounded))
