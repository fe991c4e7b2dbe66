"""References for privacy losses, written apart from the code under test: 200-digit arithmetic and exact enumeration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath as mp

from accountant.numbers.interval import Interval

PLACES = 200
mp.mp.dps = PLACES  # for what modules compute when they are loaded; tests have it from a fixture

Real = Any
Pair = tuple[Real, Real]


def real(value: object) -> Real:
    if isinstance(value, str):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / value.denominator
    return mp.mpf(value)


def encloses(interval: Interval, truth: Real) -> bool:
    """Whether an interval contains a reference value, itself good to 150 places."""
    low, high = mp.mpf(interval.lower), mp.mpf(interval.upper)
    doubt = mp.mpf(10) ** -150
    return bool(low <= truth + doubt and truth - doubt <= high)


# Gaussian --------------------------------------------------------------------------------------------------------


def normal_tail(z: Real) -> Real:
    return mp.erfc(z / mp.sqrt(2)) / 2


def gaussian_delta(mu_squared: object, epsilon: object) -> Real:
    with mp.workdps(mp.mp.dps + 100):
        mu, point = mp.sqrt(real(mu_squared)), real(epsilon)
        return +(normal_tail(point / mu - mu / 2) - mp.exp(point) * normal_tail(point / mu + mu / 2))


def gaussian_tradeoff(mu_squared: object, level: object) -> Real:
    x, mu = real(level), mp.sqrt(real(mu_squared))
    quantile = root(lambda z: normal_tail(z) - x, -mp.mpf(60), mp.mpf(60))
    return 1 - normal_tail(quantile - mu)


def root(falling: Callable[[Real], Real], low: Real, high: Real) -> Real:
    """Where a falling function crosses 0, by bisection."""
    for _ in range(600):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


# Atoms -----------------------------------------------------------------------------------------------------------


def response_atoms(epsilon: object, delta: object = 0) -> list[Pair]:
    """Randomised response: (P, Q) masses of its outcomes."""
    point, lost = real(epsilon), real(delta)
    likely = (1 - lost) / (1 + mp.exp(-point))
    rare = (1 - lost) / (1 + mp.exp(point))
    return [(lost, mp.mpf(0)), (likely, rare), (rare, likely), (mp.mpf(0), lost)]


def exact_atoms(pairs: Iterable[tuple[object, object]]) -> list[Pair]:
    return [(real(p), real(q)) for p, q in pairs]


def product_atoms(parts: Sequence[tuple[Sequence[Pair], int]]) -> list[Pair]:
    """All outcomes of independent parts, each taken `count` times, one by one."""
    outcomes: list[Pair] = [(mp.mpf(1), mp.mpf(1))]
    for atoms, count in parts:
        for _ in range(count):
            outcomes = [(p * r, q * s) for (p, q), (r, s) in product(outcomes, atoms) if p * r or q * s]
    return outcomes


def atoms_delta(atoms: Iterable[Pair], epsilon: object) -> Real:
    factor = mp.exp(real(epsilon))
    return mp.fsum(max(p - factor * q, mp.mpf(0)) for p, q in atoms)


def atoms_tradeoff(atoms: Sequence[Pair], level: object) -> Real:
    """The Neyman-Pearson test: outcomes in order of falling likelihood ratio."""
    left, missed = real(level), mp.mpf(1)
    for p, q in sorted(atoms, key=lambda atom: -atom[0] / atom[1] if atom[1] else -mp.inf):
        share = mp.mpf(1) if q <= left else left / q
        left, missed = left - share * q, missed - share * p
        if share < 1:
            break
    return max(missed, mp.mpf(0))


def atoms_renyi(atoms: Iterable[Pair], order: object) -> Real:
    a = real(order)
    total = mp.mpf(0)
    for p, q in atoms:
        if p and not q:
            return mp.inf
        if p:
            total += p**a * q ** (1 - a)
    return mp.log(total) / (a - 1)


def response_delta(epsilon: object, count: int, point: object) -> Real:
    """delta of `count` randomised responses, as a sum over the binomial number of truthful answers."""
    eps, at = real(epsilon), real(point)
    log_p, log_q = -mp.log1p(mp.exp(-eps)), -mp.log1p(mp.exp(eps))
    total = mp.mpf(0)
    lowest = max(0, int(mp.floor((at / eps + count) / 2)) + 1)
    log_choose = mp.loggamma(count + 1)
    for k in range(lowest, count + 1):
        log_mass = log_choose - mp.loggamma(k + 1) - mp.loggamma(count - k + 1) + k * log_p + (count - k) * log_q
        term = mp.exp(log_mass) * -mp.expm1(at - (2 * k - count) * eps)
        total += term
        if k > count * mp.exp(log_p) and term < total * mp.mpf(10) ** -40:
            break
    return total


# Checks that tests and planted errors share ------------------------------------------------------------------------


def epsilon_faults(found: Interval, target: object, delta: Callable[[Real], Real]) -> list[str]:
    """What is wrong with an interval for the smallest epsilon >= 0 with delta(epsilon) <= target."""
    goal, faults = real(target), []
    doubt = mp.mpf(10) ** -150
    if found.upper < math.inf and delta(mp.mpf(found.upper)) > goal + doubt:
        faults.append(f"upper end {found.upper} is too small")
    if found.lower > 0.0 and delta(mp.mpf(min(found.lower, 1e6))) < goal - doubt:
        faults.append(f"lower end {found.lower} is too large")
    return faults


def delta_faults(found: Interval, truth: Real) -> list[str]:
    return [] if encloses(found, truth) else [f"[{found.lower}, {found.upper}] leaves out {mp.nstr(truth, 20)}"]
