"""Random settings over the whole range that accounts are read in, the same ones every time."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from attrs import frozen

from accountant.loss import GaussianLoss, PrivacyLoss, ResponseLoss, SampledLoss
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss

SETTINGS = 2000
CHUNKS = 20
Parts = list[tuple[PrivacyLoss, int]]


@frozen
class Setting:
    """Releases with their counts, and the delta at which they are read."""

    number: int
    parts: Parts
    delta: Fraction

    def __str__(self) -> str:
        return f"{self.number}: {self.parts} at {float(self.delta):.3g}"


def setting(number: int) -> Setting:
    """Odd numbers are mixes of up to four families; every fourth one has few expected samples, so that losses are rare."""
    chance = random.Random(f"sweep {number}")
    rare = number % 4 < 2
    count = 1 if number % 2 == 0 else chance.randint(1, 4)
    # The first part of each is a sample, except in every sixth mix.
    kinds = ["sampled" if number % 2 == 0 or number % 12 != 1 else chance.choice(KINDS)]
    kinds += chance.sample([kind for kind in KINDS if kind not in kinds], count - 1)
    parts = [_part(kind, chance, rare) for kind in kinds]
    return Setting(number, parts, rounded(log_uniform(chance, 1e-30, 1e-2)))


KINDS = ["sampled", "gaussian", "laplace", "discrete gaussian", "response"]


def log_uniform(chance: random.Random, low: float, high: float) -> float:
    return math.exp(chance.uniform(math.log(low), math.log(high)))


def rounded(value: float) -> Fraction:
    """Two digits are enough for a parameter, and keep fractions short."""
    return Fraction(f"{value:.1e}")


def _part(kind: str, chance: random.Random, rare: bool) -> tuple[PrivacyLoss, int]:
    sigma = rounded(chance.uniform(0.3, 5.0))
    if kind == "sampled":
        rate = Fraction(1) if chance.random() < 0.05 else rounded(log_uniform(chance, 1e-6, 1.0))
        most = max(1.0, min(1e9, 3.0 / float(rate))) if rare else 1e9
        steps = round(log_uniform(chance, 1.0, most)) if most > 1.0 else 1
        base = GaussianLoss(1 / sigma**2)
        return (base, steps) if rate == 1 else (SampledLoss(base, rate, chance.random() < 0.5), steps)
    # Beside samples, what is released once or in bulk; a spread of the whole that readings can be told apart in.
    steps = round(log_uniform(chance, 1.0, 1e4))
    size = rounded(log_uniform(chance, 1e-3, 3.0) / math.sqrt(steps))
    if kind == "gaussian":
        return GaussianLoss(size**2), steps
    if kind == "laplace":
        return LaplaceLoss(size), steps
    if kind == "response":
        return ResponseLoss(size), steps
    return DiscreteGaussianLoss(rounded(min(1e6, max(0.05, 1.0 / float(size) ** 2))), chance.randint(1, 3)), steps
