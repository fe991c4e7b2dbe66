"""Specification: what is promised."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from accountant.divergence import Divergence
from accountant.fields import about, text
from accountant.invariant import Invariant
from accountant.neighbours import Neighbours


@frozen
class Budget:
    """A divergence and the parameter that must not be exceeded."""

    divergence: Divergence
    parameter: Any

    def __str__(self) -> str:
        return f"{self.divergence.title} with {self.divergence.describe(self.parameter)}"


@frozen
class Specification:
    """What a set of releases promises: domain, invariants, neighbours, divergence and budget.

    The divergences and their budgets come in pairs, since one plan may have to meet several.
    """

    neighbours: Neighbours
    invariants: tuple[Invariant, ...] = ()
    domain: str = field(
        default="all datasets",
        converter=text,
        metadata=about("which datasets the promise speaks about, in words"),
    )
    budgets: tuple[Budget, ...] = ()
