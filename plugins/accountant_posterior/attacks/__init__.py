"""Simulated attacks on noisy counts. They are evaluations of one attacker, never guarantees."""

from __future__ import annotations

from accountant_posterior.attacks.block import BlockAttack, block_attack
from accountant_posterior.attacks.counts import Belief, CountAttack, NoisyCount, Outlook
from accountant_posterior.attacks.label import BLOCK, SIMULATED
from accountant_posterior.attacks.scenario import (
    ATTRIBUTE,
    HONESTY,
    ONE_VARIABLE,
    PARTICIPATION,
    SCENARIOS,
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
    "NoisyCount",
    "Outlook",
    "block_attack",
]
