"""OpenDP, which composes zCDP parameters of different kinds of noise: upper ends only."""

from __future__ import annotations

import math
from typing import Any

import opendp.prelude as dp  # type: ignore[import-not-found]
from jobs import DiscreteGaussian, Epsilon, Gaussian, Geometric, Laplace, Mechanism, Sampled, SampledLaplace

from systems.base import Answer, System, Unsupported

dp.enable_features("contrib")
_SPACE = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def measurement(mechanism: Mechanism) -> Any:
    """OpenDP's noise on floats and on integers has the same parameter; one space serves all."""
    match mechanism:
        case Gaussian(sigma):
            return dp.m.make_gaussian(*_SPACE, scale=float(sigma))
        case Laplace(scale) | Geometric(scale):
            return dp.c.make_pureDP_to_zCDP(dp.m.make_laplace(*_SPACE, scale=float(scale)))
        case DiscreteGaussian(variance):
            return dp.m.make_gaussian(*_SPACE, scale=math.sqrt(variance))
        case Sampled() | SampledLaplace():
            raise Unsupported("no sampling")


class ZeroConcentrated(System):
    def epsilon(self, job: Epsilon) -> Answer:
        measurements = [each for mechanism, count in job.parts for each in [measurement(mechanism)] * count]
        total = dp.c.make_zCDP_to_approxDP(dp.c.make_composition(measurements))
        return Answer((float(total.map(1.0).epsilon(float(job.delta))),))


def system() -> System:
    return ZeroConcentrated()
