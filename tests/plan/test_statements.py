"""What the curator states is part of a plan, and no number depends on it; what is left out is never taken for said."""

from __future__ import annotations

from typing import Any

import pytest

from accountant import Plan, PlanError, Statements, account, certify, default_registry, read_plan
from accountant.errors import InvalidValue
from accountant.plan.commented import commented
from accountant.plan.schema import plan_schema
from accountant.plan.statements import LAYERS
from tests.plan.test_publication import PLAN

SAID = {"unit": "one person is one row", "trust_model": "the office holds the data and adds the noise"}


def test_a_plan_that_states_nothing_is_written_as_before() -> None:
    plan = read_plan(PLAN)
    assert plan.statements is None
    assert "statements" not in plan.as_data()
    # The digest of this plan when plans had no statements.
    assert plan.digest == "sha256:85504a509f255a800da4c5d9f5612800b3609b471ef175ea82a086bea54b0e49"


def test_what_is_stated_is_written_again_and_stands_in_the_certificate() -> None:
    plan = read_plan({**PLAN, "statements": SAID})
    assert plan.as_data()["statements"] == SAID
    certificate = certify(plan)
    assert certificate.data["statements"] == SAID
    assert certificate.contents.statements == Statements(**SAID)
    assert certificate.plan() == plan
    assert plan.digest != read_plan(PLAN).digest


def test_numbers_do_not_depend_on_what_is_stated() -> None:
    bare, said = (certify(read_plan({**PLAN, **more})) for more in ({}, {"statements": SAID}))
    assert bare.data["budgets"] == said.data["budgets"]


def test_the_form_of_plans_knows_every_layer() -> None:
    stated = plan_schema(default_registry())["properties"]["statements"]
    assert list(stated["properties"]) == list(LAYERS)
    text = commented(read_plan({**PLAN, "statements": SAID}), default_registry())
    assert f"# {LAYERS['unit']}\nunit = " in text
    assert f"# {LAYERS['trust_model']}\ntrust_model = " in text


def test_sums_of_accounts_state_only_what_both_state() -> None:
    ours, theirs, same = (
        account(read_plan({**PLAN, "statements": said})) for said in (SAID, {"unit": "a household"}, SAID)
    )
    assert (ours + same).plan.statements == Statements(**SAID)
    assert (ours + theirs).plan.statements is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"unit": " "}, "empty"),
        ({"unit": 3}, "expected text"),
        ({}, "at least one of"),
        ({"trust model": "x"}, "trust model"),
        ({"access": "\x1b[2J"}, "access"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_place(said: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words) as caught:
        read_plan({**PLAN, "statements": said})
    assert all((fault.place or "").startswith("statements") for fault in caught.value.faults)


def test_a_plan_made_in_python_takes_values_only() -> None:
    plan = read_plan(PLAN)
    with pytest.raises(InvalidValue, match="Statements"):
        Plan(plan.title, plan.specification, plan.releases, statements="x")  # type: ignore[arg-type]
