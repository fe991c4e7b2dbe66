"""A Gibbs sampler for the mean and the variance of Gaussian data, given noisy moments.

Laplace noise on the mean is Gaussian noise whose variance w has an exponential law, and Laplace noise on the variance
turns its gamma law into a truncated gamma mixture. So all five of mu, sigma^2, the data's mean and variance, and w can be
drawn given the others.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant.numbers.rounding import lowered
from accountant_posterior.inference.draws import Draws
from accountant_posterior.inference.gamma_mixture import TruncatedGammaMixture
from accountant_posterior.inference.moments import MomentsRelease, NoisyMoments
from accountant_posterior.inference.priors import MomentsPrior, ScaledPrior
from accountant_posterior.inference.truncation import gamma_between, normal_between

_CLOSEST = 1e-9
"""Below this ratio of distance to noise scale the law of 1/w is that of distance zero to all digits."""


def infer(
    released: NoisyMoments,
    prior: MomentsPrior,
    generator: Generator,
    *,
    constrained: bool = True,
    chains: int = 200,
    iterations: int = 1000,
    burn: int = 500,
) -> Draws:
    """Draws of the mean and the variance of the law that the data come from, given what was released.

    With `constrained` the model knows that the data lie between their bounds: sigma^2 is at most that of a coin with the
    same mean, and so is the data's variance. Without, sigma^2 is still kept below (n - 1)/(2 n e2) on data between 0 and 1:
    beyond it the law of the data's variance given the release is no truncated gamma mixture.

    A prior under which the posterior has infinite mass is refused. All chains run at once; look at
    `Draws.effective_size` before you trust a digit, since successive draws are alike.
    """
    if chains < 1 or iterations < 4 or burn < 0:
        raise InvalidValue("give at least one chain, four iterations and no negative number of iterations to throw away")
    prior.check(released.release, constrained=constrained)
    mean, variance = (np.full(chains, value) for value in released.unit)
    state = GibbsState(released.release, mean, variance, prior.scaled(released.release), constrained)
    kept = np.empty((2, iterations, chains))
    for iteration in range(-burn, iterations):
        state.step(generator)
        if iteration >= 0:
            kept[:, iteration] = state.mean, state.variance
    release = released.release
    lower, width = float(release.lower), float(release.upper - release.lower)
    return Draws(lower + width * kept[0], width**2 * kept[1], (lower, lower + width), constrained)


class GibbsState:
    """Where many chains stand, on data between 0 and 1; every method draws one unknown given the others.

    Each chain has a noisy mean and variance of its own, and starts where they point to, moved to what is possible.
    """

    def __init__(
        self, release: MomentsRelease, noisy_mean: Floats, noisy_variance: Floats, prior: ScaledPrior, constrained: bool
    ) -> None:
        self.prior, self.constrained, self.count = prior, constrained, release.count
        self.noisy_mean, self.noisy_variance = noisy_mean, noisy_variance
        self.mean_rate = float(release.mean_epsilon) * release.count
        self.variance_rate = float(release.variance_epsilon) * release.count
        self.cap = (release.count - 1) / (2.0 * self.variance_rate)
        self.mean = np.full(len(noisy_mean), 0.5)
        self.variance = np.clip(noisy_variance, 1e-3 * min(self.cap, 1.0), min(0.249, 0.9 * self.cap))
        self.data_mean = np.clip(noisy_mean, 0.0, 1.0)
        self.data_variance = self.variance
        self.precision = np.full(len(noisy_mean), self.mean_rate**2 / 2.0)

    def step(self, generator: Generator) -> None:
        """Draw everything once."""
        self.draw_mean(generator)
        self.draw_variance(generator)
        self.draw_data_mean(generator)
        self.draw_precision(generator)
        self.draw_data_variance(generator)

    def draw_mean(self, generator: Generator) -> None:
        """mu is Gaussian; with constraints between 1/2 -+ sqrt(1/4 - sigma^2)."""
        weight = self.count + self.prior.weight
        centre = (self.count * self.data_mean + self.prior.weight * self.prior.mean) / weight
        deviation = np.sqrt(self.variance / weight)
        if self.constrained:
            half = np.sqrt(np.maximum(0.25 - self.variance, 0.0))
            self.mean = normal_between(centre, deviation, 0.5 - half, 0.5 + half, generator)
        else:
            self.mean = centre + deviation * generator.standard_normal(len(centre))

    def draw_variance(self, generator: Generator) -> None:
        """sigma^2 is inverse gamma, below the cap and with constraints at most mu (1 - mu)."""
        shape = self.count / 2.0 + self.prior.shape
        rate = (
            self.prior.rate
            + 0.5 * (self.count - 1) * self.data_variance
            + 0.5 * self.count * (self.data_mean - self.mean) ** 2
            + 0.5 * self.prior.weight * (self.mean - self.prior.mean) ** 2
        )
        top = np.full(len(self.mean), self.cap)
        if self.constrained:
            top = np.minimum(top, np.maximum(self.mean * (1.0 - self.mean), 1e-15))
        inverse = gamma_between(np.full(len(top), shape), rate, 1.0 / top, np.full(len(top), np.inf), generator)
        # Rounding must not put sigma^2 on the cap itself, where the law that follows is none.
        self.variance = np.minimum(1.0 / inverse, lowered(top, 2.0**13))

    def draw_data_mean(self, generator: Generator) -> None:
        """The mean of the data is Gaussian; with constraints between the bounds that its variance leaves."""
        total = self.precision + self.count / self.variance
        centre = (self.noisy_mean * self.precision + self.count * self.mean / self.variance) / total
        deviation = 1.0 / np.sqrt(total)
        if self.constrained:
            half = np.sqrt(np.maximum(0.25 - (self.count - 1) / self.count * self.data_variance, 0.0))
            self.data_mean = normal_between(centre, deviation, 0.5 - half, 0.5 + half, generator)
        else:
            self.data_mean = centre + deviation * generator.standard_normal(len(centre))

    def draw_precision(self, generator: Generator) -> None:
        """1/w is inverse Gaussian with mean e n/|distance| and shape (e n)^2."""
        shape = self.mean_rate**2
        distance = np.abs(self.noisy_mean - self.data_mean)
        close = distance * self.mean_rate < _CLOSEST
        draws = generator.wald(self.mean_rate / np.where(close, 1.0, distance), shape)
        # At distance zero the inverse Gaussian law of infinite mean is left: shape over the square of a Gaussian.
        self.precision = np.where(close, shape / generator.standard_normal(len(distance)) ** 2, draws)

    def draw_data_variance(self, generator: Generator) -> None:
        """The variance of the data is a truncated gamma mixture; with constraints at most n m (1 - m)/(n - 1)."""
        upper: Floats = np.full(len(self.variance), math.inf)
        if self.constrained:
            upper = np.maximum(self.count / (self.count - 1) * self.data_mean * (1.0 - self.data_mean), 1e-300)
        mixture = TruncatedGammaMixture(
            np.full(len(upper), 0.5 * (self.count - 1)),
            0.5 * (self.count - 1) / self.variance,
            np.full(len(upper), self.variance_rate),
            self.noisy_variance,
            upper,
        )
        self.data_variance = np.maximum(mixture.sample(generator), 1e-300)
