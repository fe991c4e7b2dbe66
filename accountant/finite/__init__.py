"""The exact oracle: mechanisms on tiny finite domains, read by enumeration in rationals.

Every rule of the product is tested against it, so it shares nothing with the numerical engine except the
logarithm taken at the very end and the type of a finite loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant._lazy import lazy

if TYPE_CHECKING:
    from accountant.finite.domain import hamming, moves, multisets, sequences, subsets, symmetric_difference
    from accountant.finite.domination import dominating, dominating_both, dominating_loss
    from accountant.finite.mechanism import FiniteMechanism, exact_law
    from accountant.finite.operations import compose, compose_adaptively, mix, post_process, relabel, repeat
    from accountant.finite.pair import Pair
    from accountant.finite.readings import (
        Vacuous,
        Worst,
        delta,
        delta_at_ratio,
        lipschitz_epsilon,
        pure_epsilon,
        renyi,
        tradeoff,
    )
    from accountant.finite.specification import Comparison, FiniteSpecification
    from accountant.finite.table import TableMechanism

__all__ = [
    "Comparison",
    "FiniteMechanism",
    "FiniteSpecification",
    "Pair",
    "TableMechanism",
    "Vacuous",
    "Worst",
    "compose",
    "compose_adaptively",
    "delta",
    "delta_at_ratio",
    "dominating",
    "dominating_both",
    "dominating_loss",
    "exact_law",
    "hamming",
    "lipschitz_epsilon",
    "mix",
    "moves",
    "multisets",
    "post_process",
    "pure_epsilon",
    "relabel",
    "renyi",
    "repeat",
    "sequences",
    "subsets",
    "symmetric_difference",
    "tradeoff",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "domain": ("hamming", "moves", "multisets", "sequences", "subsets", "symmetric_difference"),
        "domination": ("dominating", "dominating_both", "dominating_loss"),
        "mechanism": ("FiniteMechanism", "exact_law"),
        "operations": ("compose", "compose_adaptively", "mix", "post_process", "relabel", "repeat"),
        "pair": ("Pair",),
        "readings": (
            "Vacuous",
            "Worst",
            "delta",
            "delta_at_ratio",
            "lipschitz_epsilon",
            "pure_epsilon",
            "renyi",
            "tradeoff",
        ),
        "specification": ("Comparison", "FiniteSpecification"),
        "table": ("TableMechanism",),
    },
)
