"""What the numbers of reports count, straight from the definition, and the statements that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from accountant import Interval
from accountant.plugin import ComparedPairs
from accountant.report import Quantity, Statement
from accountant_posterior.reports.wording import Written

Outcomes = Sequence[tuple[Fraction, Fraction]]
At = Mapping[str, Fraction]


def _guess(outcomes: Outcomes, at: At) -> Interval:
    return Interval.of(sum((max(p, q) for p, q in outcomes), Fraction(0)) / 2)


def _power(outcomes: Outcomes, at: At) -> Interval:
    """By Neyman and Pearson: outcomes that speak most for the alternative first, the last one by a coin."""
    left, power = at["level"], Fraction(0)
    for p, q in sorted(outcomes, key=lambda pair: pair[0] / (pair[0] + pair[1]), reverse=True):
        share = Fraction(1) if q <= left else left / q
        power, left = power + share * p, left - share * q
    return Interval.of(power)


def _outside(outcomes: Outcomes, at: At) -> Interval:
    prior, missed = at["prior"], [Fraction(0), Fraction(0)]
    for p, q in outcomes:
        after = prior * p / (prior * p + (1 - prior) * q)
        if not at["low"] <= after <= at["high"]:
            missed = [missed[0] + p, missed[1] + q]
    return Interval.of(max(missed))


def _exceeding(outcomes: Outcomes, at: At) -> Interval:
    return Interval.of(sum((p for p, q in outcomes if p > at["times"] * q), Fraction(0)))


GUESS = Quantity("how often the best guess at the side is right, both being equally likely", _guess)
POWER = Quantity("how often the best test at a level says rightly that it is the first side", _power)
OUTSIDE = Quantity(
    "how often the belief in the first side, from a prior, is not between two ends, whichever is true", _outside
)
EXCEEDING = Quantity("how often an output is more than so many times as likely on the side that is true", _exceeding)


def at_most(written: Written, comparison: ComparedPairs, quantity: Quantity, **at: Fraction) -> Statement:
    """That a share, as written, is not exceeded."""
    return Statement(written, comparison, quantity, written.value, at)


def at_least(written: Written, comparison: ComparedPairs, quantity: Quantity, **at: Fraction) -> Statement:
    """That a share, as written, is reached."""
    return Statement(written, comparison, quantity, written.value, at, "at least")


def stays_within(
    text: str, ends: tuple[Written, Written], comparison: ComparedPairs, prior: Fraction, failure: Fraction
) -> Statement:
    """That a belief stays between two ends as written, `10% to 90%`, but with some probability."""
    low, high = ends
    return Statement(text, comparison, OUTSIDE, failure, {"prior": prior, "low": low.value, "high": high.value})


def not_surer(written: Written, comparison: ComparedPairs, prior: Fraction, failure: Fraction) -> Statement:
    """That a belief does not rise above a share as written, but with some probability."""
    return Statement(written, comparison, OUTSIDE, failure, {"prior": prior, "low": Fraction(0), "high": written.value})
