"""The sparse vector technique: laws of all answers by integration keep the claimed epsilon, and broken variants do not."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from accountant.loss import FiniteLoss, PrivacyLoss, compose
from accountant.plugin import Shift
from accountant_selection import SparseVector
from accountant_selection.cases import answers
from accountant_selection.laplace_products import above, below, density, integral

Queries = Sequence[Fraction]
Law = dict[tuple[bool, ...], Fraction]


def below_zero(z: mpmath.mpf) -> mpmath.mpf:
    return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2


def quadrature(mechanism: SparseVector, queries: Queries, answer: tuple[bool, ...]) -> mpmath.mpf:
    """The chance of one answer, integrated over the noisy threshold."""
    first, scale = (mpmath.mpf(s.numerator) / s.denominator for s in (mechanism.threshold_scale, mechanism.query_scale))
    values = [mpmath.mpf(query.numerator) / query.denominator for query in queries]

    def integrand(z: mpmath.mpf) -> mpmath.mpf:
        chances = [below_zero((z - v) / scale) for v in values[: len(answer)]]
        sides = [1 - chance if said else chance for said, chance in zip(answer, chances, strict=True)]
        return mpmath.exp(-abs(z) / first) / (2 * first) * mpmath.fprod(sides)

    return mpmath.quad(integrand, sorted({-60, -10, 0, *values, 10, 60}))


def test_the_oracle_is_the_integral() -> None:
    mechanism = SparseVector("1", "3/2", 2)
    queries = [Fraction(1), Fraction(-1, 2), Fraction(2)]
    law = answers(mechanism, queries)
    assert sum(law.values()) == pytest.approx(1, abs=1e-50)
    assert (True, True) in law
    assert (True, True, False) not in law
    with mpmath.workdps(20):
        for answer, exact in law.items():
            direct = quadrature(mechanism, queries, answer)
            assert abs(direct - mpmath.mpf(exact.numerator) / exact.denominator) < mpmath.mpf(10) ** -12


def largest_loss(law: Callable[[Queries], Law], pairs: Sequence[tuple[Queries, Queries]]) -> float:
    """The largest log likelihood ratio of any answer between any of the datasets, both directions."""
    ratios = []
    for left, right in pairs:
        one, other = law(left), law(right)
        ratios += [max(one[answer] / other[answer], other[answer] / one[answer]) for answer in one]
    return math.log(max(ratios))


def worst_pairs(count: int, cutoff: int, monotone: bool = False) -> list[tuple[Queries, Queries]]:
    """Many queries that stay below and move up, then as many as the cutoff that go above and move down, at some heights."""
    found = []
    for low, high in itertools.product((-4, -1, 2), (-9, -3, 0)):
        left = [Fraction(low)] * count + [Fraction(high)] * cutoff
        fall = 0 if monotone else -1
        right = [query + 1 for query in left[:count]] + [query + fall for query in left[count:]]
        found.append((left, right))
    return found


def all_below_then_above(cutoff: int) -> Callable[[Queries], Law]:
    """The chance of the one answer that matters, with scales 1 for the threshold and 2 for the queries."""

    def law(queries: Queries) -> Law:
        answer = (False,) * (len(queries) - cutoff) + (True,) * cutoff
        factors = [(above if said else below)(query, Fraction(2)) for said, query in zip(answer, queries, strict=True)]
        return {answer: integral([density(Fraction(0), Fraction(1)), *factors], [Fraction(0), *queries])}

    return law


@pytest.mark.parametrize(("cutoff", "monotone"), [(1, False), (2, False), (3, False), (2, True)])
def test_the_worst_answers_come_close_to_the_claimed_epsilon_and_keep_it(cutoff: int, monotone: bool) -> None:
    claimed = SparseVector("1", "2", cutoff, monotone).loss(Shift.along([1])).supremum()
    assert claimed.exact == 1 + cutoff * Fraction(1, 2 if monotone else 1)
    found = largest_loss(all_below_then_above(cutoff), worst_pairs(6, cutoff, monotone))
    assert 0.8 * claimed.upper < found <= claimed.upper


@pytest.mark.parametrize("cutoff", [1, 3])
def test_the_largest_loss_is_approached(cutoff: int) -> None:
    """Many queries below at a height far above 0: the rest of the law is exponential from there on."""
    claimed = SparseVector("1", "2", cutoff).loss(Shift.along([1])).supremum().upper

    def chance(low: float, high: float) -> mpmath.mpf:
        def integrand(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-abs(z)) * below_zero((z - low) / 2) ** 500 * (1 - below_zero((z - high) / 2)) ** cutoff

        return mpmath.quad(integrand, [-20, 0, 5, 10, 15, 20, 40, 80])

    with mpmath.workdps(25):
        found = float(mpmath.log(chance(0.0, -1.0) / chance(1.0, -2.0)))
    assert 0.995 * claimed < found <= claimed


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from([SparseVector("1", "2", 1), SparseVector("2", "1", 2), SparseVector("1/2", "1", 1, monotone=True)]),
    st.lists(st.integers(-4, 4).map(Fraction), min_size=1, max_size=4),
    st.data(),
)
def test_no_queries_beat_the_claimed_loss(mechanism: SparseVector, queries: list[Fraction], data: st.DataObject) -> None:
    moves = st.sampled_from([0, 1] if mechanism.monotone else [-1, 0, 1])
    moved = [query + data.draw(moves) for query in queries]
    laws = [list(answers(mechanism, values).values()) for values in (moved, queries)]
    completed = [[*law[:-1], 1 - sum(law[:-1], Fraction(0))] for law in laws]
    pair, claimed = FiniteLoss(zip(*completed, strict=True)), mechanism.loss(Shift.along([1]))
    for epsilon in ("0", "0.3", "1", "2"):
        assert pair.delta(epsilon).lower <= claimed.delta(epsilon).upper
        assert pair.reverse().delta(epsilon).lower <= claimed.delta(epsilon).upper


# Variants of the literature that do not keep what they promise --------------------------------------------------------


def test_noise_that_does_not_grow_with_the_cutoff_is_caught() -> None:
    """Promising move/threshold_scale + 2 move/query_scale whatever the cutoff."""
    promised = SparseVector("1", "2", 1).loss(Shift.along([1])).supremum().upper
    assert largest_loss(all_below_then_above(1), worst_pairs(6, 1)) <= promised
    assert largest_loss(all_below_then_above(3), worst_pairs(6, 3)) > promised


def test_queries_without_noise_are_caught() -> None:
    """Comparing exact queries with a noisy threshold: below, then above, needs it to lie between the two."""

    def chance(first: float, second: float) -> float:
        return max(0.0, float(below_zero(mpmath.mpf(second)) - below_zero(mpmath.mpf(first))))

    assert chance(0.0, 1.0) > 0.0
    assert chance(1.0, 0.0) == 0.0


def test_a_threshold_without_noise_is_caught() -> None:
    """Then every answer below costs as much as one above."""
    promised = SparseVector("1", "2", 1).loss(Shift.along([1])).supremum().upper

    def law(queries: Queries) -> Law:
        chances = [Fraction(float(below_zero(-float(query) / mpmath.mpf(2)))) for query in queries]
        return {(True,): math.prod(chances[:-1], start=Fraction(1)) * (1 - chances[-1])}

    assert largest_loss(law, worst_pairs(6, 1)) > promised


def test_numeric_answers_are_caught() -> None:
    """Showing the noisy query that went above bounds the threshold: what stayed below then costs each time."""
    promised = SparseVector("1", "2", 1).loss(Shift.along([1])).supremum().upper

    def likelihood(queries: Sequence[float], shown: float) -> mpmath.mpf:
        """The density of: all below, the last one above with this noisy value. The threshold lies below what is shown."""

        def integrand(z: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-abs(z)) / 2 * mpmath.fprod(below_zero((z - query) / 2) for query in queries[:-1])

        last = mpmath.exp(-abs(shown - queries[-1]) / 2) / 4
        return last * mpmath.quad(integrand, [-40, 0, shown] if shown > 0 else [-40, shown])

    left, right = [0.0] * 12 + [0.0], [1.0] * 12 + [-1.0]
    with mpmath.workdps(20):
        found = mpmath.log(likelihood(left, -6.0) / likelihood(right, -6.0))
    assert found > promised


# The lower end -------------------------------------------------------------------------------------------------------


def first_above(queries: Sequence[float], first: float, scale: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The chances that the first answer above falls on an odd and on an even position of a very long stream.

    Given the noisy threshold z both are geometric sums over the two queries that alternate.
    """

    def integrand(z: mpmath.mpf) -> mpmath.mpf:
        odd, even = (1 - below_zero((z - query) / scale) for query in queries)
        return mpmath.exp(-abs(z) / first) / (2 * first) * odd / (odd + even - odd * even)

    chance = mpmath.quad(integrand, [-80, -20, -5, 0, 5, 20, 80])
    return chance, 1 - chance


