"""Where a domain declares the attributes that records have, a plan names no others; the rest of plans is as it was."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from jsonschema import Draft202012Validator

from accountant import Domain, PlanError, Scope, account, default_registry, load_specification, read_plan
from accountant.plan.schema import plan_schema

DECLARED = {"name": "residents", "attributes": ["age", "diabetes", "region", "sex"]}
PLAN: dict[str, Any] = {
    "title": "Health",
    "specification": {
        "unit": "person",
        "neighbours": "replace-one",
        "attributes": ["age", "diabetes"],
        "invariants": [{"name": "people by sex", "counts_by": ["sex"]}],
        "domain": DECLARED,
    },
    "budget": [{"divergence": "pure", "epsilon": "1"}],
    "release": [
        {
            "name": "diabetes",
            "query": {"kind": "count", "attributes": ["diabetes"]},
            "mechanism": {"kind": "laplace", "scale": "1"},
            "scope": {"partition": "region", "part": "north"},
            "times": 1,
        }
    ],
    "scenario": [{"name": "health", "attributes": ["diabetes"]}],
}
VALIDATOR = Draft202012Validator(plan_schema(default_registry()))


def test_a_plan_whose_attributes_are_declared_is_read_and_written_as_it_is() -> None:
    plan = read_plan(PLAN)
    assert plan.specification.domain == Domain("residents", DECLARED["attributes"])
    assert plan.as_data() == PLAN
    assert read_plan(plan.as_data()).digest == plan.digest
    VALIDATOR.validate(PLAN)


@pytest.mark.parametrize(
    ("stated", "domain", "again"),
    [
        ("residents", Domain("residents"), "residents"),
        ({"name": "residents"}, Domain("residents"), "residents"),
        ({}, Domain(), "all datasets"),
        ({"attributes": ["age", "diabetes", "region", "sex"]}, Domain(attributes=DECLARED["attributes"]), None),
    ],
)
def test_a_domain_is_a_text_or_a_table(stated: object, domain: Domain, again: str | None) -> None:
    data = {**PLAN, "specification": {**PLAN["specification"], "domain": stated}}
    VALIDATOR.validate(data)
    plan = read_plan(data)
    assert plan.specification.domain == domain
    assert plan.as_data()["specification"]["domain"] == (again or stated)


def test_declaring_attributes_is_part_of_what_a_plan_means() -> None:
    data = {**PLAN, "specification": {**PLAN["specification"], "domain": "residents"}}
    assert read_plan(data).digest != read_plan(PLAN).digest


@pytest.mark.parametrize(
    ("stated", "place"),
    [
        ("", "specification.domain"),
        (["age"], "specification.domain"),
        ({"attributes": []}, "specification.domain"),
        ({"attributes": "age"}, "specification.domain.attributes"),
        ({"name": ""}, "specification.domain.name"),
        ({"atributes": ["age"]}, "specification.domain"),
    ],
)
def test_a_domain_that_cannot_be_read_is_a_fault_at_its_place(stated: object, place: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan({**PLAN, "specification": {**PLAN["specification"], "domain": stated}})
    assert [fault.place for fault in caught.value.faults] == [place]


def misspelt() -> dict[str, Any]:
    """The plan with a misspelt attribute at every place that can have one."""
    data = deepcopy(PLAN)
    data["specification"]["attributes"] = ["agee", "diabetes"]
    data["specification"]["invariants"][0]["counts_by"] = ["sexx"]
    data["release"][0]["query"]["attributes"] = ["diabtes"]
    data["release"][0]["scope"]["partition"] = "regoin"
    data["scenario"][0]["attributes"] = ["diabets"]
    return data


def test_misspelt_attributes_are_found_at_once_with_the_word_that_is_meant() -> None:
    data = misspelt()
    specification = data.pop("specification")
    with pytest.raises(PlanError) as caught:
        read_plan({**data, "specification": PLAN["specification"]})
    assert {fault.place: fault.message.rpartition("; ")[2] for fault in caught.value.faults} == {
        "release[0].query.attributes": "did you mean 'diabetes'?",
        "release[0].scope.partition": "did you mean 'region'?",
        "scenario[0].attributes": "did you mean 'diabetes'?",
    }
    with pytest.raises(PlanError) as caught:
        read_plan({**PLAN, "specification": specification})
    assert {fault.place: fault.message.rpartition("; ")[2] for fault in caught.value.faults} == {
        "specification.invariants[0].counts_by": "did you mean 'sex'?",
        "specification.attributes": "did you mean 'age'?",
    }


def test_faults_of_specification_and_releases_come_together() -> None:
    with pytest.raises(PlanError) as caught:
        read_plan(misspelt())
    assert {fault.place for fault in caught.value.faults} == {
        "specification.invariants[0].counts_by",
        "specification.attributes",
        "release[0].query.attributes",
        "release[0].scope.partition",
        "scenario[0].attributes",
    }


def test_rows_name_declared_attributes_too(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("name,by\na,age\nb,ages\n", encoding="utf-8")
    row = {**PLAN["release"][0], "name": "{name}", "query": {"kind": "count", "attributes": ["{by}"]}}
    data = {**PLAN, "release": [], "table": [{"file": "rows.csv", **row}], "scenario": []}
    with pytest.raises(PlanError) as caught:
        read_plan(data, folder=tmp_path)
    assert [fault.place for fault in caught.value.faults] == ["table[0].row[2].query.attributes"]


def test_a_plan_made_in_python_is_held_to_its_declaration() -> None:
    plan = read_plan({**PLAN, "scenario": []})
    stray = evolve(plan.releases[0], name="stray", scope=Scope("regoin", "north"))
    with pytest.raises(PlanError, match=r"did you mean 'region'\? @ release\[1\]\.scope\.partition"):
        account(evolve(plan, releases=(*plan.releases, stray)))
    with pytest.raises(PlanError, match=r"did you mean 'region'\? @ release\[1\]\.scope\.partition"):
        account(plan).adding(stray)


def test_a_specification_alone_is_held_to_its_declaration(tmp_path: Path) -> None:
    path = tmp_path / "promise.toml"
    path.write_text(
        '[specification]\nneighbours = "replace-one"\nattributes = ["agee"]\ndomain = { attributes = ["age"] }\n',
        encoding="utf-8",
    )
    with pytest.raises(PlanError, match=r"did you mean 'age'\? @ specification\.attributes"):
        load_specification(path)
