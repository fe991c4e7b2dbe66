"""The pair that dominates selections of bounded range, between edges that lie next to its ends."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from accountant_selection.slope_pair import SlopePair


@pytest.mark.parametrize("ratio", ["0.1", "0.7", "1/3", "2.3"])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_masses_between_an_end_of_the_law_and_a_double_next_to_it_are_enclosed(ratio: str, side: float) -> None:
    whole = Fraction(ratio)
    for double in (math.nextafter(float(whole), 0.0), float(whole), math.nextafter(float(whole), math.inf)):
        edge = side * double
        cells = SlopePair(whole, ends=False).cells(np.array([edge]))
        with mpmath.workdps(60):
            end = mpmath.mpf(whole.numerator) / whole.denominator
            place = max(-end, min(end, mpmath.mpf(edge)))
            below = mpmath.exp((place - end) / 2) - mpmath.exp(-end)
            truth = [value / (1 - mpmath.exp(-end)) for value in (below, 1 - mpmath.exp((place - end) / 2))]
            for mass, found, error in zip(truth, cells.p, cells.p_error, strict=True):
                assert abs(mass - mpmath.mpf(float(found))) <= error
