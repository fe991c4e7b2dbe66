"""Laws of what authors offer as evidence: pairs that tell something, and come near to what is claimed."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from accountant.plugin.cases import ConformanceCase, MechanismCase
from accountant.testing.counterexamples import broken, delta, show
from accountant.testing.reproduced import written

_NEAR = 0.5


def pairs_are_evidence(case: MechanismCase) -> None:
    """Of the pairs of a case some have two laws that differ: equal laws lose nothing whatever is claimed."""
    if case.pairs and all(delta(pair, Fraction(0)).upper <= 0.0 for pair in case.pairs):
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
        claimed = delta(case.mechanism.loss(case.shift), Fraction(0)).lower
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
