"""Lumps: bounds on numbers that are not negative after a stated number of roundings, by one product each.

Where x was computed as v with n roundings, each a factor of 1 + d or 1/(1 + d) with |d| <= u, then (1 - u)^n <= v/x and
x/v <= (1 - u)^-n <= 1 + n u (1 + 2^-20) for n up to 2^32. Four more roundings pay for the
factor and for the product with it.
"""

from __future__ import annotations

from accountant.numbers.rounding.direction import ROUNDOFF, Real

_ROOM = 1.0 + 2.0**-20


def raised(value: Real, times: float) -> Real:
    """An upper bound on what is not negative and was rounded so often; 0 stays 0. Underflow is not counted."""
    found: Real = value * (1.0 + (times * _ROOM + 4.0) * ROUNDOFF)
    return found


def lowered(value: Real, times: float) -> Real:
    """A lower bound on what is not negative and was rounded so often; 0 stays 0. Underflow is not counted."""
    found: Real = value * max(0.0, 1.0 - (times * _ROOM + 4.0) * ROUNDOFF)
    return found
