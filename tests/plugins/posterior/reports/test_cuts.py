"""What reports read off points of an (epsilon, delta) curve is never below what tests of the pair reach."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest

from accountant.loss import FiniteLoss
from accountant_posterior.reports.cuts import Cuts

PLACES = (0.0, 0.125, 0.5, 1.0, 2.0, 5.0)


def pairs(seed: int) -> FiniteLoss:
    """A random pair over a few outcomes, made symmetric so that both directions have the same cuts."""
    draw = random.Random(seed)
    weights = [(draw.randint(1, 40), draw.randint(1, 40)) for _ in range(3)]
    weights += [(q, p) for p, q in weights]
    total = sum(p for p, _ in weights)
    return FiniteLoss([(Fraction(p, total), Fraction(q, total)) for p, q in weights])


def corners(loss: FiniteLoss) -> list[tuple[Fraction, Fraction]]:
    """Level and power of the best tests, by exact enumeration of outcomes in order of their ratio."""
    found, level, power = [(Fraction(0), Fraction(0))], Fraction(0), Fraction(0)
    for p, q in sorted(loss.atoms, key=lambda atom: atom[0] / atom[1], reverse=True):
        level, power = level + q, power + p
        found.append((level, power))
    return found


def cuts_of(loss: FiniteLoss) -> Cuts:
    return Cuts({place: loss.delta(place).upper for place in PLACES})


def reached(loss: FiniteLoss, level: Fraction) -> Fraction:
    points = corners(loss)
    for (x, a), (y, b) in itertools.pairwise(points):
        if x <= level <= y:
            return a + (b - a) * (level - x) / (y - x)
    return Fraction(1)


@pytest.mark.parametrize("seed", range(20))
def test_no_test_reaches_more_than_cuts_say(seed: int) -> None:
    loss = pairs(seed)
    cuts = cuts_of(loss)
    for level, power in corners(loss)[1:-1]:
        assert cuts.power(level).upper >= power
        gain = cuts.gain(power).upper
        assert math.exp(gain) * (1.0 + 1e-12) * float(level) >= float(power)
        for epsilon in (0.0, 0.2, 0.7, 1.5):
            if power > Fraction(math.exp(epsilon) * (1.0 + 1e-12)) * level:
                assert cuts.exceeding(epsilon).upper >= power
    for level in (Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2), Fraction(9, 10)):
        assert cuts.power(level).upper >= reached(loss, level)


@pytest.mark.parametrize("seed", range(10))
def test_cuts_say_what_the_hull_of_all_of_them_says(seed: int) -> None:
    from accountant import default_registry
    from accountant.plugin import DIVERGENCES

    cuts, known = cuts_of(pairs(seed)), default_registry()[DIVERGENCES]
    for level in (Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2)):
        hull = known["fdp"].measure(cuts.loss, {"level": level})
        assert cuts.power(level).upper == pytest.approx(hull.upper, rel=1e-6)
    for delta in (Fraction(1, 20), Fraction(1, 2)):
        hull = known["pbdp"].measure(cuts.loss, {"delta": delta})
        assert cuts.gain(delta).upper == pytest.approx(hull.upper, rel=1e-5, abs=1e-9)


def test_a_cut_that_is_forgotten_to_be_turned_round_is_noticed() -> None:
    """Cuts of complements bound tests of high levels: without them the bound there is weaker than the hull's."""
    loss = pairs(1)
    alone = min(
        Fraction(delta) + Fraction(math.exp(place)) * Fraction(9, 10) for place, delta in cuts_of(loss).deltas.items()
    )
    assert cuts_of(loss).power(Fraction(9, 10)).upper < min(1, alone)


def test_far_cuts_and_none_that_help_say_nothing() -> None:
    far = Cuts({0.0: 1.0, 900.0: 1e-300})
    assert far.power(Fraction(1, 2)).upper == 1.0
    assert far.exceeding(1.0).upper == 1.0
    assert far.gain(Fraction(1, 10**290)).upper == math.inf
