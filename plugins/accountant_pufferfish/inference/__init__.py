"""Inference from a private release beside public information, and post-processing as the alternative it is compared with.

Nothing here certifies anything: these are tools for those who use what was released.
"""

from __future__ import annotations

from accountant_pufferfish.inference.allocation import CountLaw
from accountant_pufferfish.inference.congenial import CongenialCounts
from accountant_pufferfish.inference.draws import Draws, GeometricRelease, LogDensity, agreeing
from accountant_pufferfish.inference.enumeration import Experiment, FiniteModel
from accountant_pufferfish.inference.importance import Estimate, Weighted, importance_sample
from accountant_pufferfish.inference.projection import Contraction, Counts, nearest, projected, rounded
from accountant_pufferfish.inference.rejection import Accepted, SamplingForecast, forecast, rejection_sample

__all__ = [
    "Accepted",
    "CongenialCounts",
    "Contraction",
    "CountLaw",
    "Counts",
    "Draws",
    "Estimate",
    "Experiment",
    "FiniteModel",
    "GeometricRelease",
    "LogDensity",
    "SamplingForecast",
    "Weighted",
    "agreeing",
    "forecast",
    "importance_sample",
    "nearest",
    "projected",
    "rejection_sample",
    "rounded",
]
