"""Coarse arithmetic: a file, or a few, round as if doubles had fourteen digits, and grant as much.

Every sum, product, quotient and function of plain numbers there is off by a part in ten thousand, to one side, and all that
is granted there for roundings is as much larger. All other files compute as ever. What is read must still enclose what is
read without: a rounding that nobody answers for is no longer hidden by what others grant, since it is 2^39 times as
large. What doubles hold exactly stays exact, and so does what balls compute, which answer for themselves.

Every operation has a number, its place in the file, and a side of its own may be asked for each: all to one side, errors
often take each other away, and what must be granted is the worst of all combinations.

Sources are asked of `linecache`, which knows of mutants that are planted.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import importlib
import inspect
import itertools
import linecache
import math
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from accountant.numbers.rounding import granted
from accountant.numbers.rounding.direction import ROUNDOFF

GRAIN = 2.0**-14
"""What one rounding is, as a share."""
_INEXACT = (
    *("exp", "expm1", "log", "log1p", "log2", "logaddexp", "sin", "cos", "sinh", "cosh", "tanh", "asinh", "hypot", "sqrt"),
    *("erfc", "erfcx", "ndtr", "log_ndtr", "lgamma", "gammaln", "sum", "cumsum", "dot", "rfft", "irfft"),
)
_ELEMENTARY = _INEXACT[:13]
_OF_LIBRARY = ("exp", "expm1", "log", "log1p")
_SPECIAL = {
    "erfc": granted.TAIL,
    "erfcx": granted.SCALED_TAIL,
    "ndtr": granted.NORMAL,
    "log_ndtr": granted.LOG_NORMAL,
    "lgamma": granted.LOG_GAMMA,
    "gammaln": granted.LOG_GAMMA,
}
_PLAIN = ("add", "subtract", "multiply", "square", "diff", "convolve", "fsum")
_ROUNDED = _INEXACT + _PLAIN
"""Functions that round: those that are plain as sums and products do, and not at all where doubles hold what they give."""
SIDES = {"up": 1.0, "down": -1.0, "turns": 0.5}
"""The sides to which results are off. In turns, every other one is too large: so is every other entry of an array."""


class Coarse:
    """The arithmetic that a rewritten file calls. All results are too large, or all too small, beside 0.

    With `sides`, only the operations named there are off, each to its own side.
    """

    operator = operator

    def __init__(self, side: str, grain: float, sides: Mapping[int, float] | None = None) -> None:
        self.sign, self.grain, self.sides = SIDES[side], grain, sides
        self.times = 0
        """How often something was rounded or granted."""
        self.seen: set[int] = set()
        """The places of all operations that were rounded."""

    def binary(self, place: int, apply: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """An operation of two operands, off by one rounding unless it is exact."""
        found = apply(left, right)
        return self._off(place, found, 1.0, _exact(apply, left, right, found=found)) if _rounds(found) else found

    def call(self, place: int, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """A function, off by a few roundings, but not where it is exact: 0 at 0 and 1 at 1."""
        found = function(*arguments, **named)
        if not _rounds(found):
            return found
        name = getattr(function, "__name__", "")
        exact = _exact(function, *arguments, found=found) if name in _PLAIN else (found == 0.0) | (found == 1.0)
        moved = self._off(place, found, _times(function, name, found), exact)
        if "out" in named:
            named["out"][...] = moved
        return moved

    # What pays for roundings of the lumps themselves is left out: nothing else of them is rounded here.

    def granted(self, make: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What is granted, as much larger."""
        self.times += 1
        ball = make(*arguments, **named)
        return type(ball)(ball.middle, ball.radius * (self.grain * 2.0**53))

    def raised(self, value: Any, times: float) -> Any:
        self.times += 1
        return value * (1.0 - self.grain) ** -times

    def lowered(self, value: Any, times: float) -> Any:
        self.times += 1
        return value * (1.0 + self.grain) ** -times

    def up(self, value: Any) -> Any:
        return value + self._rounding(value)

    def down(self, value: Any) -> Any:
        return value - self._rounding(value)

    def _rounding(self, value: Any) -> Any:
        """What a value may be off by: a share of what was rounded, which may be larger than what came of it."""
        return self.grain / (1.0 - self.grain) * abs(value)

    def _off(self, place: int, value: Any, few: float, exact: Any) -> Any:
        self.times += 1
        self.seen.add(place)
        sign = self.sign if self.sides is None else self.sides.get(place, 0.0)
        # Too small by as large a share of what is found, which is what those go by who grant roundings.
        if abs(sign) == SIDES["turns"]:
            sign = (-1.0) ** (self.times + np.arange(np.size(value)).reshape(np.shape(value)))
        moved = value * (1.0 + few * self.grain) ** sign
        if not isinstance(value, np.ndarray):
            return value if exact else type(value)(moved)
        return np.where(exact, value, moved)


