"""Sums mass by mass, piece by piece: laws of two or three outcomes against fractions, whatever their masses may be off by.

Each charge alone is what separates a bound from the truth somewhere here: errors are large, one at a time and at their
ends, or there are none and only rounding is left.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import GaussianLoss
from accountant.loss.engine.direct_laws import _gapped, _merged, fine_law, merged_law, spread_law
from accountant.loss.engine.direct_sum import FineLaw, Frame, MergedLaw, SpreadLaw, _lacks
from accountant.loss.readings.base import Cells
from accountant.numbers.interval import Interval
from tests.loss.references import real

ZERO, ONE = Fraction(0), Fraction(1)
OFF = 2.0**-8
STEP = Fraction(1, 8)
FAR = Frame(STEP, -100, 100)
NEAR = Frame(STEP, -100, 1)
DOUBTS = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 1, 1), (0, 0, 0, 0)]


def exactly(values: np.ndarray) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


# Laws that lie above ----------------------------------------------------------------------------------------------------


def spread(dice: random.Random, frame: Frame, size: int = 3) -> SpreadLaw:
    return SpreadLaw(frame, ZERO, dice.randrange(-1, 2), np.array([dice.random() for _ in range(size)]), dice.random(), 0.0)


@pytest.mark.parametrize("step", [Fraction(1, 8), Fraction(24), Fraction(40)])
def test_sums_that_lie_above_hold_all_mass_with_what_it_pays_for(step: Fraction) -> None:
    dice = random.Random(1)
    for _ in range(40):
        one, other = spread(dice, Frame(step, -9, 1)), spread(dice, Frame(step, -9, 1))
        found = one.plus(other)
        inside: dict[int, Fraction] = {}
        kept, lack = mp.mpf(0), mp.mpf(0)
        for (i, p), (j, q) in ((a, b) for a in enumerate(exactly(one.masses)) for b in enumerate(exactly(other.masses))):
            place = one.start + i + other.start + j
            last = max(1, one.start + other.start)
            inside[min(place, last)] = inside.get(min(place, last), ZERO) + (p * q if place <= last else ZERO)
            if place > last:
                kept += real(p * q) * mp.exp(-(place - last) * real(step))
                lack += real(p * q) * -mp.expm1(-(place - last) * real(step))
        tops = [Fraction(one.infinite), Fraction(other.infinite)]
        owns = [sum(exactly(law.masses)) for law in (one, other)]
        masses = dict(enumerate(exactly(found.masses), found.start))
        for place in inside.keys() - {max(inside)}:
            assert masses[place] >= inside[place]
        assert real(masses[max(inside)]) >= real(inside[max(inside)]) + kept
        assert found.infinite >= real(tops[0] * (owns[1] + tops[1]) + owns[0] * tops[1]) + lack


@pytest.mark.parametrize("law", [spread_law, merged_law, fine_law])
def test_losses_of_a_lattice_are_displaced_by_no_more_than_it_says(law: Callable[..., SpreadLaw]) -> None:
    """Where a lattice counts from need be no double, and neither need its points."""
    for offset in (Fraction(1, 3), Fraction(-2, 7), Fraction(100, 3)):
        found = law(GaussianLoss("1"), Frame(Fraction(3, 2**10), -500, 500), offset)
        points = float(offset) + found.frame.size * np.arange(found.start, found.start + 100)
        for place, point in enumerate(points.tolist(), found.start):
            assert abs(Fraction(point) - offset - place * found.frame.step) <= Fraction(found.slack)
        assert 0.0 < found.slack < 1e-10


def test_what_lies_below_the_first_number_is_raised_to_it() -> None:
    dice = random.Random(2)
    for _ in range(20):
        one, other = spread(dice, Frame(STEP, 1, 90)), spread(dice, Frame(STEP, 1, 90))
        found = one.plus(other)
        products = [
            (one.start + i + other.start + j, p * q)
            for i, p in enumerate(exactly(one.masses))
            for j, q in enumerate(exactly(other.masses))
        ]
        assert found.start >= 1 or found.start == one.start + other.start
        assert Fraction(float(found.masses[0])) >= sum(mass for place, mass in products if place <= found.start)


@pytest.mark.parametrize("law", [SpreadLaw, MergedLaw, FineLaw])
def test_losses_of_a_sum_are_displaced_by_as_much_as_both_together(law: type) -> None:
    row = np.ones(1)
    for first, second in ((1.0, 2.0**-54), (2.0**-54, 1.0), (0.1, 0.7)):
        pair = [
            SpreadLaw(FAR, ZERO, 0, row, 0.0, slack) if law is SpreadLaw else law(FAR, ZERO, 0, row, row, (0.0, 0.0), slack)
            for slack in (first, second)
        ]
        assert Fraction(first) + Fraction(second) <= Fraction(pair[0].plus(pair[1]).slack) < Fraction(9, 8)


def test_delta_of_what_lies_above_is_not_too_small() -> None:
    dice = random.Random(3)
    for _ in range(200):
        law = evolve(spread(dice, FAR), infinite=0.0, slack=dice.choice([0.0, 0.0, OFF]))
        law = evolve(law, masses=law.masses / 4, start=dice.choice([0, 1, 900]))
        epsilon = dice.uniform(-0.2, 0.3)
        losses = [STEP * (law.start + i) + Fraction(law.slack) for i in range(3)]
        truth = mp.fsum(
            real(mass) * -mp.expm1(real(Fraction(epsilon) - loss))
            for loss, mass in zip(losses, exactly(law.masses), strict=True)
            if loss > epsilon
        )
        assert law.delta(epsilon) >= truth


# Laws that lie below ----------------------------------------------------------------------------------------------------


@frozen
class Truth:
    """What a law may stand for: masses and gaps of its outcomes by their numbers, and of the outcome above."""

    masses: dict[int, Fraction]
    gaps: dict[int, Fraction]
    above: tuple[Fraction, Fraction]

    def plus(self, other: Truth, last: int) -> Truth:
        """The sum of two independent ones; numbers beyond the last one are above."""
        masses: dict[int, Fraction] = {}
        gaps: dict[int, Fraction] = {}
        high = [ZERO, ZERO]
        for i, mass, gap in self._outcomes():
            for j, more, its in other._outcomes():
                both = mass * more, gap * more + (mass - gap) * its
                place = None if i is None or j is None else i + j
                if place is None or place > last:
                    high = [high[0] + both[0], high[1] + both[1]]
                else:
                    masses[place] = masses.get(place, ZERO) + both[0]
                    gaps[place] = gaps.get(place, ZERO) + both[1]
        return Truth(masses, gaps, (high[0], high[1]))

    def delta(self, epsilon: mp.mpf) -> mp.mpf:
        unit, growth = mp.exp(epsilon), mp.expm1(epsilon)
        return mp.fsum(max(0, unit * real(gap) - growth * real(mass)) for _, mass, gap in self._outcomes())

    def _outcomes(self) -> Iterator[tuple[int | None, Fraction, Fraction]]:
        yield from ((place, mass, self.gaps[place]) for place, mass in self.masses.items())
        if self.above[0] or self.above[1]:
            yield None, *self.above


def fine(dice: random.Random, frame: Frame, masses: float, gaps: float, above: bool = True) -> FineLaw:
    """A law of two outcomes, and one above, with gaps of either sign."""
    p = np.array([dice.uniform(0.2, 0.5), dice.uniform(0.2, 0.5)])
    gap = p * np.array([dice.uniform(-0.3, 0.3), dice.uniform(-0.3, 0.3)])
    high = (0.125, dice.choice([-1, 1]) * 0.03125) if above else (0.0, 0.0)
    return FineLaw(frame, ZERO, dice.randrange(0, 2), p, gap, high, 0.0, masses * OFF, gaps * OFF)


def truths(law: FineLaw, dice: random.Random, size: int = 12) -> Iterator[Truth]:
    """Laws that one may stand for, with every error at its end."""
    for _ in range(size):
        masses = [mass * (1 + dice.choice([-1, 1]) * Fraction(law.mass_doubt)) for mass in exactly(law.p)]
        pairs = zip(exactly(law.gaps), exactly(law.p), strict=True)
        gaps = [gap + dice.choice([-1, 1]) * Fraction(law.gap_doubt) * mass for gap, mass in pairs]
        above = Fraction(law.above[0]), Fraction(law.above[1])
        yield Truth(dict(enumerate(masses, law.start)), dict(enumerate(gaps, law.start)), above)


@pytest.mark.parametrize("doubts", DOUBTS)
@pytest.mark.parametrize("frame", [FAR, NEAR])
def test_sums_of_gaps_hold_whatever_both_may_stand_for(doubts: tuple[int, int, int, int], frame: Frame) -> None:
    dice = random.Random(4)
    for _ in range(30):
        one, other = fine(dice, frame, *doubts[:2]), fine(dice, frame, *doubts[2:])
        found = one.plus(other)
        for mine, its in zip(truths(one, dice), truths(other, dice), strict=True):
            truth = mine.plus(its, max(frame.last, one.start + other.start))
            for place, (mass, gap) in enumerate(zip(exactly(found.p), exactly(found.gaps), strict=True), found.start):
                assert abs(truth.masses[place] - mass) <= mass * Fraction(found.mass_doubt)
                assert abs(truth.gaps[place] - gap) <= mass * Fraction(found.gap_doubt)
            mass, gap = Fraction(found.above[0]), Fraction(found.above[1])
            # Less of the outcome above, of which Q has no smaller a share.
            assert 0 <= mass <= truth.above[0]
            assert gap * truth.above[0] <= truth.above[1] * mass


@pytest.mark.parametrize("doubts", DOUBTS)
def test_gaps_of_one_outcome_are_off_by_no_more_than_can_be(doubts: tuple[int, int, int, int]) -> None:
    """Where all errors work together a sum is off by exactly what they add up to: by nothing less, and by little more."""
    masses, gaps, others, other_gaps = (Fraction(OFF) * doubt for doubt in doubts)
    row, down = np.ones(1), np.array([-0.25])
    one = FineLaw(FAR, ZERO, 0, row, down, (0.0, 0.0), 0.0, float(masses), float(gaps))
    other = FineLaw(FAR, ZERO, 0, row, down, (0.0, 0.0), 0.0, float(others), float(other_gaps))
    found = one.plus(other)
    p, g, more, its = 1 + masses, -Fraction(1, 4) - gaps, 1 + others, -Fraction(1, 4) - other_gaps
    off = abs(g * more + (p - g) * its + Fraction(9, 16))
    assert off <= Fraction(found.gap_doubt) <= off + Fraction(1, 10**13)
    assert p * more - 1 <= Fraction(found.mass_doubt) <= p * more - 1 + Fraction(1, 10**13)


ABOVE = [
    (FineLaw(NEAR, ZERO, 0, np.array([0.0, 1.0]), np.array([0.0, gap]), (0.0, 0.0), 0.0), high)
    for gap in (-0.25, 0.25)
    for high in ((0.0, 0.0), (1.0, 0.25), (1.0, -0.25))
]


@pytest.mark.parametrize("doubts", DOUBTS)
def test_what_is_above_is_off_by_little_more_than_can_be(doubts: tuple[int, int, int, int]) -> None:
    """One outcome each, which lead beyond: Q's share of the outcome above is known as well as it can be."""
    for (one, _), (other, high) in ((a, b) for a in ABOVE[::3] for b in ABOVE):
        mine = evolve(one, mass_doubt=doubts[0] * OFF, gap_doubt=doubts[1] * OFF)
        its = evolve(other, above=high, mass_doubt=doubts[2] * OFF, gap_doubt=doubts[3] * OFF)
        for first, second in ((mine, its), (its, mine)):
            mass, gap = first.plus(second).above
            least = min(
                truth.above[1] / truth.above[0]
                for a in truths(first, random.Random(5), 8)
                for b in truths(second, random.Random(6), 8)
                if (truth := a.plus(b, 1))
            )
            assert Fraction(gap) <= least * Fraction(mass) + Fraction(1, 10**18)
            assert Fraction(gap) >= least * Fraction(mass) - Fraction(OFF) * 8 * any(doubts) - Fraction(1, 10**13)


