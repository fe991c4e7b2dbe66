"""The points that tests reach by finitely many values of a loss, told from the outside in.

With the values in falling order, the best tests reject the first k of them. Their level is a sum of Q's masses from the
first value on, and what they miss one of P's from the last value on: neither is what something lacks to 1, so that both
keep their digits however close the two laws are to being told apart. See docs/explanation/tests-and-tails.md.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import frozen

from accountant import Interval
from accountant.loss import Atoms, Floats
from accountant.numbers.rounding import Balls, down, running, up
from accountant_fdp.normal import tail_quantile

_MOST_VALUES = 2**13
_LEAST = 1e-280
"""Sums of masses from which on doubles tell them well."""


@frozen
class Corners:
    """What tests between the first and the last corner need, and what is left beyond either of them."""

    mu: Interval
    """The mu that all tests between these corners satisfy, and no smaller one does."""
    power: Fraction | None
    """The power of the first corner, rounded up; None where it is the first of all."""
    kept: Fraction | None
    """What the level of the last corner lacks to 1, rounded up; None where it is the last of all."""

    @classmethod
    def of(cls, atoms: Atoms, back: Atoms) -> Corners | None:
        """The corners of these values, and of the same as seen from Q; None where they cannot be told apart or are many.

        Each mass is taken as small as its own law says, or the other one at any value that the atom may have: then the line
        from one corner to the next is at least as steep, and that into the last one at most as steep, as it can be.
        """
        values, others = atoms.values, back.values[::-1]
        if max(atoms.infinite.upper, atoms.absent.upper) > 0.0 or not 1 < values.size == others.size <= _MOST_VALUES:
            return None
        if not np.all(values.upper[:-1] < values.lower[1:]) or not np.all((values + others).lower <= 0.0):
            return None
        if not np.all((values + others).upper >= 0.0):
            return None
        p, q = Balls(atoms.masses, atoms.errors), Balls(back.masses, back.errors)
        # From the smallest value up, and from the largest one down, each beside the corner that it ends in.
        missed, level = _least(p, back.reversed())[::-1], _least(q, atoms.reversed())
        sound = np.flatnonzero((level > _LEAST) & (missed > _LEAST))
        if not sound.size:
            return None
        power, kept = running(p[::-1])[:-1], running(q[::-1])[:-1][::-1]
        first, last = int(sound[0]), int(sound[-1])
        # What is nearly 1 is known better by what it lacks. Not so where one way to leave a corner gives way to the other.
        low, high = int(np.count_nonzero(missed > 0.5)) - 1, level.size - int(np.count_nonzero(level > 0.5))
        gaps = [
            up(
                _quantile(level[k], kept.upper[k] if k > high else None).upper
                + _quantile(missed[k], power.upper[k] if k < low else None).upper
            )
            for k in sound.tolist()
        ]
        worst = int(sound[int(np.argmax(gaps))])
        reached = down(
            _quantile(running(q).upper[worst], kept.lower[worst] if worst > high else None).lower
            + _quantile(running(p).upper[-worst - 2], power.lower[worst] if worst < low else None).lower
        )
        return cls(
            Interval(max(0.0, min(reached, max(gaps))), max(gaps)),
            Fraction(float(power.upper[first])) if first else None,
            Fraction(float(kept.upper[last])) if last < level.size - 1 else None,
        )


def _least(own: Balls, other: Atoms) -> Floats:
    """Lower bounds on sums of masses but the last, by either of two ways to know them."""
    masses = np.minimum(own.lower, Balls(other.masses, other.errors).lower)
    return running(Balls(np.maximum(masses, 0.0))).lower[:-1]


def _quantile(tail: float, lack: float | None) -> Interval:
    """The normal quantile of a tail, or of what a tail lacks to 1."""
    if lack is None:
        return tail_quantile(Fraction(float(tail)))
    other = tail_quantile(Fraction(float(lack)))
    return Interval(-other.upper, -other.lower)
