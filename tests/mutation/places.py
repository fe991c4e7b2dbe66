"""Where mutants are planted, where what is learnt is kept, and which part of a file a statement belongs to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".mutation"
"""What a run learns about this machine: times, and which test reaches which statement. Never committed."""

_PLUGINS = ("approx", "zcdp", "renyi", "fdp", "pbdp", "pure", "noise", "response", "selection", "streams")
ROOMS = (
    "accountant/loss",
    "accountant/numbers",
    "accountant/promise",
    *(f"plugins/accountant_{name}" for name in _PLUGINS),
)
TESTS = (
    "tests/loss",
    "tests/numbers",
    "tests/promise",
    "tests/accounting",
    "tests/analysis",
    "tests/release",
    "tests/finite",
    "tests/laws",
    "tests/plugins",
)
"""Tests that are asked. Others start programs, which would not see a mutant, or hold the house in order."""


def sources() -> list[Path]:
    """The files that are mutated: all of the rooms, but for cases, which are examples and no claims."""
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if path.name != "cases.py")


def module_name(file: str) -> str:
    """What a file is imported as."""
    parts = Path(file).with_suffix("").parts
    parts = parts[1:] if parts[0] == "plugins" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


Place = tuple[str, str]
"""The function that a statement stands in, "" for a module, and the statement's first line: both outlive other edits."""


def statements(source: str) -> Iterator[tuple[range, Place]]:
    """The lines of each statement of a file, with its place. Of statements that hold others, only their heads."""
    lines = source.splitlines()
    yield from _statements(ast.parse(source).body, "", lines)


def _statements(body: list[ast.stmt], function: str, lines: list[str]) -> Iterator[tuple[range, Place]]:
    for statement in body:
        inner = [block for name in ("body", "orelse", "finalbody") if (block := getattr(statement, name, []))]
        inner += [handler.body for handler in getattr(statement, "handlers", [])]
        inner += [case.body for case in getattr(statement, "cases", [])]
        end = min((block[0].lineno for block in inner), default=(statement.end_lineno or statement.lineno) + 1)
        head = range(statement.lineno, max(end, statement.lineno + 1))
        yield head, (function, lines[statement.lineno - 1].strip())
        named = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        within = f"{function}.{statement.name}".lstrip(".") if named else function
        for block in inner:
            yield from _statements(block, within, lines)
