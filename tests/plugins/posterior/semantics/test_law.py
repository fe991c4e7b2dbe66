"""The law of the posterior against enumeration, closed forms and published figures."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

import flint
import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant import Interval, InvalidValue, account, default_registry, read_plan
from accountant.finite import Pair
from accountant.loss import ComposedLoss, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose
from accountant.plugin import CASES, MechanismCase
from accountant.testing import strategies
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_posterior import PosteriorLaw, Semantics
from accountant_posterior.semantics import tails
from accountant_posterior.semantics.tails import beyond

BELIEFS = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


def law(loss: PrivacyLoss, prior: str | Fraction = "1/2") -> PosteriorLaw:
    return PosteriorLaw(loss, Fraction(prior), "whether the person is in the data")


def posteriors(pair: Pair, prior: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Every output's posterior, with its chance when present and when absent."""
    return [(prior * p / (prior * p + (1 - prior) * q), p, q) for p, q in pair.atoms]


@given(strategies.finite_losses(), BELIEFS, BELIEFS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_finite_laws_are_those_by_enumeration(loss: FiniteLoss, prior: Fraction, level: Fraction, present: bool) -> None:
    side = 1 if present else 2
    both = [posteriors(Pair(loss.atoms), prior), posteriors(Pair(loss.atoms).reverse(), prior)]
    above = [sum((item[side] for item in found if item[0] > level), Fraction(0)) for found in both]
    below = [sum((item[side] for item in found if item[0] < level), Fraction(0)) for found in both]
    means = [sum((item[0] * item[side] for item in found), Fraction(0)) for found in both]
    view = law(loss, prior)
    for read, truth in (
        (view.exceeds(level, present=present), above),
        (view.below(level, present=present), below),
        (view.mean(present=present), means),
    ):
        assert Fraction(read.lower) <= min(truth)
        assert Fraction(read.upper) >= max(truth)
        assert read.width <= float(max(truth) - min(truth)) + 1e-12


@given(st.lists(st.integers(1, 12), min_size=2, max_size=4), BELIEFS, BELIEFS)
@settings(max_examples=25, deadline=None)
def test_composed_laws_enclose_those_of_all_outcomes_together(tenths: list[int], prior: Fraction, level: Fraction) -> None:
    """The tails from chords of the curve, against every combination of answers."""
    view = law(compose([(ResponseLoss(Fraction(tenth, 10)), 1) for tenth in tenths]), prior)
    outcomes = [(mpmath.mpf(1), mpmath.mpf(0))]
    for tenth in tenths:
        step = mpmath.mpf(tenth) / 10
        right = mpmath.exp(step) / (1 + mpmath.exp(step))
        outcomes = [
            (chance * share, total + gain)
            for chance, total in outcomes
            for share, gain in ((right, step), (1 - right, -step))
        ]
    ratio = level * (1 - prior) / ((1 - level) * prior)
    place = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
    first = sum(chance for chance, total in outcomes if total > place)
    second = sum(chance * mpmath.exp(-total) for chance, total in outcomes if total > place)
    for truth, present in ((first, True), (second, False)):
        read = view.exceeds(level, present=present)
        assert read.lower - 1e-15 <= truth <= read.upper + 1e-15


def test_the_mean_of_a_composed_law() -> None:
    view = law(compose([(ResponseLoss("0.3"), 3), (ResponseLoss("0.5"), 1)]), "1/4")
    truth = mpmath.mpf(0)
    for wrong in range(4):
        for other in range(2):
            chance = comb(3, wrong) * mpmath.exp(mpmath.mpf("0.3") * (3 - wrong)) / (1 + mpmath.exp(mpmath.mpf("0.3"))) ** 3
            chance *= mpmath.exp(mpmath.mpf("0.5") * (1 - other)) / (1 + mpmath.exp(mpmath.mpf("0.5")))
            gain = mpmath.mpf("0.3") * (3 - 2 * wrong) + mpmath.mpf("0.5") * (1 - 2 * other)
            truth += chance / (1 + 3 * mpmath.exp(-gain))
    read = view.mean()
    assert read.lower <= truth <= read.upper
    assert read.width <= 5e-3
    absent = view.mean(present=False)
    assert absent.lower <= (mpmath.mpf("0.25") - truth / 4) / mpmath.mpf("0.75") <= absent.upper


@cache
def average_posterior(mean: str, prior: Fraction) -> mpmath.mpf:
    """The integral of 1/(1 + e^-z (1 - p)/p) against normal log odds z of variance 0.14."""
    with flint.ctx.workprec(100):
        centre, variance, against = (
            flint.arb(mean),
            flint.arb("0.14"),
            flint.fmpq(*((1 - prior) / prior).as_integer_ratio()),
        )

        def density(z: flint.acb, analytic: bool) -> flint.acb:
            return (-((z - centre) ** 2) / (2 * variance)).exp() / (1 + (-z).exp() * against)

        found = flint.acb.integral(density, -6, 6).real / (2 * flint.arb.pi() * variance).sqrt()
        assert found.rad() < 1e-20
        return mpmath.mpf(found.mid())


@pytest.mark.parametrize("prior", ["1/2", "1/100", "9/10"])
@pytest.mark.parametrize("threshold", ["0.001", "0.3", "0.7", "0.99"])
def test_gaussian_noise_has_normal_log_odds(prior: str, threshold: str) -> None:
    rho = mpmath.mpf("0.07")
    p, c = (mpmath.mpf(Fraction(item).numerator) / Fraction(item).denominator for item in (prior, threshold))
    place, spread = mpmath.log(c / (1 - c)) - mpmath.log(p / (1 - p)), mpmath.sqrt(2 * rho)
    view = law(GaussianLoss("0.14"), prior)
    for present, mean in ((True, rho), (False, -rho)):
        truth = mpmath.ncdf((mean - place) / spread)
        read = view.exceeds(threshold, present=present)
        assert read.lower <= truth <= read.upper
        assert read.width <= 1e-9
        expected = average_posterior("0.07" if present else "-0.07", Fraction(prior))
        average = view.mean(present=present)
        assert average.lower <= expected <= average.upper
        assert average.width <= 2e-4


def test_quantiles_of_gaussian_noise() -> None:
    view = law(GaussianLoss("0.14"))
    for level in ("0.01", "0.5", "0.99"):
        place = mpmath.mpf("0.07") + mpmath.sqrt("0.14") * mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(level) - 1)
        truth = 1 / (1 + mpmath.exp(-place))
        read = view.quantile(level)
        assert read.lower <= truth <= read.upper
        assert read.width <= 1e-6


