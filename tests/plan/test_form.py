"""The form of a plan is declared once: what is declared is read, written and in the schema, and nothing else is."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import attrs
import pytest
from attrs import evolve, frozen
from jsonschema import Draft202012Validator

from accountant import Plan, PlanError, Release, Scenario, Specification, default_registry, read_plan
from accountant.fields import about, at_least, text, whole
from accountant.plan.form import BUDGET, PUBLIC, RELEASE, SPECIFICATION, Key, KeyedTable, Many, field
from accountant.plan.parts import PartReader
from accountant.plan.plan import PLAN
from accountant.plan.schema import part_schema, plan_schema
from accountant.plan.writer import specification_data, written
from accountant.promise.neighbours import Neighbours
from accountant.promise.specification import Knowledge

REGISTRY = default_registry()
TABLES = {"plan": PLAN, "specification": SPECIFICATION, "release": RELEASE}
EVERYTHING: dict[str, Any] = {
    "title": "Every key once",
    "precision": "1e-6",
    "publication": {
        "publisher": "Office of Statistics",
        "date": "2026-11-17",
        "contact": "privacy@example.org",
        "link": "https://example.org/survey",
    },
    "statements": {
        "unit": "one respondent is one row",
        "contributions": "a respondent answers once, by a key that is unique",
        "tuning": "chosen on the data of the year before",
        "implementation": "exact integer noise from the system's randomness",
        "side_channels": "answers are published once a year, and nothing else",
        "trust_model": "the office holds the answers and adds the noise",
        "access": "four people, each with a key of their own",
        "collection": "on paper, destroyed after a year",
    },
    "specification": {
        "unit": "respondent",
        "neighbours": "replace-one",
        "group": 2,
        "attributes": ["age", "region"],
        "entities": [
            {
                "name": "respondent",
                "within": ["household"],
                "at_most": 4,
                "may_move": True,
                "attributes": ["age", "region"],
            },
            {"name": "household", "may_resize": True, "may_be_empty": False, "attributes": [], "derived": ["size"]},
            {"name": "person"},
        ],
        "invariants": ["number of respondents", {"name": "people by age", "counts_by": ["age"]}],
        "domain": "respondents of the first wave",
        "attacker": "insider",
        "inside": True,
    },
    "budget": [{"divergence": "approx", "epsilon": "4", "delta": "1e-6"}],
    "release": [
        {
            "name": "old people",
            "query": {"kind": "count", "attributes": ["age"]},
            "mechanism": {"kind": "geometric", "scale": "2"},
            "sampling": {"kind": "poisson", "rate": "0.5"},
            "scope": {"partition": "region", "part": "north"},
            "times": 3,
        }
    ],
    "table": [{"file": "regions.csv", "name": "{region}", "mechanism": {"kind": "no-op"}}],
    "grouped": [{"file": "wards.csv", "rows": 1000, "digest": "sha256:00"}],
    "reading": [{"divergence": "fdp", "level": "0.05"}],
    "scenario": [{"name": "age", "attributes": ["age"]}],
    "public": [{"kind": "independent", "name": "register", "budget": [{"divergence": "pure", "epsilon": "1"}]}],
    "risk": [{"kind": "constant", "ratio": "3", "neighbours": "replace-one"}],
}


def everything(tmp_path: Path) -> tuple[Plan, dict[str, Any]]:
    """A plan with every key of the form, and what it was read from. Its parts need not fit each other."""
    (tmp_path / "regions.csv").write_text("region\nsouth\n", encoding="utf-8")
    reader = PartReader(REGISTRY, tmp_path)
    plan = reader.read(PLAN, EVERYTHING, "")
    assert not reader.faults
    return plan, EVERYTHING


def table_in(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The first table of a form in the data of a plan."""
    found: dict[str, Any] = {"plan": data, "specification": data["specification"], "release": data["release"][0]}[name]
    return found


def schema_of(name: str) -> dict[str, Any]:
    whole_schema = plan_schema(REGISTRY)
    found: dict[str, Any] = whole_schema if name == "plan" else whole_schema["$defs"][name]
    return found


@pytest.mark.parametrize("name", TABLES)
def test_the_reader_the_writer_and_the_schema_know_the_same_keys(tmp_path: Path, name: str) -> None:
    plan, data = everything(tmp_path)
    declared = [key.name for key in TABLES[name].keys]
    assert set(table_in(data, name)) == set(declared)
    assert list(schema_of(name)["properties"]) == declared
    assert list(table_in(written(PLAN, plan), name)) == [key.name for key in TABLES[name].keys if key.at is not None]


