"""What is known of the loss of shuffled reports, from both sides."""

from __future__ import annotations

from fractions import Fraction

from accountant import PrivacyLoss
from accountant.loss import NO_LOSS, BracketLoss, ResponseLoss
from accountant_response.counted_answers_loss import CountedAnswersLoss
from accountant_response.hidden_report_concentration import most_concentration
from accountant_response.hidden_report_loss import HiddenReportLoss
from accountant_response.tallies import WHOLE, exponentials

# Between these, doubles hold the chances of clones and of others.
_LEAST, _MOST = Fraction(1, 10**100), Fraction(300)


def shuffled_loss(epsilon: Fraction, reports: int) -> PrivacyLoss:
    """The loss of so many shuffled reports, each through a randomiser of which only epsilon is known."""
    if reports == 1:
        return ResponseLoss(epsilon)
    if not _LEAST <= epsilon <= _MOST:
        # Shuffling never adds to the loss; and whoever keeps a smaller epsilon keeps this one too.
        return BracketLoss(ResponseLoss(epsilon), _below(_MOST, reports) if epsilon > _MOST else NO_LOSS)
    # Of two bounds on the moments, the better one where there is a choice.
    summed = reports <= WHOLE and epsilon > Fraction(1, 2)
    return BracketLoss(
        HiddenReportLoss(epsilon, reports, silent=0, above=True),
        _below(epsilon, reports),
        None if summed else most_concentration(epsilon, reports),
    )


def _below(epsilon: Fraction, reports: int) -> PrivacyLoss:
    """The loss of randomised response over three categories while all others hold the third, or over two categories.

    Either is attained. Three categories lose more where clones are many and epsilon is above log 2.
    """
    clones = 2.0 * reports * exponentials(epsilon)[0]
    if clones > 32.0 and clones * (float(epsilon) - 0.69) > 32.0:
        return HiddenReportLoss(epsilon, reports, silent=1, above=False)
    return CountedAnswersLoss(epsilon, reports)
