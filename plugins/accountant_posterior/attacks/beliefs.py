"""Beliefs that the target is there: before, after, and which of the two hypotheses is the likelier one, ties included."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from accountant import Interval, InvalidValue, fields
from accountant.numbers.rounding import LEAST, Ball, down, up

_TIMES = 8.0
"""What the logistic function rounds: e^x, granted 4, is divided by 1 + e^x, of which it is at most a half; and two more."""

_FAINTEST = Fraction(1, 10**300)


def belief(value: str | int | float | Fraction) -> Fraction:
    """A prior probability strictly between 0 and 1."""
    number = fields.exact(value)
    if not 0 < number < 1:
        raise InvalidValue(f"a prior belief lies strictly between 0 and 1, got {Interval.of(number)}")
    if min(number, 1 - number) < _FAINTEST:
        raise InvalidValue(
            "a prior belief closer to 0 or 1 than 1e-300 is as good as certain: there is nothing to find out"
        )
    return number


def posterior(odds: Interval) -> Interval:
    """1/(1 + e^-t), the belief with log-odds t; below 1, and above 0, however large they are."""
    low, high = _expit(odds.lower), _expit(odds.upper)
    # Among the smallest doubles roundings are no longer relative: each is half a unit of the last place at most.
    least, most = (Ball.rounded(end, _TIMES).widened(2.0 * LEAST) for end in (low, high))
    return Interval(max(0.0, least.lower), min(most.upper, 1.0))


def _expit(value: float) -> float:
    if value < -745.0:
        return 0.0
    return 1.0 / (1.0 + math.exp(-value)) if value >= 0.0 else math.exp(value) / (1.0 + math.exp(value))


def ratio(top: Interval, bottom: Interval) -> Interval:
    """The quotient of two positive numbers."""
    low = max(0.0, down(top.lower / bottom.upper))
    return Interval(low, up(top.upper / bottom.lower) if bottom.lower > 0.0 else math.inf)


def sign(prior: Fraction, evidence: Fraction) -> int:
    """The sign of log(p/(1 - p)) + evidence: 1 for presence, -1 for absence, 0 for an exact tie.

    Guarantee: exact. A rational power of e other than 1 is irrational, so that the two can only cancel when both are
    zero; otherwise enough digits decide.
    """
    if prior == Fraction(1, 2) or evidence == 0:
        decisive = evidence if prior == Fraction(1, 2) else prior - Fraction(1, 2)
        return (decisive > 0) - (decisive < 0)
    odds = prior / (1 - prior)
    digits = 30
    while True:
        context = Context(prec=digits)
        parts = (
            Fraction(context.ln(Decimal(odds.numerator))),
            -Fraction(context.ln(Decimal(odds.denominator))),
            evidence,
        )
        total = sum(parts, Fraction(0))
        error = sum(map(abs, parts), Fraction(0)) / 10 ** (digits - 1)
        if abs(total) > error:
            return 1 if total > 0 else -1
        digits *= 2
