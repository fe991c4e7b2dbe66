"""What follows between promises about other neighbours, how far apart datasets are, and what is said, by enumeration."""

from __future__ import annotations

import itertools
import random
import re
from fractions import Fraction
from typing import Any

import pytest

from accountant import (
    Budget,
    InvalidValue,
    Invariant,
    Neighbours,
    PlanError,
    Specification,
    Verdict,
    account,
    implies,
    read_plan,
)
from accountant.analysis.compared import steps_between
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, ComparedPairs, Policy, Relation
from accountant.promise.universe import Universe
from accountant_premetrics.graphs import Edge, Node
from accountant_premetrics.values import Blowfish, Metric
from accountant_premetrics.zero_out import ZeroOut
from tests.plugins.premetrics.worlds import (
    VALUES,
    Dataset,
    Related,
    Steps,
    added,
    along,
    multisets,
    nulled,
    random_policy,
    record,
    replaced,
    within,
)

NUMBERS = [str(number) for number in range(8)]


def promised(relation: Relation | Policy, epsilon: str = "1", **more: Any) -> Specification:
    unit = getattr(relation, "unit", None) or "person"
    attributes = more.pop("attributes", None)
    neighbours = Neighbours(relation, unit=unit, attributes=attributes, group=more.pop("group", 1))
    return Specification(neighbours, budgets=(Budget.of("pure", epsilon=epsilon),), **more)


def verdict(known: Relation | Policy, wanted: Relation | Policy) -> tuple[Verdict, int, str]:
    """What the relations alone say, and after how many steps."""
    only = ["a"] if wanted is REPLACE_ONE else None
    reasons, steps = steps_between(promised(known), promised(wanted, attributes=only), {})
    return reasons[-1].verdict, steps.within(1), reasons[-1].words


def relation_of(item: Relation | Policy) -> Related:
    match item:
        case Blowfish():
            return along(item)
        case Metric():
            return within(item)
        case ZeroOut():
            return nulled
    return added if item is ADD_REMOVE else replaced


def faults(by: Steps, pairs: Steps, said: Verdict, count: int) -> list[str]:
    """Neighbours of the second that are farther apart by the first than is said, if it is said to imply it."""
    asked = pairs.pairs if said is Verdict.IMPLIED else []
    return [f"{left} to {right}" for left, right in asked if right not in by.from_(left, count)]


def worlds(seed: int) -> tuple[list[Relation | Policy], list[Dataset]]:
    """Some relations about one attribute, and all datasets of at most two records of its values and null records."""
    chance = random.Random(seed)
    graphs = [random_policy(chance) for _ in range(3)]
    steps = [Metric("a", step) for step in chance.sample(["1", "2", "3", "4"], 2)]
    relations: list[Relation | Policy] = [ADD_REMOVE, REPLACE_ONE, ZeroOut(), *graphs, *steps]
    # All numbers between the values are values to a metric.
    return relations, multisets([None, *(record(a=value) for value in NUMBERS)], 2)


@pytest.mark.parametrize("seed", range(3))
def test_no_enumeration_contradicts_what_follows_between_relations(seed: int) -> None:
    relations, datasets = worlds(seed)
    steps = [(relation, Steps(datasets, relation_of(relation))) for relation in relations]
    for (known, by), (wanted, pairs) in itertools.permutations(steps, 2):
        assert faults(by, pairs, *verdict(known, wanted)[:2]) == [], (known, wanted)


def test_a_false_implication_is_caught() -> None:
    relations, datasets = worlds(0)
    one, three, graph = (Steps(datasets, related) for related in (within(Metric("a", 1)), within(Metric("a", 3)), replaced))
    assert faults(one, three, Verdict.IMPLIED, 2)
    assert not faults(one, three, Verdict.IMPLIED, 3)
    assert faults(Steps(datasets, relation_of(relations[3])), graph, Verdict.IMPLIED, 1)


