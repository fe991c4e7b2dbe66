"""Privacy losses: what every mechanism becomes and every definition reads. Knows no definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant._lazy import lazy

if TYPE_CHECKING:
    from accountant.loss.analytic import Complexes, Moments, expm1, log_of_moments, uniform_fall
    from accountant.loss.atom_moments import AtomMoments
    from accountant.loss.atomic import AtomicLoss, Atoms
    from accountant.loss.atoms import atom_cells
    from accountant.loss.base import ROUNDOFF, TINY, Cells, Floats, PrivacyLoss
    from accountant.loss.bracket import BracketLoss
    from accountant.loss.capped import power_bounded, power_curve
    from accountant.loss.composition import ComposedLoss, compose
    from accountant.loss.cuts import CutLoss
    from accountant.loss.enclosure import enclosed, sides
    from accountant.loss.exchange import exchanged
    from accountant.loss.finite import NO_LOSS, TOTAL_LOSS, FiniteLoss
    from accountant.loss.gaussian import GaussianLoss
    from accountant.loss.mirrored import MirroredLoss
    from accountant.loss.mixture import MixtureLoss
    from accountant.loss.response import ResponseLoss
    from accountant.loss.sampled import SampledLoss
    from accountant.loss.symmetry import both_orders
    from accountant.loss.tangents import largest_ratio, log_odds, tangent_loss
    from accountant.loss.valley import lowest_place, lowest_value

__all__ = [
    "NO_LOSS",
    "ROUNDOFF",
    "TINY",
    "TOTAL_LOSS",
    "AtomMoments",
    "AtomicLoss",
    "Atoms",
    "BracketLoss",
    "Cells",
    "Complexes",
    "ComposedLoss",
    "CutLoss",
    "FiniteLoss",
    "Floats",
    "GaussianLoss",
    "MirroredLoss",
    "MixtureLoss",
    "Moments",
    "PrivacyLoss",
    "ResponseLoss",
    "SampledLoss",
    "atom_cells",
    "both_orders",
    "compose",
    "enclosed",
    "exchanged",
    "expm1",
    "largest_ratio",
    "log_odds",
    "log_of_moments",
    "lowest_place",
    "lowest_value",
    "power_bounded",
    "power_curve",
    "sides",
    "tangent_loss",
    "uniform_fall",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "analytic": ("Complexes", "Moments", "expm1", "log_of_moments", "uniform_fall"),
        "atom_moments": ("AtomMoments",),
        "atomic": ("AtomicLoss", "Atoms"),
        "atoms": ("atom_cells",),
        "base": ("ROUNDOFF", "TINY", "Cells", "Floats", "PrivacyLoss"),
        "bracket": ("BracketLoss",),
        "capped": ("power_bounded", "power_curve"),
        "composition": ("ComposedLoss", "compose"),
        "cuts": ("CutLoss",),
        "finite": ("NO_LOSS", "TOTAL_LOSS", "FiniteLoss"),
        "gaussian": ("GaussianLoss",),
        "mixture": ("MixtureLoss",),
        "mirrored": ("MirroredLoss",),
        "response": ("ResponseLoss",),
        "sampled": ("SampledLoss",),
        "symmetry": ("both_orders",),
        "tangents": ("largest_ratio", "log_odds", "tangent_loss"),
        "enclosure": ("enclosed", "sides"),
        "exchange": ("exchanged",),
        "valley": ("lowest_place", "lowest_value"),
    },
)
