"""Who imports what, read from the directories: no list of modules or plugins is kept anywhere."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp


def doors(core: Path) -> set[str]:
    """What plugins may import: packages with a stub that lists their names, and the public modules at the top."""
    stubs = (path.parent.relative_to(core.parent) for path in core.rglob("__init__.pyi"))
    loose = (path.stem for path in core.glob("*.py") if not path.name.startswith("_"))
    return {".".join(path.parts) for path in stubs} | {f"{core.name}.{name}" for name in loose}


def plugins(root: Path) -> list[str]:
    """The bundled plugins: every package in their directory."""
    return sorted(path.parent.name for path in (root / "plugins").glob("*/__init__.py"))


def hidden(core: Path) -> Iterator[str]:
    """Names of doors that are modules behind them too: once such a module is imported, the name stands for it."""
    for stub in core.rglob("__init__.pyi"):
        room = stub.parent
        modules = {path.stem for path in room.glob("*.py")} | {path.parent.name for path in room.glob("*/__init__.py")}
        imports = (node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom))
        for name in sorted(modules & {alias.asname for node in imports for alias in node.names}):
            yield f"a name hides the module behind its door: {'.'.join(room.relative_to(core.parent).parts)}.{name}"


def violations(root: Path) -> Iterator[str]:
    """Every import that breaks a rule of the house; what is imported for types only counts too."""
    yield from hidden(root / "accountant")
    bundled, open_doors = plugins(root), doors(root / "accountant")
    graph = grimp.build_graph("accountant", *bundled, exclude_type_checking_imports=False, cache_dir=None)
    for module in sorted(graph.modules):
        home = module.partition(".")[0]
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            target = imported.partition(".")[0]
            if home == "accountant" and target in bundled:
                yield f"the core imports no plugin: {module} -> {imported}"
            elif home in bundled and target in bundled and target != home:
                yield f"plugins do not see each other: {module} -> {imported}"
            elif home in bundled and target == "accountant" and imported not in open_doors:
                yield f"plugins see doors only: {module} -> {imported}"


if __name__ == "__main__":
    place = Path(sys.argv[1])
    sys.path[:0] = [str(place), str(place / "plugins")]
    found = list(violations(place))
    print("\n".join(found))
    sys.exit(bool(found))