def test_what_is_known_to_follow() -> None:
    line = Blowfish("a", VALUES, list(itertools.pairwise(VALUES)))
    whole = Blowfish("a", VALUES, [VALUES])
    assert verdict(whole, line)[:2] == (Verdict.IMPLIED, 1)
    assert verdict(line, whole)[:2] == (Verdict.IMPLIED, 3)
    assert verdict(REPLACE_ONE, line)[:2] == (Verdict.IMPLIED, 1)
    assert verdict(ADD_REMOVE, line)[:2] == (Verdict.IMPLIED, 2)
    assert verdict(ZeroOut(), REPLACE_ONE)[:2] == (Verdict.IMPLIED, 2)
    assert verdict(ADD_REMOVE, ZeroOut())[:2] == (Verdict.IMPLIED, 2)
    assert verdict(Metric("a", 2), Metric("a", 5))[:2] == (Verdict.IMPLIED, 3)
    assert verdict(Metric("a", 2), line)[:2] == (Verdict.IMPLIED, 2)
    # Other values than those of the graph may be compared, and numbers may be as far apart as one likes.
    assert verdict(whole, REPLACE_ONE)[0] is Verdict.UNKNOWN
    assert verdict(Metric("a", 2), REPLACE_ONE)[0] is Verdict.UNKNOWN
    assert verdict(line, Metric("a", 1))[0] is Verdict.UNKNOWN
    assert verdict(REPLACE_ONE, ZeroOut())[0] is Verdict.UNKNOWN


def test_nobody_is_protected_from_being_counted_where_the_number_of_records_is_public() -> None:
    for known in (ZeroOut(), Metric("a", 1), Blowfish("a", VALUES, [VALUES])):
        found = implies(promised(known), promised(ADD_REMOVE))
        assert found.verdict is Verdict.REFUTED
    shown = next(
        reason for reason in implies(promised(ZeroOut()), promised(ADD_REMOVE)).reasons if "number" in reason.words
    )
    assert shown.verdict is Verdict.REFUTED
    # The witness: no record and one are neighbours to the second, and steps of the first keep the number of records.
    datasets = multisets([None, record(a="0")], 2)
    assert all(len(left) == len(right) for left, right in Steps(datasets, nulled).pairs)
    assert added((), (record(a="0"),))


@pytest.mark.parametrize("seed", range(8))
def test_values_that_no_edges_connect_are_told_apart(seed: int) -> None:
    chance = random.Random(seed)
    known, wanted = random_policy(chance), random_policy(chance)
    for asked in (REPLACE_ONE, wanted):
        said, _, words = verdict(known, asked)
        steps = Steps(multisets([record(a=value) for value in VALUES], 1, 1), along(known))
        apart = [
            (left, right)
            for left, right in Steps(list(steps.near), relation_of(asked)).pairs
            if right not in steps.from_(left)
        ]
        assert (said is Verdict.REFUTED) == bool(apart)
        if apart:
            one, two = re.findall(r"record with '(\d)' and the same with '(\d)'", words)[0]
            assert ((record(a=one),), (record(a=two),)) in apart


def test_a_refutation_needs_datasets_that_the_second_compares() -> None:
    apart = Blowfish("a", VALUES, [["0", "1"], ["3", "7"]])
    asked = promised(REPLACE_ONE, attributes=["a"])
    assert implies(promised(apart), asked).verdict is Verdict.REFUTED
    published = promised(REPLACE_ONE, attributes=["a"], invariants=(Invariant("values", ["a"]),))
    assert implies(promised(apart), published).verdict is not Verdict.REFUTED


@pytest.mark.parametrize("item", [ZeroOut(), Metric("a", 2), Blowfish("a", VALUES, [VALUES]), Edge(), Node(2)], ids=str)
def test_the_same_neighbours_with_other_budgets(item: Policy) -> None:
    for group in (1, 3):
        small, large = promised(item, "1", group=group), promised(item, "2", group=group)
        assert implies(small, small).verdict is implies(small, large).verdict is Verdict.IMPLIED
        assert implies(large, small).verdict is Verdict.REFUTED


