"""How far queries move between other neighbours, against all small datasets, and groups of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve

from accountant import Count, Gradient, Histogram, InvalidValue, Mean, Neighbours, Proportion, ShiftError, Sum, Variance
from accountant.plugin import Query, Relation, Shift
from accountant_premetrics.graph_queries import DegreeHistogram, EdgeCount, Triangles
from accountant_premetrics.graphs import Edge, Node
from accountant_premetrics.value_queries import AttributeSum, Thresholds
from accountant_premetrics.values import Blowfish, Metric, OneValue
from accountant_premetrics.zero_out import ZeroOut
from tests.plugins.premetrics.worlds import (
    VALUES,
    Dataset,
    Related,
    Steps,
    along,
    difference,
    multisets,
    nulled,
    one_changed,
    random_metric,
    random_policy,
    record,
    within,
)

Answer = Callable[[Dataset], list[Fraction]]


def _moved(before: list[Fraction], after: list[Fraction]) -> Shift:
    return Shift.along([new - old for old, new in zip(before, after, strict=True)])


def beyond(shift: Shift, move: Shift) -> bool:
    """Whether a move is larger than a shift in some norm."""
    in_l1 = shift.in_l1 is not None and move.l1 > shift.in_l1
    return in_l1 or move.l2_squared > shift.l2_squared or move.linf > shift.linf


def faults(query: Query, neighbours: Neighbours, answer: Answer, steps: Steps) -> list[str]:
    """All pairs within the group between which an answer moves further than the query says."""
    shift = query.shift(neighbours)
    found = []
    for start in steps.near:
        for other, apart in steps.from_(start).items():
            if 0 < apart <= neighbours.group and beyond(shift, _moved(answer(start), answer(other))):
                found.append(f"{start} and {other}: said {shift}")
    return found


def attained(query: Query, neighbours: Neighbours, answer: Answer, steps: Steps) -> bool:
    shift = query.shift(neighbours)
    return any(_moved(answer(left), answer(right)).l2_squared == shift.l2_squared for left, right in steps.pairs)


def number(value: Any) -> Fraction:
    return Fraction(dict(value)["a"])


def clamped(lower: int, upper: int) -> Answer:
    return lambda data: [sum((min(max(number(item), lower), upper) for item in data), Fraction(0))]


def counted(thresholds: tuple[int, ...]) -> Answer:
    return lambda data: [Fraction(sum(number(item) <= most for item in data)) for most in thresholds]


def cells(data: Dataset) -> list[Fraction]:
    return [Fraction(sum(dict(item or ())["a"] == value for item in data)) for value in VALUES]


RECORDS = [record(a=value, b=other) for value in VALUES for other in "xy"]
TWO = multisets(RECORDS, 2, 2)


@pytest.mark.parametrize("seed", range(6))
def test_queries_of_values_move_no_further_than_they_say_and_as_far(seed: int) -> None:
    chance = random.Random(seed)
    policy: OneValue = random_policy(chance) if seed % 2 else random_metric(chance)
    related: Related = along(policy) if isinstance(policy, Blowfish) else within(policy)  # type: ignore[arg-type]
    steps = Steps(TWO, related)
    lower, upper = sorted(chance.sample(range(8), 2))
    thresholds = tuple(sorted(chance.sample(range(8), 3)))
    asked: list[tuple[Query, Answer]] = [
        (AttributeSum("a", lower, upper), clamped(lower, upper)),
        (Thresholds("a", thresholds), counted(thresholds)),
        (Count(["a"]), lambda data: [Fraction(sum(number(item) > 2 for item in data))]),
        (Histogram(["a", "b"]), cells),
        (Histogram(["b"]), lambda data: [Fraction(sum(dict(item or ())["b"] == "x" for item in data))]),
    ]
    for query, answer in asked:
        for group in (1, 2, 3):
            assert faults(query, Neighbours(Relation.of(policy), group=group), answer, steps) == []
    if isinstance(policy, Blowfish):
        # All values are listed, so what is said is attained; of a metric not all numbers are in this world.
        assert attained(*asked[0][:1], Neighbours(Relation.of(policy)), asked[0][1], steps)
        assert attained(*asked[1][:1], Neighbours(Relation.of(policy)), asked[1][1], steps)


def test_a_metric_crosses_as_many_thresholds_as_fit_into_a_step() -> None:
    near = Neighbours(Relation.of(Metric("a", 3)))
    found = {
        most: Thresholds("a", most).shift(near).l1 for most in ((0, 1, 2), (0, 3), (0, 1, 3, 4), (0, 10, 20), (0, 2, 4, 5))
    }
    for most, moved in found.items():
        values = [Fraction(half, 2) for half in range(-8, 50)]
        crossed = max(
            sum((one <= t) != (two <= t) for t in most)
            for one, two in itertools.product(values, repeat=2)
            if abs(one - two) <= 3
        )
        assert moved == crossed


def replaced(left: Dataset, right: Dataset) -> bool:
    gone, come = difference(left, right)
    return len(gone) == len(come) == 1


def moved_to_another_place(left: Dataset, right: Dataset) -> bool:
    return one_changed(left, right, "b") is not None


def of_those_in_x(lower: int, upper: int) -> Answer:
    return lambda data: clamped(lower, upper)(tuple(item for item in data if dict(item or ())["b"] == "x"))


PLACES = Blowfish("b", ["x", "y"], [["x", "y"]])


@pytest.mark.parametrize(
    ("neighbours", "related"),
    [
        (Neighbours.of("replace-one"), replaced),
        (Neighbours.of("replace-one", attributes=["b"]), moved_to_another_place),
        (Neighbours(Relation.of(PLACES)), along(PLACES)),
    ],
)
@pytest.mark.parametrize(("lower", "upper"), [(2, 5), (-5, -2), (-1, 3)])
def test_a_record_that_is_not_chosen_any_more_adds_nothing(
    neighbours: Neighbours, related: Related, lower: int, upper: int
) -> None:
    steps, answer = Steps(TWO, related), of_those_in_x(lower, upper)
    assert faults(AttributeSum(attribute="a", lower=lower, upper=upper, chosen_by=["b"]), neighbours, answer, steps) == []
    # A sum of all records between the same bounds does not allow for it.
    if lower > 0:
        assert faults(Sum(lower=lower, upper=upper, attributes=["a", "b"]), neighbours, answer, steps)


@pytest.mark.parametrize(
    "make", [lambda **more: AttributeSum("a", 2, 5, **more), lambda **more: Thresholds("a", [1], **more)]
)
def test_what_is_summed_does_not_choose_the_records(make: Callable[..., Query]) -> None:
    """A value that moves by one step out of those that are chosen takes all that it adds with it."""
    with pytest.raises(InvalidValue, match="'a' cannot choose records as well"):
        make(chosen_by=["a", "b"])
    chosen = make(chosen_by=["b"])
    assert chosen.attributes == {"a", "b"}
    assert evolve(chosen, attributes=None) == chosen != make()


@pytest.mark.parametrize("seed", range(3))
def test_what_depends_on_further_attributes_may_do_so_in_any_way(seed: int) -> None:
    """A sum of the values up to 1 of those in x: a step of the value beyond it takes all that it adds away."""
    policy = random_metric(random.Random(seed))

    def up_to_one(data: Dataset) -> Dataset:
        return tuple(item for item in data if Fraction(dict(item or ())["a"]) <= 1)

    steps, answer = Steps(TWO, within(policy)), of_those_in_x(1, 5)
    near = Neighbours(Relation.of(policy))
    anyhow = AttributeSum("a", 1, 5, attributes=["a", "b"])
    assert faults(anyhow, near, lambda data: answer(up_to_one(data)), steps) == []
    assert anyhow.shift(near).l1 == 5
    assert AttributeSum("a", 1, 5, chosen_by=["b"]).shift(near).l1 == min(policy.step, 4)
    assert Thresholds("a", [1, 3, 9], attributes=["b"]).shift(near).l1 == 3


def test_too_small_a_shift_is_caught() -> None:
    policy = Metric("a", 3)
    near, steps = Neighbours(Relation.of(policy)), Steps(TWO, within(policy))
    smaller = Neighbours(Relation.of(Metric("a", 2)))
    assert faults(AttributeSum("a", 0, 7), smaller, clamped(0, 7), steps)
    assert not faults(AttributeSum("a", 0, 7), near, clamped(0, 7), steps)


def test_values_that_are_no_numbers_have_no_sum() -> None:
    words = Blowfish("a", ["low", "high"], [["low", "high"]])
    with pytest.raises(ShiftError, match="numbers"):
        AttributeSum("a", 0, 1).shift(Neighbours(Relation.of(words)))
    assert Count(["a"]).shift(Neighbours(Relation.of(words))).l1 == 1


# Null records ---------------------------------------------------------------------------------------------------------

NULLED = multisets([None, *(record(a=value) for value in ("-2", "1", "5"))], 3, 3)
ZERO = Neighbours(Relation.of(ZeroOut()))


def real(data: Dataset) -> list[Fraction]:
    return [number(item) for item in data if item is not None]


@pytest.mark.parametrize("group", [1, 2])
def test_null_records_add_nothing_and_their_number_is_public(group: int) -> None:
    near, steps = evolve(ZERO, group=group), Steps(NULLED, nulled)
    total: Answer = lambda data: [sum(real(data), Fraction(0))]  # noqa: E731
    asked: list[tuple[Query, Answer]] = [
        (Sum(lower=-2, upper=5), total),
        (AttributeSum("a", -2, 5), total),
        (Mean(lower=-2, upper=5, size=3), lambda data: [sum(real(data), Fraction(0)) / 3]),
        (Count(["a"]), lambda data: [Fraction(sum(value > 0 for value in real(data)))]),
        (Proportion(size=3), lambda data: [Fraction(sum(value > 0 for value in real(data)), 3)]),
        (Histogram(["a"]), lambda data: [Fraction(real(data).count(Fraction(value))) for value in (-2, 1, 5)]),
        (Thresholds("a", [0, 3]), lambda data: [Fraction(sum(value <= t for value in real(data))) for t in (0, 3)]),
        (Gradient(norm=5), total),
    ]
    for query, answer in asked:
        assert faults(query, near, answer, steps) == [], query
        assert attained(query, near, answer, steps) or group > 1


def test_what_is_not_zero_moves_by_itself_when_it_is_nulled() -> None:
    assert Sum(lower=5, upper=6).shift(ZERO).l1 == 6
    assert Mean(lower=5, upper=6, size=2).shift(ZERO).l1 == 3
    replaced = Neighbours.of("replace-one")
    assert Sum(lower=5, upper=6).shift(replaced).l1 == 1
    assert Histogram(["a"]).shift(ZERO).l1 == 1
    with pytest.raises(ShiftError, match="not all records have a value"):
        Variance(lower=0, upper=1, size=3).shift(ZERO)
    with pytest.raises(ShiftError, match="divides by the number"):
        Mean(lower=0, upper=1, size=3).shift(Neighbours.of("add-remove"))


# Graphs ---------------------------------------------------------------------------------------------------------------

NAMES = "abcde"


def graphs(degree: int, largest: int = 4) -> list[Dataset]:
    """All graphs of the first few nodes, or of all but one of them, in which none has too many edges."""
    found = []
    for size in (largest - 1, largest):
        for nodes in itertools.combinations(NAMES[:largest], size):
            ends = list(itertools.combinations(nodes, 2))
            for chosen in itertools.product((False, True), repeat=len(ends)):
                edges = [pair for pair, taken in zip(ends, chosen, strict=True) if taken]
                if all(sum(name in pair for pair in edges) <= degree for name in nodes):
                    found.append((*(record(node=name) for name in nodes), *(record(edge=pair) for pair in edges)))
    return found


def held(data: Dataset, key: str) -> list[Any]:
    return [dict(item or ())[key] for item in data if key in dict(item or ())]


def edge_related(left: Dataset, right: Dataset) -> bool:
    return held(left, "node") == held(right, "node") and len(set(held(left, "edge")) ^ set(held(right, "edge"))) == 1


def node_related(left: Dataset, right: Dataset) -> bool:
    gone = set(held(left, "node")) - set(held(right, "node"))
    kept = {edge for edge in held(left, "edge") if not gone & set(edge)}
    same = set(held(right, "node")) < set(held(left, "node"))
    return same and len(gone) == 1 and kept == set(held(right, "edge"))


def degrees(data: Dataset) -> list[Fraction]:
    ends = [name for edge in held(data, "edge") for name in edge]
    found = [ends.count(name) for name in held(data, "node")]
    return [Fraction(found.count(degree)) for degree in range(5)]


def triangles(data: Dataset) -> list[Fraction]:
    edges = set(held(data, "edge"))
    threes = itertools.combinations(held(data, "node"), 3)
    return [Fraction(sum(all(pair in edges for pair in itertools.combinations(three, 2)) for three in threes))]


GRAPH_QUERIES: list[tuple[Query, Answer]] = [
    (EdgeCount(), lambda data: [Fraction(len(held(data, "edge")))]),
    (DegreeHistogram(), degrees),
    (Triangles(), triangles),
    (Count(["kind"]), lambda data: [Fraction(len(data))]),
]


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("kind", ["edge", "node"])
def test_queries_of_graphs_move_no_further_than_they_say(kind: str, degree: int) -> None:
    policy = Edge(degree) if kind == "edge" else Node(degree)
    steps = Steps(graphs(degree), edge_related if kind == "edge" else node_related)
    for query, answer in GRAPH_QUERIES:
        near = Neighbours(Relation.of(policy), unit=kind)
        found = query.shift(near)
        worst = [_moved(answer(left), answer(right)) for left, right in steps.pairs]
        assert not any(beyond(found, move) for move in worst), query
        if degree < 3 or kind == "node":
            # Four nodes are enough for the worst graphs of these degrees: all of them joined to each other.
            assert kind == "edge" or max(move.l2_squared for move in worst) == found.l2_squared or query.kind == "count"
        two = query.shift(evolve(near, group=2))
        assert (two.in_l1, two.linf) == (None if found.in_l1 is None else 2 * found.in_l1, 2 * found.linf)


def test_triangles_without_a_bound_on_degrees_are_refused() -> None:
    edge, node = (Neighbours(Relation.of(policy), unit=policy.kind) for policy in (Edge(), Node(2)))
    with pytest.raises(ShiftError, match="degree"):
        Triangles().shift(edge)
    assert Triangles().shift(node).l1 == 1
    with pytest.raises(ShiftError, match="promise 'edge' or 'node'"):
        EdgeCount().shift(Neighbours.of("add-remove"))
    with pytest.raises(ShiftError, match="whole graph"):
        EdgeCount().check_plain(edge, "sampling")