def test_laplace_noise_holds_half_its_mass_at_the_bound() -> None:
    """One release attains the pure bound: the posterior is largest with probability one half when present."""
    view = law(LaplaceLoss(1), "1/3")
    top = 1 / (1 + 2 * mpmath.exp(-1))
    just_below = Fraction(576, 1000)
    assert just_below < top
    inner = mpmath.quad(lambda z: mpmath.exp((z - 1) / 2) / 4, [mpmath.log(mpmath.mpf(576) / 424 * 2), 1])
    read = view.exceeds(just_below)
    assert read.lower <= 0.5 + inner <= read.upper
    assert read.width <= 1e-12
    assert view.exceeds("0.577").upper < 1e-15
    assert view.quantile("0.6").upper == pytest.approx(float(top), abs=1e-6)


def test_repeated_responses_follow_a_binomial_lattice() -> None:
    epsilon, count = mpmath.mpf("0.3"), 9
    view = law(compose([(ResponseLoss("0.3"), count)]), "1/4")
    chances = [
        comb(count, wrong) * mpmath.exp((count - wrong) * epsilon) / (1 + mpmath.exp(epsilon)) ** count
        for wrong in range(count + 1)
    ]
    for threshold in ("0.2", "0.4", "0.6"):
        place = mpmath.log(mpmath.mpf(threshold) / (1 - mpmath.mpf(threshold)) * 3)
        truth = sum(chance for wrong, chance in enumerate(chances) if (count - 2 * wrong) * epsilon > place)
        read = view.exceeds(threshold)
        assert read.lower <= truth <= read.upper
        assert read.width <= 1e-6


