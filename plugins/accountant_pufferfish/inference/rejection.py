"""Exact draws from the posterior of a parameter given a private release and public information."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from accountant import InvalidValue
from accountant.loss import Floats
from accountant_pufferfish.inference.draws import Array, Draws, LogDensity, finite

_BATCH, _ROUNDED = 4096, 1e-12


@frozen(eq=False)
class Accepted:
    """Independent draws from the posterior, and how many proposals they took."""

    parameters: Array
    proposals: int

    @property
    def acceptance(self) -> float:
        """The share of proposals that were accepted."""
        return len(self.parameters) / self.proposals


@frozen
class SamplingForecast:
    """What rejection sampling will take, judged from a pilot.

    `acceptance` estimates E[pi(y | X*, z)]/C, which falls exponentially with the number of released cells. When
    `effective` is small, a few pilot draws carry the estimate and the truth may be far off on either side.
    """

    wanted: int
    acceptance: float
    effective: float

    @property
    def proposals(self) -> float:
        """About how many proposals are needed; infinite when no pilot draw could have produced the release."""
        return self.wanted / self.acceptance if self.acceptance else math.inf


def forecast(
    draws: Draws, log_density: LogDensity, log_ceiling: float, wanted: int, seed: int, pilot: int = _BATCH
) -> SamplingForecast:
    """How many proposals `rejection_sample` will need for as many draws as wanted."""
    _check(wanted, pilot)
    _, datasets = draws(np.random.default_rng(seed), pilot)
    ratios = np.exp(_log_ratios(log_density, datasets, log_ceiling))
    mean, square = float(ratios.mean()), float((ratios**2).mean())
    return SamplingForecast(wanted, mean, pilot * mean * mean / square if square else 0.0)


def rejection_sample(
    draws: Draws, log_density: LogDensity, log_ceiling: float, wanted: int, seed: int, most: int = 10_000_000
) -> Accepted:
    """Independent draws of theta given Y = y and Z = z.

    Definition: draw theta* from pi(theta | z), X* from pi(x | theta*, z) and U uniformly; accept theta* when
    U <= pi(y | X*, z)/C, where C bounds the density of the release over all data.
    `draws` makes the pairs (theta*, X*), `log_density` is x -> log pi(y | x, z), and `log_ceiling` is log C.
    The smaller C, the fewer proposals: data that the public value excludes need not be covered.
    Guarantee: the accepted draws follow the posterior exactly, up to the rounding of each comparison, when C holds. A draw
    whose density lies above C is an error, since draws that were accepted before it do not follow the posterior.
    """
    _check(wanted, most)
    generator = np.random.default_rng(seed)
    accepted: list[Array] = []
    found = proposals = 0
    mass = 0.0
    while found < wanted:
        if proposals >= most:
            raise InvalidValue(
                f"{found} of the {wanted} draws wanted were accepted within {proposals} proposals; about "
                f"{_count(wanted * proposals / mass if mass else math.inf)} are needed: raise 'most', condition on fewer "
                "released cells, or use importance_sample"
            )
        size = min(_BATCH, most - proposals)
        parameters, datasets = draws(generator, size)
        ratios = _log_ratios(log_density, datasets, log_ceiling)
        # Minus the logarithm of a uniform number is exponential; drawn as such it also reaches chances below 2^-53.
        hits = np.flatnonzero(-generator.standard_exponential(size) <= ratios)[: wanted - found]
        accepted.append(parameters[hits])
        mass += float(np.exp(ratios).sum())
        found += len(hits)
        proposals += size if found < wanted else int(hits[-1]) + 1
    return Accepted(np.concatenate(accepted), proposals)


def _log_ratios(log_density: LogDensity, datasets: Array, log_ceiling: float) -> Floats:
    if not math.isfinite(log_ceiling):
        raise InvalidValue(f"the ceiling must be the logarithm of a positive number, got {log_ceiling}")
    values = finite(log_density(datasets), len(datasets))
    highest = float(values.max())
    # Densities of vectors and of single datasets may differ in their last digits, and the ceiling may be one of the latter.
    if highest > log_ceiling + _ROUNDED * (1.0 + abs(log_ceiling)):
        raise InvalidValue(
            f"the log density of the release is {highest} at one of the draws, above the ceiling {log_ceiling}; give as "
            "'log_ceiling' the largest log density of the released value over all data, not over all outputs"
        )
    return np.minimum(values - log_ceiling, 0.0)


def _check(wanted: int, proposals: int) -> None:
    if wanted < 1 or proposals < 1:
        raise InvalidValue(f"expected at least one draw and one proposal, got {wanted} and {proposals}")


def _count(number: float) -> str:
    return f"{number:.2g}" if math.isfinite(number) else "infinitely many"
