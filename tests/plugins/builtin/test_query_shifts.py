"""How far queries move between neighbours, against enumeration of all small datasets."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import mpmath
import pytest

from accountant import Neighbours, default_registry
from accountant.errors import InvalidValue, ShiftError
from accountant.plugin import DIVERGENCES, Query, Relation, Shift, Vector
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant_builtin.queries import Count, Gradient, Histogram, Sum
from accountant_noise import DiscreteGaussian, Gaussian, Geometric, Laplace, Staircase

VALUES = (-1, 0, 2)
ZCDP = default_registry()[DIVERGENCES]["zcdp"]
TWO_AT_ONCE = Relation("two-at-once", frozenset({(2, 0), (0, 2), (1, 1)}), edits=False, meaning="two records come or go")


def answers(kind: str, data: Counter[int]) -> list[Fraction]:
    """The query's answer computed directly from the records."""
    if kind == "count":
        return [Fraction(data[2])]
    if kind == "histogram":
        return [Fraction(data[value]) for value in VALUES]
    return [Fraction(sum(value * number for value, number in data.items()))]


QUERIES: dict[str, Query] = {
    "count": Count(attributes=["value"]),
    "histogram": Histogram(attributes=["value"]),
    "sum": Sum(lower=-1, upper=2, attributes=["value"]),
}


@pytest.mark.parametrize("kind", sorted(QUERIES))
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE, TWO_AT_ONCE], ids=lambda relation: relation.name)
def test_the_norms_are_the_largest_over_all_small_datasets(kind: str, relation: Relation) -> None:
    datasets = [Counter(items) for size in range(5) for items in combinations_with_replacement(VALUES, size)]
    moves = []
    for left in datasets:
        for right in datasets:
            appear, disappear = sum((right - left).values()), sum((left - right).values())
            # A replaced record may also keep its value: the move then is smaller than allowed.
            if any(appear <= a and disappear <= d and a - appear == d - disappear for a, d in relation.moves):
                pair = zip(answers(kind, left), answers(kind, right), strict=True)
                moves.append([a - b for a, b in pair])
    shift = QUERIES[kind].shift(Neighbours(relation))
    assert shift.l1 == max(sum(abs(value) for value in move) for move in moves)
    assert shift.l2_squared == max(sum(value**2 for value in move) for move in moves)
    assert shift.linf == max(max(abs(value) for value in move) for move in moves)


DIRECTIONS = [
    (Fraction(1), Fraction(0)),
    (Fraction(-1), Fraction(0)),
    (Fraction(-3, 5), Fraction(4, 5)),
    (Fraction(0), Fraction(1, 3)),
]


@pytest.mark.parametrize("norm", [Fraction(1), Fraction(5, 2)])
@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE, TWO_AT_ONCE], ids=lambda relation: relation.name)
def test_clipped_gradients_move_as_far_as_their_lengths_add_up(relation: Relation, group: int, norm: Fraction) -> None:
    """Opposite gradients attain it; all of these are as long as the norm, or shorter."""
    neighbours = Neighbours(relation, group=group)
    shift = Gradient(norm=norm).shift(neighbours)
    lengths = []
    for appear, disappear in neighbours.moves:
        for new in combinations_with_replacement(DIRECTIONS, appear):
            for old in combinations_with_replacement(DIRECTIONS, disappear):
                move = [norm * (sum(a[i] for a in new) - sum(b[i] for b in old)) for i in (0, 1)]
                lengths.append(sum(value**2 for value in move))
                assert max(map(abs, move)) <= shift.linf
    assert shift.l2_squared == max(lengths)
    assert shift.coordinates is shift.gathered is shift.placed is None
    assert not shift.whole


def test_in_how_many_coordinates_gradients_move_is_not_known_so_noise_that_asks_is_refused() -> None:
    shift = Gradient(norm=1).shift(Neighbours(ADD_REMOVE))
    assert [str(Gradient(norm=n).shift(Neighbours(ADD_REMOVE))) for n in ("5/2",)] == ["by at most 2.5 in the L2 norm"]
    assert shift.in_l1 is shift.times(3).in_l1 is Shift.worst([shift, Shift.along([1, 1])]).in_l1 is None
    with pytest.raises(ShiftError, match="known in the L2 norm only; use noise that needs no more, such as 'gaussian'"):
        _ = shift.l1
    for noise in (Laplace("1"), DiscreteGaussian("1"), Geometric("1"), Staircase("1", "1/2")):
        with pytest.raises(ShiftError):
            noise.loss(shift)


