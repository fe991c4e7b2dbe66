"""What losses know of themselves is carried through: errors far larger than roundings, with the truth at their end.

Losses have a few values, of which masses are known up to some share. Every law whose masses lie within these errors is one
that the loss may stand for, those at the corners too: readings of the loss, of what is drawn from it, mixed and composed
from it contain theirs. Where an error, an end or a direction is forgotten on the way, the truth falls out, and by more than
any rounding.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from attrs import frozen

from accountant import loss as losses
from accountant.loss import AtomicLoss, Atoms, Cells, Floats, PrivacyLoss, SampledLoss, atom_cells
from accountant.loss.derived.mixture import MixtureLoss
from accountant.numbers.interval import Interval
from accountant.numbers.rounding import ROUNDOFF

pytestmark = pytest.mark.slow

Real = Any
Law = list[tuple[Real, Real]]
"""The chances of each outcome under P and under Q."""

SHARE = 1e-3
"""What is not known of a mass, as a share of it."""


@frozen(eq=False)
class Blurred(AtomicLoss):
    """A loss whose masses are known up to errors."""

    these: Atoms

    def find_atoms(self) -> Atoms:
        return self.these


@frozen(eq=False)
class InCells(PrivacyLoss):
    """The same, of which nothing is known but the masses between edges."""

    these: Atoms

    def cells(self, edges: Floats) -> Cells:
        atoms = self.these
        return atom_cells(edges, atoms.losses, atoms.masses, atoms.errors, atoms.infinite)

    def window(self, log_tail: float) -> tuple[float, float]:
        return float(self.these.losses[0]), float(self.these.losses[-1])

    def reverse(self) -> PrivacyLoss:
        return InCells(self.these.reversed())


@frozen(eq=False)
class Moved(PrivacyLoss):
    """Outcomes that are counted where they do not lie, up to a slack."""

    places: Floats
    p: Floats
    q: Floats

    def cells(self, edges: Floats) -> Cells:
        index = np.searchsorted(edges, self.places, side="left")
        p = np.bincount(index, self.p, edges.size + 1)
        q = np.bincount(index, self.q * np.exp(edges[np.maximum(index - 1, 0)]), edges.size + 1)
        q[0] = 0.0
        return Cells(p, q, p * 1e-14, q * 1e-13, Interval.of(0), slack=SHARE)

    def window(self, log_tail: float) -> tuple[float, float]:
        return float(self.places[0]), float(self.places[-1])

    def reverse(self) -> PrivacyLoss:
        return Moved(-self.places[::-1], self.q[::-1], self.p[::-1])


View = Callable[[Atoms], PrivacyLoss]
VIEWS: dict[str, View] = {"atoms": Blurred, "cells": InCells}
CORNERS = {"more above": 1, "less above": -1}
"""Whether masses of losses above 0 are stated as larger than they are, and others as smaller, or the other way round."""


def drawn(seed: int, corner: str, infinite: bool = False) -> tuple[Law, Atoms]:
    """A pair of laws, and atoms that may stand for it: at a corner of what their errors leave open."""
    dice = random.Random(seed)
    size = 4
    chances = [[dice.random() + 0.05 for _ in range(size)] for _ in range(2)]
    law = [(mp.mpf(p) / mp.fsum(chances[0]), mp.mpf(q) / mp.fsum(chances[1])) for p, q in zip(*chances, strict=True)]
    law.sort(key=lambda pair: pair[0] / pair[1])
    told = mp.mpf(1) / 8 if infinite else mp.mpf(0)
    law = [(p * (1 - told), q) for p, q in law]
    values = np.array([float(mp.log(p / q)) for p, q in law])
    sign = CORNERS[corner]
    signs = np.where(values > 0.0, sign, -sign)
    masses = np.array([float(p) for p, _ in law]) * (1.0 + SHARE * signs)
    open_ = Interval(0.125 - SHARE * (sign > 0), 0.125 + SHARE * (sign < 0)) if infinite else Interval.of(0)
    # The error is a share of what is stated, which may be the smaller one.
    atoms = Atoms(values, masses, masses * (1.002 * SHARE), open_)
    return ([*law, (told, mp.mpf(0))] if infinite else law), atoms


def composed(*laws: Law) -> Law:
    whole: Law = []
    for outcome in product(*laws):
        whole.append((mp.fprod(p for p, _ in outcome), mp.fprod(q for _, q in outcome)))
    return whole


def repeated(law: Law, count: int) -> Law:
    """Outcomes that come in another order have the same loss."""
    found: dict[tuple[int, ...], tuple[Real, Real]] = {tuple([0] * len(law)): (mp.mpf(1), mp.mpf(1))}
    for _ in range(count):
        more: dict[tuple[int, ...], tuple[Real, Real]] = defaultdict(lambda: (mp.mpf(0), mp.mpf(0)))
        for seen, (p, q) in found.items():
            for k, (p_one, q_one) in enumerate(law):
                key = tuple(n + (place == k) for place, n in enumerate(seen))
                more[key] = (more[key][0] + p * p_one, more[key][1] + q * q_one)
        found = more
    return list(found.values())


def sampled(law: Law, rate: Fraction) -> Law:
    share = mp.mpf(rate.numerator) / rate.denominator
    return [(share * p + (1 - share) * q, q) for p, q in law]


def mixed(chance: Fraction, one: Law, other: Law) -> Law:
    share = mp.mpf(chance.numerator) / chance.denominator
    return [(share * p, share * q) for p, q in one] + [((1 - share) * p, (1 - share) * q) for p, q in other]


def back(law: Law) -> Law:
    return [(q, p) for p, q in law]


RATE, CHANCE = Fraction(1, 5), Fraction(1, 3)


def settings(one: Law, other: Law, first: PrivacyLoss, second: PrivacyLoss) -> dict[str, tuple[Law, PrivacyLoss]]:
    """What can be made of two losses, and the laws that it stands for."""
    three = losses.compose([(first, 3)])
    drawn_one = SampledLoss.of(first, RATE)
    return {
        "alone": (one, first),
        "exchanged": (back(one), first.reverse()),
        "three": (repeated(one, 3), three),
        "nine": (repeated(one, 9), losses.compose([(first, 9)])),
        "unlike": (composed(repeated(one, 2), other), losses.compose([(first, 2), (second, 1)])),
        "mixed": (mixed(CHANCE, one, other), MixtureLoss.of([(CHANCE, first), (1 - CHANCE, second)])),
        "mixed, composed": (
            mixed(CHANCE, repeated(one, 3), other),
            MixtureLoss.of([(CHANCE, three), (1 - CHANCE, second)]),
        ),
        "mixed, twice": (
            repeated(mixed(CHANCE, one, other), 2),
            losses.compose([(MixtureLoss.of([(CHANCE, first), (1 - CHANCE, second)]), 2)]),
        ),
        "sampled": (sampled(one, RATE), drawn_one),
        "sampled, exchanged": (back(sampled(one, RATE)), drawn_one.reverse()),
        "sampled, often": (repeated(sampled(one, RATE), 4), losses.compose([(drawn_one, 4)])),
        "sampled, exchanged, often": (
            repeated(back(sampled(one, RATE)), 4),
            losses.compose([(drawn_one.reverse(), 4)]),
        ),
    }


NAMES = list(settings([(mp.mpf(1), mp.mpf(1))], [(mp.mpf(1), mp.mpf(1))], losses.ResponseLoss(1), losses.ResponseLoss(2)))


def delta_of(law: Law, epsilon: Real) -> Real:
    growth = mp.exp(mp.mpf(epsilon))
    return mp.fsum(max(p - growth * q, mp.mpf(0)) for p, q in law)


def log_moment_of(law: Law, order: Real) -> Real:
    if any(p > 0 and q == 0 for p, q in law):
        return mp.inf
    return mp.log(mp.fsum(p * (p / q) ** order for p, q in law if p > 0))


def missed_of(law: Law, level: Real) -> Real:
    """The least chance to miss under P of a test that is right under Q but for such a chance."""
    left, missed = mp.mpf(level), mp.mpf(1)
    for p, q in sorted(law, key=lambda pair: -(pair[0] / pair[1] if pair[1] else mp.inf)):
        share = min(mp.mpf(1), left / q) if q else mp.mpf(1)
        left, missed = left - share * q, missed - share * p
    return missed


def inside(value: Interval, truth: Real, what: str) -> None:
    least = abs(truth) * mp.mpf(10) ** -30
    assert mp.mpf(value.lower) <= truth + least, f"{what}: {value} for {mp.nstr(truth, 12)}"
    assert truth - least <= mp.mpf(value.upper), f"{what}: {value} for {mp.nstr(truth, 12)}"


SLOW = {name for name in NAMES if "mixed" in name or "often" in name} | {"nine", "unlike"}
"""These take long, so that little is asked of them."""
QUICK = [name for name in NAMES if name not in SLOW]
ONCE = {
    "three": "less above",
    "nine": "less above",
    "unlike": "more above",
    "mixed, composed": "more above",
    "mixed, twice": "less above",
}
ONCE |= {"sampled, often": "more above", "sampled, exchanged, often": "less above"}
PLAIN = [(name, corner) for name in NAMES for corner in CORNERS if ONCE.get(name, corner) == corner]
CASES = [(name, "atoms", corner) for name, corner in PLAIN]
CASES += [(name, "cells", corner) for name, corner in PLAIN if name in QUICK and "sampled" not in name]


@pytest.mark.parametrize(("name", "view", "corner"), CASES)
def test_readings_contain_every_law_that_a_loss_may_stand_for(name: str, view: str, corner: str) -> None:
    (one, first), (other, second) = drawn(1, corner), drawn(2, corner)
    law, loss = settings(one, other, VIEWS[view](first), VIEWS[view](second))[name]
    inside(loss.delta(0.4), delta_of(law, 0.4), "delta at 0.4")
    if name in SLOW - {"mixed, composed"}:
        return  # the rest takes long, and is asked of its parts
    found = loss.epsilon("0.05")
    assert delta_of(law, found.upper) <= mp.mpf("0.05")
    assert found.lower == 0.0 or delta_of(law, found.lower) >= mp.mpf("0.05") * (1 - mp.mpf(10) ** -30)
    assert loss.delta(0.2).width < 0.1
    if name == "mixed, composed":
        return
    inside(loss.renyi("2.5"), log_moment_of(law, mp.mpf("1.5")) / mp.mpf("1.5"), "Renyi of 2.5")
    inside(loss.supremum(), max(mp.log(p / q) for p, q in law), "supremum")
    inside(loss.tradeoff("0.1"), missed_of(law, mp.mpf("0.1")), "trade-off")


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("name", ["alone", "exchanged", "mixed", "sampled"])
def test_what_tells_everything_is_carried_through(name: str, corner: str) -> None:
    (one, first), (other, second) = drawn(1, corner, infinite=True), drawn(2, corner, infinite=True)
    law, loss = settings(one, other, Blurred(first), Blurred(second))[name]
    inside(loss.infinite(), mp.fsum(p for p, q in law if q == 0), "what tells everything")
    inside(loss.delta(0.3), delta_of(law, 0.3), "delta")


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("name", ["three", "sampled", "sampled, exchanged"])
def test_losses_that_are_counted_elsewhere_are_answered_for(name: str, side: float) -> None:
    one, _ = drawn(1, "more above")
    arrays = [np.array([float(chances[k]) for chances in one]) for k in (0, 1)]
    first = Moved(np.log(arrays[0] / arrays[1]) + side * 0.99 * SHARE, *arrays)
    law, loss = settings(one, one, first, first)[name]
    inside(loss.delta(0.3), delta_of(law, 0.3), "delta at 0.3")
    assert loss.delta(0.3).width < 20 * SHARE


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("name", [name for name in QUICK if "sampled" in name])
def test_samples_of_cells_contain_every_law_that_these_may_stand_for(name: str, corner: str) -> None:
    (one, first), (other, second) = drawn(1, corner), drawn(2, corner)
    law, loss = settings(one, other, InCells(first), InCells(second))[name]
    inside(loss.delta(0.1), delta_of(law, 0.1), "delta at 0.1")


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("name", ["alone", "exchanged"])
def test_values_that_are_off_are_answered_for(name: str, side: float) -> None:
    """Masses are known, but every value only up to a grain that is far larger than roundings.

    Only products of atoms have one above 1, and these are read as they are.
    """
    pairs = []
    for seed in (1, 2):
        law, atoms = drawn(seed, "more above")
        masses = np.array([float(p) for p, _ in law])
        values = atoms.losses + side * 0.99 * SHARE
        pairs.append((law, Blurred(Atoms(values, masses, masses * 1e-15, grain=SHARE / (8 * ROUNDOFF)))))
    (one, first), (other, second) = pairs
    law, loss = settings(one, other, first, second)[name]
    for epsilon in (0.0, 0.4):
        inside(loss.delta(epsilon), delta_of(law, epsilon), f"delta at {epsilon}")
    inside(loss.renyi("2.5"), log_moment_of(law, mp.mpf("1.5")) / mp.mpf("1.5"), "Renyi of 2.5")
    inside(loss.supremum(), max(mp.log(p / q) for p, q in law), "supremum")
    assert loss.delta(0.4).width < 20 * SHARE
