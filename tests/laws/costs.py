"""What the laws cost an author: `python -m tests.laws.costs` prints a table of the correct plugins.

`--write docs/how-to/test-a-plugin.md` puts it in the page, in place of the one that stands there.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import time
from pathlib import Path
from types import ModuleType

from accountant.plugin.families import FAMILIES
from accountant.testing import trials
from tests.laws import honest

CASES = "accountant_conformance_cases"
BEGIN, END = "<!-- costs: python -m tests.laws.costs -->", "<!-- end of costs -->"


def lines(module: ModuleType) -> tuple[int, int]:
    """How many lines of a module are code, and how many of these are there for the laws only.

    That is the hook that offers cases and oracles, and the functions that nothing else uses.
    """
    source = inspect.getsource(module)
    tree = ast.parse(source)
    hook = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == CASES]
    used = {name for node in hook for name in _names(node)}
    elsewhere = {name for node in tree.body if node not in hook for name in _names(node)}
    beside = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in used - elsewhere]
    return _code(source, tree), sum(_code(source, node) for node in (*hook, *beside))


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _code(source: str, tree: ast.Module | ast.FunctionDef) -> int:
    """Lines that are neither empty nor comments nor docstrings."""
    told = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    first, last = (1, len(source.splitlines())) if isinstance(tree, ast.Module) else (tree.lineno, tree.end_lineno or 0)
    text = source.splitlines()
    return sum(1 for number in range(first, last + 1) if number not in told and text[number - 1].strip().partition("#")[0])


def row(name: str, module: ModuleType) -> str:
    """One plugin: what it registers, what its author wrote, how many trials there are and how long they take."""
    plugin = f"{honest.__name__}.{name}"
    registers = honest.registry().plugins[plugin].registers
    words = ", ".join(family.word for family in FAMILIES if registers.get(family.name) and family.name != "theorems")
    found = trials(plugin, registry=honest.registry())
    begun = time.process_time()
    for trial in found:
        trial()
    seconds = time.process_time() - begun
    whole, asked = lines(module)
    words = words.replace("divergence", "definition") or "theorem"
    return f"| {name.replace('_', ' ')} | {words} | {whole} | {asked} | {len(found)} | {seconds:.1f} |"


def table() -> str:
    """All of them."""
    head = [
        "| plugin | registers | lines of code | of these for the laws | trials | seconds |",
        "|---|---|--:|--:|--:|--:|",
    ]
    return "\n".join([*head, *(row(name, module) for name, module in honest.modules().items())])


def main() -> None:
    """Print the table, or put it in a page."""
    parser = argparse.ArgumentParser(prog="python -m tests.laws.costs", description=__doc__)
    parser.add_argument("--write", type=Path, help="the page in which the table stands")
    options = parser.parse_args()
    found = table()
    if options.write is None:
        print(found)
        return
    page = options.write.read_text("utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    options.write.write_text(f"{before}{BEGIN}\n\n{found}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
