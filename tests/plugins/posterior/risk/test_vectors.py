"""Published and independently recomputed figures about risk profiles, from public calls.

The values are those of Kazan and Reiter's tables, recomputed with more digits; figures that a source prints wrongly are
replaced by what the formulas give.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from accountant import Interval
from accountant_posterior import (
    BoxProfile,
    Constant,
    Difference,
    FixedDisclosure,
    FixedMembership,
    LeeClifton,
    Point,
    Tabulated,
    TwoDimensional,
    admitted_epsilon,
    admitted_rho,
    concentrated_epsilon,
    largest_epsilon,
    largest_rise,
    per_release,
    split_epsilon,
    utility,
)
from accountant_posterior.risk.profile import Profile

CLOSE = 1e-12


def close(found: Interval, expected: float, within: float = CLOSE) -> bool:
    """Whether an interval is narrow and at a value."""
    return abs(found.lower - expected) <= within and abs(found.upper - expected) <= within


@pytest.mark.parametrize(
    ("ratio", "epsilon", "deviation", "unchanged", "baseline"),
    [
        ("1.5", 0.5108256237659907, 2.73861278752583, 0.25, 0.2027325540540822),
        ("3", 1.2992829841302607, 1.015504800579495, 0.5714285714285715, 0.5493061443340549),
        ("6", 2.036881927261041, 0.5873670062235367, 0.7692307692307693, 0.8958797346140275),
    ],
)
def test_a_fixed_disclosure_of_one_as_in_table_3_1(
    ratio: str, epsilon: float, deviation: float, unchanged: float, baseline: float
) -> None:
    found = FixedDisclosure(1, ratio, "0.25").recommend().epsilon
    left = utility(found.lower)
    assert close(found, epsilon)
    assert [left.deviation, left.unchanged] == pytest.approx([deviation, unchanged])
    assert close(Constant(ratio).recommend().epsilon, baseline)


@pytest.mark.parametrize(
    ("posterior", "epsilon", "deviation", "unchanged"),
    [
        ("0.025", 1.0873145464854883, 1.2387199204467756, 0.4957513919524979),
        ("0.15", 1.2098379237783343, 1.1005680351527567, 0.5405405405405406),
        ("0.3", 2.097141118779237, 0.5649778756730215, 0.78125),
    ],
)
def test_a_fixed_membership_as_in_table_3_5_also_where_the_branches_meet(
    posterior: str, epsilon: float, deviation: float, unchanged: float
) -> None:
    found = FixedMembership("0.05", 3, posterior).recommend().epsilon
    left = utility(found.lower)
    assert close(found, epsilon)
    assert [left.deviation, left.unchanged] == pytest.approx([deviation, unchanged])


@pytest.mark.parametrize(
    ("ratio", "posterior", "epsilon", "deviation", "turned"),
    [
        ("1.2", "0", 0.18232, 7.746, (0.45455, 0.37879, 0.26305, 0.12686)),
        ("1.2", "0.1", 0.20067, 7.0356, (0.45, 0.36818, 0.24647, 0.11045)),
        ("1.2", "0.25", 0.23639, 5.9687, (0.44118, 0.3483, 0.21708, 0.08433)),
        ("1.2", "0.5", 0.33647, 4.1833, (0.41667, 0.29762, 0.15185, 0.03953)),
        ("2", "0", 0.69315, 2.0, (0.33333, 0.16667, 0.04167, 0.0026)),
        ("2", "0.1", 0.74721, 1.8493, (0.32143, 0.15226, 0.03416, 0.00172)),
        ("2", "0.25", 0.8473, 1.6202, (0.3, 0.12857, 0.02362, 0.0008)),
        ("2", "0.5", 1.09861, 1.2247, (0.25, 0.08333, 0.00926, 0.00011)),
        ("5", "0", 1.60944, 0.7906, (0.16667, 0.03333, 0.00133, 0.0)),
        ("5", "0.1", 1.6946, 0.7425, (0.15517, 0.0285, 0.00096, 0.0)),
        ("5", "0.25", 1.84583, 0.6673, (0.13636, 0.02153, 0.00054, 0.0)),
        ("5", "0.5", 2.19722, 0.5303, (0.1, 0.01111, 0.00014, 0.0)),
    ],
)
def test_a_grid_of_profiles_and_what_they_leave_of_a_count_as_in_figure_3_2(
    ratio: str, posterior: str, epsilon: float, deviation: float, turned: tuple[float, ...]
) -> None:
    """As far as the table shows digits, and to the last place against e^-epsilon = (1 - a)/(r - a) in exact numbers."""
    found = FixedDisclosure(1, ratio, posterior).recommend().epsilon
    left = utility(found.lower, (1, 2, 4, 8))
    fall = (1 - Fraction(posterior)) / (Fraction(ratio) - Fraction(posterior))
    assert close(found, epsilon, 5.1e-6)
    assert left.deviation == pytest.approx(deviation, abs=5.1e-5)
    assert left.turned == pytest.approx(turned, abs=5.1e-6)
    assert left.turned == pytest.approx([float(fall**distance / (1 + fall)) for distance in (1, 2, 4, 8)], rel=1e-13)


def test_other_closed_forms() -> None:
    assert close(LeeClifton(4, "1/3", neighbours="replace-one").recommend().epsilon, 0.4054651081081644)
    assert close(LeeClifton(4, "1/3").recommend().epsilon, 0.4054651081081644 / 2)
    assert close(Difference("0.05").recommend().epsilon, 0.10008345855698263)
    assert close(Point("1.5").recommend().epsilon, math.log(1.5 / 0.5))
    assert close(TwoDimensional(3, "0.25").recommend().epsilon, 0.5 * math.log(2.75 / 0.75))
    assert close(BoxProfile(3, 0, 1, "0.5").recommend().epsilon, math.log(3))
    assert close(BoxProfile(3, "0.1", 1, 1).recommend().epsilon, math.log(0.9 / (1 / 3 - 0.1)))
    assert BoxProfile(3, "0.5", 1, 1).recommend().epsilon == Interval.infinite()
    assert close(Tabulated([["1/2", 1, "1.5"], ["1/4", 1, "4/3"]]).recommend().epsilon, 0.4054651081081644)


def test_the_middle_branch_has_the_factor_that_the_preprint_lacks() -> None:
    a, q, r = 0.1, 0.6, 3.0
    preprint, thesis = (
        math.log(2 * a * (1 - q) / (math.sqrt((r * q - a) ** 2 + 4 * factor * q * (1 - q) * (1 - a)) - (r * q - a)))
        for factor in (1.0, a)
    )
    found = FixedDisclosure("0.6", 3, "0.1").recommend()
    assert preprint == pytest.approx(-1.088, abs=5e-4)
    assert close(found.epsilon, thesis)
    assert (found.membership, found.disclosure) == (Fraction(1, 18), Fraction(3, 5))


def test_nothing_cancels_near_the_edges() -> None:
    """The printed formula gives -0.105 for the first and divides by zero for the second."""
    p, q = Fraction("0.05"), 1 - Fraction(1, 10**15)
    assert close(largest_epsilon(p, q, Fraction(3)), 1.2098379237783343, 1e-11)
    assert close(largest_epsilon(Fraction(1, 10**16), Fraction(1, 2), Fraction(3)), math.log(3), 1e-12)


@pytest.mark.parametrize(("p", "q", "ratio"), [("0.3", "0.4", "1.9"), ("0.999", "0.001", "7"), ("1", "1/7", "1.0001")])
def test_the_pointwise_epsilon_is_the_root_that_mpmath_finds(p: str, q: str, ratio: str) -> None:
    a, b, r = map(Fraction, (p, q, ratio))
    with mpmath.workdps(40):
        own = [mpmath.mpf(x.numerator) / x.denominator for x in (a, b, r)]
        root = mpmath.findroot(
            lambda e: (
                1 / (own[0] * own[1] + own[0] * (1 - own[1]) * mpmath.exp(-2 * e) + (1 - own[0]) * mpmath.exp(-e)) - own[2]
            ),
            0.5,
        )
        found = largest_epsilon(a, b, r)
        assert mpmath.mpf(found.lower) <= root <= mpmath.mpf(found.upper)
        assert found.width <= 1e-13


def test_two_cells_with_geometric_noise_attain_the_bound() -> None:
    found = largest_rise(Fraction("0.3"), Fraction("0.4"), Interval.of("0.7"))
    assert close(found, 1.95313581, 5e-9)


def example_8(**words: object) -> Profile:
    return Difference("0.2", adversary="strong", **words)  # type: ignore[arg-type]


def test_a_difference_of_a_fifth_for_twelve_releases_as_in_example_8() -> None:
    assert close(example_8().recommend().epsilon, 0.8109302162163288)
    assert close(admitted_epsilon(example_8(failure="0.01"), "1e-6"), 0.810786, 5e-7)
    assert close(per_release(example_8(), 12).best, 0.067578, 5e-7)


@pytest.mark.parametrize(("delta", "each"), [("1e-6", 0.067779), ("1e-5", 0.06984)])
def test_optimal_composition_gains_little_at_small_delta(delta: str, each: float) -> None:
    """The printed 0.135 would need a total delta of at least 0.009."""
    split = split_epsilon(example_8().recommend().epsilon, 12, delta, "1e-8")
    assert close(split.optimal, each, 5.1e-6)
    assert split.best == split.optimal
    assert split.advanced.upper < split.basic.lower


@pytest.mark.parametrize(("delta", "widened", "first"), [("1e-3", False, 51), ("1e-3", True, 49), ("1e-5", True, 32)])
def test_advanced_composition_allows_as_many_releases_as_recomputed_for_figure_5_2(
    delta: str, widened: bool, first: int
) -> None:
    """The printed 51 forgets that approximate privacy at 0.001 is wider at a failure of 0.05; with that it is 49."""
    profile = Point("1.6", adversary="strong", failure="0.05")
    total = admitted_epsilon(profile, delta) if widened else profile.recommend().epsilon
    assert split_epsilon(total, first - 1, delta).advanced.lower >= 0.05
    assert split_epsilon(total, first, delta).advanced.upper < 0.05


def test_advanced_composition_is_no_better_than_basic_at_a_small_delta() -> None:
    profile = Point("1.6", adversary="strong", failure="0.05")
    assert per_release(profile, 27).basic.lower >= 0.05 > per_release(profile, 28).basic.upper
    split = split_epsilon(admitted_epsilon(profile, "1e-6"), 28, "1e-6")
    assert split.advanced.upper < split.basic.lower < 0.05


@pytest.mark.parametrize(("count", "kept"), [(133, True), (134, False)])
def test_the_best_delta_allows_as_many_releases_as_recomputed_for_figure_5_2(count: int, kept: bool) -> None:
    """Posterior 0.8 from prior 0.5, failure 0.05, epsilon 0.05 each: first exceeded at 134 releases."""
    found = per_release(Point("1.6", adversary="strong", failure="0.05"), count).curve
    assert (found.lower >= 0.05) is kept
    assert (found.upper < 0.05) is not kept


def test_the_two_models_of_an_attacker_differ_by_a_factor_of_two() -> None:
    assert close(Difference("0.2").recommend().epsilon, 0.8109302162163288 / 2)
    assert close(Difference("0.2", neighbours="replace-one").recommend().epsilon, 0.8109302162163288)


def test_rho_is_the_inverse_of_what_rho_bounds() -> None:
    """Seven days at 0.01 each give epsilon' = 1.23655 at failure 0.01."""
    profile = Point(1 / (Fraction("0.5") + Fraction("0.5") * Fraction(math.exp(-1.2365466512711023))), failure="0.01")
    found = admitted_rho(Point(profile.ratio, adversary="strong", failure="0.01"))
    assert found.lower == pytest.approx(0.07, rel=1e-9)
    assert concentrated_epsilon(Fraction(found.lower), "0.01").upper <= 1.2365466512711023 + 1e-9
    assert found.upper > found.lower
