"""Pair: two output laws on finitely many outcomes, and everything that can be read from them exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from attrs import field, frozen

from accountant.errors import InvalidValue, ReadingError
from accountant.finite.exponentials import exponential
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.logarithm import log_of

Atom = tuple[Fraction, Fraction]


def _atoms(atoms: Iterable[tuple[ExactLike, ExactLike]]) -> tuple[Atom, ...]:
    """Outcomes sorted by falling likelihood ratio; those that never happen are dropped."""
    kept = [(p, q) for p, q in ((exact(left), exact(right)) for left, right in atoms) if p or q]
    for side, name in ((0, "P"), (1, "Q")):
        if any(atom[side] < 0 for atom in kept):
            raise InvalidValue(f"a probability of {name} is negative")
        total = sum((atom[side] for atom in kept), Fraction(0))
        if total != 1:
            raise InvalidValue(f"the probabilities of {name} must sum to 1, got {plain(total)}")
    return tuple(sorted(kept, key=lambda atom: atom[0] / (atom[0] + atom[1]), reverse=True))


@frozen
class Pair:
    """Two laws P and Q, given as the masses (P, Q) of each outcome.

    Guarantee: both sum to exactly 1. All readings are of P against Q; `reverse` gives the other direction.
    """

    atoms: tuple[Atom, ...] = field(converter=_atoms)

    def reverse(self) -> Pair:
        """The pair (Q, P)."""
        return Pair((q, p) for p, q in self.atoms)

    def likelihood_ratio(self) -> Fraction | None:
        """The largest P(w)/Q(w); None when it is infinite.

        Guarantee: the smallest number c with P(S) <= c Q(S) for every set S of outcomes.
        """
        p, q = self.atoms[0]
        return p / q if q else None

    def delta(self, ratio: ExactLike) -> Fraction:
        """The hockey-stick divergence at e^epsilon = ratio.

        Definition: the sum over outcomes of max(P(w) - ratio Q(w), 0).
        Guarantee: the largest P(S) - ratio Q(S) over sets S of outcomes.
        """
        slope = exact(ratio)
        if slope < 0:
            raise ReadingError(f"a likelihood ratio cannot be negative, got {plain(slope)}")
        return sum((max(p - slope * q, Fraction(0)) for p, q in self.atoms), Fraction(0))

    def corners(self) -> list[Atom]:
        """The most powerful tests that toss no coin, as (level Q(S), power P(S)), from (0, 0) to (1, 1)."""
        level, power = Fraction(0), Fraction(0)
        tests = [(level, power)]
        for p, q in self.atoms:
            level, power = level + q, power + p
            tests.append((level, power))
        return tests

    def tradeoff(self, level: ExactLike) -> Fraction:
        """The smallest type II error of a test of Q against P at type I error `level`.

        Definition: the smallest 1 - E_P[test] over randomised tests with E_Q[test] <= level; by Neyman and
        Pearson it lies on the segments between corners.
        """
        size = exact(level)
        if not 0 <= size <= 1:
            raise ReadingError(f"a level must lie between 0 and 1, got {plain(size)}")
        power = Fraction(0)
        for (low, weak), (high, strong) in pairwise(self.corners()):
            if high <= size:
                power = strong
            elif low < size:
                power = weak + (strong - weak) * (size - low) / (high - low)
        return 1 - power

    def moment(self, order: int) -> Fraction | None:
        """E_P[(P/Q)^(order - 1)] for a whole order above 1; None when it is infinite."""
        if any(not q for _, q in self.atoms):
            return None
        return sum((p**order / q ** (order - 1) for p, q in self.atoms), Fraction(0))

    def renyi(self, order: ExactLike) -> Interval:
        """The Renyi divergence of an order above 1.

        Definition: log E_P[(P/Q)^(order - 1)] / (order - 1).
        Guarantee: the interval contains it. For whole orders the one inexact step is the logarithm.
        """
        number = exact(order)
        if number <= 1:
            raise ReadingError(f"a Renyi order must be above 1, got {plain(number)}")
        if any(not q for _, q in self.atoms):
            return Interval.infinite()
        if number.denominator == 1:
            low = high = self.moment(int(number)) or Fraction(0)
        else:
            terms = [(p, _power(p / q, number - 1)) for p, q in self.atoms if p]
            low = sum((p * ends[0] for p, ends in terms), Fraction(0))
            high = sum((p * ends[1] for p, ends in terms), Fraction(0))
        if low == high == 1:
            return Interval.of(0)
        bottom, top = Fraction(log_of(low).lower), Fraction(log_of(high).upper)
        return Interval(float_below(bottom / (number - 1)), float_above(top / (number - 1))).clamp(0.0, math.inf)


def _power(base: Fraction, power: Fraction) -> tuple[Fraction, Fraction]:
    """Rational bounds on a positive rational raised to a positive power."""
    logarithm = log_of(base)
    return exponential(Fraction(logarithm.lower) * power)[0], exponential(Fraction(logarithm.upper) * power)[1]
