"""The Laplace loss against direct integration of the noise density at high precision."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from accountant.numbers.interval import Interval
from accountant.plugin import Shift
from accountant_noise import Laplace
from accountant_noise.laplace_loss import LaplaceLoss

RATIOS = ("1e-6", "0.01", "0.5", "2", "30", "500")


def contains(value: Interval, truth: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper))


def hockey_stick(ratio: str, epsilon: float) -> mpmath.mpf:
    """Integral of (p - e^epsilon q)_+ for Laplace densities at 0 and at `ratio`: positive left of one crossing."""
    with mpmath.workdps(60):
        r, eps = mpmath.mpf(ratio), mpmath.mpf(epsilon)
        if eps >= r:
            return mpmath.mpf(0)
        if eps <= -r:
            return 1 - mpmath.exp(eps)
        crossing = (r - eps) / 2
        below_p = 1 - mpmath.exp(-crossing) / 2 if crossing >= 0 else mpmath.exp(crossing) / 2
        below_q = mpmath.exp(crossing - r) / 2
        return below_p - mpmath.exp(eps) * below_q


@pytest.mark.parametrize("ratio", RATIOS)
def test_delta_is_the_hockey_stick(ratio: str) -> None:
    loss = LaplaceLoss(ratio)
    for share in (-2.0, -1.0, -0.99, -0.3, 0.0, 0.2, 0.7, 0.999, 1.0, 1.5):
        epsilon = share * float(ratio)
        value = loss.delta(epsilon)
        assert contains(value, hockey_stick(ratio, epsilon))
        assert value.width <= 1e-13 * max(value.upper, 1e-300)


@pytest.mark.parametrize("ratio", ["1e-6", "0.01", "0.5", "2", "30"])
@pytest.mark.parametrize("order", ["1.0001", "1.5", "2", "7", "100"])
def test_renyi_is_the_integral(ratio: str, order: str) -> None:
    with mpmath.workdps(40):
        r, a = mpmath.mpf(ratio), mpmath.mpf(order)

        def density(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-a * abs(x) - (1 - a) * abs(x - r)) / 2

        moment = mpmath.exp((a - 1) * r) / 2 + mpmath.quad(density, [0, r / 2, r]) + mpmath.exp(-a * r) / 2
        assert contains(LaplaceLoss(ratio).renyi(order), mpmath.log(moment) / (a - 1))


@pytest.mark.parametrize("ratio", ["0.5", "3"])
def test_cells_hold_the_masses_of_both_laws(ratio: str) -> None:
    edges = np.array([-5.0, -3.0, -1.1, -0.5, -0.2, 0.0, 0.1, 0.5, 0.9, 3.0, 4.0])
    cells = LaplaceLoss(ratio).cells(edges)
    with mpmath.workdps(40):
        r = mpmath.mpf(ratio)

        def up_to(t: float) -> tuple[mpmath.mpf, mpmath.mpf]:
            """P(L <= t) and Q(L <= t): L falls from r to -r as the noise passes from 0 to r."""
            if t < -r:
                return mpmath.mpf(0), mpmath.mpf(0)
            if t >= r:
                return mpmath.mpf(1), mpmath.mpf(1)
            x = (r - mpmath.mpf(t)) / 2
            return mpmath.exp(-x) / 2, 1 - mpmath.exp(x - r) / 2

        ladder = [(mpmath.mpf(0), mpmath.mpf(0)), *(up_to(float(e)) for e in edges), (mpmath.mpf(1), mpmath.mpf(1))]
        for k in range(1, edges.size + 1):
            p, q = (ladder[k + 1][side] - ladder[k][side] for side in (0, 1))
            q *= mpmath.exp(mpmath.mpf(float(edges[k - 1])))
            assert abs(mpmath.mpf(float(cells.p[k])) - p) <= cells.p_error[k]
            assert abs(mpmath.mpf(float(cells.q[k])) - q) <= cells.q_error[k]


def test_two_coordinates_lose_independently() -> None:
    both = Laplace("2").loss(Shift.along([1, -1]))
    assert both.supremum().exact == 1
    assert both.delta("0.5").upper < LaplaceLoss(1).delta("0.5").lower


def test_norms_alone_give_the_worst_case_of_the_sum() -> None:
    shift = Shift(l1=Shift.along([3]).l1, l2_squared=Shift.along([3]).l1, linf=Shift.along([3]).l1)
    assert Laplace("2").loss(shift).supremum().exact == Shift.along(["3/2"]).l1
