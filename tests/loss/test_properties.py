"""Laws that hold for every composition, on random small ones."""

from __future__ import annotations

import itertools
from fractions import Fraction

from hypothesis import given, settings, strategies as st

from accountant.loss import ComposedLoss, FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss, compose
from tests.loss.cases import Parts, atomic, atoms_of, faults
from tests.loss.references import atoms_delta, atoms_tradeoff, encloses, product_atoms

POINTS = st.one_of(st.floats(-8, 8), st.floats(8, 60), st.sampled_from([0.0, 0.1, 0.25, 1.0]))
TARGETS = st.sampled_from(["0.5", "0.1", "1e-3", "1e-7", "1e-13", "1e-22"])


@st.composite
def finite_losses(draw: st.DrawFn) -> FiniteLoss:
    """Two or three outcomes, among them impossible ones and rare large losses."""
    size = draw(st.integers(2, 3))
    weight = st.one_of(st.integers(0, 6), st.sampled_from([10**5, 10**12]))
    sides = [draw(st.lists(weight, min_size=size, max_size=size).filter(any)) for _ in range(2)]
    left, right = ([Fraction(w, sum(side)) for w in side] for side in sides)
    return FiniteLoss(zip(left, right, strict=True))


@st.composite
def response_losses(draw: st.DrawFn) -> ResponseLoss:
    epsilon = draw(st.one_of(st.integers(0, 40).map(lambda k: Fraction(k, 20)), st.sampled_from(["1e-8", "17", "0.333"])))
    return ResponseLoss(epsilon, draw(st.sampled_from([0, 0, 0, "1e-10", "1/50"])))


def atom_losses() -> st.SearchStrategy[PrivacyLoss]:
    return st.one_of(finite_losses(), response_losses())


def compositions(most: int = 3) -> st.SearchStrategy[list[tuple[PrivacyLoss, int]]]:
    return st.lists(st.tuples(atom_losses(), st.integers(1, 2)), min_size=1, max_size=most)


@settings(max_examples=40, deadline=None)
@given(compositions(), POINTS, TARGETS)
def test_readings_contain_the_enumerated_truth(parts: Parts, point: float, target: str) -> None:
    assert faults([atomic("random", parts, (point,), (target,))]) == []


@settings(max_examples=25, deadline=None)
@given(compositions(2), st.fractions(0, 1, max_denominator=1000))
def test_tradeoff_contains_the_enumerated_truth(parts: Parts, level: Fraction) -> None:
    truth = atoms_tradeoff(product_atoms([(atoms_of(loss), count) for loss, count in parts]), level)
    assert encloses(ComposedLoss.of(parts).tradeoff(level), truth)


@settings(max_examples=25, deadline=None)
@given(compositions(), POINTS)
def test_both_directions_contain_the_truth(parts: Parts, point: float) -> None:
    back = ComposedLoss.of(parts).reverse()
    swapped = [(q, p) for p, q in product_atoms([(atoms_of(loss), count) for loss, count in parts])]
    assert encloses(back.delta(point), atoms_delta(swapped, point))


@settings(max_examples=10, deadline=None)
@given(compositions(), POINTS, st.randoms(use_true_random=False))
def test_order_is_irrelevant(parts: Parts, point: float, random: object) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert compose(shuffled).delta(point) == compose(parts).delta(point)
    one, other = ComposedLoss.of(parts).delta(point), ComposedLoss.of(shuffled).delta(point)
    assert max(one.lower, other.lower) <= min(one.upper, other.upper)


@settings(max_examples=25, deadline=None)
@given(atom_losses(), st.integers(1, 4), POINTS, TARGETS)
def test_count_is_repetition(loss: PrivacyLoss, count: int, point: float, target: str) -> None:
    counted, repeated = ComposedLoss.of([(loss, count)]), ComposedLoss.of([(loss, 1)] * count)
    for one, other in (
        (counted.delta(point), repeated.delta(point)),
        (counted.epsilon(target), repeated.epsilon(target)),
        (counted.renyi(3), repeated.renyi(3)),
        (counted.supremum(), repeated.supremum()),
        (counted.infinite(), repeated.infinite()),
    ):
        assert max(one.lower, other.lower) <= min(one.upper, other.upper) * (1 + 1e-15)


@settings(max_examples=10, deadline=None)
@given(compositions(2), st.one_of(atom_losses(), st.just(GaussianLoss("0.2"))), st.floats(0, 10), TARGETS)
def test_another_release_never_helps(parts: Parts, extra: PrivacyLoss, point: float, target: str) -> None:
    without, more = ComposedLoss.of(parts), ComposedLoss.of([*parts, (extra, 1)])
    assert more.delta(point).upper >= without.delta(point).lower
    assert more.epsilon(target).upper >= without.epsilon(target).lower
    assert more.renyi(2).upper >= without.renyi(2).lower
    assert more.tradeoff("0.2").lower <= without.tradeoff("0.2").upper


@settings(max_examples=10, deadline=None)
@given(compositions(2), st.lists(st.floats(-5, 20), min_size=2, max_size=4))
def test_delta_falls_and_ends_are_ordered(parts: Parts, points: list[float]) -> None:
    loss = ComposedLoss.of(parts)
    readings = [loss.delta(point) for point in sorted(points)]
    for reading in readings:
        assert 0.0 <= reading.lower <= reading.upper <= 1.0
    for left, right in itertools.pairwise(readings):
        assert right.lower <= left.upper
    levels = [loss.tradeoff(level) for level in ("0.1", "0.2", "0.7")]
    assert levels[2].lower <= levels[1].upper
    assert levels[1].lower <= levels[0].upper
