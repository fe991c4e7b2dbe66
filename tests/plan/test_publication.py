"""Who publishes, when, and whom to ask is part of a plan, and no number depends on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from accountant import PlanError, certify, read_plan

PLAN: dict[str, Any] = {
    "title": "a count",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "pure", "epsilon": "1"}],
    "release": [{"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}],
}
SAID = {
    "publisher": "Office of Statistics",
    "date": "2026-11-17",
    "contact": "privacy@example.org",
    "link": "https://example.org/survey",
}


def test_a_plan_that_says_nothing_is_written_and_certified_as_before() -> None:
    plan = read_plan(PLAN)
    assert plan.publication is None
    assert "publication" not in plan.as_data()
    assert "publication" not in json.dumps(certify(plan).data)
    # The digest of this plan when plans could not say who publishes them.
    assert plan.digest == "sha256:85504a509f255a800da4c5d9f5612800b3609b471ef175ea82a086bea54b0e49"


def test_what_is_said_is_written_again_and_stands_in_the_certificate() -> None:
    plan = read_plan({**PLAN, "publication": SAID})
    assert plan.as_data()["publication"] == SAID
    assert certify(plan).data["publication"] == SAID
    assert certify(plan).plan() == plan
    assert plan.digest != read_plan(PLAN).digest


def test_numbers_do_not_depend_on_who_publishes_them() -> None:
    bare, said = (certify(read_plan({**PLAN, **more})) for more in ({}, {"publication": SAID}))
    assert bare.data["budgets"] == said.data["budgets"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"date": "17.11.2026"}, "a day of the calendar"),
        ({"date": "2026-02-30"}, "a day of the calendar"),
        ({"date": "20261117"}, "a day of the calendar"),
        ({"link": "javascript:alert(1)"}, "starts with https://"),
        ({"link": "example.org"}, "starts with https://"),
        ({"link": "https://example.org/a b"}, "starts with https://"),
        ({"publisher": " "}, "empty"),
        ({}, "at least one of"),
        ({"editor": "x"}, "editor"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_place(said: dict[str, str], words: str) -> None:
    with pytest.raises(PlanError, match=words) as caught:
        read_plan({**PLAN, "publication": said})
    assert all((fault.place or "").startswith("publication") for fault in caught.value.faults)
