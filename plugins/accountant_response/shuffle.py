"""Shuffled reports: everybody reports with local noise, and nobody learns who sent what."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from accountant import ShiftError, Theorem, fields
from accountant.plugin import Mechanism, Shift
from accountant_response.one_report import REPLACED, changed_answers

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss

SHUFFLE = Theorem(
    "shuffled-reports",
    "Reports through one epsilon-locally-private randomiser, shuffled, are dominated by one randomised response that is "
    "hidden among a binomial number of fair coins: each other report counts as one with chance 2/(e^epsilon + 1).",
    "accountant",
    "reference/mechanisms/shuffle",
    (
        "every unit reports exactly once",
        "all reports come from the same randomiser, each drawn independently",
        "the shuffler forgets who sent what and in which order, and colludes with nobody",
        "no other report is known to the attacker, or made up",
    ),
    "proved-here",
    relations=REPLACED,
)


@frozen
class Shuffle(Mechanism):
    """Reports of all units through a local randomiser, in random order.

    The randomiser may be any that keeps epsilon for each report alone, the same for everybody.
    """

    kind: ClassVar[str] = "shuffle"
    theorem: ClassVar[Theorem] = SHUFFLE
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = REPLACED

    epsilon: Fraction = field(
        converter=fields.exact,
        validator=fields.above(0),
        metadata=fields.about("what each report loses at most before it is shuffled"),
    )
    reports: int = field(
        converter=fields.whole,
        validator=[fields.at_least(1), fields.at_most(10**10)],
        metadata=fields.about("how many reports are shuffled together"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        if changed_answers(self.kind, shift) > 1:
            raise ShiftError(
                f"'{self.kind}' is accounted for where one report changes, but here several do at once; promise neighbours "
                "that differ in one unit, or account for the reports by the kind of their local noise, without the shuffler"
            )
        from accountant_response.shuffled_loss import shuffled_loss

        return shuffled_loss(self.epsilon, self.reports)
