"""The posterior of mean and deviation by summing over grids, without any sampling and without gamma mixtures.

Data lie in [0, 1]. The data's variance is sigma^2 g with g gamma of mean one, and their mean is mu + sigma z/sqrt(n) with z
Gaussian: both are summed over. The grids are for about forty values.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@frozen(eq=False)
class Grid:
    """Posterior masses on a grid: rows are means, columns deviations."""

    means: Floats
    deviations: Floats
    masses: Floats

    def expect(self, values: Floats) -> float:
        return float((self.masses * values).sum())

    @property
    def infeasible(self) -> float:
        mean, deviation = self.means[:, None], self.deviations[None, :]
        return self.expect((deviation**2 > mean * (1 - mean)).astype(float))


def posterior(
    noisy_mean: float,
    noisy_variance: float,
    *,
    count: int,
    epsilons: tuple[float, float],
    conjugate: tuple[float, float, float, float] | None,
    constrained: bool,
    size: tuple[int, int] = (500, 260),
) -> Grid:
    """`conjugate` is (mean, variance, weight of the mean, weight of the variance); None is flat in mean and variance."""
    cap = (count - 1) / (2 * count * epsilons[1])
    top = min(cap, 0.25) if constrained else cap
    deviations = np.linspace(0.0, np.sqrt(top), size[1] + 1)[:-1] + 0.5 * np.sqrt(top) / size[1]
    low, high = (0.0, 1.0) if constrained else (-1.5, 2.2)
    means = low + (np.arange(size[0]) + 0.5) * (high - low) / size[0]

    shape = (count - 1) / 2
    g = (np.arange(1200) + 0.5) * 4.0 / 1200
    gamma = g ** (shape - 1) * np.exp(-shape * (g - 1))
    gamma = gamma / gamma.sum()
    z = np.linspace(-6.5, 6.5, 79)
    normal = np.exp(-(z**2) / 2)
    normal = normal / normal.sum()

    masses = np.empty((size[0], size[1]))
    for column, deviation in enumerate(deviations):
        variance = deviation**2
        weights = gamma * np.exp(-epsilons[1] * count * np.abs(noisy_variance - variance * g))
        data_means = means[:, None] + deviation / np.sqrt(count) * z[None, :]
        seen = normal * np.exp(-epsilons[0] * count * np.abs(noisy_mean - data_means))
        if constrained:
            most = count / (count - 1) * data_means * (1 - data_means)
            sums = np.concatenate([[0.0], np.cumsum(weights)])
            edges = np.concatenate([[0.0], g + 2.0 / 1200])
            seen = seen * np.where(most > 0, np.interp(most / variance, edges, sums), 0.0)
        else:
            seen = seen * weights.sum()
        prior = np.ones(size[0])
        if conjugate is not None:
            mean, believed, weight, degrees = conjugate
            exponent = (degrees * believed + weight * (means - mean) ** 2) / (2 * variance)
            prior = deviation ** -(degrees + 3.0) * np.exp(-exponent)
        if constrained:
            prior = prior * (variance <= means * (1 - means))
        # The grid is even in the deviation, and densities are per variance.
        masses[:, column] = prior * seen.sum(axis=1) * deviation
    return Grid(means, deviations, masses / masses.sum())


def shortest(places: Floats, masses: Floats, density: Floats, level: float = 0.95) -> tuple[float, float]:
    """The ends of the places of highest density that hold a share of the mass."""
    order = np.argsort(-density)
    kept = order[: int(np.searchsorted(np.cumsum(masses[order]), level)) + 1]
    return float(places[kept].min()), float(places[kept].max())
