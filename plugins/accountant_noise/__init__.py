"""Additive noise: Laplace and Gaussian."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import ConformanceCase, Mechanism, Theorem, hookimpl
from accountant_noise.gaussian import GAUSSIAN, Gaussian
from accountant_noise.laplace import LAPLACE, Laplace

__all__ = ["Gaussian", "Laplace"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Laplace, Gaussian


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return LAPLACE, GAUSSIAN


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_noise.cases import cases

    return cases()
