"""The loss between datasets in which two records of a stratum have exchanged their values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from accountant import Interval
from accountant.loss import AtomicLoss, Atoms, BracketLoss, CutLoss
from accountant.numbers.rounding import Balls
from accountant_invariants.stratum import Stratum

# Rounding at this many digits stays far below that of doubles even when it adds up over every record of a stratum.
_DIGITS = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
_ROUNDED = 1e-40
_POINTS = 301
_RAREST = Decimal("1e-330")


@frozen
class ExchangeLoss(AtomicLoss):
    """The loss of swapping between a stratum of distinct values and the same with two of them exchanged.

    Definition: a permutation s has chance w(s) before and w(ts) after, t the exchange. By what s does to the two records,
    ts moves two more, one more, one less, two less, or just as many. Exchanging the datasets changes nothing.
    """

    symmetric: ClassVar[bool] = True

    stratum: Stratum

    def __str__(self) -> str:
        return f"an exchange of two values among {self.stratum.size:,} that are swapped"

    @cached_property
    def _reach(self) -> Interval:
        return self.stratum.reach(2)

    def supremum_formula(self) -> Interval:
        return self._reach

    def find_atoms(self) -> Atoms:
        with localcontext(_DIGITS):
            steps = _steps(self.stratum)
            chances = _moved(self.stratum.size, steps)
            common = {count for count, chance in chances.items() if chance > _RAREST}
            # A pair is as likely as the more likely of the two numbers of moved records that it joins.
            kept = {count: chances[count] for count in chances if common & {count, count + 1, count + 2}}
            pairs = list(_pairs(self.stratum.size, kept, steps))
            rest = max(Decimal(0), 1 - sum((before + after for before, after in pairs), Decimal(0)))
            logs = np.array([_log(before / after) for before, after in pairs])
            masses = np.array([[float(part) for part in pair] for pair in pairs])
        top = self.supremum_formula().upper
        # What is too rare for doubles counts with the largest loss and with its negative.
        losses = np.concatenate([logs, -logs, [0.0, top, -top]])
        found = np.concatenate([masses[:, 0], masses[:, 1], [float(rest), 0.0, 0.0]])
        # Decimals of 60 digits are rounded once.
        errors = Balls.evaluated(found, 4.0).radii
        errors[2 * len(pairs)] += _ROUNDED
        order = np.argsort(losses)
        return Atoms(losses[order], found[order], errors[order])


@frozen
class LargestLoss(BracketLoss):
    """A bracket of which the largest loss is known.

    Guarantee: what it stands for has losses up to `largest`, in both directions, and no larger ones.
    """

    largest: Interval = field(kw_only=True)

    def supremum_formula(self) -> Interval:
        return self.largest


def envelope(strata: Sequence[Stratum]) -> CutLoss:
    """A loss above those of an exchange in any of the strata.

    The largest of their curves is the curve of a pair again. It is convex in e^epsilon, so that between the points at which
    it is read the chord lies above it.
    """
    exchanges = [ExchangeLoss(stratum) for stratum in strata]
    top = max(exchange.supremum_formula().upper for exchange in exchanges)
    points = np.linspace(0.0, top, _POINTS)
    deltas = [max(exchange.delta(Fraction(point)).upper for exchange in exchanges) for point in points[:-1].tolist()]
    return CutLoss.through(points, np.array([*deltas, 0.0]))


def _log(ratio: Decimal) -> float:
    """The logarithm, whatever the size of the ratio."""
    if Decimal("0.5") < ratio < 2:
        return math.log1p(float(ratio - 1))
    power = ratio.adjusted()
    if abs(power) < 300:
        return math.log(float(ratio))
    return math.log(float(ratio.scaleb(-power))) + power * math.log(10.0)


def _steps(stratum: Stratum) -> list[Decimal]:
    """w(k)/w(k + 1) from k = 0 on; of the first two only the product has a meaning when deranging."""
    odds = Decimal(stratum.odds.numerator) / Decimal(stratum.odds.denominator)
    if stratum.version == "permute":
        steps = [1 + stratum.size / odds]
        for start in range(stratum.size - 2, -1, -1):
            steps.append(1 + (start + 1 + (stratum.size - start - 1) / steps[-1]) / odds)
        return steps[::-1]
    stays = 1 + stratum.size * odds if stratum.single == "keep" else Decimal(1)
    return [stays / odds, 1 / odds, *(growth / odds for growth in _growths(stratum.size))]


def _growths(size: int) -> Iterator[Decimal]:
    """d_(k+1)/d_k from k = 2 on, d_k the number of permutations of k things that leave none in place."""
    growth = Decimal(2)
    for count in range(3, size + 1):
        yield growth
        growth = count * (1 + 1 / growth)


def _moved(size: int, steps: list[Decimal]) -> dict[int, Decimal]:
    """The chance that so many records move."""
    chances = {0: Decimal(1), 2: Decimal(size * (size - 1)) / (2 * steps[0] * steps[1])}
    for count, growth in enumerate(_growths(size), start=2):
        chances[count + 1] = chances[count] * (size - count) * growth / ((count + 1) * steps[count])
    total = sum(chances.values())
    return {count: chance / total for count, chance in chances.items()}


def _pairs(size: int, chances: dict[int, Decimal], steps: list[Decimal]) -> Iterator[tuple[Decimal, Decimal]]:
    """The chances, before and after, of all permutations that fix both records or just one, by how many they move."""
    every = Decimal(size * (size - 1))
    for count, chance in chances.items():
        if count + 2 <= size:
            both = chance * (size - count) * (size - count - 1) / every
            yield both, both / (steps[count] * steps[count + 1])
        if 2 <= count < size:
            one = chance * 2 * count * (size - count) / every
            yield one, one / steps[count]
