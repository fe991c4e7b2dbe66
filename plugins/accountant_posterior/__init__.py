"""What a promise means for a person: posterior readings, risk profiles, count attacks, reports, and inference from what
was released."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant import Theorem
from accountant.plugin import Report, RiskProfile, hookimpl
from accountant_posterior.reports import BEST_GUESS, REPORTS
from accountant_posterior.risk import theorems as risk_theorems
from accountant_posterior.risk.bounds import largest_epsilon, largest_fall, largest_rise
from accountant_posterior.risk.budgets import PerRelease, admitted_epsilon, admitted_rho, per_release, split_epsilon
from accountant_posterior.risk.custom import Custom
from accountant_posterior.risk.profiles import (
    KINDS,
    BoxProfile,
    Constant,
    Difference,
    FixedDisclosure,
    FixedMembership,
    LeeClifton,
    Point,
    Tabulated,
    TwoDimensional,
)
from accountant_posterior.risk.utility import Utility, utility
from accountant_posterior.semantics.adversary import ADVERSARIES, BLOCK, INDEPENDENT, STRONG, Adversary
from accountant_posterior.semantics.bound import PosteriorBound
from accountant_posterior.semantics.converses import CONVERSE, FromDifferences, from_differences
from accountant_posterior.semantics.counterfactual import (
    COMPARISONS,
    SETTINGS,
    Compared,
    Counterfactual,
    Setting,
)
from accountant_posterior.semantics.evidence import Gain
from accountant_posterior.semantics.law import DOMINATING_LAW, EXACT_LAW, PosteriorLaw
from accountant_posterior.semantics.probabilistic import (
    FOUNDATIONS,
    Optimised,
    approximate_epsilon,
    chance_over_curve,
    concentrated_chance,
    concentrated_epsilon,
    failure_probability,
    from_bounded,
    gaussian_epsilon,
    one_sided_epsilon,
    over_curve,
    probabilistic_epsilon,
    zcdp_epsilon,
)
from accountant_posterior.semantics.semantics import READINGS, Semantics

if TYPE_CHECKING:
    import click

__all__ = [
    "ADVERSARIES",
    "BLOCK",
    "INDEPENDENT",
    "SETTINGS",
    "STRONG",
    "Adversary",
    "BoxProfile",
    "Compared",
    "Constant",
    "Counterfactual",
    "Custom",
    "Difference",
    "FixedDisclosure",
    "FixedMembership",
    "FromDifferences",
    "Gain",
    "LeeClifton",
    "Optimised",
    "PerRelease",
    "Point",
    "PosteriorBound",
    "PosteriorLaw",
    "Semantics",
    "Setting",
    "Tabulated",
    "TwoDimensional",
    "Utility",
    "admitted_epsilon",
    "admitted_rho",
    "approximate_epsilon",
    "chance_over_curve",
    "concentrated_chance",
    "concentrated_epsilon",
    "failure_probability",
    "from_bounded",
    "from_differences",
    "gaussian_epsilon",
    "largest_epsilon",
    "largest_fall",
    "largest_rise",
    "one_sided_epsilon",
    "over_curve",
    "per_release",
    "probabilistic_epsilon",
    "split_epsilon",
    "utility",
    "zcdp_epsilon",
]


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (
        *FOUNDATIONS,
        CONVERSE,
        *READINGS,
        *COMPARISONS,
        DOMINATING_LAW,
        EXACT_LAW,
        BEST_GUESS,
        *risk_theorems.FOUNDATIONS,
    )


@hookimpl
def accountant_risk_profiles() -> Iterable[type[RiskProfile]]:
    return KINDS


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant_posterior.risk.recommend import command

    return (command,)


@hookimpl
def accountant_reports() -> Iterable[Report]:
    return REPORTS
