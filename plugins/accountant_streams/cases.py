"""Conformance cases: short streams, with the exact probabilities of what is published after binning.

Each published number is a normal variable around 0 or around its own move, worked out by hand here; all are independent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, reduce

from accountant.loss import FiniteLoss
from accountant.plugin import ConformanceCase, MechanismCase, Shift
from accountant_streams.matrix import Matrix
from accountant_streams.tree import Tree

DIGITS = 60


@cache
def cases() -> tuple[ConformanceCase, ...]:
    """Streams with one and several participations, on one and on two moving coordinates.

    Every plugin's laws ask for the cases of all: they are worked out once.
    """
    return tuple(_cases())


def _cases() -> Iterable[ConformanceCase]:
    one, two = Shift.along([1]), Shift.along([1, -1])
    halved = [["1", "1/2"]]
    yield MechanismCase("matrix of one row", Matrix(1, halved, participations=2), one, (_binned("3/2", 24),))
    both = _product(_binned("3/4", 8), _binned("-3/4", 8))
    yield MechanismCase("matrix of one row on two", Matrix(2, halved, participations=2), two, (both,))

    # One leaf moves itself and the root; two leaves move both and the root by their sum.
    yield MechanismCase("tree of two leaves", Tree(1, 2), one, (_product(_binned("1", 8), _binned("1", 8)),))
    leaf, root, down = _binned("1/4", 5), _binned("1/2", 5), _binned("-1/4", 5)
    yield MechanismCase("tree of two moves", Tree(4, 2, participations=2), one, (_product(leaf, leaf, root),))
    yield MechanismCase("tree of two leaves on two", Tree(4, 2), two, (_product(leaf, leaf, down, down),))


def _product(*pairs: FiniteLoss) -> FiniteLoss:
    return reduce(lambda left, right: left.times(right), pairs)


def _binned(move: str, bins: int) -> FiniteLoss:
    """The chances of standard normal noise around 0 and around `move` to fall between thresholds of equal distance."""
    with localcontext() as context:
        context.prec = DIGITS
        numerator, denominator = Fraction(move).as_integer_ratio()
        centre = Decimal(numerator) / denominator
        thresholds = [centre / 2 + Decimal(6 * k) / bins - 3 for k in range(1, bins)]
        columns = [[normal_tail(threshold - around) for threshold in thresholds] for around in (Decimal(0), centre)]
    laws = []
    for column in columns:
        above = [Fraction(1), *(Fraction(value) for value in column), Fraction(0)]
        laws.append([left - right for left, right in itertools.pairwise(above)])
    return FiniteLoss(zip(*laws, strict=True))


def normal_tail(z: Decimal) -> Decimal:
    """P(Z > z) = 1/2 - phi(z) (z + z^3/3 + z^5/(3 5) + ...) for standard normal Z."""
    term = total = z
    odd = 1
    while abs(term) > Decimal(10) ** -DIGITS:
        odd += 2
        term *= z * z / odd
        total += term
    return Decimal("0.5") - total * (-z * z / 2).exp() / (2 * _pi()).sqrt()


def _pi() -> Decimal:
    """pi by the arithmetic-geometric mean."""
    a, b, t, power = Decimal(1), Decimal("0.5").sqrt(), Decimal("0.25"), 1
    for _ in range(7):
        mean = (a + b) / 2
        a, b, t, power = mean, (a * b).sqrt(), t - power * (a - mean) ** 2, 2 * power
    return (a + b) ** 2 / (4 * t)
