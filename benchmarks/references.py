"""Reference answers, computed apart from every system: `python benchmarks/references.py` prints them.

Definition: delta(eps) = (1/2 pi i) int e^(-s eps) M(s)/(s (s + 1)) ds along Re s = c > 0, with M(s) = E_P[e^(s L)].

M is a product over releases. The line is cut where the integrand has vanished and summed by the trapezoid rule, once with a
quarter of the nodes to see that the answer stands still. This is a computation, not a bound, and no system shares its code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
from jobs import (
    JOBS,
    Calibration,
    DiscreteGaussian,
    Epsilon,
    Gaussian,
    Geometric,
    Laplace,
    Parts,
    Power,
    Sampled,
    SampledLaplace,
)
from numpy.typing import NDArray

Complexes = NDArray[np.complex128]
Floats = NDArray[np.float64]


def log_moments(parts: Parts, order: Complexes, back: bool) -> Complexes:
    """log E[e^(order L)] of all parts; `back` exchanges the two laws where that matters."""
    total = np.zeros_like(order)
    ratios, variances = [], []
    for mechanism, count in parts:
        match mechanism:
            case Gaussian(sigma):
                total += count * _gaussian(float(1 / sigma**2), order)
            case Laplace(scale):
                ratios += [float(1 / scale)] * count
            case DiscreteGaussian(variance):
                variances += [float(variance)] * count
            case Sampled(sigma, rate):
                total += count * _sampled(float(sigma), float(rate), order, back)
            case SampledLaplace(scale, rate):
                total += count * _sampled_laplace(float(scale), float(rate), order, back)
            case Geometric(scale):
                raise ValueError(f"a lattice is added up and not integrated: {scale}")
    if ratios:
        total += np.asarray([np.sum(_laplace(np.array(ratios), each)) for each in order])
    if variances:
        total += np.asarray([np.sum(_lattice(np.array(variances), each)) for each in order])
    return total


def _gaussian(mu_squared: float, order: Complexes) -> Complexes:
    return np.asarray(0.5 * mu_squared * order * (order + 1))


def _laplace(ratio: Floats, order: complex) -> Complexes:
    growth = (1 + order) * np.exp(order * ratio) + order * np.exp(-(1 + order) * ratio)
    return np.asarray(np.log(growth / (1 + 2 * order)))


def _lattice(variance: Floats, order: complex) -> Complexes:
    """The Gaussian's, times a ratio of two theta functions that is close to 1 where the line is not cut."""
    ratio, total = np.ones(variance.size, dtype=np.complex128), np.ones(variance.size)
    for harmonic in range(1, 6):
        decay = 2.0 * (math.pi * harmonic) ** 2 * variance
        turn = 2.0j * math.pi * harmonic * order
        for exponent in (turn, -turn):
            ratio += np.exp(np.minimum(exponent.real - decay, 50.0) + 1j * exponent.imag)
        total += 2.0 * np.exp(-decay)
    return np.asarray(0.5 / variance * order * (order + 1) + np.log(ratio / total))


def _sampled(sigma: float, rate: float, order: Complexes, back: bool) -> Complexes:
    """Quadrature over the noise: the trapezoid rule on an analytic integrand that vanishes at both ends.

    The first two terms of the expansion in the loss are taken out, so that large powers do not magnify rounding.
    """
    noise, step = np.linspace(-14.0 * sigma, 14.0 * sigma + 1.0 + 30.0 * sigma, 2001, retstep=True)
    plain = np.exp(-0.5 * (noise / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi)) * step
    loss = np.log1p(rate * np.expm1((2.0 * noise - 1.0) / (2.0 * sigma**2)))
    first = plain if back else plain * np.exp(loss)
    loss = -loss if back else loss
    return np.asarray([np.log1p(np.sum(first * np.expm1(each * loss))) for each in order])


