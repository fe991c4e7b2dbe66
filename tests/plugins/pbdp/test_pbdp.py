"""Probabilistically bounded differential privacy against closed forms, exact finite mechanisms and the literature."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import mpmath
import pytest
from attrs import frozen
from hypothesis import assume, given, settings, strategies as st

from accountant import Interval, InvalidValue, account, default_registry, read_plan
from accountant.errors import ReadingError
from accountant.loss import (
    NO_LOSS,
    TOTAL_LOSS,
    ComposedLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    SampledLoss,
    compose,
    delta_of_moments,
    epsilon_of_moments,
)
from accountant.plugin import DIVERGENCES, Properties
from accountant.testing import laws, search, strategies
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_pbdp import Bounded, BoundedParameter
from accountant_pbdp.curve import delta_at, epsilon_at
from tests.laws.quick import QUICK

PBDP = Bounded()
DELTAS = st.fractions(Fraction(1, 1000), Fraction(999, 1000))


@st.composite
def pairs(draw: st.DrawFn, smallest: int = 0) -> FiniteLoss:
    size = draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(smallest, 30), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return FiniteLoss(zip(*([Fraction(w, sum(row)) for w in row] for row in rows), strict=True))


def epsilon(loss: PrivacyLoss, delta: str | Fraction) -> Interval:
    return PBDP.measure(loss, {"delta": Fraction(delta)})


def delta(loss: PrivacyLoss, point: str | float | Fraction) -> Interval:
    return PBDP.measure(loss, {"epsilon": Fraction(point)})


# The curve ------------------------------------------------------------------------------------------------------------


@given(pairs(), DELTAS)
@settings(max_examples=60, deadline=None)
def test_the_smallest_epsilon_is_the_one_by_definition(pair: FiniteLoss, bound: Fraction) -> None:
    """Tests of level e^-eps delta have at most power delta just above the epsilon that was measured, and not just below."""
    value = epsilon(pair, bound)
    sides = [FiniteLoss(pair.atoms), FiniteLoss((q, p) for p, q in pair.atoms)]
    factor = Fraction(math.exp(min(value.upper, 600.0) + 1e-9))
    if value.upper < math.inf:
        assert all(_kept(side, factor, bound) for side in sides)
    if 1e-6 < value.lower < math.inf:
        assert not all(_kept(side, Fraction(math.exp(value.lower - 1e-9)), bound) for side in sides)
    if value.lower == math.inf:
        assert not all(_kept(side, Fraction(10**9), bound) for side in sides)


def _kept(pair: FiniteLoss, exponential: Fraction, bound: Fraction) -> bool:
    missed = pair.tradeoff(min(Fraction(1), bound / exponential)).exact
    assert missed is not None
    return 1 - missed <= bound


@pytest.mark.parametrize("mu_squared", ["0.01", "1", "5.26", "10000"])
@pytest.mark.parametrize("bound", ["0.9", "0.1", "0.01", "1e-4", "1e-10", "1e-30"])
def test_gaussian_noise_has_its_closed_form(mu_squared: str, bound: str) -> None:
    value = epsilon(GaussianLoss(mu_squared), bound)
    with mpmath.workdps(60):
        share = mpmath.mpf(bound)
        z = mpmath.sqrt(2) * mpmath.erfinv(2 * share - 1)
        if share < 0.01:
            z = mpmath.findroot(lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2 / share), z)
        lower_tail = mpmath.erfc((mpmath.sqrt(mpmath.mpf(mu_squared)) - z) / mpmath.sqrt(2)) / 2
        truth = mpmath.log(share / lower_tail)
        assert mpmath.mpf(value.lower) <= truth <= mpmath.mpf(value.upper)
    assert value.width <= 1e-9 * (1.0 + value.upper)


@pytest.mark.parametrize("read_alone", [True, False])
@pytest.mark.parametrize(("rate", "bound"), [("1/100000", "1e-7"), ("1/100000", "1/3"), ("1e-3", "1e-6"), ("1/2", "0.9")])
def test_samples_have_their_closed_form_however_rare(rate: str, bound: str, read_alone: bool) -> None:
    """A sampled Gaussian's likelihood ratio rises, so that the best tests are thresholds: both readings to a millionth."""
    loss: PrivacyLoss = SampledLoss(GaussianLoss(Fraction(1, 4)), Fraction(rate))
    loss = loss if read_alone else ComposedLoss([(loss, 1)])
    with mpmath.workdps(40):
        share, chance = (
            mpmath.mpf(Fraction(bound).numerator) / Fraction(bound).denominator,
            mpmath.mpf(float(Fraction(rate))),
        )

        def tail(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.erfc(z / mpmath.sqrt(2)) / 2

        def power(z: mpmath.mpf) -> mpmath.mpf:
            return (1 - chance) * tail(z) + chance * tail(z - mpmath.mpf(1) / 2)

        place = mpmath.findroot(lambda z: mpmath.log(power(z) / share), (-1, 5), solver="anderson", tol=1e-30)
        truth = mpmath.log(share / tail(place))
        value = epsilon_at(loss, Fraction(bound))
        assert value.lower <= truth <= value.upper
        assert value.width <= 2e-4 * value.upper
        again = delta_at(loss, Fraction(str(mpmath.nstr(truth, 30))))
        assert again.lower <= share * (1 + mpmath.mpf(10) ** -20)
        assert share * (1 - mpmath.mpf(10) ** -20) <= again.upper
        assert again.width <= 1e-3 * again.upper


@pytest.mark.parametrize(("bound", "known"), [("0.1", "6.34757"), ("0.01", "8.55781"), ("1e-4", "11.6034")])
def test_the_census_parameter_has_the_recomputed_epsilons(bound: str, known: str) -> None:
    """rho = 2.63, Kifer et al. (2022), section 8; the figures were recomputed by convolving lattices."""
    value = epsilon(GaussianLoss("5.26"), bound)
    assert f"{value.lower:.6g}" == f"{value.upper:.6g}" == known


@pytest.mark.parametrize("bound", ["0.1", "1e-6", "1e-30"])
@pytest.mark.parametrize("top", ["0.1", "1", "20"])
def test_pure_privacy_is_the_same_epsilon_at_every_small_delta(top: str, bound: str) -> None:
    value = epsilon(ResponseLoss(top), bound)
    assert value.lower <= Fraction(top) <= value.upper
    assert value.width <= 1e-6 * (1 + value.upper)


@given(pairs(smallest=1))
def test_the_limit_of_small_delta_is_the_largest_loss(pair: FiniteLoss) -> None:
    """A fixed epsilon at all delta is pure differential privacy: below the smallest outcome nothing is gained."""
    least = min(min(p, q) for p, q in pair.atoms)
    top = max(side.supremum().upper for side in (pair, pair.reverse()))
    assert epsilon(pair, least / 2).upper == pytest.approx(top, abs=1e-12)
    assert delta(pair, Fraction(top) + Fraction(1, 10**9)).upper == 0


@pytest.mark.slow
@given(pairs(smallest=1), DELTAS)
@settings(max_examples=60, deadline=None)
def test_both_readings_agree(pair: FiniteLoss, bound: Fraction) -> None:
    value = epsilon(pair, bound)
    assume(value.lower > 1e-6)
    assert delta(pair, Fraction(value.upper) + Fraction(1, 10**6)).lower <= bound
    assert delta(pair, Fraction(value.lower) - Fraction(1, 10**7)).upper >= bound


@given(pairs(), st.fractions(Fraction(1, 10), 3))
@settings(max_examples=60, deadline=None)
def test_delta_is_where_the_best_tests_stop_gaining_the_factor(pair: FiniteLoss, point: Fraction) -> None:
    """On a finite pair the curve of powers is a polygon: where it crosses the ray of slope e^eps is exact arithmetic."""
    factor = Fraction(math.exp(point))
    truth = Fraction(0)
    for side in (pair, pair.reverse()):
        assert isinstance(side, FiniteLoss)
        low = high = Fraction(0)
        for p, q in side.atoms:
            # From (low, high) above the ray to (low + q, high + p): where does the edge meet it?
            if high + p > factor * (low + q):
                low, high = low + q, high + p
                continue
            if high > factor * low:
                share = (high - factor * low) / (factor * q - p)
                truth = max(truth, high + share * p)
            break
        else:
            truth = Fraction(1)
    value = delta(pair, point)
    assert value.lower - 1e-9 <= truth <= value.upper + 1e-9
    assert value.width <= 1e-3


def test_losing_everything_has_no_epsilon() -> None:
    assert epsilon(TOTAL_LOSS, "1e-9").lower == math.inf
    assert epsilon(ResponseLoss("1", "1e-3"), "1e-3").lower == math.inf
    assert epsilon(ResponseLoss("1", "1e-3"), "2e-3").upper == pytest.approx(1 + math.log(2), abs=1e-6)


def test_no_loss_has_epsilon_zero_at_every_delta() -> None:
    assert epsilon(NO_LOSS, "1e-9").exact == 0


@pytest.mark.parametrize("bound", ["0.1", "1e-6"])
def test_laplace_noise_pays_its_whole_ratio_until_half(bound: str) -> None:
    value = epsilon(LaplaceLoss("3"), bound)
    assert value.lower <= 3 <= value.upper
    assert value.width <= 1e-6


@pytest.mark.parametrize("bound", ["0.3", "0.01", "1e-5"])
def test_a_composition_is_read_as_its_exact_product(bound: str) -> None:
    coin = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    product = coin
    for _ in range(5):
        product = product.times(coin)
    value = epsilon(compose([(ResponseLoss(Fraction(math.log(3))), 6)]), bound)
    truth = epsilon(product, bound)
    assert value.lower <= truth.upper + 1e-12
    assert truth.lower <= value.upper + 1e-12
    assert value.width <= 0.02 * value.upper


@pytest.mark.parametrize(("days", "known", "posterior"), [(7, 1.0971, 0.7497), (30, 2.3626, 0.9139), (58, 3.4149, 0.9682)])
def test_daily_releases_change_even_odds_as_recomputed(days: int, known: float, posterior: float) -> None:
    """Daily rho = .01: the two-sided tail of .01 is delta (1 + e^-eps), and even odds become at most e^eps to 1."""
    bound = 0.01 / (1 + math.exp(-known))
    value = epsilon(GaussianLoss(Fraction(days, 50)), Fraction(bound))
    assert value.lower - 1e-4 <= known <= value.upper + 1e-4
    assert 1 / (1 + math.exp(-value.upper)) == pytest.approx(posterior, abs=1e-4)


# What it is not -------------------------------------------------------------------------------------------------------


def test_a_single_point_is_not_convex() -> None:
    """Example 5.8 of Kifer et al. (2022): two mechanisms with (1.01, .02), and their even mixture without.

    The factor e is replaced by a fraction just below it, so that everything is exact and the first mechanism loses less.
    """
    e = Fraction(271828, 100000)
    answers = FiniteLoss([(e / (1 + e), 1 / (1 + e)), (1 / (1 + e), e / (1 + e))])
    shows = FiniteLoss([(0, "1/100"), (1, "99/100")])
    both = FiniteLoss([(p / 2, q / 2) for pair in (answers, shows) for p, q in pair.atoms])
    for pair in (answers, shows):
        assert epsilon(pair, "0.02").upper <= 1.01
    assert epsilon(both, "0.02").lower > 1.01
    # The test in the example: the rare output, and one answer with probability 1/20.
    level = Fraction(1, 2) * Fraction(1, 20) / (1 + e)
    power = Fraction(1, 2) * Fraction(1, 20) * e / (1 + e) + Fraction(1, 200)
    assert float(level) == pytest.approx(0.0067236, abs=1e-6)
    assert float(power) == pytest.approx(0.0232764, abs=1e-6)
    assert level < Fraction(2, 100) * Fraction(math.exp(-1.01)) < Fraction(728465, 10**8)
    assert power > Fraction(2, 100)


@frozen
class DeclaredConvex(Bounded):
    """The same definition with a property that a point does not have."""

    properties = Properties(post_processing=True, convexity=True, round_trip=False)


def test_declaring_a_point_convex_is_caught() -> None:
    shows, answers = FiniteLoss([(0, "1/10"), (1, "9/10")]), FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    drawn = st.sampled_from([shows, answers])
    with pytest.raises(AssertionError, match="a mixture must not worsen 'pbdp'"):
        search(
            laws.mixtures_never_raise,
            DeclaredConvex(),
            first=drawn,
            second=st.builds(_relabelled, drawn),
            weight=strategies.exact_numbers(0, 1),
            depth=QUICK,
        )


def _relabelled(pair: FiniteLoss) -> FiniteLoss:
    return FiniteLoss(reversed(pair.atoms))


@frozen
class RawTail(Bounded):
    """The chance that the raw loss exceeds epsilon, as if it were a promise."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        assert isinstance(loss, FiniteLoss)
        sides = (loss.atoms, [(q, p) for p, q in loss.atoms])
        factor = Fraction(1649, 1000)
        return Interval.of(max(sum((p for p, q in side if p > factor * q), Fraction(0)) for side in sides))


def test_dropping_one_of_two_answers_raises_the_raw_tail_but_not_delta() -> None:
    """Two answers with e^eps = 3 tell more than e^(eps/2) with probability 9/16; one alone with 3/4."""
    coin = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    twice = coin.times(coin)
    raw = [RawTail().measure(pair, {}).exact for pair in (twice, coin)]
    assert raw == [Fraction(9, 16), Fraction(3, 4)]
    half = Fraction(math.log(3)) / 2
    assert delta(coin, half).lower <= delta(twice, half).upper


@pytest.mark.slow
def test_reporting_a_raw_tail_is_caught() -> None:
    channels = strategies.channels()
    pair = strategies.finite_losses()
    search(laws.post_processing_never_raises, PBDP, pair=pair, channel=channels)
    with pytest.raises(AssertionError, match="post-processing must not worsen 'pbdp'"):
        search(laws.post_processing_never_raises, RawTail(), pair=pair, channel=channels, depth=QUICK)


@given(pairs(), st.fractions(Fraction(1, 10), 3))
@settings(max_examples=60, deadline=None)
def test_delta_bounds_the_raw_tail_on_both_sides(pair: FiniteLoss, point: Fraction) -> None:
    """P(|L| > eps) is at most delta (1 + e^-eps): the losses below -eps have at most e^-eps times as much mass."""
    bound = delta(pair, point).upper
    factor = Fraction(math.exp(point)) * Fraction(1 + 2**-50)
    for atoms in (pair.atoms, [(q, p) for p, q in pair.atoms]):
        tail = sum((p for p, q in atoms if p > factor * q), Fraction(0))
        lower_tail = sum((p for p, q in atoms if q > factor * p), Fraction(0))
        assert tail <= bound * (1 + 1e-12)
        assert tail + lower_tail <= bound * (1 + math.exp(-point)) * (1 + 1e-12)


@given(pairs(smallest=1), st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(8)]), st.fractions(Fraction(1, 10), 4))
@settings(max_examples=60, deadline=None)
def test_moments_bound_delta(pair: FiniteLoss, order: Fraction, point: Fraction) -> None:
    gamma = max(side.renyi(order).upper for side in (pair, pair.reverse()))
    rho = max(side.concentration().upper for side in (pair, pair.reverse()))
    found = delta(pair, point).lower
    if point > gamma:
        assert found <= math.exp(float(order - 1) * (gamma - float(point))) * (1 + 1e-9)
    if point > rho > 0:
        assert found <= math.exp(-((float(point) - rho) ** 2) / (4 * rho)) * (1 + 1e-9)


@pytest.mark.parametrize("rho", ["0.1115", "2.63"])
def test_the_worst_case_of_a_zcdp_claim_says_no_more_than_its_moment_bound(rho: str) -> None:
    zcdp = default_registry()[DIVERGENCES]["zcdp"]
    worst = zcdp.worst_case(zcdp.parameter(rho))
    for extra in ("1", "2", "2.37", "3", "7.37", "12.37"):
        point = Fraction(rho) + Fraction(extra)
        value, bound = delta(worst, point), math.exp(-(float(extra) ** 2) / (4 * float(rho)))
        assert delta(GaussianLoss(2 * Fraction(rho)), point).lower <= value.upper
        assert value.upper <= bound * (1 + 1e-12)
        # And read the other way round.
        if bound > 1e-12:
            nats = -math.log(bound)
            assert epsilon(worst, Fraction(bound)).upper <= float(rho) + 2 * math.sqrt(float(rho) * nats) + 1e-9


@given(pairs(), DELTAS)
@settings(max_examples=60, deadline=None)
def test_approximate_privacy_never_asks_for_more(pair: FiniteLoss, bound: Fraction) -> None:
    """Delta of approximate privacy is not a chance of failure: at the same epsilon it is smaller."""
    approx = default_registry()[DIVERGENCES]["approx"]
    assert approx.measure(pair, {"delta": bound}).lower <= epsilon(pair, bound).upper + 1e-12


@frozen
class ForgetsADirection(Bounded):
    """The curve of one direction only."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return epsilon_at(loss, at["delta"]) if "delta" in at else super().measure(loss, at)


def test_reading_one_direction_only_is_caught() -> None:
    drawn = strategies.finite_losses(smallest=1)
    search(laws.worst_case_dominates, PBDP, loss=drawn)
    with pytest.raises(AssertionError, match="the worst case of 'pbdp' must dominate"):
        search(laws.worst_case_dominates, ForgetsADirection(), loss=drawn, examples=200, depth=QUICK)


# Worst cases ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(pairs(smallest=1), st.lists(DELTAS, min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_no_mechanism_beats_the_worst_case_of_its_own_curve(pair: FiniteLoss, bounds: list[Fraction]) -> None:
    values = [epsilon(pair, bound).upper for bound in bounds]
    assume(all(value > 0 for value in values))
    worst = PBDP.worst_case_of([BoundedParameter(value, bound) for value, bound in zip(values, bounds, strict=True)])
    for point in (-1, 0, 0.25, 0.5, 1, 2):
        assert pair.delta(point).lower <= worst.delta(point).upper
        assert pair.reverse().delta(point).lower <= worst.delta(point).upper


def test_a_curve_with_more_points_comes_closer_to_its_mechanism() -> None:
    gaussian = GaussianLoss("1")
    bounds = [Fraction(1, 10 ** (k // 2)) / (3 if k % 2 else 1) for k in range(2, 14)]
    curve = [BoundedParameter(epsilon(gaussian, bound).upper, bound) for bound in bounds]
    at = {"delta": Fraction(1, 1000)}
    alone, whole = (
        PBDP.measure(loss, at).upper for loss in (PBDP.worst_case(BoundedParameter(4, "1/1000")), PBDP.worst_case_of(curve))
    )
    truth = epsilon(gaussian, "1/1000").lower
    assert truth <= whole <= truth + 0.7
    assert whole < alone


@pytest.mark.parametrize(
    ("point", "bound"), [("1.01", "0.02"), ("0.001", "1e-6"), ("30", "1e-12"), ("900", "0.5"), ("1e-20", "0.3")]
)
def test_some_mechanism_attains_a_point(point: str, bound: str) -> None:
    value = epsilon(PBDP.worst_case(BoundedParameter(point, bound)), bound)
    assert value.lower <= float(point) <= value.upper
    assert value.lower >= float(point) - 1e-9 or float(point) > 700


# What users meet ------------------------------------------------------------------------------------------------------


def test_refusals_list_what_is_on_offer() -> None:
    with pytest.raises(
        ReadingError, match="'pbdp' gives epsilon at delta or delta at epsilon; it cannot be read with level"
    ):
        PBDP.reading({"level": Fraction(1, 10)})


@pytest.mark.parametrize("bound", [0, 1])
def test_delta_must_be_a_probability_of_failure(bound: int) -> None:
    with pytest.raises(InvalidValue, match="strictly between 0 and 1"):
        epsilon(NO_LOSS, Fraction(bound))


def test_a_plan_is_read_on_both_ends() -> None:
    plan = read_plan(
        {
            "title": "t",
            "specification": {"neighbours": "add-remove"},
            "release": [{"name": "r", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "2"}}],
        }
    )
    guarantee = account(plan).measure("pbdp", delta="0.01")
    assert guarantee.value.lower <= guarantee.value.upper <= guarantee.value.lower + 1e-9
    assert guarantee.derivation[-1].value is not None


@pytest.mark.parametrize("gain", [False, True])
def test_moments_bound_how_often_the_loss_of_an_event_exceeds_epsilon(gain: bool) -> None:
    """With the factor that only the hockey stick has, the bound is too small: that is the planted error."""
    caught = 0
    for weights in ((9, 1), (99, 1), (3, 2), (999, 1)):
        high, low = (Fraction(weight, sum(weights)) for weight in weights)
        pair = FiniteLoss([(high, low), (low, high)])
        for delta in (high, high / 2, Fraction(1, 1000)):
            caught += epsilon_at(pair, delta).lower > epsilon_of_moments(pair, delta, gain=gain)
        for epsilon in (Fraction(1, 10), Fraction(1)):
            caught += delta_at(pair, epsilon).lower > delta_of_moments(pair, float(epsilon) - 1e-12, gain=gain)
    assert (caught > 0) is gain
