"""dp-accounting with privacy loss distributions at its defaults: upper ends only.

Discrete Gaussians have no event in this version. They are built as distributions, with the tighter of its two methods.
"""

from __future__ import annotations

import math
from typing import Any

import dp_accounting  # type: ignore[import-not-found]
from dp_accounting import pld
from jobs import (
    Calibration,
    Curve,
    DiscreteGaussian,
    Epsilon,
    Gaussian,
    Geometric,
    Laplace,
    Mechanism,
    Parts,
    Sampled,
    SampledLaplace,
)

from systems.base import Answer, System

_LAW = pld.privacy_loss_distribution


def distribution(mechanism: Mechanism) -> Any:
    match mechanism:
        case Gaussian(sigma):
            return _LAW.from_gaussian_mechanism(float(sigma))
        case Laplace(scale):
            return _LAW.from_laplace_mechanism(float(scale))
        case DiscreteGaussian(variance):
            return _LAW.from_discrete_gaussian_mechanism(math.sqrt(variance), use_connect_dots=True)
        case Sampled(sigma, rate):
            return _LAW.from_gaussian_mechanism(float(sigma), sampling_prob=float(rate))
        case SampledLaplace(scale, rate):
            return _LAW.from_laplace_mechanism(float(scale), sampling_prob=float(rate))
        case Geometric(scale):
            return _LAW.from_discrete_laplace_mechanism(float(1 / scale))


def composed(parts: Parts) -> Any:
    """What the accountant does with the same events in this order."""
    total = _LAW.identity()
    for mechanism, count in parts:
        each = distribution(mechanism)
        total = total.compose(each.self_compose(count) if count > 1 else each)
    return total


class PrivacyLossDistributions(System):
    def epsilon(self, job: Epsilon) -> Answer:
        return Answer((composed(job.parts).get_epsilon_for_delta(float(job.delta)),))

    def curve(self, job: Curve) -> Answer:
        deltas = composed(job.parts).get_delta_for_epsilon([float(epsilon) for epsilon in job.epsilons])
        return Answer(tuple(map(float, deltas)))

    def calibration(self, job: Calibration) -> Answer:
        def event(sigma: float) -> Any:
            step = dp_accounting.PoissonSampledDpEvent(float(job.rate), dp_accounting.GaussianDpEvent(sigma))
            return dp_accounting.SelfComposedDpEvent(step, job.steps)

        bracket = dp_accounting.LowerEndpointAndGuess(0.5, 1.0)
        sigma = dp_accounting.calibrate_dp_mechanism(
            pld.PLDAccountant, event, float(job.epsilon), float(job.delta), bracket, tol=job.tolerance
        )
        return Answer((sigma,))


def system() -> System:
    return PrivacyLossDistributions()
