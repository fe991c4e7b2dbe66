"""A release that costs nothing says why, and one that costs something is never said to be free."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from accountant import account, default_registry, read_plan
from accountant.accounting.costless import costless
from accountant.plugin import DIVERGENCES

ATTRIBUTES = ["age", "sex", "region"]
PURE = default_registry()[DIVERGENCES]["pure"]


def entry_of(query: dict[str, Any], promised: dict[str, Any], **further: Any) -> Any:
    release = {"name": "r", "query": query, "mechanism": {"kind": "laplace", "scale": "2"}, **further}
    declared = {"domain": {"attributes": ATTRIBUTES}}
    return account(read_plan({"specification": {**declared, **promised}, "release": [release]})).entries[0]


@pytest.mark.parametrize(
    ("query", "promised", "why"),
    [
        (
            {"kind": "count", "attributes": ["sex"]},
            {"neighbours": "replace-one", "attributes": ["age"]},
            "it reads only 'sex', which the promise does not protect",
        ),
        (
            {"kind": "count", "attributes": []},
            {"neighbours": "replace-one"},
            "it depends on no attribute of a record, only on how many there are, and neighbours have equally many",
        ),
        (
            {"kind": "count", "attributes": ["sex"]},
            {"neighbours": "replace-one", "attributes": []},
            "the specification lets no attribute differ",
        ),
        (
            {"kind": "sum", "lower": 1, "upper": 1},
            {"neighbours": "replace-one"},
            "its query does not move between neighbours",
        ),
        ({"kind": "count", "attributes": []}, {"neighbours": "add-remove"}, None),
        ({"kind": "count"}, {"neighbours": "replace-one"}, None),
        ({"kind": "count", "attributes": ["sex"]}, {"neighbours": "replace-one", "attributes": ["sex"]}, None),
    ],
)
def test_a_costless_release_says_why(query: dict[str, Any], promised: dict[str, Any], why: str | None) -> None:
    assert costless(entry_of(query, promised)) == why


def test_a_mechanism_that_tells_nothing_is_said_to() -> None:
    entry = entry_of({"kind": "count"}, {"neighbours": "add-remove"}, mechanism={"kind": "no-op"})
    assert costless(entry) == "'no-op' tells nothing of the data"


def test_a_sample_that_is_always_empty_is_the_reason_and_not_its_noise() -> None:
    sampling = {"kind": "poisson", "rate": "0"}
    entry = entry_of({"kind": "count"}, {"neighbours": "add-remove"}, sampling=sampling)
    assert costless(entry) == "its sample never holds a record"


def test_leaving_a_part_costs_though_the_query_reads_nothing_protected() -> None:
    query, promised = {"kind": "count", "attributes": ["sex"]}, {"neighbours": "replace-one", "attributes": ["region"]}
    assert costless(entry_of(query, promised)) is not None
    assert costless(entry_of(query, promised, scope={"partition": "region", "part": "north"})) is None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(ATTRIBUTES), unique=True),
    st.none() | st.lists(st.sampled_from(ATTRIBUTES), unique=True),
    st.sampled_from(["count", "histogram"]),
)
def test_what_is_said_to_cost_nothing_does_not_tell_two_neighbours_apart(
    reads: list[str], differing: list[str] | None, kind: str
) -> None:
    """Every dataset of two records with two values of each attribute, against every neighbour."""
    promised = {"neighbours": "replace-one"} | ({} if differing is None else {"attributes": differing})
    entry = entry_of({"kind": kind, "attributes": reads}, promised)
    moves = {
        _answer(first, other, reads, kind) != _answer(second, other, reads, kind)
        for first in _records()
        for second in _records()
        for other in _records()
        if all(first[name] == second[name] for name in ATTRIBUTES if differing is not None and name not in differing)
    }
    assert (costless(entry) is None) == (True in moves)
    assert (PURE.measure(entry.loss, {}).upper == 0) == (costless(entry) is not None)


def _records() -> list[dict[str, int]]:
    return [dict(zip(ATTRIBUTES, (code & 1, code >> 1 & 1, code >> 2), strict=True)) for code in range(8)]


def _answer(first: dict[str, int], second: dict[str, int], reads: list[str], kind: str) -> object:
    """A histogram by what is read; as a count, how many records have second values in all of it."""
    cells = sorted(tuple(record[name] for name in sorted(reads)) for record in (first, second))
    return cells if kind == "histogram" else sum(all(cell) for cell in cells)
