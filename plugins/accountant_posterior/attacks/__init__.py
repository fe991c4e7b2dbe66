"""Simulated attacks on noisy counts. They are evaluations of one attacker, never guarantees."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from accountant_posterior.attacks.allocation import RhoShares
from accountant_posterior.attacks.block import BlockAttack, block_attack
from accountant_posterior.attacks.channel import expected_posterior
from accountant_posterior.attacks.counts import Belief, CountAttack, NoisyCount, Outlook
from accountant_posterior.attacks.hierarchy import Level
from accountant_posterior.attacks.hierarchy_attack import HierarchyAttack
from accountant_posterior.attacks.losses import LossAttack
from accountant_posterior.attacks.parents import Exchangeable, Known, ParentPrior, Uniform, UniformUpTo
from accountant_posterior.attacks.projection import ProjectionAttack
from accountant_posterior.attacks.scenario import (
    ATTRIBUTE,
    BLOCK,
    HONESTY,
    ONE_VARIABLE,
    PARTICIPATION,
    SCENARIOS,
    SIMULATED,
    AttackScenario,
)

__all__ = [
    "ATTRIBUTE",
    "BLOCK",
    "HONESTY",
    "ONE_VARIABLE",
    "PARTICIPATION",
    "SCENARIOS",
    "SIMULATED",
    "AttackScenario",
    "Belief",
    "BlockAttack",
    "CountAttack",
    "Exchangeable",
    "HierarchyAttack",
    "Known",
    "Level",
    "LossAttack",
    "NoisyCount",
    "Outlook",
    "ParentPrior",
    "ProjectionAttack",
    "RhoShares",
    "Uniform",
    "UniformUpTo",
    "block_attack",
    "expected_posterior",
]

if not TYPE_CHECKING:
    # A type checker is to know the names above only.

    def __getattr__(name: str) -> object:
        """The name that a prior had before; `Bounded` is a definition of privacy elsewhere."""
        if name == "Bounded":
            warnings.warn(f"{__name__}.Bounded is called {__name__}.UniformUpTo now", DeprecationWarning, stacklevel=2)
            return UniformUpTo
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
