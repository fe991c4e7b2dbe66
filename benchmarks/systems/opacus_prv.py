"""Opacus, which accounts for Gaussian noise on Poisson samples: upper ends only."""

from __future__ import annotations

from typing import Any

from jobs import Epsilon, Gaussian, Mechanism, Sampled

from systems.base import Answer, System, Unsupported
from systems.opacus_source import accountants

_PRV, _RDP = accountants()


def step(mechanism: Mechanism, count: int) -> tuple[float, float, int]:
    """One entry of an accountant's history."""
    match mechanism:
        case Gaussian(sigma):
            return float(sigma), 1.0, count
        case Sampled(sigma, rate):
            return float(sigma), float(rate), count
        case _:
            raise Unsupported("Gaussian noise only")


class Opacus(System):
    def __init__(self, accountant: Any) -> None:
        self.accountant = accountant

    def epsilon(self, job: Epsilon) -> Answer:
        account = self.accountant()
        account.history = [step(mechanism, count) for mechanism, count in job.parts]
        return Answer((float(account.get_epsilon(float(job.delta))),))


def system() -> System:
    return Opacus(_PRV)
