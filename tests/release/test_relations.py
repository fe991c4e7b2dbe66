"""A mechanism whose theorem does not cover the neighbours of a plan is refused, with those it covers."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from attrs import frozen

from accountant import PlanError, PrivacyLoss, Registry, Theorem, account, read_plan
from accountant.loss import ResponseLoss
from accountant.plugin import Mechanism, Shift, hookimpl

LOCAL = Theorem("local-answer", "Each person answers for themselves.", "accountant", "tests", assurance="claimed")


@frozen
class LocalAnswer(Mechanism):
    """An answer that everyone gives."""

    kind: ClassVar[str] = "local-answer"
    theorem: ClassVar[Theorem] = LOCAL
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(1)


class Plugin:
    """A plugin of one mechanism."""

    __name__ = "local_plugin"

    @hookimpl
    def accountant_mechanisms(self) -> tuple[type[Mechanism], ...]:
        return (LocalAnswer,)

    @hookimpl
    def accountant_theorems(self) -> tuple[Theorem, ...]:
        return (LOCAL,)


def plan(neighbours: str) -> dict[str, Any]:
    release = {"name": "answers", "mechanism": {"kind": "local-answer"}}
    return {"title": "Local", "specification": {"neighbours": neighbours}, "release": [release]}


def test_a_relation_that_the_theorem_does_not_cover_is_refused() -> None:
    registry = Registry.load(extra=[Plugin()])
    covered = account(read_plan(plan("replace-one"), registry=registry), registry=registry)
    assert covered.measure("pure").value.exact == 1
    with pytest.raises(PlanError) as caught:
        read_plan(plan("add-remove"), registry=registry)
    (fault,) = caught.value.faults
    assert fault.place == "release[0].mechanism"
    assert "between 'replace-one' neighbours only, not between 'add-remove' ones" in fault.message
