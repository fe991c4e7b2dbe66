"""Whole counts that agree with a public total, near given ones and likely by earlier ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from attrs import frozen
from numpy.random import Generator

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_pufferfish.inference.allocation import CountLaw
from accountant_pufferfish.inference.projection import Counts, Number


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

    def __attrs_post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate >= 0.0):
            raise InvalidValue(f"the rate must be a finite number of at least 0, got {self.rate}")
        if self.total < 0:
            raise InvalidValue(f"a total of cases cannot be negative, got {self.total}")
        if self.shapes is None:
            return
        cells = len(self.centre.cases)
        if len(self.shapes) != cells or not all(math.isfinite(shape) and shape > 0.0 for shape in self.shapes):
            raise InvalidValue(
                f"expected a positive shape for each of {cells} cells, got {list(self.shapes)}; "
                "earlier counts of 0 need a floor"
            )

    @cached_property
    def allocation(self) -> CountLaw:
        """The law of the cases, with the deaths summed out."""
        return CountLaw(self._death_sums + self._near(self.centre.cases) + self._log_prior())

    @cached_property
    def _death_sums(self) -> Floats:
        """In row j and column c, the logarithm of the sum of the weights of at most c deaths in cell j."""
        sums: Floats = np.logaddexp.accumulate(self._near(self.centre.deaths), axis=1)
        return sums

    def _near(self, counts: Sequence[Number]) -> Floats:
        """In row j and column y, the log weight of y for its distance from a count."""
        distances: Floats = np.abs(self._range() - np.array(counts, dtype=float)[:, None])
        return -self.rate * distances

    def _log_prior(self) -> Floats | float:
        if self.shapes is None:
            return 0.0
        from scipy.special import gammaln

        counts, shapes = self._range(), np.array(self.shapes, dtype=float)[:, None]
        logs: Floats = gammaln(counts + shapes) - gammaln(shapes) - gammaln(counts + 1.0)
        return logs

    def _range(self) -> Floats:
        return np.arange(self.total + 1, dtype=float)

    def draw(self, generator: Generator, size: int) -> list[Counts]:
        """Independent draws, without a Markov chain."""
        cases = self.allocation.draw(generator, size)
        deaths = np.empty_like(cases)
        for cell, sums in enumerate(self._death_sums):
            # The logarithm of a uniform share of all that may be reached; at most the sum as far as the cases.
            reached = sums[cases[:, cell]] - generator.standard_exponential(size)
            deaths[:, cell] = np.searchsorted(sums, reached)
        return [Counts(*pair) for pair in zip(cases.tolist(), deaths.tolist(), strict=True)]
