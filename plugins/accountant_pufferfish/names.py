"""The names that the plugin offers in Python: imported by nobody until one of them is asked for."""

from __future__ import annotations

from accountant_pufferfish.distance.counts import counts_distance, counts_radius
from accountant_pufferfish.distance.gaussian import GaussianRecords, Linear, gaussian_distance
from accountant_pufferfish.distance.wasserstein import Transport, line_distance, transport
from accountant_pufferfish.facts.blocks import Blocks, Independent
from accountant_pufferfish.facts.known_counts import KnownCounts
from accountant_pufferfish.facts.known_total import KnownTotal
from accountant_pufferfish.facts.listed import Listed, ListedLaw
from accountant_pufferfish.facts.shared_rate import SharedRate
from accountant_pufferfish.mechanisms.base_measures import dirichlet_multinomial, with_parts, with_total
from accountant_pufferfish.mechanisms.conditional import Conditional
from accountant_pufferfish.mechanisms.conditioned import Conditioned, condition
from accountant_pufferfish.mechanisms.wasserstein_exponential import WassersteinExponential
from accountant_pufferfish.mechanisms.wasserstein_noise import WassersteinNoise, noise_leak
from accountant_pufferfish.promises.bridge import ballwise_guarantee, pointwise_guarantee, pointwise_rate
from accountant_pufferfish.promises.composition import compose
from accountant_pufferfish.promises.enumeration import exact_guarantee, independent_guarantees
from accountant_pufferfish.promises.evidence import (
    Ballwise,
    Evidence,
    LowerOnly,
    MixtureOnly,
    Pointwise,
    RichScenarios,
    SecretIndependent,
)
from accountant_pufferfish.promises.exact import Leak, NothingLive, bayes_factors, leak, literal_leak
from accountant_pufferfish.promises.guarantee import CompositionError, PufferfishGuarantee
from accountant_pufferfish.promises.independence import Independence, secret_independent
from accountant_pufferfish.promises.narrowing import narrowed
from accountant_pufferfish.promises.richness import is_rich
from accountant_pufferfish.setting.dependence import farthest_apart, independence_block
from accountant_pufferfish.setting.families import independent_records
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.metric import HAMMING, Metric
from accountant_pufferfish.setting.odds import Odds, three_odds
from accountant_pufferfish.setting.public_variable import NOTHING, PublicVariable
from accountant_pufferfish.setting.scenarios import Scenarios
from accountant_pufferfish.setting.secret import ABSENT, Secret, SecretPair, bounded_pairs, record_is, unbounded_pairs
from accountant_pufferfish.setting.setting import Certified, LivePair, Setting
from accountant_pufferfish.setting.statistic import Statistic
from accountant_pufferfish.theorems import DEPENDENT_COUNTS, GAUSSIAN_RECORDS

__all__ = [
    "ABSENT",
    "DEPENDENT_COUNTS",
    "GAUSSIAN_RECORDS",
    "HAMMING",
    "NOTHING",
    "Ballwise",
    "Blocks",
    "Certified",
    "CompositionError",
    "Conditional",
    "Conditioned",
    "Evidence",
    "GaussianRecords",
    "Independence",
    "Independent",
    "KnownCounts",
    "KnownTotal",
    "Law",
    "Leak",
    "Linear",
    "Listed",
    "ListedLaw",
    "LivePair",
    "LowerOnly",
    "Metric",
    "MixtureOnly",
    "NothingLive",
    "Odds",
    "Pointwise",
    "PublicVariable",
    "PufferfishGuarantee",
    "RichScenarios",
    "Scenarios",
    "Secret",
    "SecretIndependent",
    "SecretPair",
    "Setting",
    "SharedRate",
    "Statistic",
    "Transport",
    "WassersteinExponential",
    "WassersteinNoise",
    "ballwise_guarantee",
    "bayes_factors",
    "bounded_pairs",
    "compose",
    "condition",
    "counts_distance",
    "counts_radius",
    "dirichlet_multinomial",
    "exact_guarantee",
    "farthest_apart",
    "gaussian_distance",
    "independence_block",
    "independent_guarantees",
    "independent_records",
    "is_rich",
    "leak",
    "line_distance",
    "literal_leak",
    "narrowed",
    "noise_leak",
    "pointwise_guarantee",
    "pointwise_rate",
    "record_is",
    "secret_independent",
    "three_odds",
    "transport",
    "unbounded_pairs",
    "with_parts",
    "with_total",
]
