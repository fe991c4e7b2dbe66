"""f-divergences: privacy by total variation, relative entropy, chi-square and Hellinger distance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import hookimpl

if TYPE_CHECKING:
    from accountant import Theorem
    from accountant.plugin import CompositionRule, ConformanceCase, Divergence


@hookimpl
def accountant_divergences() -> Iterable[Divergence]:
    from accountant_fdivergence.definitions import ChiSquare, Hellinger, RelativeEntropy, StatisticalDistance

    return StatisticalDistance(), RelativeEntropy(), ChiSquare(), Hellinger()


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    from accountant_fdivergence.composition import (
        ChiSquareProduct,
        HellingerProduct,
        RelativeEntropySum,
        StatisticalDistanceProduct,
    )

    return RelativeEntropySum(), StatisticalDistanceProduct(), HellingerProduct(), ChiSquareProduct()


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    from accountant_fdivergence.theorems import TRIANGLE

    return (TRIANGLE,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant.plugin import ParameterCase

    values = {
        "statistical-distance": ("0", "1/4", "1"),
        "relative-entropy": ("0", "1/2"),
        "chi-square": ("0", "1/2", "1000"),
        "hellinger": ("0", "1/4"),
    }
    for definition in accountant_divergences():
        for value in values[definition.name]:
            yield ParameterCase(f"{definition.name} {value}", definition.name, definition.parameter(value))
