"""The loss of one report among others that look like it, from above or from below."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from attrs import field, frozen

from accountant import Interval, fields
from accountant.loss import AtomicLoss, Atoms, Floats
from accountant.numbers import float_above
from accountant.numbers.rounding import Ball
from accountant_response.strengths import MOST, Strengths
from accountant_response.tallies import Tally, binomial, exponentials, largest_sum, sum_of_signs

_MOST_CELLS = 2**22


@frozen(cache_hash=True)
class HiddenReportLoss(AtomicLoss):
    """The loss of a report that says "first" or "second", hidden among others that say either by chance.

    Definition: with a = 1/(e^epsilon + 1 + silent), each of the other reports says "first" with chance a, "second" with
    chance a, and something else otherwise. The report in question says "first" with chance e^epsilon a under P and a under
    Q, "second" the other way round, and something else with chance silent a. How many say which is seen.

    Guarantee: dominates the pair if `above`, and is dominated by it otherwise.
    """

    symmetric = True

    epsilon_parameter: Fraction = field(converter=fields.exact, validator=fields.above(0), alias="epsilon")
    reports: int = field(converter=fields.whole, validator=fields.at_least(1))
    silent: int = field(converter=fields.whole, validator=fields.at_least(0))
    above: bool

    def supremum_formula(self) -> Interval:
        """All reports may say "first"."""
        return Interval.of(self.epsilon_parameter)

    def find_atoms(self) -> Atoms:
        """Let c of all n reports say either, and d more say the one than the other.

        With f = e^-epsilon and r = 2 silent f^2/(1 - f + silent f), c is binomial with odds 2 f/(1 - f + silent f), weighed
        by (1 + f) c + r (n - c); d is a sum of c fair signs; and tanh(|loss|/2) = (1 - f) |d|/((1 + f) c + r (n - c)).
        """
        fall, rise = exponentials(self.epsilon_parameter)
        rest = 2.0 * self.silent * fall * fall / (rise + self.silent * fall)
        tally = binomial(self.reports, 2.0 * fall / (rise + self.silent * fall), 1.0 + fall, rest)
        blocks = self._blocks(tally, rest)

        def loss(sizes: Floats, count: float | Floats, silence: float | Floats) -> Floats:
            found: Floats = np.log1p(2.0 * rise * sizes / ((count - sizes) + fall * (count + sizes) + silence))
            return found

        def rows() -> Iterator[tuple[Floats, Floats]]:
            for chance, count, silence in zip(*blocks, strict=True):
                signs = sum_of_signs(int(count))
                yield loss(signs.values, count, silence), chance * signs.chances

        _, counts, silences = blocks
        largest = np.array([largest_sum(int(count)) for count in counts], dtype=np.float64)
        last = sum_of_signs(int(counts[-1]))
        # Chances are multiplied, after sums over as many counts as a block has.
        doubt = Ball.rounded(1.0, counts.size + last.values.size).widened(tally.doubt + last.doubt).radius
        most = float_above(self.epsilon_parameter)
        if float(np.sum(0.5 * largest + 1.0)) <= MOST:
            strengths = Strengths.apart(rows(), most, doubt, self.above)
        else:
            top = float(np.max(loss(largest, counts, silences)))
            strengths = Strengths.grouped(rows(), top, most, doubt, self.above)
        left_out = tally.others + last.others
        if self.above and left_out > 0.0:
            # Whatever happens there, it loses no more than epsilon in either direction.
            strengths = strengths.and_worst(float(self.epsilon_parameter), left_out)
        return strengths.atoms()

    def _blocks(self, tally: Tally, rest: float) -> tuple[Floats, Floats, Floats]:
        """Neighbouring c taken together: the chance of each block, and the c and the r (n - c) that stand for all of it.

        A sum of c signs, divided by c, is a mean of sums of fewer signs divided by their number: it is less spread. And
        c/((1 + f) c + r (n - c)) grows with c. So a block is dominated with the fewest signs and that quotient at the
        largest c, and dominates with the most signs and that quotient at the smallest c.
        """
        values, size = tally.values, tally.values.size
        width = math.ceil(size * (largest_sum(int(values[-1])) // 2 + 1) / _MOST_CELLS)
        # Where nobody says either, nothing is lost: c = 0 stands alone.
        starts = np.unique(np.r_[0, int(values[0] == 0.0) : size : width])
        first, last = values[starts], values[np.append(starts[1:], size) - 1]
        counts, ends = (first, last) if self.above else (last, first)
        silences = np.where(ends > 0.0, rest * (self.reports - ends) * counts / np.maximum(ends, 1.0), 1.0)
        return np.add.reduceat(tally.chances, starts), counts, silences
