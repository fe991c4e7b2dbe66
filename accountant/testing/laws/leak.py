"""Laws of definitions that allow everything to be lost with some chance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from accountant.loss import TOTAL_LOSS, MixtureLoss, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.promise.divergence import Divergence
from accountant.testing.counterexamples import broken, delta, measured, show
from accountant.testing.places import epsilons


def leaks_are_told(definition: Divergence, parameter: Any) -> None:
    """What is lost without the leak covers the worst case, and a chance of losing everything costs no more than itself."""
    if definition.leak is None:
        return
    values = definition.values(parameter)
    chance = values[definition.leak]
    _covers(definition, parameter, chance)
    half = definition.parameter(**{**values, definition.leak: chance / 2})
    leaky = _leaking(definition.worst_case(half), chance / 2)
    first = definition.primary
    value = measured(definition, leaky, {word: values[word] for word in first.at})
    if value.lower > values[first.value]:
        broken(
            f"losing everything with a further chance must cost no more of '{definition.name}' than that chance",
            loss=show(leaky),
            further_chance=plain(chance / 2),
            kept_otherwise=definition.describe(half),
            keeps_together=definition.describe(parameter),
            measured=value,
        )


def _covers(definition: Divergence, parameter: Any, chance: Fraction) -> None:
    leaky, worst = _leaking(definition.without_leak(parameter), chance), definition.worst_case(parameter)
    for direction, above, below in (("P to Q", leaky, worst), ("Q to P", leaky.reverse(), worst.reverse())):
        for point in epsilons(below):
            allowed, found = delta(above, point), delta(below, point)
            if found.lower > allowed.upper:
                broken(
                    f"what '{definition.name}' says is lost without its leak must cover its worst case",
                    parameter=definition.describe(parameter),
                    direction=direction,
                    at_epsilon=plain(point),
                    delta_of_the_worst_case=found,
                    delta_with_the_leak=allowed,
                )


def _leaking(loss: PrivacyLoss, chance: Fraction) -> PrivacyLoss:
    return MixtureLoss.of([(chance, TOTAL_LOSS), (1 - chance, loss)])
