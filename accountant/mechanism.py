"""Mechanism: the randomisation of a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant.query import Shift
from accountant.theorem import Theorem

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss


@frozen
class Mechanism(ABC):
    """A randomisation, known by its privacy loss.

    A subclass is a frozen attrs class whose fields are its parameters, with the name it has in plans as `kind` and the
    theorem that gives its loss as `theorem`.
    """

    kind: ClassVar[str]
    theorem: ClassVar[Theorem]
    needs_query: ClassVar[bool] = True

    @abstractmethod
    def loss(self, shift: Shift) -> PrivacyLoss:
        """A privacy loss that dominates every pair of output laws whose query answers differ by at most `shift`.

        The shift is never zero: a query that does not move costs nothing whatever the mechanism.
        """

    def scaled(self, factor: Fraction) -> Mechanism | None:
        """The same with `factor` times the noise, or None where there is no noise to scale."""
        return None
