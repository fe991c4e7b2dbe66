"""Differential privacy by the power of tests: at one level, along a whole curve, or along that of Gaussian noise."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import CompositionRule, ConformanceCase, Divergence, ParameterCase, hookimpl
from accountant_fdp.definition import COMPOUND, GROUPED_TESTS, PowerOfTests, PowerParameter
from accountant_fdp.gaussian import GaussianParameter, GaussianPrivacy, MuSquares

__all__ = ["GaussianParameter", "GaussianPrivacy", "MuSquares", "PowerOfTests", "PowerParameter"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return PowerOfTests(), GaussianPrivacy()


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (MuSquares(),)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return COMPOUND, GROUPED_TESTS


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for level, power in (("0.05", "0.05"), ("1/4", "1/2"), ("1e-6", "0.001")):
        yield ParameterCase(f"fdp {level} {power}", "fdp", PowerParameter(level, power))
    for mu in ("0", "1/1000", "0.5", "2.29", "12"):
        yield ParameterCase(f"gdp {mu}", "gdp", GaussianParameter(mu))
