"""Bridges from other libraries: the events of dp-accounting and the training histories of Opacus become plans. Neither
library is needed for it, and nothing that a file names is imported."""

from __future__ import annotations

from collections.abc import Iterable

from accountant.plugin import Bridge, ConformanceCase, hookimpl
from accountant_bridges.dp_accounting import DpAccounting
from accountant_bridges.opacus import Opacus

__all__ = ["DpAccounting", "Opacus"]


@hookimpl
def accountant_bridges() -> Iterable[Bridge]:
    return DpAccounting(), Opacus()


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_bridges.oracles import oracles

    return oracles()
