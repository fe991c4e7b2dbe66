"""Gaussian differential privacy against closed forms and exact finite mechanisms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import mpmath
import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

from accountant import Interval, account, read_plan
from accountant.loss import NO_LOSS, TOTAL_LOSS, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose
from accountant.testing import laws, search, strategies
from accountant_fdp import GaussianParameter, GaussianPrivacy, MuSquares
from accountant_fdp.normal import root, tail_quantile
from accountant_fdp.rare_tests import noise_and_rest
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_renyi import Renyi
from accountant_zcdp import ZcdpParameter, ZeroConcentrated
from tests.laws.quick import QUICK

GDP, ZCDP = GaussianPrivacy(), ZeroConcentrated()


@st.composite
def pairs(draw: st.DrawFn) -> FiniteLoss:
    size = draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(1, 50), min_size=size, max_size=size)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


def upper_quantile(tail: mpmath.mpf) -> mpmath.mpf:
    return -mpmath.sqrt(2) * mpmath.erfinv(2 * tail - 1)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "5", "20", "50"])
def test_randomised_response_satisfies_twice_the_quantile_of_a_true_answer(epsilon: str) -> None:
    value = GDP.measure(ResponseLoss(epsilon), {})
    with mpmath.workdps(60):
        lie = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
        truth = 2 * upper_quantile(lie)
        assert mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper)
        assert value.upper <= truth * (1 + mpmath.mpf(10) ** -9)


@given(pairs())
@settings(max_examples=50)
def test_mu_is_the_largest_gap_of_quantiles_over_all_events(pair: FiniteLoss) -> None:
    """Every event is tried, at fifty digits; randomised tests lie on lines between, under the concave Gaussian curve."""
    value = GDP.measure(pair, {})
    with mpmath.workdps(50):
        truth = mpmath.mpf(0)
        for chosen in range(1, 2 ** len(pair.atoms) - 1):
            event = [atom for k, atom in enumerate(pair.atoms) if chosen >> k & 1]
            p, q = (sum((atom[side] for atom in event), Fraction(0)) for side in (0, 1))
            gap = upper_quantile(mpmath.mpf(q.numerator) / q.denominator)
            gap -= upper_quantile(mpmath.mpf(p.numerator) / p.denominator)
            truth = max(truth, gap)
        assert mpmath.mpf(value.lower) - mpmath.mpf(10) ** -45 <= truth <= mpmath.mpf(value.upper) + mpmath.mpf(10) ** -45
    assert value.width <= 1e-9


@pytest.mark.parametrize("ratio", ["0.1", "1", "5"])
def test_laplace_noise_is_bounded_by_its_largest_gap_of_quantiles(ratio: str) -> None:
    """A scan of levels at thirty digits: tests of Laplace noise at level x < e^-r/2 have power e^r x, and so on."""
    value = GDP.measure(LaplaceLoss(ratio), {})
    with mpmath.workdps(30):
        r, truth = mpmath.mpf(ratio), mpmath.mpf(0)
        for k in range(1, 400):
            level = mpmath.mpf(k) / 800
            missed = 1 - mpmath.exp(r) * level if level < mpmath.exp(-r) / 2 else mpmath.exp(-r) / (4 * level)
            truth = max(truth, upper_quantile(level) - upper_quantile(1 - missed))
    assert float(truth) * (1 - 1e-3) <= value.upper
    assert value.lower <= float(truth) * (1 + 1e-3)
    assert value.width <= 1e-3 * value.upper


@given(pairs())
def test_gaussian_noise_with_the_measured_mu_dominates(pair: FiniteLoss) -> None:
    mu = GDP.measure(pair, {}).upper
    if mu:
        worst = GDP.worst_case(GaussianParameter(mu))
        for epsilon in (-2, -1, -0.5, 0, 0.1, 0.5, 1, 2, 4):
            assert pair.delta(epsilon).lower <= worst.delta(epsilon).upper


@given(pairs())
def test_both_directions_have_the_same_mu(pair: FiniteLoss) -> None:
    forward, backward = GDP.measure(pair, {}), GDP.measure(pair.reverse(), {})
    assert forward.lower <= backward.upper
    assert backward.lower <= forward.upper


@frozen
class Optimistic(GaussianPrivacy):
    """A mu that is a tenth too small."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        value = super().measure(loss, at)
        return Interval(0.9 * value.lower, 0.9 * value.upper)


