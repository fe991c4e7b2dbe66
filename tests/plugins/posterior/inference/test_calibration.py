"""Samplers are calibrated: where parameters come from the prior, their ranks among draws from the posterior are uniform.

Every problem is a chain of its own, so that hundreds of them run at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from accountant.loss import Floats
from accountant_posterior.inference import (
    Beta,
    Conjugate,
    Flat,
    GaussianNoise,
    LaplaceNoise,
    MomentsPrior,
    NoisyProportion,
    StatedMoments,
    StatisticNoise,
    effective_size,
    split_r_hat,
)
from accountant_posterior.inference.gibbs import GibbsState
from accountant_posterior.inference.truncation import gamma_between

pytestmark = pytest.mark.slow

RANKS = 10
NOISES: list[tuple[StatisticNoise, StatisticNoise]] = [
    (LaplaceNoise(0.05), LaplaceNoise(0.1)),
    (LaplaceNoise(0.05), LaplaceNoise(0.02)),  # sigma^2 may be too large for a gamma mixture
    (GaussianNoise(0.05), GaussianNoise(0.03)),
    (GaussianNoise(0.05), LaplaceNoise(0.1)),
    (LaplaceNoise(0.05), GaussianNoise(0.03)),
]


def uniformity(ranks: Floats) -> float:
    """The chance that uniform ranks from 0 to RANKS - 1 are as uneven as these, by the chi-squared test."""
    counts = np.bincount(ranks.astype(int), minlength=RANKS)
    expected = len(ranks) / RANKS
    return float(special.gammaincc((RANKS - 1) / 2, ((counts - expected) ** 2 / expected).sum() / 2))


def from_prior(prior: MomentsPrior, problems: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Means and variances from the prior on data between 0 and 1."""
    if isinstance(prior, Flat):
        return generator.random(problems), 0.25 * generator.random(problems) ** (1 / (1 - float(prior.power)))
    assert isinstance(prior, Conjugate)
    weight = float(prior.variance_weight)
    variance = weight * float(prior.variance) / 2 / generator.gamma(weight / 2, size=problems)
    mean = float(prior.mean) + np.sqrt(variance / float(prior.mean_weight)) * generator.standard_normal(problems)
    return mean, variance


QUANTITIES = ("mean", "variance", "data's mean", "data's variance", "noise of the mean", "noise of the variance", "scatter")


def quantities(mean: Floats, variance: Floats, data_mean: Floats, data_variance: Floats, noisy: Sequence[Floats]) -> Floats:
    """What is ranked: all that is unknown, and how far it lies from what was seen.

    Ranks of parameters alone do not notice a sampler that forgets some of the data; those of quantities that look at what
    was seen do.
    """
    scatter = (data_mean - mean) ** 2 / variance
    noise = (np.abs(noisy[0] - data_mean), np.abs(noisy[1] - data_variance))
    return np.array([mean, variance, data_mean, data_variance, *noise, scatter])


def chances(
    sampler: type[GibbsState], release: StatedMoments, prior: MomentsPrior, problems: int, seed: int, thinned: int = 25
) -> tuple[float, ...]:
    """How likely ranks as uneven as those of each quantity are, if the sampler is right.

    The constrained model is the free one given that mean and variance, of the law and of the data, are possible.
    """
    generator, n = np.random.default_rng(seed), release.count
    kept: list[Floats] = []
    while sum(part.shape[1] for part in kept) < problems:
        mean, variance = from_prior(prior, 4 * problems, generator)
        data_mean = mean + np.sqrt(variance / n) * generator.standard_normal(len(mean))
        data_variance = variance * generator.gamma((n - 1) / 2, 2 / (n - 1), len(mean))
        possible = (variance <= mean * (1 - mean)) & ((n - 1) / n * data_variance <= data_mean * (1 - data_mean))
        kept.append(np.array([mean, variance, data_mean, data_variance])[:, possible])
    mean, variance, data_mean, data_variance = np.concatenate(kept, axis=1)[:, :problems]
    noisy = [
        values + noise.draw(generator, values.shape)
        for values, noise in zip((data_mean, data_variance), release.noise, strict=True)
    ]
    state = sampler(release, noisy[0], noisy[1], prior.scaled(release), True)
    state.scatter(generator)
    truth = quantities(mean, variance, data_mean, data_variance, noisy)
    ranks = np.zeros(truth.shape)
    for iteration in range(-8 * thinned, (RANKS - 1) * thinned):
        state.step(generator)
        if iteration >= 0 and iteration % thinned == 0:
            ranks += quantities(state.mean, state.variance, state.data_mean, state.data_variance, noisy) < truth
    return tuple(map(uniformity, ranks))


