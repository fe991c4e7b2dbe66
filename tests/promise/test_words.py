"""Sentences name what is compared: neighbours, unit, group, attributes, what is exact, the sample, and claims."""

from __future__ import annotations

from typing import Any

import pytest

from accountant import Invariant, Neighbours, default_registry, read_plan
from accountant.plugin import ADD_REMOVE, DIVERGENCES, REPLACE_ONE, ComparedPairs, Relation

PURE = default_registry()[DIVERGENCES]["pure"]


@pytest.mark.parametrize(
    ("relation", "further", "likely", "datasets"),
    [
        (ADD_REMOVE, {}, "with the person in the data as without, or the other way round", "with and without one person"),
        (
            ADD_REMOVE,
            {"group": 4},
            "with up to 4 people in the data as without them, or the other way round",
            "with and without up to 4 people",
        ),
        (
            REPLACE_ONE,
            {"unit": "household"},
            "with one value of a household’s record as with another",
            "that differ in the record of one household",
        ),
        (
            REPLACE_ONE,
            {"attributes": ["income", "age"]},
            "with one value of a person’s age and income as with another",
            "that differ in the age and income of one person",
        ),
        (
            REPLACE_ONE,
            {"attributes": ["income"], "group": 2},
            "with some values of the income of up to 2 people as with others",
            "that differ in the income of up to 2 people",
        ),
    ],
)
def test_both_sides_are_those_of_the_neighbours(
    relation: Relation, further: dict[str, Any], likely: str, datasets: str
) -> None:
    pairs = ComparedPairs(Neighbours(relation, **further))
    assert PURE.means(pairs) == f"no output is more than e^epsilon times as likely {likely}"
    assert pairs.datasets == f"datasets {datasets}"


def test_a_relation_of_somebody_else_is_said_in_its_own_words() -> None:
    swap = Relation("swap", frozenset({(2, 2)}), edits=True, meaning="two records change places")
    pairs = ComparedPairs(Neighbours(swap, group=2))
    assert pairs.between == "datasets where two records change places, up to 2 times (swap)"
    assert "with one of two neighbouring datasets as with the other" in PURE.means(pairs)


def test_conditions_say_what_is_not_promised() -> None:
    assert ComparedPairs(Neighbours(ADD_REMOVE)).conditions == ()
    names = tuple(f"vendor {letter}" for letter in "ABCDE")
    pairs = ComparedPairs(Neighbours(REPLACE_ONE, attributes=["income"]), (Invariant("total"),), True, names)
    assert pairs.conditions == (
        "Other attributes of a person are not protected by this number.",
        "Published exactly: total. Nothing is promised between datasets that differ in that.",
        "It holds against those who do not know who was sampled; others may learn more.",
        "What is claimed of 'vendor A', 'vendor B', 'vendor C' and 2 more is taken on trust.",
    )
    assert PURE.means(pairs).startswith("where both agree on what is published exactly, no output")


def test_an_insider_is_told_nothing_about_the_sample() -> None:
    release = {
        "name": "yes",
        "query": {"kind": "count"},
        "mechanism": {"kind": "laplace", "scale": "1"},
        "sampling": {"kind": "poisson", "rate": "1/10"},
    }
    plan = read_plan({"specification": {"neighbours": "add-remove"}, "release": [release]})
    assert plan.comparison.hidden_sample
    assert not plan.against("insider").comparison.hidden_sample