def test_too_small_a_mu_is_caught() -> None:
    drawn = strategies.finite_losses(smallest=1)
    search(laws.worst_case_dominates, GDP, loss=drawn)
    with pytest.raises(AssertionError, match="the worst case of 'gdp' must dominate"):
        search(laws.worst_case_dominates, Optimistic(), loss=drawn, depth=QUICK)


@pytest.mark.parametrize("mu", ["0", "1/1000", "2/3", "12"])
def test_gaussian_noise_has_exactly_its_mu(mu: str) -> None:
    assert GDP.measure(GDP.worst_case(GaussianParameter(mu)), {}).exact == Fraction(mu)


@pytest.mark.parametrize(
    "loss", [TOTAL_LOSS, ResponseLoss("1", "1e-9"), FiniteLoss([("1/2", "1/2"), ("1/2", "1/4"), (0, "1/4")])]
)
def test_a_chance_of_losing_everything_has_no_mu(loss: PrivacyLoss) -> None:
    assert GDP.measure(loss, {}).lower == math.inf


@pytest.mark.parametrize("copies", [2, 10])
def test_the_exact_product_of_coins_lies_in_the_reading_of_their_composition(copies: int) -> None:
    coin = FiniteLoss([("3/5", "2/5"), ("2/5", "3/5")])
    product = coin
    for _ in range(copies - 1):
        product = product.times(coin)
    # log(3/2) is not a double: one just above and one just below hold the truth between them.
    above, below = (
        GDP.measure(compose([(ResponseLoss(Fraction(math.log(1.5)) + shift), copies)]), {})
        for shift in (Fraction(1, 10**15), -Fraction(1, 10**15))
    )
    truth = GDP.measure(product, {})
    assert truth.lower <= above.upper
    assert below.lower <= truth.upper
    assert above.upper <= 1.05 * truth.upper


@pytest.mark.parametrize("sigma_squared", ["1", "30"])
def test_discrete_gaussian_noise_is_close_to_its_continuous_limit(sigma_squared: str) -> None:
    plan = read_plan(
        {
            "title": "t",
            "specification": {"neighbours": "add-remove"},
            "release": [
                {
                    "name": "r",
                    "query": {"kind": "count"},
                    "mechanism": {"kind": "discrete-gaussian", "variance": sigma_squared},
                }
            ],
        }
    )
    value = account(plan).measure("gdp").value
    assert 1 / math.sqrt(float(sigma_squared)) * 0.999 <= value.upper <= 1.06 / math.sqrt(float(sigma_squared))
    assert value.width <= 0.01 * value.upper


