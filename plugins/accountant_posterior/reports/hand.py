"""Hand: how one page writes its quantities. Each is rounded here and nowhere else, so that it looks the same everywhere."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval
from accountant.report import Statement
from accountant_posterior.reports.said import EXCEEDING, GUESS, POWER, at_least, at_most, not_surer, stays_within
from accountant_posterior.reports.wording import Written, between, ends, frequency, most, out_of_100, percent

if TYPE_CHECKING:
    from accountant_posterior.reports.view import View


@frozen
class Hand:
    """How shares are written on a page: with so many decimals of a percentage at least, and guesses perhaps out of 100."""

    decimals: int
    out_of_100: bool

    def share(self, value: float | Fraction, *, up: bool = True) -> Written:
        """A share, rounded up or down."""
        return percent(value, up=up, least=self.decimals)

    def guess(self, view: View) -> Statement:
        """How often the best guess about an even question is right, at most."""
        return at_most(self.guessed(view.guess), view.comparison, GUESS)

    def guessed(self, value: Interval) -> Written:
        """How many guesses are right at most, as this page writes it."""
        return out_of_100(value) if self.out_of_100 else self.share(most(value))

    def attained(self, view: View) -> Statement | None:
        """The share of right guesses that somebody attains; None where that is not known.

        Who only claims or states how much is lost may lose less, datasets that are told apart best need not agree on what
        is exact, and those that one release tells apart best need not be those of another.
        """
        compared, releases = view.comparison, view.account.plan.releases
        known = len(releases) == 1 and releases[0].query is not None and not releases[0].query.stated
        if not known or compared.claimed or compared.invariants:
            return None
        return at_least(self.share(view.guess.lower, up=False), view.comparison, GUESS)

    def band(self, view: View, prior: Fraction, failure: Fraction) -> Statement:
        """Between which ends a belief stays, but with some probability."""
        held = view.belief(prior, failure)
        text, written = between(held, self.decimals), ends(held, self.decimals)
        return stays_within(text, written, view.comparison, prior, failure_of(view, failure))

    def surer(self, view: View, prior: Fraction, failure: Fraction, *, in_words: bool = False) -> Statement:
        """How sure somebody may become at most, but with some probability; in words as so many in a hundred."""
        held = view.belief(prior, failure)
        written = frequency(held) if in_words else self.share(most(held))
        return not_surer(written, view.comparison, prior, failure_of(view, failure))

    def power(self, view: View, level: Fraction) -> Statement:
        """The largest power of a test at a level."""
        return at_most(self.share(view.power(level)), view.comparison, POWER, level=level)

    def exceeding(self, view: View, times: Fraction) -> Statement:
        """How often at most the belief in the truth grows by more than a factor."""
        return at_most(self.share(view.exceeding(times)), view.comparison, EXCEEDING, times=times)


PLAIN = Hand(0, True)
"""For the public: whole numbers, out of a hundred."""
PRECISE = Hand(1, False)
"""For all others: percentages with a decimal."""


def failure_of(view: View, failure: Fraction) -> Fraction:
    """The chance with which a bound may fail that is allowed to fail with some probability."""
    return Fraction(0) if view.never_fails(failure) else failure
