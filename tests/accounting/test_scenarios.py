"""Scenarios: accounts between units that differ in some attributes only, against enumeration and known answers."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant import PlanError, Scenario, account, certify, load_plan, read_plan, verify
from accountant.promise.neighbours import REPLACE_ONE, Neighbours
from accountant_builtin.queries import Histogram
from accountant_noise import DiscreteGaussian

ATTRIBUTES = ("age", "race", "sex")
CENSUS = "examples/census-2020.toml"


def plan(*scenarios: dict[str, Any], **specification: Any) -> dict[str, Any]:
    queries = [("age",), ("age", "race"), ("race", "sex"), ()]
    return {
        "specification": {"neighbours": "replace-one", **specification},
        "budget": [{"divergence": "zcdp", "rho": "1"}],
        "scenario": list(scenarios),
        "release": [
            {
                "name": " by ".join(names) or "total",
                "query": {"kind": "histogram", "attributes": list(names)},
                "mechanism": {"kind": "gaussian", "sigma": str(place + 2)},
            }
            for place, names in enumerate(queries)
        ],
    }


@given(st.sets(st.sampled_from(ATTRIBUTES), min_size=1), st.sets(st.sampled_from(ATTRIBUTES)))
@settings(max_examples=40, deadline=None)
def test_a_query_moves_exactly_when_some_record_change_moves_it(differing: set[str], involved: set[str]) -> None:
    """All ways to change one record of three yes-or-no attributes, in the attributes at stake only."""
    records = list(itertools.product((0, 1), repeat=3))
    moved = any(
        [before[k] for k, name in enumerate(ATTRIBUTES) if name in involved]
        != [after[k] for k, name in enumerate(ATTRIBUTES) if name in involved]
        for before in records
        for after in records
        if all(before[k] == after[k] for k, name in enumerate(ATTRIBUTES) if name not in differing)
    )
    shift = Histogram(attributes=sorted(involved)).shift(Neighbours(REPLACE_ONE, "person", sorted(differing)))
    assert shift.is_zero == (not moved)


def test_only_releases_that_involve_an_attribute_cost_anything() -> None:
    whole = account(read_plan(plan()))
    costs = {names: Fraction(1, (place + 2) ** 2) for place, names in enumerate(["age", "age race", "race sex", ""])}
    for size in (1, 2, 3):
        for chosen in itertools.combinations(ATTRIBUTES, size):
            expected = sum((cost for names, cost in costs.items() if set(names.split()) & set(chosen)), Fraction(0))
            assert whole.within(Scenario("some", chosen)).measure("zcdp").value.exact == expected


def test_a_scenario_never_costs_more_than_everything() -> None:
    whole = account(read_plan(plan()))
    for name, words in (("approx", {"delta": "1e-6"}), ("fdp", {"level": "0.05"}), ("pbdp", {"delta": "0.01"})):
        everything = whole.measure(name, words).value
        for attribute in ATTRIBUTES:
            assert whole.within(Scenario("one", [attribute])).measure(name, words).value.upper <= everything.upper


@pytest.mark.parametrize(
    ("scenario", "specification", "message"),
    [
        ({"name": "typo", "attributes": ["rase"]}, {}, "no release depends on 'rase'; did you mean 'race'?"),
        ({"name": "none", "attributes": []}, {}, "a scenario is about at least one attribute"),
        ({"name": "wide", "attributes": ["race"]}, {"attributes": ["age"]}, "units that differ in age only, not in 'race'"),
        ({"name": "gone", "attributes": ["race"]}, {"neighbours": "add-remove"}, "differ by a whole person"),
    ],
)
def test_a_scenario_that_says_nothing_is_refused(
    scenario: dict[str, Any], specification: dict[str, Any], message: str
) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan(plan(scenario, **specification))
    assert any(message in fault.message and fault.place.startswith("scenario[0]") for fault in caught.value.faults)


def test_scenarios_are_written_and_certified() -> None:
    loaded = read_plan(plan({"name": "race alone", "attributes": ["race"]}))
    assert read_plan(loaded.as_data()) == loaded
    certificate = certify(loaded)
    (shown,) = certificate.data["scenarios"]
    assert shown["guarantees"][0]["value"]["exact"] == "25/144"
    assert verify(certificate, loaded).differences == ()
    changed = json.loads(certificate.to_json())
    changed["scenarios"][0]["attributes"] = ["sex"]
    assert verify(type(certificate)(changed), loaded).differences


# The 2020 Census --------------------------------------------------------------------------------------------------------


def test_the_census_table_is_the_published_allocation() -> None:
    census = load_plan(CENSUS)
    assert len(census.releases) == 71
    assert account(census).measure("zcdp").value.exact == Fraction("2.63")


@pytest.mark.parametrize(
    ("letter", "rho"),
    [
        ("A", 0.111501),
        ("B", 0.925958),
        ("C", 1.010290),
        ("D", 1.002151),
        ("E", 1.378684),
        ("F", 0.611591),
        ("G", 1.026511),
        ("H", 1.025785),
    ],
)
def test_census_scenarios_follow_from_the_tables(letter: str, rho: float) -> None:
    census = account(load_plan(CENSUS))
    scenario = next(item for item in census.plan.scenarios if item.name.startswith(letter))
    value = census.within(scenario).measure("zcdp").value
    assert value.lower == pytest.approx(rho, abs=1e-6)


@pytest.mark.parametrize(
    ("letter", "printed", "off"),
    [
        ("A", "0.1115", 5e-5),
        ("B", "0.926", 5e-4),
        ("C", "0.952", 5e-4),
        ("D", "0.945", 1e-3),
        ("E", "1.32", 1e-3),
        ("F", "0.555", 1.4e-3),
        ("G", "0.969", 5e-4),
        ("H", "0.968", 5e-4),
    ],
)
def test_printed_scenarios_leave_two_national_queries_out(letter: str, printed: str, off: float) -> None:
    """Those of the largest shares; what the page on the census says of the differences that remain."""
    census = load_plan(CENSUS)
    left_out = {
        "US: HHGQ x VOTINGAGE x HISPANIC x CENRACE",
        "US: VOTINGAGE x HISPANIC x CENRACE",
    }
    kept = tuple(release for release in census.releases if release.name not in left_out)
    assert len(kept) == 69
    whole = account(evolve(census, releases=kept))
    scenario = next(item for item in census.scenarios if item.name.startswith(letter))
    value = whole.within(scenario).measure("zcdp").value
    assert abs(value.upper - float(printed)) <= off
    if letter == "F":
        assert abs(value.upper - float(printed)) > 1e-3


def test_the_share_of_age_by_race_in_a_county_is_not_the_printed_one() -> None:
    query = next(release for release in load_plan(CENSUS).releases if release.name == "County: VOTINGAGE x CENRACE")
    assert isinstance(query.mechanism, DiscreteGaussian)
    assert query.mechanism.variance is not None
    spent = 1 / query.mechanism.variance
    assert spent == Fraction("2.56") * Fraction(447, 4099) * Fraction(28, 4097)
    assert float(spent) == pytest.approx(0.00191, abs=5e-6)


@pytest.mark.parametrize(("level", "power"), [("0.01", 0.486886), ("0.05", 0.741707), ("0.10", 0.844211)])
def test_census_power_is_certified(level: str, power: float) -> None:
    value = account(load_plan(CENSUS)).measure("fdp", level=level).value
    assert value.lower - 5e-7 <= power <= value.upper + 5e-7
    assert value.width <= 2e-5


@pytest.mark.parametrize(("delta", "epsilon"), [("0.1", 6.34757), ("0.01", 8.55781), ("1e-4", 11.6034)])
def test_census_pbdp_is_certified(delta: str, epsilon: float) -> None:
    value = account(load_plan(CENSUS)).measure("pbdp", delta=delta).value
    assert value.lower - 5e-5 <= epsilon <= value.upper + 5e-5
    assert value.width <= 2e-4


def test_a_table_fault_names_the_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,variance\nfirst,2\nsecond,-1\nfirst,3\nfourth,many\n", "utf-8")
    row = {"kind": "discrete-gaussian", "variance": "{variance}"}
    data = {
        "specification": {"neighbours": "replace-one"},
        "table": [{"file": "a.csv", "name": "{name}", "query": {"kind": "count"}, "mechanism": row}],
    }
    with pytest.raises(PlanError) as caught:
        read_plan(data, folder=tmp_path)
    faults = {fault.place: fault.message for fault in caught.value.faults}
    assert faults["table[0].row[2].mechanism.variance"] == "must be above 0, got -1"
    assert "'many'" in faults["table[0].row[4].mechanism.variance"]
    assert "is called 'first' too" in faults["table[0].row[3].name"]


def test_a_template_with_an_unknown_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,variance\nfirst,2\n", "utf-8")
    data = {
        "specification": {"neighbours": "replace-one"},
        "table": [{"file": "a.csv", "name": "{nam}", "mechanism": {"kind": "no-op"}}],
    }
    with pytest.raises(PlanError, match=r"'a.csv' has no column 'nam'; did you mean 'name'"):
        read_plan(data, folder=tmp_path)
    with pytest.raises(PlanError, match="missing 'file'"):
        read_plan({**data, "table": [{"name": "x"}]}, folder=tmp_path)
