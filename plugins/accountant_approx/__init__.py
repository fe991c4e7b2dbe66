"""Approximate differential privacy: pure differential privacy up to a probability delta."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import ConformanceCase, Divergence, ParameterCase, hookimpl
from accountant_approx.definition import CURVE, GROUP, Approx, ApproxParameter

__all__ = ["Approx", "ApproxParameter"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (Approx(),)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    from accountant_approx.composition import ADVANCED, BASIC, OPTIMAL

    return CURVE, GROUP, BASIC, ADVANCED, OPTIMAL


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for epsilon, delta in (("0", "1/10"), ("0.5", "1e-6"), ("3", "0.01"), ("20", "1e-30")):
        yield ParameterCase(f"approx {epsilon} {delta}", "approx", ApproxParameter(epsilon, delta))
