"""A budget says where its definition is read, and what the value there must not exceed."""

from __future__ import annotations

from fractions import Fraction

from accountant import Budget, account, default_registry, load_plan
from accountant.plugin import DIVERGENCES
from accountant.values.writing import at_words


def budget(name: str, **values: str) -> Budget:
    definition = default_registry().find(DIVERGENCES, name)
    return Budget(definition, definition.parameter(**values))


def test_a_budget_of_a_curve_is_checked_at_its_words_and_limits_the_value_there() -> None:
    one = budget("approx", epsilon="2", delta="1e-6")
    assert one.divergence.primary == one.divergence.readings[0]
    assert (one.at, one.limit) == ({"delta": Fraction(1, 10**6)}, 2)


def test_a_budget_of_one_number_is_checked_without_words() -> None:
    one = budget("zcdp", rho="1/2")
    assert (one.at, one.limit) == ({}, Fraction(1, 2))


def test_a_guarantee_says_where_it_was_read() -> None:
    whole = account(load_plan("examples/survey.toml"))
    assert whole.measure("approx", delta="1e-6").at_words == " at delta = 1e-6" == at_words({"delta": Fraction(1, 10**6)})
    assert whole.measure("zcdp").at_words == ""
