"""Invariants in plans: names or tables of counts, and what a mechanism publishes exactly must be among them."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from attrs import frozen
from jsonschema import Draft202012Validator

from accountant import (
    Invariant,
    Neighbours,
    Plan,
    PlanError,
    PrivacyLoss,
    Registry,
    Release,
    Specification,
    Theorem,
    account,
    certify,
    read_plan,
    verify,
)
from accountant.loss import NO_LOSS
from accountant.plan.schema import plan_schema
from accountant.plugin import Mechanism, Shift, hookimpl
from accountant.promise.neighbours import REPLACE_ONE

EXACTLY = Theorem("exact-table", "A table is shown as it is.", "accountant", "tests", assurance="claimed")
AGES = Invariant("people by age and sex", ["age", "sex"])


@frozen
class ExactTable(Mechanism):
    """A table that is shown as it is."""

    kind: ClassVar[str] = "exact-table"
    theorem: ClassVar[Theorem] = EXACTLY
    needs_query: ClassVar[bool] = False

    def loss(self, shift: Shift) -> PrivacyLoss:
        return NO_LOSS

    def publishes(self) -> tuple[Invariant, ...]:
        return (AGES,)


class Plugin:
    """A plugin of one mechanism."""

    __name__ = "exact_plugin"

    @hookimpl
    def accountant_mechanisms(self) -> tuple[type[Mechanism], ...]:
        return (ExactTable,)

    @hookimpl
    def accountant_theorems(self) -> tuple[Theorem, ...]:
        return (EXACTLY,)


REGISTRY = Registry.load(extra=[Plugin()])


def plan(*invariants: Any, kind: str = "no-op") -> dict[str, Any]:
    return {
        "title": "Invariants",
        "specification": {"neighbours": "replace-one", "invariants": list(invariants)},
        "release": [{"name": "table", "mechanism": {"kind": kind}}],
    }


def faults(data: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(PlanError) as caught:
        read_plan(data, registry=REGISTRY)
    return [(fault.place, fault.message) for fault in caught.value.faults]


TABLES = [
    "number of respondents",
    {"name": "total", "counts_by": []},
    {"name": "people by age", "counts_by": ["age"]},
    {"name": "households by block", "counts_by": ["block"], "of": "household"},
]


def test_names_and_tables_are_read_and_written_back() -> None:
    read = read_plan(plan(*TABLES))
    assert read.specification.invariants == (
        Invariant("number of respondents"),
        Invariant("total", []),
        Invariant("people by age", ["age"]),
        Invariant("households by block", ["block"], "household"),
    )
    assert read.as_data()["specification"]["invariants"] == TABLES
    assert read_plan(read.as_data()).digest == read.digest


def test_what_an_invariant_counts_is_part_of_the_digest() -> None:
    digests = [
        read_plan(plan(item)).digest for item in ("x", {"name": "x", "counts_by": []}, {"name": "x", "counts_by": ["x"]})
    ]
    assert len(set(digests)) == 3


def test_the_schema_knows_names_and_tables() -> None:
    validator = Draft202012Validator(plan_schema(REGISTRY))
    validator.validate(plan(*TABLES))
    for wrong in (3, {}, {"counts_by": ["age"]}, {"name": "x", "counts_by": "age"}, {"name": "x", "count_by": ["age"]}):
        assert not validator.is_valid(plan(wrong))
        assert faults(plan(wrong))


@pytest.mark.parametrize(
    ("wrong", "place", "message"),
    [
        ({"name": "x", "of": "household"}, "", "'x' counts household; say by which attributes with 'counts_by'"),
        ({"name": "x", "count_by": []}, "", "unknown key 'count_by'; did you mean 'counts_by'?"),
        ({"counts_by": ["age"]}, "", "missing 'name': what is published exactly"),
        ({"name": "x", "counts_by": "age"}, ".counts_by", "expected a list of names, got 'age'"),
        ({"name": "x", "counts_by": {}}, ".counts_by", "expected a list, got a table"),
    ],
)
def test_a_wrong_invariant_is_refused_where_it_stands(wrong: dict[str, Any], place: str, message: str) -> None:
    assert faults(plan("fine", wrong)) == [(f"specification.invariants[1]{place}", message)]


@pytest.mark.parametrize(
    "declared",
    [[], ["people by age and sex"], [{"name": "by age", "counts_by": ["age"]}, {"name": "by sex", "counts_by": ["sex"]}]],
)
def test_what_is_published_exactly_must_be_declared(declared: list[Any]) -> None:
    ((place, message),) = faults(plan(*declared, kind="exact-table"))
    assert place == "release[0].mechanism"
    assert message == (
        "'exact-table' publishes 'people by age and sex' exactly, but the specification does not declare it: for datasets "
        'that differ in it nothing is promised; add { name = "people by age and sex", counts_by = ["age", "sex"] } to the '
        "specification's invariants"
    )


@pytest.mark.parametrize("attributes", [["age", "sex"], ["age", "block", "sex"]])
def test_a_table_of_which_it_is_a_margin_declares_it(attributes: list[str]) -> None:
    read = read_plan(plan({"name": "a table", "counts_by": attributes}, kind="exact-table"), registry=REGISTRY)
    assert account(read, registry=REGISTRY).measure("pure").value.exact == 0


def test_a_plan_that_was_not_read_is_checked_as_well() -> None:
    undeclared = Plan("made by hand", Specification(Neighbours(REPLACE_ONE)), (Release("table", ExactTable()),))
    with pytest.raises(PlanError, match="does not declare it"):
        account(undeclared, registry=REGISTRY)


def test_a_certificate_carries_tables() -> None:
    data = plan(*TABLES)
    data["budget"] = [{"divergence": "pure", "epsilon": "1"}]
    read = read_plan(data)
    certificate = certify(read)
    assert certificate.data["specification"]["invariants"] == TABLES
    assert verify(certificate, read).differences == ()


def test_an_invariant_is_written_as_toml() -> None:
    assert Invariant('a "b"').written() == '"a \\"b\\""'
    assert Invariant("n", []).written() == '{ name = "n", counts_by = [] }'
    assert Invariant("n", ["é", "b"], "household").written() == '{ name = "n", counts_by = ["b", "é"], of = "household" }'
