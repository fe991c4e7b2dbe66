"""The mean posterior of an attacker who sees the output of any finite channel."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from accountant import InvalidValue
from accountant_posterior.attacks.beliefs import belief


def expected_posterior(present: Sequence[Fraction], absent: Sequence[Fraction], prior: Fraction | str) -> Fraction:
    """The mean posterior probability of presence when the target is there, exactly.

    Definition: the sum over outputs of P p P/(p P + (1 - p) Q), with P and Q the chances of an output with and without the
    target. It is a divergence of the two laws: what is done to the output afterwards can only lower it.
    """
    p = belief(prior)
    if len(present) != len(absent) or sum(present) != 1 or sum(absent) != 1 or min(*present, *absent) < 0:
        raise InvalidValue("expected two laws on the same outputs: chances that are not negative and sum to exactly 1")
    pairs = zip(present, absent, strict=True)
    return sum((p * a * a / (p * a + (1 - p) * b) for a, b in pairs if a), Fraction(0))
