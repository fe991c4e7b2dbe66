"""Zero-concentrated differential privacy: every Renyi divergence of order a is at most rho times a."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import CompositionRule, ConformanceCase, Conversion, Divergence, ParameterCase, hookimpl
from accountant_zcdp.definition import GROUP, ZcdpParameter, ZcdpSum, ZeroConcentrated

__all__ = ["ZcdpParameter", "ZcdpSum", "ZeroConcentrated"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (ZeroConcentrated(),)


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (ZcdpSum(),)


@hookimpl
def accountant_conversions() -> Iterable[Conversion]:
    from accountant_zcdp.conversions import ZcdpToApproxClassic, ZcdpToApproxOptimised

    return ZcdpToApproxClassic(), ZcdpToApproxOptimised()


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (GROUP,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for rho in ("0", "1e-4", "0.05", "1", "15.29"):
        yield ParameterCase(f"zcdp {rho}", "zcdp", ZcdpParameter(rho))