def test_what_is_written_with_every_key_is_what_was_read(tmp_path: Path) -> None:
    plan, data = everything(tmp_path)
    again = written(PLAN, plan)
    for key in (
        "title",
        "precision",
        "publication",
        "statements",
        "specification",
        "budget",
        "grouped",
        "reading",
        "scenario",
        "public",
        "risk",
    ):
        assert again[key] == data[key]
    assert again["release"][0] == data["release"][0]
    assert plan.as_data() == again


@pytest.mark.parametrize(("name", "key"), [(name, key.name) for name, table in TABLES.items() for key in table.keys])
def test_the_reader_and_the_schema_agree_on_what_may_be_left_out(name: str, key: str) -> None:
    data = deepcopy(EVERYTHING)
    data.pop("table")
    data.pop("public")
    data["specification"]["group"] = 1
    assert read_plan(data)
    table_in(data, name).pop(key, None)
    if Draft202012Validator(plan_schema(REGISTRY)).is_valid(data):
        assert read_plan(data)
    else:
        with pytest.raises(PlanError, match=key):
            read_plan(data)


@pytest.mark.parametrize("name", TABLES)
def test_a_key_that_is_not_declared_is_refused_by_the_reader_and_the_schema(name: str) -> None:
    data = deepcopy(EVERYTHING)
    table_in(data, name)["nonsense"] = "1"
    with pytest.raises(PlanError, match="unknown key 'nonsense'"):
        read_plan(data)
    assert not Draft202012Validator(plan_schema(REGISTRY)).is_valid(data)


