"""What every installation knows without plugins: the usual neighbours and queries, and the kinds that need no noise.

Registered through the same hooks as everything else.
"""

from __future__ import annotations

from collections.abc import Iterable

from accountant.builtin import combinators, mechanisms, queries, relations, samplings
from accountant.builtin.html import HtmlRenderer
from accountant.builtin.json_data import JsonRenderer
from accountant.builtin.markdown import MarkdownRenderer
from accountant.builtin.summary import Summary
from accountant.builtin.text import TextRenderer
from accountant.builtin.theorems import THEOREMS
from accountant.conformance import ConformanceCase
from accountant.finite.table import TableMechanism
from accountant.hookspecs import hookimpl
from accountant.mechanism import Mechanism
from accountant.neighbours import Relation
from accountant.query import Query
from accountant.report import Renderer, Report
from accountant.sampling import Sampling
from accountant.theorem import Theorem


@hookimpl
def accountant_neighbours() -> Iterable[Relation]:
    return relations.ADD_REMOVE, relations.REPLACE_ONE


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    return queries.Count, queries.Histogram, queries.Sum, queries.Vector


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (
        mechanisms.Claim,
        mechanisms.NoOperation,
        mechanisms.NonPrivate,
        combinators.Mixture,
        combinators.PostProcessed,
        TableMechanism,
    )


@hookimpl
def accountant_samplings() -> Iterable[type[Sampling]]:
    return samplings.Poisson, samplings.WithoutReplacement


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return THEOREMS


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    return (*mechanisms.cases(), *combinators.cases())


@hookimpl
def accountant_reports() -> Iterable[Report]:
    return (Summary(),)


@hookimpl
def accountant_renderers() -> Iterable[Renderer]:
    return HtmlRenderer(), JsonRenderer(), MarkdownRenderer(), TextRenderer()
