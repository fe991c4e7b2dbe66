"""The posterior of mean and variance given noisy moments, integrated on grids for many releases at once.

Given mu, sigma^2 and the data's mean, the data's variance can be integrated in closed form: it has a gamma law, and noise
of a Laplace law makes two incomplete gamma functions of that. What is left runs over mu, sigma^2 and the data's mean, on
grids that all releases of a bundle share, so that the largest part of the work is products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen
from scipy import special

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_posterior.inference.moments import BoundedMoments
from accountant_posterior.inference.noise import LaplaceNoise
from accountant_posterior.inference.priors import MomentsPrior, ScaledPrior
from accountant_posterior.inference.truncation import log_gamma_above, log_gamma_below
from accountant_posterior.studies.marginals import MarginalLaws, Readings

_BUNDLE = 500
_PLACES, _VARIANCES, _PILOT = 256, 96, 240
_FAR = 25.0
"""So many scales of Laplace noise are kept on both sides, beyond which e^-25 of it is left."""
_WIDE = 9.0
"""The same in deviations of Gaussian noise."""
_FAINT = 1e-9
"""What a bundle leaves out of the law of the variance of any of its releases, on either side."""


@frozen
class Quadrature:
    """How the posterior of a release is integrated, on data moved to between 0 and 1.

    Guarantee: within what grids of `fineness` times the usual number of places leave; twice as fine tells how much that is.
    """

    release: BoundedMoments
    prior: MomentsPrior
    constrained: bool
    fineness: int = 1

    def __attrs_post_init__(self) -> None:
        self.prior.check(self.release, constrained=self.constrained)
        if not all(isinstance(noise, LaplaceNoise) for noise in self.release.noise):
            raise InvalidValue("posteriors are integrated for Laplace noise on mean and variance only; draw from others")
        if not self.constrained and self.prior.scaled(self.release).weight:
            raise InvalidValue("without constraints a posterior is integrated for priors that are flat in the mean only")
        if self.constrained and self.cap <= 0.25:
            raise InvalidValue(
                f"the noise on the variance of {self.release.count} values is too small to be integrated with the "
                "constraints of bounded data: its epsilon must stay below 2 (n - 1)/n; draw from the posterior instead"
            )

    @property
    def cap(self) -> float:
        """What sigma^2 stays below, as in the sampler: beyond it the data's variance has no law that can be integrated."""
        return 0.5 * (self.release.count - 1) * self._scales[1]

    @property
    def _scales(self) -> tuple[float, float]:
        mean, variance = self.release.unit_noise
        assert isinstance(mean, LaplaceNoise)
        assert isinstance(variance, LaplaceNoise)
        return mean.scale, variance.scale

    def readings(self, means: Floats, variances: Floats, level: float) -> tuple[Readings, Readings]:
        """What is read off the laws of mu and of sigma^2 given each noisy mean and variance."""
        order = np.argsort(means, kind="stable")
        bundles = [order[start : start + _BUNDLE] for start in range(0, len(order), _BUNDLE)]
        found = [self._bundle(means[bundle], variances[bundle]) for bundle in bundles]
        of_mean, of_variance = ([laws[place].readings(level) for laws in found] for place in (0, 1))
        return Readings.joined(of_mean, order), Readings.joined(of_variance, order)

    def _bundle(self, means: Floats, variances: Floats) -> tuple[MarginalLaws, MarginalLaws]:
        prior = self.prior.scaled(self.release)
        grid = self._variance_grid(variances, prior)
        return (
            self._bounded(means, variances, grid, prior) if self.constrained else self._free(means, variances, grid, prior)
        )

    def _variance_grid(self, seen: Floats, prior: ScaledPrior) -> _Cells:
        """Where sigma^2 may be for any of the releases, in cells that are even in its root."""
        top = min(0.25, self.cap) if self.constrained else self.cap
        pilot = _Cells.even_roots(0.0, top, _PILOT)
        logs = self._log_beside_mean(pilot.middles, seen, prior)
        if self.constrained:
            # Of the mean, the constraints leave an interval of this length.
            logs = logs + 0.5 * np.log(np.maximum(1.0 - 4.0 * pilot.middles, 1e-12))[:, np.newaxis]
        weights = np.exp(logs - logs.max(axis=0)) * pilot.widths[:, np.newaxis]
        below = np.cumsum(weights, axis=0) / weights.sum(axis=0)
        first = int(np.flatnonzero((below > _FAINT).any(axis=1))[0])
        last = int(np.flatnonzero((below < 1.0 - _FAINT).any(axis=1))[-1]) + 1
        edges = pilot.edges[max(first - 1, 0)], pilot.edges[min(last + 1, _PILOT - 1) + 1]
        return _Cells.even_roots(*edges, _VARIANCES * self.fineness)

    def _log_beside_mean(self, variances: Floats, seen: Floats, prior: ScaledPrior) -> Floats:
        """The logs of the prior of sigma^2, up to the mean's part, and of the chance of each noisy variance."""
        logs = self._log_prior(variances, prior)[:, np.newaxis]
        return np.asarray(logs + _Tables(self.release.count, 1.0 / self._scales[1], variances).log_whole(seen))

    def _log_prior(self, variances: Floats, prior: ScaledPrior) -> Floats:
        """The log of the prior density of sigma^2 where mu is as it is expected to be; half a power is the mean's."""
        spread = 0.5 * np.log(variances) if prior.weight else 0.0
        logs: Floats = -(prior.shape + 1.0) * np.log(variances) - prior.rate / variances + spread
        return logs

    def _bounded(self, means: Floats, seen: Floats, grid: _Cells, prior: ScaledPrior) -> tuple[MarginalLaws, MarginalLaws]:
        """Mu, sigma^2 and the data's moments all between what bounded data allow."""
        count = self.release.count
        places = self._window(means, grid, 0.0, 1.0)
        logs = -np.abs(places.middles[:, np.newaxis] - means[np.newaxis, :]) / self._scales[0]
        near = np.exp(logs - logs.max(axis=0))
        tops = np.maximum(count / (count - 1.0) * places.middles * (1.0 - places.middles), 1e-300)
        table = _Tables(count, 1.0 / self._scales[1], grid.middles)
        beside = self._log_prior(grid.middles, prior)
        of_mean = np.zeros((len(places.middles), len(means)))
        of_variance = np.empty((len(grid.middles), len(means)))
        factor = np.exp(beside - beside.max()) * grid.widths
        for index, (variance, weights) in enumerate(zip(grid.middles, table.rows(seen, tops), strict=True)):
            kernel = _steps(places, variance / count)
            half = np.sqrt(max(0.25 - variance, 0.0))
            allowed = _inside(places, 0.5 - half, 0.5 + half)
            if prior.weight:
                allowed = allowed * np.exp(-0.5 * prior.weight * (places.middles - prior.mean) ** 2 / variance)
                allowed = allowed / np.sqrt(variance)
            part = (factor[index] * allowed)[:, np.newaxis] * (kernel @ (near * weights))
            of_mean += part
            of_variance[index] = part.sum(axis=0) / grid.widths[index]
        still = np.zeros(len(means))
        return MarginalLaws(places.edges, of_mean.T, still), MarginalLaws(grid.edges, of_variance.T, still)

    def _free(self, means: Floats, seen: Floats, grid: _Cells, prior: ScaledPrior) -> tuple[MarginalLaws, MarginalLaws]:
        """Without constraints the noisy mean only moves the law of mu, where the prior says nothing about it."""
        count, scale = self.release.count, self._scales[0]
        logs = self._log_beside_mean(grid.middles, seen, prior)
        weights = np.exp(logs - logs.max(axis=0)) * grid.widths[:, np.newaxis]
        weights = weights / weights.sum(axis=0)
        reach = _FAR * scale + _WIDE * np.sqrt(grid.edges[-1] / count)
        places = _Cells.even(-reach, reach, 4 * _PLACES * self.fineness)
        kernel = _laplace_and_gaussian(places.middles[:, np.newaxis], scale, grid.middles[np.newaxis, :] / count)
        of_variance = MarginalLaws(grid.edges, (weights / grid.widths[:, np.newaxis]).T, np.zeros(len(means)))
        return MarginalLaws(places.edges, (kernel @ weights).T, means), of_variance

    def _window(self, means: Floats, grid: _Cells, low: float, high: float) -> _Cells:
        """Where mu and the data's mean may be for any of the releases."""
        reach = _FAR * self._scales[0] + _WIDE * np.sqrt(grid.edges[-1] / self.release.count)
        first = min(max(low, float(means.min()) - reach), high - min(reach, high - low))
        last = max(min(high, float(means.max()) + reach), low + min(reach, high - low))
        # Where noise is narrow beside the window, a place is kept for each quarter of its scale.
        number = max(_PLACES, min(8 * _PLACES, int(4.0 * (last - first) / self._scales[0])))
        return _Cells.even(first, last, number * self.fineness)


