"""LossEvidence: how strongly everything that is released may speak for one dataset against another."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from accountant import Interval, InvalidValue, Neighbours, PlanError, ShiftError, Step, Theorem
from accountant.numbers import larger
from accountant.plugin import DIVERGENCES, NEIGHBOURS, THEOREMS
from accountant_posterior.semantics.odds import written
from accountant_posterior.semantics.probabilistic import (
    chance_over_curve,
    concentrated_chance,
    concentrated_epsilon,
    from_bounded,
    over_curve,
    probabilistic_epsilon,
)
from accountant_posterior.semantics.theorems import APPROXIMATE, BOUNDED, CONCENTRATED

if TYPE_CHECKING:
    from accountant import Account, Guarantee, Plan

Bounded = tuple[Interval, tuple[Step, ...]]
"""A bound on the log likelihood ratio, both directions, and why it holds."""


@frozen
class Gain:
    """Bounds on the log likelihood ratio of a secret against what else may be true, and why they hold.

    `membership` is that against a dataset without the unit, `value` that against another value of its record.
    """

    membership: Interval
    value: Interval
    derivation: tuple[Step, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """The upper ends of both."""
        return self.membership.upper, self.value.upper

    @property
    def larger(self) -> Interval:
        """The larger of both."""
        return larger((self.membership, self.value))

    @property
    def widest(self) -> Interval:
        """Between which the log likelihood ratio lies, whatever else may be true."""
        return Interval(-self.larger.upper, self.larger.upper)


@frozen
class LossEvidence:
    """Bounds on log likelihood ratios between datasets of an account, always or except with a failure probability.

    With `slack`, bounds that may fail come from approximate differential privacy at that one delta.
    """

    account: Account
    slack: Fraction | None = None

    def within(self, units: int, failure: Fraction) -> Bounded:
        """Between datasets that differ in up to so many units."""
        if units == 1:
            return self._read(self.account, failure)
        return self._apart(self.grouped(units), units, failure, f"the sides of the secret differ in at most {units} units")

    def changed(self, records: int, failure: Fraction) -> Bounded:
        """Between datasets in which so many records have other values, where neighbours differ by whole units.

        A change is a record that leaves and one that comes; where queries say how far they move then, it costs less.
        """
        words = f"the sides of the secret differ in the values of at most {records} records"
        whole = self.replaced(records) or self.grouped(2 * records)
        return self._apart(whole, 2 * records, failure, words)

    def exceeded(self, whole: Account | None, steps: int, gain: Fraction) -> Bounded:
        """The chance that whatever is made of the output speaks more strongly than so for the dataset that is true.

        `whole` is the account between the datasets that are compared, if there is one; they are so many steps apart.
        """
        if whole is None:
            most, derivation = self._by_rule(steps, "")
            return (Interval.of(0) if most.at_most(gain) else Interval(0.0, 1.0)), derivation
        if _needs_curve(whole):
            found = whole.measure("approx", epsilon=gain)
            return chance_over_curve(_worst_curve(whole), gain), found.derivation
        found, moments = whole.measure("pbdp", epsilon=gain), _moments(whole)
        if moments is not None:
            bound = concentrated_chance(Fraction(moments.value.upper), gain).upper
            if bound < found.value.upper:
                value, before = Interval(min(found.value.lower, bound), bound), moments.derivation
                theorem = whole.registry.find(THEOREMS, "pbdp-from-moments")
                return value, (*before, Step("the chance of evidence as strong as that", theorem, (len(before),), value))
        return found.value, found.derivation

    def grouped(self, units: int) -> Account | None:
        """The account between datasets that differ in so many units, where the mechanisms say what that costs."""
        plan = self.account.plan
        neighbours = plan.specification.neighbours
        try:
            return self._between(evolve(neighbours, group=units * neighbours.group))
        except (PlanError, InvalidValue):
            return None

    def replaced(self, records: int) -> Account | None:
        """The account between datasets in which so many records have other values, where queries say how far they move."""
        own = self.account.plan.specification.neighbours
        relation = self.account.registry[NEIGHBOURS].get("replace-one")
        if relation is None:
            return None
        try:
            # What is stated or claimed between the plan's own neighbours says nothing about others, and is refused here.
            for entry in self.account.entries:
                entry.between(relation)
            return self._between(evolve(own, relation=relation, attributes=None, group=records * own.group))
        except (PlanError, InvalidValue, ShiftError):
            return None

    def _between(self, neighbours: Neighbours) -> Account:
        plan = self.account.plan
        return self.of(evolve(plan.bare, specification=evolve(plan.specification, neighbours=neighbours)))

    def of(self, plan: Plan) -> Account:
        """The account of another plan, with the same plugins."""
        from accountant import account

        return account(plan, registry=self.account.registry)

    @property
    def _coupled(self) -> Theorem:
        theorem: Theorem = self.account.registry.find(THEOREMS, "coupled-mixtures")
        return theorem

    def _apart(self, whole: Account | None, steps: int, failure: Fraction, words: str) -> Bounded:
        if whole is None:
            return self._by_rule(steps, words)
        value, derivation = self._read(whole, failure)
        return value, (*derivation, Step(words, self._coupled, (len(derivation),), value))

    def _by_rule(self, steps: int, words: str) -> Bounded:
        """By adding up pure parameters: every step between neighbours costs as much as the first."""
        value, derivation = _always(self.account)
        words = f"{words or 'the datasets'}, at most {steps} steps between neighbours apart"
        if why := self.account.one_step_only:
            value, words = Interval(0.0, math.inf), f"{words}, but {why}"
        elif value.upper < math.inf:
            value = value.times(steps)
        return value, (*derivation, Step(words, self._coupled, (len(derivation),), value))

    def _read(self, whole: Account, failure: Fraction) -> Bounded:
        if not failure:
            return _always(whole)
        if self.slack is not None:
            return _from_slack(whole, self.slack, failure)
        rarely = _over_curve(whole, failure) if _needs_curve(whole) else _likely(whole, failure)
        # What holds always holds but for a failure too, and a search may stop above it.
        return min(rarely, _always(whole), key=lambda bounded: bounded[0].upper)


def not_averaged(whole: Account) -> tuple[str, str] | None:
    """A release that is only known by a claim that says nothing about averages over what an attacker thinks possible.

    Its name, and that of the definition that is claimed.
    """
    for entry in whole.entries:
        if entry.claim is not None and not entry.claim.divergence.properties.convexity:
            return entry.release.name, entry.claim.divergence.name
    return None


def _needs_curve(whole: Account) -> bool:
    """Whether one point that holds for every pair of datasets may fail for averages of them, so that a curve is needed."""
    return len(whole.whereabouts) > 1 or not_averaged(whole) is not None


def _always(whole: Account) -> Bounded:
    found = whole.measure("pure")
    return found.value, found.derivation


def _from_slack(whole: Account, slack: Fraction, failure: Fraction) -> Bounded:
    found = whole.measure("approx", delta=slack)
    value = probabilistic_epsilon(found.value, slack, failure)
    return value, (*found.derivation, Step(_words(failure), APPROXIMATE, (len(found.derivation),), value))


def _worst_curve(whole: Account) -> Callable[[float], Interval]:
    """The approximate curve of the worst case at every point.

    A set of values may lie in several cases of where a unit may be. A mixture of their pairs has no larger delta than the
    worst of them at any epsilon, but it may need more than each of them in a definition that is read at one point.
    """
    return lambda epsilon: whole.measure("approx", epsilon=epsilon).value


def _over_curve(whole: Account, failure: Fraction) -> Bounded:
    value = over_curve(_worst_curve(whole), failure)
    found = whole.measure("approx", epsilon=value.upper if value.upper < math.inf else 0)
    return value, (*found.derivation, Step(_words(failure), APPROXIMATE, (len(found.derivation),), value))


def _likely(whole: Account, failure: Fraction) -> Bounded:
    """By the curve of probabilistically bounded differential privacy, which says all that the approximate one does."""
    seen: list[Guarantee] = []

    def curve(delta: Fraction) -> Interval:
        seen.append(whole.measure("pbdp", delta=delta))
        return seen[-1].value

    value = from_bounded(curve, failure)
    used, theorem = min(seen, key=lambda guarantee: guarantee.value.upper != value.upper), BOUNDED
    moments = _moments(whole)
    if moments is not None:
        bound = concentrated_epsilon(Fraction(moments.value.upper), failure).upper
        if bound < value.upper:
            value, used, theorem = Interval(min(value.lower, bound), bound), moments, CONCENTRATED
    return value, (*used.derivation, Step(_words(failure), theorem, (len(used.derivation),), value))


def _moments(whole: Account) -> Guarantee | None:
    """What the moments say, where they may say more than the loss: the worst loss that a claim permits is an envelope."""
    if "zcdp" not in whole.registry[DIVERGENCES] or all(entry.claim is None for entry in whole.entries):
        return None
    found = whole.measure("zcdp")
    return found if 0.0 < found.value.upper < math.inf else None


def _words(failure: Fraction) -> str:
    return f"the log likelihood ratio, except with probability {written(failure)}"
