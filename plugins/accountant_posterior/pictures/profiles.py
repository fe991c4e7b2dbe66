"""Risk profiles: what each tolerates at each prior, and the largest epsilon that this allows there."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval, InvalidValue
from accountant.numbers import float_above, float_below
from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture, read
from accountant_posterior.risk.bounds import largest_epsilon
from accountant_posterior.risk.profile import Ceiling, Profile
from accountant_posterior.semantics.odds import written

if TYPE_CHECKING:
    from accountant import Account

PRIORS = tuple(Fraction(step, 100) for step in (*range(1, 10), *range(10, 100, 2)))


def picture(account: Account) -> Picture:
    """The profiles of a plan, each with what it tolerates above and what it allows below."""
    found = [profile for profile in account.plan.risks if isinstance(profile, Profile)]
    if not found:
        raise InvalidValue("the plan states no risk profile that says what it tolerates at each prior; add a [risk] table")
    panels = []
    for number, profile in enumerate(found, start=1):
        cut = Cut.of(profile)
        name = profile.kind if len(found) == 1 else f"{number}: {profile.kind}"
        tolerated = read(account, "risk", ("prior", "posterior"), PRIORS, cut.posterior, None)
        allowed = read(account, "risk", ("prior", "epsilon"), PRIORS, cut.epsilon, None)
        panels += [
            Panel(
                f"{name}: tolerated",
                cut.word,
                "largest belief",
                (DrawnLine(profile.words, tolerated, "demand"),),
                shares=True,
            ),
            Panel(f"{name}: allowed", cut.word, "largest epsilon there", (DrawnLine(profile.words, allowed, "demand"),)),
        ]
    says = tuple(_says(profile) for profile in found)
    return Picture("profiles", "Risk profiles, and the epsilon that they allow at each prior", says, tuple(panels))


def _says(profile: Profile) -> str:
    recommended = profile.recommend()
    least = "any" if recommended.epsilon.lower == math.inf else recommended.epsilon.rounded(6)[0]
    return (
        f"{profile.kind}: {profile.words}. Against the {profile.adversary} adversary, who assumes {profile.model.assumes}, "
        f"between {profile.neighbours} neighbours. Only what is allowed at every prior keeps the profile: an epsilon of "
        f"{least} of pure differential privacy. Priors where it asks for nothing are left out; between those shown nothing "
        "is drawn."
    )


@frozen
class Cut:
    """Priors of one kind: of membership or of a sensitive value, while the other is what it is."""

    profile: Profile
    of_membership: bool
    other: Fraction

    @classmethod
    def of(cls, profile: Profile) -> Cut:
        """Along the belief that a profile leaves open: that in a value of a sure member, where it leaves both open."""
        one = Fraction(1)
        if isinstance(profile, Ceiling):
            seen = profile.box.seen(profile.view) or profile.box
            if seen.disclosure[0] == seen.disclosure[1]:
                return cls(profile, True, seen.disclosure[0])
            return cls(profile, False, seen.membership[1])
        return cls(profile, profile.view.disclosure is not None, one)

    @property
    def word(self) -> str:
        """What the axis across is."""
        own, other = ("membership", "value") if self.of_membership else ("value", "membership")
        return f"belief in the {own} beforehand" + ("" if self.other == 1 else f", {other} {written(self.other)}")

    def _priors(self, prior: Fraction) -> tuple[Fraction, Fraction]:
        return (prior, self.other) if self.of_membership else (self.other, prior)

    def _ends(self, prior: Fraction) -> tuple[Fraction, Fraction] | None:
        """Both ends of the ratio that is tolerated; None where nothing is asked."""
        ratio = self.profile.tolerance(*self._priors(prior))
        if math.isinf(ratio.upper):
            return None
        ends = (ratio.lower, ratio.upper) if ratio.exact is None else (ratio.exact, ratio.exact)
        low, high = (max(Fraction(1), Fraction(end)) for end in ends)
        return low, high

    def posterior(self, prior: Fraction) -> Interval:
        """The largest posterior that is tolerated, which is never above 1."""
        ends, start = self._ends(prior), prior * self.other
        if ends is None:
            return Interval(0.0, math.inf)
        low, high = (min(Fraction(1), start * end) for end in ends)
        return Interval(float_below(low), float_above(high))

    def epsilon(self, prior: Fraction) -> Interval:
        """The epsilon at which the posterior reaches what is tolerated."""
        ends = self._ends(prior)
        if ends is None:
            return Interval.infinite()
        low, high = (largest_epsilon(*self._priors(prior), end, self.profile.view.steps) for end in ends)
        return Interval(low.lower, high.upper)
