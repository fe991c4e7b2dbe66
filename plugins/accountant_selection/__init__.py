"""Selections: the exponential mechanism, permute-and-flip, report noisy max, and the sparse vector technique."""

from __future__ import annotations

from collections.abc import Iterable

from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_selection.exponential import Exponential
from accountant_selection.permute_and_flip import PermuteAndFlip
from accountant_selection.report_noisy_max import ReportNoisyMax
from accountant_selection.sparse_vector import SparseVector

__all__ = ["Exponential", "PermuteAndFlip", "ReportNoisyMax", "SparseVector"]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return Exponential, PermuteAndFlip, ReportNoisyMax, SparseVector


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_selection.cases import cases
    from accountant_selection.oracles import oracles

    return *cases(), *oracles()
