"""Streams of answers with correlated noise: matrix mechanisms and binary trees."""

from __future__ import annotations

from collections.abc import Iterable

from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_streams.matrix import Matrix
from accountant_streams.tree import Tree

__all__ = ["Matrix", "Tree"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Matrix, Tree


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_streams.cases import cases
    from accountant_streams.oracles import oracles

    return *cases(), *oracles()
