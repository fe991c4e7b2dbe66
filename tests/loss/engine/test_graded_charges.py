"""What laws on rising lattices charge: for masses that are trimmed, where lattices meet, and for every sum that rounds.

Small laws are enumerated exactly. Each charge is forgotten once, and has to be missed.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve, frozen

from accountant.loss import GaussianLoss, SampledLoss
from accountant.loss.engine import graded_sum
from accountant.loss.engine.direct_laws import bulk_offset, graded_fine, graded_merged, graded_spread
from accountant.loss.engine.direct_sum import FineLaw, Frame, MergedLaw, SpreadLaw
from accountant.loss.engine.graded_sum import BASE, GradedLaw, coarser, graded_times, joined
from tests.loss.references import real

Patch = pytest.MonkeyPatch
ZERO = Fraction(0)
THIN = 2.0**-505
EPSILONS = (0.0, 0.3, 0.55, 1.0, 2.0)


# Sums that are enumerated -----------------------------------------------------------------------------------------------


@frozen
class World:
    """Masses at numbers of the coarse and of the fine lattice of one loss, and how many copies are added up."""

    coarse: dict[int, float]
    fine: dict[int, float]
    count: int
    step: Fraction = Fraction(BASE, 16)
    last: int = 40

    def frames(self) -> tuple[Frame, Frame]:
        whole = Frame(self.step, -4 * self.last, self.last)
        return whole, Frame(self.step / BASE, BASE * whole.first, 2 * BASE * whole.last)

    def losses(self) -> dict[Fraction, Fraction]:
        """The exact mass of each loss."""
        found: dict[Fraction, Fraction] = {}
        for masses, frame in zip((self.coarse, self.fine), self.frames(), strict=True):
            for number, mass in masses.items():
                found[number * frame.step] = found.get(number * frame.step, ZERO) + Fraction(mass)
        return found

    def delta(self, epsilon: float) -> Any:
        """The sum of P's masses, less e^(epsilon - loss) of each, over all sums of losses above epsilon."""
        whole = mp.mpf(0)
        for chosen in itertools.product(self.losses().items(), repeat=self.count):
            loss = sum((loss for loss, _ in chosen), ZERO)
            if loss > epsilon:
                whole += real(math.prod((mass for _, mass in chosen), start=Fraction(1))) * -mp.expm1(epsilon - real(loss))
        return whole

    def upper(self) -> Any:
        return self._summed(self._spread)

    def lower(self) -> Any:
        return self._summed(self._merged)

    def _summed(self, law: Callable[[Frame, dict[int, float]], Any]) -> Any:
        whole, finer = self.frames()
        one: GradedLaw[Any] = GradedLaw((law(whole, self.coarse), law(finer, self.fine)))
        return graded_times(one.at, self.count)

    @staticmethod
    def _spread(frame: Frame, masses: dict[int, float]) -> SpreadLaw:
        start, row = dense(masses)
        return SpreadLaw(frame, ZERO, start, row, 0.0, 0.0)

    @staticmethod
    def _merged(frame: Frame, masses: dict[int, float]) -> MergedLaw:
        start, p = dense(masses)
        losses = frame.size * np.arange(start, start + p.size)
        # A little more of Q is a move down.
        return MergedLaw(frame, ZERO, start, p, p * np.exp(-losses) * (1 + 1e-13), (0.0, 0.0), 0.0)


def dense(masses: dict[int, float]) -> tuple[int, Any]:
    start = min(masses)
    row = np.zeros(max(masses) - start + 1)
    for number, mass in masses.items():
        row[number - start] = mass
    return start, row


THIN_TAIL = World({9: THIN, 12: 0.5 * THIN}, {-2: 0.25, 0: 0.7, 7: THIN, 8: 2.0**-800}, 2)
"""Nothing but masses that are next to nothing exceeds an epsilon of 0.3."""
ACROSS = World({3: 0.04, 5: 2.0**-520}, {-3: 0.2, 0: 0.5, 2: 0.2, 5: 0.06}, 3, last=6)
"""Sums on the fine lattice lead beyond its last number."""
WORLDS = [THIN_TAIL, ACROSS, evolve(THIN_TAIL, count=3), evolve(ACROSS, count=2)]


def too_small(world: World) -> bool:
    """Whether some upper end is below the truth."""
    law = world.upper()
    with mp.workdps(50):
        return any(law.delta(epsilon) < world.delta(epsilon) for epsilon in EPSILONS)


