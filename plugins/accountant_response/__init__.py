"""Local noise: each unit randomises its own answer before anybody sees it. Also what shuffling such reports gains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant.plugin import ConformanceCase, Mechanism, hookimpl
from accountant_response.k_randomised_response import KRandomisedResponse
from accountant_response.randomised_response import RandomisedResponse
from accountant_response.shuffle import Shuffle
from accountant_response.subset_selection import SubsetSelection
from accountant_response.unary_encoding import OptimisedUnaryEncoding, UnaryEncoding

if TYPE_CHECKING:
    from accountant_response.estimate import ShareEstimate, estimate_share
else:

    def __getattr__(name: str) -> object:
        """What is estimated from reports, which hooks do not need."""
        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        from accountant_response import estimate

        return getattr(estimate, name)


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
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_response.cases import cases
    from accountant_response.oracles import oracles

    return [*oracles(), *cases()]
