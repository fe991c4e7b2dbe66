"""Selections: the exponential mechanism, permute-and-flip, report noisy max, and the sparse vector technique."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_selection.exponential import BOUNDED_RANGE, Exponential
from accountant_selection.permute_and_flip import PERMUTE_AND_FLIP, PermuteAndFlip
from accountant_selection.report_noisy_max import NOISY_MAX, ReportNoisyMax
from accountant_selection.sparse_vector import SPARSE_VECTOR, SparseVector

__all__ = ["Exponential", "PermuteAndFlip", "ReportNoisyMax", "SparseVector"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Exponential, PermuteAndFlip, ReportNoisyMax, SparseVector


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return BOUNDED_RANGE, PERMUTE_AND_FLIP, NOISY_MAX, SPARSE_VECTOR


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_selection.cases import cases

    return cases()
