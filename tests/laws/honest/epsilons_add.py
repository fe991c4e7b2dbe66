"""Epsilons add up, for those who keep a budget of pure differential privacy by a rule of their own.

Likelihood ratios of independent outputs multiply, so their logarithms add up. Where a release depends on earlier outputs,
it has its epsilon given these.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from attrs import frozen

from accountant.plugin import Adaptivity, Additive, CompositionRule, Theorem, hookimpl
from tests.laws.honest import proved

SUM = Theorem(**proved(__name__, "epsilons-add", "Epsilons add up."), adaptivity="adaptive")


@frozen
class EpsilonsAdd(Additive):
    """Epsilons add up."""

    name: ClassVar[str] = "epsilons-add"
    divergence: ClassVar[str] = "pure"
    adaptivity: ClassVar[Adaptivity] = "adaptive"
    theorem: ClassVar[Theorem] = SUM
    merges: ClassVar[bool] = False


@hookimpl
def accountant_composition_rules() -> Iterable[CompositionRule]:
    return (EpsilonsAdd(),)
