"""By how much the odds of a bet on somebody being in the data may change."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Assessment, Budget, Interval, InvalidValue, Recommendation, Step, Verdict, fields
from accountant.numbers import log_of
from accountant.plugin import DIVERGENCES, RiskProfile, Theorem, hookimpl

if TYPE_CHECKING:
    from accountant import Account

# Why should anyone believe the verdict below? Every derivation prints it.
ODDS = Theorem(
    name="wager-odds",
    statement="Who knows every other record changes the odds that a unit is in the data by a factor of at most e^epsilon.",
    key="accountant-wager",
    locator="README.md",
    assumptions=("the promise speaks of the data with the unit and of the data without it",),
    assurance="proved-here",
    relations=("add-remove",),
)


# A profile is a frozen class. Its fields are its parameters: plans, schemas and error messages all come from them.
@frozen
class Wager(RiskProfile):
    """A largest factor on the odds that somebody who knows everybody else gives to a unit being in the data."""

    kind: ClassVar[str] = "wager"

    factor: Fraction = field(
        converter=fields.exact,
        validator=fields.above(1),
        metadata=fields.about("by how many times the odds may change"),
    )

    # Whom the profile speaks of: who is sure of the target's values, and in doubt about its being there only.
    def asks(self, membership: Fraction, disclosure: Fraction) -> bool:
        return disclosure == 1

    # How many times as likely as before may what is believed become?
    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        if not self.asks(membership, disclosure):
            return Interval.infinite()
        return Interval.of(self.factor / (self.factor * membership + 1 - membership))

    # The largest epsilon that keeps everybody within the tolerance; its lower end must.
    def recommend(self) -> Recommendation:
        return Recommendation(log_of(self.factor), Fraction(1, 2), Fraction(1), ODDS, ("every prior asks for the same",))

    # What an account promises, beside what is admitted. What it cannot tell is refused, never kept.
    def assess(self, account: Account) -> Assessment:
        self._check(account)
        admitted = log_of(self.factor)
        definition = account.registry.find(DIVERGENCES, "pure")
        found, verdict = account.check(Budget(definition, definition.parameter(Fraction(admitted.lower))))
        if verdict is Verdict.REFUTED and found.value.lower <= admitted.upper:
            verdict = Verdict.UNKNOWN  # within the rounding of the logarithm
        words = {
            Verdict.IMPLIED: "no odds that a unit is in the data change by more than the factor that is tolerated",
            Verdict.REFUTED: "the odds that some unit is in the data change by more than the factor that is tolerated",
        }
        said = words.get(verdict, "whether odds change by more than the factor that is tolerated is not settled")
        steps = (*found.derivation, Step(f"{verdict.value}: {said}", ODDS, (len(found.derivation),)))
        return Assessment(verdict, "somebody who knows every other record", admitted, found, said, steps)

    def _check(self, account: Account) -> None:
        promised = account.plan.specification
        if promised.neighbours.relation.name != "add-remove" or promised.neighbours.group != 1:
            raise InvalidValue(
                f"'{self.kind}' is about one unit being in the data: promise 'add-remove' neighbours of one unit"
            )
        if promised.invariants:
            raise InvalidValue(f"'{self.kind}' is a bet that exact counts may decide: nothing is tolerated beside them")


# Hooks hand everything to the registry. The laws attack what the profile recommends and calls kept.
@hookimpl
def accountant_risk_profiles() -> Iterable[type[RiskProfile]]:
    return (Wager,)


# What no item cites as its own is registered by hand.
@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (ODDS,)
