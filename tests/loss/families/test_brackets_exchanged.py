"""A bracket that is exchanged exchanges both of its losses."""

from __future__ import annotations

from fractions import Fraction

from accountant.loss import FiniteLoss
from accountant.loss.families.two_sided import BracketLoss

UNLIKE = FiniteLoss([(Fraction(1, 2), Fraction(1, 10)), (Fraction(1, 2), Fraction(9, 10))])
ALIKE = FiniteLoss([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))])


def test_each_side_is_exchanged_even_if_the_other_is_the_same_both_ways() -> None:
    for above, below in ((UNLIKE, ALIKE), (ALIKE, UNLIKE), (UNLIKE, UNLIKE)):
        back = BracketLoss(above, below).reverse()
        assert isinstance(back, BracketLoss)
        for side, other in ((back.above, above.reverse()), (back.below, below.reverse())):
            for epsilon in (0.0, 0.3, 1.0, 2.0):
                assert side.delta(epsilon) == other.delta(epsilon)
