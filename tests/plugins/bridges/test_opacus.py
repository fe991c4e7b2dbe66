"""Histories of Opacus: triples become steps, and what the history assumes is said."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import accountant as ac

TRIPLES = [(1.1, 0.01, 6000), (1.5, 0.02, 2000)]


class Kept:
    """An accountant as Opacus has them."""

    history = TRIPLES

    @classmethod
    def mechanism(cls) -> str:
        return "gdp"


class Engine:
    accountant = Kept()


def read(history: Any, **named: Any) -> ac.History:
    return ac.read_history("opacus", history, **named)


def test_each_triple_is_a_run_of_dp_sgd() -> None:
    phases = [ac.dp_sgd(noise_multiplier=str(noise), sample_rate=str(rate), steps=steps) for noise, rate, steps in TRIPLES]
    account = ac.account(read(TRIPLES).plan)
    assert account.epsilon(delta="1e-5") == (phases[0] + phases[1]).epsilon(delta="1e-5")


@pytest.mark.parametrize(
    "history",
    [
        TRIPLES,
        OrderedDict(history=TRIPLES, mechanism="rdp"),
        Kept(),
        Engine(),
        [(np.float64(1.1), np.float64(0.01), np.int64(6000)), (1.5, 0.02, np.int32(2000))],
    ],
    ids=["triples", "state", "accountant", "engine", "numbers of NumPy"],
)
def test_the_same_history_in_any_form_is_the_same_plan(history: Any) -> None:
    assert read(history).plan == read(TRIPLES).plan


def test_what_the_history_does_not_say_is_said() -> None:
    told = " ".join(read(TRIPLES).remarks)
    for words in ("'add-remove' ones are taken", "poisson_sampling=False", "clipped", "Whose data one record is"):
        assert words in told
    assert "limit theorem" not in told
    assert "limit theorem" in " ".join(read(Kept()).remarks)
    asked = " ".join(read(TRIPLES, neighbours="replace-one", unit="patient").remarks)
    assert "Between which datasets" not in asked
    assert "Whose data" not in asked


def test_replaced_examples_cost_more() -> None:
    with_and_without, replaced = (
        ac.account(read(TRIPLES, neighbours=name).plan).epsilon(delta="1e-5") for name in ("add-remove", "replace-one")
    )
    assert replaced.lower > with_and_without.upper


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ([], "nothing was released"),
        ({"mechanism": "rdp"}, "expected what accountant.state_dict() holds"),
        ({"history": TRIPLES, "mechanism": "mine"}, "expected one of 'rdp', 'gdp', 'prv', got 'mine'"),
        ({"history": TRIPLES, "steps": 3}, "unknown key 'steps'"),
        ([(1.1, 0.01)], "expected noise_multiplier, sample_rate, steps"),
        ([(1.1, 0.01, 5, 6)], "expected noise_multiplier, sample_rate, steps"),
        ([(0, 0.01, 5)], "must be above 0, got 0 @ history[0].noise_multiplier"),
        ([(1.1, 1.01, 5)], "must be at most 1, got 1.01 @ history[0].sample_rate"),
        ([(1.1, 0.01, 5), (1.1, 0.01, 2.5)], "expected a whole number, got 2.5 @ history[1].steps"),
        ([(1.1, float("nan"), 5)], "expected a finite number, got nan"),
        ([(True, 0.01, 5)], "expected a number, got the boolean true"),
        ([(1.1, 0.01, 10**19)], "must be at most"),
        (3, "expected what accountant.state_dict() holds"),
        (object(), "got a value of type object"),
        (None, "expected a value, got null"),
    ],
)
def test_what_is_not_understood_is_refused(history: Any, words: str) -> None:
    with pytest.raises(ac.PlanError) as caught:
        read(history)
    assert words in str(caught.value)


def test_reading_changes_nothing() -> None:
    """The accountant of Opacus once lost its history when it was asked."""
    kept = Kept()
    read(kept)
    assert kept.history == TRIPLES
