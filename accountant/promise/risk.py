"""RiskProfile: how much posterior risk an agency tolerates at each prior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.display.brief import Brief, Rich
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.theorem import Theorem
from accountant.values.family import Family

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.display.card import Card
    from accountant.promise.guarantee import Guarantee, Step, Verdict


@frozen
class Recommendation(Rich):
    """The largest epsilon that a risk profile admits, and the prior beliefs that decide it.

    Guarantee: the lower end of `epsilon` is admissible. A belief is None where the profile does not speak of it or where
    it decides in a limit only; `remarks` say so, and list regions where the profile asks for nothing or for too much.
    """

    epsilon: Interval
    membership: Fraction | None
    disclosure: Fraction | None
    theorem: Theorem
    remarks: tuple[str, ...] = ()

    def _card(self) -> Card:
        """The largest epsilon that is known to be admissible, and what decides it."""
        from accountant.display.card import Card

        beliefs = (("membership", self.membership), ("disclosure", self.disclosure))
        decided = ", ".join(f"{name} {plain(value)}" for name, value in beliefs if value is not None)
        facts = (
            *([("decided by prior beliefs", decided)] if decided else []),
            *(("remark", remark) for remark in self.remarks),
            ("theorem", f"{self.theorem.name}: {self.theorem.key}, {self.theorem.locator}"),
        )
        return Card(f"epsilon up to {self.epsilon.rounded(6)[0]} is within the profile", None, facts)


@frozen
class Assessment(Rich):
    """Whether an account stays within a risk profile.

    `found` is what the account promises in the words that the profile needs, and `statement` says in words what follows,
    against whom, and with which chance of failure. The last step of the derivation states the verdict.
    """

    verdict: Verdict
    adversary: str
    admissible: Interval
    found: Guarantee
    statement: str
    derivation: tuple[Step, ...]

    def _card(self) -> Card:
        """Whether a risk is tolerated, against whom, and by which guarantee."""
        from accountant.display.card import Card
        from accountant.promise.cards import RISKS, verdict_label
        from accountant.promise.guarantee import folded

        facts = (("against", self.adversary), ("admissible", str(self.admissible)), ("found", self.found.said))
        return Card(self.statement, verdict_label(self.verdict.value, RISKS), facts, folded(self.derivation))


@frozen
class RiskProfile(Brief, ABC):
    """A ceiling on posterior risk as a function of what an attacker believes beforehand.

    `tolerance` is the largest tolerated ratio of posterior to prior probability for an attacker who holds probability
    `membership` that the target is in the data and probability `disclosure` that a member has the sensitive value.
    """

    kind: ClassVar[str]

    @property
    def failure(self) -> Fraction:
        """The chance with which more than is tolerated may be learned from an account that is said to stay within."""
        return Fraction(0)

    def asks(self, membership: Fraction, disclosure: Fraction) -> bool:
        """Whether the profile speaks of attackers with these beliefs."""
        return True

    @abstractmethod
    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        """The largest tolerated ratio of posterior to prior, at least 1; infinite where nothing is asked."""

    @abstractmethod
    def recommend(self) -> Recommendation:
        """The largest epsilon of pure differential privacy under which no attacker exceeds the tolerance."""

    @abstractmethod
    def assess(self, account: Account) -> Assessment:
        """Whether the releases of an account stay within the tolerance; an error where the account cannot tell."""


RISK_PROFILES: Family[type[RiskProfile]] = Family(
    "accountant_risk_profiles", "risk profile", RiskProfile, classes=True, named_by="kind"
)