def too_large(world: World) -> bool:
    """Whether some lower end is above the truth."""
    law = world.lower()
    with mp.workdps(50):
        return any(law.delta(epsilon) > world.delta(epsilon) for epsilon in EPSILONS)


@pytest.mark.parametrize("world", WORLDS)
def test_sums_of_thin_masses_and_across_lattices_are_enclosed(world: World) -> None:
    assert not too_small(world)
    assert not too_large(world)


def test_planted_masses_that_are_trimmed_and_not_sent_to_infinity_are_caught(monkeypatch: Patch) -> None:
    sound = graded_sum._trimmed

    def planted(law: Any) -> Any:
        found = sound(law)
        return evolve(found, infinite=law.infinite) if isinstance(law, SpreadLaw) else found

    monkeypatch.setattr(graded_sum, "_trimmed", planted)
    assert too_small(THIN_TAIL)
    assert not too_large(THIN_TAIL)


def test_planted_outcomes_that_lose_only_their_mass_under_q_are_caught(monkeypatch: Patch) -> None:
    """Whoever drops an outcome drops it from both."""
    sound = graded_sum._trimmed

    def planted(law: Any) -> Any:
        if isinstance(law, MergedLaw):
            return evolve(law, q=np.where(law.p < graded_sum._NEXT_TO_NOTHING, 0.0, law.q))
        return sound(law)

    monkeypatch.setattr(graded_sum, "_trimmed", planted)
    assert too_large(THIN_TAIL)


def test_planted_sums_that_are_forgotten_beyond_the_end_of_a_lattice_are_caught(monkeypatch: Patch) -> None:
    sound = graded_sum._cut
    monkeypatch.setattr(graded_sum, "_cut", lambda law, last: (sound(law, last)[0], None))
    assert too_small(ACROSS)


def test_planted_sums_that_stand_on_two_lattices_at_once_are_caught(monkeypatch: Patch) -> None:
    """Where what lies beyond is kept as well, lower ends count it twice."""
    sound = graded_sum._cut
    monkeypatch.setattr(graded_sum, "_cut", lambda law, last: (law, sound(law, last)[1]))
    assert too_large(ACROSS)


# Where lattices meet ----------------------------------------------------------------------------------------------------

SAMPLED = SampledLoss(GaussianLoss("4"), "1/20")
MEETING = Frame(Fraction(BASE**3, 2**9), -60, 90)
OFFSET = bulk_offset(SAMPLED, MEETING.step / BASE**3)


def all_mass(laws: tuple[Any, ...], of: Callable[[Any], Any]) -> float:
    return math.fsum(mass for law in laws for mass in of(law).tolist())


def spread_fault(laws: tuple[SpreadLaw, ...]) -> bool:
    """Whether masses on all lattices and those that are infinite do not hold all of P, or not all of Q that P has."""
    p = all_mass(laws, lambda law: law.masses) + math.fsum(law.infinite for law in laws)
    q = all_mass(laws, lambda law: law.masses * np.exp(-law.losses))
    return not (1.0 - 1e-14 <= p <= 1.0 + 1e-9 and 1.0 - 1e-9 <= q <= 1.0 + 1e-9)


def merged_fault(laws: tuple[MergedLaw, ...]) -> bool:
    """Whether outcomes on all lattices and above them are more than all of P, or less than nearly all."""
    p = all_mass(laws, lambda law: law.p) + math.fsum(law.above[0] for law in laws)
    q = all_mass(laws, lambda law: law.q) + math.fsum(law.above[1] for law in laws)
    return not (1.0 - 1e-9 <= p <= 1.0 + 1e-14 and 1.0 - 1e-9 <= q <= 1.0 + 1e-9)


def fine_fault(laws: tuple[FineLaw, ...]) -> bool:
    return merged_fault(tuple(as_merged(law) for law in laws))


def as_merged(law: FineLaw) -> MergedLaw:
    mass, gap = law.above
    return MergedLaw(law.frame, law.offset, law.start, law.p, law.p - law.gaps, (mass, mass - gap), law.slack)


