"""Samples that leave out next to nobody tell losses apart that are far beyond the farthest a sample usually tells apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from accountant.loss import Floats, PrivacyLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.engine.grid import dominated_measure, dominating_measure
from accountant_noise.laplace_loss import LaplaceLoss

Real = Any
RESTS = {"1e-120": 302, "1e-132": 310, "1e-140": 320, "1e-141": 400}
"""The chance that a record is left out, and a loss of the release."""


def made(rest: str, epsilon: int, back: bool) -> tuple[list[tuple[Real, Real]], PrivacyLoss]:
    """The chances of both outcomes with the record and without it, or the other way round, and their loss."""
    likely = 1 / (1 + mp.exp(-epsilon))
    left_out = mp.mpf(rest)
    known = [(likely, 1 - likely), (1 - likely, likely)]
    pairs = [(left_out * q + (1 - left_out) * p, q) for p, q in known]
    sampled = SampledLoss(ResponseLoss(epsilon), 1 - Fraction(rest))
    return ([(q, p) for p, q in pairs], sampled.reverse()) if back else (pairs, sampled)


def masses(pairs: list[tuple[Real, Real]], edges: Floats) -> list[Real]:
    found = [mp.mpf(0)] * (edges.size + 1)
    for p, q in pairs:
        found[sum(mp.log(p / q) > mp.mpf(float(edge)) for edge in edges)] += p
    return found


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("rest", "epsilon"), RESTS.items())
def test_cells_hold_losses_wherever_they_lie_beyond_the_farthest(rest: str, epsilon: int, back: bool) -> None:
    with mp.workdps(400):
        pairs, loss = made(rest, epsilon, back)
        # Next to where the base's farthest losses are lifted to, on both sides of which there is one.
        near = float(mp.log(mp.mpf(rest) + mp.exp(-mp.mpf("300.5"))))
        for edges in ([near], [near, -200.0], [-500.0, near], [-500.0, near, -200.0, 10.0]):
            where = -np.array(edges)[::-1] if back else np.array(edges)
            found = loss.cells(where)
            for mass, error, truth in zip(found.p, found.p_error, masses(pairs, where), strict=True):
                assert abs(mp.mpf(float(mass)) - truth) <= mp.mpf(float(error))


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("rest", "epsilon"), RESTS.items())
def test_grids_of_nearly_sure_samples_enclose_delta(rest: str, epsilon: int, back: bool) -> None:
    with mp.workdps(400):
        pairs, loss = made(rest, epsilon, back)
        top = float(max(mp.log(p / q) for p, q in pairs))
        frame = Fraction(1, 16), int(-16 * top) - 16, int(16 * top) + 16
        upper, lower = dominating_measure(loss, *frame), dominated_measure(loss, *frame)
        for point in (top - 5.0, top - 0.3, top - 0.03, top - 1e-3, 0.0, 0.1 - top):
            truth = mp.fsum(max(p - mp.exp(point) * q, mp.mpf(0)) for p, q in pairs)
            most, least = (
                mp.mpf(measure.infinite)
                + mp.fsum(
                    mp.mpf(float(mass)) * max(1 - mp.exp(point - side * measure.slack - mp.mpf(place) / 16), mp.mpf(0))
                    for place, mass in enumerate(measure.masses, measure.start)
                    if mass > 0.0 and place > 16.0 * (point - 1.0)
                )
                for measure, side in ((upper, 1), (lower, -1))
            )
            assert least * (1 - mp.mpf(10) ** -14) <= truth <= most * (1 + mp.mpf(10) ** -14)


def test_a_composition_with_a_nearly_sure_sample_does_not_say_that_nothing_is_lost() -> None:
    """Without the record, an outcome is 1e140 times as likely as with it, with a chance of more than a half."""
    sampled = SampledLoss(LaplaceLoss(400), 1 - Fraction(1, 10**140))
    assert compose([(sampled.reverse(), 1), (LaplaceLoss(1), 1)]).delta(305).upper >= 0.4
