"""Kinds of public information: how far apart they let the data be, against enumeration of all datasets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from hypothesis import assume, given, settings, strategies as st

from accountant import InvalidValue, Neighbours, ShiftError, Verdict, account, default_registry, read_plan
from accountant.accounting.relative import relative
from accountant.finite import FiniteMechanism, sequences
from accountant.plugin import NEIGHBOURS, PUBLIC_FACTS, Public, Relation
from accountant_pufferfish import (
    ABSENT,
    HAMMING,
    Blocks,
    Independent,
    KnownCounts,
    KnownTotal,
    Law,
    Leak,
    Listed,
    ListedLaw,
    Metric,
    Scenarios,
    Secret,
    SecretPair,
    Setting,
    SharedRate,
    bounded_pairs,
    leak,
    record_is,
    unbounded_pairs,
)
from accountant_pufferfish.distance.counts import counts_distance
from tests.plugins.pufferfish.worlds import TOTAL, bits, fair_bits, laws, mechanisms, responses

RELATIONS = default_registry()[NEIGHBOURS]
REPLACE, ADD = Neighbours(RELATIONS["replace-one"]), Neighbours(RELATIONS["add-remove"])


def units(public: Public, neighbours: Neighbours = REPLACE) -> int:
    found = public.reach(neighbours).units
    assert found is not None
    return found


def largest(law: Law, pairs: Sequence[SecretPair], metric: Metric = HAMMING) -> Fraction | None:
    """The largest distance over live pairs; None without any."""
    found = [item.apart(metric) for item in Setting(Scenarios.listed({"law": law}), pairs).comparisons()]
    assert None not in found
    return max((distance for distance in found if distance is not None), default=None)


def added_or_removed(left: Any, right: Any) -> int:
    """The units to add or remove; who gets another value is removed and added."""
    return sum((x is not ABSENT) + (y is not ABSENT) for x, y in zip(left, right, strict=True) if x != y)


MOVES = Metric("units added or removed", added_or_removed)


@st.composite
def blocks_of_two(draw: st.DrawFn, values: Sequence[Any]) -> Law:
    """A block of two records that depend on each other, beside one that does not."""
    block, single = draw(laws(sequences(values, 2))), draw(laws(sequences(values, 1)))
    return Law.records([block, single]).mapped(lambda parts: (*parts[0], *parts[1]))


@settings(deadline=None, max_examples=30)
@given(blocks_of_two((0, 1, 2)))
def test_blocks_bound_how_far_values_move(law: Law) -> None:
    found = largest(law, bounded_pairs(3, (0, 1, 2)))
    assume(found is not None)
    assert found is not None
    assert found <= units(Blocks("z", size=2)) == 2
    moved = largest(law, bounded_pairs(3, (0, 1, 2)), MOVES)
    assert moved is not None
    assert moved <= units(Blocks("z", size=2), ADD) == 4


@settings(deadline=None, max_examples=30)
@given(blocks_of_two((0, 1, ABSENT)))
def test_blocks_bound_how_far_presence_moves(law: Law) -> None:
    found = largest(law, unbounded_pairs(3, (0, 1)), MOVES)
    assume(found is not None)
    assert found is not None
    assert found <= units(Blocks("z", size=2, secrets="presence"), ADD) == 3


def test_the_bounds_of_blocks_are_attained() -> None:
    linked = Law.uniform([(0, 0), (1, 1)])
    assert largest(linked, bounded_pairs(2, (0, 1))) == 2
    assert largest(linked, bounded_pairs(2, (0, 1)), MOVES) == 4
    pushed = Law.uniform([(0, 0), (ABSENT, 1)])
    assert largest(pushed, unbounded_pairs(2, (0, 1))[:1], MOVES) == 3


@settings(deadline=None, max_examples=20)
@given(st.lists(laws(sequences((0, 1, ABSENT), 1)), min_size=2, max_size=3))
def test_independent_units_move_alone(parts: list[Law]) -> None:
    law = Law.records([part.mapped(lambda single: single[0]) for part in parts])
    bounded = largest(law, bounded_pairs(len(parts), (0, 1)))
    unbounded = largest(law, unbounded_pairs(len(parts), (0, 1)), MOVES)
    assert bounded in (None, units(Independent("z")))
    assert unbounded in (None, units(Independent("z", secrets="presence"), ADD))
    assert units(Independent("z"), ADD) == 2


rates = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.one_of(rates, st.sampled_from([Fraction(0), Fraction(1)])), min_size=2, max_size=5), st.data())
def test_a_known_total_moves_one_other_whatever_the_rates(chances: list[Fraction], data: st.DataObject) -> None:
    prior = Law.records([{1: chance, 0: 1 - chance} for chance in chances])
    total = data.draw(st.sampled_from(sorted(TOTAL.law(prior))))
    assert isinstance(total, int)
    found = largest(TOTAL.given(total, prior), bounded_pairs(len(chances), (0, 1)))
    public = KnownTotal("total", records=len(chances), total=total)
    if public.reach(REPLACE).vacuous:
        assert found is None
    else:
        assert found in (None, units(public))
    assert units(public, ADD) == 4


def test_a_total_at_either_end_decides_everything() -> None:
    for total, vacuous in ((0, True), (1, False), (3, False), (4, True)):
        assert KnownTotal("total", records=4, total=total).reach(REPLACE).vacuous is vacuous


def test_what_else_units_say_moves_nobody_else() -> None:
    """Answers with a colour that goes with the answer: the unit and the other that keeps the total take theirs along."""
    units_alone = [
        Law.mixture([(rate, Law.uniform([(1, "red"), (1, "blue")])), (1 - rate, Law.point((0, "red")))])
        for rate in (Fraction(1, 3), Fraction(1, 2), Fraction(4, 5))
    ]
    law = Law.records(units_alone).given(lambda dataset: sum(answer for answer, _ in dataset) == 1)
    said = [Secret(f"said {answer}", lambda dataset, a=answer: dataset[0][0] == a) for answer in (0, 1)]
    assert largest(law, [SecretPair(*said)]) == 2


def test_a_total_of_numbers_moves_more_than_one_other() -> None:
    """Why the kind is about yes and no: where three is one person or three, everybody moves."""
    law = Law.uniform([dataset for dataset in sequences((0, 1, 3), 4) if sum(dataset) == 3])
    assert largest(law, bounded_pairs(4, (0, 1, 3))) == 4


def test_dependence_before_the_total_is_not_covered() -> None:
    """Two couples that agree, total two: a change of one takes all four along."""
    law = Law.uniform([(1, 1, 0, 0), (0, 0, 1, 1)])
    assert largest(law, bounded_pairs(4, (0, 1))) == 4


def test_the_total_alone_moves_the_odds() -> None:
    (found,) = KnownTotal("total", records=3, total=1, rate="1/2").revealed()
    odds = TOTAL.given(1, Law.uniform(bits(3))).probability(record_is(0, 1))
    assert found.before.exact == Fraction(1, 2)
    assert found.given.exact == odds == Fraction(1, 3)
    assert KnownTotal("total", records=3, total=1).revealed() == ()


@pytest.mark.parametrize("values", ["aab", "aabb", "abc", "aabc", "aaa"])
def test_known_counts_move_one_other(values: str) -> None:
    law = Law.uniform(itertools.permutations(values))
    counts = [values.count(value) for value in "abc"]
    public = KnownCounts("counts", counts=counts)
    pairs = bounded_pairs(len(values), "abc")
    assert public.reach(REPLACE).live == sum(1 for _ in Setting(Scenarios.listed({"law": law}), pairs).comparisons())
    assert largest(law, pairs) == (None if public.reach(REPLACE).vacuous else units(public))


def star(records: int, zero: Fraction, one: Fraction) -> Law:
    """A fair target, and others whose rate depends on it."""
    return Law.mixture(
        (Fraction(1, 2), Law.records([Law.point(target), *[{1: rate, 0: 1 - rate}] * (records - 1)]))
        for target, rate in ((0, zero), (1, one))
    )


@pytest.mark.parametrize("records", [1, 2, 3, 4])
@pytest.mark.parametrize("zero", ["0", "1/3", "1/2", "9/10", "1"])
@pytest.mark.parametrize("one", ["0", "1/10", "1/2", "1"])
def test_a_shared_rate_moves_as_far_as_enumeration_says(records: int, zero: str, one: str) -> None:
    public = SharedRate("rates", records=records, rate_if_zero=zero, rate_if_one=one)
    law = star(records, Fraction(zero), Fraction(one))
    assert largest(law, bounded_pairs(records, (0, 1))[:1]) == units(public)
    assert units(public, ADD) == 2 * units(public)
    totals = counts_distance(records, zero, one)
    assert totals <= units(public)
    if Fraction(zero) <= Fraction(one):
        assert totals == units(public)


def test_a_shared_rate_decides_by_tails_and_not_by_the_total() -> None:
    """T-W1, T-W4, and T-W5, where the total stands still while both records move."""
    for zero, one, distance in ((".5", ".5", 1), (".4", ".6", 3), (".2", ".8", 7), (".1", ".9", 9)):
        assert units(SharedRate("rates", records=10, rate_if_zero=zero, rate_if_one=one)) == distance
    assert units(SharedRate("rates", records=100, rate_if_zero=".05", rate_if_one=".1")) == 15
    assert counts_distance(10, ".8", ".2") == 5
    assert units(SharedRate("rates", records=10, rate_if_zero=".8", rate_if_one=".2")) == 7
    opposite = SharedRate("rates", records=2, rate_if_zero=1, rate_if_one=0)
    assert counts_distance(2, 1, 0) == 0
    assert units(opposite) == 2
    # The total would promise that both bits can be published as they are.
    truth = leak(
        responses(2), Setting(Scenarios.listed({"star": star(2, Fraction(1), Fraction(0))}), bounded_pairs(2, (0, 1)))
    )
    assert isinstance(truth, Leak)
    assert truth.factor == Fraction(9, 4)


# Listed ----------------------------------------------------------------------------------------------------------------

FIBRE = [list(dataset) for dataset in bits(3) if sum(dataset) == 1]
THIRD = ["1/3"] * 3


def listed(**changes: Any) -> Listed:
    return Listed(
        **{"name": "total", "datasets": FIBRE, "laws": [ListedLaw("even", THIRD), ListedLaw("skewed", ["1/2", "1/2", 0])]}
        | changes
    )


def test_listed_datasets_are_counted_and_measured() -> None:
    found = listed().reach(REPLACE)
    assert found.units == 2
    assert found.live == 3 + 2
    assert listed().reach(ADD).units == 4


def test_a_single_dataset_leaves_nothing_open() -> None:
    found = Listed("all", datasets=[[0, 1]], laws=[ListedLaw("certain", [1])]).reach(REPLACE)
    assert found.vacuous
    assert found.units == 2


def test_listed_laws_say_what_was_revealed() -> None:
    every = [list(dataset) for dataset in bits(2)]
    public = Listed("total", datasets=every, laws=[ListedLaw("fair", [0, "1/2", "1/2", 0], ["1/4"] * 4)])
    found = {item.secret: (item.before.exact, item.given.exact) for item in public.revealed()}
    assert found["record 1 is '1'"] == (Fraction(1, 2), Fraction(1, 2))
    assert len(found) == 4
    skewed = Listed("first", datasets=every, laws=[ListedLaw("fair", [0, 0, "1/2", "1/2"], ["1/4"] * 4)])
    shown = {item.secret: item.given.exact for item in skewed.revealed()}
    assert shown["record 1 is '1'"] == 1
    assert shown["record 1 is '0'"] == 0
    assert listed().revealed() == ()


@settings(deadline=None, max_examples=25)
@given(laws(bits(2)), mechanisms(bits(2), least=1))
def test_what_is_listed_covers_what_really_happens(law: Law, mechanism: FiniteMechanism) -> None:
    public = Listed("z", datasets=bits(2), laws=[ListedLaw("law", [law[dataset] for dataset in bits(2)])])
    truth = leak(mechanism, Setting(Scenarios.listed({"law": law}), bounded_pairs(2, (0, 1))))
    found = public.reach(REPLACE)
    assert found.live == truth.live
    if isinstance(truth, Leak):
        assert found.units is not None
        near = [pair for pair in itertools.combinations(law, 2) if (HAMMING.between(*pair) or 0) <= found.units]
        ratios = [mechanism.pair(*order).likelihood_ratio() for pair in near for order in (pair, pair[::-1])]
        assert truth.factor is not None
        assert truth.factor <= max(ratio for ratio in ratios if ratio is not None)


# In plans --------------------------------------------------------------------------------------------------------------


def plan(public: dict[str, Any], neighbours: str = "replace-one") -> dict[str, Any]:
    return {
        "title": "bits",
        "specification": {"neighbours": neighbours},
        "budget": [{"divergence": "pure", "epsilon": "1"}],
        "release": [
            {
                "name": "answers",
                "query": {"kind": "sum", "lower": 0, "upper": 1},
                "mechanism": {"kind": "geometric", "scale": "5"},
            }
        ],
        "public": [public | {"budget": [{"divergence": "pure", "epsilon": "1/2"}]}],
    }


TABLES: list[dict[str, Any]] = [
    {"kind": "independent", "name": "z"},
    {"kind": "blocks", "name": "z", "size": 2},
    {"kind": "known-total", "name": "z", "records": 10, "total": 3},
    {"kind": "known-counts", "name": "z", "counts": [3, 7]},
    {"kind": "shared-rate", "name": "z", "records": 2, "rate_if_zero": "0.2", "rate_if_one": "0.4"},
    {"kind": "listed", "name": "z", "datasets": FIBRE, "laws": [{"name": "even", "given": THIRD, "before": THIRD}]},
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table["kind"]))
def test_every_kind_can_be_written_in_a_plan(table: dict[str, Any]) -> None:
    read = read_plan(plan(table))
    (known,) = read.knowledge
    assert known.public.kind == table["kind"]
    assert all((known.public.value, known.public.scenarios, known.public.pairs))
    found = relative(account(read), known.public, known.budgets[0])
    assert found.verdict is Verdict.IMPLIED
    assert found.value.upper == pytest.approx(0.2 * (found.reach.units or 0))


def test_a_certified_plan_meets_the_truth() -> None:
    """Randomised response with odds of 3/2, three answers of which one is yes: the bound is what really happens."""
    table = plan({"kind": "known-total", "name": "total", "records": 3, "total": 1})
    epsilon = "0.405465108108164382"
    table["release"] = [{"name": "answers", "mechanism": {"kind": "randomised-response", "epsilon": epsilon}}]
    read = read_plan(table)
    found = relative(account(read), read.knowledge[0].public, read.knowledge[0].budgets[0])
    truth = leak(responses(3), fair_bits(3, TOTAL).at(1))
    assert isinstance(truth, Leak)
    assert truth.epsilon.lower <= found.value.upper
    assert found.value.upper == pytest.approx(truth.epsilon.upper, rel=1e-12)
    assert found.verdict is Verdict.UNKNOWN


def test_every_kind_is_registered() -> None:
    assert {table["kind"] for table in TABLES} <= set(default_registry()[PUBLIC_FACTS])


# Refusals --------------------------------------------------------------------------------------------------------------

ONE_OF_EACH: list[Public] = [
    Independent("z"),
    Blocks("z", size=2),
    KnownTotal("z", records=2, total=1),
    KnownCounts("z", counts=[1, 1]),
    SharedRate("z", records=2, rate_if_zero=0, rate_if_one=1),
    listed(),
]


@pytest.mark.parametrize("public", ONE_OF_EACH, ids=lambda public: public.kind)
def test_neighbours_that_do_not_fit_are_refused(public: Public) -> None:
    for neighbours in (evolve(REPLACE, group=2), evolve(REPLACE, attributes=["age"])):
        with pytest.raises(ShiftError, match="leave 'group' and 'attributes' out"):
            public.reach(neighbours)
    odd = Relation("in-pairs", frozenset({(2, 0)}), edits=False, meaning="two more or fewer")
    with pytest.raises(ShiftError, match="use 'replace-one' or 'add-remove'"):
        public.reach(Neighbours(odd))


def test_presence_cannot_be_hidden_where_everybody_stays() -> None:
    for public in (Independent("z", secrets="presence"), Blocks("z", size=3, secrets="presence")):
        with pytest.raises(ShiftError, match="keeps everybody in the data"):
            public.reach(REPLACE)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Blocks("z", size=0), "at least 1"),
        (lambda: Independent("z", secrets="names"), "expected 'values' or 'presence'"),
        (lambda: KnownTotal("z", records=3, total=4), "more than the 3 units"),
        (lambda: KnownTotal("z", records=3, total=1, rate=1), "below 1"),
        (lambda: KnownCounts("z", counts=[0, 0]), "not all of them are 0"),
        (lambda: KnownCounts("z", counts=[-1, 2]), "at least 0"),
        (lambda: KnownCounts("z", counts="12"), "expected a list of counts"),
        (lambda: SharedRate("z", records=2, rate_if_zero="1.5", rate_if_one=0), "at most 1"),
        (lambda: listed(datasets=[]), "expected 1 to 200 datasets"),
        (lambda: listed(datasets=[[0], [0]]), "listed twice"),
        (lambda: listed(datasets=[[0], [0, 1]]), "the same number of records"),
        (lambda: listed(datasets="abc"), "expected a list of datasets"),
        (lambda: listed(datasets=["abc"]), "dataset 1: expected a list of records"),
        (lambda: listed(datasets=[[0.5]]), "dataset 1: a record is text or a whole number"),
        (lambda: listed(laws=[ListedLaw("one", [1])]), "scenario 'one', given: 3 datasets need as many"),
        (lambda: listed(laws=[ListedLaw("one", [1, 1, 0])]), "must sum to 1, got 2"),
        (lambda: listed(laws=[ListedLaw("one", THIRD)] * 2), "the same name"),
        (lambda: ListedLaw("one", [1, 0], [0, 1]), "cannot become possible"),
        (lambda: ListedLaw("one", None), "expected a list of probabilities"),
    ],
)
def test_bad_input_gets_one_clear_error(make: Any, fault: str) -> None:
    with pytest.raises(InvalidValue, match=fault):
        make()
