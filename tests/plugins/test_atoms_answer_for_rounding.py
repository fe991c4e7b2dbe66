"""Atoms of every family against long arithmetic, where doubles are bad: masses that underflow, losses from 1e-9 to 2000.

Each mass is off by at most the error that is stated with it, each loss by at most 8 roundoffs. Parameters are drawn at
random, so that masses are rounded upward and downward: without an error there would be none that is right.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath as mp
import pytest

from accountant.loss import AtomicLoss, Atoms, ResponseLoss
from accountant.numbers.rounding import ROUNDOFF
from accountant_noise.skellam_loss import SkellamLoss
from accountant_noise.staircase_loss import StaircaseLoss
from accountant_response.counted_answers_loss import _MOST_ATOMS, CountedAnswersLoss
from accountant_response.hidden_report_loss import HiddenReportLoss
from accountant_response.partial_response_loss import PartialResponseLoss
from accountant_response.tallies import binomial
from accountant_selection.range_loss import TwoLosses
from accountant_selection.two_outcomes import TwoOutcomes

Real = Any
Law = dict[Any, Real]
"""The mass of P at each value of the loss."""
Loss = AtomicLoss | ResponseLoss

SIZES = ["1e-9", "0.003", "0.7", "1.3", "9", "40", "350", "745", "2000"]


def real(value: Fraction) -> Real:
    return mp.mpf(value.numerator) / value.denominator


def about(size: str, dice: random.Random) -> Fraction:
    """A number of a size that no double holds."""
    return Fraction(size) * Fraction(dice.randrange(10**6, 2 * 10**6), 10**6 + 3)


def added_up(pairs: list[tuple[Real, Real]]) -> Law:
    law: Law = defaultdict(mp.mpf)
    for loss, mass in pairs:
        law[loss] += mass
    return law


def two_outcomes(size: str, dice: random.Random) -> tuple[Loss, Law]:
    fall = float(mp.exp(-min(real(about(size, dice)), 600)))
    q = dice.random() * fall
    p = q + (1.0 - q) * dice.random() ** 4
    p, q = p, min(q, p / (1.0 + 1e-9))
    left, right = 1 - mp.mpf(p), 1 - mp.mpf(q)
    law = {mp.log(left / right): left, mp.log(mp.mpf(p) / mp.mpf(q)): mp.mpf(p)}
    return TwoOutcomes(Fraction(p), Fraction(q)), law


def two_losses(size: str, dice: random.Random) -> tuple[Loss, Law]:
    whole, place = about(size, dice), dice.randrange(1, 64)
    top, rest = real(whole * place / 64), real(whole * (64 - place) / 64)
    scale = mp.expm1(-real(whole))
    law = {-rest: mp.exp(-rest) * mp.expm1(-top) / scale, top: mp.expm1(-rest) / scale}
    return TwoLosses(whole, place), law


def partial(size: str, dice: random.Random) -> tuple[Loss, Law]:
    epsilon, high, low = about(size, dice), Fraction(dice.randrange(9), 7), Fraction(dice.randrange(1, 9), 7)
    weights = [mp.mpf(1), real(high) * mp.exp(real(epsilon)) + real(low), mp.exp(real(epsilon))]
    values = [-real(epsilon), mp.mpf(0), real(epsilon)]
    return PartialResponseLoss(epsilon, high, low), {
        value: weight / sum(weights) for value, weight in zip(values, weights, strict=True)
    }


def response(size: str, dice: random.Random) -> tuple[Loss, Law]:
    epsilon, delta = about(size, dice), Fraction(dice.randrange(3), 7)
    kept = 1 - real(delta)
    fall = mp.exp(-real(epsilon))
    return ResponseLoss(epsilon, delta), {-real(epsilon): kept * fall / (1 + fall), real(epsilon): kept / (1 + fall)}


def staircase(size: str, dice: random.Random) -> tuple[Loss, Law]:
    """Densities between all cuts; left of the first stair and right of the last they repeat, e^-epsilon as high."""
    epsilon, gamma = about(size, dice), Fraction(dice.randrange(1, 8), 8)
    move = Fraction(dice.randrange(1, 24), 8)

    def stairs(place: Fraction) -> int:
        return max(0, math.floor(abs(place) - gamma) + 1)

    fall = mp.exp(-real(epsilon))
    cuts = {sign * (gamma + k) for sign in (1, -1) for k in range(6)}
    cuts |= {move + cut for cut in cuts}
    first, last = -gamma - 1, move + gamma + 1
    places = sorted(cut for cut in cuts if first <= cut <= last)
    pairs = []
    for left, right in pairwise(places):
        middle = (left + right) / 2
        level, down = stairs(middle - move) - stairs(middle), stairs(middle)
        # What repeats is a geometric series.
        often = 1 / (1 - fall) if right <= -gamma or left >= move + gamma else 1
        pairs.append((level, real(right - left) * fall**down * often))
    whole = mp.fsum(mass for _, mass in pairs)
    return StaircaseLoss(epsilon, gamma, move), added_up([(level * real(epsilon), mass / whole) for level, mass in pairs])


def counted(size: str, dice: random.Random) -> tuple[Loss, Law]:
    # From 300 on, shuffled reports are read as if none was hidden.
    epsilon, reports = min(about(size, dice), Fraction(300)), dice.randrange(1, 12)
    fall = mp.exp(-real(epsilon))
    law = {}
    for k in range(reports + 1):
        chance = math.comb(reports, k) * fall**k / (1 + fall) ** reports
        ratio = (k / fall + (reports - k) * fall) / reports
        law[mp.log(ratio)] = chance * ratio
    return CountedAnswersLoss(epsilon, reports), law


FAMILIES: dict[str, Callable[[str, random.Random], tuple[Loss, Law]]] = {
    "two outcomes": two_outcomes,
    "two losses": two_losses,
    "a partial response": partial,
    "randomised response": response,
    "a staircase": staircase,
    "counted answers": counted,
}


def wrong(atoms: Atoms, law: Law) -> list[str]:
    """Which atoms are farther from the law than they say."""
    values = sorted(law)
    assert len(values) == atoms.losses.size
    rows = zip(values, atoms.losses.tolist(), atoms.masses.tolist(), atoms.errors.tolist(), strict=True)
    faults = []
    for value, loss, mass, error in rows:
        if abs(mp.mpf(loss) - value) > 8 * ROUNDOFF * (atoms.grain + abs(value)):
            faults.append(f"loss {loss} for {mp.nstr(value, 20)}")
        if abs(mp.mpf(mass) - law[value]) > mp.mpf(error):
            faults.append(f"mass {mass} with error {error} for {mp.nstr(law[value], 20)}")
    return faults


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("family", FAMILIES)
def test_atoms_are_off_by_no_more_than_they_say(family: str, size: str) -> None:
    dice = random.Random(f"{family} {size}")
    for _ in range(12):
        loss, law = FAMILIES[family](size, dice)
        assert not wrong(loss.atoms, law), loss


@pytest.mark.parametrize("family", FAMILIES)
def test_atoms_say_that_they_are_off_by_little(family: str) -> None:
    """A thousand roundings of exponents up to 2000 at most."""
    for size in SIZES:
        atoms = FAMILIES[family](size, random.Random(size))[0].atoms
        assert (atoms.errors <= atoms.masses * 2.0**-35 + 1e-160).all()


@pytest.mark.parametrize(("variance", "move"), [("0.01", 1), ("0.7", 3), ("30", 2), ("400", 50)])
def test_atoms_of_skellam_noise_are_off_by_no_more_than_they_say(variance: str, move: int) -> None:
    loss = SkellamLoss(Fraction(variance), move)
    atoms, v = loss.atoms, real(Fraction(variance))
    middle = atoms.losses.size // 2
    dice = random.Random(variance)
    places = {0, 1, -1, middle, -middle, 1 - middle, *(dice.randrange(-middle, middle + 1) for _ in range(8))}
    for place in places:
        mass = mp.exp(-v) * mp.besseli(abs(place), v)
        value = mp.log(mp.besseli(abs(place), v) / mp.besseli(abs(place - move), v))
        index = middle - place
        assert abs(mp.mpf(float(atoms.masses[index])) - mass) <= mp.mpf(float(atoms.errors[index]))
        assert abs(mp.mpf(float(atoms.losses[index])) - value) <= 8 * ROUNDOFF * (atoms.grain + abs(value))


def hidden_law(epsilon: Fraction, reports: int, silent: int) -> Law:
    """The law of what everybody says, by counting: under P and under Q."""
    a = 1 / (mp.exp(real(epsilon)) + 1 + silent)
    rest = 1 - 2 * a
    p: dict[tuple[int, int], Real] = defaultdict(mp.mpf)
    q: dict[tuple[int, int], Real] = defaultdict(mp.mpf)
    others = reports - 1
    for first in range(others + 1):
        for second in range(others + 1 - first):
            ways = math.comb(others, first) * math.comb(others - first, second)
            chance = ways * a ** (first + second) * rest ** (others - first - second)
            for says, law in ((mp.exp(real(epsilon)) * a, p), (a, q)):
                law[first + 1, second] += chance * says
                law[first, second + 1] += chance * (1 - says - silent * a)
                law[first, second] += chance * silent * a
    return added_up([(mp.log(p[seen] / q[seen]) if seen[0] != seen[1] else mp.mpf(0), p[seen]) for seen in p])


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize(("epsilon", "reports", "silent"), [("0.7", 1, 0), ("1.3", 7, 0), ("0.01", 5, 2), ("6", 4, 1)])
def test_deltas_of_hidden_reports_lie_on_their_side(epsilon: str, reports: int, silent: int, above: bool) -> None:
    law = hidden_law(Fraction(epsilon), reports, silent)
    loss = HiddenReportLoss(Fraction(epsilon), reports, silent, above)
    assert abs(mp.fsum(law.values()) - 1) < mp.mpf(10) ** -40
    dice = random.Random(epsilon)
    for _ in range(12):
        at = dice.random() * float(Fraction(epsilon)) * 0.99
        truth = mp.fsum(mass * -mp.expm1(at - value) for value, mass in law.items() if value > at)
        delta = loss.delta(Fraction(at))
        assert delta.upper >= truth if above else delta.lower <= truth
        assert delta.upper <= truth * (1 + 1e-9) + 1e-12
        assert delta.lower >= truth * (1 - 1e-9) - 1e-12


def test_strengths_of_hidden_reports_are_as_likely_as_they_say() -> None:
    """Losses of either sign and of one size have the chance that they should have, though the size is moved outward."""
    for epsilon, reports, silent in (("0.7", 6, 0), ("3", 5, 2), ("30", 3, 1), ("300", 2, 0)):
        law = hidden_law(Fraction(epsilon), reports, silent)
        atoms = HiddenReportLoss(Fraction(epsilon), reports, silent, True).atoms
        for value in law:
            alike = mp.mpf(2) ** -30 * (1 + abs(value))
            mass = mp.fsum(law[other] for other in law if abs(abs(other) - abs(value)) <= alike)
            near = abs(abs(atoms.losses) - abs(float(value))) <= float(alike)
            got = mp.fsum(map(mp.mpf, atoms.masses[near].tolist()))
            assert abs(got - mass) <= mp.fsum(map(mp.mpf, atoms.errors[near].tolist()))


@pytest.mark.parametrize("epsilon", ["1", "0.3"])
def test_counts_among_a_million_answers_are_as_likely_as_they_say(epsilon: str) -> None:
    """Chances far from the most likely count are products of thousands of ratios, each a little off."""
    reports, known = 10**6, Fraction(epsilon)
    atoms, tally = CountedAnswersLoss(known, reports).atoms, binomial(reports, float(mp.exp(-real(known))))
    width = math.ceil(tally.values.size / _MOST_ATOMS)
    assert atoms.losses.size == math.ceil(tally.values.size / width)
    with mp.workdps(50):
        fall = mp.exp(-real(known))
        for place in (0, 1, atoms.losses.size // 3, atoms.losses.size - 2):
            mass = mp.mpf(0)
            for k in tally.values[place * width : (place + 1) * width].tolist():
                ways = mp.loggamma(reports + 1) - mp.loggamma(k + 1) - mp.loggamma(reports - k + 1)
                ratio = (k / fall + (reports - k) * fall) / reports
                mass += mp.exp(ways - k * real(known) - reports * mp.log1p(fall)) * ratio
            assert abs(mp.mpf(float(atoms.masses[place])) - mass) <= mp.mpf(float(atoms.errors[place]))