def test_the_mu_of_a_zcdp_claim_is_that_of_mechanisms_of_two_outcomes() -> None:
    """Gaussian noise with that rho would have 1."""
    plan = read_plan(
        {
            "title": "t",
            "specification": {"neighbours": "add-remove"},
            "release": [{"name": "r", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.5"}}],
        }
    )
    value = account(plan).measure("gdp").value
    assert 1 < value.lower <= value.upper <= 1.02 * value.lower


# Composition and groups -----------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.fractions(0, 5), st.integers(1, 4)), min_size=1, max_size=4))
def test_squares_add_up(parts: list[tuple[Fraction, int]]) -> None:
    value = MuSquares().compose([(Interval.of(mu), count) for mu, count in parts])
    square = sum((mu * mu * count for mu, count in parts), Fraction(0))
    assert Fraction(value.lower) ** 2 <= square
    assert Fraction(value.upper) ** 2 >= square
    assert value.width <= 1e-15 * (1 + value.upper)


@frozen
class OnlyTheLargest(MuSquares):
    """A rule that forgets all but one release."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return max((value for value, _ in parts), key=lambda value: value.upper)


def test_a_rule_that_forgets_releases_is_caught() -> None:
    drawn = {"first": strategies.finite_losses(size=2, smallest=1), "second": strategies.finite_losses(size=2, smallest=1)}
    search(laws.rule_never_undercuts, MuSquares(), GDP, count=st.just(2), **drawn)
    with pytest.raises(AssertionError, match="must not undercut the exact product"):
        search(laws.rule_never_undercuts, OnlyTheLargest(), GDP, count=st.just(2), **drawn, depth=QUICK)


def test_a_group_of_three_costs_three_times_as_much() -> None:
    """Three steps of a Gaussian query in a row move it three times as far."""
    assert GDP.group(GaussianParameter("2/7"), 3) == GaussianParameter("6/7")


def test_claims_of_mu_add_exactly_in_a_plan() -> None:
    claim = {"kind": "claim", "divergence": "gdp"}
    plan = read_plan(
        {
            "title": "t",
            "specification": {"neighbours": "add-remove"},
            "release": [
                {"name": "a", "mechanism": {**claim, "mu": "3"}},
                {"name": "b", "mechanism": {**claim, "mu": "2"}, "times": 4},
            ],
        }
    )
    assert account(plan).measure("gdp").value.exact == 5
    assert account(plan).loss == GaussianLoss(25)


# The numbers underneath -----------------------------------------------------------------------------------------------


@given(st.fractions(Fraction(1, 10**6), Fraction(999999, 10**6)))
def test_normal_quantiles_are_enclosed(tail: Fraction) -> None:
    value = tail_quantile(tail)
    with mpmath.workdps(40):
        truth = upper_quantile(mpmath.mpf(tail.numerator) / tail.denominator)
        assert mpmath.mpf(value.lower) - mpmath.mpf(10) ** -30 <= truth <= mpmath.mpf(value.upper) + mpmath.mpf(10) ** -30
    assert value.width <= 1e-12


@pytest.mark.parametrize("exponent", [20, 100, 299, 305, 1000])
def test_far_quantiles_are_enclosed(exponent: int) -> None:
    value = tail_quantile(Fraction(1, 10**exponent))
    with mpmath.workdps(40):
        assert mpmath.log10(mpmath.erfc(mpmath.mpf(value.upper) / mpmath.sqrt(2)) / 2) <= -exponent
        assert mpmath.log10(mpmath.erfc(mpmath.mpf(value.lower) / mpmath.sqrt(2)) / 2) >= -exponent


@given(st.fractions(0, 10**12))
def test_square_roots_are_enclosed(square: Fraction) -> None:
    value = root(square)
    assert Fraction(value.lower) ** 2 <= square <= Fraction(value.upper) ** 2
    if value.exact is not None:
        assert value.exact**2 == square


def test_no_loss_has_no_mu() -> None:
    assert GDP.measure(NO_LOSS, {}).exact == 0


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(pairs())
def test_everything_with_a_rho_satisfies_the_mu_of_that_rho(pair: FiniteLoss) -> None:
    rho = Fraction(ZCDP.measure(pair, {}).upper)
    assert GDP.measure(pair, {}).lower <= GDP.measure(ZCDP.worst_case(ZcdpParameter(rho)), {}).upper


@pytest.mark.parametrize("rho", ["1e-4", "0.01", "0.5", "2.63", "15.29"])
def test_a_claim_of_rho_has_a_finite_mu(rho: str) -> None:
    """Gaussian noise is not the worst. For small rho, Pinsker's inequality allows tests at level 1/2 an advantage of
    sqrt(rho/2), where Gaussian noise has sqrt(rho/pi): about sqrt(pi/2) times the mu."""
    value = GDP.measure(ZCDP.worst_case(ZcdpParameter(rho)), {})
    least = math.sqrt(2 * float(Fraction(rho)))
    assert least < value.lower <= value.upper < 2 * least
    assert value.upper <= 1.05 * value.lower
    if Fraction(rho) <= Fraction(1, 100):
        assert value.upper == pytest.approx(math.sqrt(math.pi / 2) * least, rel=1e-2)


def test_gaussian_noise_is_not_the_worst_mechanism_with_its_rho() -> None:
    rho = ZCDP.measure(ResponseLoss("0.1"), {}).upper
    assert GDP.measure(ResponseLoss("0.1"), {}).lower > 1.25 * math.sqrt(2 * rho)
    assert GDP.measure(ResponseLoss("0.1"), {}).lower <= GDP.measure(ZCDP.worst_case(ZcdpParameter(rho)), {}).upper


def test_claims_of_rho_beside_noise_have_a_finite_mu() -> None:
    whole = compose([(ZCDP.worst_case(ZcdpParameter("0.05")), 1), (GaussianLoss("3/10"), 1)])
    value = GDP.measure(whole, {})
    assert math.sqrt(0.4) * (1 - 1e-12) <= value.lower <= value.upper < 1.1 * math.sqrt(0.4)


def test_nothing_finite_is_said_where_the_tail_is_not_gaussian() -> None:
    renyi = Renyi()
    assert GDP.measure(renyi.worst_case(renyi.parameter(order=4, gamma="0.5")), {}).upper == math.inf


def noise_and_response(mu: float, epsilon: float) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Level and power of the best tests of Gaussian noise and randomised response together, by their thresholds."""
    found, yes = [], 1 / (1 + mpmath.exp(-epsilon))
    for threshold in range(-16, 49):
        # The best test says yes where mu x - mu^2/2 plus or minus epsilon is above the threshold.
        cuts = [(mu * threshold / mpmath.mpf(4) + mu**2 / 2 + side * epsilon) / mu for side in (1, -1)]
        level = (1 - yes) * mpmath.ncdf(-cuts[1]) + yes * mpmath.ncdf(-cuts[0])
        found.append((level, yes * mpmath.ncdf(mu - cuts[1]) + (1 - yes) * mpmath.ncdf(mu - cuts[0])))
    return found


@pytest.mark.parametrize(("mu", "epsilon"), [(1.0, 0.5), (0.5, 1.5), (2.0, 0.25)])
def test_noise_beside_bounded_losses_has_nearly_the_mu_of_the_best_test(mu: float, epsilon: float) -> None:
    whole = compose([(GaussianLoss(Fraction(mu) ** 2), 1), (ResponseLoss(Fraction(epsilon)), 1)])
    value = GDP.measure(whole, {})
    with mpmath.workdps(80):
        gaps = [upper_quantile(level) - upper_quantile(power) for level, power in noise_and_response(mu, epsilon)]
    assert max(gaps) <= value.upper
    assert value.lower <= max(gaps) * 1.01
    assert value.width < 0.02 * value.upper


@pytest.mark.parametrize("bounded", [True, False])
def test_tests_of_little_power_gain_no_more_than_noise_and_the_largest_loss_allow(bounded: bool) -> None:
    """The planted bound forgets what is not noise."""
    mu, epsilon = 1.0, 0.5
    response = ResponseLoss(Fraction(epsilon)) if bounded else NO_LOSS
    whole = compose([(GaussianLoss(Fraction(mu) ** 2), 1), (response, 1)])
    caught = 0
    with mpmath.workdps(80):
        for level, power in noise_and_response(mu, epsilon):
            most = noise_and_rest(whole, Fraction(float(power)))
            caught += upper_quantile(level) - upper_quantile(power) > most * (1 + mpmath.mpf(10) ** -9)
    assert (caught == 0) is bounded