def test_what_holds_of_nodes_holds_of_their_edges() -> None:
    nodes, edges = promised(Node(3), "1"), promised(Edge(3), "2")
    assert implies(nodes, edges).verdict is Verdict.IMPLIED
    assert implies(nodes, promised(Edge(3), "1")).verdict is not Verdict.IMPLIED
    assert implies(nodes, promised(Edge(), "2")).verdict is Verdict.UNKNOWN
    assert implies(nodes, promised(Edge(4), "2")).verdict is Verdict.UNKNOWN
    assert implies(edges, nodes).verdict is Verdict.UNKNOWN
    assert implies(nodes, promised(Node(2), "1")).verdict is Verdict.IMPLIED
    assert implies(nodes, promised(Node(4), "1")).verdict is Verdict.UNKNOWN


# How far apart datasets are -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [(), (("a",),), (("b",),), (("a",), ("b",)), (("a", "b"),), ((),)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_the_closest_comparable_datasets_are_as_close_as_is_said(seed: int, by: tuple[tuple[str, ...], ...]) -> None:
    policy = random_policy(random.Random(seed))
    invariants = tuple(Invariant(f"by {' and '.join(names)}", names) for names in by)
    said = Universe(Neighbours(policy), invariants, frozenset("ab")).closest
    datasets = multisets([record(a=value, b=other) for value in VALUES for other in "xy"], 2, 1)
    steps = Steps(datasets, along(policy))

    def counts(data: Dataset, names: tuple[str, ...]) -> list[Any]:
        return sorted(tuple(dict(item or ())[name] for name in names) for item in data)

    found = [
        apart
        for start in datasets
        for other, apart in steps.from_(start).items()
        if apart and all(counts(start, names) == counts(other, names) for names in by)
    ]
    if said.vacuous:
        assert not found
        return
    assert said.least is not None
    assert all(apart >= said.least for apart in found)
    assert said.most is None or min(found) <= said.most


def test_of_null_records_and_graphs_no_more_is_said_than_is_known() -> None:
    for policy in (ZeroOut(), Edge(), Node(2)):
        found = Universe(Neighbours(policy, unit=policy.unit or "person"), (Invariant("by a", ["a"]),))
        assert (found.closest.least, found.closest.most, found.connected) == (1, None, False)


# What is said ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_sentences_say_what_is_not_protected(seed: int) -> None:
    policy = random_policy(random.Random(seed))
    said = ComparedPairs(Neighbours(policy, unit="patient")).unprotected
    single = multisets([record(a=value) for value in VALUES], 1, 1)
    steps = Steps(single, along(policy))
    reached = {frozenset(steps.from_(start)) for start in single}
    assert ("Nothing is promised between" in said) == (len(reached) > 1)
    farthest = max(max(steps.from_(start).values()) for start in single)
    assert (f"up to {farthest} units apart" in said) == (farthest > 1)
    if len(reached) == 2:
        for part in reached:
            values = [dict(data[0] or ())["a"] for data in part]
            told = [value for value in VALUES if value in values]
            assert "{" + ", ".join(told[:3]) + (", 1 more}" if len(told) > 3 else "}") in said


def test_no_sentence_takes_narrower_neighbours_for_the_usual_ones() -> None:
    for policy in (ZeroOut(), Metric("a", 2), Blowfish("a", VALUES, [VALUES]), Edge(), Node(2)):
        pairs = ComparedPairs(Neighbours(policy, unit=policy.unit or "person"))
        assert pairs.one == "with one of two neighbouring datasets"
        assert policy.meaning in pairs.datasets
        assert policy.leaves_open
        assert policy.leaves_open in pairs.conditions[0]