@pytest.mark.parametrize(("move", "monotone"), [(1.0, False), (1.0, True)])
def test_odd_and_even_positions_attain_the_lower_end(move: float, monotone: bool) -> None:
    """Two alternating queries far below the threshold, one of which rises while the other falls or stays."""
    mechanism = SparseVector("1", "2", 1, monotone)
    loss = mechanism.loss(Shift.along([1]))
    apart = (1.0 if monotone else 2.0) * move
    left, right = [-60.0 + apart / 2, -60.0], [-60.0 - apart / 2, -60.0]
    if not monotone:
        left, right = [-60.0 + move / 2, -60.0 - move / 2], [-60.0 - move / 2, -60.0 + move / 2]
    with mpmath.workdps(25):
        p, q = first_above(left, 1.0, 2.0), first_above(right, 1.0, 2.0)
        attained = float(p[0] - q[0])
    assert attained == pytest.approx(loss.delta(0).lower, rel=1e-6)


def test_many_answers_above_are_many_such_pairs() -> None:
    ten: PrivacyLoss = SparseVector("10", "20", 10).loss(Shift.along([1]))
    one = SparseVector("10", "20", 1).loss(Shift.along([1]))
    assert ten.delta(0).lower > 2.0 * one.delta(0).lower
    assert compose([(ten, 3)]).supremum().exact == 3 * (Fraction(1, 10) + 1)


@pytest.mark.parametrize("scales", [("1e-6", "1e-6"), ("1e6", "1e7"), ("1", "1e3")])
def test_every_size_is_read_without_a_warning(scales: tuple[str, str]) -> None:
    loss = SparseVector(*scales, 5).loss(Shift.along([1]))
    for epsilon in ("0", "0.001", "1", "100"):
        value = loss.delta(epsilon)
        assert 0.0 <= value.lower <= value.upper <= 1.0
    assert loss.epsilon("1e-6").upper <= loss.supremum().upper
