"""Discrete Gaussian noise against sums in 120 digits, known answers, and the continuous Gaussian."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from accountant import GridTooLarge, InvalidValue, PlanError, ShiftError, account, read_plan
from accountant.loss import ComposedLoss, GaussianLoss, compose
from accountant.numbers.interval import Interval
from accountant.plugin import Shift
from accountant_noise import DiscreteGaussian
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.theta import log_normaliser, log_ratio

DIGITS = 120
SETTINGS = [("1/500", 1), ("1/9", 1), ("0.8", 2), ("1", 1), ("5/2", 3), ("30", 1), ("400", 7)]


def contains(value: Interval, truth: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(value.lower) <= truth + mpmath.mpf(10) ** -100 and truth <= mpmath.mpf(value.upper))


def law(variance: str) -> dict[int, mpmath.mpf]:
    """The chances of whole numbers around 0, down to 1e-110 of the largest."""
    number = mpmath.mpf(Fraction(variance).numerator) / Fraction(variance).denominator
    reach = int(mpmath.sqrt(2 * number * 260)) + 3
    weights = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * number)) for k in range(-reach, reach + 1)}
    total = mpmath.fsum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def atoms(variance: str, move: int) -> list[tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]]:
    """(loss, P mass, Q mass) of every outcome, from the chances of the noise alone."""
    number = mpmath.mpf(Fraction(variance).numerator) / Fraction(variance).denominator
    return [
        ((move * move - 2 * k * move) / (2 * number), mass, mass * mpmath.exp((2 * k * move - move * move) / (2 * number)))
        for k, mass in law(variance).items()
    ]


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
def test_delta_is_the_sum_over_all_outcomes(variance: str, move: int) -> None:
    with mpmath.workdps(DIGITS):
        outcomes, loss = atoms(variance, move), DiscreteGaussianLoss(variance, move)
        low, high = loss.window(-60.0)
        on_an_atom = float(Fraction(move * move - 2 * move, 1) / (2 * Fraction(variance)))
        for epsilon in (*np.linspace(low, high, 9), 0.0, 0.1, on_an_atom, -700.0):
            truth = mpmath.fsum(max(p - mpmath.exp(mpmath.mpf(epsilon)) * q, 0) for _, p, q in outcomes)
            found = loss.delta(float(epsilon))
            assert contains(found, truth)
            assert found.width <= 1e-11 * float(truth) + 1e-300


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
def test_cells_hold_the_masses_of_both_laws(variance: str, move: int) -> None:
    with mpmath.workdps(DIGITS):
        outcomes, loss = atoms(variance, move), DiscreteGaussianLoss(variance, move)
        low, high = loss.window(-40.0)
        for edges in (np.linspace(low, high, 8) + 1e-7, np.linspace(0.3, 0.8, 3), np.array([1.0])):
            cells = loss.cells(edges)
            bounds = [-mpmath.inf, *(mpmath.mpf(float(edge)) for edge in edges), mpmath.inf]
            for k in range(edges.size + 1):
                inside = [(p, q) for value, p, q in outcomes if bounds[k] < value <= bounds[k + 1]]
                p, q = mpmath.fsum(p for p, _ in inside), mpmath.fsum(q for _, q in inside)
                assert abs(mpmath.mpf(float(cells.p[k])) - p) <= cells.p_error[k]
                if k:
                    scaled = q * mpmath.exp(bounds[k])
                    assert abs(mpmath.mpf(float(cells.q[k])) - scaled) <= cells.q_error[k]


@pytest.mark.parametrize(("variance", "move"), SETTINGS)
@pytest.mark.parametrize("order", ["1.0001", "1.3", "2", "2.5", "17"])
def test_renyi_is_the_sum_over_all_outcomes(variance: str, move: int, order: str) -> None:
    with mpmath.workdps(DIGITS):
        number = mpmath.mpf(Fraction(variance).numerator) / Fraction(variance).denominator
        t = mpmath.mpf(Fraction(order).numerator) / Fraction(order).denominator - 1
        # Completing the square by hand would be what is tested; so the moment is summed where it has its mass.
        centre, reach = -t * move, int(mpmath.sqrt(2 * number * 260)) + 3
        places = range(int(centre) - reach, int(centre) + reach + 1)
        top = mpmath.fsum(mpmath.exp((t * (move * move - 2 * k * move) - k * k) / (2 * number)) for k in places)
        bottom = mpmath.fsum(mpmath.exp(-mpmath.mpf(k * k) / (2 * number)) for k in range(-reach, reach + 1))
        found = DiscreteGaussianLoss(variance, move).renyi(order)
        assert contains(found, mpmath.log(top / bottom) / t)
        assert found.width <= 1e-9 * found.upper


def test_theta_series_agree_where_they_meet() -> None:
    with mpmath.workdps(200):
        for variance in ("1/100", "0.2499", "0.5", "0.999999", "1", "1.000001", "7", "1e6"):
            number = mpmath.mpf(Fraction(variance).numerator) / Fraction(variance).denominator
            nome = mpmath.exp(-1 / (2 * number)) if number < 100 else None
            whole = mpmath.jtheta(3, 0, nome) if nome is not None else mpmath.sqrt(2 * mpmath.pi * number)
            assert contains(log_normaliser(Fraction(variance)), mpmath.log(whole))
            for place in ("1/2", "0.3", "-0.01", "17/4"):
                x = mpmath.mpf(Fraction(place).numerator) / Fraction(place).denominator
                shifted = mpmath.nsum(lambda k, x=x, n=number: mpmath.exp(-((k + x) ** 2) / (2 * n)), [-400, 400])
                if nome is not None:
                    assert contains(log_ratio(Fraction(variance), Fraction(place)), mpmath.log(shifted / whole))
    assert log_ratio(Fraction(1, 3), Fraction(5)).exact == 0


@pytest.mark.parametrize(("sigma", "epsilon"), [(10, 4.886571), (100, 0.396857), (1000, 0.033674)])
def test_known_answers_of_a_hundred_releases(sigma: int, epsilon: float) -> None:
    found = compose([(DiscreteGaussianLoss(sigma**2, 1), 100)]).epsilon("1e-6")
    assert found.lower - 5e-7 <= epsilon <= found.upper + 5e-7
    assert found.width <= 1e-6 * found.upper


def test_a_lattice_stays_exact_in_company() -> None:
    with mpmath.workdps(60):
        first, second = atoms("2", 1), atoms("2", 3)
        pairs = [(p * r, q * s) for _, p, q in first for _, r, s in second if p * r > mpmath.mpf(10) ** -45]
        loss = compose([(DiscreteGaussianLoss(2, 1), 1), (DiscreteGaussianLoss(2, 3), 1)])
        for epsilon in (0.0, 1.0, 5.5):
            truth = mpmath.fsum(max(p - mpmath.exp(mpmath.mpf(epsilon)) * q, 0) for p, q in pairs)
            found = loss.delta(epsilon)
            assert mpmath.mpf(found.lower) <= truth + mpmath.mpf(10) ** -40
            assert truth <= mpmath.mpf(found.upper)
            assert found.width <= 1e-9


def test_concentration_is_exactly_that_of_the_continuous_noise() -> None:
    for variance, move in SETTINGS:
        assert DiscreteGaussianLoss(variance, move).concentration().exact == move**2 / (2 * Fraction(variance))
    both = DiscreteGaussian(variance="2").loss(Shift.along([1, -1]))
    assert both.concentration().exact == Fraction(1, 2)


def test_renyi_never_exceeds_that_of_the_continuous_noise() -> None:
    for variance, move in SETTINGS:
        for order in ("1.2", "1.5", "3.7"):
            found, most = (
                DiscreteGaussianLoss(variance, move).renyi(order),
                GaussianLoss(move**2 / Fraction(variance)).renyi(order),
            )
            assert found.lower <= most.upper


@pytest.mark.parametrize("variance", ["1/9", "1", "5/2", "50"])
def test_larger_moves_dominate_smaller_ones(variance: str) -> None:
    losses = [DiscreteGaussianLoss(variance, move) for move in (1, 2, 3, 8)]
    for smaller, larger in pairwise(losses):
        for epsilon in (-1.0, 0.0, 0.2, 1.0, 4.0):
            assert smaller.delta(epsilon).lower <= larger.delta(epsilon).upper


def test_wide_noise_is_efficient_and_close_to_the_continuous_one() -> None:
    found, near = DiscreteGaussianLoss(10**8, 1).epsilon("1e-6"), GaussianLoss(Fraction(1, 10**8)).epsilon("1e-6")
    assert found.lower <= near.upper * (1 + 1e-6)
    assert near.lower <= found.upper * (1 + 1e-6)
    assert found.width <= 1e-6 * found.upper


def test_noise_that_would_not_fit_is_refused_and_still_adds_up() -> None:
    loss = DiscreteGaussianLoss(10**16, 1)
    with pytest.raises(GridTooLarge, match=r"needs .* atoms"):
        loss.delta("1e-9")
    assert loss.concentration().exact == Fraction(1, 2 * 10**16)


@pytest.mark.parametrize("variance", ["1e-300", "1e300"])
def test_variances_beyond_doubles_are_enclosed(variance: str) -> None:
    loss = DiscreteGaussianLoss(variance, 1)
    deltas = loss.delta(1), ComposedLoss.of([(loss, 2)]).delta(1)
    # The concentration is known at every variance, and where it is tiny a loss of 1 is rarer than doubles can say.
    assert [delta.lower for delta in deltas] == [0.0, 0.0]
    assert all(delta.upper == 1.0 if variance == "1e-300" else 0.0 < delta.upper < 1e-300 for delta in deltas)
    assert loss.renyi(2).upper > 0.0


# In a plan -------------------------------------------------------------------------------------------------------------


def plan(mechanism: dict[str, str], query: dict[str, object]) -> dict[str, object]:
    return {
        "specification": {"neighbours": "replace-one"},
        "release": [{"name": "counts", "query": query, "mechanism": {"kind": "discrete-gaussian", **mechanism}}],
    }


def test_sigma_and_variance_are_two_ways_to_say_the_same() -> None:
    values = [
        account(read_plan(plan(given, {"kind": "histogram"}))).measure("zcdp").value
        for given in ({"sigma": "5/2"}, {"variance": "25/4"})
    ]
    assert values[0].exact == values[1].exact == Fraction(4, 25)


@pytest.mark.parametrize("given", [{}, {"sigma": "1", "variance": "1"}])
def test_exactly_one_of_sigma_and_variance_is_needed(given: dict[str, str]) -> None:
    with pytest.raises(PlanError, match=r"needs either 'sigma' or 'variance'.* @ release\[0\]\.mechanism"):
        read_plan(plan(given, {"kind": "histogram"}))
    with pytest.raises(InvalidValue):
        DiscreteGaussian(**given)


def test_a_shift_that_is_not_whole_is_refused() -> None:
    with pytest.raises(ShiftError, match="whole"):
        DiscreteGaussian(sigma="1").loss(Shift.along(["1/2"]))
    with pytest.raises(ShiftError, match="whole"):
        DiscreteGaussian(sigma="1").loss(Shift(Fraction(2), Fraction(2), Fraction(1)))
    with pytest.raises(PlanError, match=r"whole.* @ release\[0\]\.mechanism"):
        account(read_plan(plan({"sigma": "1"}, {"kind": "sum", "lower": "0", "upper": "1.5"})))


def test_planted_errors_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The normaliser of the continuous noise, or another variance: both leave out the truth."""
    with mpmath.workdps(DIGITS):
        outcomes = atoms("1/9", 1)
        truth = mpmath.fsum(max(p - mpmath.e * q, 0) for _, p, q in outcomes)
        assert contains(DiscreteGaussianLoss("1/9", 1).delta(1), truth)
        assert not contains(DiscreteGaussianLoss("1/8", 1).delta(1), truth)
        wrong = "accountant_noise.discrete_gaussian_loss.log_normaliser"
        monkeypatch.setattr(wrong, lambda variance: Interval.around(float(mpmath.log(2 * mpmath.pi * variance)) / 2, 1e-15))
        assert not contains(DiscreteGaussianLoss("1/9", 1).delta(1), truth)


