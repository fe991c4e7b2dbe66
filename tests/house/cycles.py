"""Modules of the core that import each other in a circle; what is imported for types only counts too."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp


def stated(root: Path) -> set[tuple[str, ...]]:
    """The imports against the order that are exceptions, each with its reason beside it."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return {tuple(line.split(" -> ")) for contract in contracts for line in contract.get("ignore_imports", ())}


def imports(root: Path) -> dict[str, set[str]]:
    """What each module imports, without the stated exceptions."""
    graph = grimp.build_graph("accountant", exclude_type_checking_imports=False, cache_dir=None)
    allowed = stated(root)
    return {
        module: {other for other in graph.find_modules_directly_imported_by(module) if (module, other) not in allowed}
        for module in sorted(graph.modules)
    }


def cycles(edges: Mapping[str, set[str]]) -> Iterator[str]:
    """Circles of imports, each in words, until those that are named are cut."""
    left = {module: set(imported) for module, imported in edges.items()}
    while True:
        try:
            TopologicalSorter(left).prepare()
            return
        except CycleError as error:
            circle: list[str] = error.args[1]
        yield "modules import each other: " + " <- ".join(circle)
        left[circle[1]].discard(circle[0])


if __name__ == "__main__":
    place = Path(sys.argv[1])
    sys.path[:0] = [str(place)]
    found = list(cycles(imports(place)))
    print("\n".join(found))
    sys.exit(bool(found))
