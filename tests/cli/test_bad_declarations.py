"""Declarations that mean nothing: each one clear error with its place, exit 2, and nothing concluded or written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

PERSON = '[[specification.entities]]\nname = "person"\nwithin = "house"\nattributes = ["age"]\n'
HOUSE = '[[specification.entities]]\nname = "house"\n'
PLAN = """
title = "Declared"
[specification]
neighbours = "add-remove"
{declared}
[[budget]]
divergence = "pure"
epsilon = "1"
[[release]]
name = "ages"
query = {{ kind = "histogram", attributes = ["age"] }}
mechanism = {{ kind = "laplace", scale = "2" }}
{further}
"""
GRAPH = 'neighbours = {{ kind = "blowfish", attribute = "{attribute}", values = ["a", "b"], edges = [["a", "{other}"]] }}'
ENTITIES = {
    "two in a circle": (PERSON + HOUSE + 'within = "person"', "containment must not run in circles", "entities 1.within"),
    "itself": (PERSON.replace("house", "person"), "'person' would contain itself", "entities 1.within"),
    "at most none": (PERSON + "at_most = 0\n" + HOUSE, "must be at least 1, got 0", "entities 1.at_most"),
    "nobody around": (PERSON.replace("house", "hous") + HOUSE, "did you mean 'house'?", "entities 1.within"),
    "nobody counted": (
        'invariants = [{ name = "hotels", counts_by = [], of = "hotel" }]\n' + PERSON + HOUSE,
        "nobody declared 'hotel' among the entities",
        "invariants 1.of",
    ),
}
STATISTICS = '[{ name = "ages", counts_by = ["age"] }, { name = "ages", counts_by = [] }]'
CONTRADICTIONS = {
    "an attribute of nobody": (
        '[[specification.entities]]\nname = "person"\nattributes = ["sex"]',
        "has 'age'",
        "release 'ages'.query.attributes",
    ),
    "an attribute of the domain and of nobody": (
        'domain = { name = "people", attributes = ["age", "sex"] }\n'
        '[[specification.entities]]\nname = "person"\nattributes = ["age"]',
        "neither a person nor what contains it has 'sex'",
        "specification.domain.attributes",
    ),
    "one name for two statistics": (f"invariants = {STATISTICS}", "two different statistics", "invariants 2.name"),
    "edges of a person": ('neighbours = { kind = "edge" }\nunit = "person"', "say unit = 'edge'", "specification.unit"),
    "edges in nodes": (
        'neighbours = { kind = "edge" }\nunit = "edge"\n[[specification.entities]]\nname = "edge"',
        "leave 'entities' out",
        "specification.entities",
    ),
}
GRAPHS = {
    "a value that is none": (GRAPH.format(attribute="age", other="c"), "'c' is none of the values"),
    "an attribute that is none": (
        GRAPH.format(attribute="ages", other="b") + '\ndomain = { name = "people", attributes = ["age"] }',
        "'ages' is not an attribute",
    ),
}
RISKS = {
    "difference": ('at_most = "1.2"', "must be below 1", "at_most"),
    "fixed-disclosure": ('disclosure = "1.5"\nratio = "2"', "must be at most 1", "disclosure"),
    "fixed-membership": ('membership = "1/2"\nratio = "2"\nposterior = "1"', "must be below 1", "posterior"),
    "box": ('ratio = "2"\nmembership_to = "1.5"', "must be at most 1", "membership_to"),
    "two-dimensional": ('ratio = "2"\nposterior = "1.01"', "must be below 1", "posterior"),
    "lee-clifton": ('population = 4\nposterior = "1.5"', "must be below 1", "posterior"),
    "point": ('ratio = "3"\nmembership = "1.5"', "must be at most 1", "membership"),
    "table": ('points = [["3/2", "1", "3"]]', "a prior", "points"),
    "constant": ('ratio = "1"', "must be above 1", "ratio"),
}


@pytest.fixture
def refused(run: Callable[..., Result], tmp_path: Path) -> Callable[..., str]:
    def refusing(text: str) -> str:
        (tmp_path / "plan.toml").write_text(text, "utf-8")
        done = run("certify", str(tmp_path / "plan.toml"))
        assert done.exit_code == 2, done.output
        assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]
        assert all(line.startswith("error: ") for line in done.stderr.splitlines()), done.stderr
        return done.stderr

    return refusing


@pytest.mark.parametrize("kind", ENTITIES)
def test_entities_that_cannot_be_are_refused_at_their_place(kind: str, refused: Callable[..., str]) -> None:
    declared, message, place = ENTITIES[kind]
    found = refused(PLAN.format(declared=declared, further=""))
    assert message in found
    assert f"specification.{place}" in found


@pytest.mark.parametrize("kind", GRAPHS)
def test_graphs_of_what_is_not_there_are_refused_at_their_place(kind: str, refused: Callable[..., str]) -> None:
    neighbours, message = GRAPHS[kind]
    found = refused(PLAN.format(declared="", further="").replace('neighbours = "add-remove"', neighbours))
    assert message in found
    assert "line 4, specification.neighbours" in found


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_what_contradicts_what_is_said_elsewhere_is_refused_at_its_place(kind: str, refused: Callable[..., str]) -> None:
    declared, message, place = CONTRADICTIONS[kind]
    text = PLAN.format(declared=declared, further="")
    found = refused(text.replace('neighbours = "add-remove"\n', "") if "neighbours" in declared else text)
    assert message in found
    assert place in found
    assert len(found.splitlines()) == 1


@pytest.mark.parametrize("kind", RISKS)
def test_profiles_of_what_no_chance_can_be_are_refused_at_their_place(kind: str, refused: Callable[..., str]) -> None:
    keys, message, place = RISKS[kind]
    found = refused(PLAN.format(declared="", further=f'[[risk]]\nkind = "{kind}"\n{keys}'))
    assert message in found
    assert f"risk 1.{place}" in found
    assert len(found.splitlines()) == 1
