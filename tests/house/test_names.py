"""One word, one thing: one class by a name in the core and in each plugin; the core names nothing that plugins register."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Set
from pathlib import Path

import pytest

from accountant import default_registry
from accountant.plugin.families import FAMILIES
from tests.house.doors import plugins

ROOT = Path(__file__).parents[2]

# Words of plans, certificates and ledgers that plugins use as names too.
COMMON = {
    "public": "the table of a plan that states public information, and whom reports are for if nobody says",
    "invariants": "the list of a specification that states what is published exactly",
    "independent": "an adaptivity that composition rules declare",
    "difference": "what a verification found",
}


def named_twice(package: Path, known: Set[str] = frozenset()) -> dict[str, list[str]]:
    """The names that a package gives to two public classes, or to one where they are known already, with their modules."""
    found = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        # Templates are distributions of strangers, who name what they need.
        if "templates" not in path.relative_to(package).parts:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(path.relative_to(package).as_posix())
    return {name: files for name, files in found.items() if len(files) > 1 or name in known}


def behind_doors() -> set[str]:
    """What the doors of the core hand out, but for kinds of bundled plugins, which have no list there."""
    nodes = (
        node for stub in (ROOT / "accountant").rglob("__init__.pyi") for node in ast.parse(stub.read_text("utf-8")).body
    )
    return {alias.asname for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}


def test_one_name_stands_for_one_class_of_the_core() -> None:
    assert named_twice(ROOT / "accountant") == {}


@pytest.mark.parametrize("plugin", plugins(ROOT))
def test_one_name_stands_for_one_class_of_a_plugin_and_for_none_behind_a_door(plugin: str) -> None:
    assert named_twice(ROOT / "plugins" / plugin, behind_doors()) == {}


def test_a_name_for_two_classes_is_caught(tmp_path: Path) -> None:
    for file, classes in {
        "one.py": "Key Lock _Own",
        "rooms/other.py": "Door Key _Own",
        "templates/third.py": "Door",
    }.items():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"class {name}: ...\n" for name in classes.split()), encoding="utf-8")
    assert named_twice(tmp_path) == {"Key": ["one.py", "rooms/other.py"]}
    assert named_twice(tmp_path, {"Lock"}) == {"Key": ["one.py", "rooms/other.py"], "Lock": ["one.py"]}
    assert {"Interval", "Verdict", "Mechanism", "PrivacyLoss"} <= behind_doors()


def registered() -> set[str]:
    """What bundled plugins are called, and what they register; builtin is always there, and part of the language."""
    registry = default_registry()
    owned = {(registry.owner(family, name).name, name) for family in FAMILIES for name in registry[family]}
    ours = {name for owner, name in owned if owner == "builtin"} | {"builtin"}
    return {name for _, name in owned}.union(registry.plugins) - ours


def named(source: str, names: set[str]) -> Iterator[str]:
    """The string literals of a module that are one of the names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
            yield node.value


@pytest.mark.slow
def test_the_core_names_nothing_that_plugins_register() -> None:
    names = registered()
    assert {"zcdp", "pure", "approx", "laplace", "noise"} <= names
    # Templates are distributions of strangers, who name what they need.
    files = [path for path in sorted((ROOT / "accountant").rglob("*.py")) if "templates" not in path.parts]
    found = {
        (str(path.relative_to(ROOT / "accountant")), name)
        for path in files
        for name in named(path.read_text(encoding="utf-8"), names)
    }
    assert {(file, name) for file, name in found if name not in COMMON} == set()


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ('USUAL = "zcdp"', ["zcdp"]),
        ('registry.find(DIVERGENCES, "pure")', ["pure"]),
        ('if claim.divergence.name != "approx": pass', ["approx"]),
        ('"""A reading of zcdp."""', []),
        ("raise ValueError(\"read 'pure' instead\")", []),
    ],
)
def test_a_name_is_caught_and_a_sentence_is_not(line: str, caught: list[str]) -> None:
    assert list(named(line, registered())) == caught
