"""PLD_accounting: both ends for Gaussian noise and for random allocation, upper ends for Poisson samples."""

from __future__ import annotations

from functools import reduce
from typing import Any

import PLD_accounting  # type: ignore[import-not-found]
from dp_accounting.pld import privacy_loss_distribution  # type: ignore[import-not-found]
from jobs import Allocation, Curve, Epsilon, Gaussian, Mechanism, Parts, Sampled, SampledLaplace

from systems.base import Answer, System, Unsupported

_LAW = privacy_loss_distribution


def distribution(mechanism: Mechanism) -> Any:
    match mechanism:
        case Sampled(sigma, rate):
            base, share = _LAW.from_gaussian_mechanism(float(sigma)), float(rate)
        case SampledLaplace(scale, rate):
            base, share = _LAW.from_laplace_mechanism(float(scale)), float(rate)
        case _:
            raise Unsupported("samples and allocations only")
    return PLD_accounting.subsample_pld(pld=base, sampling_probability=share)


def composed(parts: Parts) -> Any:
    laws = [distribution(mechanism).self_compose(count) for mechanism, count in parts]
    return reduce(lambda total, law: total.compose(law), laws)


class Allocated(System):
    def epsilon(self, job: Epsilon) -> Answer:
        match job.parts:
            case ((Gaussian(sigma), count),):
                return self._range(float(sigma), 1, count, job.delta)
        return Answer((float(composed(job.parts).get_epsilon_for_delta(float(job.delta))),))

    def curve(self, job: Curve) -> Answer:
        law = composed(job.parts)
        return Answer(tuple(float(law.get_delta_for_epsilon(float(epsilon))) for epsilon in job.epsilons))

    def allocation(self, job: Allocation) -> Answer:
        return self._range(float(job.sigma), job.steps, 1, job.delta)

    def _range(self, sigma: float, steps: int, epochs: int, delta: str) -> Answer:
        upper, lower = PLD_accounting.gaussian_allocation_epsilon_range(
            delta=float(delta), sigma=sigma, num_steps=steps, num_epochs=epochs
        )
        return Answer((float(upper),), (float(lower),))


def system() -> System:
    return Allocated()
