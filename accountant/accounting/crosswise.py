"""A value that is narrowed by another reading of the same definition."""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import evolve

from accountant.accounting.theorems import OTHER_WORDS
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.promise.guarantee import Guarantee, Step, Verdict


def concluded(guarantee: Guarantee, other: Guarantee, limit: Fraction, verdict: Verdict) -> Guarantee:
    """A guarantee of which another reading says on which side of a limit its value lies.

    Guarantee: the derivation has that of both, and ends with what follows.
    """
    kept, value = verdict is Verdict.IMPLIED, guarantee.value
    known = Interval(-math.inf, float_above(limit)) if kept else Interval(float_below(limit), math.inf)
    value = Interval(max(value.lower, known.lower), min(value.upper, known.upper))
    first, second = len(guarantee.derivation), len(other.derivation)
    moved = (evolve(step, uses=tuple(use + first for use in step.uses)) for step in other.derivation)
    side = "at most" if kept else "above"
    words = f"{guarantee.name}{guarantee.at_words} is {side} {float(limit):g}, because of {other.name}{other.at_words}"
    last = Step(words, OTHER_WORDS, (first, first + second), value)
    return evolve(guarantee, value=value, derivation=(*guarantee.derivation, *moved, last))
