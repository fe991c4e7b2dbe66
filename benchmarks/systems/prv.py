"""prv-accountant at an error of 0.01 in epsilon: both ends.

It has no discrete Gaussian. Such releases are given as Gaussians of the same variance, which is all it can be asked.
"""

from __future__ import annotations

import math
from typing import Any

import prv_accountant  # type: ignore[import-not-found]
from jobs import Calibration, Curve, DiscreteGaussian, Epsilon, Gaussian, Laplace, Mechanism, Sampled
from prv_accountant import dpsgd

from systems.base import Answer, System, Unsupported

_ERROR = 0.01


def variable(mechanism: Mechanism) -> Any:
    match mechanism:
        case Gaussian(sigma):
            return prv_accountant.GaussianMechanism(float(sigma))
        case Laplace(scale):
            return prv_accountant.LaplaceMechanism(float(1 / scale))
        case DiscreteGaussian(variance):
            return prv_accountant.GaussianMechanism(math.sqrt(variance))
        case Sampled(sigma, rate):
            return prv_accountant.PoissonSubsampledGaussianMechanism(float(rate), float(sigma))
        case _:
            raise Unsupported("no such noise")


class PrivacyRandomVariables(System):
    def epsilon(self, job: Epsilon) -> Answer:
        counts = [count for _, count in job.parts]
        account = prv_accountant.PRVAccountant(
            [variable(mechanism) for mechanism, _ in job.parts], _ERROR, float(job.delta) / 1000, counts
        )
        lower, _, upper = account.compute_epsilon(float(job.delta), counts)
        return Answer((float(upper),), (float(lower),))

    def curve(self, job: Curve) -> Answer:
        counts = [count for _, count in job.parts]
        account = prv_accountant.PRVAccountant([variable(mechanism) for mechanism, _ in job.parts], _ERROR, 1e-8, counts)
        values = [account.compute_delta(float(epsilon), counts) for epsilon in job.epsilons]
        return Answer(tuple(value[2] for value in values), tuple(value[0] for value in values))

    def calibration(self, job: Calibration) -> Answer:
        sigma = dpsgd.find_noise_multiplier(float(job.rate), job.steps, float(job.epsilon), float(job.delta), _ERROR)
        return Answer((float(sigma),))


def system() -> System:
    return PrivacyRandomVariables()
