"""Each operator finds its places in a small piece of code, and changes nothing else."""

from __future__ import annotations

import ast

import pytest

from tests.mutation.errors import is_error
from tests.mutation.mutant import Mutant, mutants_of

SITES = [
    ("error-term", "x = total + 4 * ROUNDOFF * size", ["x = (total)"]),
    ("error-term", "x = masses * (1.0 + 8 * ROUNDOFF)", ["x = masses * ((1.0))"]),
    ("error-term", "x = masses * (1.0 - 1e-9)", ["x = masses * ((1.0))"]),
    ("error-term", "x = high + sizes @ mass_errors", ["x = (high)"]),
    (
        "error-term",
        "error = p_error + q_error",
        ["error = (p_error)", "error = (q_error)", "error = nothing(p_error + q_error)"],
    ),
    ("error-term", "Radius = Floats | float", []),
    ("error-term", "error = 64 * ROUNDOFF * (a + b)", ["error = nothing(64 * ROUNDOFF * (a + b))"]),
    ("error-term", "x = 64 * ROUNDOFF * (a + b)", ["x = 64 * 0.0 * (a + b)"]),
    ("error-term", "errors = np.empty(3)", []),
    ("error-term", "x += np.abs(a) * doubt", ["x += nothing(np.abs(a) * doubt)"]),
    ("error-term", "x = math.nextafter(a, math.inf)", ["x = (a)"]),
    ("error-term", "x = Interval.around(a, b)", ["x = Interval.around(a, nothing(b))"]),
    ("error-term", "x = Law(base, slack=s)", ["x = Law(base, slack=nothing(s))"]),
    ("error-term", "x = ball.widened(a)", ["x = (ball)"]),
    ("error-term", "x = centre + ball.radius", ["x = (centre)"]),
    ("error-term", "x = ball.widened(2.0 * TINY)", ["x = (ball)"]),
    ("error-term", "lost = np.isinf(errors)", []),
    ("error-term", "lost = ~(errors < 1.0)", []),
    ("error-term", "lost = Interval(a, b)", []),
    ("error-term", "lost = Interval.of(a)", []),
    ("error-term", "x = Atoms(a, b, np.zeros(1))", []),
    ("error-term", "x = a[masses > TINY]", []),
    ("error-term", "x = a if b + TINY > c else d", ["x = a if (b) > c else d"]),
    ("error-term", "x = Context(prec=digits, rounding=rounding)", []),
    ("error-term", "def f(a, errors):\n    return a, errors", ["def f(a, errors):\n    return a, nothing(errors)"]),
    ("granted", "x = Ball.rounded(a / b, 4.0).upper", ["x = Ball(a / b).upper"]),
    ("granted", "x = Balls.evaluated(a, 4.0, s)", ["x = Balls(a)"]),
    ("granted", "x = Ball.rounded(0.0, 2.0, s).radius", []),
    ("rounding", "x = math.ceil(a / b)", ["x = (-math.ceil(-(a / b)))"]),
    ("rounding", "x = float_above(a)", ["x = (-float_above(-(a)))"]),
    ("rounding", "x = math.nextafter(a, math.inf)", ["x = math.nextafter(a, (-(math.inf)))"]),
    ("rounding", "x = math.nextafter(a, 0.0)", []),
    ("rounding", "x = a if upper else b", ["x = a if (not upper) else b"]),
    ("ends", "x = value.upper", ["x = value.lower"]),
    ("ends", "x = word.upper()", []),
    ("count", "x = count * value", ["x = (value)"]),
    ("count", "x = chance**count", ["x = (chance)"]),
    ("count", "x = loss.supremum().times(count)", ["x = (loss.supremum())"]),
    ("count", "x = (loss, count)", ["x = (loss, 1)"]),
    ("neighbours", "x = {loss, loss.reverse()}", ["x = {loss, (loss)}"]),
    ("neighbours", "x = both_orders(loss)", ["x = (loss)"]),
    ("neighbours", "x = {(1, 0), (1, 1)}", ["x = {(0, 1), (1, 1)}", "x = {(1, 0), (1, 0)}"]),
    ("neighbours", "x = (0, 1) in moves", ["x = (1, 0) in moves"]),
    ("neighbours", "x = product((0, 1), repeat=2)", []),
    ("neighbours", "x, y = 0, 1", []),
    ("neighbours", "x = 'replace-one'", ["x = 'add-remove'"]),
    ("factor-two", "x = 2.0 * y", ["x = (y)"]),
    ("factor-two", "x = y / 2", ["x = (y)"]),
    ("factor-two", "error = 2.0 * doubt", []),
    ("constant", "x = 0.25 * y", ["x = (0.25 * 1.001) * y"]),
    ("constant", "x = y[3]", []),
    ("constant", "x = 64 * ROUNDOFF * y", []),
    ("constant", "x = 1.0 + 8 * ROUNDOFF", []),
    ("constant", "x = Ball.rounded(2.5 * y, 64.0, 1.5)", ["x = Ball.rounded((2.5 * 1.001) * y, 64.0, 1.5)"]),
    ("summand", "x = raised(a, 4.0 + size)", []),
    ("extreme", "x = np.minimum(a, b)", ["x = np.maximum(a, b)"]),
    ("extreme", "x = a.max()", ["x = a.min()"]),
    ("comparison", "x = a[masses > 0.0]", ["x = a[(masses <= 0.0)]"]),
    ("summand", "x = a + b", ["x = (a)", "x = (b)"]),
    ("summand", "x = a - b", ["x = (a)"]),
    ("summand", "x = a + error", ["x = (error)"]),
    ("summand", "x = 'a' + b", []),
    ("summand", "x = ROUNDOFF * (a + b)", []),
]


