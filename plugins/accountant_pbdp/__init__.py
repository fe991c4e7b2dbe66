"""Probabilistically bounded differential privacy: no analysis of the output loses more than epsilon, but with probability
delta."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import ConformanceCase, Divergence, ParameterCase, hookimpl
from accountant_pbdp.definition import GROUP, MOMENTS, Bounded, BoundedParameter

__all__ = ["Bounded", "BoundedParameter"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (Bounded(),)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return GROUP, MOMENTS


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for epsilon, delta in (("0.1", "1/10"), ("1.01", "0.02"), ("5", "1e-6"), ("20", "1e-10")):
        yield ParameterCase(f"pbdp {epsilon} {delta}", "pbdp", BoundedParameter(epsilon, delta))
