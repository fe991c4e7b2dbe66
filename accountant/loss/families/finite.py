"""Losses with finitely many values, in exact arithmetic."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import accumulate

import numpy as np
from attrs import field, frozen

from accountant.errors import InvalidValue
from accountant.loss.families.atomic_cells import atom_cells
from accountant.loss.families.atomic_moments import FARTHEST, MOST_ATOMS, AtomMoments
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells, PrivacyLoss
from accountant.loss.readings.moments import Moments
from accountant.numbers.exact import ExactLike, exact, plain
from accountant.numbers.interval import Interval, float_above, float_below
from accountant.numbers.logarithm import log_ball, log_of
from accountant.numbers.rounding import Ball, Balls, dot, exp, expm1, log1p, log_of_sum

_SHOWN = 6


def _falling(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Compares two ratios of whole numbers, the larger first; over 0 they are infinite."""
    return other[0] * one[1] - one[0] * other[1]


def _atoms(pairs: Iterable[tuple[ExactLike, ExactLike]]) -> tuple[tuple[Fraction, Fraction], ...]:
    """Atoms with equal likelihood ratios merged, sorted by falling ratio."""
    merged: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
    for left, right in pairs:
        p, q = exact(left), exact(right)
        if p.numerator < 0 or q.numerator < 0:
            raise InvalidValue(f"probabilities cannot be negative, got {p} and {q}")
        if p or q:
            # The ratio in lowest terms, by whole numbers: fractions are slow to hash and to compare.
            over, under = p.numerator * q.denominator, q.numerator * p.denominator
            common = math.gcd(over, under)
            ratio = (over // common, under // common)
            before = merged.get(ratio)
            merged[ratio] = (p, q) if before is None else (before[0] + p, before[1] + q)
    atoms = tuple(merged[ratio] for ratio in sorted(merged, key=cmp_to_key(_falling)))
    for side, name in ((0, "P"), (1, "Q")):
        masses = [atom[side] for atom in atoms]
        whole = math.lcm(*(mass.denominator for mass in masses))
        total = sum(mass.numerator * (whole // mass.denominator) for mass in masses)
        if total != whole:
            raise InvalidValue(f"the probabilities of {name} must sum to 1, got {Fraction(total, whole)}")
    return atoms


@frozen
class FiniteLoss(PrivacyLoss):
    """The loss of a pair on finitely many outcomes, given as pairs (P mass, Q mass) that each sum to 1."""

    atoms: tuple[tuple[Fraction, Fraction], ...] = field(converter=_atoms)

    def __str__(self) -> str:
        shown = [f"{plain(p)} and {plain(q)}" for p, q in self.atoms[:_SHOWN]]
        rest = "" if len(self.atoms) <= _SHOWN else f" and {len(self.atoms) - _SHOWN} more"
        return f"a mechanism whose outcomes have the chances {', '.join(shown)}{rest}"

    def reverse(self) -> PrivacyLoss:
        swapped = FiniteLoss((q, p) for p, q in self.atoms)
        return self if swapped == self else swapped

    def times(self, other: FiniteLoss) -> FiniteLoss:
        """The loss of both together, exactly."""
        return FiniteLoss((p * r, q * s) for p, q in self.atoms for r, s in other.atoms)

    @cached_property
    def _finite(self) -> list[tuple[Fraction, Fraction]]:
        return [(p, q) for p, q in self.atoms if p and q]

    @cached_property
    def _infinite(self) -> Fraction:
        return sum((p for p, q in self.atoms if not q), Fraction(0))

    def delta_formula(self, epsilon: float) -> Interval:
        if epsilon > 0.0 and all(_ratio_below(p, q, epsilon) for p, q in self._finite[:1]):
            return Interval.of(self._infinite)
        low, high = _exponential(epsilon)
        least, most = self._gain(high), self._gain(low)
        return Interval.of(most) if least == most else Interval(float_below(least), float_above(most))

    def _gain(self, ratio: Fraction) -> Fraction:
        """How much more likely the outcomes above a ratio are under P than that many times under Q: they come first."""
        above = bisect_left(self.atoms, True, key=lambda atom: atom[0] <= ratio * atom[1])
        p, q = self._running[above]
        return p - ratio * q

    @cached_property
    def _running(self) -> list[tuple[Fraction, Fraction]]:
        """The masses of the first none, one, two, ... outcomes."""
        left, right = zip(*self.atoms, strict=True)
        nothing = Fraction(0)
        return list(zip(accumulate(left, initial=nothing), accumulate(right, initial=nothing), strict=True))

    def _epsilon_at(self, target: Fraction, least: float = 0.0) -> Interval:
        """Exact up to one logarithm: delta is linear in e^epsilon between likelihood ratios."""
        p_above, q_above = Fraction(0), Fraction(0)
        for p, q in self.atoms:
            if q_above and p_above - (p / q) * q_above >= target:
                break
            p_above, q_above = p_above + p, q_above + q
            if not q and p_above > target:
                return Interval.infinite()
        if p_above - q_above <= target or not q_above:
            return Interval.of(0)
        solution = log_of((p_above - target) / q_above)
        return solution.clamp(0.0, math.inf)

    def _tradeoff_at(self, level: Fraction) -> Interval:
        """Exact: the most powerful test rejects outcomes in order of falling likelihood ratio."""
        left, missed = level, Fraction(1)
        for p, q in self.atoms:
            share = Fraction(1) if q <= left else left / q
            left, missed = left - share * q, missed - share * p
            if share < 1:
                break
        return Interval.of(missed)

    def analytic(self) -> type[Moments] | None:
        finite = self._finite
        held = 0 < len(finite) <= MOST_ATOMS and float(np.max(np.abs(self._values.middle))) < FARTHEST
        return AtomMoments if held else None

    def finite_atoms(self) -> tuple[Balls, Balls]:
        masses = self._masses
        if self._infinite:
            masses = Balls.of([Ball.of(p / (1 - self._infinite)) for p, _ in self._finite])
        return self._values, masses

    def log_moment_formula(self, order: float) -> Interval:
        if self._infinite:
            return Interval.infinite()
        values, masses = self._values, self._masses
        exponents = order * values
        if float(np.max(exponents.most)) < 1.0:
            # Around order 0 the moment is close to 1, so only what it is more than 1 is added up.
            return log1p(dot(masses, expm1(exponents))).interval(0.0)
        return log_of_sum(self._logs + exponents).interval(0.0)

    def supremum_formula(self) -> Interval:
        return Interval.infinite() if self._infinite else self._largest

    @cached_property
    def _largest(self) -> Interval:
        """The largest value, if none is infinite: atoms are sorted by falling ratio."""
        p, q = self.atoms[0]
        return log_of(p / q)

    @cached_property
    def _masses(self) -> Balls:
        return Balls.of([Ball.of(p) for p, _ in self._finite])

    @cached_property
    def _logs(self) -> Balls:
        return Balls.of([log_ball(p) for p, _ in self._finite])

    @cached_property
    def _values(self) -> Balls:
        return Balls.of([log_ball(p / q) for p, q in self._finite])

    def window(self, log_tail: float) -> tuple[float, float]:
        losses = self._values.middle
        return (float(losses.min()), float(losses.max())) if losses.size else (0.0, 0.0)

    def anchor(self) -> float:
        finite = self._finite
        return self._values.middle[max(range(len(finite)), key=lambda k: finite[k][0])] if finite else 0.0

    def cells(self, edges: Floats) -> Cells:
        masses = self._masses
        infinite = Interval(float_below(self._infinite), float_above(self._infinite))
        return atom_cells(edges, self._values.middle, masses.middle, masses.radii, infinite)


def _ratio_below(p: Fraction, q: Fraction, epsilon: float) -> bool:
    """Whether p/q is certainly below e^epsilon, by the lengths of the numbers alone: log 2 < 0.6932."""
    bits = p.numerator.bit_length() + q.denominator.bit_length() - p.denominator.bit_length() - q.numerator.bit_length()
    return 0.6932 * (bits + 2) < epsilon


def _exponential(epsilon: float) -> tuple[Fraction, Fraction]:
    """Rational bounds on e^epsilon. Large arguments are halved until they fit, and the result squared as often."""
    if epsilon == 0.0:
        return Fraction(1), Fraction(1)
    halvings = max(0, math.frexp(epsilon / 512.0)[1]) if epsilon > 0.0 else 0
    value, power = exp(Ball(max(epsilon, -800.0) / 2**halvings)), 2**halvings
    return Fraction(max(value.lower, 0.0)) ** power, Fraction(value.upper) ** power


NO_LOSS = FiniteLoss([(1, 1)])
TOTAL_LOSS = FiniteLoss([(1, 0), (0, 1)])
