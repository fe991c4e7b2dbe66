"""What every installation knows: the usual neighbours, queries and samplings, the kinds that need no noise, and the ways to
write a report down. Always admitted, and registered through the same hooks as everything else.
"""

from __future__ import annotations

from collections.abc import Iterable

from accountant import accounting, ledger
from accountant.finite import TableMechanism
from accountant.plugin import (
    ADD_REMOVE,
    REPLACE_ONE,
    Claim,
    ConformanceCase,
    Mechanism,
    Query,
    Relation,
    Renderer,
    Report,
    Sampling,
    Theorem,
    Vector,
    hookimpl,
)
from accountant.report import HtmlRenderer, JsonRenderer, MarkdownRenderer, Summary, TextRenderer
from accountant_builtin.combinators import Mixture, PostProcessed
from accountant_builtin.queries import Count, Gradient, Histogram, Sum
from accountant_builtin.samplings import Poisson, WithoutReplacement
from accountant_builtin.statistics import CrossProduct, Mean, Proportion, Quantile, QuantileScores, Variance
from accountant_builtin.steps import NonPrivate, NoOperation
from accountant_builtin.theorems import POISSON_REPLACED


@hookimpl
def accountant_neighbours() -> Iterable[Relation]:
    return ADD_REMOVE, REPLACE_ONE


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    statistics = (CrossProduct, Mean, Proportion, Quantile, QuantileScores, Variance)
    return (Count, Gradient, Histogram, Sum, Vector, *statistics)


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Claim, NoOperation, NonPrivate, Mixture, PostProcessed, TableMechanism


@hookimpl
def accountant_samplings() -> Iterable[type[Sampling]]:
    return Poisson, WithoutReplacement


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (*accounting.FOUNDATIONS, *ledger.FOUNDATIONS, POISSON_REPLACED)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_builtin.cases import cases

    return cases()


@hookimpl
def accountant_reports() -> Iterable[Report]:
    return (Summary(),)


@hookimpl
def accountant_renderers() -> Iterable[Renderer]:
    return HtmlRenderer(), MarkdownRenderer(), JsonRenderer(), TextRenderer()
