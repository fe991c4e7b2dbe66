"""Operators: for a piece of code, the small errors that could be made there.

Each yields an expression to be replaced and the text that takes its place. A text names nothing that its file does not
know, so that a mutant dies of what it computes and not of a missing name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from attrs import frozen

from tests.mutation.errors import ERROR_ARGUMENTS, GRANTING, UNIT, WIDENED, called, is_error, last_name, named_error

Text = Callable[[ast.AST], str]
Change = tuple[ast.expr, str]


@frozen(eq=False)
class Site:
    """A piece of code, what stands around it from the inside out, and how to read the text of any piece."""

    node: ast.AST
    around: tuple[ast.AST, ...]
    text: Text

    @property
    def in_error(self) -> bool:
        """Whether the piece is part of an error term, or says how many roundings are granted."""
        return any(is_error(node) for node in (self.node, *self.around)) or self._granted()

    def _granted(self) -> bool:
        pairs = zip((self.node, *self.around), self.around, strict=False)
        return any(
            called(outer) in GRANTING and inner in outer.args[1:] for inner, outer in pairs if isinstance(outer, ast.Call)
        )


Operator = Callable[[Site], Iterator[Change]]


def error_term(site: Site) -> Iterator[Change]:
    """Drop an error: a summand, what is added to a total, a widening, an argument, a result, or its unit."""
    node, text = site.node, site.text
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if is_error(right):
                yield node, f"({text(left)})"
            if is_error(left) and isinstance(op, ast.Add):
                yield node, f"({text(right)})"
        case ast.AugAssign(op=ast.Add() | ast.Sub(), value=value) if is_error(value):
            yield value, _nothing(text(value))
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if named_error(name) and not _empty(value):
            yield value, _nothing(text(value))
        case ast.Return(value=ast.Tuple(elts=items)):
            for item in items:
                if is_error(item):
                    yield item, _nothing(text(item))
        case ast.Call():
            yield from _error_in_call(site, node)
        case ast.Name(id=name, ctx=ast.Load()) if UNIT.match(name) and not _dropped_already(site) and not _threshold(site):
            yield node, "0.0"


def _error_in_call(site: Site, node: ast.Call) -> Iterator[Change]:
    name = called(node)
    if name in WIDENED:
        place = WIDENED[name]
        if place is not None and len(node.args) > place:
            yield node, f"({site.text(node.args[place])})"
        elif place is None and isinstance(node.func, ast.Attribute):
            yield node, f"({site.text(node.func.value)})"
    if name == "Context":
        return  # Which way decimals are rounded is a word, and no error.
    given = [node.args[place] for place in ERROR_ARGUMENTS.get(name, ()) if place < len(node.args)]
    given += [keyword.value for keyword in node.keywords if keyword.arg and named_error(keyword.arg)]
    for value in given:
        if not isinstance(value, ast.Starred) and not _empty(value):
            yield value, _nothing(site.text(value))


def _threshold(site: Site) -> bool:
    """Whether something is compared with a unit: it says what counts as nothing, and is no error of anything."""
    return isinstance(site.around[0], ast.Compare)


def _dropped_already(site: Site) -> bool:
    """Whether a larger term that holds this unit is dropped by another mutant."""
    inner: ast.AST = site.node
    for outer in site.around:
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add | ast.Sub) and is_error(inner):
            return True
        if isinstance(outer, ast.AugAssign) and is_error(inner):
            return True
        if WIDENED.get(called(outer), 0) is None:
            return True
        if isinstance(outer, ast.Assign):
            return any(named_error(last_name(target)) for target in outer.targets)
        inner = outer
    return False


def _empty(node: ast.AST) -> bool:
    """Whether there is nothing there yet that could be dropped, or what is there is no error: it says where something
    is, of which types it may be, or how likely something is that is known between two bounds."""
    if isinstance(node, ast.Constant | ast.Compare):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not):
        return True
    if called(node) == "of" and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return last_name(node.func.value) == "Interval"
    return called(node) in ("empty", "zeros", "empty_like", "zeros_like", "isinf", "isnan", "isfinite", "Interval")


def _nothing(text: str) -> str:
    return f"nothing({text})"  # see `running.nothing`


def granted(site: Site) -> Iterator[Change]:
    """Grant no rounding: what a formula gave counts as exact."""
    match site.node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=("Ball" | "Balls") as kind), attr=made), args=[middle, *_]):
            assert isinstance(site.node, ast.Call)
            if made in ("rounded", "evaluated", "relative") and not _only_radius(site):
                yield site.node, f"{kind}({site.text(middle)})"


def _only_radius(site: Site) -> bool:
    """Whether nothing is asked of a ball but its radius, which is an error term itself."""
    outer = site.around[0]
    return isinstance(outer, ast.Attribute) and outer.attr in ("radius", "radii")


def rounding_direction(site: Site) -> Iterator[Change]:
    """Round the other way: floor for ceil, below for above, the other side in `nextafter`, the other branch of `upper`."""
    node, text = site.node, site.text
    match node:
        case ast.Call(args=[argument]) if called(node) in (
            "floor",
            "ceil",
            "float_above",
            "float_below",
            "round_up",
            "round_down",
        ):
            assert isinstance(node, ast.Call)
            yield node, f"(-{text(node.func)}(-({text(argument)})))"
        case ast.Call(args=[_, direction]) if called(node) == "nextafter" and not _is_zero(direction):
            yield direction, f"(-({text(direction)}))"
        case ast.IfExp(test=ast.Name(id="upper" | "above" | "up") as test):
            yield test, f"(not {text(test)})"
        case ast.Name(id=("ROUND_FLOOR" | "ROUND_CEILING") as name, ctx=ast.Load()):
            yield node, {"ROUND_FLOOR": "'ROUND_CEILING'", "ROUND_CEILING": "'ROUND_FLOOR'"}[name]


def _is_zero(node: ast.AST) -> bool:
    """Whether a direction is 0, which is the same from either side."""
    return isinstance(node, ast.Constant) and node.value == 0


def ends(site: Site) -> Iterator[Change]:
    """Take the other end of an interval."""
    match site.node:
        case ast.Attribute(value=value, attr=("upper" | "lower") as end, ctx=ast.Load()) if not _is_called(site):
            assert isinstance(site.node, ast.expr)
            yield site.node, f"{site.text(value)}.{'lower' if end == 'upper' else 'upper'}"


def _is_called(site: Site) -> bool:
    return isinstance(site.around[0], ast.Call) and site.around[0].func is site.node


_COUNTS = ("count", "counts", "times", "repeats", "copies", "steps", "participations")


def count(site: Site) -> Iterator[Change]:
    """Forget how often: a factor, an exponent, or a partner in a pair."""
    node, text = site.node, site.text
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            if _is_count(left):
                yield node, f"({text(right)})"
            if _is_count(right):
                yield node, f"({text(left)})"
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if _is_count(right):
            yield node, f"({text(left)})"
        case ast.Call(func=ast.Attribute(value=value, attr="times"), args=[argument]) if _is_count(argument):
            assert isinstance(node, ast.Call)
            yield node, f"({text(value)})"
        case ast.Tuple(elts=[_, item], ctx=ast.Load()) if _is_count(item):
            yield item, "1"


def _is_count(node: ast.AST) -> bool:
    if called(node) == "float" and isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return last_name(node) in _COUNTS


_OTHER_NAME = {"by_presence": "by_value", "by_value": "by_presence"}
_OTHER_WORD = {"add-remove": "replace-one", "replace-one": "add-remove"}


def neighbours(site: Site) -> Iterator[Change]:
    """Swap neighbours: one order of a pair instead of both, the other order, the other relation, another move."""
    node, text = site.node, site.text
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="reverse"), args=[]):
            assert isinstance(node, ast.Call)
            yield node, f"({text(value)})"
        case ast.Call(func=ast.Name(id="both_orders"), args=[argument]):
            assert isinstance(node, ast.Call)
            yield node, f"({text(argument)})"
        case ast.IfExp(test=test) | ast.If(test=test) if last_name(test) in ("swapped", "symmetric", "reversed"):
            yield test, f"(not {text(test)})"
        case ast.Attribute(value=value, attr=name) if name in _OTHER_NAME:
            assert isinstance(node, ast.expr)
            yield node, f"{text(value)}.{_OTHER_NAME[name]}"
        case ast.Constant(value=str(word)) if word in _OTHER_WORD:
            yield node, repr(_OTHER_WORD[word])
        case ast.Tuple(elts=[ast.Constant(value=(0 | 1) as first), ast.Constant(value=(0 | 1) as second)]):
            assert isinstance(node, ast.expr)
            if (first, second) != (0, 0) and type(first) is type(second) is int and _among_pairs(site):
                yield node, "(1, 0)" if first == second else f"({second}, {first})"


def _among_pairs(site: Site) -> bool:
    """Whether a pair is one of several, or compared with them: in what is gone through one by one no order matters."""
    return isinstance(site.around[0], ast.Set | ast.List | ast.Compare)


def factor_two(site: Site) -> Iterator[Change]:
    """Forget a factor of two, or a half."""
    node, text = site.node, site.text
    if site.in_error:
        return
    match node:
        case ast.BinOp(left=ast.Constant(value=(2 | 2.0 | 0.5)), op=ast.Mult(), right=other):
            yield node, f"({text(other)})"
        case ast.BinOp(left=other, op=ast.Mult() | ast.Div(), right=ast.Constant(value=(2 | 2.0 | 0.5))):
            yield node, f"({text(other)})"


def constant(site: Site) -> Iterator[Change]:
    """Be off by one in a thousand. Of error terms, and of the 1 that some are added to, only the presence is asked."""
    node = site.node
    if site.in_error or _beside_error(site):
        return
    match node:
        case ast.Constant(value=float(value)) if value:
            yield node, f"({site.text(node)} * 1.001)"
        case ast.Constant(value=int(value)) if value > 1 and type(value) is int and _factor(site):
            yield node, f"({site.text(node)} * 1.001)"


def _beside_error(site: Site) -> bool:
    outer = site.around[0]
    return isinstance(outer, ast.BinOp) and (is_error(outer.left) or is_error(outer.right))


def _factor(site: Site) -> bool:
    outer = site.around[0]
    return isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult | ast.Div)


_EXTREMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "fmin": "fmax", "amin": "amax", "nanmin": "nanmax"}
_EXTREMES |= {other: name for name, other in _EXTREMES.items()}


def extreme(site: Site) -> Iterator[Change]:
    """Take the largest for the smallest."""
    node = site.node
    if not isinstance(node, ast.Call) or (name := called(node)) not in _EXTREMES:
        return
    if isinstance(node.func, ast.Attribute):
        yield node.func, f"{site.text(node.func.value)}.{_EXTREMES[name]}"
    else:
        yield node.func, _EXTREMES[name]


_NEGATED = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}


def comparison(site: Site) -> Iterator[Change]:
    """Compare the other way."""
    match site.node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _NEGATED:
            assert isinstance(site.node, ast.expr)
            yield site.node, f"({site.text(left)} {_NEGATED[type(op)]} {site.text(right)})"


def summand(site: Site) -> Iterator[Change]:
    """Forget a summand that is neither an error term nor a part of one."""
    node, text = site.node, site.text
    if site.in_error:
        return
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if not _joined(left) and not _joined(right):
            if not is_error(right):
                yield node, f"({text(left)})"
            if isinstance(op, ast.Add) and not is_error(left):
                yield node, f"({text(right)})"


def _joined(node: ast.AST) -> bool:
    """Whether a sum is no sum of numbers but of words or lists."""
    if isinstance(node, ast.BinOp):
        return _joined(node.left) or _joined(node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp) or called(node) in (
        "list",
        "tuple",
        "join",
        "str",
    )


OPERATORS: dict[str, Operator] = {
    "error-term": error_term,
    "granted": granted,
    "rounding": rounding_direction,
    "ends": ends,
    "count": count,
    "neighbours": neighbours,
    "factor-two": factor_two,
    "constant": constant,
    "extreme": extreme,
    "comparison": comparison,
    "summand": summand,
}
