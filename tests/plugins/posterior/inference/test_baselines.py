"""The samplers of others: data augmentation has the posterior of ours, an approximation has it for many records only."""

from __future__ import annotations

import math

import numpy as np
import pytest

from accountant.loss import Floats
from accountant_posterior.inference import (
    Conjugate,
    ConjugateLine,
    GaussianDesign,
    GaussianNoise,
    LaplaceNoise,
    LineDraws,
    NoisyMoments,
    NoisySums,
    StatedMoments,
    StatisticNoise,
    effective_size,
    infer,
    infer_line,
)
from accountant_posterior.inference.baselines.lines import ApproximateLines, AugmentedLines, LineGibbs, run_lines
from accountant_posterior.inference.baselines.moments import METHODS, AugmentedState
from accountant_posterior.inference.gibbs import GibbsState
from tests.plugins.posterior.inference.test_calibration import RANKS, from_prior, uniformity

pytestmark = pytest.mark.slow

DESIGN = GaussianDesign(4)


def prior(seen: NoisySums) -> ConjugateLine:
    return ConjugateLine(["1/2", *[0] * (seen.coefficients - 1)], 1, 3, "1/20")


def sums(records: int, noise: StatisticNoise, columns: int = 2) -> NoisySums:
    generator = np.random.default_rng(records)
    data = np.ones((columns + 1, records))
    data[1:] = generator.random((columns, records))
    data[-1] = 0.3 + 0.4 * data[1] + 0.05 * generator.standard_normal(records)
    seen = (data @ data.T)[np.triu_indices(columns + 1)][1:]
    return NoisySums(records, [0] * columns, [1] * columns, noise, (seen + noise.draw(generator, seen.shape)).tolist())


def farthest(first: LineDraws, second: LineDraws) -> float:
    """How many errors the means of two sets of draws are apart at most."""

    def error(draws: Floats) -> float:
        return float(draws.std()) / math.sqrt(effective_size(draws))

    pairs = zip(
        (*first.coefficients, first.variance, *first.sums),
        (*second.coefficients, second.variance, *second.sums),
        strict=True,
    )
    return max(abs(float(one.mean() - other.mean())) / math.hypot(error(one), error(other)) for one, other in pairs)


def by(kind: type[LineGibbs], seen: NoisySums, iterations: int, chains: int = 200) -> LineDraws:
    generator = np.random.default_rng(4)
    return run_lines(
        kind(seen, prior(seen), DESIGN, chains, generator), generator, iterations=iterations, burn=iterations // 2
    )


def exact(seen: NoisySums) -> LineDraws:
    generator = np.random.default_rng(5)
    return infer_line(seen, prior(seen), generator, constrained=False, design=DESIGN, chains=200, iterations=50, burn=40)


@pytest.mark.parametrize("noise", [LaplaceNoise(0.5), GaussianNoise(0.5)], ids=str)
def test_data_augmentation_has_the_posterior_of_our_sampler(noise: StatisticNoise) -> None:
    seen = sums(6, noise)
    assert farthest(by(AugmentedLines, seen, 300), exact(seen)) < 4.5


def test_data_augmentation_with_two_regressors_has_the_posterior_of_our_sampler() -> None:
    seen = sums(7, GaussianNoise(0.3), columns=3)
    assert farthest(by(AugmentedLines, seen, 250), exact(seen)) < 4.5


class ForgottenScatter(AugmentedLines):
    """sigma^2 is drawn as if there were twice the data."""

    def draw_variance(self, generator: np.random.Generator) -> None:
        super().draw_variance(generator)
        self.variance = 0.7 * self.variance


def test_agreement_shows_a_planted_error() -> None:
    seen = sums(6, LaplaceNoise(0.5))
    assert farthest(by(ForgottenScatter, seen, 300), exact(seen)) > 8


def test_the_approximation_is_good_for_many_records_and_not_for_few() -> None:
    many, few = sums(3000, LaplaceNoise(0.3)), sums(6, LaplaceNoise(0.5))
    for seen, right in ((many, True), (few, False)):
        near, truth = by(ApproximateLines, seen, 300), exact(seen)
        shift = abs(float(near.variance.mean() / truth.variance.mean()) - 1)
        assert (shift < 0.05) is right


# Mean and variance ---------------------------------------------------------------------------------------------------


def chance(sampler: type[GibbsState], problems: int = 500, thinned: int = 12) -> float:
    """How likely the ranks are where records themselves lie between the bounds, and mean and variance are possible."""
    generator, count = np.random.default_rng(8), 4
    release = StatedMoments(count, 0, 1, LaplaceNoise(0.1), LaplaceNoise(0.05))
    believed = Conjugate("0.4", "0.03", 4, 6)
    mean, variance = from_prior(believed, 60 * problems, generator)
    records = mean + np.sqrt(variance) * generator.standard_normal((count, len(mean)))
    fits = ((records >= 0) & (records <= 1)).all(axis=0) & (variance <= mean * (1 - mean))
    mean, variance, records = mean[fits][:problems], variance[fits][:problems], records[:, fits][:, :problems]
    assert len(mean) == problems
    noisy = [
        values + noise.draw(generator, values.shape)
        for values, noise in zip((records.mean(axis=0), records.var(axis=0, ddof=1)), release.noise, strict=True)
    ]
    state = sampler(release, noisy[0], noisy[1], believed.scaled(release), True)
    ranks = np.zeros((2, problems))
    for iteration in range(-6 * thinned, (RANKS - 1) * thinned):
        state.step(generator)
        if iteration >= 0 and iteration % thinned == 0:
            ranks += np.array([state.mean < mean, state.variance < variance])
    return min(map(uniformity, ranks))


class SmallState(AugmentedState):
    """sigma^2 is halved after it was drawn. To ignore the noise instead would leave the prior, whose ranks fit too."""

    def draw_variance(self, generator: np.random.Generator) -> None:
        super().draw_variance(generator)
        self.variance = 0.5 * self.variance


def test_ranks_of_data_augmentation_are_uniform_where_records_are_bounded() -> None:
    assert chance(AugmentedState) > 1e-3
    assert chance(SmallState) < 1e-6


def test_methods_agree_for_many_records_and_bounding_records_is_another_model_for_few() -> None:
    believed = Conjugate("0.4", "0.04", 1, 4)

    def mean_variance(method: str, count: int, constrained: bool) -> float:
        release = StatedMoments(count, 0, 1, GaussianNoise(0.1), GaussianNoise(0.02))
        seen = NoisyMoments(release, 0.5, 0.06)
        draws = infer(
            seen,
            believed,
            np.random.default_rng(1),
            constrained=constrained,
            chains=300,
            iterations=150,
            burn=100,
            method=METHODS[method],
        )
        return float(draws.variance.mean())

    truth = mean_variance("exact", 150, False)
    assert mean_variance("augmentation", 150, False) == pytest.approx(truth, rel=0.03)
    assert mean_variance("approximation", 150, False) == pytest.approx(truth, rel=0.06)
    # Records far from the bounds are what a cut likelihood likes, so that it finds less variance.
    assert mean_variance("augmentation", 8, True) < 0.95 * mean_variance("exact", 8, True)