def test_delta_of_gaps_is_not_too_large() -> None:
    dice = random.Random(7)
    for number in range(300):
        doubts = DOUBTS[number % len(DOUBTS)]
        law = evolve(fine(dice, FAR, *doubts[:2], above=number % 2 == 0), slack=doubts[2] * OFF)
        # Next to where the gain of the first outcome, or of the one above, begins.
        mass, gap = dice.choice([(law.p[0], law.gaps[0]), (law.p[1], law.gaps[1]), (0.125, 0.03125)])
        epsilon = max(0.0, float(-np.log1p(-gap / mass)) - law.slack) * (1 - dice.choice([0.0, 1e-9, 1e-3, 0.1]))
        for truth in truths(law, dice):
            assert law.delta(epsilon) <= truth.delta(real(Fraction(epsilon) + Fraction(law.slack)))


def merged(dice: random.Random, frame: Frame, doubt: float, above: bool = True) -> MergedLaw:
    rows = [np.array([dice.uniform(0.1, 0.5), dice.uniform(0.1, 0.5)]) for _ in range(2)]
    return MergedLaw(frame, ZERO, dice.randrange(0, 2), *rows, (0.125, 0.0625) if above else (0.0, 0.0), 0.0, doubt)


def corner(law: MergedLaw, p: int, q: int) -> Truth:
    first, second = (1 + sign * Fraction(law.doubt) for sign in (p, q))
    masses = [mass * first for mass in exactly(law.p)]
    gaps = [mass - its * second for mass, its in zip(masses, exactly(law.q), strict=True)]
    above = [Fraction(law.above[0]) * first, Fraction(law.above[1]) * second]
    return Truth(dict(enumerate(masses, law.start)), dict(enumerate(gaps, law.start)), (above[0], above[0] - above[1]))


