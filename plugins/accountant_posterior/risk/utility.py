"""What an epsilon leaves of a count: how far two-sided geometric noise moves it, and how often it turns a decision."""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import frozen

from accountant import InvalidValue
from accountant_posterior.semantics.odds import written


@frozen
class Utility:
    """What happens to a count that moves by at most 1 between neighbours and is released with geometric noise.

    Definition: noise k has probability (1 - a)/(1 + a) a^|k| with a = e^-epsilon. `deviation` is its standard deviation,
    `unchanged` the probability of no noise, and `turned` how likely a count that is off a threshold by some number is
    released on or beyond it: a^d/(1 + a). None of it depends on the data. Plain doubles, not bounds.
    """

    epsilon: float
    deviation: float
    unchanged: float
    turned: tuple[float, ...]


def utility(epsilon: float, distances: tuple[int, ...] = ()) -> Utility:
    """The utility of a count at an epsilon above 0, with the chances for counts so far from a threshold."""
    if not epsilon > 0.0:
        raise InvalidValue(f"no noise has epsilon = {written(Fraction(epsilon))}; tolerate more")
    for distance in distances:
        if distance < 1:
            raise InvalidValue(f"the distance of a count from a threshold is at least 1, got {distance}")
    fall = math.exp(-epsilon)
    return Utility(
        epsilon,
        math.sqrt(2.0 * fall) / -math.expm1(-epsilon),
        math.tanh(0.5 * epsilon),
        tuple(math.exp(-epsilon * distance) / (1.0 + fall) for distance in distances),
    )
