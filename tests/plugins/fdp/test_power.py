"""The largest power of tests, against closed forms and exact finite mechanisms."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

import mpmath
import pytest
from attrs import frozen
from hypothesis import given, strategies as st

from accountant import InvalidValue, account, default_registry, read_plan
from accountant.errors import ReadingError
from accountant.loss import TOTAL_LOSS, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose, power_curve
from accountant.plugin import DIVERGENCES, THEOREMS, Properties
from accountant.testing import laws, search, strategies
from accountant.testing.laws.definition import mixed
from accountant_fdp import PowerOfTests, PowerParameter
from accountant_fdp.definition import COMPOUND
from tests.laws.quick import QUICK

FDP = PowerOfTests()
LEVELS = ("0.01", "0.05", "0.10")


@st.composite
def pairs(draw: st.DrawFn, size: int = 4) -> FiniteLoss:
    rows = [draw(st.lists(st.integers(0, 30), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


def power(loss: PrivacyLoss, level: str | Fraction) -> tuple[float, float]:
    value = FDP.measure(loss, {"level": Fraction(level)})
    return value.lower, value.upper


@given(pairs(), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_the_power_is_that_of_the_best_test_there_is(pair: FiniteLoss, level: Fraction) -> None:
    """Every test that mixes two events is tried: by Neyman and Pearson one of them is best."""
    best = Fraction(0)
    for side in (pair.atoms, [(q, p) for p, q in pair.atoms]):
        events = list(chain.from_iterable(combinations(side, size) for size in range(len(side) + 1)))
        reached = [(sum((q for _, q in event), Fraction(0)), sum((p for p, _ in event), Fraction(0))) for event in events]
        for low, less in reached:
            for high, more in reached:
                if low <= level <= high:
                    share = (level - low) / (high - low) if high > low else Fraction(0)
                    best = max(best, less + share * (more - less))
    assert FDP.measure(pair, {"level": level}).exact == best


@pytest.mark.parametrize(
    ("epsilon", "powers"),
    [
        ("0.1", (".0111", ".0553", ".1105")),
        ("0.5", (".0165", ".0824", ".1649")),
        ("1", (".0272", ".1359", ".2718")),
        ("2", (".0739", ".3695", ".7389")),
        ("4", (".5460", ".9826", ".9835")),
    ],
)
def test_pure_privacy_has_the_published_powers(epsilon: str, powers: tuple[str, ...]) -> None:
    """Kifer et al. (2022), section 6.1, recomputed; here also min(e^eps l, 1 - e^-eps (1 - l))."""
    pure = default_registry()[DIVERGENCES]["pure"]
    worst = pure.worst_case(pure.parameter(epsilon))
    for level, known in zip(LEVELS, powers, strict=True):
        low, high = power(worst, level)
        closed = min(math.exp(float(epsilon)) * float(level), 1 - math.exp(-float(epsilon)) * (1 - float(level)))
        assert low - 1e-12 <= closed <= high + 1e-12
        assert high - low <= 1e-6
        assert round(high, 4) == pytest.approx(float(known), abs=0.00011)


@pytest.mark.parametrize(
    ("rho", "powers"), [("2.63", (".4869", ".7417", ".8442")), ("0.1115", (".0319", ".1205", ".2092"))]
)
def test_gaussian_noise_has_the_published_powers(rho: str, powers: tuple[str, ...]) -> None:
    """Kifer et al. (2022), section 6.3, and Phi(mu - z) at thirty digits."""
    for level, known in zip(LEVELS, powers, strict=True):
        low, high = power(GaussianLoss(2 * Fraction(rho)), level)
        with mpmath.workdps(30):
            z = -mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(level) - 1)
            assert low <= mpmath.ncdf(mpmath.sqrt(2 * mpmath.mpf(rho)) - z) <= high
        assert f"{high:.4f}".lstrip("0") == known
        assert f"{low:.4f}".lstrip("0") == known


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_least_power_of_a_test_is_what_exchanged_answers_leave(epsilon: str) -> None:
    """A test that says no instead of yes: 1 - power(1 - level) is max(e^-eps l, 1 - e^eps (1 - l)) under pure privacy."""
    for level in (0.01, 0.05, 0.1, 0.9, 0.99):
        closed = max(math.exp(-float(epsilon)) * level, 1 - math.exp(float(epsilon)) * (1 - level))
        low, high = power(ResponseLoss(epsilon), 1 - Fraction(level))
        assert 1 - high - 1e-9 <= closed <= 1 - low + 1e-9


@pytest.mark.parametrize(("mu_squared", "level"), [("1", "1e-10"), ("400", "1e-100"), ("0.01", "1e-6"), ("9", "1e-250")])
def test_tiny_levels_keep_relative_accuracy(mu_squared: str, level: str) -> None:
    low, high = power(GaussianLoss(mu_squared), level)
    with mpmath.workdps(40):
        target = mpmath.mpf(level)
        z = mpmath.findroot(lambda x: mpmath.log(mpmath.ncdf(-x) / target), mpmath.sqrt(-2 * mpmath.log(target)))
        truth = mpmath.ncdf(mpmath.sqrt(mpmath.mpf(mu_squared)) - z)
    assert low <= truth <= high
    assert high - low <= 1e-6 * high


@pytest.mark.parametrize("level", ["0.1", "1e-4", "1e-9"])
def test_a_composition_is_read_as_sharply_as_its_exact_product(level: str) -> None:
    coin = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    product = coin
    for _ in range(5):
        product = product.times(coin)
    truth = FDP.measure(product, {"level": Fraction(level)}).exact
    composed = compose([(ResponseLoss(Fraction(math.log(3))), 6)])
    low, high = power(composed, level)
    assert truth is not None
    assert low * (1 - 1e-12) <= truth <= high * (1 + 1e-12)
    assert high - low <= 0.01 * high


def test_revealing_everything_gives_power_one_at_every_level() -> None:
    assert FDP.measure(TOTAL_LOSS, {"level": Fraction(1, 10**9)}).exact == 1


# A point is not a curve -----------------------------------------------------------------------------------------------


def test_mixing_two_mechanisms_may_raise_the_power_at_a_level() -> None:
    """One shows the record with probability 2/5, the other is randomised response; at level 1/5 each has power 13/25."""
    shows = FiniteLoss([("2/5", 0), ("3/5", "3/5"), (0, "2/5")])
    answers = FiniteLoss([("13/18", "5/18"), ("5/18", "13/18")])
    at = {"level": Fraction(1, 5)}
    worse = max(FDP.measure(pair, at).upper for pair in (shows, answers))
    blocks = FiniteLoss([(p / 2, q / 2) for p, q in shows.atoms] + [(p / 2, q / 2) for p, q in answers.atoms])
    assert FDP.measure(blocks, at).lower > worse


@frozen
class DeclaredConvex(PowerOfTests):
    """The same definition with a property that a point does not have."""

    properties = Properties(post_processing=True, convexity=True, round_trip=False)


@frozen
class DeclaredRoundTrip(PowerOfTests):
    """The same definition, claiming that a point survives the way there and back."""

    properties = Properties(post_processing=True, convexity=False, round_trip=True)


@frozen
class JoinedPoints(PowerOfTests):
    """A worst case that joins the points by lines, as if nothing could happen between them."""

    def worst_case(self, parameter: PowerParameter) -> PrivacyLoss:
        return power_curve([(parameter.level, parameter.power)])


def test_declaring_a_point_convex_is_caught() -> None:
    drawn = strategies.finite_losses()
    with pytest.raises(AssertionError, match="a mixture must not worsen 'fdp'"):
        search(
            laws.mixtures_never_raise,
            DeclaredConvex(),
            first=drawn,
            second=drawn,
            weight=strategies.exact_numbers(0, 1),
            examples=400,
            depth=QUICK,
        )


def test_declaring_a_round_trip_of_a_point_is_caught() -> None:
    parameter = PowerParameter("0.05", "0.2")
    laws.parameters_come_back(FDP, parameter)
    with pytest.raises(AssertionError, match="must give back its own parameter"):
        laws.parameters_come_back(DeclaredRoundTrip(), parameter)


@pytest.mark.slow
def test_a_worst_case_that_joins_the_points_is_caught() -> None:
    drawn = strategies.finite_losses(smallest=1)
    search(laws.worst_case_dominates, FDP, loss=drawn)
    with pytest.raises(AssertionError, match="the worst case of 'fdp' must dominate"):
        search(laws.worst_case_dominates, JoinedPoints(), loss=drawn, depth=QUICK)


@given(pairs(), pairs(), st.fractions(0, 1), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_a_whole_curve_survives_mixing(first: FiniteLoss, second: FiniteLoss, weight: Fraction, level: Fraction) -> None:
    """A curve that both mechanisms keep at every level is kept by their mixture at every level."""
    corners = []
    for pair in (first, second):
        low = high = Fraction(0)
        for p, q in pair.atoms:
            low, high = low + q, high + p
            corners.append((low, high))
    curve, both = power_curve(corners), mixed(first, second, weight)
    assert FDP.measure(both, {"level": level}).upper <= FDP.measure(curve, {"level": level}).upper


def test_more_points_on_a_curve_permit_less() -> None:
    levels = [Fraction(k, 20) for k in range(1, 20)]
    gaussian = GaussianLoss("1")
    curve = [PowerParameter(level, FDP.measure(gaussian, {"level": level}).upper) for level in levels]
    at = {"level": Fraction(1, 20)}
    alone, whole = FDP.measure(FDP.worst_case(curve[0]), at), FDP.measure(FDP.worst_case_of(curve), at)
    assert FDP.measure(gaussian, at).lower <= whole.upper < alone.upper
    assert whole.upper <= 1.15 * FDP.measure(gaussian, at).upper


# What users meet ------------------------------------------------------------------------------------------------------


def test_a_level_is_what_the_power_is_read_at() -> None:
    with pytest.raises(ReadingError, match="'fdp' gives power at level; it cannot be read with delta"):
        FDP.reading({"delta": Fraction(1, 10)})


def test_a_power_below_the_level_cannot_be_claimed() -> None:
    with pytest.raises(InvalidValue, match="a test that ignores the data has that power"):
        PowerParameter("0.1", "0.05")


def test_the_theorem_on_compound_tests_is_registered() -> None:
    assert default_registry()[THEOREMS]["compound-tests-gain-nothing"] == COMPOUND


def test_a_claim_by_power_can_be_read_in_every_definition() -> None:
    plan = read_plan(
        {
            "title": "A vendor states a power",
            "specification": {"neighbours": "replace-one"},
            "release": [
                {"name": "v", "mechanism": {"kind": "claim", "divergence": "fdp", "level": "0.05", "power": "0.1"}}
            ],
        }
    )
    value = account(plan).measure("approx", epsilon="0").value
    # A coin that says yes with 2/3 against 1/3 keeps the point, since 0.05 of it is half of 0.1, and differs by 1/3.
    assert value.upper == pytest.approx(1 / 3, abs=1e-12)
    assert account(plan).measure("fdp", level="0.05").value.contains("0.1")