def test_lattices_together_hold_every_outcome_once() -> None:
    assert not spread_fault(graded_spread(SAMPLED, MEETING, OFFSET, 3).laws)
    assert not merged_fault(graded_merged(SAMPLED, MEETING, OFFSET, 3).laws)
    assert not fine_fault(graded_fine(SAMPLED, MEETING, OFFSET, 3).laws)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_planted_joints_that_lose_or_repeat_an_outcome_are_caught(place: int) -> None:
    spread = graded_spread(SAMPLED, MEETING, OFFSET, 3).laws
    one = spread[place]
    shorter = evolve(one, masses=np.append(one.masses[:-1], 0.0))
    assert spread_fault((*spread[:place], shorter, *spread[place + 1 :]))
    merged = graded_merged(SAMPLED, MEETING, OFFSET, 3).laws
    coarse, finer = merged[place - 1], merged[place]
    twice = evolve(finer, p=np.append(finer.p, coarse.p[0]), q=np.append(finer.q, coarse.q[0]))
    assert merged_fault((*merged[:place], twice, *merged[place + 1 :]))
    fine = graded_fine(SAMPLED, MEETING, OFFSET, 3).laws
    less = evolve(fine[place], p=fine[place].p[:-1], gaps=fine[place].gaps[:-1])
    assert fine_fault((*fine[:place], less, *fine[place + 1 :]))


# Sums that round --------------------------------------------------------------------------------------------------------

FRAME, FINER = Frame(Fraction(BASE, 64), -99, 99), Frame(Fraction(1, 64), -999, 999)


def masses(random_: random.Random, size: int) -> Any:
    """Of mixed sizes, so that sums round in every way."""
    return np.array([random_.uniform(0.5, 1.0) * 2.0 ** -random_.choice((1, 2, 5, 30, 52, 53, 54)) for _ in range(size)])


def some_law(kind: type, frame: Frame, random_: random.Random) -> Any:
    start, p = random_.randint(-4, 4), masses(random_, 12)
    above = (float(masses(random_, 1)[0]), float(masses(random_, 1)[0]))
    if kind is SpreadLaw:
        return SpreadLaw(frame, ZERO, start, p, above[0], 0.0)
    if kind is MergedLaw:
        return MergedLaw(frame, ZERO, start, p, masses(random_, 12), above, 0.0)
    shares = np.array([random_.uniform(-0.01, 0.01) for _ in range(12)])
    return FineLaw(frame, ZERO, start, p, p * shares, (above[0], above[1] * random_.choice((-0.01, 0.01))), 0.0)


def rows(law: Any) -> list[dict[int, Fraction]]:
    """Exact masses, by their number."""
    arrays = (law.masses,) if isinstance(law, SpreadLaw) else (law.p, law.q if isinstance(law, MergedLaw) else law.gaps)
    return [{law.start + k: Fraction(mass) for k, mass in enumerate(array.tolist())} for array in arrays]


def sums(groups: list[dict[int, Fraction]]) -> dict[int, Fraction]:
    return {number: sum((one.get(number, ZERO) for one in groups), ZERO) for number in sorted(set().union(*groups))}


def is_off(law: Any, exact: list[dict[int, Fraction]]) -> bool:
    """Whether a mass is off by more than the law says."""
    found = rows(law)
    first = [(found[0].get(number, ZERO), mass) for number, mass in exact[0].items()]
    if isinstance(law, SpreadLaw):
        return any(mass < truth for mass, truth in first)
    second = [(found[1].get(number, ZERO), mass) for number, mass in exact[1].items()]
    if isinstance(law, MergedLaw):
        return any(abs(mass - truth) > Fraction(law.doubt) * mass for mass, truth in first + second)
    if any(abs(mass - truth) > Fraction(law.mass_doubt) * mass for mass, truth in first):
        return True
    pairs = zip(first, second, strict=True)
    return any(abs(gap - truth) > Fraction(law.gap_doubt) * mass for (mass, _), (gap, truth) in pairs)


def is_off_above(law: Any, left: Any, right: Any) -> bool:
    """The same of what is infinite, or stands above: of gaps less than a share, if that share is left of the mass."""
    if isinstance(law, SpreadLaw):
        return Fraction(law.infinite) < Fraction(left.infinite) + Fraction(right.infinite)
    (mass, more), exact = map(Fraction, law.above), [Fraction(left.above[k]) + Fraction(right.above[k]) for k in (0, 1)]
    if isinstance(law, MergedLaw):
        doubt = Fraction(law.doubt)
        return abs(mass - exact[0]) > doubt * mass or abs(more - exact[1]) > doubt * more
    share = mass / exact[0]
    return share > 1 or more > share * exact[1]


