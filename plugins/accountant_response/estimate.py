"""What a survey by randomised response says about the true answers."""

from __future__ import annotations

import math

from attrs import frozen

from accountant import InvalidValue, fields
from accountant_response.randomised_response import RandomisedResponse


@frozen
class ShareEstimate:
    """An estimate of the share of true yeses. It may fall outside 0 to 1: cut off there it would be biased."""

    share: float
    deviation: float
    """Its standard deviation, estimated from the same answers, for a sample from a large population."""
    largest_deviation: float
    """What the standard deviation is at most, whatever the truth."""


def estimate_share(mechanism: RandomisedResponse, yes: int, answers: int) -> ShareEstimate:
    """The share of true yeses among all who answered, from the number of yeses after some were flipped.

    Definition: 1/2 + (m - 1/2)/t for the share m of yeses that were given and t = tanh(epsilon/2), the chance that an
    answer is kept less the chance that it is flipped. Its variance is that of m divided by t^2: m (1 - m)/(n t^2), at most
    1/(4 n t^2).

    Guarantee: unbiased. Plain doubles, not bounds.
    """
    given, total = fields.whole(yes), fields.whole(answers)
    if not 0 <= given <= total or not total:
        raise InvalidValue(f"expected at least one answer and no more yeses than answers, got {given} of {total}")
    observed, kept = given / total, math.tanh(0.5 * float(mechanism.epsilon))
    return ShareEstimate(
        0.5 + (observed - 0.5) / kept,
        math.sqrt(observed * (1.0 - observed) / total) / kept,
        0.5 / math.sqrt(total) / kept,
    )
