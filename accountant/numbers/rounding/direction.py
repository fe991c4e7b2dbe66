"""Rounding in one direction, and the constants that every bound is made of."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUNDOFF = 2.0**-53
"""The most that one rounding to the nearest double changes a number, as a share of it."""
TINY = 2.0**-1000
"""Far above what any rounding to a subnormal number can lose, far below every reading."""
UNDERFLOW = 2.0**-1020
"""What a function that falls below the normal numbers may lose, even if all of it is lost."""
SMALL = 2.0**-900
"""From here down products may lose digits to underflow, and are charged for it."""
LEAST = 2.0**-1072
"""What a few roundings to subnormal numbers lose together."""
GROW = 1.0 + 2.0**-49
"""Pays for a dozen roundings in the arithmetic of a bound."""
_EXACT = 2**53
LARGEST = math.nextafter(math.inf, 0.0)

Real = TypeVar("Real", float, "NDArray[np.float64]")


def up(value: Real) -> Real:
    """The next double above: an upper bound on what was rounded once."""
    found: Real = _next(value, math.inf)
    return found


def down(value: Real) -> Real:
    """The next double below: a lower bound on what was rounded once."""
    found: Real = _next(value, -math.inf)
    return found


def _next(value: Any, end: float) -> Any:
    if isinstance(value, float):
        return math.nextafter(value, end)
    import numpy as np

    return np.nextafter(value, end)


def grown(count: float) -> float:
    """The factor that pays for the roundings of a bound that was itself added up of so many terms."""
    return 1.0 + (16.0 + 4.0 * count) * ROUNDOFF


def float_below(value: Fraction) -> float:
    """The largest double that is at most `value`."""
    return _below(value.numerator, value.denominator)


def float_above(value: Fraction) -> float:
    """The smallest double that is at least `value`."""
    return -_below(-value.numerator, value.denominator) if value else 0.0


def _below(numerator: int, denominator: int) -> float:
    """The largest double that is at most a ratio, by whole numbers alone: every reading asks, and fractions are slow."""
    try:
        nearest = numerator / denominator
    except OverflowError:
        return LARGEST if numerator > 0 else -math.inf
    over, under = nearest.as_integer_ratio()
    return nearest if over * denominator <= numerator * under else math.nextafter(nearest, -math.inf)


def times_up(value: float, count: int) -> float:
    """An upper bound on value times count, the smallest where the count is too large for a double."""
    if value == 0.0 or count == 0:
        return 0.0
    if math.isinf(value):
        return value * math.copysign(1.0, count)
    if abs(count) <= _EXACT:
        return math.nextafter(value * count, math.inf)
    return float_above(Fraction(value) * count)


def times_down(value: float, count: int) -> float:
    """A lower bound on value times count, the largest where the count is too large for a double."""
    return -times_up(-value, count) if value and count else 0.0


def nearest(value: Fraction) -> float:
    """The nearest double; what is out of range becomes the largest."""
    try:
        found = value.numerator / value.denominator
    except OverflowError:
        return LARGEST if value.numerator > 0 else -LARGEST
    return found
