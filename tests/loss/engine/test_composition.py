"""The composition engine against closed forms and enumeration."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import mpmath as mp
import pytest

from accountant.errors import GridTooLarge, InvalidValue
from accountant.loss import (
    NO_LOSS,
    TOTAL_LOSS,
    BracketLoss,
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    compose,
)
from tests.loss.cases import (
    LEAKY,
    RARE,
    SKEW,
    Case,
    Parts,
    atomic,
    atoms_of,
    faults,
    gaussians,
    quick_cases,
    responses,
    with_gaussian,
)
from tests.loss.references import atoms_renyi, atoms_tradeoff, encloses, gaussian_tradeoff, product_atoms, real


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("case", quick_cases(), ids=lambda case: case.name)
def test_small_cases(case: Case) -> None:
    assert faults([case]) == []


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("target", ["1e-6", "1e-10", "1e-12", "1e-14", "1e-30", "1e-60"])
def test_ten_thousand_gaussians(target: str) -> None:
    case = gaussians("1/10000", 10_000, (), (target,))
    assert faults([case]) == []
    found = ComposedLoss.of(case.parts).epsilon(target)
    assert found.width <= 1e-4 * found.upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "count", "target"),
    [("0.001", 10**6, "1e-6"), ("0.001", 10**6, "1e-30"), ("0.01", 10**5, "1e-12"), ("1", 50, "1e-15"), ("8", 7, "1e-9")],
)
def test_randomised_response_many_times(epsilon: str, count: int, target: str) -> None:
    with mp.workdps(60):
        case = responses(epsilon, count, (), (target,))
        assert faults([case]) == []
    found = ComposedLoss.of(case.parts).epsilon(target)
    assert found.width <= 1e-4 * found.upper


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize(
    "case",
    [
        atomic("tiny losses", [(ResponseLoss("1e-7"), 6), (ResponseLoss("3.3e-8"), 2)], (0.0, 1e-7, 5e-7), ("1e-9",)),
        atomic("huge losses", [(ResponseLoss(60), 2), (ResponseLoss("0.1"), 3)], (-1.0, 59.0, 119.0), ("1e-9", "1e-26")),
        atomic("both directions", [(RARE, 2), (RARE.reverse(), 2), (SKEW, 2)], (-20.0, 0.0, 1.0, 21.0), ("1e-7", "1e-14")),
        atomic(
            "coprime lattices", [(ResponseLoss("0.7"), 3), (ResponseLoss("0.11"), 4)], (0.1, 1.5, 2.4), ("1e-2", "1e-5")
        ),
        atomic("leaky reversed", [(LEAKY.reverse(), 3), (LEAKY, 1)], (-1.0, 0.0, 0.5, 2.0), ("0.9", "0.3")),  # type: ignore[list-item]
        with_gaussian("wide and narrow", "1e-6", [(ResponseLoss(5), 2)], (-4.0, 0.0, 4.9, 10.0, 10.004), ("1e-3", "1e-20")),
        with_gaussian("large Gaussian", "100", [(ResponseLoss("0.3"), 3)], (-30.0, 10.0, 80.0, 200.0), ("1e-9", "1e-40")),
        with_gaussian("leaky Gaussian", "1", [(LEAKY, 2)], (-1.0, 1.0, 5.0, 30.0), ("0.05", "1e-6")),
    ],
    ids=lambda case: case.name,
)
def test_heterogeneous_mixes(case: Case) -> None:
    assert faults([case]) == []


def test_ten_parts_of_a_kind_and_one_rare() -> None:
    """A thousand rare large losses: enumeration by the number of hits, which is binomial."""
    p, q = real("1e-6"), real("1e-15")

    def delta(point: object) -> object:
        factor = mp.exp(real(point))
        return mp.fsum(
            mp.binomial(1000, k) * max(p**k * (1 - p) ** (1000 - k) - factor * q**k * (1 - q) ** (1000 - k), mp.mpf(0))
            for k in range(14)
        )

    case = Case("rare", [(RARE, 1000)], delta, (0.0, 1e-3, 10.0, 30.0, 60.0), ("1e-4", "1e-9", "1e-20"))
    assert faults([case]) == []
    found = ComposedLoss.of([(RARE.reverse(), 1000)]).epsilon("1e-9")
    # In the other direction the loss is 1000 log((1 - q)/(1 - p)) but for a chance of 1e-12.
    truth = 1000 * mp.log((1 - q) / (1 - p))
    assert found.lower <= truth
    assert found.upper >= truth * (1 - mp.mpf(10) ** -5)
    assert found.width <= 1e-2 * found.upper


@pytest.mark.parametrize("level", ["0", "1e-9", "0.01", "0.3", "0.9", "1"])
@pytest.mark.parametrize(
    "parts",
    [
        [(ResponseLoss("0.5"), 3), (SKEW, 2)],
        [(LEAKY, 2), (ResponseLoss("0.25"), 2)],
        [(RARE, 2), (RARE.reverse(), 1), (ResponseLoss("0.5"), 1)],
    ],
)
def test_tradeoff(parts: Parts, level: str) -> None:
    truth = atoms_tradeoff(product_atoms([(atoms_of(loss), count) for loss, count in parts]), level)
    found = ComposedLoss.of(parts).tradeoff(level)
    assert encloses(found, truth)
    assert found.width <= 2e-3


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("level", ["1e-6", "0.05", "0.5", "0.99"])
def test_tradeoff_of_many_gaussians(level: str) -> None:
    found = ComposedLoss.of([(GaussianLoss("1/100"), 100)]).tradeoff(level)
    assert encloses(found, gaussian_tradeoff(1, level))
    assert found.width <= 1e-3


def test_renyi_supremum_and_infinite_mass_add_up() -> None:
    parts: Parts = [(ResponseLoss("0.5"), 3), (SKEW, 2)]
    loss, atoms = ComposedLoss.of(parts), product_atoms([(atoms_of(part), count) for part, count in parts])
    for order in ("1.01", "2", "30"):
        assert encloses(loss.renyi(order), atoms_renyi(atoms, order))
    assert encloses(loss.supremum(), mp.mpf(3) / 2 + 2 * mp.log(mp.mpf(3) / 2))
    leaky = ComposedLoss.of([(LEAKY, 3), (ResponseLoss(1, "1e-20"), 7), (ResponseLoss(1), 1)])
    assert encloses(leaky.infinite(), 1 - mp.mpf("0.99") ** 3 * (1 - mp.mpf(10) ** -20) ** 7)
    assert leaky.infinite().width <= 1e-13
    assert leaky.epsilon("0.02").lower == math.inf
    assert leaky.renyi(2).lower == math.inf


def test_concentration_of_mixes() -> None:
    parts: Parts = [(ResponseLoss("0.5"), 3), (SKEW, 2)]
    atoms = product_atoms([(atoms_of(part), count) for part, count in parts])
    orders = [1 + mp.mpf(2) ** (mp.mpf(k) / 2) for k in range(-40, 20)]
    scan = max(atoms_renyi(atoms, order) / order for order in orders)
    for square in (0, 3):
        gaussian: Parts = [(GaussianLoss(square), 2)] if square else []
        found = ComposedLoss.of([*gaussian, *parts]).concentration()
        assert found.upper >= scan + square
        assert found.lower <= (scan + square) * (1 + mp.mpf(10) ** -3)
        assert found.width <= 1e-4 * found.upper


def test_brackets_inside_compositions() -> None:
    high, low = ResponseLoss("0.5"), ResponseLoss("0.2")
    inner = BracketLoss(ResponseLoss("0.4"), BracketLoss(ResponseLoss("0.3"), low))
    for bracket in (BracketLoss(high, low), BracketLoss(high, inner), BracketLoss(BracketLoss(high, low), inner)):
        loss = ComposedLoss.of([(bracket, 4), (SKEW, 1)])
        above, below = ComposedLoss.of([(high, 4), (SKEW, 1)]), ComposedLoss.of([(low, 4), (SKEW, 1)])
        for point in (-0.5, 0.3, 1.4):
            found = loss.delta(point)
            assert found.upper >= above.delta(point).lower
            assert found.lower <= below.delta(point).upper
        found = loss.epsilon("1e-3")
        assert found.upper >= above.epsilon("1e-3").lower
        assert found.lower <= below.epsilon("1e-3").upper
        assert loss.tradeoff("0.1").lower <= above.tradeoff("0.1").upper
        assert loss.tradeoff("0.1").upper >= below.tradeoff("0.1").lower
    composed = BracketLoss(ComposedLoss.of([(high, 2)]), ComposedLoss.of([(low, 2)]))
    found = ComposedLoss.of([(composed, 2)]).delta(1)
    assert found.upper >= ComposedLoss.of([(high, 4)]).delta(1).lower
    assert found.lower <= ComposedLoss.of([(low, 4)]).delta(1).upper


def test_what_composition_simplifies() -> None:
    assert compose([]) == NO_LOSS
    assert compose([(NO_LOSS, 10**9), (GaussianLoss(1), 0)]) == NO_LOSS
    assert compose([(GaussianLoss(1), 3), (GaussianLoss("0.5"), 2)]) == GaussianLoss(4)
    assert compose([(GaussianLoss(1), 3), (TOTAL_LOSS, 1)]) == TOTAL_LOSS
    assert isinstance(compose([(SKEW, 5)]), FiniteLoss)
    nested = compose([(compose([(ResponseLoss("0.1"), 300), (GaussianLoss(1), 1)]), 2)])
    assert nested == compose([(GaussianLoss(2), 1), (ResponseLoss("0.1"), 600)])
    for count in (-1, True, 1.0, "2"):
        with pytest.raises(InvalidValue):
            compose([(SKEW, count)])  # type: ignore[list-item]


@pytest.mark.parametrize("loss", [NO_LOSS, TOTAL_LOSS, ResponseLoss(0), ResponseLoss(3, 1)])
def test_the_engine_on_nothing_and_everything(loss: PrivacyLoss) -> None:
    for parts in ([(loss, 3)], [(loss, 1), (GaussianLoss(1), 1)], [(BracketLoss(loss, NO_LOSS), 2)], []):
        composed = ComposedLoss.of(parts)
        for point in (-1.0, 0.0, 1.0, 1e300):
            found = composed.delta(point)
            alone = loss.delta(point).upper if parts else 0.0
            assert found.upper >= alone * (1 - 1e-12)
            assert found.lower >= -math.expm1(min(point, 0.0)) - 1e-12
        assert composed.epsilon("1e-5").lower <= composed.epsilon("1e-5").upper
        assert composed.tradeoff("0.5").lower <= composed.tradeoff("0.5").upper


def test_losses_too_wide_for_any_grid_are_refused() -> None:
    with pytest.raises(GridTooLarge):
        ComposedLoss.of([(ResponseLoss("1e400"), 1), (ResponseLoss(1), 1)]).delta(1)
    for count in (10**18, 10**400):
        loss = ComposedLoss.of([(ResponseLoss("1e-9"), count)])
        with pytest.raises(GridTooLarge):
            loss.delta(1)
        with pytest.raises(GridTooLarge):
            loss.epsilon("1e-6")
        with pytest.raises(GridTooLarge):
            loss.tradeoff("0.1")
        assert loss.supremum().exact == Fraction(count, 10**9)
        assert loss.infinite().upper == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "count"), [("1e-6", 10**9), ("1e-4", 10**8), ("1e-9", 10**15)])
def test_very_many_tiny_losses_are_nearly_gaussian(epsilon: str, count: int) -> None:
    """By symmetry and Berry-Esseen the sum is within 1e-4 of a Gaussian of the same mean and variance."""
    found = ComposedLoss.of([(ResponseLoss(epsilon), count)]).delta(0)
    mu = real(epsilon) * mp.sqrt(count)
    truth = 1 - 2 * (mp.erfc(mu / (2 * mp.sqrt(2))) / 2)
    assert found.lower <= truth + mp.mpf(10) ** -4
    assert found.upper >= truth - mp.mpf(10) ** -4


def test_a_loss_says_how_precisely_it_is_read_unless_its_family_knows() -> None:
    several = compose([(GaussianLoss("0.3"), 1), (ResponseLoss("0.1"), 300)])
    assert several.precision == 1e-4
    assert several.sharpened(1e-7).precision == 1e-7
    assert several.sharpened(1e-7).reverse().precision == 1e-7
    for known in (NO_LOSS, GaussianLoss(1), ResponseLoss("0.1"), SKEW, compose([(GaussianLoss(1), 1000)])):
        assert known.precision is None
        assert known.sharpened(1e-7).precision is None


def test_readings_are_fast() -> None:
    """Generous by a factor of twenty or more, so that only a change of order of magnitude is caught."""
    parts: Parts = [(GaussianLoss("0.3"), 1), (ResponseLoss("0.1"), 30), (ResponseLoss("0.37"), 3), (SKEW, 4)]
    ComposedLoss.of(parts).epsilon("1e-6")
    start = time.process_time()
    found = ComposedLoss.of(parts).epsilon("1e-6")
    assert time.process_time() - start < 1.0
    assert found.width <= 1e-4 * found.upper
    start = time.process_time()
    many = compose([(ResponseLoss(Fraction(1, 10) + Fraction(k, 1000)), 1) for k in range(100)])
    assert many.epsilon("1e-6").width <= 1e-3
    assert time.process_time() - start < 5.0