def _sampled_laplace(scale: float, rate: float, order: Complexes, back: bool) -> Complexes:
    """Two atoms and the outcomes between them: E_Q[(P/Q)^(1 + order)], or E_Q[(P/Q)^-order] backwards."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    noise = np.concatenate([[0.0], 0.5 * (1.0 + nodes), [1.0]])
    inside = 0.25 / scale * weights * np.exp(-noise[1:-1] / scale)
    masses = np.concatenate([[0.5], inside, [0.5 * math.exp(-1 / scale)]])
    loss = np.log1p(rate * np.expm1((2.0 * noise - 1.0) / scale))
    return np.asarray([np.log1p(np.sum(masses * np.expm1((-each if back else 1 + each) * loss))) for each in order])


def geometric(scale: Fraction, count: int, delta: str) -> float:
    """Epsilon by adding up: the loss of one release is 1/scale or -1/scale, so that of all is a binomial."""
    goal, ratio = Decimal(delta), Decimal(scale.denominator) / Decimal(scale.numerator)
    with localcontext(Context(prec=60)):
        chance = 1 / (1 + (-ratio).exp())
        masses = [math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)]
        losses = [(2 * k - count) * ratio for k in range(count + 1)]
        low, high = Decimal(0), count * ratio
        for _ in range(80):
            middle = (low + high) / 2
            found = sum(
                (mass * (1 - (middle - loss).exp()) for mass, loss in zip(masses, losses, strict=True) if loss > middle),
                Decimal(0),
            )
            low, high = (middle, high) if found > goal else (low, middle)
    return float(high)


def power(parts: Parts, level: str) -> float:
    """The lowest value of delta(e) + e^e level over e, in the direction in which that is more."""
    share, found = float(Fraction(level)), []
    for back in (False, True):

        def height(place: float, back: bool = back) -> float:
            return line(parts, place, back, 401)(place) + math.exp(place) * share

        low, high = 1e-3, 5.0
        for _ in range(28):
            third = (high - low) / 3.0
            low, high = (low, high - third) if height(low + third) < height(high - third) else (low + third, high)
        found.append(height(0.5 * (low + high)))
    return max(found)


def line(parts: Parts, near: float, back: bool, nodes: int) -> Callable[[float], float]:
    """delta as a function of epsilon, along the line through the saddle point at `near`."""

    def height(real: float) -> float:
        value = log_moments(parts, np.array([complex(real)]), back)[0].real
        return float(value - real * near - math.log(real) - math.log1p(real))

    low, high = 1e-6, 1.0
    while height(2.0 * high) < height(high):
        high *= 2.0
    high *= 2.0
    for _ in range(40):
        third = (high - low) / 3.0
        low, high = (low, high - third) if height(low + third) < height(high - third) else (low + third, high)
    real, reach = 0.5 * (low + high), 1.0
    while (
        log_moments(parts, np.array([complex(real, reach)]), back)[0].real - height(real) - real * near > -50.0
        and reach < 1e5
    ):
        reach *= 1.5
    heights, step = np.linspace(0.0, reach, nodes, retstep=True)
    orders = np.asarray(real + 1j * heights, dtype=np.complex128)
    logs = log_moments(parts, orders, back) - np.log(orders) - np.log(orders + 1)
    weights = np.where(heights == 0.0, 0.5, 1.0) * step / math.pi

    def delta(epsilon: float) -> float:
        return float(np.sum(weights * np.exp(logs - orders * epsilon).real))

    return delta


def epsilon(parts: Parts, delta: str, back: bool = False, nodes: int = 2001) -> float:
    """Epsilon at a delta: the line is moved to the saddle point of each new answer."""
    goal = float(Fraction(delta))
    orders = np.geomspace(1e-3, 1e5, 161).astype(np.complex128)
    with np.errstate(over="ignore", invalid="ignore"):
        # Chernoff's bound lies above the answer, and not far.
        found = float(np.nanmin((log_moments(parts, orders, back).real - math.log(goal)) / orders.real))
    for _ in range(30):
        reading = line(parts, found, back, nodes)
        value = reading(found)
        slope = (reading(found + 1e-6) - value) / 1e-6
        move = (math.log(goal) - math.log(value)) * value / slope if value > 0.0 else 1.0
        found = max(found + max(-0.5 * found, min(move, found + 1.0)), 1e-3)
        if abs(move) < 1e-12 * found:
            break
    return found


def worst(parts: Parts, delta: str, nodes: int = 2001) -> float:
    sampling = any(isinstance(mechanism, Sampled | SampledLaplace) for mechanism, _ in parts)
    return max(epsilon(parts, delta, back, nodes) for back in ([False, True] if sampling else [False]))


def least_sigma(job: Calibration) -> float:
    low, high = 0.5, 10.0
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        parts: Parts = ((Sampled(Fraction(middle), job.rate), job.steps),)
        low, high = (middle, high) if worst(parts, job.delta, 401) > float(job.epsilon) else (low, middle)
    return high


def main() -> None:
    for job in JOBS.values():
        if isinstance(job, Epsilon) and isinstance(mechanism := job.parts[0][0], Geometric):
            found = geometric(mechanism.scale, job.parts[0][1], job.delta)
            print(f"{job.name:20} {found:.12f}  (given {job.reference})", flush=True)
        elif isinstance(job, Power):
            print(f"{job.name:20} {power(job.parts, job.level):.12f}  (given {job.reference})", flush=True)
        elif isinstance(job, Epsilon):
            values = [worst(job.parts, job.delta, nodes) for nodes in (501, 2001)]
            print(
                f"{job.name:20} {values[1]:.12f}  (with a quarter of the nodes {values[0]:.12f}; given {job.reference})",
                flush=True,
            )
        elif isinstance(job, Calibration):
            print(f"{job.name:20} {least_sigma(job):.9f}  (given {job.reference})", flush=True)


if __name__ == "__main__":
    main()
