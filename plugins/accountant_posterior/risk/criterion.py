"""Criterion: what a risk profile asks of attackers' beliefs."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import Interval, InvalidValue, Neighbours, Recommendation, Theorem, fields
from accountant.plugin import RiskProfile
from accountant_posterior.risk.bounds import MEMBERS, VALUES, WHOLE, Attackers
from accountant_posterior.risk.ceilings import Binding
from accountant_posterior.risk.theorems import CORNERS

if TYPE_CHECKING:
    from accountant_posterior.semantics.adversary import Adversary

RELATIONS = ("add-remove", "replace-one")


def _attacker(value: str) -> str:
    from accountant_posterior.semantics.adversary import guaranteed_against

    return guaranteed_against(fields.text(value)).name


def _relation(value: str) -> str:
    if value not in RELATIONS:
        raise InvalidValue(f"must be one of {', '.join(RELATIONS)}, got {value!r}")
    return value


@frozen
class Criterion(RiskProfile):
    """A ceiling on posterior risk, the attackers that it speaks of, and how often it may be exceeded."""

    theorem: ClassVar[Theorem] = CORNERS

    adversary: str = field(
        default="independent",
        converter=_attacker,
        kw_only=True,
        metadata=fields.about(
            "who attacks: 'independent' has any beliefs in which the target is independent of all others, 'strong' knows "
            "every other record",
            {"enum": ["independent", "strong"]},
        ),
    )
    neighbours: str = field(
        default=RELATIONS[0],
        converter=_relation,
        kw_only=True,
        metadata=fields.about(
            "the neighbours for which epsilon is meant; with 'replace-one' membership is no secret, and the profile speaks "
            "of attackers who are sure of it",
            {"enum": list(RELATIONS)},
        ),
    )
    failure: Fraction = field(
        default=Fraction(0),
        converter=fields.exact,
        validator=[fields.at_least(0), fields.below(1)],
        kw_only=True,
        metadata=fields.about("the probability with which the ceiling may be exceeded; 0 for never"),
    )

    def __attrs_post_init__(self) -> None:
        if not self.speaks_of(self.view):
            raise InvalidValue(f"'{self.kind}' {self._unseen()}")

    def _unseen(self) -> str:
        if self.view is MEMBERS:
            return (
                "says nothing of attackers who know the target's values, and the strong adversary does; let disclosure be "
                "1, or use the independent adversary"
            )
        return (
            "says nothing of attackers who are sure of membership, and between 'replace-one' neighbours nothing else is "
            "promised; let membership be 1, or use 'add-remove' neighbours"
        )

    def check(self, neighbours: Neighbours) -> None:
        """Refuse neighbours that are not those that the profile is meant for."""
        self.model.secret(neighbours)
        found = "add-remove" if self.model.removes_units(neighbours) else "replace-one"
        if found == self.neighbours:
            return
        why = {
            "replace-one": "between 'replace-one' neighbours nothing is promised about who is in the data; a profile "
            "that says so speaks of attackers who are sure of membership",
            "add-remove": "between 'add-remove' neighbours two values of a member are two steps apart, and membership is a "
            "secret too",
        }
        raise InvalidValue(
            f"the profile is meant for '{self.neighbours}' neighbours and the account is between '{found}' ones: "
            f"{why[found]}; say neighbours = \"{found}\" in the profile, or promise '{self.neighbours}' neighbours"
        )

    @property
    def model(self) -> Adversary:
        """The model of the attacker."""
        from accountant_posterior.semantics.adversary import guaranteed_against

        return guaranteed_against(self.adversary)

    @property
    def view(self) -> Attackers:
        """The attackers whom the profile speaks of."""
        if self.neighbours == "replace-one":
            return VALUES
        return MEMBERS if self.adversary == "strong" else WHOLE

    @property
    def members_only(self) -> bool:
        """Whether all attackers that it speaks of are sure of membership, so that only a change of value counts."""
        return False

    @property
    @abstractmethod
    def words(self) -> str:
        """What the profile asks for, in words."""

    @abstractmethod
    def speaks_of(self, view: Attackers) -> bool:
        """Whether the tolerance says anything about the attackers of a view."""

    @abstractmethod
    def admits(self, view: Attackers) -> Binding:
        """The largest epsilon of pure differential privacy that keeps the attackers of a view within the tolerance.

        Guarantee: the lower end does. The upper end is what the prior that decides admits.
        """

    def lint(self) -> tuple[str, ...]:
        """What is odd about the profile, such as priors of which it asks nothing."""
        return ()

    def recommend(self) -> Recommendation:
        found = self.admits(self.view)
        remarks = self.lint()
        if found.corner is None:
            sure = math.isinf(found.epsilon.lower)
            why = "no posterior can exceed the tolerance: any epsilon does" if sure else "no prior was found that decides"
            return Recommendation(found.epsilon, None, None, self.theorem, (*remarks, why))
        sides = {"membership": found.corner.membership, "disclosure": found.corner.disclosure}
        limits = tuple(f"decided in the limit of {name} probabilities near 0" for name, side in sides.items() if not side)
        return Recommendation(
            found.epsilon,
            sides["membership"] or None,
            sides["disclosure"] or None,
            self.theorem,
            (*remarks, *limits, *_useless(found.epsilon)),
        )


def _useless(epsilon: Interval) -> Iterable[str]:
    if epsilon.upper == 0.0:
        yield "only a release that does not depend on the data is admissible: some posterior may not exceed its prior"


def shown_down(value: Interval, digits: int = 6) -> str:
    """The admissible end of a value, rounded down."""
    return "inf" if math.isinf(value.lower) else Interval(value.lower, value.lower).rounded(digits)[0]
