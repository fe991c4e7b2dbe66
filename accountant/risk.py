"""RiskProfile: how much posterior risk an agency tolerates at each prior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant.interval import Interval


@frozen
class RiskProfile(ABC):
    """A ceiling on posterior risk as a function of what an attacker believes beforehand.

    `tolerance` is the largest tolerated ratio of posterior to prior probability for an attacker who holds probability
    `membership` that the target is in the data and probability `disclosure` that a member has the sensitive value.
    """

    kind: ClassVar[str]

    @abstractmethod
    def tolerance(self, membership: Fraction, disclosure: Fraction) -> Interval:
        """The largest tolerated ratio of posterior to prior, at least 1."""

    @abstractmethod
    def admissible(self) -> Interval:
        """The largest epsilon of pure differential privacy under which no attacker exceeds the tolerance.

        Guarantee: the lower end is admissible.
        """
