"""A place of a plan is found on its line of a TOML text."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from accountant.values.lines import line_of

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = """# release = 1
title = \"\"\"two
lines = "x"\"\"\"
[specification]
neighbours = "replace-one"
invariants = [
    "[[release]]",
    { name = "a", counts_by = ["age"] },
]
domain.name = "residents"

[[release]]
name = "first # no comment"
[release.mechanism]
kind = "laplace"
scale = "1"

[[release]]
name = "second"
mechanism = { kind = "laplace", scale = "0" }

[[public]]
name = "register"
[[public.budget]]
epsilon = "1"
[[public.budget]]
epsilon = "2"
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("title", 2),
        ("specification", 4),
        ("specification.neighbours", 5),
        ("specification.invariants[1].counts_by", 6),
        ("specification.domain.name", 10),
        ("release[0]", 12),
        ("release[0].mechanism.scale", 16),
        ("release[1].mechanism.scale", 20),
        ("release[1].query", 18),
        ("public[0].budget[1].epsilon", 27),
        ("release[7]", None),
        ("plan", None),
    ],
)
def test_a_place_is_found_on_its_line(place: str, line: int | None) -> None:
    tomllib.loads(TEXT)
    assert line_of(TEXT, place) == line


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_every_key_of_every_example_is_found_on_a_line_that_has_it(path: Path) -> None:
    content = path.read_text(encoding="utf-8")
    lines = content.split("\n")
    for place in _places(tomllib.loads(content), ""):
        line = line_of(content, place)
        assert line is not None
        assert re.search(rf"\b{place.rpartition('.')[2].partition('[')[0]}\b", lines[line - 1])


def _places(data: dict[str, object], above: str) -> list[str]:
    """The places of all keys of tables, not of what stands inside inline values."""
    found = []
    for key, value in data.items():
        place = f"{above}.{key}" if above else key
        if isinstance(value, list) and value and isinstance(value[0], dict):
            found += [f"{place}[{index}]" for index in range(len(value))] if not above else []
        elif not isinstance(value, dict):
            found.append(place)
    return found


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_every_place_of_json_that_is_laid_out_is_found_on_its_line(path: Path) -> None:
    data = {"odd": ['a "quoted, [text]: {', {"x": []}, [[1, {"y": "\\\\"}], {}]], **tomllib.loads(path.read_text("utf-8"))}
    content = json.dumps(data, indent=1)
    lines = content.split("\n")
    for place, written in _json_places(data, ""):
        line = line_of(content, place, "json")
        assert line is not None
        assert lines[line - 1].strip().removesuffix(",").startswith(written)
    assert line_of(json.dumps(data), "release[0]", "json") is None
    assert line_of(content, "release[0].nothing", "json") == line_of(content, "release[0]", "json")


def _json_places(data: object, above: str) -> list[tuple[str, str]]:
    """All places of plain data, and how the line begins on which each stands."""
    found = []
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        place = f"{above}[{key}]" if isinstance(data, list) else f"{above}.{key}".lstrip(".")
        written = "[" if isinstance(value, list) else "{" if isinstance(value, dict) else json.dumps(value)
        found.append((place, written if isinstance(data, list) else f"{json.dumps(key)}: {written}"))
        found.extend(_json_places(value, place))
    return found
