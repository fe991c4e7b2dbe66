"""Decimals of many digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

DIGITS = 60


def decimal(value: Fraction) -> Decimal:
    """An exact number, rounded in the current context."""
    return Decimal(value.numerator) / Decimal(value.denominator)
