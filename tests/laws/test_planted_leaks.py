"""A definition that says too little of its leak is caught."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import pytest
from attrs import frozen

from accountant import Interval, PrivacyLoss, default_registry
from accountant.loss import ResponseLoss
from accountant.plugin import DIVERGENCES, ParameterCase
from accountant.testing import laws
from accountant_approx import Approx, ApproxParameter, accountant_conformance_cases


@frozen
class HalfTheRest(Approx):
    """What is said to be lost without the leak is half of it."""

    def without_leak(self, parameter: ApproxParameter) -> PrivacyLoss:
        return ResponseLoss(parameter.epsilon / 2)


@frozen
class EpsilonIsTheLeak(Approx):
    """The wrong number is said to be a chance."""

    leak: ClassVar[str | None] = "epsilon"


@frozen
class ChargesLeaksTwice(Approx):
    """A reading that charges more for losing everything than its chance."""

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        return loss.epsilon(at["delta"] - Fraction(loss.infinite().lower) / 4)


@pytest.mark.parametrize("case", list(accountant_conformance_cases()), ids=lambda case: case.name)
def test_what_is_said_of_a_leak_holds(case: ParameterCase) -> None:
    laws.leaks_are_told(Approx(), case.parameter)


@pytest.mark.parametrize(
    ("planted", "message"),
    [
        (HalfTheRest(), "what 'approx' says is lost without its leak must cover its worst case"),
        (EpsilonIsTheLeak(), "must cost no more of 'approx' than that chance"),
        (ChargesLeaksTwice(), "must cost no more of 'approx' than that chance"),
    ],
)
def test_a_leak_that_is_not_told_is_caught(planted: Approx, message: str) -> None:
    parameter = ApproxParameter("1/2", "0.01")
    with pytest.raises(AssertionError, match=message):
        laws.leaks_are_told(planted, parameter)


def test_only_approximate_privacy_speaks_of_a_leak() -> None:
    leaking = [name for name, definition in default_registry()[DIVERGENCES].items() if definition.leak is not None]
    assert leaking == ["approx"]
    assert Approx().without_leak(ApproxParameter(0, "0.1")).supremum().upper == 0.0
