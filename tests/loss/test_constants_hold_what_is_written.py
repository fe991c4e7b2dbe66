"""A ball that is made of nothing but written numbers, roots, logarithms and pi holds what these are."""

from __future__ import annotations

import ast
import linecache
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath as mp
import pytest

import accountant
from accountant.numbers.rounding import Ball, Balls

ROOT = Path(accountant.__file__).resolve().parents[1]
FILES = sorted(path for room in ("accountant/loss", "plugins") for path in (ROOT / room).rglob("*.py"))
LONG = SimpleNamespace(
    pi=mp.pi, e=mp.e, sqrt=mp.sqrt, log=mp.log, exp=mp.exp, log1p=lambda x: mp.log(1 + x), expm1=mp.expm1, tau=2 * mp.pi
)


def constants(source: str) -> Iterator[ast.Call]:
    """All calls that make a ball of constants, whatever they grant."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="Ball" | "Balls") | ast.Attribute(value=ast.Name(id="Ball" | "Balls"))):
                if node.args and _irrational(node.args[0]) and not node.keywords and all(map(_written, node.args)):
                    yield node


def _written(node: ast.AST) -> bool:
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return names <= {"math"}


def _irrational(node: ast.AST) -> bool:
    named = [inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]
    return _written(node) and bool(named) and "inf" not in named


def held(call: ast.Call) -> bool:
    """Whether the ball holds what is written, found with thirty digits; of two ends each must be on its side."""
    with mp.workdps(30):
        truth = _value(call.args[0], LONG)
        ball: Any = eval(ast.unparse(call), {"math": math, "Ball": Ball, "Balls": Balls})
        return bool(mp.mpf(ball.middle) - mp.mpf(ball.radius) <= truth <= mp.mpf(ball.middle) + mp.mpf(ball.radius))


def _value(node: ast.AST, functions: Any) -> Any:
    """The value of an expression with all its numbers as they are written, which doubles hold."""
    match node:
        case ast.Constant(value=value):
            return mp.mpf(value)
        case ast.Attribute(attr=name):
            return getattr(functions, name)
        case ast.UnaryOp(operand=operand):
            return -_value(operand, functions)
        case ast.Call(func=function, args=arguments):
            return _value(function, functions)(*(_value(argument, functions) for argument in arguments))
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _value(left, functions), _value(right, functions)
            return {ast.Add: one + other, ast.Sub: one - other, ast.Mult: one * other, ast.Div: one / (other or 1)}[
                type(op)
            ]
    raise ValueError(ast.unparse(node))


WITH_CONSTANTS = [path for path in FILES if any(constants(path.read_text()))]


@pytest.mark.parametrize("path", WITH_CONSTANTS, ids=lambda path: path.stem)
def test_a_ball_of_constants_holds_what_is_written(path: Path) -> None:
    found = list(constants("".join(linecache.getlines(str(path)))))
    assert found
    assert [ast.unparse(call) for call in found if not held(call)] == []


def test_a_constant_of_which_no_rounding_is_granted_is_seen() -> None:
    (call,) = constants("x = Ball(2.0 * math.pi)")
    assert not held(call)
    (call,) = constants("x = Ball.rounded(2.0 * math.pi, 2.0)")
    assert held(call)
