"""Differential privacy by the power of tests: at one level, along a whole curve, or along that of Gaussian noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import hookimpl

if TYPE_CHECKING:
    from accountant import Theorem
    from accountant.plugin import CompositionRule, ConformanceCase, Divergence
    from accountant_fdp.definition import PowerOfTests, PowerParameter
    from accountant_fdp.gaussian import GaussianParameter, GaussianPrivacy, MuSquares
else:

    def __getattr__(name: str) -> object:
        """The definitions by name, which a list of commands does not need."""
        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        from accountant_fdp import definition, gaussian

        return getattr(definition, name, None) or getattr(gaussian, name)


__all__ = ["GaussianParameter", "GaussianPrivacy", "MuSquares", "PowerOfTests", "PowerParameter"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    from accountant_fdp.definition import PowerOfTests
    from accountant_fdp.gaussian import GaussianPrivacy

    return PowerOfTests(), GaussianPrivacy()


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    from accountant_fdp.gaussian import MuSquares

    return (MuSquares(),)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    from accountant_fdp.definition import COMPOUND, GROUPED_TESTS

    return COMPOUND, GROUPED_TESTS


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant.plugin import ParameterCase
    from accountant_fdp.definition import PowerParameter
    from accountant_fdp.gaussian import GaussianParameter

    for level, power in (("0.05", "0.05"), ("1/4", "1/2"), ("1e-6", "0.001")):
        yield ParameterCase(f"fdp {level} {power}", "fdp", PowerParameter(level, power))
    for mu in ("0", "1/1000", "0.5", "2.29", "12"):
        yield ParameterCase(f"gdp {mu}", "gdp", GaussianParameter(mu))
