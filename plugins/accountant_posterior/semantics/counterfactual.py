"""Counterfactual: an attacker's posterior against that in a world where the target's record was not used.

Posterior to prior asks what a release taught an attacker, whoever took part. Posterior to posterior asks what it taught
them because the target's own record was used: in the counterfactual world the record is replaced by a draw from what the
attacker believes about it given everyone else. What the data say about people like the target is in both worlds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import field, frozen

from accountant import Interval, InvalidValue, Step, Theorem, fields
from accountant.numbers import float_above, float_below
from accountant.numbers.rounding import up
from accountant.plugin import joined
from accountant_posterior.semantics.adversary import STRONG
from accountant_posterior.semantics.evidence import LossEvidence
from accountant_posterior.semantics.odds import exponential, probability, updated, written
from accountant_posterior.semantics.semantics import Semantics
from accountant_posterior.semantics.theorems import ALWAYS, DEFAULT_RECORD, OTHERS_DRAWN, RECORD_DRAWN, RECORD_GIVEN

if TYPE_CHECKING:
    from accountant import Account
    from accountant.numbers import ExactLike


@frozen
class Setting:
    """What is random when the chance of a large ratio is taken."""

    name: str
    words: str
    theorem: Theorem
    averaged: bool = False


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("average", "all other records are known and the target's is drawn from the prior", RECORD_DRAWN, True),
        Setting("record", "all other records are known, and so is that the value is the true one", RECORD_GIVEN),
        Setting("any-prior", "the other records are drawn from the attacker's own law given the true value", OTHERS_DRAWN),
    )
}


@frozen
class Compared:
    """Bounds on a posterior, or on its ratio to that in a counterfactual world, and the chance that they are exceeded."""

    lower: float
    upper: float
    chance: Interval
    theorem: Theorem = field(repr=lambda theorem: theorem.name)
    statement: str
    derivation: tuple[Step, ...] = field(repr=False)

    def __str__(self) -> str:
        return self.statement


@frozen
class Counterfactual:
    """What releases teach because one record was used, beside what they teach about everybody."""

    account: Account

    def __attrs_post_init__(self) -> None:
        Semantics(self.account)

    @property
    def _what(self) -> tuple[str, str]:
        """What is redrawn, and given what it is."""
        specification = self.account.plan.specification
        attributes = specification.neighbours.attributes
        given = ["all else about the record"] if attributes is not None else []
        given += ["everyone else"] + (["everything that is published exactly"] if specification.invariants else [])
        what = "the record" if attributes is None else f"the {joined(sorted(attributes)) or 'nothing'} of the record"
        return what, f"given {joined(given)}"

    def _said(self, statement: str) -> str:
        """A sentence, and what it rests on."""
        compared = self.account.plan.comparison
        return " ".join(filter(None, (statement, compared.sampled, compared.trusted)))

    @property
    def _removes(self) -> bool:
        return STRONG.removes_units(self.account.plan.specification.neighbours)

    def _changed(self) -> tuple[Interval, tuple[Step, ...]]:
        """The largest log likelihood ratio between two values of the record."""
        evidence = LossEvidence(self.account)
        return evidence.changed(1, Fraction(0)) if self._removes else evidence.within(1, Fraction(0))

    @property
    def between_values(self) -> Account | None:
        """The account between two values of the record; None where the releases do not say what that costs."""
        if not self._removes:
            return self.account
        evidence = LossEvidence(self.account)
        return evidence.replaced(1) or evidence.grouped(2)

    def _exceeded(self, gain: Fraction) -> tuple[Interval, tuple[Step, ...]]:
        return LossEvidence(self.account).exceeded(self.between_values, 2 if self._removes else 1, gain)

    def ratio(self) -> Compared:
        """Between which factors the posterior of anything about the record lies, always."""
        gain, steps = self._changed()
        ends = exponential(Interval(-gain.upper, gain.upper))
        low, high = ends.rounded(4)
        what, given = self._what
        statement = (
            f"Whatever an attacker believes, and whatever is released, the probability that they give to any value of "
            f"{what} lies between {low} and {high} times the one they would give to it had {what} been redrawn, {given}."
        )
        last = Step("the ratio of posteriors", ALWAYS, (len(steps),), ends)
        return Compared(ends.lower, ends.upper, Interval.of(0), ALWAYS, self._said(statement), (*steps, last))

    def participation(self, belief: ExactLike) -> Compared:
        """Between which probabilities the posterior of a secret lies if its posterior without the record is `belief`."""
        without = probability(belief, "the belief")
        gain, steps = LossEvidence(self.account).within(1, Fraction(0))
        most = gain.upper if gain.upper == math.inf else gain.times(2).upper
        ends = updated(without, Interval(-most, most))
        low, high = ends.rounded(4)
        world = "left out" if self._removes else "replaced by a fixed value"
        statement = (
            f"A secret that an attacker would hold for true with probability {written(without)} had {self._what[0]} been "
            f"{world}, they hold for true with a probability between {low} and {high}, always."
        )
        last = Step("the posterior with the record", DEFAULT_RECORD, (len(steps),), ends)
        return Compared(ends.lower, ends.upper, Interval.of(0), DEFAULT_RECORD, self._said(statement), (*steps, last))

    def chance(self, epsilon: ExactLike, setting: str = "record") -> Compared:
        """The chance that the posterior of a value exceeds e^epsilon times the one had the record been redrawn."""
        factor = fields.exact(epsilon)
        if factor < 0:
            raise InvalidValue(f"epsilon must not be negative, got {written(factor)}")
        if setting not in SETTINGS:
            raise InvalidValue(f"no setting is called {setting!r}; known: {', '.join(SETTINGS)}")
        chosen = SETTINGS[setting]
        value, steps = self._exceeded(factor)
        if chosen.averaged:
            shrunk = exponential(Interval(-float_above(factor), -float_below(factor)))
            value = Interval(0.0, min(1.0, up(value.upper * shrunk.upper)))
        power = exponential(Interval.of(factor)).upper
        most, rarely = Interval(power, power).rounded(4)[1], value.rounded(4)[1]
        what, given = self._what
        statement = (
            f"Where {chosen.words}, the posterior of a value of {what} exceeds {most} times the one had {what} been "
            f"redrawn, {given}, with probability at most {rarely}."
        )
        last = Step(f"the chance of a ratio above e^{written(factor)}", chosen.theorem, (len(steps),), value)
        return Compared(0.0, power, value, chosen.theorem, self._said(statement), (*steps, last))