def _rounds(value: Any) -> bool:
    """Whether a value is a number or an array of numbers that may have been rounded."""
    if isinstance(value, float | complex):
        return math.isfinite(abs(value))
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.dtype.itemsize <= 16


def _times(function: Callable[..., Any], name: str, found: Any) -> float:
    """How many roundings a function is off by: as many as it is granted."""
    if name in _SPECIAL:
        return _SPECIAL[name] / ROUNDOFF
    if name not in _ELEMENTARY:
        return 1.0
    if np.iscomplexobj(found):
        return granted.COMPLEX / ROUNDOFF
    return (granted.LIBRARY if function.__module__ == "math" and name in _OF_LIBRARY else granted.ELEMENTARY) / ROUNDOFF


def _exact(apply: Callable[..., Any], *operands: Any, found: Any) -> Any:
    """Whether doubles hold the result: longer ones find the same, or it is no number or beyond them."""
    if apply is operator.matmul:
        return np.zeros(np.shape(found), dtype=np.bool_)
    with np.errstate(all="ignore"):
        try:
            longer = math.fsum(operands[0]) if apply is math.fsum else apply(*map(_long, operands))
        except (OverflowError, ZeroDivisionError):
            return True
        return (longer == found) | ~np.isfinite(found)


def _long(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(np.clongdouble if value.dtype.kind == "c" else np.longdouble)
    return np.clongdouble(value) if isinstance(value, complex) else np.longdouble(value)


_BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}
_GRANTS = ("rounded", "evaluated", "relative")
_LUMPS = ("raised", "lowered", "up", "down")
_LIBRARIES = ("np", "math", "special", "fft")
_NAME = "coarse_arithmetic"


class _Rewrite(ast.NodeTransformer):
    """Turns arithmetic into calls of a coarse one."""

    def __init__(self) -> None:
        self.places = itertools.count()

    def _placed(self) -> ast.expr:
        return ast.Constant(next(self.places))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _BINARY.get(type(node.op))
        return node if name is None else _call("binary", self._placed(), _operator(name), node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _BINARY.get(type(node.op))
        if name is None:
            return node
        target = copy.copy(node.target)
        target.ctx = ast.Load()
        place = self._placed()
        # A part of an array is written into; a whole one may be known by another name.
        apply = _operator(f"i{name}" if isinstance(target, ast.Name) else name)
        return ast.Assign([node.target], _call("binary", place, apply, target, node.value))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="Ball" | "Balls"), attr=name) if name in _GRANTS:
                return _call("granted", node.func, *node.args, keywords=node.keywords)
            case ast.Name(id=name) if name in _LUMPS:
                return _call(name, *node.args)
            case ast.Attribute(value=ast.Name(id=library), attr=name) if library in _LIBRARIES and name in _ROUNDED:
                return _call("call", self._placed(), node.func, *node.args, keywords=node.keywords)
            case ast.Attribute(attr="sum" | "dot" | "cumsum"):
                return _call("call", self._placed(), node.func, *node.args, keywords=node.keywords)
        return node


def _call(name: str, *arguments: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name(_NAME, ast.Load()), name, ast.Load()), list(arguments), keywords or [])