def joint_is_off(kind: type) -> bool:
    random_ = random.Random(5)
    for _ in range(60):
        left, right = (some_law(kind, FRAME, random_) for _ in range(2))
        found, pairs = joined(left, right), zip(rows(left), rows(right), strict=True)
        if is_off(found, [sums(list(pair)) for pair in pairs]) or is_off_above(found, left, right):
            return True
    return False


def coarser_is_off(kind: type) -> bool:
    random_ = random.Random(6)
    for _ in range(60):
        law = some_law(kind, FINER, random_)
        exact = [spread_out(row) if kind is SpreadLaw else moved(row) for row in rows(law)]
        if is_off(coarser(law, BASE, FRAME), exact):
            return True
    return False


def moved(row: dict[int, Fraction]) -> dict[int, Fraction]:
    """All to the nearest point of the coarser lattice."""
    return sums([{round(Fraction(number, BASE)): mass} for number, mass in row.items()])


def spread_out(row: dict[int, Fraction]) -> dict[int, Fraction]:
    """To the two points beside it, so that P and Q keep their masses, in long arithmetic."""
    found = []
    with mp.workdps(50):
        h = real(FINER.step)
        for number, mass in row.items():
            cell, place = divmod(number, BASE)
            right = mp.expm1(-h * place) / mp.expm1(-h * BASE)
            # Rounded down by far less than a double can tell.
            share = Fraction(int(mp.floor(right * 2**150)), 2**150)
            found.append({cell: mass * (1 - share - Fraction(1, 2**149)), cell + 1: mass * share})
    return sums(found)


def unchanged(value: Any, *_: Any) -> Any:
    return value


def trimming_is_off(infinite: float) -> bool:
    """Whether less becomes infinite than is dropped; most of what is dropped is too small beside the first to be added."""
    random_ = random.Random(7)
    for size in (9, 40, 100):
        thin = np.array([THIN, *(THIN * 2.0**-53 * random_.uniform(0.8, 1.0) for _ in range(size))])
        law = SpreadLaw(FRAME, ZERO, 0, np.append(thin, 0.5), infinite, 0.0)
        found = graded_sum._trimmed(law)
        assert found.start == thin.size
        if Fraction(found.infinite) < Fraction(infinite) + sum(map(Fraction, thin.tolist()), ZERO):
            return True
    return False


def test_what_is_trimmed_is_added_up_outward() -> None:
    assert not trimming_is_off(0.0)
    assert not trimming_is_off(2.0**53 * THIN)


@pytest.mark.parametrize(("charge", "infinite"), [("raised", 0.0), ("up", 2.0**54 * THIN)])
def test_planted_trimming_that_rounds_inward_is_caught(charge: str, infinite: float, monkeypatch: Patch) -> None:
    monkeypatch.setattr(graded_sum, charge, unchanged)
    assert trimming_is_off(infinite)


KINDS = [SpreadLaw, MergedLaw, FineLaw]


@pytest.mark.parametrize("kind", KINDS)
def test_masses_that_are_joined_or_moved_are_known_as_well_as_laws_say(kind: type) -> None:
    assert not joint_is_off(kind)
    assert not coarser_is_off(kind)


@pytest.mark.parametrize(
    ("kind", "charge", "check"),
    [
        (SpreadLaw, "raised", joint_is_off),
        (SpreadLaw, "raised", coarser_is_off),
        (MergedLaw, "_doubted", joint_is_off),
        (MergedLaw, "_doubted", coarser_is_off),
        (FineLaw, "_doubted", joint_is_off),
        (FineLaw, "_doubted", coarser_is_off),
        (FineLaw, "_gap_doubted", joint_is_off),
        (FineLaw, "_gap_doubted", coarser_is_off),
        (FineLaw, "lowered", joint_is_off),
    ],
)
def test_planted_charges_that_are_forgotten_are_caught(
    kind: type, charge: str, check: Callable[[type], bool], monkeypatch: Patch
) -> None:
    monkeypatch.setattr(graded_sum, charge, unchanged)
    assert check(kind)


def test_planted_shares_that_are_too_small_by_a_few_roundings_are_caught(monkeypatch: Patch) -> None:
    def planted(size: float, factor: int) -> Any:
        places = -size * np.arange(factor + 1.0)
        whole = math.expm1(places[-1])
        left, right = np.exp(places[:-1]) * np.expm1(places[:0:-1]) / whole, np.expm1(places[:-1]) / whole
        return left * (1.0 - 2.0**-49), right * (1.0 - 2.0**-49)

    monkeypatch.setattr(graded_sum, "_shares", planted)
    assert coarser_is_off(SpreadLaw)
