"""Whole counts that agree with a public total, near given ones and likely by earlier ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_pufferfish.inference.allocation import Allocation
from accountant_pufferfish.inference.projection import Counts


@frozen(eq=False)
class CongenialCounts:
    """Cases and deaths that agree with a public total of cases, likelier the nearer they are to given ones.

    Definition: P(c, d) is proportional to prior(c) e^(-rate (|c - cases| + |d - deaths|)), distances in L1, on whole counts
    with c >= d >= 0 in every cell and the cases adding up to `total`. Without `shapes` the prior is constant; with them it
    is Dirichlet-multinomial, the product over the cells of a_j (a_j + 1) ... (a_j + c_j - 1)/c_j!.

    Two things have this law. Around the confidential counts it is the exponential mechanism with a congenial base measure,
    for a rate of at most epsilon/(2 spread). Around counts released with geometric noise of scale 1/rate it is the
    posterior of the confidential ones given the release and the total, and costs nothing beyond the release.
    """

    centre: Counts
    total: int
    rate: float
    shapes: Sequence[float] | None = None
    allocation: Allocation = field(init=False, repr=False)
    _death_sums: Floats = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate >= 0.0):
            raise InvalidValue(f"the rate must be a finite number of at least 0, got {self.rate}")
        if self.total < 0:
            raise InvalidValue(f"a total of cases cannot be negative, got {self.total}")
        counts: Floats = np.arange(self.total + 1, dtype=float)
        cases, deaths = (np.array(part, dtype=float)[:, None] for part in (self.centre.cases, self.centre.deaths))
        death_sums = np.logaddexp.accumulate(-self.rate * np.abs(counts - deaths), axis=1)
        log_weights = death_sums - self.rate * np.abs(counts - cases)
        if self.shapes is not None:
            log_weights += self._prior(counts)
        object.__setattr__(self, "_death_sums", death_sums)
        object.__setattr__(self, "allocation", Allocation(log_weights))

    def draw(self, generator: Generator, size: int) -> list[Counts]:
        """Independent draws, without a Markov chain."""
        cases = self.allocation.draw(generator, size)
        deaths = np.empty_like(cases)
        for cell, sums in enumerate(self._death_sums):
            # The logarithm of a uniform share of all that may be reached; at most the sum as far as the cases.
            reached = sums[cases[:, cell]] - generator.standard_exponential(size)
            deaths[:, cell] = np.searchsorted(sums, reached)
        return [Counts(*pair) for pair in zip(cases.tolist(), deaths.tolist(), strict=True)]

    def _prior(self, counts: Floats) -> Floats:
        from scipy.special import gammaln

        shapes = np.array(self.shapes, dtype=float)[:, None]
        if shapes.shape[0] != len(self.centre.cases) or not (np.isfinite(shapes) & (shapes > 0.0)).all():
            raise InvalidValue(
                f"expected a positive shape for each of {len(self.centre.cases)} cells, got {list(self.shapes or ())}; "
                "earlier counts of 0 need a floor"
            )
        logs: Floats = gammaln(counts + shapes) - gammaln(shapes) - gammaln(counts + 1.0)
        return logs
