"""Transforms of losses by their definitions, in long arithmetic: sums over atoms, and integrals by a rule of their own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import flint
import mpmath as mp
import numpy as np
from attrs import frozen

from accountant.loss import FiniteLoss, GaussianLoss, Moments, PrivacyLoss, ResponseLoss, SampledLoss
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.laplace_loss import LaplaceLoss
from tests.loss.references import Real, real

DIGITS, BITS = 40, 160
Transform = Callable[[Any], Any]
"""E_P[e^(zL)] at a complex z, given that the loss is finite; for a trimmed law, of what is kept of it."""


@frozen
class Known:
    """A loss, its moments as the engine has them, and its transform."""

    name: str
    loss: PrivacyLoss
    moments: Moments
    transform: Transform

    def difference(self, z: complex, value: complex) -> Real:
        """How far a logarithm is off, whole turns aside."""
        truth = mp.log(self.transform(mp.mpc(z)))
        gap = mp.mpc(value) - truth
        return abs(gap - 2j * mp.pi * mp.nint(gap.imag / (2 * mp.pi)))

    def log_size(self, z: complex) -> Real:
        """The logarithm of the size of the transform; -infinity where it vanishes."""
        size = abs(self.transform(mp.mpc(z)))
        return mp.log(size) if size else -mp.inf

    def deviation(self, tilt: float) -> Real:
        """The standard deviation under the law tilted by e^(tilt L): by differences, of the logarithm of the transform."""
        with mp.workdps(mp.mp.dps + 40):
            step, t = mp.mpf(10) ** -12, mp.mpf(tilt)
            low, here, high = (mp.log(self.transform(t + k * step).real) for k in (-1, 0, 1))
            return mp.sqrt((low - 2 * here + high) / step**2)


def of(name: str, loss: PrivacyLoss, transform: Transform, log_tail: float = -90.0) -> Known:
    family = loss.analytic()
    assert family is not None
    return Known(name, loss, family.of([loss]).trimmed(log_tail), transform)


def gaussian(square: str) -> Known:
    return of(f"Gaussian {square}", GaussianLoss(square), lambda z: mp.exp(real(square) * z * (z + 1) / 2))


def response(epsilon: str, delta: str = "0") -> Known:
    def transform(z: Any) -> Any:
        e = real(epsilon)
        return mp.exp(z * e) / (1 + mp.exp(-e)) + mp.exp(-z * e) / (1 + mp.exp(e))

    return of(f"response {epsilon}, {delta}", ResponseLoss(epsilon, delta), transform)


def finite(name: str, pairs: list[tuple[str, str]]) -> Known:
    def transform(z: Any) -> Any:
        kept = [(real(p), real(q)) for p, q in pairs if Fraction(p) and Fraction(q)]
        return mp.fsum(p * mp.exp(z * mp.log(p / q)) for p, q in kept) / mp.fsum(p for p, _ in kept)

    return of(f"atoms, {name}", FiniteLoss(pairs), transform)


def laplace(ratio: str) -> Known:
    """Two atoms and the density e^((l - ratio)/2)/4 between them."""

    def transform(z: Any) -> Any:
        r = real(ratio)
        between = mp.exp(-r / 2) / 4 * 2 * mp.sinh((z + mp.mpf(1) / 2) * r) / (z + mp.mpf(1) / 2)
        return mp.exp(z * r) / 2 + mp.exp(-r - z * r) / 2 + between

    return of(f"Laplace {ratio}", LaplaceLoss(ratio), transform)


def discrete_gaussian(variance: str, move: int) -> Known:
    """The sum over whole places, around where the tilted law has its mass; sizes down to e^-250 stay accurate."""

    def transform(z: Any) -> Any:
        z = mp.mpc(z)
        with mp.workdps(mp.mp.dps + 110):
            v = real(variance)
            reach = int(mp.sqrt(2 * v * mp.mp.dps * mp.log(10))) + 2
            centre = -int(z.real * move)
            return _lattice(v, centre, reach, move, z) / _lattice(v, 0, reach, move, mp.mpc(0))

    return of(f"discrete Gaussian {variance}, {move}", DiscreteGaussianLoss(variance, move), transform)


def _lattice(v: Real, centre: int, reach: int, move: int, z: Any) -> Any:
    """The sum of e^(-k^2/(2v) + z move (move - 2k)/(2v)) over places around a centre, each term from the one before."""
    first = centre - reach
    term = mp.exp((-(mp.mpf(first) ** 2) + z * move * (move - 2 * first)) / (2 * v))
    ratio, fall = mp.exp((-mp.mpf(2 * first + 1) - 2 * z * move) / (2 * v)), mp.exp(-1 / v)
    total = term
    for _ in range(2 * reach):
        term, ratio = term * ratio, ratio * fall
        total += term
    return total


# Gaussian noise on a sample -----------------------------------------------------------------------------------------------

_POINTS = 48
_PANELS = 2000


@cache
def gauss_legendre(count: int) -> list[tuple[flint.arb, flint.arb]]:
    """Nodes and weights on (-1, 1)."""
    with flint.ctx.workprec(BITS):
        return [flint.arb.legendre_p_root(count, k, weight=True) for k in range(count)]


def sampled(square: str, rate: str, swapped: bool, log_tail: float = -90.0) -> Known:
    """The integral of r^w against N(0, 1) over the outcomes that are kept."""
    loss = SampledLoss(GaussianLoss(square), rate, swapped)

    def transform(z: Any) -> Any:
        z = mp.mpc(z)
        bucket = 0 if z.imag == 0 else 4 ** int(mp.ceil(mp.log(max(abs(z.imag), 1)) / mp.log(4)))
        power = -z if swapped else 1 + z
        with flint.ctx.workprec(BITS):
            nodes = _nodes(square, rate, swapped, log_tail, bucket)
            exponent = flint.acb(power.real, power.imag)
            found = sum((weight * (exponent * log_ratio).exp() for log_ratio, weight in nodes), flint.acb(0))
            assert max(found.real.rad(), found.imag.rad()) < 1e-35 * (1 + abs(found))
            return mp.mpc(mp.mpf(found.real.mid()), mp.mpf(found.imag.mid()))

    side = "absent" if swapped else "present"
    return of(f"sampled {square}, {rate}, {side}", loss, transform, log_tail)


@cache
def _nodes(square: str, rate: str, swapped: bool, log_tail: float, height: int) -> list[tuple[flint.arb, flint.arb]]:
    """log r and the weight of every node, for heights up to a given one."""
    with mp.workdps(DIGITS):
        mu, q = mp.sqrt(real(square)), real(rate)
        low, high = sample_ends(square, swapped, log_tail)
        edges = [flint.arb(edge) for edge in _panels(low, high, mu, q, height)]
    move, share = (flint.fmpq(number.numerator, number.denominator) for number in (Fraction(square), Fraction(rate)))
    move, density = flint.arb(move).sqrt(), 1 / (2 * flint.arb.pi()).sqrt()
    return [
        ((share * (move * x - move * move / 2).expm1()).log1p(), weight * density * (-x * x / 2).exp())
        for left, right in pairwise(edges)
        for x, weight in _scaled(left, right)
    ]


def sample_ends(square: str, swapped: bool, log_tail: float) -> tuple[Real, Real]:
    """Between which outcomes a sampled law is kept."""
    reach = mp.sqrt(-2 * mp.mpf(log_tail))
    return -reach, reach + (0 if swapped else mp.sqrt(real(square)))


def _panels(low: Real, high: Real, mu: Real, rate: Real, height: int) -> list[Real]:
    """So narrow that log r turns by little across one, and stays clear of where r vanishes off the real line."""
    edges = [low]
    while edges[-1] < high:
        ahead = edges[-1] + 2 / max(mu, mp.mpf(1))
        growth = rate * mp.exp(mu * ahead - mu * mu / 2)
        share = growth / (1 - rate + growth)
        edges.append(edges[-1] + min(2, 2 / mu, 16 / (height * mu * share + mp.mpf(1) / 100)))
    return [*edges[:-1], high]


def _scaled(low: flint.arb, high: flint.arb) -> list[tuple[flint.arb, flint.arb]]:
    half = (high - low) / 2
    return [(low + half * (1 + x), half * weight) for x, weight in gauss_legendre(_POINTS)]


@frozen(eq=False)
class Dense:
    """A sampled law in doubles, on so many nodes that only rounding is left: good to 1e-11, and quick at many heights."""

    losses: Any
    chances: Any
    """Under the law tilted by e^(tilt L)."""
    highest: float
    """Up to where phases are followed."""

    @classmethod
    def of(cls, square: str, rate: str, swapped: bool, tilt: float, log_tail: float) -> Dense:
        """Panels that are even in outcomes and losses together: across none does a phase move by more than 4."""
        low, high = (float(end) for end in sample_ends(square, swapped, log_tail))
        mu, q = float(mp.sqrt(real(square))), float(real(rate))

        def log_ratio(x: Any) -> Any:
            return np.log1p(q * np.expm1(mu * x - 0.5 * mu * mu))

        fine = np.linspace(low, high, 20001)
        progress = (fine - low) / (high - low) + (log_ratio(fine) - log_ratio(low)) / (log_ratio(high) - log_ratio(low))
        edges = np.interp(np.linspace(0.0, 2.0, _PANELS + 1), progress, fine)
        x, w = np.polynomial.legendre.leggauss(8)
        half = 0.5 * np.diff(edges)[:, None]
        places = (edges[:-1, None] + half * (1.0 + x)).ravel()
        losses = (-1.0 if swapped else 1.0) * log_ratio(places)
        weights = (half * w).ravel() * np.exp(-0.5 * places**2 + (tilt + (0.0 if swapped else 1.0)) * losses)
        return cls(losses, weights / weights.sum(), 2.0 * _PANELS / float(np.ptp(losses)))

    def deviation(self) -> float:
        mean = float(self.chances @ self.losses)
        return float(np.sqrt(self.chances @ (self.losses - mean) ** 2))

    def sizes(self, heights: Any) -> Any:
        angles = (height * self.losses for height in heights)
        return np.array([np.hypot(self.chances @ np.cos(angle), self.chances @ np.sin(angle)) for angle in angles])


# What is tried ------------------------------------------------------------------------------------------------------------

ATOMS = [
    finite("two", [("1/5", "1/10"), ("4/5", "9/10")]),
    finite("even", [("1/2", "0.49"), ("1/2", "0.51")]),
    finite("rare", [("1e-6", "1e-15"), (str(1 - Fraction(1, 10**6)), str(1 - Fraction(1, 10**15)))]),
    finite("lost outright", [("1/100", "0"), ("9/10", "1/2"), ("9/100", "1/4"), ("0", "1/4")]),
    finite("tiny", [("1/2", "0.5000000001"), ("1/2", "0.4999999999")]),
]
PLAIN = [
    *(gaussian(square) for square in ("1e-9", "0.01", "1", "9")),
    *(response(*both) for both in (("1e-6", "0"), ("0.1", "0"), ("1", "1e-3"), ("3", "0.25"))),
    *ATOMS,
    *(laplace(ratio) for ratio in ("1e-6", "0.01", "0.5", "3")),
]
LATTICES = [
    discrete_gaussian(variance, move)
    for variance, move in [("0.02", 1), ("0.1", 2), ("0.2499", 3), ("0.25", 1), ("0.3", 2), ("1", 1), ("1.7", 3), ("4", 2)]
] + [discrete_gaussian(variance, move) for variance, move in [("60", 3), ("400", 1), ("1e4", 1), ("1e4", 3)]]
SAMPLES = [("1", "0.01"), ("0.04", "0.5"), ("11", "1e-3"), ("4", "0.9")]
SAMPLED = [sampled(square, rate, swapped) for square, rate in SAMPLES for swapped in (False, True)]
RARE = [sampled("1", "1e-6", False), sampled("1/4", "1e-5", True), sampled("2", "1e-4", False)]


def random_points(seed: int, count: int, highest: float, largest_tilt: float = 14.0) -> np.ndarray[Any, np.dtype[Any]]:
    """Points right of the imaginary axis, some of them real."""
    generator = np.random.default_rng(seed)
    tilts = np.exp(generator.uniform(np.log(1e-3), np.log(largest_tilt), count))
    heights = highest * generator.uniform(0.0, 1.0, count) ** 2 * generator.choice([-1.0, 1.0], count)
    heights[: max(1, count // 8)] = 0.0
    return (tilts + 1j * heights).astype(np.complex128)
