"""One record on which the rate of all others depends."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from accountant import Neighbours, Reach, Theorem
from accountant.fields import about, at_least, at_most, exact, whole
from accountant.plugin import Public
from accountant_pufferfish.facts.steps import replacing
from accountant_pufferfish.theorems import SHARED_RATE


@frozen
class SharedRate(Public):
    """Units that say 0 or 1 at a rate that depends on what one of them, the target, says.

    Definition: given what the target says, all others are independent; each says 1 with probability `rate_if_one` if the
    target says 1, and with `rate_if_zero` if it says 0. Anybody may be the target. Whatever else a unit says may depend on
    its own answer.
    Guarantee: the data differ in at most the target and as many others as the two binomial counts can be kept within.
    """

    kind: ClassVar[str] = "shared-rate"
    theorem: ClassVar[Theorem] = SHARED_RATE

    records: int = field(
        converter=whole,
        validator=[at_least(1), at_most(1000)],
        kw_only=True,
        metadata=about("how many units there are, the target among them"),
    )
    rate_if_zero: Fraction = field(
        converter=exact,
        validator=[at_least(0), at_most(1)],
        kw_only=True,
        metadata=about("the probability that another unit says 1 if the target says 0"),
    )
    rate_if_one: Fraction = field(
        converter=exact,
        validator=[at_least(0), at_most(1)],
        kw_only=True,
        metadata=about("the probability that another unit says 1 if the target says 1"),
    )

    @property
    def value(self) -> str:
        return f"others say 1 at a rate of {self.rate_if_zero} if the target says 0, of {self.rate_if_one} if it says 1"

    @property
    def scenarios(self) -> str:
        return f"for each of {self.records:,} units as the target: the others are independent given what it says"

    @property
    def pairs(self) -> str:
        return "the target says 1 against it says 0"

    @property
    def moved(self) -> int:
        """The distance of order infinity between the data under the two secrets, in units that differ.

        It is no less than the distance between the two totals, and more where the others say the opposite of the target.
        """
        from accountant_pufferfish.distance.counts import binomial_weights
        from accountant_pufferfish.distance.wasserstein import widest_gap

        bottom = math.lcm(self.rate_if_zero.denominator, self.rate_if_one.denominator)
        zero, one = (
            binomial_weights(self.records - 1, int(rate * bottom), bottom) for rate in (self.rate_if_zero, self.rate_if_one)
        )
        return 1 + int(widest_gap(zero, one))

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(self.moved * replacing(neighbours), self.records)