class ForgottenNoise(GibbsState):
    """The noisy mean is taken for that of the data."""

    def draw_data_mean(self, generator: np.random.Generator) -> None:
        self.data_mean = np.clip(self.noisy_mean, 1e-6, 1 - 1e-6)


class WrongDivisor(GibbsState):
    """The data's variance is taken to divide by n."""

    def draw_variance(self, generator: np.random.Generator) -> None:
        right = self.data_variance
        self.data_variance = right * (self.count - 1) / self.count
        super().draw_variance(generator)
        self.data_variance = right


class HalfTheNoise(GibbsState):
    """The noise on the data's variance is taken for half of what it is."""

    def draw_data_variance(self, generator: np.random.Generator) -> None:
        noise = self.variance_noise
        self.variance_noise = noise.scaled(1 / 2)
        super().draw_data_variance(generator)
        self.variance_noise = noise


class HalfTheNoiseOfTheMean(GibbsState):
    """The noise on the data's mean is taken for half of what it is."""

    def draw_precision(self, generator: np.random.Generator) -> None:
        noise = self.mean_noise
        self.mean_noise = noise.scaled(1 / 2)
        super().draw_precision(generator)
        self.mean_noise = noise


class SomebodyElse(GibbsState):
    """The noisy variance is that of another problem: right for the prior, and for no data."""

    def draw_data_variance(self, generator: np.random.Generator) -> None:
        seen = self.noisy_variance
        self.noisy_variance = np.roll(seen, 1)
        super().draw_data_variance(generator)
        self.noisy_variance = seen


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_ranks_of_mean_and_variance_are_uniform(noise: tuple[StatisticNoise, StatisticNoise]) -> None:
    release = StatedMoments(12, 0, 1, *noise)
    assert min(chances(GibbsState, release, Flat(), 400, seed=5)) > 1e-3


def test_ranks_are_uniform_under_a_conjugate_prior() -> None:
    release = StatedMoments(12, 0, 1, GaussianNoise(0.05), GaussianNoise(0.03))
    assert min(chances(GibbsState, release, Conjugate("0.4", "0.05", 4, 6), 400, seed=6)) > 1e-3


USUAL = StatedMoments(12, 0, 1, LaplaceNoise(0.05), LaplaceNoise(0.1))
PLANTED = [ForgottenNoise, WrongDivisor, HalfTheNoise, HalfTheNoiseOfTheMean, SomebodyElse]


@pytest.mark.parametrize("sampler", PLANTED)
def test_ranks_show_a_planted_error_of_the_usual_size(sampler: type[GibbsState]) -> None:
    assert min(chances(sampler, USUAL, Flat(), 400, seed=5)) < 1e-6


@pytest.mark.parametrize("sampler", [HalfTheNoise, SomebodyElse])
def test_ranks_of_parameters_alone_would_not_show_it(sampler: type[GibbsState]) -> None:
    """Why quantities that look at what was seen are ranked too."""
    mean, variance, *_ = chances(sampler, USUAL, Flat(), 400, seed=5)
    assert min(mean, variance) > 1e-3


@pytest.mark.sweep
@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("count", [3, 8])
def test_ranks_are_uniform_over_many_random_problems(noise: tuple[StatisticNoise, StatisticNoise], count: int) -> None:
    release = StatedMoments(count, 0, 1, *noise)
    for prior in (Flat(), Flat("1/2"), Conjugate("0.4", "0.05", 4, 6)):
        assert min(chances(GibbsState, release, prior, 4000, seed=count, thinned=60)) > 1e-5


# Shares --------------------------------------------------------------------------------------------------------------


def share_chance(prior: Beta, noise: StatisticNoise, error: float = 0.0) -> float:
    """How likely ranks of the share as uneven as these are; `error` is added to what was seen."""
    generator, size = np.random.default_rng(9), 30
    ranks = np.empty(1500)
    for problem in range(len(ranks)):
        share = generator.beta(float(prior.yes), float(prior.no))
        seen = generator.binomial(size, share) + float(noise.draw(generator, ())) + error
        drawn, _ = NoisyProportion(size, noise, seen).draw(prior, generator, (RANKS - 1, 1))
        ranks[problem] = (drawn < share).sum()
    return uniformity(ranks)


