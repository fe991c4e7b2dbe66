"""Additive noise: Laplace, Gaussian and discrete Gaussian."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import ConformanceCase, Mechanism, Theorem, hookimpl
from accountant_noise.discrete_gaussian import DISCRETE_GAUSSIAN, DiscreteGaussian
from accountant_noise.gaussian import GAUSSIAN, Gaussian
from accountant_noise.laplace import LAPLACE, Laplace

__all__ = ["DiscreteGaussian", "Gaussian", "Laplace"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Laplace, Gaussian, DiscreteGaussian


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return LAPLACE, GAUSSIAN, DISCRETE_GAUSSIAN


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_noise.cases import cases

    return cases()
