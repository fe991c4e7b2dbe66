"""Streams of answers with correlated noise: matrix mechanisms and binary trees."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_streams.matrix import MATRIX, Matrix
from accountant_streams.tree import TREE, Tree

__all__ = ["Matrix", "Tree"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Matrix, Tree


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return MATRIX, TREE


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_streams.cases import cases

    return cases()
