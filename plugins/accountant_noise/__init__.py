"""Additive noise: Laplace, geometric, staircase, Gaussian, discrete Gaussian and Skellam."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_noise.discrete_gaussian import DiscreteGaussian
from accountant_noise.gaussian import Gaussian
from accountant_noise.geometric import Geometric
from accountant_noise.laplace import Laplace
from accountant_noise.moves import GATHERED
from accountant_noise.skellam import Skellam
from accountant_noise.staircase import Staircase

__all__ = ["DiscreteGaussian", "Gaussian", "Geometric", "Laplace", "Skellam", "Staircase"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Laplace, Geometric, Staircase, Gaussian, DiscreteGaussian, Skellam


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (GATHERED,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_noise.cases import cases
    from accountant_noise.oracles import oracles

    return [*oracles(), *cases()]