def test_many_unlike_releases_have_the_sum_of_their_rhos() -> None:
    """All reach their rho at order 2, so nothing is searched for and the sum is exact."""
    losses = [(DiscreteGaussianLoss(Fraction(100 + k, 7), 1), 2) for k in range(300)]
    value = compose(losses).concentration()
    assert value.exact == sum((Fraction(7, 100 + k) for k in range(300)), Fraction(0))


@pytest.mark.parametrize("variance", ["1/9", "1", "30"])
def test_masses_that_underflow_are_held_by_their_errors(variance: str) -> None:
    """Next to where doubles end, and beyond: a mass that is rounded to nothing is not nothing."""
    loss, number = DiscreteGaussianLoss(variance, 1), Fraction(variance)
    reach = float(number) ** 0.5
    places = np.unique(np.round(reach * np.array([0.0, 1.0, 20.0, 38.0, 38.5, 38.6, 39.0, 45.0])))
    masses = loss._masses(places)
    with mpmath.workdps(50):
        exact = mpmath.mpf(number.numerator) / number.denominator
        whole = mpmath.fsum(mpmath.exp(-mpmath.mpf(k * k) / (2 * exact)) for k in range(-400, 401))
        for index, place in enumerate(places.tolist()):
            truth = mpmath.exp(-(mpmath.mpf(place) ** 2) / (2 * exact)) / whole
            assert abs(mpmath.mpf(float(masses.middle[index])) - truth) <= mpmath.mpf(float(masses.radii[index]))
        for place in (5, 60, 100):
            tail = mpmath.nsum(lambda k: mpmath.exp(-(k**2) / (2 * exact)), [place, place + 300]) / whole
            assert mpmath.mpf(loss._beyond(-place)) >= tail - mpmath.exp(-(mpmath.mpf(place) ** 2) / (2 * exact)) / whole


@pytest.mark.parametrize("epsilon", [60.0, 80.0, 700.0])
def test_a_delta_too_small_for_doubles_is_not_nothing(epsilon: float) -> None:
    """Noise has no largest value, so no epsilon is enough for all of its losses."""
    found = DiscreteGaussianLoss("1", 1).delta_formula(epsilon)
    assert found.lower >= 0.0
    assert 0.0 < found.upper < 1e-290