@frozen(eq=False)
class _Cells:
    """Cells side by side: their edges, middles and widths."""

    edges: Floats

    @classmethod
    def even(cls, low: float, high: float, number: int) -> _Cells:
        return cls(np.linspace(low, high, number + 1))

    @classmethod
    def even_roots(cls, low: float, high: float, number: int) -> _Cells:
        return cls(np.linspace(np.sqrt(low), np.sqrt(high), number + 1) ** 2)

    @property
    def middles(self) -> Floats:
        found: Floats = 0.5 * (self.edges[1:] + self.edges[:-1])
        return found

    @property
    def widths(self) -> Floats:
        return np.diff(self.edges)


class _Tables:
    """The data's variance integrated over, for each sigma^2: it is gamma, was seen with Laplace noise, and has a top.

    Definition: the integral from 0 to a top of r^a s^(a - 1) e^(-r s)/Gamma(a) e^(-l |s - seen|), with a = (n - 1)/2,
    r = a/sigma^2 and l one over the scale of the noise. Where `seen` is negative a factor e^(l seen) is left out, which no
    posterior depends on. Below `seen` the mass is that of a gamma law of rate r - l, above it of rate r + l.
    """

    def __init__(self, count: int, slope: float, variances: Floats) -> None:
        self.shape, self.slope = np.asarray(0.5 * (count - 1)), slope
        rate = self.shape / variances
        self.gentle, self.steep = rate - slope, rate + slope
        # The logs of what e^(+-l s) multiplies the whole mass by.
        self.below, self.above = self.shape * np.log(rate / self.gentle), self.shape * np.log(rate / self.steep)

    def log_whole(self, seen: Floats) -> Floats:
        """The logs of the integrals without a top: a row for each sigma^2, a column for each noisy variance."""
        under, over = self._logs(seen)
        return np.asarray(np.logaddexp(under, over))

    def _logs(self, seen: Floats) -> tuple[Floats, Floats]:
        """The logs of what lies below each noisy variance, and above it."""
        low = np.maximum(seen, 0.0)
        with np.errstate(divide="ignore"):
            under = log_gamma_below(self.shape, self.gentle[:, np.newaxis] * low) - self.slope * low
        over = log_gamma_above(self.shape, self.steep[:, np.newaxis] * low) + self.slope * low
        return under + self.below[:, np.newaxis], over + self.above[:, np.newaxis]

    def rows(self, seen: Floats, tops: Floats) -> Iterator[Floats]:
        """The integrals, for one sigma^2 after the other: a row for each top, a column for each noisy variance."""
        low = np.maximum(seen, 0.0)
        near_seen = zip(*map(np.exp, self._logs(seen)), strict=True)
        # Products of what depends on tops and on noisy variances; both are moved by what is usual, lest they overflow.
        usual = self.slope * float(np.median(low))
        falling, rising = (np.exp(np.clip(sign * (self.slope * low - usual), -600.0, 600.0)) for sign in (-1.0, 1.0))
        for index, (under, over) in enumerate(near_seen):
            with np.errstate(divide="ignore"):
                to_top = log_gamma_below(self.shape, self.gentle[index] * tops) + self.below[index] - usual
            beyond = log_gamma_above(self.shape, self.steep[index] * tops) + self.above[index] + usual
            first = np.outer(np.exp(np.minimum(to_top, 600.0)), falling)
            second = np.outer(np.exp(np.minimum(beyond, 600.0)), rising)
            yield np.minimum(under, first) + (over - np.minimum(over, second))


