"""Reading: the certified values of one signature, wherever they are computed."""

from __future__ import annotations

import json
from typing import Any

from attrs import frozen

from accountant import Interval, Plan
from accountant.numbers import plain
from accountant_scale.individuals.classes import classes_of


@frozen
class Value:
    """A value of a reading, and the verdict on a budget; no verdict where none was asked for."""

    value: Interval
    verdict: str = ""

    def as_data(self) -> list[Any]:
        """What can be written as JSON, and read back."""
        exact = self.value.exact
        return [self.value.lower, self.value.upper, None if exact is None else plain(exact), self.verdict]

    @classmethod
    def from_data(cls, data: list[Any]) -> Value:
        """What was written."""
        lower, upper, exact, verdict = data
        return cls(Interval(lower, upper) if exact is None else Interval.of(exact), verdict)


@frozen
class SignatureReader:
    """Reads signatures under a plan, which travels as text: a worker makes the account once."""

    plan: str

    @classmethod
    def of(cls, plan: Plan) -> SignatureReader:
        """The reader of what a plan asks: its budgets, then its questions."""
        return cls(json.dumps(plan.as_data()))

    def __call__(self, signature: str) -> tuple[Value, ...]:
        whole = classes_of(self.plan)
        own = whole.taking(signature)
        plan = whole.account.plan
        checked = (own.check(budget) for budget in plan.specification.budgets)
        asked = (own.measure(question.divergence.name, question.at).value for question in plan.questions)
        return (*(Value(guarantee.value, verdict.value) for guarantee, verdict in checked), *map(Value, asked))
