"""Implications between promises of every relation, cohort and domain, against enumeration of small flat worlds."""

from __future__ import annotations

import importlib
from collections import Counter

import pytest
from attrs import evolve

from accountant import Budget, Cohort, Invariant, Neighbours, Specification, Verdict, implies
from accountant.plugin import Policy, Relation
from accountant_premetrics.values import Blowfish, Metric
from accountant_premetrics.zero_out import ZeroOut
from tests.analysis.flat_worlds import VALUES, Promise, broken, random_promises

ENDS = Cohort("a", values=["0", "3"])
LINE = Blowfish("a", VALUES["a"], [("0", "1"), ("1", "2"), ("2", "3")])


def check(seeds: range) -> Counter[str]:
    """How often each verdict is given; never a false one."""
    met = Counter[str]()
    for seed in seeds:
        known, wanted = random_promises(seed)
        verdict = implies(known.specification, wanted.specification).verdict
        met[verdict.value] += 1
        if verdict is Verdict.IMPLIED:
            assert not broken(known, wanted), (seed, known, wanted)
        if verdict is Verdict.VACUOUS or small_enough(wanted.specification):
            assert (verdict is Verdict.VACUOUS) is (broken(known, own(wanted)) is False), (seed, known, wanted)
        # Two records are too few for a witness of three units, or of two steps by groups of two.
        if verdict is Verdict.REFUTED and wanted.specification.neighbours.group == 1:
            assert broken(known, wanted), (seed, known, wanted)
    return met


def own(wanted: Promise) -> Promise:
    """The promise on the datasets that it speaks about itself: where no record is ever null, none is."""
    return evolve(wanted, nulls=isinstance(wanted.specification.neighbours.relation.policy, ZeroOut))


def small_enough(wanted: Specification) -> bool:
    """Whether two records show all that is compared: not of cells of some size, nor of what is the same in a domain."""
    sized = any(budget.cohort is not None and budget.cohort.values is None for budget in wanted.budgets)
    return not sized and not any(known.fixed for known in wanted.invariants)


def test_no_verdict_on_promises_of_any_kind_is_false() -> None:
    assert min(check(range(60)).values()) > 4


@pytest.mark.sweep
def test_no_verdict_on_many_promises_of_any_kind_is_false() -> None:
    check(range(60, 6_000))


def promised(relation: Relation | Policy, epsilon: str, **more: Invariant | Cohort) -> Specification:
    known = more.get("exact")
    budget = Budget.of("pure", epsilon=epsilon, cohort=more.get("cohort"))  # type: ignore[arg-type]
    return Specification(Neighbours(relation), () if known is None else (known,), budgets=(budget,))  # type: ignore[arg-type]


FAR = Blowfish("a", VALUES["a"], [("0", "3")])


@pytest.mark.parametrize(("near", "far"), [(LINE, FAR), (Metric("a", 1), Metric("a", 3))])
def test_a_cohort_is_not_left_and_entered_again_on_the_way(near: Policy, far: Policy) -> None:
    """Three steps lead from one value to the other, through values of which the first promises nothing."""
    known, wanted = promised(near, "1", cohort=ENDS), promised(far, "3", cohort=ENDS)
    assert implies(known, wanted).verdict is Verdict.UNKNOWN
    assert broken(Promise(known), Promise(wanted))
    assert implies(promised(near, "1"), wanted).verdict is Verdict.IMPLIED


@pytest.mark.parametrize("relation", ["replace-one", LINE, ZeroOut()], ids=["replace-one", "blowfish", "zero-out"])
def test_what_speaks_of_datasets_with_one_table_says_nothing_of_others(relation: Policy | str) -> None:
    near = Neighbours.of(relation).relation
    known, wanted = promised(near, "1", exact=Invariant("by a", ["a"], fixed=True)), promised(near, "1")
    assert implies(known, wanted).verdict in {Verdict.REFUTED, Verdict.UNKNOWN}
    speaking = Promise(known, (("0", "0"),), True)
    assert broken(speaking, Promise(wanted, nulls=True))
    # No step of the policies stays among datasets that all have the same of what it changes.
    compared = relation == "replace-one"
    assert (broken(Promise(wanted, nulls=True), speaking) is False) is not compared
    for other in (wanted, known):
        assert implies(other, known).verdict is (Verdict.IMPLIED if compared else Verdict.VACUOUS)


def test_nothing_is_refuted_by_datasets_that_a_promise_may_not_speak_about() -> None:
    by_a = Invariant("by a", ["a"], fixed=True)
    near = Neighbours.of("replace-one").relation
    assert implies(promised(near, "2"), promised(near, "1", exact=by_a)).verdict is Verdict.UNKNOWN
    assert implies(promised(near, "2"), promised(near, "1")).verdict is Verdict.REFUTED
    found = promised(near, "1", exact=by_a).universe.closest
    assert (found.least, found.most) == (1, None)


def test_a_promise_all_of_whose_cohorts_compare_nothing_is_vacuous_and_one_of_them_alone_is_kept() -> None:
    near, alone = Neighbours.of("replace-one", attributes=["a"]), Budget.of("pure", epsilon=1, cohort=Cohort("a", ["0"]))
    known = Specification(near, budgets=(Budget.of("pure", epsilon=2),))
    found = implies(known, evolve(known, budgets=(alone,)))
    assert (found.verdict, [reason.block for reason in found.reasons]) == (Verdict.VACUOUS, ["budget"])
    both = implies(known, evolve(known, budgets=(alone, *known.budgets)))
    assert both.verdict is Verdict.IMPLIED
    assert [reason.verdict for reason in both.reasons if reason.block == "budget"] == [Verdict.VACUOUS, Verdict.IMPLIED]


@pytest.mark.parametrize("forgotten", ["_parted", "cohorts"])
def test_verdicts_that_forget_who_differs_in_nothing_are_caught(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    among = importlib.import_module("accountant.promise.among")
    if forgotten == "_parted":
        monkeypatch.setattr(among, "_parted", lambda *_: False)
    else:
        right, implication = among.vacuous, importlib.import_module("accountant.analysis.implication")
        monkeypatch.setattr(implication, "vacuous", lambda wanted, _=None: right(wanted))
    with pytest.raises(AssertionError):
        check(range(60))


def test_verdicts_that_forget_the_way_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("accountant.analysis.compared"), "_agreed", lambda *_: True)
    with pytest.raises(AssertionError):
        check(range(60))
