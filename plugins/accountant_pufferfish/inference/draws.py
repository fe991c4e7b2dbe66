"""What samplers start from: joint draws of a parameter and of data, and the density of what was released."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from accountant import InvalidValue
from accountant.fields import above, exact
from accountant.loss import Floats

Array = NDArray[Any]
Draws = Callable[[Generator, int], tuple[Array, Array]]
LogDensity = Callable[[Array], Floats]

_FEWEST = 1e-6


def agreeing(draws: Draws, agrees: Callable[[Array], Array]) -> Draws:
    """Draws of (theta, X) given the public variable, from draws made before it was known.

    Whole pairs are drawn until the data agree: conditioning the data alone would leave theta with its prior, while
    the samplers need its law given z.
    """

    def conditioned(generator: Generator, size: int) -> tuple[Array, Array]:
        parameters: list[Array] = []
        datasets: list[Array] = []
        kept = proposed = 0
        while kept < size:
            fresh, data = draws(generator, max(size, 1024))
            chosen = np.asarray(agrees(data), dtype=bool)
            parameters.append(fresh[chosen])
            datasets.append(data[chosen])
            kept, proposed = kept + int(chosen.sum()), proposed + len(chosen)
            if kept < _FEWEST * proposed - 1:
                raise InvalidValue(
                    f"{kept} of {proposed} draws agree with the public variable; draw from the laws given it instead"
                )
        return np.concatenate(parameters)[:size], np.concatenate(datasets)[:size]

    return conditioned


def _counts(values: ArrayLike) -> Array:
    counts = np.atleast_1d(np.asarray(values))
    if counts.ndim != 1 or not np.issubdtype(counts.dtype, np.integer):
        raise InvalidValue(f"expected a list of whole counts, got {values!r}")
    return counts


def _scale(value: Any) -> float:
    number = exact(value)
    above(0)(None, None, number)
    return float(number)


@frozen(eq=False)
class GeometricRelease:
    """Counts that were released with independent geometric noise of one scale.

    Definition: pi(y | x) = product over the cells of tanh(1/(2 scale)) e^(-|y - x|/scale).
    """

    released: Array = field(converter=_counts)
    scale: float = field(converter=_scale)

    def log_density(self, datasets: Array) -> Floats:
        """The logarithm of the chance of what was released, for each dataset: a row of cells, or one count."""
        counts = datasets.reshape(len(datasets), -1)
        if counts.shape[1] != self.released.size:
            raise InvalidValue(f"{self.released.size} counts were released, but the data have {counts.shape[1]} cells")
        density: Floats = self.log_ceiling - np.abs(counts - self.released).sum(axis=1) / self.scale
        return density

    @property
    def log_ceiling(self) -> float:
        """The logarithm of the largest chance over all data."""
        return float(self.released.size * np.log(np.tanh(0.5 / self.scale)))


def finite(log_densities: Floats, size: int) -> Floats:
    """Log densities as they may be used: one for each dataset, none of them NaN or infinite upwards."""
    values = np.asarray(log_densities, dtype=float)
    if values.shape != (size,):
        raise InvalidValue(f"expected one log density for each of {size} datasets, got an array of shape {values.shape}")
    if np.isnan(values).any() or np.isposinf(values).any():
        raise InvalidValue("a log density is not a number or infinite; the density of the release must be bounded")
    return values
