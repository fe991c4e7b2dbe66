"""Published conversions against long arithmetic, at random parameters and where doubles are bad.

Formulas are short, so that a double comes out on the wrong side as often as not: an end that is not moved outward is caught
by a few draws.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import pytest

from accountant import Interval
from accountant_pure.conversions import PureToZcdpTight
from accountant_pure.definition import PureParameter
from accountant_renyi.conversions import RenyiToApproxClassic, RenyiToApproxImproved
from accountant_renyi.definition import RenyiParameter
from accountant_zcdp.conversions import ZcdpToApproxClassic, ZcdpToApproxOptimised
from accountant_zcdp.definition import ZcdpParameter

Real = Any
SIZES = [-170, -40, -9, -3, 0, 1, 3, 30]


def real(value: Fraction) -> Real:
    return mp.mpf(value.numerator) / value.denominator


def about(dice: random.Random, least: int = -170) -> Fraction:
    """A double, or a number that none holds."""
    size = dice.choice([power for power in SIZES if power >= least])
    number = Fraction(dice.randrange(10**6, 10**7), 10**6) * Fraction(10) ** size
    return Fraction(float(number)) if dice.random() < 0.5 else number


def pure(dice: random.Random) -> tuple[Interval, Real]:
    epsilon = about(dice)
    found = PureToZcdpTight().convert(PureParameter(epsilon), {})
    return found, real(epsilon) * mp.tanh(real(epsilon) / 2)


def classic(dice: random.Random) -> tuple[Interval, Real]:
    rho, delta = about(dice), Fraction(dice.randrange(1, 10**6), 10 ** dice.choice([6, 9, 40]))
    found = ZcdpToApproxClassic().convert(ZcdpParameter(rho), {"delta": delta})
    return found, real(rho) + 2 * mp.sqrt(real(rho) * mp.log(1 / real(delta)))


def optimised(dice: random.Random) -> tuple[Interval, Real]:
    """The best order less 1 solves rho s^2 + log(1 + s) = log(1/delta)."""
    rho, delta = about(dice, -9), Fraction(dice.randrange(1, 10**6), 10 ** dice.choice([6, 9, 40]))
    found = ZcdpToApproxOptimised().convert(ZcdpParameter(rho), {"delta": delta})
    nats, low, high = mp.log(1 / real(delta)), mp.mpf(0), 1 / real(delta)
    for _ in range(400):
        middle = (low + high) / 2
        low, high = (middle, high) if real(rho) * middle**2 + mp.log1p(middle) <= nats else (low, middle)
    value = real(rho) * (1 + low) + (nats - mp.log1p(low)) / low + mp.log(low / (1 + low))
    return found, max(value, mp.mpf(0))


def renyi(improved: bool, dice: random.Random) -> tuple[Interval, Real]:
    gamma, order = about(dice, -9), 1 + about(dice, -3)
    delta = Fraction(dice.randrange(1, 10**6), 10 ** dice.choice([6, 9, 40]))
    parameter = RenyiParameter(order, gamma)
    if improved:
        found = RenyiToApproxImproved().convert(parameter, {"delta": delta})
        value = mp.log(1 / (real(order) * real(delta))) / (real(order) - 1) + mp.log(1 - 1 / real(order))
    else:
        found = RenyiToApproxClassic().convert(parameter, {"delta": delta})
        value = mp.log(1 / real(delta)) / (real(order) - 1)
    return found, max(real(gamma) + value, mp.mpf(0))


CONVERSIONS: dict[str, Callable[[random.Random], tuple[Interval, Real]]] = {
    "pure to zcdp": pure,
    "zcdp to approx, classic": classic,
    "zcdp to approx, optimised": optimised,
    "renyi to approx": lambda dice: renyi(False, dice),
    "renyi to approx, improved": lambda dice: renyi(True, dice),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_conversions_enclose_their_formulas_and_little_else(name: str) -> None:
    dice = random.Random(name)
    for _ in range(20 if "optimised" in name else 150):
        found, truth = CONVERSIONS[name](dice)
        assert mp.mpf(found.lower) <= truth <= mp.mpf(found.upper)
        if truth < 10**290:
            assert mp.mpf(found.upper) - mp.mpf(found.lower) <= truth * mp.mpf(10) ** -9 + mp.mpf(10) ** -12
