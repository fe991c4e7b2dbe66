"""Modules that import each other in a circle, in the core and in each plugin, read from the directories."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import grimp

from tests.house.doors import plugins


def knots(arrows: Mapping[str, Set[str]]) -> list[list[str]]:
    """The sets of nodes that reach each other, which is what stands in the way of reading one after the other."""
    reached: dict[str, set[str]] = {}
    for start in arrows:
        found, waiting = set[str](), list(arrows[start])
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting += arrows[node]
        reached[start] = found
    tied = {frozenset(other for other in reached[node] if node in reached[other]) for node in arrows}
    return sorted(sorted(nodes) for nodes in tied if nodes)


def stated(root: Path) -> set[tuple[str, ...]]:
    """The imports against the order that are exceptions, each with its reason beside it."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return {tuple(line.split(" -> ")) for contract in contracts for line in contract.get("ignore_imports", ())}


def within(graph: grimp.ImportGraph, package: str, allowed: Set[tuple[str, ...]]) -> dict[str, set[str]]:
    """What the modules of a package import of each other, without what is allowed."""
    modules = {module for module in graph.modules if module.partition(".")[0] == package}
    return {
        module: {
            other for other in graph.find_modules_directly_imported_by(module) & modules if (module, other) not in allowed
        }
        for module in modules
    }


def rooms(arrows: Mapping[str, Set[str]]) -> dict[str, set[str]]:
    """The same between the rooms of a package: the packages in it, and the modules beside them."""
    found: dict[str, set[str]] = {}
    for module, imported in arrows.items():
        found.setdefault(_room(module), set()).update(map(_room, imported))
    return {room: imported - {room} for room, imported in found.items()}


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def violations(root: Path) -> Iterator[str]:
    """Every knot, with what is imported for types only or inside functions counted too."""
    packages, allowed = ["accountant", *plugins(root)], stated(root)
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=False, cache_dir=None)
    for package in packages:
        arrows = within(graph, package, allowed)
        for knot in knots(arrows):
            yield f"a circle of modules: {', '.join(knot)}"
        for knot in knots(rooms(arrows)):
            yield f"a circle of rooms: {', '.join(knot)}"


if __name__ == "__main__":
    place = Path(sys.argv[1])
    sys.path[:0] = [str(place), str(place / "plugins")]
    spotted = list(violations(place))
    print("\n".join(spotted))
    sys.exit(bool(spotted))
