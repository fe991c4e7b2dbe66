"""What a plan is compared with: Gaussian noise that spends the same rho, and every mechanism that may spend it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval
from accountant.numbers import plain
from accountant.plugin import DIVERGENCES

if TYPE_CHECKING:
    from accountant import Account
    from accountant.loss import PrivacyLoss
    from accountant.plugin import Divergence


AS_NOISE = "Gaussian noise with the same rho"
AS_CLAIM = "any mechanism with that rho"


@frozen
class Rivals:
    """Losses with the rho of an account: that of Gaussian noise, and the worst that zero-concentrated privacy permits."""

    account: Account
    rho: Fraction

    @classmethod
    def of(cls, account: Account) -> Rivals | None:
        """None where the account has no finite rho above 0, so that nothing else is comparable by it."""
        if "zcdp" not in account.registry[DIVERGENCES]:
            return None
        found = account.measure("zcdp").value
        if not 0.0 < found.upper < math.inf:
            return None
        return cls(account, Fraction(found.upper) if found.exact is None else found.exact)

    @property
    def shown(self) -> str:
        """The rho in a few figures, rounded up."""
        return Interval.of(self.rho).rounded(6)[1] if self.rho.denominator > 10**6 else plain(self.rho)

    @property
    def gaussian(self) -> PrivacyLoss:
        """The loss of Gaussian noise with this rho."""
        from accountant.loss import GaussianLoss

        return GaussianLoss(2 * self.rho)

    @property
    def worst(self) -> PrivacyLoss:
        """A loss that dominates every mechanism with this rho."""
        zcdp = self.account.registry.find(DIVERGENCES, "zcdp")
        return zcdp.worst_case(zcdp.parameter(self.rho))

    def reader(self, loss: PrivacyLoss, divergence: str, word: str) -> Callable[[Fraction], Interval]:
        """What a definition reads off a loss at each place."""
        definition: Divergence = self.account.registry.find(DIVERGENCES, divergence)
        return lambda place: definition.measure(loss, {word: place})


def titled(title: str, rivals: Rivals | None) -> str:
    """The title of a panel, with the rho that its rivals have."""
    return title if rivals is None else f"{title}: rho {rivals.shown}"
