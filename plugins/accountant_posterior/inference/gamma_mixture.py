"""The truncated gamma mixture: what is known of a gamma variable after it was seen with Laplace noise."""

from __future__ import annotations

import numpy as np
from attrs import field, frozen
from numpy.random import Generator
from scipy import special

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference.truncation import gamma_between, log_gamma_above, log_gamma_below


def _floats(value: object) -> Floats:
    numbers: Floats = np.asarray(value, dtype=np.float64)
    return numbers


@frozen(eq=False)
class TruncatedGammaMixture:
    """The law on (0, upper] with a density proportional to s^(shape - 1) e^(-rate s - slope |s - kink|).

    Definition: a mixture of a gamma law of rate `rate` - `slope` up to the kink and one of rate `rate` + `slope` beyond it.
    If s is gamma and `kink` is s with Laplace noise of scale 1/slope, this is the law of s given the kink. Parameters may
    be arrays. Weights are computed in logarithms.
    """

    shape: Floats = field(converter=_floats)
    rate: Floats = field(converter=_floats)
    slope: Floats = field(converter=_floats)
    kink: Floats = field(converter=_floats)
    upper: Floats = field(default=np.inf, converter=_floats)

    def __attrs_post_init__(self) -> None:
        if np.any(self.shape <= 0.0):
            raise InvalidValue("the shape of a truncated gamma mixture must be above 0")
        if np.any(self.slope < 0.0) or np.any(self.rate <= self.slope):
            raise InvalidValue("a truncated gamma mixture needs 0 <= slope < rate")
        if np.any(self.upper <= 0.0):
            raise InvalidValue("the upper bound of a truncated gamma mixture must be above 0")

    @property
    def log_weights(self) -> tuple[Floats, Floats]:
        """The logs of the masses below and above the kink, times a common constant."""
        low = np.clip(self.kink, 0.0, self.upper)
        gentle, steep = self.rate - self.slope, self.rate + self.slope
        with np.errstate(divide="ignore"):
            below = log_gamma_below(self.shape, gentle * low)
        below = below - self.slope * self.kink - self.shape * np.log(gentle)
        above = _log_between(self.shape, steep * low, steep * self.upper)
        above = above + self.slope * self.kink - self.shape * np.log(steep)
        return below, above

    @property
    def share_below(self) -> Floats:
        """The chance to be at most the kink."""
        below, above = self.log_weights
        share: Floats = special.expit(below - above)
        return share

    def density(self, place: Floats) -> Floats:
        """The density."""
        place = _floats(place)
        total = np.logaddexp(*self.log_weights) + special.gammaln(self.shape)
        inside = (place > 0.0) & (place <= self.upper)
        at = np.where(inside, place, 1.0)
        logs = special.xlogy(self.shape - 1.0, at) - self.rate * at - self.slope * np.abs(at - self.kink) - total
        return np.where(inside, np.exp(logs), 0.0)

    def sample(self, generator: Generator) -> Floats:
        """One draw for every set of parameters."""
        share = self.share_below
        low = np.clip(self.kink, 0.0, self.upper)
        below = generator.random(share.shape) < share
        return gamma_between(
            self.shape,
            np.where(below, self.rate - self.slope, self.rate + self.slope),
            np.where(below, 0.0, low),
            np.where(below, low, self.upper),
            generator,
        )


def _log_between(shape: Floats, low: Floats, high: Floats) -> Floats:
    """log of the chance that a gamma variable of rate 1 lies between two bounds."""
    shape, low, high = np.broadcast_arrays(shape, low, high)
    beyond = low > shape
    near = np.where(beyond, log_gamma_above(shape, low), log_gamma_below(shape, high))
    far = np.where(beyond, log_gamma_above(shape, high), log_gamma_below(shape, low))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: Floats = near + np.log(-np.expm1(np.minimum(far - near, 0.0)))
    return np.where(low < high, logs, -np.inf)
