"""f-divergences: privacy by total variation, relative entropy, chi-square and Hellinger distance."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import CompositionRule, ConformanceCase, Divergence, ParameterCase, hookimpl
from accountant_fdivergence.composition import (
    ChiSquareProduct,
    HellingerProduct,
    RelativeEntropySum,
    TotalVariationProduct,
)
from accountant_fdivergence.definitions import ChiSquare, Hellinger, RelativeEntropy, TotalVariation
from accountant_fdivergence.theorems import TRIANGLE

__all__ = ["ChiSquare", "Hellinger", "RelativeEntropy", "TotalVariation"]


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    return TotalVariation(), RelativeEntropy(), ChiSquare(), Hellinger()


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return RelativeEntropySum(), TotalVariationProduct(), HellingerProduct(), ChiSquareProduct()


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (TRIANGLE,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    for definition, values in (
        (TotalVariation(), ("0", "1/4", "1")),
        (RelativeEntropy(), ("0", "1/2")),
        (ChiSquare(), ("0", "1/2", "1000")),
        (Hellinger(), ("0", "1/4")),
    ):
        for value in values:
            yield ParameterCase(f"{definition.name} {value}", definition.name, definition.parameter(value))
