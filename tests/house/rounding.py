"""Where error terms are written by hand: what the room for rounding is there for."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]

ROOM = "accountant/numbers/rounding"
FORBIDDEN = {"nextafter", "ROUNDOFF", "math.ulp", "np.spacing", "np.finfo", "sys.float_info"}
"""Names by which rounding is done or measured."""
_SMALLEST, _LARGEST = 2.0**-64, 2.0**-36
"""A share between these is the size of a rounding, or of many."""
_CHARGES = {"widened", "around", "relative"}
"""Calls that take an error as it is."""
_PASSED = {"max", "min", "abs", "float", "Fraction", "maximum", "minimum", "where"}
"""Calls whose result is of the size of what they are given."""
_SUSPICIOUS = re.compile(rf"\b({'|'.join(name.split('.')[-1] for name in sorted(FORBIDDEN))})\b|[eE]-|\*\*[\s(]*-|\.0{{9}}")
"""Without one of these names, a negative power or a very small number, a file need not be read."""
_TELLING = (ast.Attribute, ast.Name, ast.ImportFrom, ast.Constant, ast.BinOp)
"""What can be forbidden, or a small number."""


@frozen(order=True)
class Place:
    """One place in a file."""

    file: str
    line: int
    what: str


def sources() -> tuple[tuple[str, str], ...]:
    """Every file of the program and its plugins, but for those of the room."""
    paths = [path for folder in ("accountant", "plugins") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = [(path.relative_to(ROOT).as_posix(), path) for path in paths]
    return tuple((name, path.read_text("utf-8")) for name, path in names if not name.startswith(f"{ROOM}/"))


def by_hand(name: str, text: str) -> list[Place]:
    """All places of a file where rounding is done or charged by hand."""
    if not _SUSPICIOUS.search(text):
        return []
    tree = ast.parse(text)
    small, nodes = _small_names(tree), [node for node in ast.walk(tree) if isinstance(node, _TELLING)]
    found = {Place(name, node.lineno, what) for node in nodes if (what := _forbidden(node))}
    numbers = [node for node in nodes if isinstance(node, ast.expr) and _is_small(node, small) and not _forbidden(node)]
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)} if numbers else {}
    for node in numbers:
        if _is_charged(inside := _around(node, above)):
            found.add(Place(name, node.lineno, ast.unparse(inside[-1])))
    return sorted(found)


def _around(node: ast.expr, above: dict[ast.AST, ast.AST]) -> list[ast.AST]:
    """What an expression is in, the nearest first, up to what is no expression."""
    found = [above[node]]
    while isinstance(found[-1], (ast.expr, ast.keyword, ast.comprehension)):
        found.append(above[found[-1]])
    return found


def _forbidden(node: ast.AST) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if name in FORBIDDEN or f"{module}.{name}" in FORBIDDEN:
            return f"{module}.{name}"
        case ast.Name(id=name) if name in FORBIDDEN:
            return name
        case ast.ImportFrom(names=names):
            return next((alias.name for alias in names if alias.name in FORBIDDEN), None)
    return None


def _small_names(tree: ast.Module) -> set[str]:
    """Names of a module that stand for numbers of the size of a rounding."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                found |= {one.id for one, value in pairs if isinstance(one, ast.Name) and _is_small(value, found)}
    return found


def _is_small(node: ast.AST, names: set[str]) -> bool:
    """Whether a number, a power of two, or a name of one is of the size of a rounding."""
    if isinstance(node, ast.Name):
        return node.id in names
    value = _value(node)
    return value is not None and _SMALLEST <= abs(value) <= _LARGEST


def _value(node: ast.AST) -> float | None:
    match node:
        case ast.Constant(value=float(value)):
            return value
        case ast.BinOp(left=ast.Constant(value=int() | float() as base), op=ast.Pow(), right=power):
            match power:
                case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as exponent)):
                    return math.pow(base, -exponent)
    return None


def _is_charged(inside: list[ast.AST]) -> bool:
    """Whether a small number is added to something, multiplied by it or handed over as an error, and not compared with."""
    computed = False
    for around in inside:
        match around:
            case ast.Compare():
                return False
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()) | ast.AugAssign():
                computed = True
            case ast.Call(func=function):
                called = ast.unparse(function).split(".")[-1]
                if called not in _PASSED:
                    return computed or called in _CHARGES
    return computed
