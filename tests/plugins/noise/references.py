"""References for losses of noise, written apart from the code under test: outcomes in 60 digits or more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np

from accountant import Interval
from accountant.loss import Moments, PrivacyLoss

Real = Any
Outcome = tuple[Real, Real]
"""A loss and its mass under P."""


def real(value: object) -> Real:
    number = Fraction(value) if isinstance(value, str) else value
    return mp.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else mp.mpf(number)


def contains(value: Interval, truth: Real) -> bool:
    """Whether an interval contains a reference value, itself good to 1e-30 of itself."""
    doubt = abs(truth) * mp.mpf(10) ** -30 + mp.mpf(10) ** -310
    return bool(mp.mpf(value.lower) <= truth + doubt and truth - doubt <= mp.mpf(value.upper))


def hockey_stick(outcomes: Iterable[Outcome], epsilon: float) -> Real:
    return mp.fsum(mass * -mp.expm1(mp.mpf(epsilon) - loss) for loss, mass in outcomes if loss > epsilon)


def renyi(outcomes: Iterable[Outcome], order: str) -> Real:
    t = real(order) - 1
    return mp.log(mp.fsum(mass * mp.exp(t * loss) for loss, mass in outcomes)) / t


def wrong_cells(loss: PrivacyLoss, outcomes: Sequence[Outcome], edges: Any) -> list[str]:
    """Which cells do not hold the masses of both laws, where losses within rounding of an edge count as on it."""
    cells = loss.cells(edges)
    ends = [mp.mpf(float(edge)) for edge in edges]
    bounds = [-mp.inf, *(edge + mp.mpf(2) ** -49 * (1 + abs(edge)) for edge in ends), mp.inf]
    faults = []
    for k in range(len(edges) + 1):
        inside = [(value, mass) for value, mass in outcomes if bounds[k] < value <= bounds[k + 1]]
        p = mp.fsum(mass for _, mass in inside)
        if abs(mp.mpf(float(cells.p[k])) - p) > cells.p_error[k]:
            faults.append(f"p of cell {k}")
        if k:
            q = mp.fsum(mass * mp.exp(ends[k - 1] - value) for value, mass in inside)
            # What lies on an edge within rounding may be off by as much.
            near = mp.mpf(2) ** -48 * p * (1 + abs(ends[k - 1]))
            if abs(mp.mpf(float(cells.q[k])) - q) > cells.q_error[k] + near:
                faults.append(f"q of cell {k}")
            if cells.gap is not None and abs(mp.mpf(float(cells.gap[k])) - (p - q)) > cells.gap_error[k] + near:
                faults.append(f"gap of cell {k}")
    return faults


def wrong_moments(moments: Moments, outcomes: Sequence[Outcome], points: Iterable[complex]) -> list[complex]:
    """Points at which the log moment is farther off than it admits, up to whole turns."""
    faults = []
    for point in points:
        values, errors = moments.log_moments(np.array([point]))
        if np.isinf(errors[0, 0]):
            continue
        truth = mp.log(mp.fsum(mass * mp.exp(mp.mpc(point) * loss) for loss, mass in outcomes))
        off = mp.mpc(complex(values[0, 0])) - truth
        turns = off.imag / (2 * mp.pi)
        if abs(mp.mpc(off.real, 2 * mp.pi * (turns - mp.nint(turns)))) > errors[0, 0]:
            faults.append(point)
    return faults
