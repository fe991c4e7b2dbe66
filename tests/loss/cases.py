"""Compositions with references that the engine never saw, and what an engine gets wrong on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath as mp
from attrs import frozen

from accountant.errors import InvalidValue
from accountant.loss import ComposedLoss, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss
from tests.loss.references import (
    Pair,
    Real,
    atoms_delta,
    delta_faults,
    epsilon_faults,
    exact_atoms,
    gaussian_delta,
    normal_tail,
    product_atoms,
    real,
    response_atoms,
    response_delta,
)

Parts = Sequence[tuple[PrivacyLoss, int]]


@frozen
class Case:
    """A composition, its true delta, and where to read it."""

    name: str
    parts: Parts
    delta: Callable[[Any], Real]
    points: tuple[float, ...] = ()
    targets: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """Every reading that leaves out the truth, or has its ends in the wrong order."""
        loss = ComposedLoss.of(self.parts)
        found = []
        try:
            for point in self.points:
                wrong = delta_faults(loss.delta(point), self.delta(point))
                found += [f"{self.name}, delta({point}): {why}" for why in wrong]
            for target in self.targets:
                wrong = epsilon_faults(loss.epsilon(target), target, self.delta)
                found += [f"{self.name}, epsilon({target}): {why}" for why in wrong]
        except InvalidValue as crossed:
            found.append(f"{self.name}: two readings contradict each other ({crossed})")
        return found


def atoms_of(loss: PrivacyLoss) -> list[Pair]:
    if isinstance(loss, ResponseLoss):
        return response_atoms(loss.epsilon_parameter, loss.delta_parameter)
    assert isinstance(loss, FiniteLoss)
    return exact_atoms(loss.atoms)


def atomic(name: str, parts: Parts, points: tuple[float, ...] = (), targets: tuple[str, ...] = ()) -> Case:
    """A case of losses with few atoms: every outcome of the product is enumerated."""
    atoms = product_atoms([(atoms_of(loss), count) for loss, count in parts])
    return Case(name, parts, lambda point: atoms_delta(atoms, point), points, targets)


def with_gaussian(name: str, square: str, parts: Parts, points: tuple[float, ...], targets: tuple[str, ...] = ()) -> Case:
    """A Gaussian beside atoms: given the others' outcome (p, q), it is the Gaussian at epsilon - log p/q."""
    atoms = product_atoms([(atoms_of(loss), count) for loss, count in parts])
    mu = mp.sqrt(real(square))

    def delta(point: Any) -> Real:
        total = mp.mpf(0)
        for p, q in atoms:
            if p and not q:
                total += p
            elif p:
                left = (real(point) - mp.log(p / q)) / mu
                total += p * normal_tail(left - mu / 2) - mp.exp(real(point)) * q * normal_tail(left + mu / 2)
        return total

    return Case(name, [(GaussianLoss(square), 1), *parts], delta, points, targets)


def responses(epsilon: str, count: int, points: tuple[float, ...], targets: tuple[str, ...] = ()) -> Case:
    parts = [(ResponseLoss(epsilon), count)]
    return Case(f"{count} of response {epsilon}", parts, lambda at: response_delta(epsilon, count, at), points, targets)


def gaussians(square: str, count: int, points: tuple[float, ...], targets: tuple[str, ...]) -> Case:
    total = Fraction(square) * count
    parts = [(GaussianLoss(square), count)]
    return Case(f"{count} of Gaussian {square}", parts, lambda at: gaussian_delta(total, at), points, targets)


RARE = FiniteLoss([("1e-6", "1e-15"), (1 - Fraction(1, 10**6), 1 - Fraction(1, 10**15))])
SKEW = FiniteLoss([("1/2", "1/3"), ("1/2", "2/3")])
LEAKY = FiniteLoss([("1/100", 0), ("9/10", "1/2"), ("9/100", "1/4"), (0, "1/4")])


def quick_cases() -> list[Case]:
    """Small cases of every kind: cheap enough to run again under each planted error."""
    reverse = SKEW.reverse()
    return [
        gaussians("1/10000", 10000, (-1.0, 0.0, 2.0, 8.0), ("1e-6", "1e-14", "1e-30")),
        responses("0.1", 200, (-3.0, 0.0, 2.0, 6.5, 12.0), ("1e-6", "1e-20")),
        atomic("misaligned", [(ResponseLoss("0.3"), 2), (SKEW, 3), (reverse, 1)], (-1.0, 0.0, 0.4, 1.5), ("1e-3",)),
        atomic("leaky", [(LEAKY, 2), (ResponseLoss("0.25", "1e-4"), 2)], (-0.5, 0.3, 1.0, 40.0), ("0.1", "1e-9")),
        atomic("rare", [(RARE, 3), (ResponseLoss("0.5"), 2)], (0.2, 15.0, 41.0, 62.0), ("1e-8", "1e-13", "1e-19")),
        with_gaussian("mixed", "0.3", [(ResponseLoss("0.4"), 2), (SKEW, 2)], (-0.7, 0.5, 3.0, 9.0), ("1e-5", "1e-12")),
    ]


def faults(cases: Sequence[Case]) -> list[str]:
    return [fault for case in cases for fault in case.faults()]
