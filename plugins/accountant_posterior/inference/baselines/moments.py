"""Mean and variance by the methods of others: each record drawn anew, or the data's variance taken to be Gaussian.

They are samplers like `GibbsState`, from which they take what is known of mean and variance once the data are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from accountant.loss import Floats
from accountant_posterior.inference.gibbs import GibbsState
from accountant_posterior.inference.moments import BoundedMoments
from accountant_posterior.inference.priors import ScaledPrior
from accountant_posterior.inference.truncation import normal_between


class AugmentedState(GibbsState):
    """Data augmentation: every record is proposed from the law behind the data, and kept with the chance of the noise.

    Definition: as Ju and others do. With `constrained` records outside the bounds are refused, so that the likelihood is
    cut and not the statistics: another posterior. A step takes as long as there are records. Reference: Ju, Awan, Gong and
    Rao 2022.
    """

    def __init__(
        self, release: BoundedMoments, noisy_mean: Floats, noisy_variance: Floats, prior: ScaledPrior, constrained: bool
    ) -> None:
        super().__init__(release, noisy_mean, noisy_variance, prior, constrained)
        self.cap = math.inf
        self._spread_out()

    def scatter(self, generator: Generator) -> None:
        super().scatter(generator)
        self._spread_out()

    def _spread_out(self) -> None:
        """Records that have the mean and nearly the variance that the chain starts with."""
        places = np.linspace(-1.0, 1.0, self.count)[:, None] * math.sqrt(3.0)
        self.records = self.data_mean + np.sqrt(self.data_variance) * places
        if self.constrained:
            self.records = np.clip(self.records, 0.0, 1.0)
        self._sum_up()

    def _sum_up(self) -> None:
        self.total, self.squares = self.records.sum(axis=0), (self.records**2).sum(axis=0)
        self.data_mean, self.data_variance = self._statistics(self.total, self.squares)

    def _statistics(self, total: Floats, squares: Floats) -> tuple[Floats, Floats]:
        mean = total / self.count
        return mean, np.maximum(squares - self.count * mean**2, 1e-300) / (self.count - 1)

    def step(self, generator: Generator) -> None:
        """Draw everything once, the records one after the other."""
        self.draw_mean(generator)
        self.draw_variance(generator)
        self.draw_records(generator)

    def draw_records(self, generator: Generator) -> None:
        """Propose every record once."""
        now, deviation = self._weight(self.data_mean, self.data_variance), np.sqrt(self.variance)
        for record in range(self.count):
            old = self.records[record]
            new = self.mean + deviation * generator.standard_normal(len(old))
            total, squares = self.total + new - old, self.squares + new**2 - old**2
            then = self._weight(*self._statistics(total, squares))
            if self.constrained:
                then = np.where((new >= 0.0) & (new <= 1.0), then, -np.inf)
            taken = then - now >= -generator.standard_exponential(len(old))
            self.records[record] = np.where(taken, new, old)
            self.total, self.squares = np.where(taken, total, self.total), np.where(taken, squares, self.squares)
            now = np.where(taken, then, now)
        # Sums that are carried along gather rounding.
        self._sum_up()

    def _weight(self, mean: Floats, variance: Floats) -> Floats:
        logs = self.mean_noise.log_weights(self.noisy_mean - mean)
        logs = logs + self.variance_noise.log_weights(self.noisy_variance - variance)
        return logs if self.public is None else logs + self.public.log_weights(mean)


class ApproximateState(GibbsState):
    """The data's variance is taken to be Gaussian with the mean and the variance that it has, as for many records.

    Definition: as Bernstein and Sheldon do for sufficient statistics in general. It is wrong for few records, and where
    sigma^2 is small beside the noise; it is kept above zero. Reference: Bernstein and Sheldon 2018.
    """

    def draw_data_variance(self, generator: Generator) -> None:
        """Laplace noise is Gaussian noise whose variance is unknown, on the variance too."""
        noise = self.variance_noise.precisions(np.abs(self.noisy_variance - self.data_variance), generator)
        own = 0.5 * (self.count - 1) / self.variance**2
        centre = (noise * self.noisy_variance + own * self.variance) / (noise + own)
        upper: Floats = np.full(len(centre), math.inf)
        if self.constrained:
            upper = np.maximum(self.count / (self.count - 1) * self.data_mean * (1.0 - self.data_mean), 1e-300)
        drawn = normal_between(centre, 1.0 / np.sqrt(noise + own), np.zeros(len(centre)), upper, generator)
        self.data_variance = np.maximum(drawn, 1e-300)


METHODS: Mapping[str, type[GibbsState]] = {
    "exact": GibbsState,
    "augmentation": AugmentedState,
    "approximation": ApproximateState,
}
"""Samplers of mean and variance by their names."""
