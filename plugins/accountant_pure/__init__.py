"""Pure differential privacy: no output is more than e^epsilon times as likely under one dataset as under a neighbour."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import CompositionRule, ConformanceCase, Conversion, Divergence, ParameterCase, hookimpl
from accountant_pure.definition import GROUP, Pure, PureParameter, PureSum

__all__ = ["Pure", "PureParameter", "PureSum"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return (Pure(),)


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (PureSum(),)


@hookimpl
def accountant_conversions() -> Iterable[Conversion]:
    from accountant_pure.conversions import PureToApprox, PureToZcdpClassic, PureToZcdpTight

    return PureToApprox(), PureToZcdpClassic(), PureToZcdpTight()


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (GROUP,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for epsilon in ("0", "1/1000", "0.5", "3", "20"):
        yield ParameterCase(f"pure {epsilon}", "pure", PureParameter(epsilon))