@pytest.mark.parametrize(
    ("cls", "keys", "inside"),
    [
        (Plan, PLAN.keys, ""),
        (Specification, (*SPECIFICATION.keys, *PLAN.keys), "specification."),
        (Neighbours, SPECIFICATION.keys, "neighbours."),
        (Release, RELEASE.keys, ""),
        (Knowledge, PUBLIC.keys, ""),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_nothing_that_a_plan_holds_escapes_its_digest(cls: type[Any], keys: tuple[Key, ...], inside: str) -> None:
    declared = {(key.at or "").removeprefix(inside).partition(".")[0] for key in keys} | {PUBLIC.item}
    assert {member.name for member in attrs.fields(cls) if member.eq} <= declared


def test_a_row_may_say_whatever_a_release_may_say(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("region\nsouth\nnorth\n", encoding="utf-8")
    row = {**EVERYTHING["release"][0], "name": "{region}", "scope": {"partition": "region", "part": "{region}"}}
    specification = {**EVERYTHING["specification"], "group": 1}
    data = {"specification": specification, "table": [{"file": "regions.csv", **row}]}
    scopes = [release.scope for release in read_plan(data, folder=tmp_path).releases]
    assert [scope and scope.part for scope in scopes] == ["south", "north"]
    Draft202012Validator(plan_schema(REGISTRY)).validate(data)


# Adding to plans -----------------------------------------------------------------------------------------------------


@frozen
class Dated(Release):
    """A release with a date."""

    day: str = attrs.field(default="some day", converter=text, metadata=about("when it is released"))


DATED = evolve(RELEASE, build=Dated, keys=(*RELEASE.keys, field(Dated, "day")))


@frozen
class Sponsor:
    """Who pays."""

    name: str = attrs.field(converter=text, metadata=about("who"))
    amount: int = attrs.field(default=1, converter=whole, validator=at_least(1), metadata=about("how much"))


@frozen
class Sponsored(Plan):
    """A plan that says who pays."""

    sponsors: tuple[Sponsor, ...] = ()


def _sponsored(*, specification: Specification, budgets: tuple[Any, ...], **others: Any) -> Sponsored:
    return Sponsored(specification=evolve(specification, budgets=budgets), **others)


SPONSORED = evolve(PLAN, build=_sponsored, keys=(*PLAN.keys, Key("sponsor", Many(Sponsor), "who pays", at="sponsors")))


def survives(form: KeyedTable, data: dict[str, Any]) -> Any:
    """What the data says, after it was read, written and read again, and was valid by the schema of its form."""
    reader = PartReader(REGISTRY, Path())
    value = reader.read(form, data, "")
    assert reader.faults == []
    assert reader.read(form, written(form, value), "") == value
    schema = {**part_schema(form, REGISTRY), "$defs": plan_schema(REGISTRY)["$defs"]}
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(data)
    return value


def test_a_new_key_is_one_declaration() -> None:
    data = {**EVERYTHING["release"][0], "day": "Monday"}
    assert survives(DATED, data).day == "Monday"
    assert written(DATED, survives(DATED, data))["day"] == "Monday"
    assert "day" not in written(DATED, survives(DATED, EVERYTHING["release"][0]))
    assert part_schema(DATED, REGISTRY)["properties"]["day"]["description"] == "when it is released"
    reader = PartReader(REGISTRY, Path())
    assert reader.read(DATED, {**data, "day": ""}, "release[0]") is None
    assert [str(fault) for fault in reader.faults] == ["expected text, got an empty string @ release[0].day"]


def test_a_new_table_is_one_declaration() -> None:
    plain = {key: value for key, value in EVERYTHING.items() if key != "table"}
    data = {**plain, "sponsor": [{"name": "state"}, {"name": "county", "amount": 3}]}
    plan = survives(SPONSORED, data)
    assert plan.sponsors == (Sponsor("state"), Sponsor("county", 3))
    assert written(SPONSORED, plan)["sponsor"] == data["sponsor"]
    assert "sponsor" not in written(SPONSORED, survives(SPONSORED, plain))
    reader = PartReader(REGISTRY, Path())
    assert reader.read(SPONSORED, {**data, "sponsor": [{"amount": 0}]}, "") is None
    assert [str(fault) for fault in reader.faults] == [
        "missing 'name': who @ sponsor[0]",
        "must be at least 1, got 0 @ sponsor[0].amount",
    ]
    with pytest.raises(PlanError, match="unknown key 'sponsor'"):
        read_plan(data)


# Releases by themselves ----------------------------------------------------------------------------------------------

KNOWN = read_plan(
    {
        "specification": {"neighbours": "replace-one", "invariants": ["size"], "attributes": ["age"]},
        "budget": [{"divergence": "zcdp", "rho": "1"}],
        "release": [{"name": "a", "mechanism": {"kind": "no-op"}}],
    }
).specification


@pytest.mark.parametrize(
    "release",
    [
        {"name": "a", "query": {"kind": "count", "attributes": ["age"]}, "mechanism": {"kind": "gaussian", "sigma": "2"}},
        {
            "name": "a",
            "query": {"kind": "vector", "shift": [1], "neighbours": "add-remove"},
            "mechanism": {"kind": "no-op"},
        },
        {"name": "a", "mechanism": {"kind": "gaussian", "sigma": "-2"}, "times": 0},
        {"name": "a", "mechanism": {"kind": "shuffle", "epsilon": "1", "reports": 100}},
        {"mechanism": "no-op"},
    ],
    ids=str,
)
def test_a_release_against_a_known_specification_is_read_as_in_a_plan_that_states_it(release: dict[str, Any]) -> None:
    alone, beside = {"release": [release]}, {"release": [release], "specification": specification_data(KNOWN)}
    assert outcome(alone, specification=KNOWN) == outcome(beside)


def outcome(data: dict[str, Any], **known: Any) -> object:
    """The plan, or its faults in their order."""
    try:
        return read_plan(data, **known)
    except PlanError as error:
        return error.faults


def test_budgets_are_those_of_the_data_and_a_specification_of_its_own_is_kept() -> None:
    data = {"release": [{"name": "a", "mechanism": {"kind": "no-op"}}]}
    assert read_plan(data, specification=KNOWN).specification == evolve(KNOWN, budgets=())
    own = {**data, "specification": {"neighbours": "add-remove"}}
    assert read_plan(own, specification=KNOWN) == read_plan(own)
    with pytest.raises(PlanError, match="missing; say which neighbours are compared"):
        read_plan(data)


def test_what_others_refer_to_is_in_the_schema_once() -> None:
    parts = plan_schema(REGISTRY)["$defs"]
    assert parts["budget"] == part_schema(BUDGET, REGISTRY)
    assert parts["public"]["oneOf"][0]["properties"]["budget"]["items"] == {"$ref": "#/$defs/relative"}
    assert part_schema(Scenario, REGISTRY)["required"] == ["name"]
