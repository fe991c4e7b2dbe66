"""Entities in plans: what is declared is read, written and checked, and queries of any entity derive their shifts."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from accountant import (
    Entity,
    Invariant,
    Neighbours,
    Plan,
    PlanError,
    ShiftError,
    Verdict,
    account,
    certify,
    default_registry,
    read_plan,
)
from accountant.errors import InvalidValue
from accountant.plan.schema import plan_schema
from accountant.plugin import QUERIES

HISTOGRAM, SUM, COUNT, MEAN = (default_registry()[QUERIES][name] for name in ("histogram", "sum", "count", "mean"))
PERSON = {"name": "person", "within": "household", "at_most": 5, "may_move": True, "attributes": ["age"]}
HOUSEHOLD = {
    "name": "household",
    "within": "block",
    "at_most": 9,
    "may_resize": True,
    "may_be_empty": False,
    "attributes": ["tenure"],
    "derived": ["size"],
}
BLOCK = {"name": "block", "may_be_empty": True, "attributes": ["block", "state"]}


def written(*entities: dict[str, Any], **words: Any) -> dict[str, Any]:
    """A plan about persons, with one release."""
    said = {"unit": "person", "neighbours": "replace-one", "entities": list(entities), **words}
    release = {"name": "ages", "query": {"kind": "histogram", "attributes": ["age"]}}
    return {"specification": said, "release": [{**release, "mechanism": {"kind": "laplace", "scale": "2"}}]}


def faults(data: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(PlanError) as error:
        read_plan(data)
    return [(fault.place, fault.message) for fault in error.value.faults]


def test_what_is_declared_is_read_and_written_alike_and_fits_the_schema() -> None:
    data = written(PERSON, HOUSEHOLD, BLOCK)
    Draft202012Validator(plan_schema(default_registry())).validate(data)
    plan = read_plan(data)
    again = read_plan(plan.as_data())
    assert again == plan
    assert again.digest == plan.digest
    assert plan.specification.neighbours.entities["household"].derived == {"size"}
    made = Plan.of(
        *plan.releases, neighbours="replace-one", entities=[Entity(**item) for item in (PERSON, HOUSEHOLD, BLOCK)]
    )
    assert made.specification == plan.specification


def test_a_plan_without_entities_is_written_as_before() -> None:
    assert "entities" not in read_plan(written()).as_data()["specification"]


@pytest.mark.parametrize(
    ("entities", "words", "place", "message"),
    [
        ([PERSON, {**HOUSEHOLD, "within": "person"}], {}, "entities[0].within", "'person' would contain itself"),
        ([{**HOUSEHOLD, "within": "person"}, PERSON], {}, "entities[0].within", "'household' would contain itself"),
        ([{**BLOCK, "within": "block"}, PERSON, HOUSEHOLD], {}, "entities[0].within", "'block' would contain itself"),
        ([{**PERSON, "at_most": 0}, HOUSEHOLD, BLOCK], {}, "entities[0].at_most", "must be at least 1, got 0"),
        ([{**PERSON, "at_most": "many"}, HOUSEHOLD, BLOCK], {}, "entities[0].at_most", "many"),
        (
            [{**PERSON, "may_move": "yes"}, HOUSEHOLD, BLOCK],
            {},
            "entities[0].may_move",
            "expected true or false, got 'yes'",
        ),
        ([PERSON, HOUSEHOLD], {}, "entities[1].within", "nobody declared 'block'"),
        ([{**PERSON, "within": "houshold"}, HOUSEHOLD, BLOCK], {}, "entities[0].within", "did you mean 'household'?"),
        ([PERSON, PERSON, HOUSEHOLD, BLOCK], {}, "entities[1].name", "'person' is declared twice"),
        ([PERSON, {**HOUSEHOLD, "may_resize": False}, BLOCK], {}, "entities[0].may_move", "declared not to change"),
        ([PERSON, HOUSEHOLD, {**BLOCK, "at_most": 3}], {}, "entities[2].at_most", "'block' is in nothing"),
        ([{**PERSON, "may_be_empty": True}, HOUSEHOLD, BLOCK], {}, "entities[0].may_be_empty", "'person' has no members"),
        ([{**PERSON, "derived": ["x"]}, HOUSEHOLD, BLOCK], {}, "entities[0].derived", "has no members from which"),
        ([PERSON, {**HOUSEHOLD, "derived": ["tenure"]}, BLOCK], {}, "entities[1].derived", "its own and follow"),
        ([PERSON, {**HOUSEHOLD, "attributes": ["age"]}, BLOCK], {}, "entities[1].attributes", "'person' has 'age' already"),
        ([{**PERSON, "name": "pet"}, HOUSEHOLD, BLOCK], {}, "unit", "nobody declared 'person' among the entities"),
        (
            [{**PERSON, "may_move": False}, {**HOUSEHOLD, "may_resize": False}, BLOCK],
            {"neighbours": "add-remove"},
            "neighbours",
            "declared not to change",
        ),
        (
            [{**PERSON, "may_move": False}, HOUSEHOLD, BLOCK],
            {"attributes": ["block"]},
            "attributes",
            "'block' is of the block, which a person is declared not to leave",
        ),
        ([PERSON, HOUSEHOLD, BLOCK], {"attributes": ["aeg"]}, "attributes", "nor what contains it has 'aeg'"),
        (
            [PERSON, HOUSEHOLD, BLOCK],
            {"invariants": [{"name": "hotels", "counts_by": [], "of": "hotel"}]},
            "invariants[0].of",
            "nobody declared 'hotel' among the entities",
        ),
        (
            [PERSON, HOUSEHOLD, BLOCK],
            {"invariants": [{"name": "households", "counts_by": ["age"], "of": "household"}]},
            "invariants[0].counts_by",
            "neither a household nor what contains it has 'age'",
        ),
        (
            [PERSON, HOUSEHOLD, BLOCK],
            {"domain": {"name": "all datasets", "attributes": ["age", "block"]}},
            "domain.attributes",
            "'tenure' is not an attribute that the domain declares",
        ),
    ],
)
def test_declarations_that_cannot_be_are_refused_with_their_places(
    entities: list[dict[str, Any]], words: dict[str, Any], place: str, message: str
) -> None:
    found = faults(written(*entities, **words))
    assert any(where == f"specification.{place}" and message in said for where, said in found), found


def test_all_contradictions_are_told_at_once() -> None:
    bad = written(
        {**PERSON, "within": "houshold", "at_most": 0},
        {**HOUSEHOLD, "derived": ["tenure"], "within": "household"},
        {**BLOCK, "at_most": 3},
        invariants=[{"name": "hotels", "counts_by": [], "of": "hotel"}],
        attributes=["aeg"],
    )
    assert {place.removeprefix("specification.") for place, _ in faults(bad)} >= {
        "entities[0].at_most",
        "entities[0].within",
        "entities[1].within",
        "entities[1].derived",
        "entities[2].at_most",
        "invariants[0].of",
    }


def test_a_circle_is_one_mistake_whatever_is_around_it() -> None:
    """Two circles are two; what only contains a circle, or is in one, is none of its own."""
    found = faults(
        written(
            {"name": "block"},
            {"name": "person", "within": "household"},
            {"name": "household", "within": ["family", "block"]},
            {"name": "family", "within": "person"},
            {"name": "pet", "within": "person"},
            {"name": "club", "within": "club"},
        )
    )
    circles = [place for place, message in found if "run in circles" in message]
    assert circles == ["specification.entities[1].within", "specification.entities[5].within"]


def test_python_refuses_what_plans_refuse() -> None:
    with pytest.raises(InvalidValue, match="run in circles"):
        Neighbours.of("replace-one", entities=[Entity("person", within="person")])
    with pytest.raises(InvalidValue, match="at least 1"):
        Entity("person", within="household", at_most=0)


def between(unit: str, relation: str, **changed: dict[str, Any]) -> Neighbours:
    entities = [Entity(**{**item, **changed.get(item["name"], {})}) for item in (PERSON, HOUSEHOLD, BLOCK)]
    return Neighbours.of(relation, unit=unit, entities=entities)


def norms(query: Any, neighbours: Neighbours) -> tuple[Fraction, Fraction, Fraction]:
    shift = query.shift(neighbours)
    return shift.l1, shift.l2_squared, shift.linf


def test_queries_of_members_move_by_as_many_as_a_unit_has() -> None:
    ages = HISTOGRAM(["age"], of="person")
    assert norms(ages, between("household", "add-remove")) == (5, 25, 5)
    assert norms(ages, between("household", "replace-one")) == (10, 50, 5)
    assert norms(ages, between("block", "add-remove")) == (45, 45**2, 45)
    assert norms(SUM(lower=1, upper=3, of="person"), between("household", "replace-one"))[0] == 15
    fixed = {"person": {"may_move": False}, "household": {"may_resize": False}}
    assert norms(SUM(lower=1, upper=3, of="person"), between("household", "replace-one", **fixed))[0] == 10
    assert norms(MEAN(lower=0, upper=1, size=100, of="person"), between("household", "replace-one", **fixed))[
        0
    ] == Fraction(1, 20)
    assert COUNT([], of="person").shift(between("household", "replace-one", **fixed)).is_zero


def test_queries_of_containers_move_by_what_comes_to_be_and_what_follows_from_members() -> None:
    tenure, size = HISTOGRAM(["tenure"], of="household"), HISTOGRAM(["size"], of="household")
    assert norms(tenure, between("person", "replace-one")) == (2, 2, 1)
    assert norms(tenure, between("person", "add-remove")) == (1, 1, 1)
    vacant = {"household": {"may_be_empty": True}}
    assert tenure.shift(between("person", "replace-one", **vacant)).is_zero
    assert norms(size, between("person", "replace-one", **vacant)) == (4, 8, 2)
    assert norms(size, between("person", "replace-one", person={"may_move": False})) == (2, 2, 1)
    assert HISTOGRAM(["state"], of="block").shift(between("person", "add-remove")).is_zero


def test_what_follows_from_members_moves_everybody_inside() -> None:
    """Who moves changes the size of two households, for all five who are in each."""
    sizes = HISTOGRAM(["size"])
    assert norms(sizes, between("person", "replace-one"))[0] == 20
    assert norms(sizes, between("person", "replace-one", person={"may_move": False}))[0] == 10
    assert norms(HISTOGRAM(["age"]), between("person", "replace-one")) == (2, 2, 1)
    assert HISTOGRAM(["state"]).shift(between("person", "replace-one", person={"may_move": False})).is_zero


def test_what_is_not_declared_is_refused_and_never_free() -> None:
    with pytest.raises(ShiftError, match="say 'at_most'"):
        HISTOGRAM(["age"], of="person").shift(between("household", "replace-one", person={"at_most": None}))
    with pytest.raises(ShiftError, match="is not declared; say who contains whom"):
        HISTOGRAM(["age"], of="person").shift(Neighbours.of("replace-one", unit="household"))
    with pytest.raises(ShiftError, match="whose attribute 'colour' is"):
        HISTOGRAM(["colour"], of="household").shift(between("person", "replace-one"))


def test_samples_and_scopes_of_other_entities_are_refused_with_their_place() -> None:
    data = written(PERSON, HOUSEHOLD, BLOCK, unit="household")
    data["release"][0]["query"]["of"] = "person"
    cost = account(read_plan(deepcopy(data))).measure("pure").value
    assert cost.upper == 5
    data["release"][0]["sampling"] = {"kind": "poisson", "rate": "0.5"}
    assert [place for place, _ in faults(data)] == ["release[0].sampling"]


def test_counts_that_no_step_changes_leave_every_neighbour_compared() -> None:
    """Housing units stand whoever lives in them: that they are published costs nobody anything."""
    houses = Invariant("houses by block", ["block"], "household")
    vacant = between("person", "replace-one", household={"may_be_empty": True})
    plan = Plan.of(*read_plan(written()).releases, neighbours=vacant, invariants=[houses])
    universe = plan.specification.universe
    assert not universe.changing
    assert not universe.undeclared
    assert universe.single_steps
    occupied = Plan.of(*plan.releases, neighbours=between("person", "replace-one"), invariants=[houses])
    assert occupied.specification.universe.coupled == (houses,)
    assert not occupied.specification.universe.connected
    undeclared = Plan.of(*plan.releases, neighbours="replace-one", invariants=[houses])
    assert undeclared.specification.universe.undeclared == (houses,)


@pytest.mark.parametrize(("empty", "verdict"), [(True, Verdict.IMPLIED), (False, Verdict.UNKNOWN), (None, Verdict.UNKNOWN)])
def test_a_risk_beside_exact_counts_is_tolerated_where_these_are_declared_not_to_change(
    empty: bool | None, verdict: Verdict
) -> None:
    """Who knows all other persons learns from how many houses are occupied whether the last one lives alone."""
    household = {key: value for key, value in {**HOUSEHOLD, "may_be_empty": empty}.items() if value is not None}
    data = written(PERSON, household, BLOCK, invariants=[{"name": "houses", "counts_by": ["block"], "of": "household"}])
    data["risk"] = [{"kind": "constant", "ratio": "3", "neighbours": "replace-one"}]
    plan = read_plan(data)
    (profile,) = plan.risks
    assert profile.assess(account(plan)).verdict is verdict


def test_reports_and_certificates_say_what_they_rest_on() -> None:
    data = written(PERSON, HOUSEHOLD, BLOCK, invariants=[{"name": "houses", "counts_by": ["block"], "of": "household"}])
    data["budget"] = [{"divergence": "pure", "epsilon": "1"}]
    plan = read_plan(data)
    assert "It rests on what is declared of person, household and block" in " ".join(plan.comparison.conditions)
    found = certify(plan).contents.universe
    assert found is not None
    assert found.coupled == ("houses",)
    assert found.undeclared == ()


def test_accounts_of_other_declarations_do_not_add_up() -> None:
    one = read_plan(written(PERSON, HOUSEHOLD, BLOCK))
    other = read_plan(written({**PERSON, "at_most": 4}, HOUSEHOLD, BLOCK))
    with pytest.raises(PlanError, match="at_most = 5"):
        account(one) + account(other)
    with pytest.raises(PlanError, match="shifts inside the universe"):
        account(one) + account(one.inside)
    assert account(one) + account(one)
