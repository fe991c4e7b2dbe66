"""Profile: what the kinds of risk profile have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Assessment, Interval
from accountant_posterior.risk.bounds import Attackers
from accountant_posterior.risk.ceilings import EVERY, Binding, Box, Corner, Range, binding, corners
from accountant_posterior.risk.criterion import Criterion
from accountant_posterior.semantics.odds import written

if TYPE_CHECKING:
    from accountant import Account


@frozen
class Profile(Criterion):
    """A criterion that accounts are assessed by."""

    def asks(self, membership: Fraction, disclosure: Fraction) -> bool:
        return self.view.sees(membership, disclosure)

    def assess(self, account: Account) -> Assessment:
        from accountant_posterior.risk.assessment import assess

        return assess(self, account)


@frozen
class Ceiling(Profile):
    """A largest ratio r and a tolerated posterior a on a box of priors: max{a/(p q), r}, and anything elsewhere."""

    @property
    @abstractmethod
    def box(self) -> Box:
        """The priors that the profile speaks of."""

    @property
    @abstractmethod
    def limits(self) -> tuple[Fraction, Fraction]:
        """The largest ratio, and the posterior below which no ratio matters."""

    @property
    def members_only(self) -> bool:
        return self.box.membership[0] == 1

    @property
    def words(self) -> str:
        ratio, posterior = self.limits
        sides = {"membership": self.box.membership, "a sensitive value": self.box.disclosure}
        asked = [f"a probability of {name} {_ends(side)}" for name, side in sides.items() if side != EVERY]
        whose = f"for {' and '.join(asked)}, " if asked else ""
        above = f" above {written(posterior)}" if posterior else ""
        return f"{whose}no posterior{above} exceeds {written(ratio)} times its prior"

    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        if not self.box.holds(membership, disclosure):
            return Interval.infinite()
        ratio, posterior = self.limits
        return Interval.of(max(ratio, posterior / (membership * disclosure)))

    def speaks_of(self, view: Attackers) -> bool:
        return self.box.seen(view) is not None

    def corners(self, view: Attackers) -> Iterable[Corner]:
        """The priors among which one decides."""
        seen = self.box.seen(view)
        return () if seen is None else corners(seen, *self.limits)

    def admits(self, view: Attackers) -> Binding:
        return binding(self.corners(view), view.steps)

    def lint(self) -> tuple[str, ...]:
        ratio = self.limits[0]
        seen = self.box.seen(self.view) or self.box
        least, most = (seen.membership[end] * seen.disclosure[end] for end in (0, 1))
        if ratio * most <= 1:
            return ()
        whom = "any attacker it speaks of" if ratio * least >= 1 else f"attackers whose prior is above {written(1 / ratio)}"
        return (f"a ratio of {written(ratio)} asks nothing of {whom}: no posterior exceeds 1",)


def _ends(side: Range) -> str:
    return f"of {written(side[0])}" if side[0] == side[1] else f"from {written(side[0])} to {written(side[1])}"
