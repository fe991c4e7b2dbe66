"""Routes stop where more would tell nothing or cost too much, and go on where it is cheap."""

from __future__ import annotations

import pytest

from accountant.errors import GridTooLarge
from accountant.loss import GaussianLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.engine.contour_law import ContourLaw
from accountant.loss.engine.contour_nodes import ContourLine
from accountant.loss.engine.contour_saddle import Saddle
from accountant.loss.engine.direct_route import Direct, Window
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss

PRECISION = 1e-4


def test_a_grid_that_tells_nothing_more_gets_much_finer_while_that_is_cheap() -> None:
    """The lower end stands still until the step tells the values of the samples apart."""
    sample = SampledLoss(GaussianLoss("0.152587890625"), "0.00421")
    found = compose([(sample, 59), (DiscreteGaussianLoss("2.79", 2), 876)]).epsilon("2.58e-10")
    assert found.width <= PRECISION * found.upper


@pytest.mark.slow
def test_lines_that_tell_nothing_more_are_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Saddle] = []
    before = ContourLaw._drawn

    def counted(law: ContourLaw, saddle: Saddle, log_delta: float, precision: float) -> ContourLine | None:
        drawn.append(saddle)
        return before(law, saddle, log_delta, precision)

    monkeypatch.setattr(ContourLaw, "_drawn", counted)
    found = compose([(SampledLoss(GaussianLoss("2500/9801"), "2.62e-4"), 7)]).epsilon("9.27e-11")
    assert found.width <= PRECISION * found.upper
    assert len(drawn) <= 6


def test_a_finest_lattice_longer_than_that_of_the_whole_is_not_laid() -> None:
    """Both answers at random lie far apart on it, and sums of few would take billions of products."""
    parts = [(ResponseLoss("0.146"), 12150)]
    direct = Direct(parts, parts)
    with pytest.raises(GridTooLarge, match="finest lattice"):
        direct.upper(Window(-1.03125, 0.875, 2048, graded=True))
