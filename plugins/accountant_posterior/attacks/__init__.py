"""Simulated attacks on noisy counts. They are evaluations of one attacker, never guarantees."""

from __future__ import annotations

from accountant_posterior.attacks.allocation import Allocation
from accountant_posterior.attacks.block import BlockAttack, block_attack
from accountant_posterior.attacks.channel import expected_posterior
from accountant_posterior.attacks.counts import Belief, CountAttack, NoisyCount, Outlook
from accountant_posterior.attacks.hierarchy import Level
from accountant_posterior.attacks.hierarchy_attack import HierarchyAttack
from accountant_posterior.attacks.parents import Bounded, Exchangeable, Known, ParentPrior, Uniform
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
    "Allocation",
    "AttackScenario",
    "Belief",
    "BlockAttack",
    "Bounded",
    "CountAttack",
    "Exchangeable",
    "HierarchyAttack",
    "Known",
    "Level",
    "NoisyCount",
    "Outlook",
    "ParentPrior",
    "ProjectionAttack",
    "Uniform",
    "block_attack",
    "expected_posterior",
]
