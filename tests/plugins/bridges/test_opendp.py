"""Measurements of OpenDP: what is sure is read, and everything else is refused with a hint at a claim."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import accountant as ac

STORED = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))["opendp"]
WRITTEN = {case["name"]: case["history"] for case in STORED}


def refused(history: Any, neighbours: str | None = None) -> str:
    with pytest.raises(ac.PlanError) as caught:
        ac.read_history("opendp", history, neighbours=neighbours)
    return str(caught.value)


def changed(name: str, change: Callable[[Any], object]) -> Any:
    history = deepcopy(WRITTEN[name])
    change(history["__kwargs__"])
    return history


def test_a_count_of_all_records_moves_where_one_comes_or_goes() -> None:
    history = ac.read_history("opendp", WRITTEN["count"])
    assert ac.account(history.plan).measure("pure").value.exact == Fraction(1, 2)
    assert history.plan.specification.neighbours.relation.name == "add-remove"
    assert any("symmetric distance 1" in remark for remark in history.remarks)


def test_randomised_response_is_about_replaced_records() -> None:
    history = ac.read_history("opendp", WRITTEN["yes or no"])
    assert history.plan.specification.neighbours.relation.name == "replace-one"
    assert "is about 'replace-one' neighbours" in refused(WRITTEN["yes or no"], "add-remove")


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("sum", lambda given: given["transformation0"]["__kwargs__"].update(input_metric=None), "missing 'input_metric'"),
        ("sum", lambda given: given["measurement1"]["__kwargs__"].update(k=-10), "unknown key 'k'"),
        ("sum", lambda given: given["measurement1"]["__kwargs__"].update(scale=0), "must be above 0, got 0"),
        ("sum", lambda given: given["measurement1"]["__kwargs__"].update(MO="RenyiDivergence"), "expected 'MaxDivergence'"),
        (
            "sum",
            lambda given: given["measurement1"].update(__function__="make_noisy_max"),
            "is not read here; state what its map",
        ),
        ("sum", lambda given: given["measurement1"].update(__module__="os"), "os.make_laplace is not read here"),
        ("sum", lambda given: given["measurement1"].update(__version__="0.9.1"), "only 0.16.x is known"),
        (
            "sum",
            lambda given: given.update(transformation0=WRITTEN["count"]["__kwargs__"]["transformation0"]),
            "another transformation",
        ),
        ("sum", lambda given: given.update(transformation0=WRITTEN["count"]), "is no query that is read here"),
        ("composed", lambda given: given.update(measurements=[]), "at least one measurement"),
        ("composed", lambda given: given["measurements"].append(3), "expected a table, got 3"),
        ("one of three", lambda given: given.update(categories=["a", "a"]), "two different answers"),
        ("one of three", lambda given: given.update(prob=1.5), "must be below 1"),
        ("yes or no", lambda given: given.update(constant_time=1), "expected true or false"),
    ],
)
def test_what_is_not_understood_is_refused(name: str, change: Callable[[Any], object], words: str) -> None:
    assert words in refused(changed(name, change))


def test_noise_alone_and_noise_on_floats_are_left_to_a_claim() -> None:
    alone = WRITTEN["sum"]["__kwargs__"]["measurement1"]
    assert "does not say how far its input moves" in refused(alone)
    floats = json.loads(json.dumps(WRITTEN["sum"]).replace('"i32"', '"f64"'))
    assert "noise on others is drawn on a lattice; state what its map says as a claim" in refused(floats)
    unbounded = json.loads(json.dumps(WRITTEN["sum"]).replace('{"__tuple__": [0, 10]}', "null"))
    assert "a sum needs bounds on its records" in refused(unbounded)
    wrapped = {
        **WRITTEN["sum"],
        "__function__": "make_fix_delta",
        "__kwargs__": {"measurement": WRITTEN["sum"], "delta": 1e-6},
    }
    assert "combinators.make_fix_delta is not read here" in refused(wrapped)
