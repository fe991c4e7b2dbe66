"""How lines from noisy sums do on average: whether intervals for a slope cover, how long they are and how far off."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import evolve
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference.draws import highest_density, most_likely
from accountant_posterior.inference.lines.density import LineDensity
from accountant_posterior.inference.lines.priors import LinePrior
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.sampler import LineState
from accountant_posterior.inference.study import Study


def study_line(
    release: NoisySums,
    law: Callable[[Generator, int], Floats],
    slope: float,
    prior: LinePrior,
    generator: Generator,
    *,
    datasets: int = 200,
    chains: int = 20,
    iterations: int = 60,
    burn: int = 60,
    level: float = 0.95,
) -> Study:
    """Follow many datasets through release and inference of the first slope, some chains for each, all at once.

    `law` draws so many records as columns x_1, ..., x_q, y between the bounds, whose true first slope is `slope`; what
    `release` has seen does not matter. Chains do not learn directions, since they see different sums.
    """
    if datasets < 2 or chains < 1 or iterations < 20:
        raise InvalidValue("give at least two datasets, one chain and twenty iterations")
    prior.check(release.coefficients, release.count)
    seen = np.repeat(np.array([_sums(release, law, generator) for _ in range(datasets)]).T, chains, axis=1)
    density = LineDensity(evolve(release, seen=[0.0] * len(seen)), prior.belief(release.coefficients))
    state = LineState(density, seen, generator)
    slopes = np.empty((iterations, datasets, chains))
    for iteration in range(-burn, iterations):
        state.step(generator)
        if iteration >= 0:
            slopes[iteration] = release.raw(state.weighed.coefficients)[1].reshape(datasets, chains)
    ends = np.array([highest_density(slopes[:, index], level) for index in range(datasets)])
    modes = np.array([most_likely(slopes[:, index]) for index in range(datasets)])
    coverage = float(np.mean((ends[:, 0] <= slope) & (slope <= ends[:, 1])))
    return Study(
        coverage,
        math.sqrt(coverage * (1.0 - coverage) / datasets),
        float(np.mean(ends[:, 1] - ends[:, 0])),
        math.sqrt(float(np.mean((modes - slope) ** 2))),
        math.sqrt(float(np.mean((slopes.mean(axis=(0, 2)) - slope) ** 2))),
    )


def _sums(release: NoisySums, law: Callable[[Generator, int], Floats], generator: Generator) -> Floats:
    columns = np.concatenate([np.ones((1, release.count)), law(generator, release.count)])
    sums = np.array([float(columns[row] @ columns[column]) for row, column in release.layout.pairs])
    return sums + release.noise.draw(generator, sums.shape)
