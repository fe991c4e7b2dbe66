"""Both measures on a grid are made from the same masses, which are computed once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from accountant.loss import GaussianLoss
from accountant.loss.engine.grid import dominated_measure, dominating_measure, grid_cells, grid_range
from accountant.loss.engine.grid_route import Gridded
from accountant.loss.readings.base import Cells, Floats


def test_known_masses_give_the_measures_that_masses_computed_anew_do() -> None:
    loss, step = GaussianLoss("1"), Fraction(1, 16)
    place = (step, *grid_range(loss, step, -30.0), Fraction(0))
    for build in (dominating_measure, dominated_measure):
        anew, known = build(loss, *place), build(loss, *place, grid_cells(loss, *place))
        assert anew.masses.tobytes() == known.masses.tobytes()
        assert (anew.infinite, anew.slack) == (known.infinite, known.slack)


def test_two_sides_and_further_readings_compute_the_masses_of_a_grid_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, float]] = []
    plain = GaussianLoss.cells

    def counted(loss: GaussianLoss, edges: Floats) -> Cells:
        asked.append((edges.size, float(edges[0])))
        return plain(loss, edges)

    monkeypatch.setattr(GaussianLoss, "cells", counted)
    gridded = Gridded(((GaussianLoss("1"), 3),))
    for tail in (-20.0, -36.0, -52.0, -68.0, -84.0) * 2:
        for upper in (True, False):
            gridded.law(Fraction(1, 16), 0.0, tail, upper)
    assert len(asked) == len(set(asked)) == 5