def test_masses_and_chords_agree_for_every_mechanism() -> None:
    """Two ways to the same tails: the masses that a family knows, and slopes of its hockey-stick curve."""
    compared = 0
    for name, case in default_registry().offered(CASES).items():
        loss = case.mechanism.loss(case.shift) if isinstance(case, MechanismCase) else None
        if loss is None or isinstance(loss, FiniteLoss | ComposedLoss):
            continue
        if loss.dominating() is not loss or loss.dominated() is not loss:
            continue
        low, high = loss.window(-8.0)
        for share in (0.02, 0.37, 0.61, 0.9):
            place = Interval.around(low + share * (high - low), 0.0)
            if abs(place.lower) > 300.0:
                continue
            masses, slopes = beyond(loss, place), tails._slopes(loss, place)
            for one, other in ((masses.first, slopes.first), (masses.second, slopes.second)):
                assert max(one.lower, other.lower) <= min(one.upper, other.upper), name
            compared += 1
    assert compared > 50


def test_what_is_made_of_an_output_may_have_heavier_tails() -> None:
    """Two responses exceed half a step with chance s^2; a reader of one of them alone does with chance s. No guarantee."""
    one, two = ResponseLoss(1), compose([(ResponseLoss(1), 2)])
    threshold = Fraction(6, 10)
    assert law(one).exceeds(threshold).lower > law(two).exceeds(threshold).upper
    assert "not a guarantee" in law(one).statement
    plan = {
        "specification": {"neighbours": "add-remove"},
        "release": [{"name": "r", "times": 2, "mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "1"}}],
    }
    bound = Semantics(account(read_plan(plan))).posterior("1/2", law(two).exceeds(threshold).upper)
    assert bound.upper > 1 / (1 + mpmath.exp(-1)) > threshold


@given(
    st.lists(st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(5, 3), Fraction(4)]), min_size=1, max_size=5),
    BELIEFS,
)
@settings(max_examples=30, deadline=None)
def test_posteriors_of_several_releases_chain_in_any_order(ratios: list[Fraction], prior: Fraction) -> None:
    """Each release updates the posterior of the one before; the order does not matter, and log odds add up."""
    from accountant.numbers import log_of
    from accountant_posterior.semantics.odds import updated

    def chained(order: list[Fraction]) -> Fraction:
        belief = prior
        for item in order:
            belief = belief * item / (belief * item + 1 - belief)
        return belief

    assert chained(ratios) == chained(ratios[::-1])
    total = Interval.of(0)
    for item in ratios:
        total += log_of(item)
    read = updated(prior, total)
    assert read.lower <= float(chained(ratios)) <= read.upper
    assert read.width <= 1e-13


def test_certainty_does_not_move() -> None:
    for prior in (0, 1):
        view = law(GaussianLoss(1), Fraction(prior))
        assert view.exceeds("1/2") == Interval.of(prior)
        assert view.mean() == view.quantile("0.3") == Interval.of(prior)
    assert law(GaussianLoss(1)).exceeds(1) == law(GaussianLoss(1)).below(0) == Interval.of(0)
    everything = law(FiniteLoss([(1, 0), (0, 1)]))
    assert everything.exceeds("0.999") == Interval.of(1)
    assert everything.exceeds("0.999", present=False) == Interval.of(0)
    assert everything.below(1).upper < 1e-300
    assert everything.exceeds(0, present=False).upper < 1e-300


def test_bad_thresholds_are_refused() -> None:
    view = law(GaussianLoss(1))
    with pytest.raises(InvalidValue, match="threshold must lie between 0 and 1"):
        view.exceeds(2)
    with pytest.raises(InvalidValue, match="closer than 1e-300"):
        view.exceeds(Fraction(1, 10**350))
    with pytest.raises(InvalidValue, match="negative"):
        view.outside(-1)
