"""Local noise: each unit randomises its own answer before anybody sees it. Also what shuffling such reports gains."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem
from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_response.estimate import ShareEstimate, estimate_share
from accountant_response.k_randomised_response import K_RESPONSE, KRandomisedResponse
from accountant_response.randomised_response import RESPONSE, RandomisedResponse
from accountant_response.shuffle import SHUFFLE, Shuffle
from accountant_response.subset_selection import SUBSET, SubsetSelection
from accountant_response.unary_encoding import OPTIMISED_UNARY, UNARY, OptimisedUnaryEncoding, UnaryEncoding

__all__ = [
    "KRandomisedResponse",
    "OptimisedUnaryEncoding",
    "RandomisedResponse",
    "ShareEstimate",
    "Shuffle",
    "SubsetSelection",
    "UnaryEncoding",
    "estimate_share",
]


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return RandomisedResponse, KRandomisedResponse, SubsetSelection, UnaryEncoding, OptimisedUnaryEncoding, Shuffle


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return RESPONSE, K_RESPONSE, SUBSET, UNARY, OPTIMISED_UNARY, SHUFFLE


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_response.cases import cases

    return cases()
