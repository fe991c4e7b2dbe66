"""The worst Bayes factor on finite spaces, by going through everything in exact numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import ClassVar, Literal

from attrs import frozen

from accountant import Interval
from accountant.finite import FiniteMechanism
from accountant.numbers import log_of
from accountant_pufferfish.setting.setting import LivePair, Setting


@frozen
class NothingLive:
    """The answer when no pair of secrets is live: nothing is promised, which is not an epsilon of zero."""

    live: ClassVar[int] = 0

    def __str__(self) -> str:
        return "vacuous: no pair of secrets is live in any scenario, so nothing is promised"


@frozen
class Leak:
    """The worst Bayes factor over all live pairs, and where it is attained.

    Definition: the largest P(y | one secret, scenario, z)/P(y | the other, scenario, z), over outputs y and both orders. By
    Bayes' rule it is the most that an output changes the odds between the two secrets, starting from what z left of them.
    `factor` is None where it is infinite. With a `bound` of 'lower' only some scenarios were looked at.
    """

    factor: Fraction | None
    live: int
    comparison: LivePair
    output: Hashable
    bound: Literal["exact", "lower"] = "exact"

    @property
    def epsilon(self) -> Interval:
        """The logarithm of the factor; where only some scenarios were looked at, all that is certain is its lower end."""
        found = Interval.infinite() if self.factor is None else log_of(self.factor).clamp(0.0, math.inf)
        return found if self.bound == "exact" else Interval(found.lower, math.inf)

    def __str__(self) -> str:
        words = "infinite" if self.factor is None else str(self.epsilon)
        return (
            f"epsilon {words} over {self.live:,} live pairs, at {self.comparison.pair} under '{self.comparison.scenario}'"
        )


def bayes_factors(mechanism: FiniteMechanism, comparison: LivePair) -> Mapping[Hashable, Fraction | None]:
    """For every output that can happen, by how much it moves the odds of the first secret against the second.

    Definition: P(y | first)/P(y | second), each averaged over the data that the scenario holds possible. None: infinite.
    """
    first, second = comparison.first.through(mechanism.law), comparison.second.through(mechanism.law)
    return {output: first[output] / second[output] if output in second else None for output in {**first, **second}}


def leak(mechanism: FiniteMechanism, setting: Setting) -> Leak | NothingLive:
    """The worst Bayes factor of a mechanism in a setting; at one published value with `setting.at`."""
    return worst(mechanism, setting.comparisons(), "exact" if setting.scenarios.complete else "lower")


def literal_leak(mechanism: FiniteMechanism, setting: Setting) -> Leak | NothingLive:
    """The same over the live pairs by the letter of the published definition, which can be too few."""
    return worst(mechanism, setting.literal_comparisons(), "lower")


def worst(
    mechanism: FiniteMechanism, comparisons: Iterable[LivePair], bound: Literal["exact", "lower"]
) -> Leak | NothingLive:
    """The worst Bayes factor over some live pairs."""
    found: tuple[Fraction | None, LivePair, Hashable] | None = None
    live = 0
    for comparison in comparisons:
        live += 1
        for output, factor in bayes_factors(mechanism, comparison).items():
            size = None if not factor else max(factor, 1 / factor)
            if found is None or (found[0] is not None and (size is None or size > found[0])):
                found = size, comparison, output
    return NothingLive() if found is None else Leak(found[0], live, found[1], found[2], bound)
