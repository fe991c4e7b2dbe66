"""Oracles: how likely noise around an answer is above a threshold, by routes that no loss uses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from accountant.plugin import ConformanceCase, MechanismOracle
from accountant_noise.discrete_gaussian import DiscreteGaussian
from accountant_noise.gaussian import Gaussian
from accountant_noise.geometric import Geometric
from accountant_noise.laplace import Laplace
from accountant_noise.skellam import Skellam
from accountant_noise.staircase import Staircase

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_DIGITS = 50


def oracles() -> Iterable[ConformanceCase]:
    """One line of mathematics for every kind of noise."""
    yield MechanismOracle(Laplace.kind, tail=_laplace)
    yield MechanismOracle(Gaussian.kind, tail=_gaussian, instances=_independent)
    yield MechanismOracle(Geometric.kind, tail=_geometric)
    yield MechanismOracle(Staircase.kind, tail=_staircase)
    yield MechanismOracle(DiscreteGaussian.kind, tail=_discrete_gaussian)
    yield MechanismOracle(Skellam.kind, tail=_skellam)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _laplace(noise: Laplace, answer: Fraction, threshold: Fraction) -> Fraction:
    """e^-z/2 above the answer, z the distance in scales."""
    with localcontext() as context:
        context.prec = _DIGITS
        far = Fraction((-_decimal(abs(threshold - answer) / noise.scale)).exp()) / 2
    return far if threshold >= answer else 1 - far


def _geometric(noise: Geometric, answer: Fraction, threshold: Fraction) -> Fraction:
    """r^k/(1 + r) of k and more, r = e^(-1/scale)."""
    steps = math.floor(threshold - answer) + 1
    if steps <= 0:
        return 1 - _geometric(noise, Fraction(0), Fraction(-steps))
    with localcontext() as context:
        context.prec = _DIGITS
        ratio, far = (Fraction((-_decimal(power / noise.scale)).exp()) for power in (Fraction(1), Fraction(steps)))
    return far / (1 + ratio)


def _staircase(noise: Staircase, answer: Fraction, threshold: Fraction) -> Fraction:
    """What is left of the step that the threshold is in, and all whole steps beyond."""
    place = (threshold - answer) / noise.sensitivity
    if place < 0:
        return 1 - _staircase(noise, Fraction(0), -place * noise.sensitivity)
    step, gamma = math.floor(place), noise.gamma
    with localcontext() as context:
        context.prec = _DIGITS
        fall, fallen = (Fraction((-_decimal(noise.epsilon * power)).exp()) for power in (1, step))
    whole = gamma + fall * (1 - gamma)
    part = place - step
    left = gamma - part + fall * (1 - gamma) if part < gamma else fall * (1 - part)
    return (1 - fall) / (2 * whole) * fallen * (left + fall * whole / (1 - fall))


def _gaussian(noise: Gaussian, answer: Fraction, threshold: Fraction) -> Fraction:
    """A half less the series of the error function; far out the continued fraction of Laplace."""
    assert noise.sigma is not None
    place = (threshold - answer) / noise.sigma
    far = _normal_tail(abs(place))
    return far if place >= 0 else 1 - far


def _normal_tail(place: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = _DIGITS + 10
        z = _decimal(place)
        density = (-z * z / 2).exp() / (2 * _pi()).sqrt()
        if z > 8:
            # Each of the numerators 1, 2, 3, ... brings it nearer; the last few are enough for all digits.
            found = z
            for numerator in range(150, 0, -1):
                found = z + numerator / found
            return Fraction(density / found)
        term = total = z
        k = 0
        while abs(term) > Decimal(10) ** (-_DIGITS - 8):
            k += 1
            term = term * z * z / (2 * k + 1)
            total += term
        return Fraction(Decimal("0.5") - total * density)


def _discrete_gaussian(noise: DiscreteGaussian, answer: Fraction, threshold: Fraction) -> Fraction:
    variance = noise.variance if noise.sigma is None else noise.sigma**2
    assert variance is not None
    return _beyond(math.floor(threshold - answer), *_gaussian_weights(variance))


def _skellam(noise: Skellam, answer: Fraction, threshold: Fraction) -> Fraction:
    return _beyond(math.floor(threshold - answer), *_skellam_weights(noise.variance))


def _beyond(last: int, sums: list[Fraction], total: Fraction) -> Fraction:
    """The chance of whole noise above a number, by sums of weights from each number on."""
    if last < 0:
        return 1 - _beyond(-last - 1, sums, total)
    return (sums[last + 1] if last + 1 < len(sums) else Fraction(0)) / total


@cache
def _gaussian_weights(variance: Fraction) -> tuple[list[Fraction], Fraction]:
    """e^(-k^2/(2 variance)) added up from each k on, and over all k."""

    def weights() -> Iterable[Decimal]:
        weight, fall = Decimal(1), (-1 / (2 * _decimal(variance))).exp()
        faster = fall * fall
        while True:
            yield weight
            # From k^2 to (k + 1)^2 it is 2k + 1 further.
            weight, fall = weight * fall, fall * faster

    return _added(weights())


@cache
def _skellam_weights(variance: Fraction) -> tuple[list[Fraction], Fraction]:
    """I_k(variance) but for a factor, by I_(k - 1) = I_(k + 1) + 2k/variance I_k from far out, added up likewise."""
    with localcontext() as context:
        context.prec = 2 * _DIGITS
        far, found = 32, [Decimal(1)]
        # What the start has wrong is felt as much less as the weights are larger further in.
        while found[-1] < Decimal(10) ** (4 * _DIGITS):
            far, found = 2 * far, [Decimal(0), Decimal(1)]
            for k in range(far, 0, -1):
                found.append(found[-2] + 2 * k / _decimal(variance) * found[-1])
    return _added(reversed(found))


def _added(weights: Iterable[Decimal]) -> tuple[list[Fraction], Fraction]:
    """Weights of 0, 1, 2, ... added up from each on, and all of them; as far as they matter at so many digits."""
    with localcontext() as context:
        context.prec = 2 * _DIGITS
        found: list[Decimal] = []
        for weight in weights:
            found.append(weight)
            if weight < found[0] * Decimal(10) ** (-2 * _DIGITS):
                break
        sums, reached = [], Decimal(0)
        for weight in reversed(found):
            reached += weight
            sums.append(Fraction(reached))
    sums.reverse()
    return sums, sums[0] + (sums[1] if len(sums) > 1 else Fraction(0))


@cache
def _pi() -> Decimal:
    """pi by the mean of Gauss and Legendre, which doubles its digits with every step."""
    assert getcontext().prec >= _DIGITS
    one, other, sum_, power = Decimal(1), Decimal(1) / Decimal(2).sqrt(), Decimal("0.25"), 1
    for _ in range(7):
        one, other, before = (one + other) / 2, (one * other).sqrt(), one
        sum_, power = sum_ - power * (before - one) ** 2, 2 * power
    return (one + other) ** 2 / (4 * sum_)


def _independent() -> SearchStrategy[Any]:
    """Noise of its own in every coordinate: what an oracle for one coordinate speaks of."""
    from hypothesis import strategies as st

    small = st.sampled_from([Fraction(*ratio) for ratio in ((1, 1), (1, 2), (3, 1), (1, 10), (30, 1), (5, 4), (1000, 1))])
    return st.builds(Gaussian, small | st.fractions(Fraction(1, 20), 20, max_denominator=24))
