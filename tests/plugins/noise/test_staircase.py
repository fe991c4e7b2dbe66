"""Staircase noise against integration of its density piece by piece in 40 digits, for any shift."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest

from accountant import PlanError, ShiftError, account, calibrate, read_plan
from accountant.loss import AtomMoments, ResponseLoss, compose
from accountant.plugin import Shift
from accountant_noise import Staircase
from accountant_noise.staircase_loss import StaircaseLoss
from tests.plugins.noise.references import Outcome, contains, hockey_stick, real, renyi, wrong_cells

pytestmark = pytest.mark.slow

SETTINGS = list(product(["1/2", "3"], ["1", "1/2", "1/7"], ["1/100", "1/3", "1", "7/3", "4"]))


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mp.workdps(40):
        yield


def density(epsilon: str, gamma: str, place: Fraction) -> mp.mpf:
    """As Geng and Viswanath write it, with steps of 1."""
    e, g = real(epsilon), real(gamma)
    height = -mp.expm1(-e) / (2 * (g + mp.exp(-e) * (1 - g)))
    step, part = divmod(abs(place), 1)
    return height * mp.exp(-e * (step if part < Fraction(gamma) else step + 1))


def outcomes(epsilon: str, gamma: str, move: str) -> list[Outcome]:
    """Losses and masses from both densities at the middle of every piece, far enough out."""
    reach = int(70 / Fraction(epsilon)) + 5
    centres = [sign * (step + part) for sign in (1, -1) for step in range(reach) for part in (0, Fraction(gamma))]
    cuts = sorted({*map(Fraction, centres), *(cut + Fraction(move) for cut in centres)})
    masses: defaultdict[int, mp.mpf] = defaultdict(mp.mpf)
    for left, right in pairwise(cuts):
        here, there = (density(epsilon, gamma, (left + right) / 2 - centre) for centre in (Fraction(0), Fraction(move)))
        masses[int(mp.nint(mp.log(here / there) / real(epsilon)))] += here * real(right - left)
    return [(level * real(epsilon), mass) for level, mass in masses.items()]


@pytest.mark.parametrize(("epsilon", "gamma", "move"), SETTINGS)
def test_every_reading_is_that_of_the_density(epsilon: str, gamma: str, move: str) -> None:
    loss, all_of_them = StaircaseLoss(epsilon, gamma, move), outcomes(epsilon, gamma, move)
    top = float(Fraction(epsilon) * math.ceil(Fraction(move)))
    for share in (-1.2, -1.0, -0.4, 0.0, 0.15, 0.6, 0.99):
        assert contains(loss.delta(share * top), hockey_stick(all_of_them, share * top))
    for order in ("1.001", "2", "11"):
        found = loss.renyi(order)
        assert contains(found, renyi(all_of_them, order))
        assert found.width <= 1e-9 * found.upper
    assert loss.supremum().exact == Fraction(epsilon) * math.ceil(Fraction(move))
    assert loss.delta(Fraction(epsilon) * math.ceil(Fraction(move))).exact == 0
    assert not wrong_cells(loss, all_of_them, np.linspace(-top, top, 2 * math.ceil(Fraction(move)) + 1))
    assert not wrong_cells(loss, all_of_them, np.linspace(-0.9, 1.1, 6) * top)


@pytest.mark.parametrize(("epsilon", "gamma", "move"), SETTINGS[::4])
def test_composition_agrees_with_enumeration(epsilon: str, gamma: str, move: str) -> None:
    first, second = outcomes(epsilon, gamma, move), outcomes("1/2", "1/3", "3/2")
    both = [(a + b + c, p * q * r) for (a, p), (b, q), (c, r) in product(first, second, second)]
    loss = compose([(StaircaseLoss(epsilon, gamma, move), 1), (StaircaseLoss("1/2", "1/3", "3/2"), 2)])
    for point in (0.0, 0.3, 1.0):
        assert contains(loss.delta(point), hockey_stick(both, point))
        assert loss.delta(point).width <= 1e-9


@pytest.mark.parametrize(("epsilon", "gamma"), list(product(["1/2", "3"], ["1", "1/2", "1/7"])))
def test_larger_moves_dominate_smaller_ones(epsilon: str, gamma: str) -> None:
    """Also between moves that are no whole number of steps apart: the noise is symmetric and falls on both sides."""
    moves = [Fraction(k, 6) for k in range(1, 20)]
    for smaller, larger in pairwise(StaircaseLoss(epsilon, gamma, move) for move in moves):
        for point in (-1.0, 0.0, 0.2, 0.5, 1.2, 4.0):
            assert smaller.delta(point).lower <= larger.delta(point).upper


def test_one_step_is_purely_private_and_the_shortest_part_more_costs_another_epsilon() -> None:
    noise = Staircase("1/2", "1/3", sensitivity=2)
    assert noise.loss(Shift.along([2])).supremum().exact == Fraction(1, 2)
    assert noise.loss(Shift.along(["1/1000"])).supremum().exact == Fraction(1, 2)
    assert noise.loss(Shift.along(["2.001"])).supremum().exact == 1
    assert noise.loss(Shift.along(["2.001"])).delta("1/2").upper < 1e-3
    assert noise.loss(Shift.along([2, -1, "1/5"])).supremum().exact == Fraction(3, 2)


def test_a_stair_at_0_makes_no_difference() -> None:
    for move in ("1/3", "1", "5/2"):
        assert Staircase(1, 0).loss(Shift.along([move])) == Staircase(1, 1).loss(Shift.along([move]))


def test_the_sensitivity_is_the_unit_of_moves() -> None:
    assert Staircase(1, "1/3", sensitivity="5").loss(Shift.along([2])) == Staircase(1, "1/3").loss(Shift.along(["2/5"]))
    assert Staircase(1, "1/3", sensitivity="5").scaled(Fraction(2)) == Staircase(1, "1/3", sensitivity="10")


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-12", "1e3", "1e200", "1e300", "1e390"])
@pytest.mark.parametrize("gamma", ["1", "1/3", "1e-300"])
@pytest.mark.parametrize("move", ["1e-300", "5/2", "1e9"])
def test_extremes_are_enclosed(epsilon: str, gamma: str, move: str) -> None:
    loss = Staircase(epsilon, gamma).loss(Shift.along([move]))
    top = Fraction(epsilon) * math.ceil(Fraction(move))
    assert loss.supremum().exact == top
    values = [loss.delta(point) for point in (0, 1, top / 2)]
    assert all(0.0 <= value.lower <= value.upper <= 1.0 for value in values)
    if top < 10**300:
        assert loss.delta(2 * top).upper == 0.0
    assert loss.renyi(2).upper <= ResponseLoss(top).renyi(2).upper * (1 + 1e-9) + 1e-300
    assert compose([(loss, 2)]).supremum().exact == 2 * top


def test_tiny_epsilons_are_read_sharply() -> None:
    """To first order delta(0) is half the loss times how far the answer moves: the density at 0 times the move."""
    loss = StaircaseLoss("1e-9", "1/2", "1")
    assert loss.delta(0).width <= 1e-12 * loss.delta(0).upper
    assert loss.delta(0).upper == pytest.approx(0.5e-9, rel=1e-6)


def test_it_is_read_by_a_contour_where_many_are_composed() -> None:
    loss = StaircaseLoss("1/10", "1/3", "5/2")
    assert loss.analytic() is AtomMoments
    found = compose([(loss, 200)]).epsilon("1e-6")
    assert found.width <= 1e-3 * found.upper


# In a plan -------------------------------------------------------------------------------------------------------------


def plan(mechanism: dict[str, object], query: dict[str, object] | None = None) -> dict[str, object]:
    return {
        "specification": {"neighbours": "add-remove"},
        "budget": [{"divergence": "pure", "epsilon": "1/4"}],
        "release": [
            {
                "name": "total",
                "query": query or {"kind": "sum", "lower": 0, "upper": 3},
                "mechanism": {"kind": "staircase", **mechanism},
            }
        ],
    }


def test_the_step_must_fit_the_query_or_it_costs_several_epsilons() -> None:
    """Steps made for one neighbour relation cost twice as much under one that moves the query twice as far."""
    query = {"kind": "sum", "lower": -3, "upper": 3}
    fitting = read_plan(plan({"epsilon": "1/4", "gamma": "1/3", "sensitivity": 3}, query))
    assert account(fitting).measure("pure").value.exact == Fraction(1, 4)
    replaced = {
        **plan({"epsilon": "1/4", "gamma": "1/3", "sensitivity": 3}, query),
        "specification": {"neighbours": "replace-one"},
    }
    assert account(read_plan(replaced)).measure("pure").value.exact == Fraction(1, 2)


def test_calibration_stretches_the_steps() -> None:
    found = calibrate(read_plan(plan({"epsilon": "1/4", "gamma": "1/3"})))
    assert 3 <= found.plan.releases[0].mechanism.sensitivity <= Fraction("3.001")


def test_a_shift_known_by_norms_is_refused() -> None:
    with pytest.raises(ShiftError, match=r"how many coordinates is not known.*'laplace'"):
        Staircase(1, "1/2").loss(Shift(Fraction(2), Fraction(2), Fraction(1)))


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        ({"epsilon": 1}, r"missing 'gamma'"),
        ({"epsilon": 0, "gamma": "1/2"}, r"must be above 0.*mechanism\.epsilon"),
        ({"epsilon": 1, "gamma": "-1/2"}, r"must be at least 0.*mechanism\.gamma"),
        ({"epsilon": 1, "gamma": "3/2"}, r"must be at most 1.*mechanism\.gamma"),
        ({"epsilon": 1, "gamma": 1, "sensitivity": 0}, r"must be above 0.*mechanism\.sensitivity"),
    ],
)
def test_bad_parameters_are_refused_with_their_place(mechanism: dict[str, object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        read_plan(plan(mechanism))