def test_correlated_noise_on_gradients_loses_as_much_as_in_the_worst_direction() -> None:
    """The largest d' C^-1 d over moves d of a length is that length squared over the least eigenvalue of C."""
    covariance = [[Fraction(2), Fraction(1, 3)], [Fraction(1, 3), Fraction(1)]]
    loss = Gaussian(covariance=covariance).loss(Gradient(norm="3/2").shift(Neighbours(REPLACE_ONE)))
    least = (3 - mpmath.sqrt(1 + 4 * mpmath.mpf(1) / 9)) / 2
    truth, found = 9 / least / 2, ZCDP.measure(loss, {})
    assert found.lower <= truth <= found.upper


def test_a_histogram_moves_one_cell_or_two() -> None:
    histogram = Histogram(attributes=["age"])
    assert histogram.shift(Neighbours(ADD_REMOVE)).coordinates in {(1,), (-1,)}
    assert histogram.shift(Neighbours(REPLACE_ONE)).coordinates == (1, -1)


def test_a_query_of_attributes_that_may_not_differ_does_not_move() -> None:
    neighbours = Neighbours(REPLACE_ONE, attributes=["race", "age"])
    assert Histogram(attributes=["sex"]).shift(neighbours).is_zero
    assert not Histogram(attributes=["sex", "age"]).shift(neighbours).is_zero
    assert not Histogram().shift(neighbours).is_zero


def test_the_number_of_records_moves_only_when_records_come_or_go() -> None:
    assert Count(attributes=[]).shift(Neighbours(REPLACE_ONE)).is_zero
    assert Count(attributes=[]).shift(Neighbours(ADD_REMOVE)).l1 == 1


def test_attributes_cannot_be_singled_out_when_whole_records_come_and_go() -> None:
    with pytest.raises(InvalidValue, match="replace-one"):
        Neighbours(ADD_REMOVE, attributes=["age"])


def test_a_stated_shift_is_held_to_its_neighbours() -> None:
    query = Vector(shift=["1/2", 0, "-2"], neighbours="add-remove")
    assert query.shift(Neighbours(ADD_REMOVE)) == Shift.at(["1/2", 0, "-2"])
    with pytest.raises(ShiftError, match=r"'add-remove'.*'replace-one'"):
        query.shift(Neighbours(REPLACE_ONE))


def test_a_placed_shift_keeps_its_order_and_zeros() -> None:
    shift, known = Shift.at(["1/2", 0, "-2"]), Shift.along(["-2", "1/2"])
    assert shift.placed == (Fraction(1, 2), 0, -2)
    assert (shift.l1, shift.l2_squared, shift.linf) == (known.l1, known.l2_squared, known.linf)
    assert shift.coordinates == known.coordinates == (-2, Fraction(1, 2))
    assert known.placed is None


def test_only_queries_that_know_their_cells_place_their_moves() -> None:
    assert Count().shift(Neighbours(ADD_REMOVE)).placed == (1,)
    assert Sum(lower=-1, upper=2).shift(Neighbours(REPLACE_ONE)).placed == (3,)
    assert Histogram().shift(Neighbours(REPLACE_ONE)).placed is None


def test_moves_that_differ_in_more_than_the_sign_of_the_whole_are_known_by_norms() -> None:
    assert Shift.worst([Shift.along([2, -1]), Shift.along([1, -2])]).coordinates is not None
    assert Shift.worst([Shift.along([1, 1]), Shift.along([1, -1])]).coordinates is None


def test_moves_of_different_cells_are_not_placed() -> None:
    assert Shift.worst([Shift.at([1, 0]), Shift.at([0, 1])]) == Shift.along([1])
    assert Shift.worst([Shift.at([1, 0]), Shift.at([-1, 0])]) == Shift.at([1, 0])


def test_bounds_of_a_sum_must_be_ordered() -> None:
    with pytest.raises(InvalidValue):
        Sum(lower=2, upper=1)


def test_the_move_that_there_is_of_several_is_one_of_them_and_not_their_largest_norms() -> None:
    long, even = (Shift(9, 99, 9, least=Shift.along(moves)) for moves in ([3], [2, 2, 2]))
    worst = Shift.worst([long, even])
    assert worst.least in (long.least, even.least)
    assert worst.times(2).least == worst.least
