"""The core knows nothing that a plugin registers by its name: definitions and rules say what they are good for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from accountant import default_registry
from accountant.plugin.families import FAMILIES

ROOT = Path(__file__).parents[2]

# Words of plans, certificates and ledgers that plugins use as names too.
COMMON = {
    "public": "the table of a plan that states public information, and whom reports are for if nobody says",
    "invariants": "the list of a specification that states what is published exactly",
    "independent": "an adaptivity that composition rules declare",
    "difference": "what a verification found",
}


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
