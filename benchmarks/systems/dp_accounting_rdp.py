"""dp-accounting with Renyi divergences at its default orders: upper ends only."""

from __future__ import annotations

from typing import Any

import dp_accounting  # type: ignore[import-not-found]
from dp_accounting import rdp
from jobs import Calibration, Curve, DiscreteGaussian, Epsilon, Gaussian, Laplace, Mechanism, Parts, Sampled

from systems.base import Answer, System, Unsupported


def event(mechanism: Mechanism) -> Any:
    match mechanism:
        case Gaussian(sigma):
            return dp_accounting.GaussianDpEvent(float(sigma))
        case Laplace(scale):
            return dp_accounting.LaplaceDpEvent(float(scale))
        case DiscreteGaussian(variance):
            return dp_accounting.ZCDpEvent(float(1 / (2 * variance)))
        case Sampled(sigma, rate):
            return dp_accounting.PoissonSampledDpEvent(float(rate), dp_accounting.GaussianDpEvent(float(sigma)))
        case _:
            raise Unsupported("no such noise")


def accounted(parts: Parts) -> Any:
    account = rdp.RdpAccountant()
    for mechanism, count in parts:
        account.compose(event(mechanism), count)
    return account


class RenyiDivergences(System):
    def epsilon(self, job: Epsilon) -> Answer:
        return Answer((float(accounted(job.parts).get_epsilon(float(job.delta))),))

    def curve(self, job: Curve) -> Answer:
        account = accounted(job.parts)
        return Answer(tuple(float(account.get_delta(float(epsilon))) for epsilon in job.epsilons))

    def calibration(self, job: Calibration) -> Answer:
        def repeated(sigma: float) -> Any:
            step = dp_accounting.PoissonSampledDpEvent(float(job.rate), dp_accounting.GaussianDpEvent(sigma))
            return dp_accounting.SelfComposedDpEvent(step, job.steps)

        bracket = dp_accounting.LowerEndpointAndGuess(0.5, 1.0)
        sigma = dp_accounting.calibrate_dp_mechanism(
            rdp.RdpAccountant, repeated, float(job.epsilon), float(job.delta), bracket, tol=job.tolerance
        )
        return Answer((sigma,))


def system() -> System:
    return RenyiDivergences()
