"""What a ledger lets out, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import accountant
from accountant import AdaptivityError, BudgetExceeded, LedgerError, PlanError, ReservationCancelled
from accountant.ledger import Line
from tests.ledger.cases import FIXED, Place, claim, gaussian, terms

Fresh = Callable[[], Place]


def only(lines: tuple[Line, ...]) -> Line:
    (line,) = lines
    return line


def test_what_is_reserved_is_set_aside_and_what_is_cancelled_comes_back(place: Place) -> None:
    with place.create(terms()) as ledger:
        first = ledger.reserve(claim("0.6"))
        assert not ledger.quote(claim("0.5")).fits
        with pytest.raises(BudgetExceeded):
            ledger.reserve(claim("0.5"))
        ledger.cancel(first.number, reason="never ran")
        second = ledger.reserve(claim("0.5"))
        ledger.commit(second.number)
        line = only(ledger.status().lines)
        assert (line.spent, line.reserved, line.left) == (Fraction(1, 2), 0, Fraction(1, 2))
        assert [entry.kind for entry in ledger.history()] == ["opened", "reserved", "cancelled", "reserved", "committed"]
        assert ledger.verify() == ()


def test_a_budget_that_is_met_with_equality_is_kept(place: Place) -> None:
    with place.create(terms({"divergence": "zcdp", "rho": "1"})) as ledger:
        for _ in range(18):
            ledger.reserve(ledger.batch(gaussian("3")), commit=True)  # each costs exactly 1/18
        assert only(ledger.status().lines).left == 0
        with pytest.raises(BudgetExceeded):
            ledger.reserve(claim("1e-300"))


def test_a_refusal_carries_spent_reserved_asked_and_left_of_every_budget(place: Place) -> None:
    budgets = ({"divergence": "zcdp", "rho": "1"}, {"divergence": "gdp", "mu": "2"})
    with place.create(terms(*budgets)) as ledger:
        ledger.reserve(ledger.batch(gaussian("1")), commit=True)  # rho 1/2, mu 1
        ledger.reserve(ledger.batch(gaussian("2")))  # rho 1/8, mu 1/2
        before = list(ledger.history())
        with pytest.raises(BudgetExceeded) as caught:
            ledger.reserve(ledger.batch(gaussian("1")))
        assert list(ledger.history()) == before
    rho, mu = caught.value.lines
    assert (rho.limit, rho.spent, rho.reserved, rho.asked, rho.left) == tuple(
        Fraction(text) for text in ("1", "1/2", "1/8", "1/2", "3/8")
    )
    assert not rho.fits
    # mu adds up by squares: 1, then sqrt(5)/2, then 3/2.
    assert mu.spent == 1
    assert float(mu.spent + mu.reserved) == pytest.approx(5**0.5 / 2, rel=1e-12)
    assert mu.asked is not None
    assert float(mu.spent + mu.reserved + mu.asked) == pytest.approx(1.5, rel=1e-12)
    assert mu.fits
    assert "asked 0.5, left 0.375 of 1 (spent 0.5, reserved 0.125)" in str(caught.value)


def test_a_retried_request_spends_once(place: Place) -> None:
    with place.create(terms()) as ledger:
        first = ledger.reserve(claim("0.6"), key="wave 1")
        again = ledger.reserve(claim("0.6"), key="wave 1", commit=True)
        assert (first.number, first.repeated, again.number, again.repeated) == (1, False, 1, True)
        assert again.state == "committed"
        assert ledger.reserve(claim("0.6"), key="wave 1", commit=True).state == "committed"
        assert only(ledger.status().lines).spent == Fraction(3, 5)
        with pytest.raises(LedgerError, match="the key 'wave 1' was used for other releases"):
            ledger.reserve(claim("0.1"), key="wave 1")


def test_a_reservation_is_settled_once(place: Place) -> None:
    with place.create(terms()) as ledger:
        kept, dropped = ledger.reserve(claim("0.1")).number, ledger.reserve(claim("0.1")).number
        ledger.commit(kept)
        assert ledger.commit(kept).repeated
        ledger.cancel(dropped)
        with pytest.raises(LedgerError, match="was committed already and cannot be cancelled"):
            ledger.cancel(kept)
        with pytest.raises(LedgerError, match="was cancelled already and cannot be committed"):
            ledger.commit(dropped)
        with pytest.raises(LedgerError, match=r"99 is no reservation of .*: there is no such entry"):
            ledger.commit(99)
        with pytest.raises(LedgerError, match="entry 0 says 'opened'"):
            ledger.commit(0)
        ledger.cancel(ledger.reserve(claim("0.1"), key="k").number)
        written = list(ledger.history())
        for commit in (False, True):
            with pytest.raises(
                ReservationCancelled, match="nothing is set aside under the key 'k'; reserve again with a new"
            ):
                ledger.reserve(claim("0.1"), key="k", commit=commit)
        assert list(ledger.history()) == written


def test_a_ledger_is_found_again_with_the_same_terms(place: Place) -> None:
    budget = {"divergence": "approx", "epsilon": "1", "delta": "1e-5", "filter": {"divergence": "gdp", "slack": "1e-6"}}
    agreed = terms(budget, {"divergence": "renyi", "order": "8", "gamma": "1"})
    with place.create(agreed) as ledger:
        ledger.reserve(ledger.batch(gaussian("50")), commit=True)
        before = ledger.status()
    with place.open() as ledger:
        assert ledger.terms == agreed
        assert ledger.status() == before
        assert ledger.verify() == ()
    with pytest.raises(LedgerError, match="already"):
        place.create(agreed)


def test_releases_in_the_terms_are_committed_at_once_or_nothing_is_made(fresh: Fresh) -> None:
    with fresh().create(terms(release=[gaussian("1", "a"), gaussian("2", "b")])) as ledger:
        assert only(ledger.status().lines).spent == Fraction(5, 8)
    place = fresh()
    with pytest.raises(BudgetExceeded):
        place.create(terms(release=[gaussian("0.5")]))
    with pytest.raises(LedgerError, match="no ledger"):
        place.open()
    with place.create(terms()) as ledger:
        assert ledger.status().entries == 1


def test_a_batch_is_let_out_whole_or_not_at_all(place: Place) -> None:
    with place.create(terms()) as ledger:
        with pytest.raises(BudgetExceeded, match="'a', 'b' would exceed"):
            ledger.reserve([claim("0.6", "a"), claim("0.6", "b")])
        assert ledger.status().entries == 1
        assert ledger.reserve([claim("0.6", "a"), claim("0.1", "b", 4)]).names == ("a", "b")
        assert only(ledger.status().lines).left == 0


def test_what_if_tries_releases_in_order_and_changes_nothing(place: Place) -> None:
    with place.create(terms()) as ledger:
        open_number = ledger.reserve(claim("0.5")).number
        found = ledger.what_if([claim("0.4", "a"), claim("0.2", "b"), claim("0.1", "c")])
        assert (found.accepted, found.refused, found.repeats) == (("a", "c"), ("b",), 0)
        found = ledger.what_if(claim("0.2", "b"), cancelled=[open_number])
        assert (found.accepted, found.refused, found.repeats) == (("b",), (), 4)
        assert ledger.what_if(claim("0", "free")).repeats is None
        assert ledger.status().entries == 2


def test_what_if_gives_a_reservation_back_once(place: Place) -> None:
    with place.create(terms({"divergence": "zcdp", "rho": "2"})) as ledger:
        held = ledger.reserve(claim("1")).number
        ledger.reserve(claim("1"), commit=True)
        for cancelled in ([held], [held, held], [held] * 3):
            found = ledger.what_if([claim("1", "a"), claim("1", "b")], cancelled=cancelled)
            assert (found.accepted, found.refused, found.repeats) == (("a",), ("b",), 0)
            assert only(found.lines).left == 0


def test_a_release_without_a_finite_price_is_refused(place: Place) -> None:
    with place.create(terms()) as ledger:
        exact = ledger.batch({"name": "raw", "mechanism": {"kind": "non-private"}})
        assert not ledger.quote(exact).fits
        with pytest.raises(BudgetExceeded, match="asked inf"):
            ledger.reserve(exact)


def test_an_exported_plan_certifies_to_the_same_account(place: Place) -> None:
    budgets = (
        {"divergence": "zcdp", "rho": "1"},
        {"divergence": "gdp", "mu": "3"},
        {"divergence": "renyi", "order": "4", "gamma": "9"},
    )
    with place.create(terms(*budgets)) as ledger:
        for sigma in ("4", "4", "5"):
            ledger.reserve(ledger.batch(gaussian(sigma, "c")), commit=True)
        ledger.cancel(ledger.reserve(ledger.batch(gaussian("6"))).number)
        waiting = ledger.reserve(ledger.batch(gaussian("7", "later")))
        plan, lines = ledger.plan(), ledger.status().lines
        assert [(release.name, release.times) for release in plan.releases] == [("c", 2), ("c, entry 5", 1)]
        whole = accountant.account(plan)
        assert whole.measure("zcdp").value.exact == lines[0].spent == Fraction(1, 16) + Fraction(1, 50)
        assert 0 <= lines[2].spent - 4 * lines[0].spent < Fraction(1, 10**12)  # gamma is order times rho here
        assert 0 <= lines[1].spent ** 2 - 2 * lines[0].spent < Fraction(1, 10**12)  # and mu squared twice rho
        for line, name, at in ((lines[1], "gdp", {}), (lines[2], "renyi", {"order": 4})):
            assert float(line.spent) == pytest.approx(whole.measure(name, at).value.upper, rel=1e-12)
        assert accountant.certify(plan).kept
        assert [release.name for release in ledger.plan(reserved=True).releases] == ["c", "c, entry 5", "later"]
        assert waiting.state == "reserved"


def test_an_empty_ledger_is_no_plan(place: Place) -> None:
    with place.create(terms()) as ledger, pytest.raises(LedgerError, match="nothing is committed yet"):
        ledger.plan()


def test_a_fixed_plan_is_read_as_a_product_and_exported_to_the_same_value(place: Place) -> None:
    budget = {"divergence": "approx", "epsilon": "2", "delta": "1e-6"}
    with place.create(terms(budget, **FIXED)) as ledger:
        for sigma in ("8", "8", "9"):
            ledger.reserve(ledger.batch(gaussian(sigma)), commit=True)
        held = ledger.reserve(ledger.batch(gaussian("9")))
        line = only(ledger.status().lines)
        value = accountant.account(ledger.plan()).measure("approx", delta="1e-6").value
        assert ledger.measure("approx", delta="1e-6").value == value
        assert ledger.account().measure("approx", delta="1e-6").value == value
        assert value.upper == line.spent
        assert ledger.measure("zcdp").value.exact == Fraction(2, 128) + Fraction(1, 162)
        assert ledger.measure("zcdp").derivation[0].theorem.assurance == "claimed"
        with pytest.raises(BudgetExceeded) as caught:
            ledger.reserve(ledger.batch(gaussian("2")))
        refused = only(caught.value.lines)
        assert refused.asked is not None
        assert refused.spent + refused.reserved + refused.asked > 2
        ledger.cancel(held.number)
        assert ledger.verify() == ()


@pytest.mark.slow
def test_a_fixed_plan_allows_more_than_a_filter_would(fresh: Fresh) -> None:
    budget = {"divergence": "approx", "epsilon": "1", "delta": "1e-6"}
    counts = []
    for further in ({}, FIXED):
        with fresh().create(terms(budget, **further)) as ledger:
            counts.append(ledger.what_if(ledger.batch(gaussian("40"))).repeats)
    assert counts[0] is not None
    assert counts[1] is not None
    assert 0 < counts[0] < counts[1]


def test_a_product_of_pairs_is_refused_under_full_adaptivity_with_the_reason(place: Place) -> None:
    with place.create(terms()) as ledger:
        with pytest.raises(AdaptivityError, match="only if no release and no parameter was chosen after seeing an output"):
            ledger.account()
        promised = ledger.measure("approx", delta="1e-6")
        assert promised.evidence == "filter in zcdp"
        assert {"filter", "zcdp-composition"} <= {step.theorem.name for step in promised.derivation}
        assert all(step.theorem.assurance != "claimed" for step in promised.derivation)
        assert all(use < number for number, step in enumerate(promised.derivation, 1) for use in step.uses)


def test_several_ledgers_live_in_one_database(place: Place) -> None:
    other = Place(place.location, place.name + " of another dataset")
    with place.create(terms()) as ledger, other.create(terms({"divergence": "pure", "epsilon": "1"})) as second:
        ledger.reserve(claim("1"), key="k", commit=True)
        second.reserve(claim("0"), key="k", commit=True)
        assert only(second.status().lines).spent == 0
        assert ledger.verify() == second.verify() == ()
    missing = Place(place.location, "nobody")
    with pytest.raises(LedgerError, match=r"holds no ledger 'nobody'; there are: .*another dataset"):
        missing.open()


SPECIFIED = {"neighbours": "add-remove", "unit": "person"}


def described(mechanism: dict[str, str], **specification: object) -> dict[str, object]:
    return {"specification": {**SPECIFIED, **specification}, "release": [{"name": "r", "mechanism": mechanism}]}


RHO = {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ({"unit": "household"}, "how many of unit household one person has at most is not declared"),
        ({"neighbours": "replace-one"}, "of 'replace-one' neighbours of unit person .*, the ledger of 'add-remove'"),
        (
            {"invariants": ["total"]},
            "that agree on 'total', the ledger of .*: whether datasets that it compares agree on 'total' is not known",
        ),
        ({"domain": "adults"}, "whether 'adults' covers 'all datasets' is not known"),
    ],
)
def test_releases_under_another_specification_are_refused(
    place: Place, specification: dict[str, object], message: str
) -> None:
    with place.create(terms()) as ledger, pytest.raises(PlanError, match=message):
        ledger.quote(ledger.batch(described(RHO, **specification)))


def test_what_holds_for_more_pairs_is_charged_as_it_is(place: Place) -> None:
    restricted = {
        "neighbours": "replace-one",
        "attributes": ["age"],
        "invariants": ["number of people"],
        "domain": "adults",
    }
    with place.create(terms(specification=restricted)) as ledger:
        ledger.reserve(ledger.batch(described(RHO, neighbours="replace-one")), commit=True)
        assert only(ledger.status().lines).spent == Fraction(1, 10)
        assert ledger.verify() == ()
        assert accountant.account(ledger.plan()).measure("zcdp").value.exact == Fraction(1, 10)
        with pytest.raises(PlanError, match="compares units in sex only"):
            ledger.quote(ledger.batch(described(RHO, neighbours="replace-one", attributes=["sex"])))


def test_replacing_is_charged_as_two_steps_of_adding_and_removing(place: Place) -> None:
    budgets = [{"divergence": "zcdp", "rho": "1"}, {"divergence": "gdp", "mu": "9"}, {"divergence": "pure", "epsilon": "5"}]
    with place.create(terms(*budgets, specification={"neighbours": "replace-one"})) as ledger:
        told = described({"kind": "claim", "divergence": "pure", "epsilon": "0.5"})
        ledger.reserve(ledger.batch(told), commit=True)
        rho, mu, epsilon = ledger.status().lines
        response = accountant.account(accountant.read_plan(told))
        assert epsilon.spent == 1
        assert next(ledger.history(1)).data["bridge"] == {"group": 2, "theorem": "group-privacy"}
        assert float(rho.spent) == pytest.approx(4 * response.measure("zcdp").value.upper, rel=1e-12)
        assert float(mu.spent) == pytest.approx(2 * response.measure("gdp").value.upper, rel=1e-12)
        assert ledger.verify() == ()
        with pytest.raises(LedgerError, match="charged as a group"):
            ledger.plan()


def test_a_group_is_charged_as_so_many_steps(place: Place) -> None:
    promised = {"neighbours": "add-remove", "group": 3}
    with place.create(terms(specification=promised)) as ledger:
        ledger.reserve(ledger.batch(described(RHO)), commit=True)
        assert only(ledger.status().lines).spent == Fraction(9, 10)  # 3 squared times 0.1
        with pytest.raises(BudgetExceeded):
            ledger.reserve(ledger.batch(described({**RHO, "rho": "0.02"}, group=1)))
        assert ledger.quote(ledger.batch(described({**RHO, "rho": "1/90"}, group=3))).fits  # a claim is about one unit
        assert ledger.verify() == ()


def scoped(part: str, sigma: str, partition: str = "region") -> dict[str, object]:
    scope = {"partition": partition, "part": part}
    return {**gaussian(sigma, f"{partition} {part}"), "query": {"kind": "count", "attributes": ["sex"]}, "scope": scope}


ONE = "0.75"
"""Noise that costs a rho of 8/9."""


def test_parts_of_a_partition_share_a_budget_in_parallel(place: Place) -> None:
    with place.create(terms()) as ledger:
        for part in ("north", "south", "west"):
            ledger.reserve(ledger.batch(scoped(part, ONE)), commit=True)
        assert only(ledger.status().lines).spent == Fraction(8, 9)
        assert accountant.account(ledger.plan()).measure("zcdp").value.exact == Fraction(8, 9)
        with pytest.raises(BudgetExceeded):
            ledger.reserve(ledger.batch(scoped("south", "2")))  # 1/8 more for those in the south
        with pytest.raises(BudgetExceeded):
            ledger.reserve(ledger.batch(gaussian("2")))  # 1/8 more for everyone
        with pytest.raises(BudgetExceeded):
            ledger.reserve(ledger.batch(scoped("young", "2", "age")))  # everyone is in a part of each partition
        assert ledger.reserve(ledger.batch(gaussian("3"))).state == "reserved"  # 1/18 for everyone
        assert ledger.verify() == ()


def test_a_unit_that_may_move_is_seen_by_two_parts(fresh: Fresh) -> None:
    specification: dict[str, object] = {"neighbours": "replace-one"}
    with fresh().create(terms(specification=specification)) as ledger:
        for part in ("north", "south", "west"):
            ledger.reserve(ledger.batch(scoped(part, "1")), commit=True)
        spent = only(ledger.status().lines).spent
        assert spent == 1  # 1/2 where the unit leaves, 1/2 where it arrives
        assert accountant.account(ledger.plan()).measure("zcdp").value.exact == spent
        with pytest.raises(BudgetExceeded):
            ledger.reserve(ledger.batch(scoped("north", "100")))
    specification["attributes"] = ["sex"]
    with fresh().create(terms(specification=specification)) as ledger:
        for part in ("north", "south"):
            ledger.reserve(ledger.batch(scoped(part, ONE)), commit=True)
        assert only(ledger.status().lines).spent == Fraction(8, 9)


def test_parts_of_a_fixed_plan_compose_in_parallel(place: Place) -> None:
    with place.create(terms(**FIXED)) as ledger:
        for part in ("north", "south"):
            ledger.reserve(ledger.batch(scoped(part, ONE)), commit=True)
        assert only(ledger.status().lines).spent == Fraction(8, 9)
        assert ledger.verify() == ()


def test_a_fixed_plan_takes_no_bridge_of_parameters(place: Place) -> None:
    refused = pytest.raises(LedgerError, match="describe the releases under the ledger's own neighbours")
    with place.create(terms(specification={"neighbours": "replace-one"}, **FIXED)) as ledger, refused:
        ledger.quote(ledger.batch(described(RHO)))


def test_long_ratios_are_rounded_up_before_totals_grow_without_end(place: Place) -> None:
    with place.create(terms()) as ledger:
        primes = [n for n in range(10**6, 10**6 + 12_000) if all(n % d for d in range(2, 1100))]
        batch = [claim(f"1/{prime}", f"r{prime}") for prime in primes[:600]]
        exact = sum((Fraction(1, prime) for prime in primes[:600]), Fraction(0))
        for start in range(0, 600, 150):
            ledger.reserve(batch[start : start + 150], commit=True)
        spent = sum((entry.charge["0.0"] for entry in ledger.history() if entry.kind == "reserved"), Fraction(0))
        assert exact.denominator.bit_length() > 8192 >= spent.denominator.bit_length()
        assert exact <= spent <= exact + Fraction(4, 2**256)
        assert ledger.verify() == ()


def test_a_ledger_can_be_written_while_its_history_is_read(place: Place) -> None:
    with place.create(terms()) as ledger:
        numbers = [ledger.reserve(claim("0.01")).number for _ in range(3)]
        for entry in ledger.history(last=3):
            if entry.kind == "reserved":
                ledger.commit(entry.number)
        assert [entry.settles for entry in ledger.history(4)] == numbers


def test_threads_may_share_a_ledger(place: Place) -> None:
    def spend(_: int) -> int:
        try:
            return ledger.reserve(claim("0.15"), commit=True).number
        except BudgetExceeded:
            return 0

    with place.create(terms()) as ledger, ThreadPoolExecutor(8) as threads:
        assert sum(number > 0 for number in threads.map(spend, range(10))) == 6
        assert ledger.verify() == ()


def test_bad_names_and_places_are_one_clear_error(place: Place, tmp_path: object) -> None:
    with pytest.raises(LedgerError, match="at most 200 characters"):
        Place(place.location, "x" * 201).create(terms())
    with pytest.raises(LedgerError, match="one line of plain text"):
        Place(place.location, "a\nb").create(terms())
    with pytest.raises(LedgerError, match="there is no ledger in"):
        Place(f"{tmp_path}/nothing.ledger").open()
    with pytest.raises(LedgerError, match="there is no directory"):
        Place(f"{tmp_path}/nowhere/a.ledger").create(terms())
    with pytest.raises(LedgerError, match="SQLite or PostgreSQL, not in 'mysql'"):
        Place("mysql://somewhere/else").open()
    with pytest.raises(LedgerError, match="is no address"):
        Place("://").open()
    with pytest.raises(LedgerError, match="nothing was asked for"), place.create(terms()) as ledger:
        ledger.quote([])
