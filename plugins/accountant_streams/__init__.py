"""Streams of answers with correlated noise: matrix mechanisms and binary trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import ConformanceCase, Mechanism, hookimpl

if TYPE_CHECKING:
    from accountant_streams.matrix import Matrix
    from accountant_streams.tree import Tree
else:

    def __getattr__(name: str) -> object:
        """The mechanisms by name, which a list of commands does not need."""
        known = {kind.__name__: kind for kind in accountant_mechanisms()}
        if name not in known:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return known[name]


__all__ = ["Matrix", "Tree"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    from accountant_streams.matrix import Matrix
    from accountant_streams.tree import Tree

    return Matrix, Tree


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_streams.cases import cases
    from accountant_streams.oracles import oracles

    return *cases(), *oracles()
