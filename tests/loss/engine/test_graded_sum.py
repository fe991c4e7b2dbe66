"""Very many losses on lattices that get coarser as sums get broader, against binomial sums and the contour."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath as mp
import pytest
from attrs import evolve

from accountant.loss import GaussianLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.engine.direct_laws import bulk_offset, graded_fine, graded_merged, graded_spread
from accountant.loss.engine.direct_sum import Frame, SpreadLaw
from accountant.loss.engine.graded_sum import BASE, GradedLaw, coarser, grade, graded_times
from accountant.loss.readings.base import PrivacyLoss
from tests.loss.references import real

STEP = Fraction(BASE**3, 2**13)


def response_delta(parameter: Fraction, count: int, epsilon: float) -> Any:
    """Of so many answers, the losses are +parameter or -parameter."""
    total, true = mp.mpf(0), 1 / (1 + mp.exp(-real(parameter)))
    for kept in range(count + 1):
        loss = (2 * kept - count) * real(parameter)
        if loss > epsilon:
            chance = mp.binomial(count, kept) * true**kept * (1 - true) ** (count - kept)
            total += chance * -mp.expm1(mp.mpf(epsilon) - loss)
    return total


def laws(loss: PrivacyLoss, count: int, frame: Frame) -> list[Any]:
    offset = bulk_offset(loss, frame.step / BASE ** grade(1, count))
    return [graded_times(partial(of, loss, frame, offset), count) for of in (graded_spread, graded_merged, graded_fine)]


@pytest.mark.parametrize(("parameter", "count"), [("1/50", 90), ("1/300", 700), ("1/40", 117), ("1/7", 12)])
@pytest.mark.parametrize("last", [60, 500])
def test_many_answers_are_enclosed_on_any_lattice(parameter: str, count: int, last: int) -> None:
    frame = Frame(STEP, -last // 2, last)
    above, *below = laws(ResponseLoss(parameter), count, frame)
    with mp.workdps(40):
        for epsilon in (0.0, 0.02, 0.1, 0.3, 0.7):
            truth = response_delta(Fraction(parameter), count, epsilon)
            assert above.delta(epsilon) >= truth
            for law in below:
                assert law.delta(epsilon) <= truth
            if last == 500 and count > 64 and epsilon < 0.3:
                assert above.delta(epsilon) <= truth * 1.05
                assert below[0].delta(epsilon) >= truth * 0.95


def test_a_coarser_lattice_spreads_outward_and_never_inward() -> None:
    """What a planted error would do, which moves all masses to the lower of two points, is seen."""
    loss, count, epsilon = ResponseLoss("1/50"), 90, 0.1
    frame = Frame(STEP, -300, 500)
    law = graded_spread(loss, frame, bulk_offset(loss, frame.step), 2).laws[-1]
    assert isinstance(law, SpreadLaw)
    rough = coarser(law, BASE, evolve(law.frame, step=law.frame.step * BASE))
    assert all(rough.delta(point) >= law.delta(point) * (1 - 1e-12) for point in (0.0, 0.005, 0.01, 0.015))

    def lowered(exponent: int) -> GradedLaw[SpreadLaw]:
        one = graded_spread(loss, frame, bulk_offset(loss, frame.step), exponent)
        return GradedLaw(tuple(evolve(part, start=part.start - 1) for part in one.laws))

    with mp.workdps(40):
        assert graded_times(lowered, count).delta(epsilon) < response_delta(Fraction(1, 50), count, epsilon)


@pytest.mark.parametrize("swapped", [False, True], ids=["present", "absent"])
def test_thousands_of_samples_meet_the_contour(swapped: bool) -> None:
    """Two routes that share nothing but the loss."""
    loss = SampledLoss(GaussianLoss("1/4"), "1/50", swapped)
    contour = compose([(loss, 3000)])._contour  # type: ignore[attr-defined]
    above, *below = laws(loss, 3000, Frame(Fraction(BASE**4, 2**14), -600, 1200))
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        known = contour.delta(epsilon, 1e-4)
        assert known.lower <= above.delta(epsilon)
        assert all(law.delta(epsilon) <= known.upper for law in below)
        if not swapped:
            assert above.delta(epsilon) <= known.upper * 1.001
            assert below[0].delta(epsilon) >= known.lower * 0.999


def test_ten_thousand_rare_samples_are_read_precisely() -> None:
    loss = SampledLoss(GaussianLoss("25/64"), "9/125000")
    found = compose([(loss, 7299), (ResponseLoss("33/50000"), 49)]).epsilon("1e-29")
    assert found.width <= 1e-4 * found.upper
    assert math.isfinite(found.upper)


def test_small_losses_by_the_thousand_keep_their_digits() -> None:
    """Gaps do as well as masses where losses are small: both are next to the upper end."""
    loss = SampledLoss(GaussianLoss("1"), "1/1000000")
    above, merged, fine = laws(loss, 20000, Frame(Fraction(BASE**5, 2**27), -800, 1500))
    for epsilon in (2e-4, 5e-4, 1e-3):
        most = above.delta(epsilon)
        assert merged.delta(epsilon) <= most
        assert 0.99 * most <= fine.delta(epsilon) <= most
