"""Lines by the methods of others: each record drawn anew, or the sums taken to be Gaussian.

Both take regressors to be Gaussian, and draw line, scatter and the law of the regressors given the data, then the data
given these. With the same `GaussianDesign` and without constraints `infer_line` has the posterior of data augmentation.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.random import Generator

from accountant.loss import Floats
from accountant.progress import reached
from accountant_posterior.inference.lines.priors import GaussianDesign, LineBelief, LinePrior
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.sampler import LineDraws, random_records


class LineGibbs(ABC):
    """Where chains stand, on columns between 0 and 1, with the chain as first axis of matrices."""

    def __init__(
        self, released: NoisySums, prior: LinePrior, design: GaussianDesign, chains: int, generator: Generator
    ) -> None:
        prior.check(released.coefficients, released.count)
        self.released, self.design = released, design
        self.belief: LineBelief = prior.belief(released.coefficients)
        self.seen = np.array(released.seen)[:, None]
        self.records = np.moveaxis(random_records(released, chains, generator), 2, 0)
        self.moments = self.records @ np.swapaxes(self.records, 1, 2) / self.records.shape[2]
        self.variance = self.moments[:, -1, -1] - self.moments[:, 0, -1] ** 2
        self.line = np.zeros((chains, released.coefficients))

    @abstractmethod
    def draw_data(self, generator: Generator) -> None:
        """Draw the data, or their moments, given everything else."""

    def step(self, generator: Generator) -> None:
        """Draw everything once."""
        self.draw_line(generator)
        self.draw_variance(generator)
        self.draw_design(generator)
        self.draw_data(generator)

    def draw_line(self, generator: Generator) -> None:
        """The coefficients are Gaussian given sigma^2 and the moments."""
        count, belief = self.released.count, self.belief
        prior = belief.fixed + belief.scaled / self.variance[:, None, None]
        precision = count * self.moments[:, :-1, :-1] / self.variance[:, None, None] + prior
        pulled = count * self.moments[:, :-1, -1] / self.variance[:, None] + prior @ belief.centre
        factors = np.linalg.cholesky(precision)
        middle = np.linalg.solve(precision, pulled[:, :, None])
        noise = generator.standard_normal(middle.shape)
        self.line = (middle + np.linalg.solve(np.swapaxes(factors, 1, 2), noise))[:, :, 0]

    def draw_variance(self, generator: Generator) -> None:
        """sigma^2 is inverse gamma given line and moments."""
        count, belief = self.released.count, self.belief
        turned = np.concatenate([-self.line, np.ones((len(self.line), 1))], axis=1)
        around = count * np.einsum("ci,cij,cj->c", turned, self.moments, turned)
        away = self.line - belief.centre
        pulled = np.einsum("ci,ij,cj->c", away, belief.scaled, away)
        shape = 0.5 * count + belief.shape + (0.5 * len(belief.centre) if belief.scaled.any() else 0.0)
        rate = belief.rate + 0.5 * np.maximum(around, 1e-300) + 0.5 * pulled
        self.variance = rate / generator.gamma(shape, size=len(rate))

    def draw_design(self, generator: Generator) -> None:
        """The mean and the covariance of regressors, as those of Gaussian data with a conjugate prior."""
        count, regressors = self.released.count, self.released.coefficients - 1
        total = count * self.moments[:, :-1, :-1] + self.design.seen(regressors)
        weight = count + float(self.design.weight)
        centre = total[:, 0, 1:] / weight
        scale = total[:, 1:, 1:] - weight * centre[:, :, None] * centre[:, None, :]
        degrees = self.design.degrees(regressors) + count
        chains = len(centre)
        bartlett = np.zeros((chains, regressors, regressors))
        for row in range(regressors):
            bartlett[:, row, row] = np.sqrt(generator.chisquare(degrees - row, chains))
            bartlett[:, row, :row] = generator.standard_normal((chains, row))
        root = np.linalg.cholesky(np.linalg.inv(scale)) @ bartlett
        self.covariance = np.linalg.inv(root @ np.swapaxes(root, 1, 2))
        self.root = np.linalg.cholesky(self.covariance)
        noise = generator.standard_normal((chains, regressors, 1))
        self.centre = centre + (self.root @ noise)[:, :, 0] / math.sqrt(weight)

    def _sums(self, moments: Floats) -> Floats:
        return self.released.layout.sums(np.moveaxis(moments, 0, 2), self.released.count)


class AugmentedLines(LineGibbs):
    """Data augmentation: every record is proposed from its law and kept with the chance of the noise.

    With `bounded` records outside the bounds are refused. A step takes as long as there are records. Reference: Ju, Awan,
    Gong and Rao 2022.
    """

    def __init__(
        self,
        released: NoisySums,
        prior: LinePrior,
        design: GaussianDesign,
        chains: int,
        generator: Generator,
        *,
        bounded: bool = False,
    ) -> None:
        super().__init__(released, prior, design, chains, generator)
        self.bounded = bounded
        again = -(-released.count // self.records.shape[2])
        self.records = np.tile(self.records, (1, 1, again))[:, :, : released.count].copy()
        self.moments = self.records @ np.swapaxes(self.records, 1, 2) / released.count

    def draw_data(self, generator: Generator) -> None:
        """Propose every record once."""
        count, chains = self.released.count, len(self.line)
        now = self.released.log_weights(self._sums(self.moments), self.seen)
        for place in range(count):
            old = self.records[:, :, place]
            noise = generator.standard_normal((chains, old.shape[1] - 1))
            new = np.ones_like(old)
            new[:, 1:-1] = self.centre + np.einsum("cij,cj->ci", self.root, noise[:, :-1])
            new[:, -1] = (new[:, :-1] * self.line).sum(axis=1) + np.sqrt(self.variance) * noise[:, -1]
            moments = self.moments + (new[:, :, None] * new[:, None, :] - old[:, :, None] * old[:, None, :]) / count
            then = self.released.log_weights(self._sums(moments), self.seen)
            if self.bounded:
                then = np.where(((new >= 0.0) & (new <= 1.0)).all(axis=1), then, -np.inf)
            taken = then - now >= -generator.standard_exponential(chains)
            self.records[taken, :, place] = new[taken]
            self.moments[taken], now[taken] = moments[taken], then[taken]
        # Sums that are carried along gather rounding.
        self.moments = self.records @ np.swapaxes(self.records, 1, 2) / count


class ApproximateLines(LineGibbs):
    """The sums are taken to be Gaussian with their means and covariances, as for many records.

    Definition: given line, scatter and regressors the products of a Gaussian record have fourth moments that are known, and
    Laplace noise is Gaussian noise whose variance is unknown. Moments that are drawn may be impossible; the covariance is
    then moved to the nearest possible one, which no posterior does. Reference: Bernstein and Sheldon 2019.
    """

    def draw_data(self, generator: Generator) -> None:
        """Draw the moments, then make them possible."""
        released, layout, count = self.released, self.released.layout, self.released.count
        mean, covariance = self._record()
        pairs = layout.pairs
        expected = np.array([mean[:, i] * mean[:, j] + covariance[:, i, j] for i, j in pairs]).T
        fourth = np.empty((len(mean), len(pairs), len(pairs)))
        for (row, (i, j)), (column, (k, m)) in itertools.product(enumerate(pairs), repeat=2):
            fourth[:, row, column] = (
                covariance[:, i, k] * (covariance[:, j, m] + mean[:, j] * mean[:, m])
                + covariance[:, i, m] * (covariance[:, j, k] + mean[:, j] * mean[:, k])
                + mean[:, i] * (mean[:, k] * covariance[:, j, m] + mean[:, m] * covariance[:, j, k])
            )
        fourth += 1e-9 * np.eye(len(pairs))
        away = np.abs(self.seen - self._sums(self.moments))
        noise = np.array([released.noise.precisions(one, generator) for one in away]).T
        matrix = count * layout.matrix
        own = count * np.linalg.inv(fourth)
        precision = own + np.einsum("ki,ck,kj->cij", matrix, noise, matrix)
        target = self.seen[:, 0] - count * layout.offset
        pulled = np.einsum("cij,cj->ci", own, expected) + np.einsum("ki,ck,k->ci", matrix, noise, target)
        for place, figure in released.public:
            precision += figure.precision * np.outer(matrix[place], matrix[place])
            pulled += figure.precision * matrix[place] * (figure.value - count * layout.offset[place])
        middle = np.linalg.solve(precision, pulled[:, :, None])
        factors = np.swapaxes(np.linalg.cholesky(precision), 1, 2)
        drawn = (middle + np.linalg.solve(factors, generator.standard_normal(middle.shape)))[:, :, 0]
        self.moments = _definite(np.moveaxis(layout.filled(drawn.T), 2, 0))

    def _record(self) -> tuple[Floats, Floats]:
        """The mean and the covariance of a record, with its one and its response."""
        chains, regressors = self.centre.shape
        slopes = self.line[:, 1:]
        mean = np.ones((chains, regressors + 2))
        mean[:, 1:-1] = self.centre
        mean[:, -1] = self.line[:, 0] + (slopes * self.centre).sum(axis=1)
        covariance = np.zeros((chains, regressors + 2, regressors + 2))
        covariance[:, 1:-1, 1:-1] = self.covariance
        together = np.einsum("cij,cj->ci", self.covariance, slopes)
        covariance[:, 1:-1, -1] = covariance[:, -1, 1:-1] = together
        covariance[:, -1, -1] = (slopes * together).sum(axis=1) + self.variance
        return mean, covariance


def _definite(moments: Floats) -> Floats:
    """Moments with the same means and the nearest covariance that is positive."""
    mean = moments[:, 0, 1:]
    square = mean[:, :, None] * mean[:, None, :]
    values, vectors = np.linalg.eigh(moments[:, 1:, 1:] - square)
    values = np.maximum(values, 1e-9)
    moments[:, 1:, 1:] = (vectors * values[:, None, :]) @ np.swapaxes(vectors, 1, 2) + square
    return moments


def run_lines(state: LineGibbs, generator: Generator, *, iterations: int, burn: int) -> LineDraws:
    """Draws in the units of the data, as `infer_line` has them."""
    released, chains = state.released, len(state.line)
    lines = np.empty((released.coefficients, iterations, chains))
    variance = np.empty((iterations, chains))
    sums = np.empty((len(released.seen), iterations, chains))
    for iteration in range(-burn, iterations):
        reached((iteration + burn) / (iterations + burn))
        state.step(generator)
        if iteration >= 0:
            lines[:, iteration] = released.raw(state.line.T)
            variance[iteration] = state.variance
            sums[:, iteration] = state._sums(state.moments)
    return LineDraws(lines, released.response_width**2 * variance, sums)
