"""Geometric noise against sums over all outcomes in 60 digits, and against Laplace noise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest

from accountant import Interval, PlanError, PrivacyLoss, ShiftError, account, read_plan
from accountant.loss import ResponseLoss, compose
from accountant.plugin import Shift
from accountant_noise import Geometric
from accountant_noise.geometric_loss import GeometricLoss, GeometricMoments
from accountant_noise.laplace_loss import LaplaceLoss
from tests.plugins.noise.references import Outcome, contains, hockey_stick, real, renyi, wrong_cells, wrong_moments

SETTINGS = list(product(["1e-9", "0.01", "1", "7/3", "50"], [1, 2, 3, 40]))
SHARES = (-1.5, -1.0, -0.7, -0.3, 0.0, 0.2, 0.5, 0.77, 0.999, 1.0, 1.2)


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(60):
        yield


def outcomes(ratio: str, move: int) -> list[Outcome]:
    """Losses and masses from the chances of the noise alone: all that lies beyond either answer is one outcome."""
    r = real(ratio)
    chance = [mp.tanh(r / 2) * mp.exp(-r * k) for k in range(move + 1)]
    beyond = [mp.fsum(chance[:1]) / -mp.expm1(-r), mp.exp(-r * move) * chance[0] / -mp.expm1(-r)]
    inner = [((move - 2 * k) * r, chance[k]) for k in range(1, move)]
    return [(move * r, beyond[0]), *inner, (-move * r, beyond[1])]


@pytest.mark.parametrize(("ratio", "move"), SETTINGS)
def test_delta_is_the_sum_over_all_outcomes(ratio: str, move: int) -> None:
    loss, all_of_them = GeometricLoss(ratio, move), outcomes(ratio, move)
    assert abs(mp.fsum(mass for _, mass in all_of_them) - 1) < mp.mpf(10) ** -50
    for share in SHARES:
        epsilon = share * float(Fraction(ratio) * move)
        found = loss.delta(epsilon)
        assert contains(found, hockey_stick(all_of_them, epsilon))
        assert found.width <= 1e-13 * found.upper + 1e-300


@pytest.mark.parametrize(("ratio", "move"), SETTINGS)
def test_renyi_is_the_sum_over_all_outcomes(ratio: str, move: int) -> None:
    for order in ("1.0001", "1.5", "2", "50"):
        assert contains(GeometricLoss(ratio, move).renyi(order), renyi(outcomes(ratio, move), order))


@pytest.mark.parametrize(("ratio", "move"), SETTINGS)
def test_moments_hold_off_the_real_line(ratio: str, move: int) -> None:
    top = float(Fraction(ratio) * move)
    points = [0.5 + 0.3j, 1 + 10j, 2 + 1000j, complex(0.01, 3.1 / float(Fraction(ratio))), 1e-3 + 1e5j]
    moments = GeometricMoments.of([GeometricLoss(ratio, move)])
    held = [point for point in points if point.real * top < 290.0]
    assert not wrong_moments(moments, outcomes(ratio, move), held)


@pytest.mark.parametrize(("ratio", "move"), SETTINGS)
def test_cells_hold_the_masses_of_both_laws(ratio: str, move: int) -> None:
    top = float(Fraction(ratio) * move)
    loss, all_of_them = GeometricLoss(ratio, move), outcomes(ratio, move)
    lattice = top / move * np.arange(-move, move + 1.0)
    for edges in (1.1 * np.linspace(-top, top, 7), lattice, top * np.linspace(0.1, 0.9, 9), np.zeros(1)):
        assert not wrong_cells(loss, all_of_them, edges)


def test_hardly_any_noise_leaves_cells_above_the_highest_loss_empty() -> None:
    """e^1000 is no double: where there is no atom, none of its masses is asked for."""
    loss, edges = GeometricLoss("1000", 3), 1.1 * np.linspace(-3000.0, 3000.0, 7)
    assert not wrong_cells(loss, outcomes("1000", 3), edges)
    assert loss.cells(edges).p[-1] == 0.0


def test_composition_agrees_with_enumeration() -> None:
    first, second = outcomes("0.4", 3), outcomes("0.7", 2)
    both = [(a + b, p * q) for (a, p), (b, q) in product(first, second)]
    loss = compose([(GeometricLoss("0.4", 3), 1), (GeometricLoss("0.7", 2), 1)])
    for epsilon in (-0.5, 0.0, 0.3, 1.0, 2.5):
        assert contains(loss.delta(epsilon), hockey_stick(both, epsilon))
        assert loss.delta(epsilon).width <= 1e-9


def test_a_move_by_one_is_randomised_response() -> None:
    assert Geometric("2").loss(Shift.along([1])) == ResponseLoss("1/2")
    for epsilon in (-1.0, 0.0, 0.1, 0.4, 0.5):
        assert meet(GeometricLoss("1/2", 1).delta(epsilon), ResponseLoss("1/2").delta(epsilon))


def meet(left: Interval, right: Interval) -> bool:
    return left.lower <= right.upper and right.lower <= left.upper


@pytest.mark.parametrize("ratio", ["1/10", "1", "5"])
def test_geometric_noise_lies_between_laplace_noise_on_this_move_and_on_the_next(ratio: str) -> None:
    for move in (2, 3, 10):
        below, above = LaplaceLoss(Fraction(ratio) * move), LaplaceLoss(Fraction(ratio) * (move + 1))
        for share in (-0.5, 0.0, 0.3, 0.8):
            epsilon = share * float(Fraction(ratio) * move)
            value = GeometricLoss(ratio, move).delta(epsilon)
            assert below.delta(epsilon).lower <= value.upper
            assert value.lower <= above.delta(epsilon).upper


@pytest.mark.parametrize("ratio", ["1/100", "1", "20"])
def test_larger_moves_dominate_smaller_ones(ratio: str) -> None:
    for smaller, larger in pairwise(GeometricLoss(ratio, move) for move in (1, 2, 3, 9)):
        for epsilon in (-1.0, 0.0, 0.1, 0.5, 3.0):
            assert smaller.delta(epsilon).lower <= larger.delta(epsilon).upper


def test_a_very_far_move_of_very_wide_noise_is_read_as_fast_as_any() -> None:
    wide = compose([(GeometricLoss("1e-6", 10**6), 20)]).epsilon("1e-6")
    assert meet(wide, compose([(LaplaceLoss(1), 20)]).epsilon("1e-6"))
    assert wide.width <= 1e-3 * wide.upper


@pytest.mark.parametrize("scale", ["1e-300", "1e300", "1e-390", "1e390"])
@pytest.mark.parametrize("move", [1, 2, 10**30])
def test_scales_beyond_doubles_are_enclosed(scale: str, move: int) -> None:
    loss = Geometric(scale).loss(Shift.along([move]))
    assert loss.supremum().exact == move / Fraction(scale)
    worst = ResponseLoss(move / Fraction(scale))
    for epsilon in ("1e-10", "1"):
        value = loss.delta(epsilon)
        assert 0.0 <= value.lower <= value.upper <= worst.delta(epsilon).upper
    assert loss.renyi(2).upper <= worst.renyi(2).upper
    cells = loss.dominating().cells(np.array([-1.0, 0.0, 1.0]))
    assert np.all(np.isfinite(cells.p))
    assert float(cells.p.sum()) == pytest.approx(1.0)


# In a plan -------------------------------------------------------------------------------------------------------------


def test_norms_alone_are_enclosed_and_their_supremum_is_exact() -> None:
    loss = Geometric("2").loss(Shift(Fraction(4), Fraction(10), Fraction(3), gathered=(Fraction(4),)))
    assert loss.supremum().exact == 2
    value = loss.delta("1/2")
    # At worst all of the L1 norm is in one coordinate.
    assert value.upper == GeometricLoss("1/2", 4).delta("1/2").upper < ResponseLoss(2).delta("1/2").lower
    assert value.lower == GeometricLoss("1/2", 3).delta("1/2").lower
    # Whatever coordinates have these norms, such as 3 and 1 (the move by 1, 3 and so on), lie in between.
    for moves in ([3, 1], [-1, 3]):
        held: PrivacyLoss = Geometric("2").loss(Shift.along(moves))
        assert value.lower <= held.delta("1/2").upper
        assert held.delta("1/2").lower <= value.upper


@pytest.mark.parametrize(
    "shift",
    [
        Shift.along(["1/2"]),
        Shift.along([1, "3/2"]),
        Shift(Fraction(3, 2), Fraction(9, 4), Fraction(3, 2)),
        # Whole norms may be those of answers that are not whole, such as two moves by (1/2, 1/2).
        Shift(Fraction(2), Fraction(2), Fraction(1)),
    ],
)
def test_a_shift_that_is_not_whole_is_refused(shift: Shift) -> None:
    with pytest.raises(ShiftError, match=r"'geometric' adds whole noise.*use 'laplace'"):
        Geometric("1").loss(shift)


def test_a_plan_with_answers_that_are_not_whole_is_refused_with_its_place() -> None:
    release = {
        "name": "s",
        "query": {"kind": "sum", "lower": 0, "upper": "1.5"},
        "mechanism": {"kind": "geometric", "scale": 1},
    }
    with pytest.raises(PlanError, match=r"whole.* @ release\[0\]\.mechanism"):
        account(read_plan({"specification": {"neighbours": "add-remove"}, "release": [release]}))
    with pytest.raises(PlanError, match=r"must be above 0.* @ release\[0\]\.mechanism\.scale"):
        read_plan(
            {
                "specification": {"neighbours": "add-remove"},
                "release": [{**release, "mechanism": {"kind": "geometric", "scale": 0}}],
            }
        )


def test_more_noise_is_a_larger_scale() -> None:
    assert Geometric("2").scaled(Fraction(3, 2)) == Geometric("3")
