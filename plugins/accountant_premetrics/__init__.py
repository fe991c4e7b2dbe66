"""Other neighbours than the usual two: by a graph or the distance of values, by null records, by edges and nodes of graphs;
and the queries that know what these do to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import hookimpl

if TYPE_CHECKING:
    from accountant.plugin import ConformanceCase, Policy, Query


@hookimpl
def accountant_policies() -> Iterable[type[Policy]]:
    from accountant_premetrics.graphs import Edge, Node
    from accountant_premetrics.values import Blowfish, Metric
    from accountant_premetrics.zero_out import ZeroOut

    return Blowfish, Metric, ZeroOut, Edge, Node


@hookimpl
def accountant_queries() -> Iterable[type[Query]]:
    from accountant_premetrics.graph_queries import DegreeHistogram, EdgeCount, Triangles
    from accountant_premetrics.value_queries import AttributeSum, Thresholds

    return AttributeSum, Thresholds, EdgeCount, DegreeHistogram, Triangles


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_premetrics.oracles import oracles

    return oracles()
