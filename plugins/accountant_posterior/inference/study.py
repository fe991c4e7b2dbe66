"""How inference from noisy moments does on average: whether intervals cover, how long they are and how far off."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference.draws import highest_density, most_likely
from accountant_posterior.inference.gibbs import GibbsState
from accountant_posterior.inference.moments import MomentsRelease
from accountant_posterior.inference.priors import MomentsPrior


@frozen
class Study:
    """What became of the intervals for the mean over many datasets with fresh noise."""

    coverage: float
    """The share of intervals that hold the true mean."""
    coverage_error: float
    """The standard error of that share."""
    length: float
    """The mean length of an interval."""
    error: float
    """The root mean square distance of the posterior mode from the truth."""
    mean_error: float
    """The root mean square distance of the posterior mean from the truth."""


def study(
    release: MomentsRelease,
    law: Callable[[Generator, int], Floats],
    truth: float,
    prior: MomentsPrior,
    generator: Generator,
    *,
    constrained: bool = True,
    datasets: int = 200,
    chains: int = 20,
    iterations: int = 500,
    burn: int = 300,
    level: float = 0.95,
) -> Study:
    """Follow many datasets through release and inference, some chains for each, all at once.

    `law` draws so many values between the bounds of the release from the law whose mean is `truth`. Chains mix slowly, and
    intervals from too few independent draws are too short: give each dataset several hundred times the draws it needs.
    """
    if datasets < 2 or chains < 1 or iterations < 20:
        raise InvalidValue("give at least two datasets, one chain and twenty iterations")
    prior.check(release, constrained=constrained)
    seen = np.array([release.simulate(law(generator, release.count).tolist(), generator).unit for _ in range(datasets)])
    noisy_mean, noisy_variance = (np.repeat(seen[:, part], chains) for part in (0, 1))
    state = GibbsState(release, noisy_mean, noisy_variance, prior.scaled(release), constrained)
    means = np.empty((iterations, datasets, chains))
    for iteration in range(-burn, iterations):
        state.step(generator)
        if iteration >= 0:
            means[iteration] = state.mean.reshape(datasets, chains)
    means = float(release.lower) + float(release.upper - release.lower) * means
    ends = np.array([highest_density(means[:, index], level) for index in range(datasets)])
    modes = np.array([most_likely(means[:, index]) for index in range(datasets)])
    coverage = float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    return Study(
        coverage,
        math.sqrt(coverage * (1.0 - coverage) / datasets),
        float(np.mean(ends[:, 1] - ends[:, 0])),
        math.sqrt(float(np.mean((modes - truth) ** 2))),
        math.sqrt(float(np.mean((means.mean(axis=(0, 2)) - truth) ** 2))),
    )
