"""Weighted draws from the posterior, for releases of too many cells to wait for an acceptance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_pufferfish.inference.draws import Array, Draws, LogDensity, finite


@frozen
class Estimate:
    """An expectation under the posterior, with its standard error."""

    value: float
    error: float


@frozen(eq=False)
class Weighted:
    """Draws with weights that sum to 1.

    `effective` is the number of equally weighted draws that would estimate about as well. It is computed from the draws
    themselves: where all of them miss the data that explain the release it can be large and the answer still wrong.
    """

    parameters: Array
    weights: Floats
    least: float

    @property
    def effective(self) -> float:
        """The effective sample size, 1 over the sum of the squared weights."""
        return float(1.0 / (self.weights**2).sum())

    @property
    def reliable(self) -> bool:
        """Whether the effective sample size reaches the least that was asked for."""
        return self.effective >= self.least

    def mean(self, value: Callable[[Array], Array] = lambda parameters: parameters) -> Estimate:
        """The posterior expectation of a function of the parameter; refused when too few draws carry it."""
        if not self.reliable:
            raise InvalidValue(
                f"the effective sample size is {self.effective:.3g}, below {self.least:g}: nearly all weight lies on a few "
                "of the draws; draw more, condition on fewer released cells, or lower 'least'"
            )
        values = np.asarray(value(self.parameters), dtype=float)
        mean = float(self.weights @ values)
        return Estimate(mean, float(np.sqrt(self.weights**2 @ (values - mean) ** 2)))


def importance_sample(draws: Draws, log_density: LogDensity, size: int, seed: int, least: float = 100.0) -> Weighted:
    """Weighted draws of theta given Y = y and Z = z.

    Definition: draws of (theta*, X*) given z, weighted in proportion to pi(y | X*, z). No bound on the density is needed,
    and `log_density` may leave out what does not depend on the data.
    Guarantee: expectations converge to those under the posterior as `size` grows; for a fixed size they are not unbiased.
    """
    if size < 1:
        raise InvalidValue(f"expected at least one draw, got {size}")
    parameters, datasets = draws(np.random.default_rng(seed), size)
    values = finite(log_density(datasets), size)
    highest = values.max()
    if np.isneginf(highest):
        raise InvalidValue(f"none of {size} draws could have produced the release; draw more, or check the model")
    weights = np.exp(values - highest)
    return Weighted(parameters, weights / weights.sum(), least)
