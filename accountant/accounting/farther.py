"""Farther: what rules for groups say where the mechanisms do not say what is lost between datasets farther apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from attrs import evolve, frozen

from accountant.accounting.theorems import GROUP
from accountant.numbers.interval import Interval, float_above, upper_fraction
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.promise.guarantee import Guarantee, Step
from accountant.promise.specification import Budget
from accountant.registry.registry import Registry

Place = Mapping[str, Fraction]


def unbounded(near: Guarantee, units: int, why: str) -> Guarantee:
    """No bound between datasets that differ in so many units, and why."""
    value = Interval(0.0, float("inf"))
    step = Step(f"between datasets that differ in {units:,} units nothing is known: {why}", GROUP, (), value)
    return evolve(near, value=value, evidence="nothing that is known", derivation=(step,), remark=why)


@frozen
class GroupRules:
    """What follows after so many steps from what `measure` says of one."""

    measure: Callable[[str, Place], Guarantee]
    registry: Registry
    steps: int

    def least(self, divergence: str, at: Place) -> Guarantee | None:
        """The least that a rule for groups gives, of the definition itself or of one that needs no words, if anything."""
        definition = self.registry.find(DIVERGENCES, divergence)
        found = (*self._own(definition, at), *self._through_others(definition, at))
        bounds = [item for item in found if item.value.upper < math.inf]
        return min(bounds, key=lambda item: item.value.upper, default=None)

    def _own(self, definition: Divergence, at: Place) -> Iterator[Guarantee]:
        """By the definition's own rule, where that leaves the words as they are."""
        near = self.measure(definition.name, at)
        allowed = self._after(definition, near)
        if allowed is not None and allowed.at == dict(at):
            yield self._farther(near, Interval(0.0, float_above(allowed.limit)))

    def _through_others(self, definition: Divergence, at: Place) -> Iterator[Guarantee]:
        """By the rule of a definition that is read without words, and the largest loss that is allowed then."""
        for other in self.registry[DIVERGENCES].values():
            if other.primary.at or other == definition:
                continue
            near = self.measure(other.name, {})
            allowed = self._after(other, near)
            if allowed is not None:
                value = definition.measure(other.worst_case(allowed.parameter), at)
                found = self._farther(near, Interval(0.0, value.upper))
                yield evolve(found, divergence=definition.name, at=dict(at), name=definition.reading(at).value)

    def _after(self, definition: Divergence, near: Guarantee) -> Budget | None:
        """What a value allows after the steps, where it is finite and the reading is the first."""
        if near.value.upper == float("inf") or near.name != definition.primary.value:
            return None
        parameter = definition.parameter(**near.at, **{near.name: upper_fraction(near.value)})
        return Budget(definition, parameter).after(self.steps)

    def _farther(self, near: Guarantee, value: Interval) -> Guarantee:
        words = f"datasets {self.steps:,} steps apart, by the rule for groups of '{near.divergence}'"
        last = Step(words, GROUP, (len(near.derivation),), value)
        return evolve(near, value=value, evidence="rule for groups", derivation=(*near.derivation, last), remark=None)
