"""Every law of bridges catches a bridge that breaks it, and says in which history."""

from __future__ import annotations

import pytest

from accountant.plugin import BRIDGES
from accountant.testing import operators, plant, trials
from tests.laws import honest
from tests.laws.quick import QUICK

ERRORS = {operator.name: operator for operator in operators(BRIDGES)}


def complaint(error: str, law: str, of: str = "spent") -> str:
    registry = plant(ERRORS[error], of, honest.registry())
    assert registry is not None
    (tried,) = [trial for trial in trials("planted", registry=registry, depth=QUICK) if trial.law == law]
    with pytest.raises(AssertionError) as caught:
        tried()
    return str(caught.value)


@pytest.mark.parametrize(
    ("error", "law", "words"),
    [
        ("count forgotten", "histories cost what happened", "a history must cost what happened"),
        ("large counts cut", "histories cost what happened", "a history must cost what happened"),
        ("last release left out", "histories cost what happened", "a history must cost what happened"),
        ("more noise than there is", "known histories become known releases", "must become its known releases"),
        ("further keys overlooked", "nothing in a history is overlooked", "a key that is not known must be refused"),
        ("further entries overlooked", "nothing in a history is overlooked", "must be refused"),
        ("another each time", "histories become plans", "read twice"),
        ("faults without a place", "hostile histories are refused in words", "what is wrong and where"),
        ("faults as they come", "hostile histories are refused in words", "raised: KeyError"),
        ("whatever is named imported", "histories run nothing", "accountant_bait"),
        ("numbers evaluated", "histories run nothing", "accountant_bait"),
    ],
)
def test_the_law_catches_the_error_and_shows_a_history(error: str, law: str, words: str) -> None:
    told = complaint(error, law)
    assert words in told
    assert "    history: " in told


@pytest.mark.parametrize("of", ["opacus", "dp-accounting", "opendp"])
@pytest.mark.parametrize(
    ("error", "law"),
    [
        ("more noise than there is", "known histories become known releases"),
        ("further keys overlooked", "nothing in a history is overlooked"),
    ],
)
def test_the_same_error_is_caught_in_ours(error: str, law: str, of: str) -> None:
    assert f"'{of}-planted'" in complaint(error, law, of)


def test_a_bridge_without_an_oracle_is_told_what_to_offer() -> None:
    assert 'yield BridgeOracle("spent-planted"' in complaint("oracle left out", "bridges show what they read")
