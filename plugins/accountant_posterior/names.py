"""The names that the plugin offers in Python: imported by nobody until one of them is asked for."""

from typing import TYPE_CHECKING

from accountant_posterior.risk.bounds import (
    largest_epsilon as largest_epsilon,
    largest_fall as largest_fall,
    largest_rise as largest_rise,
)
from accountant_posterior.risk.budgets import (
    PerRelease as PerRelease,
    admitted_epsilon as admitted_epsilon,
    admitted_rho as admitted_rho,
    per_release as per_release,
    split_epsilon as split_epsilon,
)
from accountant_posterior.risk.custom import (
    Custom as Custom,
)
from accountant_posterior.risk.profiles import (
    BoxProfile as BoxProfile,
    Constant as Constant,
    Difference as Difference,
    FixedDisclosure as FixedDisclosure,
    FixedMembership as FixedMembership,
    LeeClifton as LeeClifton,
    Point as Point,
    Tabulated as Tabulated,
    TwoDimensional as TwoDimensional,
)
from accountant_posterior.risk.utility import (
    Utility as Utility,
    utility as utility,
)
from accountant_posterior.semantics.adversary import (
    ADVERSARIES as ADVERSARIES,
    BLOCK as BLOCK,
    INDEPENDENT as INDEPENDENT,
    STRONG as STRONG,
    Adversary as Adversary,
)
from accountant_posterior.semantics.bound import (
    PosteriorBound as PosteriorBound,
)
from accountant_posterior.semantics.converses import (
    FromDifferences as FromDifferences,
    from_differences as from_differences,
)
from accountant_posterior.semantics.counterfactual import (
    SETTINGS as SETTINGS,
    Compared as Compared,
    Counterfactual as Counterfactual,
    Setting as Setting,
)
from accountant_posterior.semantics.evidence import (
    Gain as Gain,
)
from accountant_posterior.semantics.law import (
    PosteriorLaw as PosteriorLaw,
)
from accountant_posterior.semantics.probabilistic import (
    Optimised as Optimised,
    approximate_epsilon as approximate_epsilon,
    chance_over_curve as chance_over_curve,
    concentrated_chance as concentrated_chance,
    concentrated_epsilon as concentrated_epsilon,
    failure_probability as failure_probability,
    from_bounded as from_bounded,
    gaussian_epsilon as gaussian_epsilon,
    one_sided_epsilon as one_sided_epsilon,
    over_curve as over_curve,
    probabilistic_epsilon as probabilistic_epsilon,
    zcdp_epsilon as zcdp_epsilon,
)
from accountant_posterior.semantics.semantics import (
    Semantics as Semantics,
)

if not TYPE_CHECKING:
    __all__ = [name for name in dir() if not name.startswith("_") and name != "TYPE_CHECKING"]