@pytest.mark.parametrize("doubts", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("frame", [FAR, NEAR])
def test_sums_of_masses_hold_whatever_both_may_stand_for(doubts: tuple[int, int], frame: Frame) -> None:
    dice = random.Random(8)
    for _ in range(20):
        one, other = (merged(dice, frame, doubt * OFF) for doubt in doubts)
        found = one.plus(other)
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            truth = corner(one, *signs).plus(corner(other, *signs), max(frame.last, one.start + other.start))
            rows = zip(exactly(found.p), exactly(found.q), strict=True)
            for place, (p, q) in [*enumerate(rows, found.start), (None, map(Fraction, found.above))]:
                mass, gap = truth.above if place is None else (truth.masses[place], truth.gaps[place])
                assert abs(mass - p) <= p * Fraction(found.doubt)
                assert abs(mass - gap - q) <= q * Fraction(found.doubt)
        assert found.doubt <= sum(doubts) * OFF * 1.01 + 1e-13


@pytest.mark.parametrize("doubt", [0.0, OFF])
@pytest.mark.parametrize("slack", [0.0, OFF])
def test_delta_of_masses_is_not_too_large(doubt: float, slack: float) -> None:
    dice = random.Random(9)
    for number in range(200):
        law = evolve(merged(dice, FAR, doubt, above=number % 2 == 0), slack=slack)
        law = evolve(law, q=law.q * dice.choice([1.0, 2.0**-10]))
        near = float(np.log(law.p[0] / law.q[0])) if number % 4 else 0.0
        epsilon = near * (1 - dice.choice([1e-12, 1e-3, 0.1, 0.5]))
        truth = corner(law, -1, 1).delta(real(Fraction(epsilon) + Fraction(slack)))
        assert law.delta(epsilon) <= max(truth, -mp.expm1(min(epsilon, 0.0)))
        if not doubt and not slack:
            assert law.delta(epsilon) >= truth - 1e-14


# What laws are made of --------------------------------------------------------------------------------------------------


def cells(dice: random.Random, edges: np.ndarray, off: tuple[int, int], subtracted: bool) -> Cells:
    """Masses between edges with errors of P's, and of Q's or of gaps."""
    p = np.array([dice.uniform(0.1, 0.3) for _ in range(edges.size + 1)])
    # In units of the left end of a cell, Q has no more than P.
    gap = p * np.array([dice.uniform(0.0, 0.1) for _ in p])
    errors = p * OFF * off[0], p * OFF * off[1]
    if subtracted:
        return Cells(p, p - gap, *errors, Interval.of(0))
    return Cells(p, p - gap, errors[0], np.zeros(p.size), Interval.of(0), gap, errors[1])


@pytest.mark.parametrize("off", [(0, 0), (1, 0), (0, 1), (1, 1), (0, 400), (200, 400)])
@pytest.mark.parametrize("subtracted", [False, True])
def test_an_outcome_of_a_cell_is_never_stronger_than_whatever_the_cell_may_hold(
    off: tuple[int, int], subtracted: bool
) -> None:
    dice = random.Random(10)
    for _ in range(30):
        edges = np.array([dice.choice([0.0, 0.01, -0.25]), 0.5, 1.0])
        known = cells(dice, edges, off, subtracted)
        masses, gaps, above = _gapped(known, edges)
        claims = [*zip(exactly(masses), exactly(gaps), strict=True), tuple(map(Fraction, above))]
        p, q, high = _merged(known, edges)
        others = [*zip(exactly(p), exactly(q), strict=True), tuple(map(Fraction, high))]
        rows = zip(exactly(known.p[1:]), exactly(known.p - known.q if known.gap is None else known.gap)[1:], strict=True)
        for place, (mass, gap) in enumerate(rows):
            errors = exactly(known.p_error)[place + 1], exactly(known.q_error if subtracted else known.gap_error)[place + 1]
            unit = mp.exp(-mp.mpf(float(edges[place])))
            for first, second in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                whole = mass + first * errors[0]
                # Masses of Q, in units of the left end: none are below 0, and none more than P's.
                its = min(max((mass if subtracted else whole) - gap + second * errors[1], ZERO), whole)
                lack = real(whole) - real(its) * unit
                claimed, claimed_gap = claims[place]
                assert 0 <= claimed <= whole
                assert real(claimed_gap) * real(whole) <= lack * real(claimed) * (1 + mp.mpf(10) ** -40) + mp.mpf(10) ** -40
                if subtracted:
                    mass_below, q_above = others[place]
                    assert mass_below <= whole
                    assert real(q_above) * real(whole) >= real(its * mass_below) * unit


def test_an_outcome_of_which_little_is_known_is_no_weaker_than_the_left_end_of_its_cell() -> None:
    """Otherwise one outcome with less mass than error would spoil what is known of all sums."""
    dice, edges = random.Random(11), np.array([-0.25, 0.0, 0.5])
    for subtracted in (False, True):
        known = cells(dice, edges, (0, 2**60), subtracted)
        masses, gaps, _ = _gapped(known, edges)
        p, q, _ = _merged(known, edges)
        assert np.all(gaps >= masses * -np.expm1(-edges[:-1]) - 1e-15)
        assert np.all(q <= p * np.exp(-edges[:-1]) * (1.0 + 1e-14))


@pytest.mark.parametrize(("size", "number"), [(0.5, 40), (0.5, 2000), (90.0, 40), (1e-3, 300)])
def test_what_is_lacking_beyond_a_place_is_added_up_however_far_it_reaches(size: float, number: int) -> None:
    masses = np.random.default_rng(number).random(number)
    ends = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    found = _lacks(ends, size)
    with mp.workdps(40):
        for place in (0, number // 2, number - 1, number):
            later = (mp.exp(-(at - place) * mp.mpf(size)) * ends[at] for at in range(place, number + 1))
            expected = -mp.expm1(-mp.mpf(size)) * mp.fsum(later)
            assert abs(found[place] - expected) <= 8 * number * 2.0**-53 * expected
