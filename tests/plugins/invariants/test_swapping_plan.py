"""Swapping in plans: what must be declared, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from accountant import InvalidValue, PlanError, Verdict, account, certify, read_plan
from accountant.numbers import log_of
from accountant_invariants import Swapping

MECHANISM = {
    "kind": "swapping",
    "rate": "1/20",
    "strata": [2, 1, 2],
    "stratify": ["block"],
    "swap": ["race", "sex"],
    "rest": ["age"],
    "version": "derange",
}
KEPT = [
    {"name": "race and sex by block", "counts_by": ["block", "race", "sex"]},
    {"name": "age by block", "counts_by": ["age", "block"]},
]


def plan(mechanism: dict[str, Any] | None = None, **specification: Any) -> dict[str, Any]:
    return {
        "title": "A census",
        "specification": {
            "neighbours": "replace-one",
            "unit": "household",
            "group": 2,
            "invariants": KEPT,
            **specification,
        },
        "budget": [{"divergence": "pure", "epsilon": "6"}],
        "release": [{"name": "swapped records", "mechanism": {**MECHANISM, **(mechanism or {})}}],
    }


def faults(data: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(PlanError) as caught:
        account(read_plan(data))
    return [(fault.place, fault.message) for fault in caught.value.faults]


def test_swapping_is_accounted_for_between_groups_of_two() -> None:
    read = read_plan(plan())
    found = account(read).measure("pure").value
    assert found.lower <= 2 * math.log(19) <= found.upper
    assert found.width < 1e-12
    assert read_plan(read.as_data()) == read
    assert certify(read).verdicts == (Verdict.IMPLIED,)


def test_a_budget_is_exceeded_between_datasets_that_agree_on_what_swapping_keeps() -> None:
    """It lies above 5 between two records that are compared; where more is exact, these need not be."""
    short = {**plan(), "budget": [{"divergence": "pure", "epsilon": "5"}]}
    assert certify(read_plan(short)).verdicts == (Verdict.REFUTED,)
    short["specification"]["invariants"] = [*KEPT, {"name": "age by race", "counts_by": ["age", "race"]}]
    assert certify(read_plan(short)).verdicts == (Verdict.UNKNOWN,)


def test_swapping_twice_costs_twice() -> None:
    twice = plan()
    twice["release"][0]["times"] = 2
    found = account(read_plan(twice)).measure("pure").value
    assert found.lower <= 4 * math.log(19) <= found.upper


def test_between_single_units_nothing_is_comparable() -> None:
    ((place, message),) = faults(plan(group=1))
    assert place == "release[0].mechanism"
    assert message.endswith("differ in at least two records; set group = 2 in the specification")


def test_both_tables_must_be_declared() -> None:
    ((place, message),) = faults(plan(invariants=[KEPT[0], "age by block"]))
    assert place == "release[0].mechanism"
    assert 'add { name = "counts by age, block", counts_by = ["age", "block"] } to the specification\'s' in message
    ((_, message),) = faults(plan(invariants=[]))
    assert "'counts by block, race, sex' and 'counts by age, block'" in message


def test_other_neighbours_are_refused() -> None:
    ((place, message),) = faults(plan(neighbours="add-remove"))
    assert (place, "between 'replace-one' neighbours only" in message) == ("release[0].mechanism", True)


@pytest.mark.parametrize(
    ("wrong", "place", "message"),
    [
        ({"rate": "1.1"}, ".rate", "must be at most 1, got 1.1"),
        ({"rate": -1}, ".rate", "must be at least 0, got -1"),
        ({"strata": []}, ".strata", "expected at least one stratum; give the sizes of all, such as [12, 7, 7]"),
        ({"strata": 7}, ".strata", "expected a list of sizes, got 7; give whole numbers such as [12, 7, 7]"),
        ({"strata": {"a": 3}}, ".strata", "expected a list of sizes, got {'a': 3}; give whole numbers such as [12, 7, 7]"),
        ({"strata": [3, 0]}, ".strata", "size 2: a stratum has 1 to 10,000,000,000 records, got 0"),
        ({"strata": [3, "2.5"]}, ".strata", "expected a whole number, got 2.5"),
        ({"version": "shuffle"}, ".version", "expected 'permute' or 'derange', got 'shuffle'"),
        ({"single": "drop"}, ".single", "expected 'redraw' or 'keep', got 'drop'"),
        ({"swap": "race"}, ".swap", "expected a list of names, got 'race'"),
        ({"swap": []}, "", "'swap' has no attributes, so swapping changes nothing that is published"),
        ({"rest": ["age", "sex"]}, "", "'sex' is in 'swap' and in 'rest'; each attribute has one part"),
        (
            {"version": "permute", "single": "keep"},
            "",
            "a single record can be permuted; leave 'single' out, it is about deranging",
        ),
    ],
)
def test_wrong_parameters_are_refused_where_they_stand(wrong: dict[str, Any], place: str, message: str) -> None:
    assert faults(plan(wrong)) == [(f"release[0].mechanism{place}", message)]


def largest_ratio(size: int, rate: Fraction) -> float:
    """log w(b - 2)/w(b) of permuting, from w(k) = sum over j of C(b - k, j - k) p^j (1 - p)^(b - j) / j!."""
    odds = rate / (1 - rate)
    return log_of(1 + 2 * size / odds + size * (size - 1) / odds**2).upper


@pytest.mark.parametrize("size", [1_000_001, 5_300_000, 10**10])
def test_strata_of_millions_are_accounted_for(size: int) -> None:
    """At a rate of .02 the budget of 19.38 for each record takes a stratum of 5.3 million."""
    stated = {"strata": [size, 12], "rate": "0.02", "version": "permute"}
    found = account(read_plan(plan(stated, group=2))).measure("pure").value
    expected = largest_ratio(size, Fraction(1, 50))
    assert found.lower <= expected <= found.upper
    assert found.width < 1e-12 * expected
    assert (expected / 2 >= 19.37) == (size >= 5_300_000)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["permute", "derange"])
@pytest.mark.parametrize("group", [2, 5])
def test_readings_of_large_strata_enclose_those_of_smaller_ones(version: str, group: int) -> None:
    """Where strata are too large to be counted through, bounds widen, and stay beside what is known of smaller ones."""
    for name, at in (("approx", {"delta": "1e-6"}), ("zcdp", {}), ("pure", {})):
        small, large = (
            account(read_plan(plan({"strata": [size], "rate": "0.1", "version": version}, group=group))).measure(name, at)
            for size in (2_000, 2_000_000)
        )
        assert large.value.lower <= large.value.upper < math.inf
        if version == "permute":
            assert small.value.lower <= large.value.upper


def test_strata_of_one_record_promise_nothing() -> None:
    ((place, message),) = faults(plan({"strata": [1, 1]}))
    assert place == "release[0].mechanism.strata"
    assert "no two datasets are compared: nothing is promised" in message


def test_parameters_from_python_are_checked_as_well() -> None:
    with pytest.raises(InvalidValue, match="expected a list of names"):
        Swapping("1/4", [3], None, ["race"], ["age"], "permute")  # type: ignore[arg-type]