@pytest.mark.parametrize("noise", [LaplaceNoise(2), GaussianNoise(3)], ids=str)
@pytest.mark.parametrize("prior", [Beta(), Beta("1/2", "3")], ids=str)
def test_ranks_of_shares_are_uniform(noise: StatisticNoise, prior: Beta) -> None:
    assert share_chance(prior, noise) > 1e-3
    assert share_chance(prior, noise, error=2.0) < 1e-6


@pytest.mark.parametrize(("yes", "no"), [(1, 1), (2, 3), (1, 4)])
def test_the_masses_of_counts_are_those_of_exact_enumeration(yes: int, no: int) -> None:
    """With whole parameters the chance of k of n is a fraction; geometric noise of scale 1/log 2 halves at each step."""
    size, seen = 7, 3

    def product(start: int, steps: int) -> int:
        return math.prod(range(start, start + steps))

    exact = [
        Fraction(math.comb(size, k) * product(yes, k) * product(no, size - k), product(yes + no, size)) / 2 ** abs(seen - k)
        for k in range(size + 1)
    ]
    found = np.exp(NoisyProportion(size, LaplaceNoise(1 / math.log(2)), seen).log_masses(Beta(yes, no)))
    np.testing.assert_allclose(found, [float(mass / sum(exact)) for mass in exact], rtol=1e-12)
    # The mean of the share is a sum over counts too.
    mean = sum(mass * Fraction(yes + k, yes + no + size) for k, mass in enumerate(exact)) / sum(exact)
    draws, of_data = NoisyProportion(size, LaplaceNoise(1 / math.log(2)), seen).draw(
        Beta(yes, no), np.random.default_rng(3), (20_000, 4)
    )
    assert float(draws.mean()) == pytest.approx(float(mean), abs=4.5 * float(draws.std()) / math.sqrt(draws.size))
    shares = np.bincount(np.rint(of_data.ravel() * size).astype(int), minlength=size + 1) / of_data.size
    np.testing.assert_allclose(shares, found, atol=4.5 * math.sqrt(0.25 / of_data.size))


# Chains --------------------------------------------------------------------------------------------------------------


def test_split_r_hat_of_known_chains() -> None:
    """Halves 1, 3 and 5, 7 have variances 2 and means 2 and 6, whose variance is 8: sqrt(1/2 + 8/2)."""
    assert split_r_hat(np.array([[1.0], [3.0], [5.0], [7.0]])) == pytest.approx(math.sqrt(4.5))
    assert split_r_hat(np.array([[1.0], [3.0], [99.0], [5.0], [7.0]])) == pytest.approx(math.sqrt(4.5))
    independent = np.random.default_rng(2).standard_normal((5000, 8))
    assert split_r_hat(independent) == pytest.approx(1.0, abs=2e-3)
    # Chains that are each at peace but elsewhere, by 1 of them in 8: the variance of the means is 1/8.
    apart = independent + np.eye(8)[0]
    assert split_r_hat(apart) == pytest.approx(math.sqrt(1 + 0.125 * 16 / 15 * 7 / 8), abs=0.01)
    assert split_r_hat(np.ones((6, 2))) == 1.0
    assert split_r_hat(np.tile([1.0, 2.0], (6, 1))) == math.inf


def test_a_chain_that_drifts_differs_from_itself() -> None:
    drift = np.linspace(0, 3, 1000)[:, None] + np.random.default_rng(1).standard_normal((1000, 1))
    assert split_r_hat(drift) > 1.3
    assert effective_size(drift) < 100


def test_gibbs_agrees_with_draws_by_rejection_for_gaussian_noise() -> None:
    """The gamma law of the data's variance, seen with Gaussian noise, against draws that are kept with its density."""
    release = StatedMoments(9, 0, 1, GaussianNoise(0.1), GaussianNoise(0.02))
    chains = 20_000
    state = GibbsState(release, np.full(chains, 0.5), np.full(chains, 0.03), Flat().scaled(release), False)
    state.variance = np.full(chains, 0.05)
    generator = np.random.default_rng(8)
    for _ in range(30):
        state.draw_data_variance(generator)
    tried = gamma_between(*(np.full(400_000, v) for v in (4.0, 80.0, 0.0, np.inf)), generator=generator)
    kept = tried[generator.random(len(tried)) < np.exp(-0.5 * ((tried - 0.03) / 0.02) ** 2)]
    for power in (1, 2):
        truth, found = kept**power, state.data_variance**power
        error = math.hypot(float(truth.std()) / math.sqrt(len(truth)), float(found.std()) / math.sqrt(chains))
        assert float(found.mean()) == pytest.approx(float(truth.mean()), abs=4.5 * error)
