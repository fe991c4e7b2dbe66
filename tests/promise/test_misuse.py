"""What is made wrongly in Python is refused where it is made, in words that say what to use instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accountant import Budget, InvalidValue, Neighbours, Plan, Specification, account, certify, default_registry
from accountant.plugin import DIVERGENCES
from accountant.promise.neighbours import ADD_REMOVE

PURE = default_registry()[DIVERGENCES]["pure"]
PROMISE = Specification(Neighbours(ADD_REMOVE))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Neighbours("add-remove"), r"expected a Relation, got 'add-remove'; take it by its name from .*NEIGHBOURS"),
        (lambda: Specification("add-remove"), "expected a Neighbours, got 'add-remove'; say which datasets"),
        (
            lambda: Specification(Neighbours(ADD_REMOVE), ("total",)),
            r"expected an Invariant, got 'total'; .* Invariant\(name\)",
        ),
        (lambda: Budget("approx", {"epsilon": 1}), "expected a Divergence, got 'approx'; take it by its name from"),
        (
            lambda: Budget(PURE, {"epsilon": 1}),
            r"got {'epsilon': 1}; make one with the 'parameter' of the definition 'pure'",
        ),
        (lambda: Plan("x", "y", ()), "expected a Specification, got 'y'; read plain data with read_plan"),
        (lambda: Plan("x", PROMISE, ("y",)), "expected a Release, got 'y'; read plain data with read_plan"),
        (lambda: Plan("x", PROMISE, "y"), "expected a tuple of Release, got 'y'"),
        (
            lambda: account({"title": "x"}),
            "expected a Plan, got {'title': 'x'}; read plain data with read_plan, and a file with",
        ),
        (lambda: account("survey.toml"), "expected a Plan, got 'survey.toml'; .* a file with load_plan"),
        (lambda: certify("survey.toml"), "expected a Plan, got 'survey.toml'; .* a file with load_plan"),
        (lambda: account({"title": "x" * 1000}), "expected a Plan, got a value of type dict"),
    ],
)
def test_a_wrong_value_is_refused_with_what_to_use(make: Callable[..., object], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        make()


def test_what_is_right_is_taken() -> None:
    assert str(Budget(PURE, PURE.parameter("1"))) == "pure differential privacy with epsilon = 1"
    assert Plan("x", PROMISE, ())
