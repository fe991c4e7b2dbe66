"""Instances of a class are drawn from what its fields declare."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Literal

import attrs
import pytest
from attrs import field, frozen
from hypothesis import given, settings, strategies as st

from accountant import default_registry, fields
from accountant.loss import NO_LOSS, PrivacyLoss
from accountant.plugin import Mechanism, MechanismOracle, Shift
from accountant.release.query import QUERIES
from accountant.release.release import MECHANISMS
from accountant.release.sampling import SAMPLINGS
from accountant.testing.instances import edge_cases, instances, underivable

KNOWN = default_registry()
ALL: list[type[Any]] = [*KNOWN[MECHANISMS].values(), *KNOWN[QUERIES].values(), *KNOWN[SAMPLINGS].values()]


@frozen
class Many:
    """A class with a parameter of every kind that can be derived."""

    inner: Fraction = field(converter=fields.exact, validator=[fields.above("1/3"), fields.at_most(2)])
    places: int = field(converter=fields.whole, validator=fields.at_least(2))
    noise: Literal["one", "other"]
    either: str = field(validator=attrs.validators.in_(("left", "right")))
    flag: bool
    mechanism: Any = field(converter=fields.mechanism)
    weights: tuple[Fraction, ...] = field(converter=fields.exact_list)
    wide: Fraction | None = field(default=None, converter=fields.optional_exact)

    def __attrs_post_init__(self) -> None:
        if self.inner == 1:
            fields.above(2)(self, None, self.inner)


def upper(letter: str) -> str:
    return letter.upper()


@frozen
class Sealed(Mechanism):
    """A parameter with a converter of its own, and nothing that says what it takes."""

    kind: ClassVar[str] = "sealed"

    letter: str = field(converter=upper, metadata=fields.about("a letter"))

    def loss(self, shift: Shift) -> PrivacyLoss:
        return NO_LOSS


@settings(max_examples=40, deadline=None)
@given(value=instances(Many, KNOWN))
def test_what_is_drawn_is_what_the_fields_declare(value: Many) -> None:
    assert Fraction(1, 3) < value.inner <= 2
    assert value.places >= 2
    assert value.noise in ("one", "other")
    assert value.either in ("left", "right")
    assert isinstance(value.mechanism, Mechanism)


def test_edge_cases_reach_every_bound_and_every_choice() -> None:
    found = edge_cases(Many, KNOWN, most=200)
    assert {value.noise for value in found} == {"one", "other"}
    assert {value.flag for value in found} == {False, True}
    inner = {value.inner for value in found}
    assert 2 in inner
    assert min(inner) < Fraction(1, 3) + Fraction(1, 100)
    assert 1 not in inner, "what the class refuses is left out"
    assert {2, 3, 4, 5, 6, 7, 8, 9} <= {value.places for value in found}
    assert {None, 0} <= {value.wide for value in found}
    assert any(value.wide is not None and value.wide >= 1000 for value in found)


def test_edge_cases_are_the_same_in_every_run_and_few() -> None:
    first, second = edge_cases(Many, KNOWN), edge_cases(Many, KNOWN)
    assert first == second
    assert len(first) == 24


@pytest.mark.parametrize("cls", [cls for cls in ALL if not underivable(cls)], ids=lambda cls: cls.kind)
def test_whatever_is_registered_can_be_drawn(cls: type[Any]) -> None:
    found = edge_cases(cls, KNOWN)
    assert found
    assert all(isinstance(value, cls) for value in found)


def test_only_claims_do_not_say_what_may_be_drawn() -> None:
    assert [cls.kind for cls in ALL if underivable(cls)] == ["claim"]


def test_a_parameter_that_says_nothing_is_named_and_asked_for() -> None:
    assert underivable(Sealed) == ["letter"]
    with pytest.raises(AssertionError, match="no values of 'sealed' can be drawn") as caught:
        instances(Sealed, KNOWN)
    assert "'letter'" in str(caught.value)
    assert "instances=lambda: st.builds(Sealed, ...)" in str(caught.value)


def test_the_strategy_of_an_oracle_is_used_where_it_is_given() -> None:
    given_there = st.builds(Sealed, st.just("x"))
    oracle = MechanismOracle("sealed", law=lambda mechanism, answer: {}, instances=lambda: given_there)
    assert instances(Sealed, KNOWN, oracle) is given_there
