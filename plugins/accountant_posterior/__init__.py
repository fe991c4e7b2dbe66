"""What a promise means for a person: risk profiles, posterior readings, count attacks and reports."""

from __future__ import annotations

from collections.abc import Iterable

from accountant import Theorem, hookimpl
from accountant_posterior.adversary import ADVERSARIES, BLOCK, INDEPENDENT, STRONG, Adversary
from accountant_posterior.bound import PosteriorBound
from accountant_posterior.counterfactual import (
    COMPARISONS,
    SETTINGS,
    Compared,
    Counterfactual,
    Setting,
    concentrated_chance,
)
from accountant_posterior.evidence import DEPENDENT, Gain
from accountant_posterior.law import EXACT_LAW, PosteriorLaw
from accountant_posterior.probabilistic import (
    THEOREMS,
    Optimised,
    approximate_epsilon,
    chance_over_curve,
    concentrated_epsilon,
    failure_probability,
    from_bounded,
    gaussian_epsilon,
    one_sided_epsilon,
    over_curve,
    probabilistic_epsilon,
    zcdp_epsilon,
)
from accountant_posterior.semantics import READINGS, Semantics

__all__ = [
    "ADVERSARIES",
    "BLOCK",
    "INDEPENDENT",
    "SETTINGS",
    "STRONG",
    "Adversary",
    "Compared",
    "Counterfactual",
    "Gain",
    "Optimised",
    "PosteriorBound",
    "PosteriorLaw",
    "Semantics",
    "Setting",
    "approximate_epsilon",
    "chance_over_curve",
    "concentrated_chance",
    "concentrated_epsilon",
    "failure_probability",
    "from_bounded",
    "gaussian_epsilon",
    "one_sided_epsilon",
    "over_curve",
    "probabilistic_epsilon",
    "zcdp_epsilon",
]


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (*THEOREMS, *READINGS, *COMPARISONS, DEPENDENT, EXACT_LAW)
