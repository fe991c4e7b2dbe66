"""What all streams share: Gaussian noise of one size, and the steps at which neighbours may differ."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Self

from attrs import evolve, field, frozen

from accountant import fields, loss as losses
from accountant.plugin import Mechanism, Shift

if TYPE_CHECKING:
    from accountant import Interval
    from accountant.loss import PrivacyLoss

ASSUMPTIONS = (
    "independent noise of the same sigma in every published number",
    "neighbours have the same answers except at the steps of one pattern, where they differ by at most the shift of the "
    "query in the L2 norm",
    "answers depend on no output, or on earlier ones only where nothing is published before the last step that enters it",
)


class Ends(NamedTuple):
    """The square of a sensitivity from both sides: attained by some stream, and never exceeded by any."""

    below: Fraction
    above: Fraction


@frozen
class Stream(Mechanism):
    """Linear combinations of a stream of answers, each with Gaussian noise.

    Definition: a pattern is a set of at most `participations` steps, any two at least `separation` steps apart. The
    sensitivity is the largest L2 norm by which the combinations move together when the answers at the steps of one
    pattern move by at most 1 each.
    """

    sigma: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("the standard deviation of the noise in every published number"),
    )
    participations: int = field(
        default=1,
        kw_only=True,
        converter=fields.whole,
        validator=fields.at_least(1),
        metadata=fields.about("at how many steps the answers of neighbours may differ"),
    )
    separation: int = field(
        default=1,
        kw_only=True,
        converter=fields.whole,
        validator=fields.at_least(1),
        metadata=fields.about("how many steps apart any two such steps are at least; 1 where they may follow each other"),
    )

    @abstractmethod
    def sensitivity_squared(self) -> Ends:
        """The square of the sensitivity, for moves in any direction."""

    def moved_squared(self, shift: Shift) -> Ends:
        """The same for the moves that an answer can make, given how far it moves in one step."""
        return self.sensitivity_squared()

    def scaled(self, factor: Fraction) -> Self:
        return evolve(self, sigma=self.sigma * factor)

    def error(self, share: Fraction) -> Interval | None:
        from accountant.plugin import distance

        # What is published are the combinations, each with noise of its own.
        return distance(losses.NormalNoise(self.sigma), share)

    def loss(self, shift: Shift) -> PrivacyLoss:
        below, above = (_gaussian(end * shift.l2_squared / self.sigma**2) for end in self.moved_squared(shift))
        return above if above == below else losses.BracketLoss(above, below)


def _gaussian(mu_squared: Fraction) -> PrivacyLoss:
    return losses.GaussianLoss(mu_squared) if mu_squared else losses.NO_LOSS
