"""Runs: a mechanism that is run many times on the same answers, and what may be told from how often something is seen."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from accountant.analysis.auditing.binomial import chance_at_least, chance_at_most
from accountant.analysis.auditing.simulation import Simulated
from accountant.loss import Floats

# A thousand audits of honest mechanisms together raise a false alarm with probability at most 1e-10.
CONFIDENCE = 1 - Fraction(1, 10**13)
RUNS = 200_000
_FAILURE = float(1 - CONFIDENCE) / 2


def runs_of(mechanism: Simulated, answers: Sequence[Fraction]) -> Floats:
    """The outputs for these answers together, one row for each run; the same in every run of the laws."""
    asked = np.tile(np.array([float(answer) for answer in answers]), (RUNS, 1))
    return np.asarray(mechanism.simulate(asked, np.random.default_rng(0)), dtype=np.float64).reshape(RUNS, -1)


def plausible(seen: int, failure: float = _FAILURE) -> tuple[Fraction, Fraction]:
    """The two ends between which the chance of an event lies that was seen so often, but for a chance of failure each."""
    return Fraction(chance_at_least(seen, RUNS, failure)), Fraction(chance_at_most(seen, RUNS, failure))
