"""Privacy relative to what is already public: Pufferfish and DPZ."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import ConformanceCase, Mechanism, Theorem, hookimpl
from accountant_pufferfish.conditional import CONDITIONAL, Conditional

__all__ = ["Conditional"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Conditional,)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (CONDITIONAL,)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_pufferfish.conditional import cases

    return cases()
