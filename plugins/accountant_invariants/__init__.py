"""Releases that keep some statistics exactly: permutation swapping."""

from __future__ import annotations

from collections.abc import Iterable

from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_invariants.published import published_epsilon
from accountant_invariants.stratum import Stratum
from accountant_invariants.swapping import Swapping

__all__ = ["Stratum", "Swapping", "published_epsilon"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Swapping,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_invariants.cases import cases

    return cases()
