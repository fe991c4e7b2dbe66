"""What may go wrong in a theorem."""

from __future__ import annotations

from attrs import evolve

from accountant.promise.theorem import THEOREMS, Theorem

FAMILY = THEOREMS


def said_to_be_ours(theorem: Theorem) -> Theorem:
    """It is said to be proved in documentation that does not know it."""
    return evolve(theorem, key="accountant", locator="-", assurance="published")


def proof_not_shipped(theorem: Theorem) -> Theorem:
    """Its proof is said to be in a file that is not there."""
    return evolve(theorem, key="planted", locator="nowhere.md", assurance="proved-here")


def proof_nowhere(theorem: Theorem) -> Theorem:
    """It is said to be proved, and not where."""
    return evolve(theorem, key="planted", locator="-", assurance="proved-here")


def key_misspelt(theorem: Theorem) -> Theorem:
    """What it cites is known under a key that is nearly the same."""
    return evolve(theorem, key="warner1965randomised", assurance="published")
