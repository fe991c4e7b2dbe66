"""Common ground: both promises on the datasets that agree on what either publishes exactly, against enumeration."""

from __future__ import annotations

import json

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner

from accountant import Budget, Domain, Entity, Invariant, Neighbours, Specification, Verdict, implies
from accountant.analysis import common
from accountant.analysis.common import CommonGround, common_ground
from accountant.cli import main
from tests.analysis import flat_worlds
from tests.analysis.test_implication_worlds import random_promises
from tests.analysis.worlds import steps, truth

PURE = Budget.of("pure", epsilon="1")
ZCDP = Budget.of("zcdp", rho="0.1")


def promise(budget: Budget, *tables: str, domain: Domain | None = None, entities: tuple[Entity, ...] = ()) -> Specification:
    invariants = tuple(Invariant(f"by {name}", [name]) for name in tables)
    return Specification(Neighbours.of("replace-one", entities=entities), invariants, domain or Domain(), (budget,))


def both(first: Specification, second: Specification) -> CommonGround:
    found = common_ground(first, second)
    assert isinstance(found, CommonGround)
    return found


def compared(promised: Specification) -> np.ndarray:
    return np.isfinite(steps(promised))


@pytest.mark.slow
def test_what_is_said_on_common_ground_follows_and_nothing_that_both_compare_is_left_out() -> None:
    for seed in range(60):
        first, second, factor, power = random_promises(seed)
        found = both(first, second)
        for old, new in ((first, found.first), (second, found.second)):
            assert truth(old, new, 1.0, 1.0, power) is not False
        agreeing = compared(first) & compared(second)
        assert (agreeing <= (compared(found.first) & compared(found.second))).all()
        assert truth(found.first, found.second, 1.0, float(factor), power) is not False or not found.implied[0]
        assert truth(found.second, found.first, float(factor), 1.0, power) is not False or not found.implied[1]


def test_ground_that_forgets_what_one_of_them_publishes_is_caught() -> None:
    caught = 0
    for seed in range(60):
        first, second, _, power = random_promises(seed)
        caught += truth(first, Specification(first.neighbours, second.invariants), 1.0, 1.0, power) is False
    assert caught > 5


def gone_beyond(seeds: range) -> int:
    """How often somebody who keeps a promise of any kind breaks what it is said to be on common ground."""
    found = 0
    for seed in seeds:
        promises = flat_worlds.random_promises(seed)
        ground = common_ground(*(item.specification for item in promises))
        if isinstance(ground, CommonGround):
            there = zip(promises, (ground.first, ground.second), strict=True)
            found += any(flat_worlds.broken(item, evolve(item, specification=said)) for item, said in there)
    return found


def test_a_table_that_is_the_same_in_a_whole_domain_still_is_on_common_ground() -> None:
    """Where only datasets with one table are promised anything, a finer one that is published says nothing of others."""
    near, same = Neighbours.of("replace-one"), Invariant("by age", ["age"], fixed=True)
    known = Specification(near, (same,), budgets=(PURE,))
    for table in (["age"], ["age", "sex"]):
        published = Specification(near, (Invariant("published", table),), budgets=(ZCDP,))
        for pair in ((known, published), (published, known)):
            found = both(*pair)
            assert same.counting("person") in found.invariants
            assert implies(known, found.second if pair[1] is known else found.first).verdict is Verdict.IMPLIED


def test_no_promise_of_any_kind_goes_farther_on_common_ground_than_it_goes_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not gone_beyond(range(105, 120))
    # What is the same in a domain says which datasets that has; a table that is published everywhere does not.
    monkeypatch.setattr(common, "_says", Invariant.determines)
    assert gone_beyond(range(110, 115))


@pytest.mark.sweep
def test_no_promise_of_many_kinds_goes_farther_on_common_ground_than_it_goes_itself() -> None:
    assert not gone_beyond(range(120, 2_000))


def test_both_budgets_are_told_in_words_each_in_the_definition_of_the_other_too() -> None:
    found = both(promise(PURE, "state"), promise(ZCDP, "age"))
    words = found.words(("Alpha", "Beta"))
    assert words[0] == "Both speak about datasets of 'all datasets' that agree on 'by state' and 'by age'."
    # Randomised response with epsilon 1 has rho = tanh(1/2) = 0.46212.
    assert "Alpha promises pure differential privacy with epsilon = 1, between" in words[1]
    assert "that gives zcdp rho of at most 0.462118" in words[1]
    assert "it gives no bound in the definition pure" in words[2]
    assert found.implied == (False, False)


def test_on_common_ground_one_may_imply_the_other() -> None:
    found = both(promise(PURE, "state"), promise(Budget.of("pure", epsilon="2"), "age"))
    assert found.implied == (True, False)
    assert found.words(("A", "B"))[-1] == "There A implies B: whatever keeps the first keeps the second."


def test_what_a_finer_table_fixes_is_said_once() -> None:
    fine = Specification(Neighbours.of("replace-one"), (Invariant("fine", ["age", "state"]),), budgets=(PURE,))
    assert [known.name for known in both(promise(ZCDP, "state"), fine).invariants] == ["fine"]


def test_where_nothing_is_compared_that_is_said() -> None:
    narrow = Domain(attributes=["state"])
    found = both(promise(PURE, "state", domain=narrow), promise(ZCDP, domain=narrow))
    assert "compares no two datasets, and promises nothing" in found.words(("A", "B"))[1]


def test_where_it_is_not_known_that_both_speak_of_the_same_there_is_no_common_ground() -> None:
    apart = common_ground(promise(PURE, domain=Domain("one county")), promise(ZCDP, domain=Domain("one state")))
    assert apart == "whether 'one county' and 'one state' have datasets in common is not known"
    entities = (Entity("person", "household"), Entity("household"))
    assert isinstance(common_ground(promise(PURE, entities=entities), promise(ZCDP)), str)


def test_compare_prints_common_ground_and_hands_it_out_as_json() -> None:
    files = ["examples/census-methods/topdown.toml", "examples/census-methods/swapping.toml"]
    printed = CliRunner().invoke(main, ["compare", *files])
    assert printed.exit_code == 1
    assert "Common ground of TopDown and Swapping" in printed.output
    found = json.loads(CliRunner().invoke(main, ["compare", *files, "--json"]).output)
    assert "rho = 15.29" in found["common"][0]["words"][1]
    refused = CliRunner().invoke(main, ["compare", *files, "--at-most", "20 person per household"])
    assert refused.exit_code == 2
    assert "say 'at_most' there" in refused.output
