"""Privacy relative to what is already public: Pufferfish and DPZ."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import ConformanceCase, Mechanism, Public, Theorem, hookimpl
from accountant_pufferfish.bridge import (
    ballwise_guarantee,
    exact_guarantee,
    independent_guarantees,
    pointwise_guarantee,
    pointwise_rate,
    relative_loss,
)
from accountant_pufferfish.composition import compose
from accountant_pufferfish.composition_error import CompositionError
from accountant_pufferfish.conditional import CONDITIONAL, Conditional
from accountant_pufferfish.dependence import farthest_apart, independence_block
from accountant_pufferfish.evidence import (
    Ballwise,
    Evidence,
    LowerOnly,
    MixtureOnly,
    Pointwise,
    RichScenarios,
    SecretIndependent,
)
from accountant_pufferfish.exact import Leak, Vacuous, bayes_factors, leak, literal_leak
from accountant_pufferfish.guarantee import PufferfishGuarantee
from accountant_pufferfish.independence import Independence, secret_independent
from accountant_pufferfish.law import Law
from accountant_pufferfish.metric import HAMMING, Metric
from accountant_pufferfish.odds import Odds, three_odds
from accountant_pufferfish.public_variable import NOTHING, PublicVariable
from accountant_pufferfish.richness import is_rich
from accountant_pufferfish.scenarios import Scenarios
from accountant_pufferfish.secret import ABSENT, Pair, Secret, bounded_pairs, record_is, unbounded_pairs
from accountant_pufferfish.setting import Certified, Comparison, Setting
from accountant_pufferfish.theorems import THEOREMS

__all__ = [
    "ABSENT",
    "HAMMING",
    "NOTHING",
    "Ballwise",
    "Certified",
    "Comparison",
    "CompositionError",
    "Conditional",
    "Evidence",
    "Independence",
    "Law",
    "Leak",
    "LowerOnly",
    "Metric",
    "MixtureOnly",
    "Odds",
    "Pair",
    "Pointwise",
    "PublicVariable",
    "PufferfishGuarantee",
    "RichScenarios",
    "Scenarios",
    "Secret",
    "SecretIndependent",
    "Setting",
    "Vacuous",
    "ballwise_guarantee",
    "bayes_factors",
    "bounded_pairs",
    "compose",
    "exact_guarantee",
    "farthest_apart",
    "independence_block",
    "independent_guarantees",
    "is_rich",
    "leak",
    "literal_leak",
    "pointwise_guarantee",
    "pointwise_rate",
    "record_is",
    "relative_loss",
    "secret_independent",
    "three_odds",
    "unbounded_pairs",
]


@hookimpl
def accountant_public() -> Iterable[type[Public]]:
    return ()


@hookimpl
def accountant_mechanisms() -> Iterable[type[Mechanism]]:
    return (Conditional,)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (*THEOREMS, CONDITIONAL)


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_pufferfish.conditional import cases

    return cases()
