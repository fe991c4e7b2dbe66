"""autodp, which composes Renyi divergences: upper ends only."""

from __future__ import annotations

import math
from typing import Any

from autodp import mechanism_zoo, transformer_zoo  # type: ignore[import-not-found]
from autodp.calibrator_zoo import eps_delta_calibrator  # type: ignore[import-not-found]
from jobs import Calibration, Curve, DiscreteGaussian, Epsilon, Gaussian, Laplace, Mechanism, Parts, Sampled

from systems.base import Answer, System, Unsupported


def mechanism_of(mechanism: Mechanism) -> Any:
    match mechanism:
        case Gaussian(sigma):
            return mechanism_zoo.GaussianMechanism(float(sigma))
        case Laplace(scale):
            return mechanism_zoo.LaplaceMechanism(float(scale))
        case DiscreteGaussian(variance):
            return mechanism_zoo.zCDP_Mechanism(float(1 / (2 * variance)), 0.0)
        case Sampled(sigma, rate):
            return sampled(float(sigma), float(rate))
        case _:
            raise Unsupported("no such noise")


def sampled(sigma: float, rate: float) -> Any:
    base = mechanism_zoo.GaussianMechanism(sigma)
    base.neighboring = "add_remove"
    return transformer_zoo.AmplificationBySampling(PoissonSampling=True)(base, rate, improved_bound_flag=True)


def composed(parts: Parts) -> Any:
    mechanisms = [mechanism_of(mechanism) for mechanism, _ in parts]
    return transformer_zoo.Composition()(mechanisms, [count for _, count in parts])


class Renyi(System):
    def epsilon(self, job: Epsilon) -> Answer:
        return Answer((float(composed(job.parts).get_approxDP(float(job.delta))),))

    def curve(self, job: Curve) -> Answer:
        total = composed(job.parts)
        return Answer(tuple(float(total.approx_delta(float(epsilon))) for epsilon in job.epsilons))

    def calibration(self, job: Calibration) -> Answer:
        def build(sigma: float) -> Any:
            total = transformer_zoo.Composition()([sampled(sigma, float(job.rate))], [job.steps])
            total.params = {"sigma": sigma}
            return total

        found = eps_delta_calibrator()(build, float(job.epsilon), float(job.delta), [0.5, 10.0])
        return Answer((math.nan if found is None else float(found.params["sigma"]),))


def system() -> System:
    return Renyi()
