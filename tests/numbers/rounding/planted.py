"""Planted errors: the modules of the layer with one term dropped, or one rounding or allowance forgotten."""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Iterator
from pathlib import Path

ALLOWANCES = {
    "ROUNDOFF",
    "LEAST",
    "UNDERFLOW",
    "ELEMENTARY",
    "LIBRARY",
    "COMPLEX",
    "SCALED_TAIL",
    "NORMAL",
    "LOG_NORMAL",
    "TRANSFORM",
    "LOG_GAMMA",
}
_GROWTH = {"GROW", "_ROOM"}


class _Plant(ast.NodeTransformer):
    """Changes the place with a number, and counts the places before it."""

    def __init__(self, place: int) -> None:
        self.left = place
        self.what = ""

    def _here(self, what: str) -> bool:
        self.left -= 1
        if self.left == -1:
            self.what = what
            return True
        return False

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        # Constants of a module are not changed, only what functions make of them.
        return node if node.col_offset == 0 else self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, (ast.Add, ast.Mult)) and self._here(f"dropped {ast.unparse(node)}"):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.op, ast.Add):
            for side in (node.left, node.right):
                if self._here(f"only {ast.unparse(side)} of {ast.unparse(node)}"):
                    return side
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in ALLOWANCES | _GROWTH and self._here(f"no {node.id}"):
            return ast.copy_location(ast.Constant(1.0 if node.id in _GROWTH else 0.0), node)
        return node


def planted(name: str) -> Iterator[tuple[str, types.ModuleType]]:
    """Every module with one planted error, and what was planted in which line."""
    real = importlib.import_module(f"accountant.numbers.rounding.{name}")
    source = Path(str(real.__file__)).read_text("utf-8")
    place = 0
    while True:
        plant = _Plant(place)
        tree = ast.fix_missing_locations(plant.visit(ast.parse(source)))
        if not plant.what:
            return
        module = types.ModuleType(real.__name__)
        exec(compile(tree, f"planted {name}", "exec"), module.__dict__)
        yield plant.what, module
        place += 1
