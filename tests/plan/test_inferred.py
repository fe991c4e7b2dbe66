"""Attributes that nobody declared are inferred: what cannot be meant is refused, what may not be is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accountant import Fault, InvalidValue, PlanError, Scenario, account, read_plan


def plan_data(*queries: list[str] | None, attributes: list[str] | None = None, **further: Any) -> dict[str, Any]:
    promised: dict[str, Any] = {"neighbours": "replace-one", **further.pop("specification", {})}
    if attributes is not None:
        promised["attributes"] = attributes
    return {
        "specification": promised,
        "release": [
            {
                "name": f"table {index}",
                "query": {"kind": "histogram", **({} if names is None else {"attributes": names})},
                "mechanism": {"kind": "laplace", "scale": "4"},
            }
            for index, names in enumerate(queries)
        ],
        **further,
    }


def faults(data: dict[str, Any]) -> tuple[Fault, ...]:
    with pytest.raises(PlanError) as caught:
        read_plan(data)
    return caught.value.faults


def test_a_release_of_a_misspelt_attribute_is_refused_and_the_right_word_is_named() -> None:
    (fault,) = faults(plan_data(["diabtes"], ["age"], attributes=["age", "sex", "diabetes"]))
    assert fault.place == "release[0].query.attributes"
    assert "did you mean 'diabetes'?" in fault.message


def test_the_word_that_the_specification_has_is_not_the_misspelt_one() -> None:
    data = plan_data(["diabtes"], attributes=["diabetes"], scenario=[{"name": "health", "attributes": ["diabetes"]}])
    (fault,) = faults(data)
    assert fault.place == "release[0].query.attributes"
    assert "did you mean 'diabetes'?" in fault.message
    assert "did you mean 'diabtes'?" not in fault.message


def test_a_scenario_that_the_specification_names_gets_no_hint_to_take_another_word() -> None:
    data = plan_data(["diabetic"], attributes=["diabetes"], scenario=[{"name": "health", "attributes": ["diabetes"]}])
    (fault,) = faults(data)
    assert fault.place == "scenario[0].attributes"
    assert fault.message == "no release depends on 'diabetes'; releases read 'diabetic'"


def test_a_misspelt_scenario_is_pointed_to_what_releases_read() -> None:
    (fault,) = faults(plan_data(["diabetes"], scenario=[{"name": "health", "attributes": ["diabtes"]}]))
    assert "did you mean 'diabetes'?" in fault.message


def claimed(data: dict[str, Any]) -> dict[str, Any]:
    """The same plan beside a claim, which may depend on anything."""
    mechanism = {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}
    return {**data, "release": [*data["release"], {"name": "vendor", "mechanism": mechanism}]}


def test_a_misspelt_scenario_is_refused_beside_a_claim_too() -> None:
    data = claimed(plan_data(["diabetes"], scenario=[{"name": "health", "attributes": ["diabtes"]}]))
    (fault,) = faults(data)
    assert (fault.place, fault.name) == ("scenario[0].attributes", "health")
    assert "did you mean 'diabetes'?" in fault.message
    for attributes in (["diabetes"], ["income"]):
        read_plan({**data, "scenario": [{"name": "health", "attributes": attributes}]})
    both = {"neighbours": "replace-one", "domain": {"attributes": ["diabetes", "diabtes"]}}
    read_plan({**data, "specification": both})
    account(read_plan({**data, "scenario": []})).within(Scenario("money", ["income"]))
    with pytest.raises(InvalidValue, match="did you mean 'diabetes'"):
        account(read_plan({**data, "scenario": []})).within(Scenario("health", ["diabtes"]))


def test_both_words_may_be_meant_where_they_are_declared() -> None:
    declared = {"domain": {"attributes": ["level", "levels"]}}
    data = plan_data(["levels"], attributes=["level"])
    assert faults(data)
    plan = read_plan(plan_data(["levels"], attributes=["level"], specification=declared))
    assert plan.warnings == ()


def test_rows_are_refused_at_their_place(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("name,by\na,age\nb,diabtes\n", encoding="utf-8")
    row = {**plan_data(["x"])["release"][0], "name": "{name}", "query": {"kind": "histogram", "attributes": ["{by}"]}}
    data = {**plan_data(attributes=["age", "diabetes"]), "table": [{"file": "rows.csv", **row}]}
    with pytest.raises(PlanError) as caught:
        read_plan(data, folder=tmp_path)
    assert [fault.place for fault in caught.value.faults] == ["table[0].row[2].query.attributes"]


def test_what_releases_read_beside_the_promise_is_said() -> None:
    (warning,) = read_plan(plan_data(["age"], ["region", "age"], attributes=["age", "sex"])).warnings
    assert warning.place == "specification.attributes"
    assert warning.message.startswith(
        "the promise does not protect what releases tell of 'region' (in 'table 1'), while no release names 'sex'"
    )
    assert "domain" in warning.message


def test_a_name_that_is_used_once_and_looks_like_another_is_said() -> None:
    (warning,) = read_plan(plan_data(["diabetes"], ["diabetes", "age"], ["diabtes"])).warnings
    assert warning.place == "release[2].query.attributes"
    assert "looks like 'diabetes'" in warning.message


@pytest.mark.parametrize(
    "data",
    [
        plan_data(["age"], ["sex", "age"], attributes=["age", "sex", "income"]),
        plan_data(["age"], ["sex"]),
        plan_data(None, attributes=["age"]),
        plan_data(["income1"], ["income2"]),
        plan_data(["diabetes"], ["diabtes"], specification={"domain": {"attributes": ["diabetes", "diabtes"]}}),
    ],
)
def test_nothing_is_said_of_plans_in_which_nothing_looks_amiss(data: dict[str, Any]) -> None:
    assert read_plan(data).warnings == ()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_without_rows_is_refused_with_its_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.{ending}"
    if ending == "csv":
        path.write_text("name,by\n", encoding="utf-8")
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"name": pyarrow.array([], pyarrow.string())}), path)
    row = {"file": path.name, "name": "{name}", "mechanism": {"kind": "no-op"}}
    with pytest.raises(PlanError) as caught:
        read_plan({**plan_data(["age"]), "table": [row]}, folder=tmp_path)
    (fault,) = caught.value.faults
    assert fault.place == "table[0].file"
    assert fault.message.startswith(f"'{path.name}' has no rows, so that nothing is released; write rows")


def test_a_scenario_that_only_a_claim_answers_for_is_doubted() -> None:
    claimed = {"name": "vendor", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.01"}}
    data = plan_data(["diabetes"], scenario=[{"name": "pay", "attributes": ["income"]}])
    read = read_plan({**data, "release": [*data["release"], claimed]})
    (warning,) = read.warnings
    assert warning.place == "scenario[0].attributes"
    assert "no query reads 'income', so that only what is claimed counts here" in warning.message
    # A query that may look at anything looks at it, and so does one that names it.
    for queries in (["diabetes"], None), (["diabetes", "income"],):
        more = plan_data(*queries, scenario=data["scenario"])
        assert not read_plan({**more, "release": [*more["release"], claimed]}).warnings
