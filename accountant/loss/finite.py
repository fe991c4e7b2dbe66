"""Losses with finitely many values, in exact arithmetic."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant.errors import InvalidValue
from accountant.exact import ExactLike, exact
from accountant.interval import Interval, float_above, float_below
from accountant.loss.atoms import atom_cells
from accountant.loss.base import ROUNDOFF, Cells, Floats, PrivacyLoss


def _atoms(pairs: Iterable[tuple[ExactLike, ExactLike]]) -> tuple[tuple[Fraction, Fraction], ...]:
    """Atoms with equal likelihood ratios merged, sorted by falling ratio."""
    merged: defaultdict[tuple[Fraction, Fraction], tuple[Fraction, Fraction]] = defaultdict(
        lambda: (Fraction(0), Fraction(0))
    )
    for left, right in pairs:
        p, q = exact(left), exact(right)
        if p < 0 or q < 0:
            raise InvalidValue(f"probabilities cannot be negative, got {p} and {q}")
        if p or q:
            direction = (p / (p + q), q / (p + q))
            merged[direction] = (merged[direction][0] + p, merged[direction][1] + q)
    atoms = tuple(merged[direction] for direction in sorted(merged, reverse=True))
    for side, name in ((0, "P"), (1, "Q")):
        total = sum((atom[side] for atom in atoms), Fraction(0))
        if total != 1:
            raise InvalidValue(f"the probabilities of {name} must sum to 1, got {total}")
    return atoms


def log_of(value: Fraction) -> Interval:
    """The natural logarithm of a positive rational."""
    if value == 1:
        return Interval.of(0)
    if Fraction(1, 2) < value < 2:
        result = math.log1p(float(value - 1))
        return Interval.around(result, abs(result) * 8 * ROUNDOFF)
    top, bottom = math.log(value.numerator), math.log(value.denominator)
    return Interval.around(top - bottom, (top + bottom) * 4 * ROUNDOFF)


@frozen
class FiniteLoss(PrivacyLoss):
    """The loss of a pair on finitely many outcomes, given as pairs (P mass, Q mass) that each sum to 1."""

    atoms: tuple[tuple[Fraction, Fraction], ...] = field(converter=_atoms)

    def reverse(self) -> PrivacyLoss:
        swapped = FiniteLoss((q, p) for p, q in self.atoms)
        return self if swapped == self else swapped

    def times(self, other: FiniteLoss) -> FiniteLoss:
        """The loss of both together, exactly."""
        return FiniteLoss((p * r, q * s) for p, q in self.atoms for r, s in other.atoms)

    def _finite(self) -> list[tuple[Fraction, Fraction]]:
        return [(p, q) for p, q in self.atoms if p and q]

    @property
    def _infinite(self) -> Fraction:
        return sum((p for p, q in self.atoms if not q), Fraction(0))

    def delta_formula(self, epsilon: float) -> Interval:
        low, high = _exponential(epsilon)
        return Interval(
            float_below(sum((max(p - high * q, Fraction(0)) for p, q in self.atoms), Fraction(0))),
            float_above(sum((max(p - low * q, Fraction(0)) for p, q in self.atoms), Fraction(0))),
        )

    def _epsilon_at(self, target: Fraction) -> Interval:
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

    def log_moment_formula(self, order: float) -> Interval:
        if self._infinite:
            return Interval.infinite()
        losses = self._losses()
        terms = np.log([float(p) for p, _ in self._finite()]) + order * losses
        top = float(np.max(terms))
        value = top + math.log(float(np.sum(np.exp(terms - top))))
        reach = float(np.max(np.abs(losses))) * order + float(np.max(np.abs(terms)))
        return Interval.around(value, 64 * ROUNDOFF * (len(self.atoms) + reach)).clamp(0.0, math.inf)

    def supremum_formula(self) -> Interval:
        return Interval.infinite() if self._infinite else log_of(max(p / q for p, q in self._finite()))

    def _losses(self) -> Floats:
        return np.array([0.5 * (span.lower + span.upper) for span in (log_of(p / q) for p, q in self._finite())])

    def window(self, log_tail: float) -> tuple[float, float]:
        losses = self._losses()
        return (float(losses.min()), float(losses.max())) if losses.size else (0.0, 0.0)

    def cells(self, edges: Floats) -> Cells:
        masses = np.array([float(p) for p, _ in self._finite()])
        infinite = Interval(float_below(self._infinite), float_above(self._infinite))
        return atom_cells(edges, self._losses(), masses, masses * 2 * ROUNDOFF, infinite)


def _exponential(epsilon: float) -> tuple[Fraction, Fraction]:
    """Rational bounds on e^epsilon."""
    if epsilon > 700.0:
        return Fraction(math.exp(700.0)), Fraction(math.exp(700.0)) * 3 ** math.ceil(epsilon - 700.0 + 1)
    value = math.exp(epsilon)
    return Fraction(math.nextafter(value, 0.0)), Fraction(math.nextafter(value, math.inf))


NO_LOSS = FiniteLoss([(1, 1)])
TOTAL_LOSS = FiniteLoss([(1, 0), (0, 1)])
