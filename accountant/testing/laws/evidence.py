"""Laws of what authors offer as evidence: pairs that tell something, and come near to what is claimed."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from accountant.plugin.cases import ConformanceCase, MechanismCase
from accountant.registry.registry import Registry
from accountant.testing.claims import loss_of
from accountant.testing.counterexamples import broken, delta, show
from accountant.testing.instances import edge_cases, instances
from accountant.testing.reproduced import written

_NEAR = 0.5


def parameters_can_be_drawn(cls: type[Any], registry: Registry, oracle: Any) -> None:
    """What may be drawn for every parameter is said by its field, or by the oracle of the item."""
    if getattr(oracle, "instances", None) is None:
        instances(cls, registry)
        edge_cases(cls, registry, 1)


def pairs_are_evidence(case: MechanismCase) -> None:
    """Of the pairs of a case some have two laws that differ, unless nothing is said to be lost."""
    lost = delta(loss_of(case), Fraction(0)).upper
    if lost > 0.0 and case.pairs and all(delta(pair, Fraction(0)).upper <= 0.0 for pair in case.pairs):
        broken(
            "the exact pairs of a case say nothing: their two laws are equal",
            case=case.name,
            mechanism=written(case.mechanism),
            exact_pairs="; ".join(show(pair) for pair in case.pairs),
            remedy="write down the chances of outputs for two answers that differ by the shift, as the mechanism has them",
        )


def pairs_come_near_the_claim(kind: str, cases: Collection[ConformanceCase]) -> None:
    """Some exact pair of a mechanism reaches half of the delta at 0 that is claimed: others find no mistake.

    A claim that is known to be far above all pairs says so: its lower end is that of a loss below it.
    """
    own = [case for case in cases if isinstance(case, MechanismCase) and case.mechanism.kind == kind and case.pairs]
    nearest: tuple[float, MechanismCase] | None = None
    for case in own:
        claimed = delta(loss_of(case), Fraction(0)).lower
        reached = max(delta(pair, Fraction(0)).upper for pair in case.pairs)
        if reached >= _NEAR * claimed:
            return
        if nearest is None or reached / claimed > nearest[0]:
            nearest = reached / claimed, case
    if nearest is not None:
        share, case = nearest
        broken(
            "no exact pair comes near to what is claimed, so that none of them would notice a mistake",
            mechanism=written(case.mechanism),
            shift=f"the query moves {case.shift}",
            nearest_case=case.name,
            share_of_delta_that_is_reached=f"{share:.3g}",
            remedy="give the pair of the worst answers; where the claim is far above all of them, say so by "
            "BracketLoss(claim, NO_LOSS)",
        )
