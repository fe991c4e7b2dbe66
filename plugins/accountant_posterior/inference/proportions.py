"""A share of records, released with noise: the law of the share, by summing over all counts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from scipy import special

from accountant import InvalidValue, fields
from accountant.loss import Floats
from accountant_posterior.inference.noise import StatisticNoise
from accountant_posterior.inference.public import PublicFigure

MOST_RECORDS = 10**6


@frozen
class Beta:
    """A density of the share proportional to s^(yes - 1) (1 - s)^(no - 1); both 1 is flat.

    Guarantee: refused where the posterior has infinite mass. With exact data a parameter of 0 may work; noise leaves it
    possible that no record counts, or that all do, and there the density is not integrable.
    """

    yes: Fraction = field(
        default=Fraction(1),
        converter=fields.exact,
        metadata=fields.about("how many records that count it is worth, plus 1"),
    )
    no: Fraction = field(
        default=Fraction(1), converter=fields.exact, metadata=fields.about("how many others it is worth, plus 1")
    )

    def __attrs_post_init__(self) -> None:
        if self.yes <= 0 or self.no <= 0:
            raise InvalidValue(
                f"with a prior beta({self.yes}, {self.no}) the posterior has infinite mass near a share of "
                f"{0 if self.yes <= 0 else 1}, because noise leaves it possible that {'no' if self.yes <= 0 else 'every'} "
                "record counts; use parameters above 0"
            )


@frozen
class NoisyProportion:
    """How many of `size` records count, seen with noise. Noise on whole numbers only is weighed as on all numbers."""

    size: int = field(converter=fields.whole, validator=[fields.at_least(1), fields.at_most(MOST_RECORDS)])
    noise: StatisticNoise
    seen: float
    public: PublicFigure | None = None

    def log_masses(self, prior: Beta) -> Floats:
        """The log of the posterior mass of each count from 0 to size.

        Definition: the chance of k of n records is C(n, k) B(yes + k, no + n - k)/B(yes, no), times the density of the
        noise at seen - k, and of the public figure given k.
        """
        counts = np.arange(self.size + 1, dtype=np.float64)
        rest = self.size - counts
        logs = special.betaln(float(prior.yes) + counts, float(prior.no) + rest)
        logs = logs - special.gammaln(counts + 1.0) - special.gammaln(rest + 1.0)
        logs = logs + self.noise.log_weights(self.seen - counts)
        if self.public is not None:
            logs = logs + self.public.log_weights(counts)
        found: Floats = logs - special.logsumexp(logs)
        return found

    def draw(self, prior: Beta, generator: Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
        """Independent draws of the share in the law behind the data, and of the share in the data."""
        sums = np.cumsum(np.exp(self.log_masses(prior)))
        places = np.searchsorted(sums, generator.random(shape) * sums[-1], side="right")
        counts = np.minimum(places, self.size).astype(np.float64)
        shares = generator.beta(float(prior.yes) + counts, float(prior.no) + self.size - counts)
        return shares, counts / self.size
