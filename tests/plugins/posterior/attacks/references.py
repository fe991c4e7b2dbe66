"""Count attacks in 40 digits by plain sums, written from the model and not from the code."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath as mp

from accountant import Interval
from accountant.plugin import Shift

RHO_BLOCK = Fraction("2.56") * Fraction(165, 4099) * Fraction(3945, 4097)
RHO_GROUP = Fraction("2.56") * Fraction(1256, 4099) * Fraction(1288, 4099)
ALONE = Shift.along([1])
REPLACED = Shift.along([1, -1])


def real(value: Fraction | int | str) -> mp.mpf:
    number = Fraction(value)
    return mp.mpf(number.numerator) / number.denominator


def within(interval: Interval, value: mp.mpf, width: float) -> bool:
    """Whether an interval holds a value and is no wider than stated, relative to it."""
    return mp.mpf(interval.lower) <= value <= mp.mpf(interval.upper) and interval.width <= width * float(abs(value))


def weights(scale: Fraction, reach: int) -> dict[int, mp.mpf]:
    """Normalised chances of discrete Gaussian noise."""
    found = {k: mp.exp(-(mp.mpf(k) ** 2) / (2 * real(scale))) for k in range(-reach, reach + 1)}
    total = mp.fsum(found.values())
    return {k: value / total for k, value in found.items()}


def posterior(prior: Fraction, scales: list[Fraction], noises: tuple[int, ...]) -> mp.mpf:
    """From the ratio of the two likelihoods at counts 1 + noise."""
    present = mp.exp(-mp.fsum(mp.mpf(z) ** 2 / (2 * real(s)) for z, s in zip(noises, scales, strict=True)))
    absent = mp.exp(-mp.fsum(mp.mpf(z + 1) ** 2 / (2 * real(s)) for z, s in zip(noises, scales, strict=True)))
    p = real(prior)
    return p * present / (p * present + (1 - p) * absent)


def outlook(prior: Fraction, scales: list[Fraction], reach: int) -> tuple[mp.mpf, mp.mpf]:
    """Mean posterior, and the chance that it is above one half, by summing over all noise."""
    laws = [weights(scale, reach) for scale in scales]
    mean, correct = [], []
    for noises in product(range(-reach, reach + 1), repeat=len(scales)):
        chance = mp.fprod(law[z] for law, z in zip(laws, noises, strict=True))
        value = posterior(prior, scales, noises)
        mean.append(chance * value)
        correct.append(chance if value > mp.mpf(1) / 2 + mp.mpf(10) ** -30 else mp.mpf(0))
    return mp.fsum(mean), mp.fsum(correct)