def _steps(places: _Cells, variance: float) -> Floats:
    """For each place the mass that a Gaussian law around it puts into each cell; the cells are even."""
    number, step = len(places.middles), float(places.widths[0])
    marks = special.ndtr((np.arange(-number, number + 1) + 0.5) * (step / np.sqrt(variance)))
    masses = np.diff(marks)  # mass of a cell that is -number + 1, ..., number cells away
    shifted = np.lib.stride_tricks.sliding_window_view(masses, number)[number - 1 :: -1][:number]
    return np.ascontiguousarray(shifted)


def _inside(places: _Cells, low: float, high: float) -> Floats:
    """The share of each cell that lies between two bounds."""
    covered = np.minimum(places.edges[1:], high) - np.maximum(places.edges[:-1], low)
    return np.clip(covered / places.widths, 0.0, 1.0)


def _laplace_and_gaussian(place: Floats, scale: float, variance: Floats) -> Floats:
    """The density of Laplace noise plus Gaussian noise."""
    total = np.zeros(np.broadcast_shapes(place.shape, variance.shape))
    for side in (place, -place):
        z = (variance / scale - side) / np.sqrt(2.0 * variance)
        near = np.exp(-(side**2) / (2.0 * variance)) * special.erfcx(np.maximum(z, 0.0))
        with np.errstate(over="ignore"):
            far = np.exp(np.minimum(0.5 * variance / scale**2 - side / scale, 0.0)) * special.erfc(np.minimum(z, 0.0))
        total += np.where(z > 0.0, near, far)
    return total / (4.0 * scale)
