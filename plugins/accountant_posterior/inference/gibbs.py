"""A Gibbs sampler for the mean and the variance of Gaussian data, given noisy moments.

Laplace noise on the mean is Gaussian noise whose variance w has an exponential law, and Laplace noise on the variance
turns its gamma law into a truncated gamma mixture. So all five of mu, sigma^2, the data's mean and variance, and w can be
drawn given the others. Gaussian noise has a w that is known. Where it is on the variance, or sigma^2 may be too large for
a mixture, a sixth unknown is drawn too: a share of the density of the noise, given which the data's variance has a gamma
law between two bounds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant.numbers.rounding import lowered
from accountant.progress import reached
from accountant_posterior.inference.draws import Draws
from accountant_posterior.inference.gamma_mixture import TruncatedGammaMixture
from accountant_posterior.inference.moments import BoundedMoments, NoisyMoments
from accountant_posterior.inference.noise import LaplaceNoise, StatisticNoise
from accountant_posterior.inference.priors import MomentsPrior, ScaledPrior
from accountant_posterior.inference.public import PublicFigure
from accountant_posterior.inference.truncation import gamma_between, normal_between

_FARTHEST = 80.0
"""How large the deviation of the variance of data between 0 and 1 may be beside the scale of Laplace noise on it."""


def infer(
    released: NoisyMoments,
    prior: MomentsPrior,
    generator: Generator,
    *,
    constrained: bool = True,
    chains: int = 200,
    iterations: int = 1000,
    burn: int = 500,
    method: type[GibbsState] | None = None,
) -> Draws:
    """Draws of the mean and the variance of the law that the data come from, given what was released.

    With `constrained` the model knows that the data lie between their bounds: sigma^2 is at most that of a coin with the
    same mean, and so is the data's variance. Without, and with Laplace noise on the variance, sigma^2 is still kept below
    n - 1 halves of its scale: beyond it the law of the data's variance given the release is no truncated gamma mixture.

    A prior under which the posterior has infinite mass is refused. `method` is another sampler, such as one of
    `baselines.moments.METHODS`, to compare with. All chains run at once; look at
    `Draws.effective_size` before you trust a digit, since successive draws are alike.
    """
    if chains < 1 or iterations < 4 or burn < 0:
        raise InvalidValue("give at least one chain, four iterations and no negative number of iterations to throw away")
    prior.check(released.release, constrained=constrained)
    mean, variance = (np.full(chains, value) for value in released.unit)
    state = (method or GibbsState)(released.release, mean, variance, prior.scaled(released.release), constrained)
    state.public = released.unit_public
    kept = np.empty((2, iterations, chains))
    state.scatter(generator)
    for iteration in range(-burn, iterations):
        reached((iteration + burn) / (iterations + burn))
        state.step(generator)
        if iteration >= 0:
            kept[:, iteration] = state.mean, state.variance
    release = released.release
    lower, width = float(release.lower), release.width
    return Draws(lower + width * kept[0], width**2 * kept[1], (lower, lower + width), constrained)


class GibbsState:
    """Where many chains stand, on data between 0 and 1; every method draws one unknown given the others.

    Each chain has a noisy mean and variance of its own, and starts where they point to, moved to what is possible.
    """

    def __init__(
        self, release: BoundedMoments, noisy_mean: Floats, noisy_variance: Floats, prior: ScaledPrior, constrained: bool
    ) -> None:
        self.prior, self.constrained, self.count = prior, constrained, release.count
        self.noisy_mean, self.noisy_variance = noisy_mean, noisy_variance
        self.mean_noise, self.variance_noise = release.unit_noise
        self.cap = _cap(release.count, self.variance_noise, constrained)
        self.public: PublicFigure | None = None
        self.mean = np.full(len(noisy_mean), 0.5)
        self.variance = np.clip(noisy_variance, 1e-3 * min(self.cap, 1.0), min(0.249, 0.9 * self.cap))
        self.data_mean = np.clip(noisy_mean, 0.0, 1.0)
        self.data_variance = self.variance
        self.precision = np.full(len(noisy_mean), self.mean_noise.within(0.5) ** -2.0)

    def scatter(self, generator: Generator) -> None:
        """Start every chain elsewhere, thrice the noise away, so that chains that agree have forgotten where they began."""
        shape = self.mean.shape
        moved = np.abs(self.noisy_variance + 3.0 * self.variance_noise.draw(generator, shape))
        self.data_variance = self.variance = np.clip(moved, 1e-12, min(0.249, 0.9 * self.cap))
        self.data_mean = np.clip(self.noisy_mean + 3.0 * self.mean_noise.draw(generator, shape), 0.0, 1.0)

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
        pulled = self.noisy_mean * self.precision + self.count * self.mean / self.variance
        if self.public is not None:
            total = total + self.public.precision
            pulled = pulled + self.public.precision * self.public.value
        centre = pulled / total
        deviation = 1.0 / np.sqrt(total)
        if self.constrained:
            half = np.sqrt(np.maximum(0.25 - (self.count - 1) / self.count * self.data_variance, 0.0))
            self.data_mean = normal_between(centre, deviation, 0.5 - half, 0.5 + half, generator)
        else:
            self.data_mean = centre + deviation * generator.standard_normal(len(centre))

    def draw_precision(self, generator: Generator) -> None:
        """1/w is inverse Gaussian for Laplace noise."""
        self.precision = self.mean_noise.precisions(np.abs(self.noisy_mean - self.data_mean), generator)

    def draw_data_variance(self, generator: Generator) -> None:
        """The variance of the data, with constraints at most n m (1 - m)/(n - 1)."""
        upper: Floats = np.full(len(self.variance), math.inf)
        if self.constrained:
            upper = np.maximum(self.count / (self.count - 1) * self.data_mean * (1.0 - self.data_mean), 1e-300)
        shape, rate = np.full(len(upper), 0.5 * (self.count - 1)), 0.5 * (self.count - 1) / self.variance
        if isinstance(self.variance_noise, LaplaceNoise) and math.isfinite(self.cap):
            slope = np.full(len(upper), 1.0 / self.variance_noise.scale)
            drawn = TruncatedGammaMixture(shape, rate, slope, self.noisy_variance, upper).sample(generator)
        else:
            reach = self.variance_noise.reaches(np.abs(self.noisy_variance - self.data_variance), generator)
            # What there is now is always possible; rounding must not say otherwise.
            low = np.minimum(np.maximum(self.noisy_variance - reach, 0.0), self.data_variance)
            high = np.maximum(np.minimum(self.noisy_variance + reach, upper), self.data_variance)
            drawn = gamma_between(shape, rate, low, high, generator)
        self.data_variance = np.maximum(drawn, 1e-300)


def _cap(count: int, noise: StatisticNoise, constrained: bool) -> float:
    """What sigma^2 stays below for the data's variance to be a truncated gamma mixture; infinite where it is drawn in the
    other way, which any noise allows.

    With constraints sigma^2 is at most 1/4, and that way is taken where 1/4 is beyond the cap, or where the noise is so
    small that both parts of the mixture lie far out in the tails of their laws, which takes long to compute.
    """
    if not isinstance(noise, LaplaceNoise):
        return math.inf
    cap = 0.5 * (count - 1) * noise.scale
    if constrained and (cap <= 0.25 or math.sqrt(2.0 / (count - 1)) > _FARTHEST * noise.scale):
        return math.inf
    return cap
