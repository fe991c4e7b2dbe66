"""The loss of one yes-or-no answer when only the number of yeses is seen."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import Interval, fields
from accountant.loss import AtomicLoss, Atoms
from accountant.numbers.rounding import TINY, Balls
from accountant_response.tallies import binomial, exponentials

_MOST_ATOMS = 8192


@frozen(cache_hash=True)
class CountedAnswersLoss(AtomicLoss):
    """The loss of a randomised response that is counted together with those of others, whose true answer is no.

    Definition: the true answer is yes under P and no under Q. With f = e^-epsilon, the number k of yeses among n answers is
    binomial with odds f under Q, and (k/f + (n - k) f)/n times as likely under P.

    Guarantee: dominated by that pair. Counts that are taken together are a post-processing of it; rare ones are left out.
    """

    epsilon_parameter: Fraction = field(converter=fields.exact, validator=fields.above(0), alias="epsilon")
    reports: int = field(converter=fields.whole, validator=fields.at_least(1))

    def supremum_formula(self) -> Interval:
        """Everybody may say yes."""
        return Interval.of(self.epsilon_parameter)

    def find_atoms(self) -> Atoms:
        fall, rise = exponentials(self.epsilon_parameter)
        tally = binomial(self.reports, fall)
        width = math.ceil(tally.values.size / _MOST_ATOMS)
        # The likelihood ratio is linear in the count, so that of several counts is the one at their mean.
        chances = np.pad(tally.chances, (0, -tally.values.size % width)).reshape(-1, width)
        masses = np.sum(chances, axis=1)
        counts = tally.values[::width] + (chances @ np.arange(width)) / np.maximum(masses, TINY)
        ratios = (counts / fall + (self.reports - counts) * fall) / self.reports
        excess = rise * (counts / fall - (self.reports - counts)) / self.reports
        near = np.abs(excess) < 0.5
        losses = np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(ratios))
        masses = masses * ratios
        # A sum of so many chances, and a ratio of less than 16 roundings, which also multiplies what doubles lose of them.
        lost = tally.doubt * masses + TINY * np.maximum(ratios, 1.0)
        errors = Balls.rounded(masses, width + 16.0).widened(lost).radii
        return Atoms(losses, masses, errors)
