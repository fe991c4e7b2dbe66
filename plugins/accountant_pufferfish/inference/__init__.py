"""Inference from a private release beside public information, and post-processing as the alternative it is compared with.

Nothing here certifies anything: these are tools for those who use what was released.
"""

from __future__ import annotations

from accountant_pufferfish.inference.allocation import Allocation
from accountant_pufferfish.inference.congenial import CongenialCounts
from accountant_pufferfish.inference.draws import Draws, GeometricRelease, LogDensity, agreeing
from accountant_pufferfish.inference.enumeration import Experiment, FiniteModel
from accountant_pufferfish.inference.importance import Estimate, Weighted, importance_sample
from accountant_pufferfish.inference.projection import Contraction, Counts, nearest, projected, rounded
from accountant_pufferfish.inference.rejection import Accepted, Forecast, forecast, rejection_sample

__all__ = [
    "Accepted",
    "Allocation",
    "CongenialCounts",
    "Contraction",
    "Counts",
    "Draws",
    "Estimate",
    "Experiment",
    "FiniteModel",
    "Forecast",
    "GeometricRelease",
    "LogDensity",
    "Weighted",
    "agreeing",
    "forecast",
    "importance_sample",
    "nearest",
    "projected",
    "rejection_sample",
    "rounded",
]
