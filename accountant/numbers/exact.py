"""Exact numbers: how parameters enter and how they are written down again.

A parameter is an int, a Fraction, a Decimal, a decimal string ("0.1", "1e-10") or a ratio ("5/2"). A float from
Python code stands for its exact binary value. Nothing is ever rounded on the way in.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from accountant.errors import InvalidValue

ExactLike = int | float | str | Fraction | Decimal

_DECIMAL = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d*)(?:\.(?P<part>\d*))?(?:[eE](?P<exponent>[+-]?\d+))?", re.ASCII)
_RATIO = re.compile(r"[+-]?\d+/\d+", re.ASCII)
_LONGEST = 400
_LARGEST_EXPONENT = 400
_FEW_BITS = 64
_REMEDY = 'write a decimal or a ratio as a string, such as "0.1", "5/2" or "1e-10"'


def exact(value: ExactLike) -> Fraction:
    """The exact value of a parameter.

    Guarantee: the result equals the written number; bool, NaN, infinities and unreadable text are refused.
    """
    if value.__class__ is Fraction:
        return value
    if isinstance(value, bool):
        raise InvalidValue(f"expected a number, got the boolean {str(value).lower()}; {_REMEDY}")
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
        if abs(value).bit_length() > 4 * _LARGEST_EXPONENT:
            raise InvalidValue(f"a whole number of {abs(value).bit_length()} bits is beyond any use here")
        return Fraction(value)
    if isinstance(value, (float, Decimal)):
        if not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
            raise InvalidValue(f"expected a finite number, got {value}; {_REMEDY}")
        return exact(str(value)) if isinstance(value, Decimal) else Fraction(value)
    if isinstance(value, str):
        return _read(value.strip())
    raise InvalidValue(f"expected a number, got {_describe(value)}; {_REMEDY}")


def _describe(value: object) -> str:
    names = {list: "a list", tuple: "a list", dict: "a table", type(None): "nothing", str: "text"}
    return names.get(type(value), f"a value of type {type(value).__name__}")


def _read(text: str) -> Fraction:
    if len(text) > _LONGEST:
        raise InvalidValue(f"a number written with {len(text)} characters is too long (at most {_LONGEST})")
    if _RATIO.fullmatch(text):
        numerator, denominator = text.split("/")
        if int(denominator) == 0:
            raise InvalidValue(f"'{text}' divides by zero")
        return Fraction(int(numerator), int(denominator))
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match["whole"] or match["part"]):
        raise InvalidValue(f"'{text}' is not a finite number; {_hint(text)}")
    if abs(int(match["exponent"] or 0)) > _LARGEST_EXPONENT:
        raise InvalidValue(f"the exponent of '{text}' is out of range (at most {_LARGEST_EXPONENT} either way)")
    return Fraction(text)


def _hint(text: str) -> str:
    """What to write instead of a text that is no number."""
    point, share = text.replace(",", "."), text.removesuffix("%").rstrip()
    if text.count(",") == 1 and _DECIMAL.fullmatch(point):
        return f'write a decimal point: "{point}"'
    if share != text and (_DECIMAL.fullmatch(share) or _RATIO.fullmatch(share)):
        return f'write a share of one, such as "{plain(_read(share) / 100)}"'
    return _REMEDY


def whole(value: ExactLike) -> int:
    """The whole number that a value stands for; anything with a fractional part is refused."""
    if value.__class__ is int and value.bit_length() <= _FEW_BITS:
        return value
    number = exact(value)
    if number.denominator != 1:
        raise InvalidValue(f"expected a whole number, got {plain(number)}")
    return number.numerator


def _written(number: int) -> str:
    """All digits of a whole number; `str` gives up on sums of many long ratios."""
    return f"{Decimal(number):f}"


def plain(value: Fraction) -> str:
    """The shortest usual way to write an exact value; `exact` reads it back unchanged."""
    digits, exponent, rest = value.numerator, 0, value.denominator
    for prime, other in ((2, 5), (5, 2)):
        while rest % prime == 0:
            rest //= prime
            digits *= other
            exponent -= 1
    if rest != 1:
        return f"{_written(value.numerator)}/{_written(value.denominator)}"
    while digits and digits % 10 == 0:
        digits //= 10
        exponent += 1
    sign, figures = ("-" if digits < 0 else ""), _written(abs(digits))
    if not digits:
        return "0"
    if len(figures) > 40:
        return f"{_written(value.numerator)}/{_written(value.denominator)}"
    point = len(figures) + exponent
    if exponent >= 0 and point <= 16:
        return sign + figures + "0" * exponent
    if -3 < point <= 0:
        return f"{sign}0.{'0' * -point}{figures}"
    if exponent < 0 < point:
        return f"{sign}{figures[:point]}.{figures[point:]}"
    mantissa = figures[0] + ("." + figures[1:] if len(figures) > 1 else "")
    return f"{sign}{mantissa}e{point - 1}"
