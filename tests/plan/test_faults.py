"""A plan is read exactly or refused with places: whatever the data, nothing but a plan or a PlanError comes out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest
from attrs import field, frozen
from hypothesis import HealthCheck, given, settings, strategies as st
from jsonschema import Draft202012Validator

from accountant.errors import PlanError
from accountant.numbers.exact import plain
from accountant.plan.plan import Plan
from accountant.plan.reader import load_plan, read_plan
from accountant.plan.schema import plan_schema
from accountant.registry.registry import default_registry
from accountant.values.reading import Reader
from accountant.values.source import canonical

SURVEY = Path(__file__).parents[2] / "examples" / "survey.toml"
EXAMPLE = tomllib.loads(SURVEY.read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(plan_schema(default_registry()))

WORDS = st.one_of(
    st.sampled_from(["title", "specification", "neighbours", "replace-one", "add-remove", "attributes", "invariants"]),
    st.sampled_from(["budget", "divergence", "approx", "zcdp", "epsilon", "delta", "rho"]),
    st.sampled_from(["release", "name", "times", "query", "kind", "count", "sum", "vector", "shift"]),
    st.sampled_from(["mechanism", "gaussian", "sigma", "claim", "table", "rows"]),
    st.sampled_from(["1", "0", "1/3", "-1e9", "1e400", "nan"]),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(10**1300, 10**1301),
    st.floats(),
    st.decimals(allow_nan=True, allow_infinity=True),
    st.just(Decimal("sNaN")),
    st.text(st.characters(), max_size=8),
    st.binary(max_size=4),
    st.dates(),
    WORDS,
)
KEYS = st.one_of(WORDS, st.text(max_size=4), st.integers())
DATA = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=20,
)


def read(data: object) -> Plan | None:
    """The plan, or None if it was refused in an orderly way."""
    try:
        return read_plan(data)
    except PlanError as error:
        faults = error.faults
    assert faults
    assert all(fault.message and fault.place and len(str(fault)) < 2000 for fault in faults)
    return None


@pytest.mark.slow
@given(DATA)
@settings(max_examples=300, deadline=None)
def test_any_data_is_read_or_refused(data: object) -> None:
    read(data)


def places(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths to every part of some data."""
    if path:
        yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from places(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from places(value, (*path, index))


@st.composite
def mutations(draw: st.DrawFn) -> Any:
    """The example with a few parts replaced, removed or added."""
    plan: Any = deepcopy(EXAMPLE)
    for _ in range(draw(st.integers(1, 3))):
        options = list(places(plan))
        if not options:
            break
        path = draw(st.sampled_from(options))
        target = plan
        for key in path[:-1]:
            target = target[key]
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "remove":
            del target[path[-1]]
        elif action == "add" and isinstance(target[path[-1]], dict):
            target[path[-1]][draw(WORDS)] = draw(DATA)
        else:
            target[path[-1]] = draw(DATA)
    return plan


@pytest.mark.slow
@given(mutations())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_spoiled_plan_is_read_or_refused_and_what_is_read_survives(data: object) -> None:
    plan = read(data)
    if plan is not None:
        assert read_plan(plan.as_data()) == plan
        assert read_plan(json.loads(canonical(plan.as_data()))).digest == plan.digest
        assert not list(VALIDATOR.iter_errors(data))


def test_writing_and_reading_gives_the_same_plan() -> None:
    plan = load_plan(SURVEY)
    assert read_plan(plan.as_data()) == plan


def test_the_notation_of_the_file_does_not_matter(tmp_path: Path) -> None:
    plan = load_plan(SURVEY)
    (tmp_path / "plan.json").write_text(json.dumps(EXAMPLE), encoding="utf-8")
    assert load_plan(tmp_path / "plan.json") == plan
    assert load_plan(tmp_path / "plan.json").digest == plan.digest


@pytest.mark.parametrize(("written", "value"), [("0.1", "1/10"), ("1e-2", "0.01"), ("8", "8"), ("2.50", "5/2")])
@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_bare_numbers_in_files_mean_what_is_written(tmp_path: Path, suffix: str, written: str, value: str) -> None:
    texts = {"toml": SURVEY.read_text(encoding="utf-8"), "json": json.dumps(EXAMPLE)}
    quoted = {"toml": 'sigma = "8"', "json": '"sigma": "8"'}[suffix]
    path = tmp_path / f"plan.{suffix}"
    path.write_text(texts[suffix].replace(quoted, quoted.replace('"8"', written)), encoding="utf-8")
    mechanism: Any = load_plan(path).releases[0].mechanism
    assert mechanism.sigma == Fraction(value)


def test_faults_of_different_parts_are_found_together() -> None:
    data = deepcopy(EXAMPLE)
    data["specification"] = {"neighbours": "add-remove", "attributes": ["age"], "domain": ""}
    data["budget"][0]["epsilon"] = "four"
    data["release"][0]["query"] = {"kind": "sum", "lower": 3, "upper": 1}
    data["release"][1].pop("query")
    data["release"].append("text")
    with pytest.raises(PlanError) as caught:
        read_plan(data)
    assert {fault.place for fault in caught.value.faults} == {
        "specification.domain",
        "budget[0].epsilon",
        "release[0].query",
        "release[1]",
        "release[3]",
    }


def test_attributes_cannot_be_singled_out_where_whole_units_come_and_go() -> None:
    data = {**EXAMPLE, "specification": {"neighbours": "add-remove", "attributes": ["age"]}}
    with pytest.raises(PlanError, match=r"whole person.* @ specification\.attributes"):
        read_plan(data)


def test_a_shift_for_other_neighbours_is_refused_beside_other_faults() -> None:
    data = deepcopy(EXAMPLE)
    data["release"][0]["query"] = {"kind": "vector", "shift": [1], "neighbours": "add-remove"}
    data["release"][1]["mechanism"]["scale"] = 0
    with pytest.raises(PlanError) as caught:
        read_plan(data)
    assert [fault.place for fault in caught.value.faults] == ["release[1].mechanism.scale", "release[0].query"]


def test_a_path_that_cannot_exist_is_refused() -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        load_plan("x\0y")


def test_a_plan_that_contains_itself_is_refused() -> None:
    data: dict[str, Any] = deepcopy(EXAMPLE)
    data["release"].append(data["release"])
    data["release"].append(data["release"])
    with pytest.raises(PlanError, match="nested more than 32 levels deep"):
        read_plan(data)


def test_a_large_plan_is_read_in_reasonable_time() -> None:
    release = {"name": "", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "8"}}
    data = {**EXAMPLE, "release": [{**release, "name": f"table {index}"} for index in range(5000)]}
    assert len(read_plan(data).releases) == 5000


def test_a_sum_of_many_long_ratios_can_be_written_down() -> None:
    assert plain(Fraction(2, 3**20_000)).startswith("2/")
    assert plain(Fraction(7**20_000)).endswith("/1")


def test_errors_of_third_party_validators_are_faults_too() -> None:
    @frozen
    class Strict:
        size: int = field(validator=[attrs.validators.instance_of(int), attrs.validators.gt(0)])

    reader = Reader()
    assert reader.value(Strict, {"size": "x"}, "mechanism") is None
    assert reader.value(Strict, {"size": -1}, "mechanism") is None
    assert [fault.place for fault in reader.faults] == ["mechanism.size", "mechanism.size"]
    assert reader.value(Strict, {"size": 1}, "mechanism") == Strict(1)
