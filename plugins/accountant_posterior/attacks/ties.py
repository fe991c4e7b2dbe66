"""Which of two hypotheses is the likelier one where doubles cannot tell: in as many digits as it takes, up to a limit."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accountant_posterior.attacks.hierarchy import Hierarchy

_DIGITS = (40, 80, 160, 320, 640)
_MOST_PARENTS = 20_000


def decided(attack: Hierarchy, own: int, above: int, beside: int) -> bool | None:
    """Whether presence is the likelier one, strictly, given the noisy counts of the area, its parent and its siblings.

    For two levels. None where that stays open: where chances are not known in closed form, or the most digits do not do.
    """
    noise = attack.noises[0]
    if len(attack.levels) != 2 or not (noise.approximated or noise.number == 1):
        return None
    for digits in _DIGITS:
        context = Context(prec=digits + 10, Emin=-(10**9), Emax=10**9)
        found = [_Hypothesis(attack, step, context).weight(own, above, beside, digits) for step in (0, 1)]
        absent, present = found
        if absent is None or present is None:
            return None
        gap = context.subtract(present, absent)
        if abs(gap) > context.scaleb(context.add(present, absent), 3 - digits):
            return gap > 0
    return None


class _Hypothesis:
    """The target's area holds so many beyond those that are known; its weight is summed over what the parent may hold."""

    def __init__(self, attack: Hierarchy, step: int, context: Context) -> None:
        self.attack, self.context = attack, context
        self.prior = attack.prior if step else 1 - attack.prior
        self.count = attack.known + step

    def weight(self, own: int, above: int, beside: int, digits: int) -> Decimal | None:
        """The chance of all that is seen, up to a factor that both hypotheses share."""
        attack, context = self.attack, self.context
        expected = attack.levels[0].siblings * (attack.known + attack.prior)
        scale = attack.levels[1].scale
        likely = max(above, self.count)
        reach = math.isqrt(math.floor(2 * scale * (3 * digits + self._exponent(likely, above, beside)))) + 2
        last = max(likely, beside + self.count) + reach
        if last - self.count > _MOST_PARENTS:
            return None
        total, term = Decimal(0), Decimal(0)
        for parent in range(self.count, last + 1):
            believed = attack.above.weight(self.count, parent, expected)
            if believed is None:
                return None
            seen = context.exp(self._plain(-self._exponent(parent, above, beside)))
            term = context.multiply(self._plain(believed), seen)
            total = context.add(total, term)
        # Beyond the last parent each term is smaller than the one before by the same factor at least.
        fall = 1 - context.exp(self._plain(-Fraction(2 * reach + 1) / (2 * scale)))
        if total == 0 or context.divide(term, fall) > context.scaleb(total, -digits):
            return None
        alone = context.exp(self._plain(-Fraction((own - self.count) ** 2) / (2 * attack.levels[0].scale)))
        return context.multiply(context.multiply(self._plain(self.prior), alone), total)

    def _exponent(self, parent: int, above: int, beside: int) -> Fraction:
        """How unlikely the noise of the parent and of the siblings is, if the parent holds so many."""
        level = self.attack.levels[0]
        apart = Fraction((beside - parent + self.count) ** 2) / (2 * level.scale * level.siblings)
        return Fraction((above - parent) ** 2) / (2 * self.attack.levels[1].scale) + apart

    def _plain(self, value: Fraction) -> Decimal:
        return self.context.divide(Decimal(value.numerator), Decimal(value.denominator))
