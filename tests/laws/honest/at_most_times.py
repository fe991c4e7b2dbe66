"""A risk profile: nobody's posterior exceeds so many times its prior.

Let a release keep pure privacy with epsilon between neighbours. Any two datasets that an attacker cannot tell apart but
for one unit are two steps apart at most: the unit leaves, and comes back with another value. So no posterior exceeds its
prior by more than a factor of e^(2 epsilon), and half the logarithm of what is tolerated may be spent. What is published
exactly beside it may tell more, so that nothing is said there.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import Account, Assessment, Interval, InvalidValue, Recommendation, Step, Verdict, fields
from accountant.numbers import log_of
from accountant.plugin import RiskProfile, Theorem, hookimpl
from tests.laws.honest import proved

TWICE = Theorem(**proved(__name__, "at-most-times", "No posterior exceeds e^(2 epsilon) times its prior."))


@frozen
class AtMostTimes(RiskProfile):
    """No posterior exceeds so many times its prior."""

    kind: ClassVar[str] = "at-most-times"

    times: Fraction = field(
        converter=fields.exact,
        validator=fields.above(1),
        metadata=fields.about("how many times its prior a posterior may be"),
    )

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        return Interval.of(self.times)

    def recommend(self) -> Recommendation:
        whole = log_of(self.times)
        return Recommendation(Interval(whole.lower / 2, whole.upper / 2), None, None, TWICE)

    def assess(self, account: Account) -> Assessment:
        if account.plan.specification.invariants:
            raise InvalidValue(f"'{self.kind}' is about what releases tell: nothing is said beside exact numbers")
        admitted, found = self.recommend().epsilon, account.measure("pure")
        kept = found.value.upper <= admitted.lower
        verdict = Verdict.IMPLIED if kept else Verdict.UNKNOWN
        words = f"no posterior exceeds {self.times} times its prior" if kept else "it is not known whether this is kept"
        return Assessment(verdict, "anybody", admitted, found, words, (Step(words, TWICE),))


@hookimpl
def accountant_risk_profiles() -> Iterable[type[RiskProfile]]:
    return (AtMostTimes,)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    return (TWICE,)
