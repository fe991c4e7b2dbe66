"""What is left to an attacker once noisy counts were made to add up."""

from __future__ import annotations

from fractions import Fraction

from attrs import field, frozen
from attrs.converters import optional

from accountant import Interval, fields
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.beliefs import belief
from accountant_posterior.attacks.counts import Outlook
from accountant_posterior.attacks.hierarchy import Level
from accountant_posterior.attacks.hierarchy_attack import HierarchyAttack
from accountant_posterior.attacks.parents import Known


@frozen
class ProjectionAttack:
    """A simulated attack, not a guarantee: only the target area's count after post-processing is seen.

    Definition: the noisy count x of the target's area and those of its d siblings, with sum y, are moved by least squares
    so that they add up to what the parent was processed to before, t: x becomes (d x + t - y)/(d + 1). That is rounded to
    the nearest whole number, halves to the even one, and put between 0 and t. The attacker knows t and the parent's count.

    Guarantee: intervals contain the exact numbers; the noise of the siblings' sum is added up, not approximated.

    What to compare it with is `baseline`, the same attacker who sees x and y: post-processing never helps an attacker.
    The noisy count x alone is no baseline, since y also tells something and the projection makes use of it.
    """

    prior: Fraction = field(
        converter=belief, metadata=fields.about("the attacker's probability that the target is counted, before any release")
    )
    scale: Fraction = field(
        converter=fields.exact, validator=fields.above(0), metadata=fields.about("the scale of the noise of every count")
    )
    siblings: int = field(
        converter=fields.whole,
        validator=fields.at_least(1),
        metadata=fields.about("how many other areas the parent has"),
    )
    parent: int = field(
        converter=fields.whole,
        validator=fields.at_least(1),
        metadata=fields.about("the parent's count, which the attacker knows"),
    )
    total: int | None = field(
        default=None,
        converter=optional(fields.whole),
        validator=fields.at_least(0),
        metadata=fields.about("what the parent was processed to; its count when left out"),
    )
    known: int = field(
        default=0,
        converter=fields.whole,
        validator=fields.at_least(0),
        metadata=fields.about("how many others in the target's area are counted, which the attacker knows"),
    )

    def outlook(self) -> Outlook:
        """What the attacker ends up with on average when the target is there and only the processed count is seen."""
        from accountant_posterior.attacks.projected import projected_laws

        total = self.parent if self.total is None else self.total
        with_target, without = projected_laws(self.scale, self.siblings, self.parent, total, self.known)
        own, other = Ball.of(self.prior), Ball.of(1 - self.prior)
        p, rest = own.middle, other.middle
        low = high = sure = possible = 0.0
        for a, b in zip(with_target, without, strict=True):
            low += _posterior(p * a.lower, rest * b.upper) * a.lower
            high += _posterior(p * a.upper, rest * b.lower) * a.upper
            sure += a.lower if (own * a.lower).lower > (other * b.upper).upper else 0.0
            possible += a.upper if (own * a.upper).upper > (other * b.lower).lower else 0.0
        outputs = len(with_target)
        return Outlook(self.prior, _between(low, high, outputs), _between(sure, possible, outputs))

    def baseline(self) -> Outlook:
        """The same attacker who sees all that was measured: the noisy count, the siblings' sum and the parent.

        From the model of `measured`, which says whether it takes the noise of that sum for discrete Gaussian.
        """
        return self.measured.outlook(self.parent)

    @property
    def measured(self) -> HierarchyAttack:
        """The attack on all that was measured."""
        # The parent is known, so that what noise its own count might have does not matter.
        levels = (Level(self.scale, self.siblings), Level(self.scale))
        return HierarchyAttack(self.prior, levels, Known(self.parent), self.known)


def _posterior(present: float, absent: float) -> float:
    return present / (present + absent) if present > 0.0 else 0.0


def _between(low: float, high: float, outputs: int) -> Interval:
    # A sum of so many products, each of a ratio that rounds less than 8 times.
    least, most = (Ball.rounded(end, 4.0 * (outputs + 8)) for end in (low, high))
    return Interval(max(0.0, least.lower), most.upper).clamp(0.0, 1.0)
