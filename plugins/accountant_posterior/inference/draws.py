"""Draws from a posterior law, and what they say."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference.truncation import normal_between

_PLACES = 2**11


@frozen(eq=False)
class Draws:
    """Draws of mean and variance: a row for each iteration, a column for each chain."""

    mean: Floats
    variance: Floats
    bounds: tuple[float, float]
    constrained: bool

    @property
    def deviation(self) -> Floats:
        """The square root of the variance."""
        roots: Floats = np.sqrt(self.variance)
        return roots

    @property
    def effective_size(self) -> float:
        """How many independent draws these are worth, the smaller number of mean and variance."""
        return min(effective_size(self.mean), effective_size(self.variance))

    @property
    def infeasible(self) -> float:
        """The share of draws that no law between the bounds has."""
        low, high = self.bounds
        return float(np.mean(self.variance > (self.mean - low) * (high - self.mean)))

    def predictive(self, generator: Generator) -> Floats:
        """A new value for every draw: Gaussian, kept between the bounds where the model knows them."""
        if not self.constrained:
            return self.mean + self.deviation * generator.standard_normal(self.mean.shape)
        low, high = (np.full(self.mean.shape, bound) for bound in self.bounds)
        return normal_between(self.mean, self.deviation, low, high, generator)


def effective_size(draws: Floats) -> float:
    """How many independent draws as many correlated ones are worth.

    Definition: their number over 1 + 2 (r1 + r2 + ...), with autocorrelations that also count how far chains differ, summed
    in pairs as long as the pairs are positive and falling.
    """
    iterations, chains = draws.shape
    centred = draws - draws.mean(axis=0)
    size = 2 ** math.ceil(math.log2(2 * iterations))
    transformed = np.fft.rfft(centred, size, axis=0)
    covariances = np.fft.irfft(np.abs(transformed) ** 2, size, axis=0)[:iterations].mean(axis=1) / iterations
    within = covariances[0] * iterations / (iterations - 1.0)
    between = float(draws.mean(axis=0).var(ddof=1)) if chains > 1 else 0.0
    total = covariances[0] + between
    if total == 0.0:
        return float(draws.size)
    correlations = 1.0 - (within - covariances) / total
    pairs = correlations[: iterations - iterations % 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0.0)
    falling = np.minimum.accumulate(pairs[: ends[0]] if ends.size else pairs)
    time = max(2.0 * float(falling.sum()) - 1.0, 1.0 / math.log10(draws.size + 9.0))
    return draws.size / time


def split_r_hat(draws: Floats) -> float:
    """How much wider all halves of all chains together are than each by itself; 1 once they agree.

    Definition: with as many draws n in each half, W the mean of the variances of the halves and B/n the variance of their
    means, the square root of ((n - 1)/n W + B/n)/W. A chain that drifts differs from itself, so that one is enough.
    """
    half = len(draws) // 2
    if half < 2:
        raise InvalidValue(f"halves of chains need two draws each, got chains of {len(draws)}")
    halves = np.concatenate([draws[:half], draws[len(draws) - half :]], axis=1)
    within = float(halves.var(axis=0, ddof=1).mean())
    between = float(halves.mean(axis=0).var(ddof=1))
    if within == 0.0:
        return 1.0 if between == 0.0 else math.inf
    return math.sqrt((half - 1.0) / half + between / within)


def highest_density(draws: Floats, level: float = 0.95) -> tuple[float, float]:
    """The shortest interval that holds a share of the draws."""
    if not 0.0 < level < 1.0:
        raise InvalidValue(f"a share lies strictly between 0 and 1, got {level!r}")
    ordered = np.sort(draws, axis=None)
    inside = max(1, math.ceil(level * len(ordered)))
    widths = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    first = int(np.argmin(widths))
    return float(ordered[first]), float(ordered[first + inside - 1])


def most_likely(draws: Floats) -> float:
    """Where the density of the draws is largest, as Gaussian kernels of the usual width estimate it.

    Definition: each draw is shared by the two nearest of `_PLACES` places between the smallest and the largest, and spread
    with a deviation of 0.9 min(s, r/1.34) n^(-1/5), s their deviation and r the range of their middle half. Of few values,
    at most as many as the root of the number of draws, it is the most frequent one.
    """
    values = np.sort(draws, axis=None)
    found, often = np.unique(values, return_counts=True)
    if len(found) ** 2 <= len(values):
        return float(found[np.argmax(often)])
    low, high = float(values[0]), float(values[-1])
    first, third = np.quantile(values, (0.25, 0.75))
    spread = min(float(values.std()), float(third - first) / 1.34) or float(values.std())
    if high == low or spread == 0.0:
        return low
    places = (values - low) * ((_PLACES - 1) / (high - low))
    left = np.minimum(places.astype(np.intp), _PLACES - 2)
    share = places - left
    masses = np.bincount(left, 1.0 - share, _PLACES) + np.bincount(left + 1, share, _PLACES)
    width = 0.9 * spread * len(values) ** -0.2 * ((_PLACES - 1) / (high - low))
    turns = 2.0 * math.pi * np.fft.rfftfreq(2 * _PLACES)
    density = np.fft.irfft(np.fft.rfft(masses, 2 * _PLACES) * np.exp(-0.5 * (turns * width) ** 2), 2 * _PLACES)
    return low + int(np.argmax(density[:_PLACES])) * (high - low) / (_PLACES - 1)
