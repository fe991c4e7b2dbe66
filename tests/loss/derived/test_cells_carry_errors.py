"""Cells of derived losses are off by what the cells of their base are off by.

Masses of Gaussian noise are moved by one in a thousand, and say so. Whatever is made of them must then hold what is made of
the masses as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from accountant.loss import GaussianLoss, PrivacyLoss, SampledLoss
from accountant.loss.derived.replaced_gaussian import ExchangedGaussian
from accountant.loss.derived.symmetrised import MirroredLoss
from accountant.loss.readings.arrays import Floats
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval

OFF = 2.0**-10
EDGES = np.linspace(-0.6, 1.1, 9)
THIRD = Fraction(1, 3)
LOSSES: dict[str, Callable[[], PrivacyLoss]] = {
    "exchanged": lambda: ExchangedGaussian(Fraction(1), Fraction(4), THIRD),
    "exchanged, unlike": lambda: ExchangedGaussian(Fraction(1), Fraction(2), THIRD),
    "exchanged, swapped": lambda: ExchangedGaussian(Fraction(1), Fraction(2), THIRD, True),
    "sampled": lambda: SampledLoss(GaussianLoss("1"), THIRD),
    "sampled, swapped": lambda: SampledLoss(GaussianLoss("1"), THIRD, True),
    "sampled nearly always": lambda: SampledLoss(GaussianLoss("1"), Fraction(99, 100)),
    "mirrored": lambda: MirroredLoss(SampledLoss(GaussianLoss("1"), THIRD)),
}


@pytest.mark.parametrize(("p_error", "gap_error", "slack"), [(0.0, 0.125, 0.0), (0.0, 0.0, 0.5), (0.25, 0.0, 0.25)])
def test_delta_of_exchanged_noise_answers_for_its_cells(
    p_error: float, gap_error: float, slack: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Q lacks above an edge, which is off by its error, and by as much mass as an edge is displaced."""
    p, nothing = np.array([0.5, 0.5]), np.zeros(2)
    known = Cells(p, p, np.full(2, p_error), nothing, Interval.of(0), np.full(2, 0.5), np.full(2, gap_error), slack)
    monkeypatch.setattr(ExchangedGaussian, "cells", lambda self, edges: known)
    found = LOSSES["exchanged"]().delta_formula(0.3)
    off = gap_error + slack * (0.5 + p_error)
    assert found.lower <= 0.5 - off < 0.5 + off <= found.upper
    assert found.width <= 2 * off + 1e-12


def moved(what: str, sign: float, pattern: Floats) -> object:
    """Cells of Gaussian noise of which one row is off, each entry in its own direction."""
    plain = GaussianLoss.cells

    def cells(self: GaussianLoss, edges: Floats) -> Cells:
        found = plain(self, edges)
        row, error = getattr(found, what), getattr(found, f"{what}_error")
        if row is None:
            return found
        signs = sign * np.resize(pattern, row.shape)
        return evolve(found, **{what: row * (1.0 + signs * OFF), f"{what}_error": error + np.abs(row) * OFF * (1 + 1e-9)})

    return cells


@pytest.mark.parametrize("what", ["p", "q", "gap"])
@pytest.mark.parametrize("kind", LOSSES)
def test_derived_cells_hold_what_their_base_may_stand_for(kind: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = LOSSES[kind]().cells(EDGES)
    felt = 0.0
    for pattern in ([1.0], [1.0, -1.0], [1.0, 1.0, -1.0]):
        for sign in (-1.0, 1.0):
            with monkeypatch.context() as planted:
                planted.setattr(GaussianLoss, "cells", moved(what, sign, np.array(pattern)))
                loss: PrivacyLoss = LOSSES[kind]()
                found = loss.cells(EDGES)
            for row in ("p", "q", "gap"):
                here, there = getattr(found, row), getattr(exact, row)
                if here is not None and there is not None:
                    off = np.abs(here - there)
                    assert np.all(off <= getattr(found, f"{row}_error") + getattr(exact, f"{row}_error")), (row, pattern)
                    felt = max(felt, float(off.max()))
    assert felt > 1e-6 or what == "q"
