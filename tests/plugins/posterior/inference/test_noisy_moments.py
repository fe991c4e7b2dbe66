"""Inference from a noisy mean and variance against sums over grids, and against the prior itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special

from accountant import InvalidValue, ShiftError
from accountant.loss import Floats
from accountant_posterior.inference import (
    Conjugate,
    Draws,
    Flat,
    MomentsPrior,
    MomentsRelease,
    NoisyMoments,
    RegressionMoments,
    effective_size,
    highest_density,
    infer,
    largest_sample_variance,
    largest_variance,
    line_possible,
    line_within,
    mean_range,
    most_likely,
    sample_mean_range,
    study,
)
from accountant_posterior.inference.gibbs import GibbsState
from accountant_posterior.inference.noise import LaplaceNoise
from accountant_posterior.inference.priors import ScaledPrior
from accountant_posterior.inference.truncation import gamma_between
from tests.plugins.posterior.inference.moments_grid import Grid, posterior, shortest

pytestmark = pytest.mark.slow

RELEASE = MomentsRelease(43, 0, 100, "0.25", "0.25")
SEEN = NoisyMoments(RELEASE, 34.30, 47.16**2)
INFORMED = Conjugate("12.5", "14.44")
BELIEFS: dict[str, tuple[MomentsPrior, tuple[float, float, float, float] | None]] = {
    "informed": (INFORMED, (0.125, 0.038**2, 1.0, 1.0)),
    "flat": (Flat(), None),
}
CASES = [(name, constrained) for name in BELIEFS for constrained in (False, True)]
_GRIDS: dict[tuple[str, bool], Grid] = {}


def grid(name: str, constrained: bool) -> Grid:
    if (name, constrained) not in _GRIDS:
        _GRIDS[name, constrained] = posterior(
            0.3430, 0.4716**2, count=43, epsilons=(0.25, 0.25), conjugate=BELIEFS[name][1], constrained=constrained
        )
    return _GRIDS[name, constrained]


QUANTITIES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "mean": lambda mean, deviation: mean + 0 * deviation,
    "deviation": lambda mean, deviation: deviation + 0 * mean,
    "small mean": lambda mean, deviation: (mean < 0.2) + 0.0 * deviation,
    "small deviation": lambda mean, deviation: (deviation < 0.1) + 0.0 * mean,
    "infeasible": lambda mean, deviation: (deviation**2 > mean * (1 - mean)) + 0.0,
}


def scores(draws: Draws, truth: Grid) -> dict[str, float]:
    """How many standard errors, by the effective number of draws, each quantity is off."""
    found = {}
    for name, quantity in QUANTITIES.items():
        values = quantity(draws.mean / 100, draws.deviation / 100)
        expected = truth.expect(quantity(truth.means[:, None], truth.deviations[None, :]))
        if values.std() > 0:
            error = float(values.std()) / math.sqrt(effective_size(values))
            found[name] = (float(values.mean()) - expected) / error
    return found


def start(sampler: type[GibbsState], seen: NoisyMoments, prior: MomentsPrior, constrained: bool, chains: int) -> GibbsState:
    mean, variance = (np.full(chains, value) for value in seen.unit)
    return sampler(seen.release, mean, variance, prior.scaled(seen.release), constrained)


def run(state: GibbsState, iterations: int = 300, burn: int = 200) -> Draws:
    """What `infer` does, for a sampler with a planted error."""
    generator = np.random.default_rng(11)
    kept = []
    for iteration in range(-burn, iterations):
        state.step(generator)
        if iteration >= 0:
            kept.append((state.mean.copy(), state.variance.copy()))
    means, variances = (np.array([row[part] for row in kept]) for part in (0, 1))
    return Draws(100 * means, 100**2 * variances, (0.0, 100.0), state.constrained)


# The sampler ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "constrained"), CASES)
def test_the_sampler_agrees_with_sums_over_a_grid(name: str, constrained: bool) -> None:
    draws = infer(SEEN, BELIEFS[name][0], np.random.default_rng(7), constrained=constrained, iterations=500, burn=200)
    assert draws.effective_size > 300
    off = scores(draws, grid(name, constrained))
    assert all(abs(score) < 4.5 for score in off.values()), off


@pytest.mark.parametrize(
    ("name", "constrained", "means", "deviations"),
    [
        ("informed", False, (3.75, 47.25), (1.3, 49.8)),
        ("informed", True, (5.1, 44.3), (0.96, 39.5)),
        ("flat", True, (17.2, 61.3), (16.0, 49.0)),
    ],
)
def test_recorded_intervals_hold_nineteen_twentieths_of_the_grid(
    name: str, constrained: bool, means: tuple[float, float], deviations: tuple[float, float]
) -> None:
    truth = grid(name, constrained)
    mean, deviation = 100 * truth.means[:, None], 100 * truth.deviations[None, :]
    inside = truth.expect(((mean >= means[0]) & (mean <= means[1])) + 0.0 * deviation)
    assert inside == pytest.approx(0.95, abs=0.004)
    inside = truth.expect(((deviation >= deviations[0]) & (deviation <= deviations[1])) + 0.0 * mean)
    assert inside == pytest.approx(0.95, abs=0.006)
    weights = truth.masses.sum(axis=1)
    found = shortest(truth.means, weights, weights)
    assert 100 * (found[1] - found[0]) == pytest.approx(means[1] - means[0], abs=0.8)


def test_recorded_shares_of_impossible_pairs() -> None:
    assert grid("informed", False).infeasible == pytest.approx(0.1005, abs=5e-4)
    assert grid("flat", False).infeasible == pytest.approx(0.611, abs=1e-3)


def test_recorded_predictions_with_a_flat_prior() -> None:
    generator = np.random.default_rng(5)
    free = infer(SEEN, Flat(), generator, constrained=False, iterations=500, burn=200)
    values = free.predictive(generator)
    assert float((values < 0).mean()) == pytest.approx(0.2425, abs=0.006)
    assert float((values > 100).mean()) == pytest.approx(0.101, abs=0.005)
    assert float(values.std()) == pytest.approx(53.4, abs=1.0)
    assert float(np.clip(values, 0, 100).std()) == pytest.approx(34.8, abs=0.4)
    bound = infer(SEEN, Flat(), generator, iterations=500, burn=200)
    within = bound.predictive(generator)
    assert float(within.std()) == pytest.approx(25.1, abs=0.4)
    assert within.min() >= 0
    assert within.max() <= 100
    assert bound.infeasible == 0


def test_the_same_seed_gives_the_same_draws() -> None:
    first, second = (infer(SEEN, Flat(), np.random.default_rng(3), chains=5, iterations=10, burn=5) for _ in range(2))
    np.testing.assert_array_equal(first.mean, second.mean)


class PrintedVariance(GibbsState):
    """As printed for the informed prior: the law of the mean given sigma^2 is left out of that of sigma^2."""

    def draw_variance(self, generator: np.random.Generator) -> None:
        shape = self.count / 2 + self.prior.shape - 0.5
        rate = self.prior.rate + 0.5 * (self.count - 1) * self.data_variance
        rate = rate + 0.5 * self.count * (self.data_mean - self.mean) ** 2
        size = len(rate)
        low = np.full(size, 1 / self.cap)
        self.variance = 1 / gamma_between(np.full(size, shape), rate, low, np.full(size, np.inf), generator)


class WrongShape(GibbsState):
    """The inverse Gaussian law with twice its shape."""

    def draw_precision(self, generator: np.random.Generator) -> None:
        distance = np.abs(self.noisy_mean - self.data_mean)
        assert isinstance(self.mean_noise, LaplaceNoise)
        rate = 1 / self.mean_noise.scale
        self.precision = generator.wald(rate / distance, 2 * rate**2)


class NotTruncated(GibbsState):
    """sigma^2 is not kept below that of a coin with the same mean."""

    def draw_variance(self, generator: np.random.Generator) -> None:
        self.constrained = False
        super().draw_variance(generator)
        self.variance = np.minimum(self.variance, 0.2499)
        self.constrained = True


@pytest.mark.parametrize(
    ("state", "name", "constrained", "quantity"),
    [
        (WrongShape, "flat", False, "small mean"),
        (NotTruncated, "flat", True, "infeasible"),
    ],
)
def test_a_planted_error_is_caught(state: type[GibbsState], name: str, constrained: bool, quantity: str) -> None:
    off = scores(run(start(state, SEEN, BELIEFS[name][0], constrained, 300)), grid(name, constrained))
    assert abs(off[quantity]) > 5, off


def test_beyond_the_cap_there_is_no_mixture_to_draw_from() -> None:
    state = start(GibbsState, SEEN, Flat(), False, 10)
    state.variance = np.full(10, 1.01 * state.cap)
    with pytest.raises(InvalidValue, match="slope < rate"):
        state.draw_data_variance(np.random.default_rng(1))


def prior_scores(sampler: type[GibbsState]) -> dict[str, float]:
    """How many standard errors the prior is off after steps between which new data are released given the unknowns.

    All unknowns start from the prior. If every step keeps the joint law, they have that law for ever.
    """
    release = MomentsRelease(4, 0, 1, "1", "1/2")
    weight, degrees, believed = 30.0, 5.0, 0.04
    prior = Conjugate("0.5", str(believed), str(int(weight)), str(int(degrees)))
    generator = np.random.default_rng(21)
    chains = 10_000
    state = start(sampler, NoisyMoments(release, 0.5, 0.05), prior, False, chains)
    shape, rate = degrees / 2, degrees * believed / 2
    mean_rate, variance_rate = 4.0, 2.0  # n e1 and n e2

    def moment(power: int) -> float:
        # Inverse gamma below the cap: 1/sigma^2 is gamma above 1/cap.
        top = special.gammaincc(shape - power, rate / state.cap) * special.gamma(shape - power)
        return float(rate**power * top / (special.gammaincc(shape, rate / state.cap) * special.gamma(shape)))

    inverse = gamma_between(*(np.full(chains, v) for v in (shape, rate, 1 / state.cap, np.inf)), generator=generator)
    state.variance = 1 / inverse
    state.mean = 0.5 + np.sqrt(state.variance / weight) * generator.standard_normal(chains)
    state.data_mean = state.mean + np.sqrt(state.variance / 4) * generator.standard_normal(chains)
    state.data_variance = state.variance * generator.gamma(1.5, 1 / 1.5, chains)
    state.precision = 1 / generator.exponential(2 / mean_rate**2, chains)
    for _ in range(15):
        state.noisy_mean = state.data_mean + generator.standard_normal(chains) / np.sqrt(state.precision)
        state.noisy_variance = state.data_variance + generator.laplace(0, 1 / variance_rate, chains)
        state.step(generator)
    expected = {
        "mean": (state.mean, 0.5),
        "spread": ((state.mean - 0.5) ** 2, moment(1) / weight),
        "standardised": ((state.mean - 0.5) ** 2 / state.variance, 1 / weight),
        "variance": (state.variance, moment(1)),
        "square": (state.variance**2, moment(2)),
        "data mean": ((state.data_mean - state.mean) ** 2, moment(1) / 4),
        "data variance": (state.data_variance, moment(1)),
        "noise": (1 / state.precision, 2 / mean_rate**2),
    }
    return {
        name: (float(values.mean()) - truth) / (float(values.std()) / math.sqrt(chains))
        for name, (values, truth) in expected.items()
    }


def test_releasing_data_between_the_steps_leaves_the_prior_as_it_is() -> None:
    off = prior_scores(GibbsState)
    assert all(abs(score) < 4.5 for score in off.values()), off


@pytest.mark.parametrize(("sampler", "quantity"), [(PrintedVariance, "standardised"), (WrongShape, "noise")])
def test_a_planted_error_moves_the_prior(sampler: type[GibbsState], quantity: str) -> None:
    off = prior_scores(sampler)
    assert abs(off[quantity]) > 7, off


# Propriety -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("constrained", [False, True])
def test_the_usual_reference_prior_has_no_posterior_and_is_refused(constrained: bool) -> None:
    with pytest.raises(InvalidValue, match="infinite mass near sigma\\^2 = 0"):
        infer(SEEN, Flat(1), np.random.default_rng(1), constrained=constrained)


def test_a_flat_prior_takes_more_than_three_values_unless_the_data_are_bounded() -> None:
    three, four = (NoisyMoments(MomentsRelease(count, 0, 1, 1, 1), 0.5, 0.1) for count in (3, 4))
    with pytest.raises(InvalidValue, match="more than 3 values"):
        infer(three, Flat(), np.random.default_rng(1), constrained=False)
    assert infer(three, Flat(), np.random.default_rng(1), chains=20, iterations=20).infeasible == 0
    infer(four, Flat(), np.random.default_rng(1), constrained=False, chains=5, iterations=20)
    with pytest.raises(InvalidValue, match="more than 2 values, got 2"):
        infer(NoisyMoments(MomentsRelease(2, 0, 1, 1, 1), 0.5, 0.1), Flat(), np.random.default_rng(1))


def test_the_mass_near_zero_diverges_exactly_from_power_one_on() -> None:
    g = (np.arange(400) + 0.5) / 100
    weights = g**2.5 * np.exp(-3.5 * g)
    # In t = log sigma^2: the chance of a noisy variance 0.1 of 8 values, times the prior density of t.
    t = np.linspace(math.log(1e-12), 0.0, 4001)
    chances = (weights * np.exp(-8 * np.abs(0.1 - np.exp(t)[:, None] * g))).sum(axis=1) / weights.sum()

    def mass(power: float, low: float, high: float) -> float:
        inside = (t >= math.log(low) - 1e-9) & (t < math.log(high) - 1e-9)
        return float((chances * np.exp((1 - power) * t))[inside].sum() * (t[1] - t[0]))

    assert mass(1, 1e-12, 1e-8) == pytest.approx(mass(1, 1e-8, 1e-4), rel=0.01)
    assert mass(0.5, 1e-12, 1e-8) < 0.011 * mass(0.5, 1e-8, 1e-4)


def test_the_recorded_mass_of_the_flat_posterior() -> None:
    assert Flat().mass(SEEN) == pytest.approx(1.001936, abs=5e-7)
    for noisy in (0.2224, -0.03):
        g = (np.arange(200_000) + 0.5) / 20_000
        # Given S^2 = s, the integral over sigma^2 of its gamma density is (n - 1)/(n - 3); over s the Laplace law is left.
        s = np.linspace(0, 5, 400_001)
        laplace = 0.5 * 10.75 * np.exp(-10.75 * np.abs(noisy - s))
        integral = float(((laplace[1:] + laplace[:-1]) / 2).sum() * (s[1] - s[0]))
        # E[1/g] of the gamma variable of mean one.
        weights = g**20 * np.exp(-21 * (g - 1))
        expected = float((weights / g).sum() / weights.sum()) * integral
        seen = NoisyMoments(MomentsRelease(43, 0, 1, "0.25", "0.25"), 0.3, noisy)
        assert Flat().mass(seen) == pytest.approx(expected, rel=1e-4)
    with pytest.raises(InvalidValue, match="power 0 only"):
        Flat("1/2").mass(SEEN)


# The release ---------------------------------------------------------------------------------------------------------


def test_how_far_the_statistics_move_when_one_value_is_replaced() -> None:
    generator = np.random.default_rng(4)
    for _ in range(300):
        count = int(generator.integers(2, 9))
        release = MomentsRelease(count, -1, 3, 1, 1)
        values = np.where(
            generator.random(count) < 0.5, generator.choice([-1.0, 3.0], count), generator.uniform(-1, 3, count)
        )
        other = values.copy()
        other[0] = generator.choice([-1.0, 3.0])
        assert abs(values.mean() - other.mean()) <= float(release.mean_sensitivity) + 1e-12
        assert abs(values.var(ddof=1) - other.var(ddof=1)) <= float(release.variance_sensitivity) + 1e-12
    # The bound is attained: all at one end, and one of them moved to the other.
    values = np.array([-1.0, -1.0, -1.0])
    assert np.array([-1.0, -1.0, 3.0]).var(ddof=1) - values.var(ddof=1) == pytest.approx(16 / 3)
    assert MomentsRelease(3, -1, 3, 1, "1/2").epsilon == Fraction(3, 2)


def test_releases_are_centred_and_have_the_stated_scales() -> None:
    generator = np.random.default_rng(8)
    release = MomentsRelease(4, 0, 10, 1, "1/2")
    drawn = [release.simulate([1.0, 2.0, 4.0, 9.0], generator) for _ in range(4000)]
    means, variances = np.array([d.mean for d in drawn]), np.array([d.variance for d in drawn])
    assert float(np.median(means)) == pytest.approx(4.0, abs=0.25)
    assert float(np.abs(means - 4.0).mean()) == pytest.approx(2.5, rel=0.08)
    assert float(np.abs(variances - 38 / 3).mean()) == pytest.approx(50.0, rel=0.08)


def test_inference_moves_along_with_the_scale_of_the_data() -> None:
    wide = infer(SEEN, INFORMED, np.random.default_rng(2), chains=4, iterations=20)
    unit = NoisyMoments(MomentsRelease(43, 0, 1, "0.25", "0.25"), 0.3430, 0.4716**2)
    narrow = infer(unit, Conjugate("0.125", "0.001444"), np.random.default_rng(2), chains=4, iterations=20)
    np.testing.assert_allclose(wide.mean, 100 * narrow.mean, rtol=1e-6)


@pytest.mark.parametrize("count", [30, 50, 100, 300, 1000])
def test_the_interval_for_the_mean_of_the_data_has_the_closed_form(count: int) -> None:
    low, high = NoisyMoments(MomentsRelease(count, 0, 1, "0.1", "0.1"), 0.5, 0.1).mean_interval()
    assert high - low == pytest.approx(2 * math.log(20) / (0.1 * count))


def test_add_remove_neighbours_are_refused_because_the_number_of_values_is_no_longer_public() -> None:
    with pytest.raises(ShiftError, match="dividing by it would tell"):
        MomentsRelease(43, 0, 100, 1, 1, "add-remove")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MomentsRelease(1, 0, 1, 1, 1), "at least 2"),
        (lambda: MomentsRelease(5, 1, 1, 1, 1), "above the smallest"),
        (lambda: MomentsRelease(5, 0, 1, 0, 1), "above 0"),
        (lambda: RELEASE.simulate([1.0], np.random.default_rng(1)), "expected 43 values"),
        (lambda: RELEASE.simulate([101.0] * 43, np.random.default_rng(1)), "clip the data first"),
        (lambda: NoisyMoments(RELEASE, math.nan, 1.0), "finite"),
        (lambda: SEEN.mean_interval(1.0), "strictly between"),
        (lambda: highest_density(np.zeros(3), 0.0), "strictly between"),
        (lambda: infer(SEEN, Flat(), np.random.default_rng(1), chains=0), "at least one chain"),
        (lambda: mean_range(0.3), "between 0 and 1/4"),
        (lambda: largest_sample_variance(0.5, 1), "at least 2"),
    ],
)
def test_bad_moments_get_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        make()


# Many datasets -------------------------------------------------------------------------------------------------------


def gaussian_in_bounds(mean: float) -> Callable[[np.random.Generator, int], Floats]:
    """Gaussian values with deviation 0.4 of the mean, drawn again until they lie between 0 and 1."""

    def draw(generator: np.random.Generator, count: int) -> Floats:
        values = generator.normal(mean, 0.4 * mean, 4 * count + 40)
        return values[(values >= 0) & (values <= 1)][:count]

    return draw


@pytest.mark.parametrize(
    ("constrained", "length", "coverage"),
    [
        pytest.param(False, 1.994, 0.945, id="free", marks=pytest.mark.sweep),
        pytest.param(True, 0.713, 0.74, id="constrained"),
    ],
)
def test_recorded_lengths_and_coverage_with_thirty_values(constrained: bool, length: float, coverage: float) -> None:
    release = MomentsRelease(30, 0, 1, "0.1", "0.1")
    generator = np.random.default_rng(17)
    effort = {"datasets": 160, "chains": 12, "iterations": 300, "burn": 150}
    found = study(release, gaussian_in_bounds(0.1), 0.1, Flat(), generator, constrained=constrained, **effort)
    assert found.length == pytest.approx(length, rel=0.05)
    # Both coverages were estimated, ours and the recorded one.
    assert abs(found.coverage - coverage) < 3.5 * math.sqrt(2) * math.sqrt(coverage * (1 - coverage) / 160)
    assert found.coverage_error < 0.04
    if constrained:
        # The mean of a law that is squeezed against 0 lies above its mode, and the truth is next to 0.
        assert found.error < 0.95 * found.mean_error


@pytest.mark.parametrize(("shape", "mode"), [(3.0, 2.0), (8.0, 7.0)])
def test_the_mode_of_skewed_draws_is_not_their_mean(shape: float, mode: float) -> None:
    """A gamma law of shape k and scale 1 has its mode at k - 1 and its mean at k."""
    draws = np.random.default_rng(4).gamma(shape, size=(4000, 10))
    assert most_likely(draws) == pytest.approx(mode, abs=0.15)
    assert abs(most_likely(draws) - float(draws.mean())) > 0.7
    assert most_likely(np.full((3, 2), 5.0)) == 5.0


def test_of_few_possible_values_the_most_likely_is_one_of_them() -> None:
    draws = np.random.default_rng(7).binomial(7, 0.4, 10_000) / 7
    assert most_likely(draws) == 3 / 7


def test_a_study_needs_several_datasets() -> None:
    with pytest.raises(InvalidValue, match="two datasets"):
        study(RELEASE, gaussian_in_bounds(0.5), 0.5, Flat(), np.random.default_rng(1), datasets=1)


# Summaries -----------------------------------------------------------------------------------------------------------


def test_effective_sizes_are_those_of_known_autocorrelations() -> None:
    generator = np.random.default_rng(6)
    for correlation in (0.0, 0.6, 0.9):
        draws = np.empty((4000, 20))
        draws[0] = generator.standard_normal(20)
        for row in range(1, 4000):
            draws[row] = correlation * draws[row - 1] + math.sqrt(1 - correlation**2) * generator.standard_normal(20)
        assert effective_size(draws) == pytest.approx(80_000 * (1 - correlation) / (1 + correlation), rel=0.1)
    stuck = np.tile(generator.standard_normal(20), (200, 1))
    assert effective_size(stuck) < 40


def test_the_interval_of_highest_density_is_the_shortest() -> None:
    draws = np.random.default_rng(6).exponential(size=200_000)
    low, high = highest_density(draws, 0.9)
    assert low == pytest.approx(0.0, abs=1e-3)
    assert high == pytest.approx(math.log(10), abs=0.03)


# Constraints ---------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=100)
@given(st.floats(0, 1), st.floats(0, 0.25))
def test_a_variance_is_possible_if_and_only_if_the_mean_lies_in_its_range(mean: float, variance: float) -> None:
    low, high = mean_range(variance)
    if abs(variance - largest_variance(mean)) > 1e-12:
        assert (variance <= largest_variance(mean)) == (low <= mean <= high)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_moments_of_bounded_data_keep_their_constraints(values: list[float]) -> None:
    mean, variance, count = float(np.mean(values)), float(np.var(values, ddof=1)), len(values)
    assert variance <= largest_sample_variance(mean, count) + 1e-12
    low, high = sample_mean_range(min(variance, 0.25 * count / (count - 1)), count)
    assert low - 1e-6 <= mean <= high + 1e-6


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=8))
def test_sums_of_bounded_pairs_are_feasible(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    moments = RegressionMoments(len(pairs), *(float(v.sum()) for v in (x, y, x * x, y * y, x * y)))
    assert moments.feasible
    assert not RegressionMoments(len(pairs), 1.0, 1.0, 1.2, 1.0, 0.5).feasible


def test_sums_that_no_data_have_are_infeasible() -> None:
    assert not RegressionMoments(4, 2.0, 2.0, 0.9, 1.5, 1.0).feasible
    assert not RegressionMoments(4, 2.0, 2.0, 1.5, 1.5, 0.1).feasible
    assert not RegressionMoments(4, 2.0, 1.0, 1.5, 0.6, 1.1).feasible


@settings(deadline=None, max_examples=100)
@given(st.floats(-2, 3), st.floats(-3, 3))
def test_lines_are_possible_if_some_place_has_a_mean_in_range(intercept: float, slope: float) -> None:
    ends = sorted((intercept, intercept + slope))
    assert line_possible(intercept, slope) == (ends[0] <= 1 and ends[1] >= 0)
    assert line_within(intercept, slope) == (ends[0] >= 0 and ends[1] <= 1)
    assert line_possible(intercept, slope) or not line_within(intercept, slope)


def test_moments_of_a_prior_are_what_the_density_says() -> None:
    assert Flat().scaled(RELEASE) == ScaledPrior(0.0, 0.0, -1.0, 0.0)
    informed = INFORMED.scaled(RELEASE)
    assert informed == ScaledPrior(0.125, 1.0, 1.0, pytest.approx(0.038**2 / 2))
