"""Renyi differential privacy: the Renyi divergence of one order is at most gamma."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import CompositionRule, ConformanceCase, Conversion, Divergence, ParameterCase, hookimpl
from accountant_renyi.definition import GROUP, Renyi, RenyiParameter, RenyiSum

__all__ = ["Renyi", "RenyiParameter", "RenyiSum"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (Renyi(),)


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (RenyiSum(),)


@hookimpl
def accountant_conversions() -> Iterable[Conversion]:
    from accountant_renyi.conversions import RenyiToApproxClassic, RenyiToApproxImproved

    return RenyiToApproxClassic(), RenyiToApproxImproved()


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (GROUP,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for order, gamma in (("2", "0"), ("3/2", "0.5"), ("8", "1"), ("64", "1/1000")):
        yield ParameterCase(f"renyi {order} {gamma}", "renyi", RenyiParameter(order, gamma))