def test_a_promise_by_distance_follows_the_rule_for_groups() -> None:
    plan = read_plan(
        {
            "title": "incomes",
            "specification": {"neighbours": {"kind": "metric", "attribute": "a", "step": "2"}},
            "budget": [{"divergence": "pure", "epsilon": "1"}],
            "release": [
                {
                    "name": "sum",
                    "query": {"kind": "attribute-sum", "attribute": "a", "lower": "0", "upper": "7"},
                    "mechanism": {"kind": "laplace", "scale": "2"},
                }
            ],
        }
    )
    found = account(plan)
    assert found.measure("pure").value.upper == pytest.approx(1)
    # Laplace noise of scale 2 on sums loses |difference| / 2: at most what as many steps of 2 allow.
    datasets = multisets([record(a=value) for value in NUMBERS], 2, 2)
    steps = Steps(datasets, within(Metric("a", 2)))
    for start in datasets:
        for other, apart in steps.from_(start).items():
            sums = [sum(Fraction(dict(item or ())["a"]) for item in data) for data in (start, other)]
            assert abs(sums[0] - sums[1]) / 2 <= apart


# What is refused ------------------------------------------------------------------------------------------------------


def refused(neighbours: Any, **more: Any) -> str:
    data = {
        "title": "refused",
        "specification": {"neighbours": neighbours, **more.pop("specification", {})},
        "budget": [{"divergence": "pure", "epsilon": "1"}],
        "release": [
            {"name": "x", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}, **more},
        ],
    }
    with pytest.raises(PlanError) as caught:
        read_plan(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"edges": [["0", "2"]]}, ("'2' is none of the values", "specification.neighbours")),
        ({"edges": []}, ("nothing is joined", "specification.neighbours")),
        ({"edges": [["0"]]}, ("at least two different values", "list 1")),
        ({"edges": [["0", "0"]]}, ("at least two different values",)),
        ({"values": ["0", "0"]}, ("each once", "twice: 0", "specification.neighbours.values")),
        ({"values": ["0"]}, ("at least two values",)),
        ({"edges": "0-1"}, ("list of lists", "specification.neighbours.edges")),
        ({"graph": []}, ("did you mean 'edges'",)),
    ],
    ids=str,
)
def test_graphs_that_cannot_be_meant_have_one_clear_error(stated: dict[str, Any], words: tuple[str, ...]) -> None:
    usual = {"kind": "blowfish", "attribute": "a", "values": list(VALUES), "edges": [["0", "1"]]}
    said = refused({**usual, **stated})
    assert all(word in said for word in words), said


def test_other_declarations_that_cannot_be_meant() -> None:
    metric = {"kind": "metric", "attribute": "a"}
    assert "must be above 0" in refused({**metric, "step": "0"})
    assert "missing 'degree'" in refused("node", specification={"unit": "node"})
    assert "say unit = 'node'" in refused({"kind": "node", "degree": 3})
    assert "missing 'attribute'" in refused("metric")
    assert "not an attribute that the domain declares" in refused(metric, specification={"domain": {"attributes": ["b"]}})
    assert "leave 'attributes' out" in refused(metric, specification={"attributes": ["b"]})
    assert "sampling is accounted for" in refused(metric, sampling={"kind": "poisson", "rate": "1/2"})
    assert "sampling is accounted for" in refused(
        "zero-out", sampling={"kind": "without-replacement", "sample": 1, "population": 9}
    )
    assert "unknown neighbour relation" in refused("zero-in")
    with pytest.raises(InvalidValue, match="missing 'attribute'"):
        Neighbours.of("metric")
    assert Neighbours.of("zero-out").relation == Relation.of(ZeroOut())


def test_plans_say_the_same_when_they_are_written_and_read() -> None:
    for neighbours in (
        "zero-out",
        {"kind": "metric", "attribute": "a", "step": "2.5"},
        {"kind": "blowfish", "attribute": "a", "values": list(VALUES), "edges": [["0", "1", "3"], ["3", "7"]]},
    ):
        plan = read_plan(
            {
                "title": "kept",
                "specification": {"neighbours": neighbours},
                "budget": [{"divergence": "pure", "epsilon": "1"}],
                "release": [{"name": "x", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}],
            }
        )
        assert read_plan(plan.as_data()) == plan
        assert plan.as_data()["specification"]["neighbours"] == neighbours