def of_kind(kind: str, source: str) -> list[Mutant]:
    return [mutant for mutant in mutants_of("file.py", source) if mutant.name.operator == kind]


@pytest.mark.parametrize(("kind", "source", "expected"), SITES, ids=lambda value: value if isinstance(value, str) else "")
def test_an_operator_finds_its_sites_and_changes_just_these(kind: str, source: str, expected: list[str]) -> None:
    assert sorted(mutant.applied(source) for mutant in of_kind(kind, source)) == sorted(expected)


def test_messages_types_docstrings_and_assertions_are_left_alone() -> None:
    source = '''
def f(x: Literal[2.5]) -> None:
    """replace-one"""
    assert x > 1.5
    raise ValueError(f"{x + 1.5} is more than {2.0 * x}")
'''
    assert mutants_of("file.py", source) == []


def test_names_outlive_changes_elsewhere_in_the_file() -> None:
    source = "def f(a, b):\n    return a + b + (a + b)\n"
    moved = f"import math\n\nX = 1\n\n\n{source}"
    names = [mutant.name for mutant in mutants_of("file.py", source)]
    assert names == [mutant.name for mutant in mutants_of("file.py", moved)]
    assert len(set(names)) == len(names)
    assert {name.nth for name in names if name.before == "a + b"} == {1, 2}


def test_equal_changes_in_one_function_are_counted() -> None:
    names = [mutant.name for mutant in of_kind("extreme", "x = min(a, min(a, b))\n")]
    assert [name.nth for name in names] == [1, 2]


def test_letters_beyond_ascii_do_not_displace_a_change() -> None:
    source = "x = f('ε ≤ δ') + 1 * count\n"
    assert [mutant.applied(source) for mutant in of_kind("count", source)] == ["x = f('ε ≤ δ') + (1)\n"]


@pytest.mark.parametrize(
    "text", ["np.minimum(to_right + error, most)", "masses", "1.0 + 1e-9", "f(error)", "np.exp(log_error + x)"]
)
def test_what_merely_contains_an_error_is_no_error_term(text: str) -> None:
    assert not is_error(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text", ["errors[1:]", "-slack", "float(np.sum(errors * gains))", "np.where(held, 0.0, doubt)", "2.0**-40"]
)
def test_products_sums_and_parts_of_errors_are_error_terms(text: str) -> None:
    assert is_error(ast.parse(text, mode="eval").body)
