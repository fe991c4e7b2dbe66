"""The names that the plugin offers in Python: imported by nobody until one of them is asked for."""

from __future__ import annotations

from accountant_posterior.risk.bounds import largest_epsilon, largest_fall, largest_rise
from accountant_posterior.risk.budgets import PerRelease, admitted_epsilon, admitted_rho, per_release, split_epsilon
from accountant_posterior.risk.custom import Custom
from accountant_posterior.risk.profiles import (
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
from accountant_posterior.semantics.converses import FromDifferences, from_differences
from accountant_posterior.semantics.counterfactual import (
    SETTINGS,
    Compared,
    Counterfactual,
    Setting,
)
from accountant_posterior.semantics.evidence import Gain
from accountant_posterior.semantics.law import PosteriorLaw
from accountant_posterior.semantics.probabilistic import (
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
from accountant_posterior.semantics.semantics import Semantics

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
