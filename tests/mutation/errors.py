"""What is an error term: a part of an expression that is there only because something was rounded or left out.

Names say so. Whoever writes a layer for rounding adds its words here: names of errors, names for one rounding, functions
that widen what they are given, and arguments that are errors.
"""

from __future__ import annotations

import ast
import re

_NAMED = re.compile(
    r"(^|_)(errors?|doubts?|slacks?|lost|spread|stray|rounding|margin|adding|displaced|tolerance|radius|radii|grain)$",
    re.IGNORECASE,
)
UNIT = re.compile(r"^_?(ROUNDOFF|TINY|_?ROUNDING|_?ADDING|EPSILON_OF_DOUBLES|ULP)$")
"""One rounding, or the least that a double holds."""

WIDENED = {
    "nextafter": 0,
    "up": 0,
    "down": 0,
    "raised": 0,
    "lowered": 0,
    "widened": None,
    "inflated": None,
    "outward": None,
}
"""Functions whose result is their argument, here its place, or what they are a method of (None), moved outward."""

GRANTING = {"rounded", "raised", "lowered"}
"""Functions that are told how many roundings to grant: that a few more or less are granted is no error of its own."""

ERROR_ARGUMENTS = {"around": (1,), "Ball": (1,), "Balls": (1,), "Cells": (2, 3, 6), "Atoms": (2,)}
"""Places of errors among the arguments of functions that take values with their errors."""

_PLAIN = {"float", "abs", "sum", "fsum", "max", "min", "maximum", "minimum", "sqrt", "cumsum", "asarray", "array", "full"}
"""Functions of an error that are errors."""

_TINY = 1e-5


def called(node: ast.AST) -> str:
    """The last name of what is called, or ""."""
    if not isinstance(node, ast.Call):
        return ""
    return last_name(node.func)


def last_name(node: ast.AST) -> str:
    """`c` of `a.b.c`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def named_error(name: str) -> bool:
    """Whether a name is that of an error."""
    return bool(_NAMED.search(name) or UNIT.match(name))


def is_error(node: ast.AST) -> bool:
    """Whether an expression is an error term as a whole: a product with one, a sum of them, a plain function of one."""
    match node:
        case ast.Name() | ast.Attribute():
            return named_error(last_name(node))
        case ast.Constant(value=float(value)):
            return 0.0 < abs(value) < _TINY
        case ast.Subscript(value=value) | ast.UnaryOp(operand=value) | ast.Starred(value=value):
            return is_error(value)
        case ast.BinOp(left=ast.Constant(value=(2 | 2.0)), op=ast.Pow(), right=ast.UnaryOp(op=ast.USub())):
            return True
        case ast.BinOp(left=left, op=ast.Mult() | ast.MatMult(), right=right):
            return is_error(left) or is_error(right)
        case ast.BinOp(left=left, op=ast.Div() | ast.Pow()):
            return is_error(left)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return is_error(left) and is_error(right)
        case ast.IfExp(body=body, orelse=other):
            return is_error(body) or is_error(other)
        case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element):
            return is_error(element)
        case ast.Call():
            return _error_call(node)
    return False


def _error_call(node: ast.Call) -> bool:
    name = called(node)
    if named_error(name):
        return True
    if name == "where":
        return any(is_error(argument) for argument in node.args[1:])
    if isinstance(node.func, ast.Attribute) and not node.args and name in _PLAIN:
        return is_error(node.func.value)
    return name in _PLAIN and any(is_error(argument) for argument in node.args)