def _operator(name: str) -> ast.expr:
    return ast.Attribute(ast.Attribute(ast.Name(_NAME, ast.Load()), "operator", ast.Load()), name, ast.Load())


def _functions(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of all functions that stand in no other function."""
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            if part.co_flags & inspect.CO_OPTIMIZED:
                yield part
            else:
                yield from _functions(part)


@contextlib.contextmanager
def coarse(names: Iterable[str], side: str, grain: float = GRAIN) -> Iterator[Coarse]:
    """While this lasts, the functions of some modules compute coarsely, each result too large or too small."""
    modules = [importlib.import_module(name) for name in names]
    codes = {function: code for module in modules for function, code in rewritten(module).items()}
    arithmetic = Coarse(side, grain)
    with planted(modules, codes, arithmetic):
        yield arithmetic


@contextlib.contextmanager
def planted(
    modules: Sequence[types.ModuleType], codes: Mapping[types.FunctionType, types.CodeType], arithmetic: Coarse
) -> Iterator[None]:
    """While this lasts, some functions run other code, and nothing is remembered from before."""
    kept = {function: function.__code__ for function in codes}
    remembered_no_more()
    try:
        for module in modules:
            vars(module)[_NAME] = arithmetic
        for function, code in codes.items():
            function.__code__ = code
        yield
    finally:
        for function, code in kept.items():
            function.__code__ = code
        for module in modules:
            del vars(module)[_NAME]
        remembered_no_more()


def remembered_no_more() -> None:
    """What was remembered is computed anew."""
    for remembering in _remembering(len(sys.modules)):
        remembering.cache_clear()


@functools.lru_cache(maxsize=1)
def _remembering(modules: int) -> list[functools._lru_cache_wrapper[Any]]:
    """All functions that remember their results; they are looked for again once more modules are loaded."""
    rooms = [module for name, module in list(sys.modules.items()) if name.startswith("accountant")]
    held = [value for room in rooms for value in list(vars(room).values())]
    held += [part for value in held if isinstance(value, type) for part in list(vars(value).values())]
    parts = (part for value in held for part in (value, getattr(value, "__func__", None)))
    return [part for part in parts if isinstance(part, functools._lru_cache_wrapper)]


_compiled: dict[tuple[str, str], dict[str, types.CodeType]] = {}


def rewritten(module: types.ModuleType) -> dict[types.FunctionType, types.CodeType]:
    """The functions of a module, each with the code that computes coarsely."""
    path = inspect.getfile(module)
    source = "".join(linecache.getlines(path))
    if (path, source) not in _compiled:
        tree = ast.fix_missing_locations(_Rewrite().visit(ast.parse(source)))
        _compiled[path, source] = {code.co_qualname: code for code in _functions(compile(tree, path, "exec"))}
    found = (
        (function, _compiled[path, source].get(function.__code__.co_qualname)) for function in _functions_of(module, path)
    )
    return {
        function: code for function, code in found if code is not None and code.co_freevars == function.__code__.co_freevars
    }


def _functions_of(holder: Any, path: str) -> Iterator[types.FunctionType]:
    """The functions of a module and of its classes."""
    for value in list(vars(holder).values()):
        if isinstance(value, type) and value.__module__ == getattr(holder, "__name__", "") and inspect.ismodule(holder):
            yield from _functions_of(value, path)
        for function in _unwrapped(value):
            if function.__code__.co_filename == path:
                yield function


def _unwrapped(value: Any) -> Iterator[types.FunctionType]:
    """The functions that a property, a method or something that remembers results is made of."""
    inner = [getattr(value, name, None) for name in ("__wrapped__", "__func__", "fget", "func")]
    for part in [value, *inner]:
        if isinstance(part, types.FunctionType):
            yield part
            # Where classes have slots, attrs keeps what is computed once beside `__getattr__`.
            yield from part.__globals__.get("cached_properties", {}).values()
        elif part is not None and part is not value:
            yield from _unwrapped(part)
