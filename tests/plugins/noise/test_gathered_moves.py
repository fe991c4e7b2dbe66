"""Groups under whole noise: of all that several records can do to a histogram, one move is the worst."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from accountant import Neighbours, PlanError, PrivacyLoss, ShiftError, account, read_plan
from accountant.finite import Pair
from accountant.plugin import Mechanism, Relation, Shift, Vector
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant_builtin.queries import Histogram
from accountant_noise import DiscreteGaussian, Geometric, Laplace, Skellam

_REACH = 14
_EPSILONS = (0.0, 0.3, 1.0, 2.5, 5.0)
Move = tuple[int, ...]


def gaussian_mass(place: int) -> float:
    return math.exp(-(place**2) / 2.5)


def skellam_mass(place: int) -> float:
    """I_|k|(3/4), by its series."""
    size = abs(place)
    return math.fsum((3 / 8) ** (2 * j + size) / (math.factorial(j) * math.factorial(j + size)) for j in range(25))


def geometric_mass(place: int) -> float:
    return math.exp(-2.0 * abs(place))


NOISES: dict[str, tuple[Mechanism, Callable[[int], float]]] = {
    "discrete-gaussian": (DiscreteGaussian(variance="5/4"), gaussian_mass),
    "skellam": (Skellam("3/4"), skellam_mass),
    "geometric": (Geometric("1/2"), geometric_mass),
}


def moves_of(relation: Relation, group: int, cells: int) -> set[Move]:
    """What any so many steps between neighbours do to a histogram, up to renamed cells and signs."""
    units = [tuple(int(cell == place) for cell in range(cells)) for place in range(cells)]
    step: set[Move] = set()
    for rise, fall in relation.moves:
        for chosen in itertools.product(units, repeat=rise + fall):
            step.add(tuple(sum(unit[c] * (1 if k < rise else -1) for k, unit in enumerate(chosen)) for c in range(cells)))
    reached = {(0,) * cells}
    for _ in range(group):
        reached |= {tuple(a + b for a, b in zip(move, one, strict=True)) for move in reached for one in step}
    return {tuple(sorted((abs(value) for value in move if value), reverse=True)) for move in reached} - {()}


def enumerated(mass: Callable[[int], float], move: Move) -> list[float]:
    """Delta at every epsilon by adding up all outcomes; what is farther out than they reach has a chance below 1e-11."""
    places = range(-_REACH, _REACH + max(move) + 1)
    total = math.fsum(mass(place) for place in range(-40, 41))
    p, q = np.ones(1), np.ones(1)
    for value in move:
        p = np.outer(p, [mass(place) / total for place in places]).ravel()
        q = np.outer(q, [mass(place - value) / total for place in places]).ravel()
    return [float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum()) for epsilon in _EPSILONS]


@pytest.mark.parametrize("noise", sorted(NOISES))
@pytest.mark.parametrize(("relation", "group", "cells"), [(ADD_REMOVE, 2, 3), (ADD_REMOVE, 3, 3), (REPLACE_ONE, 2, 3)])
def test_no_move_of_a_group_loses_more_and_one_loses_as_much(
    noise: str, relation: Relation, group: int, cells: int
) -> None:
    mechanism, mass = NOISES[noise]
    loss = mechanism.loss(Histogram().shift(Neighbours(relation, group=group)))
    found = [enumerated(mass, move) for move in moves_of(relation, group, cells)]
    assert len(found) >= 3
    for place, epsilon in enumerate(_EPSILONS):
        value, worst = loss.delta(Fraction(epsilon)), max(deltas[place] for deltas in found)
        assert value.lower - 1e-10 <= worst <= value.upper + 1e-10
        assert value.width <= 1e-6


def test_four_cells_that_move_by_one_each_lose_less_than_two_that_move_by_two() -> None:
    """The planted error: a group whose records all differ is not the worst group."""
    for mechanism, mass in NOISES.values():
        shared = mechanism.loss(Shift.along([1, 1, -1, -1]))
        assert max(enumerated(mass, (2, 2))) > shared.delta(Fraction(_EPSILONS[0])).upper + 1e-3


@st.composite
def log_concave(draw: st.DrawFn) -> list[Fraction]:
    """Chances of whole noise from 0 on, each a smaller part of the one before than that was, down to none."""
    steps = draw(st.lists(st.fractions(Fraction(1, 20), 1), min_size=1, max_size=3))
    return list(itertools.accumulate([Fraction(1), *sorted(steps, reverse=True)], lambda value, step: value * step))


def pair_of(chances: list[Fraction], move: Move) -> Pair:
    """The exact pair of independent noise in so many coordinates."""
    total = chances[0] + 2 * sum(chances[1:])
    sides = []
    for shifted in ((0,) * len(move), move):
        laws = []
        for value in shifted:
            places = range(-len(chances) - 5, len(chances) + 6)
            laws.append([chances[abs(k - value)] / total if abs(k - value) < len(chances) else Fraction(0) for k in places])
        sides.append([math.prod(outcome, start=Fraction(1)) for outcome in itertools.product(*laws)])
    return Pair(zip(*sides, strict=True))


@settings(max_examples=25, deadline=None)
@given(log_concave(), st.integers(1, 2), st.integers(1, 2))
def test_log_concave_noise_loses_most_by_gathered_moves(chances: list[Fraction], first: int, second: int) -> None:
    """In exact arithmetic, at every likelihood ratio at which a curve bends."""
    gathered, shared = pair_of(chances, (first + second,)), pair_of(chances, (first, second))
    bends = {p / q for pair in (gathered, shared) for p, q in pair.atoms if q}
    for ratio in bends:
        assert shared.delta(ratio) <= gathered.delta(ratio)


def test_noise_that_is_not_log_concave_may_lose_most_by_moves_that_are_shared_out() -> None:
    """What the theorem assumes is needed: where chances fall in stairs, a move by 2 may cost no more than one by 1."""
    stairs = [Fraction(4), Fraction(4), Fraction(4), Fraction(1), Fraction(1), Fraction(1)]
    assert pair_of(stairs, (1, 1)).delta(4) > pair_of(stairs, (2,)).delta(4)


@pytest.mark.parametrize("noise", sorted(NOISES))
def test_a_stated_vector_taken_twice_is_enclosed(noise: str) -> None:
    """Which cells the second unit moves is not known: all ways to place two such moves lie in between."""
    mechanism, mass = NOISES[noise]
    loss = mechanism.loss(Vector(shift=["2", "1"]).shift(Neighbours(REPLACE_ONE, group=2)))
    ways: set[Move] = set()
    for sign, second in itertools.product((1, -1), itertools.permutations((2, 1, 0))):
        added = (abs(a + sign * b) for a, b in zip((2, 1, 0), second, strict=True))
        ways.add(tuple(sorted((value for value in added if value), reverse=True)))
    assert (4, 2) in ways
    for move in ways - {()}:
        for epsilon, delta in zip(_EPSILONS, enumerated(mass, move), strict=True):
            assert delta <= loss.delta(Fraction(epsilon)).upper + 1e-10
    # That all is in one coordinate is no way to place them; the loss below is of one that moves by 4.
    worst = max(enumerated(mass, move)[1] for move in ways - {()})
    assert loss.delta(Fraction(_EPSILONS[1])).lower <= worst


def test_rho_of_a_stated_vector_grows_by_the_square_of_the_group() -> None:
    release = {
        "name": "stated",
        "query": {"kind": "vector", "shift": ["2", "1"]},
        "mechanism": {"kind": "discrete-gaussian", "variance": "10"},
    }
    whole = account(read_plan({"specification": {"neighbours": "replace-one", "group": 3}, "release": [release]}))
    assert whole.measure("zcdp").value.upper == pytest.approx(9 * 5 / 20)


@pytest.mark.parametrize("kind", ["discrete-gaussian", "skellam", "geometric"])
def test_advice_on_refusals_is_about_what_is_wrong(kind: str) -> None:
    """Whole answers need no rounding; those that are not whole do, also when a group moves them by whole numbers."""
    mechanism = {"discrete-gaussian": DiscreteGaussian(sigma="1"), "skellam": Skellam("1"), "geometric": Geometric("1")}[
        kind
    ]
    with pytest.raises(ShiftError, match="whether by whole numbers only is not known; use a query that says so"):
        mechanism.loss(Shift(Fraction(2), Fraction(2), Fraction(1)))
    with pytest.raises(ShiftError, match="round the answers"):
        mechanism.loss(Shift.along(["1/2"]))
    # Two moves by halves have whole norms, and yet whole noise on them has no outcome in common.
    with pytest.raises(ShiftError, match="whole"):
        mechanism.loss(Vector(shift=["1/2", "1/2"]).shift(Neighbours(REPLACE_ONE, group=2)))


def test_laplace_noise_on_the_histogram_of_a_group_is_known_exactly() -> None:
    """Two cells that move by two each, as Laplace noise is log-concave."""
    loss = Laplace("3").loss(Histogram().shift(Neighbours(REPLACE_ONE, group=2)))
    assert loss == Laplace("3").loss(Shift.along([2, -2]))


def named(mechanism: dict[str, Any]) -> dict[str, Any]:
    return {"name": "ages", "query": {"kind": "histogram", "attributes": ["age"]}, "mechanism": mechanism}


@pytest.mark.parametrize(
    "mechanism",
    [
        {"kind": "discrete-gaussian", "variance": "50"},
        {"kind": "skellam", "variance": "50"},
        {"kind": "geometric", "scale": "5"},
    ],
    ids=lambda mechanism: str(mechanism["kind"]),
)
def test_a_plan_says_why_one_move_of_a_group_is_the_worst(mechanism: dict[str, Any]) -> None:
    plan = {"specification": {"neighbours": "replace-one", "group": 2}, "release": [named(mechanism)]}
    guarantee = account(read_plan(plan)).measure("approx", delta="1e-6")
    assert "gathered-moves-lose-most" in {step.theorem.name for step in guarantee.derivation}
    alone: PrivacyLoss = account(read_plan({**plan, "specification": {"neighbours": "replace-one"}})).loss
    assert guarantee.value.lower > alone.epsilon("1e-6").upper


def test_other_relations_are_not_taken_at_their_first_move() -> None:
    """Of moves of which no coordinates are known, every norm is the largest of all."""
    norms = [Shift(Fraction(4), Fraction(8), Fraction(2)), Shift(Fraction(3), Fraction(9), Fraction(3))]
    worst = Shift.worst(norms)
    assert (worst.l1, worst.l2_squared, worst.linf) == (4, 9, 3)
    either = Relation("either", frozenset({(2, 2), (3, 0)}), edits=False, meaning="two change or three come")
    shift = Histogram().shift(Neighbours(either))
    assert (shift.l1, shift.l2_squared, shift.linf) == (4, 9, 3)
    assert shift.heaviest is None
    loss = DiscreteGaussian(variance="5/4").loss(shift)
    for move in ((2, 2), (2, 1, 1), (1, 1, 1, 1), (3,), (2, 1)):
        for epsilon, delta in zip(_EPSILONS, enumerated(gaussian_mass, move), strict=True):
            assert delta <= loss.delta(Fraction(epsilon)).upper + 1e-10


def test_a_sum_of_halves_stays_refused_for_groups() -> None:
    release = {
        "name": "halves",
        "query": {"kind": "vector", "shift": ["1/2"]},
        "mechanism": {"kind": "discrete-gaussian", "sigma": "2"},
    }
    with pytest.raises(PlanError, match="whole"):
        account(read_plan({"specification": {"neighbours": "replace-one", "group": 2}, "release": [release]}))
