"""Whatever happens in whatever order, a ledger agrees with a model that fits on one page."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from accountant import BudgetExceeded, Ledger, LedgerError
from tests.ledger.cases import Place, claim, terms

BUDGET = Fraction(1)
AMOUNTS = ["0", "1/7", "1/3", "0.25", "0.4", "1"]


class Model:
    """Reservations by number, each with its amount and state."""

    def __init__(self) -> None:
        self.amounts: dict[int, Fraction] = {}
        self.states: dict[int, str] = {}
        self.keys: dict[str, tuple[int, str]] = {}
        self.entries = 1

    def total(self, *states: str) -> Fraction:
        return sum((self.amounts[n] for n, state in self.states.items() if state in states), Fraction(0))

    @property
    def left(self) -> Fraction:
        return BUDGET - self.total("reserved", "committed")


def machine(fresh: Callable[[], Place]) -> type[RuleBasedStateMachine]:
    """A machine whose ledgers live in places of one kind."""

    class LedgerMachine(RuleBasedStateMachine):
        numbers = Bundle("numbers")

        def __init__(self) -> None:
            super().__init__()
            self.place = fresh()
            self.model = Model()
            # Two writers of one ledger, as two processes would have it.
            self.writers: list[Ledger] = [self.place.create(terms()), self.place.open()]

        def teardown(self) -> None:
            try:
                assert self.writers[0].verify() == ()
            finally:
                for writer in self.writers:
                    writer.close()

        @initialize(target=numbers)
        def start(self) -> object:
            return multiple()

        @rule(
            target=numbers,
            who=st.integers(0, 1),
            amount=st.sampled_from(AMOUNTS),
            key=st.none() | st.sampled_from(["a", "b", "c"]),
            at_once=st.booleans(),
        )
        def reserve(self, who: int, amount: str, key: str | None, at_once: bool) -> object:
            writer, model = self.writers[who], self.model

            def ask() -> int:
                return writer.reserve(claim(amount), key=key, commit=at_once).number

            if key in model.keys:
                number, first = model.keys[key]
                if first != amount or model.states[number] == "cancelled":
                    with pytest.raises(LedgerError):
                        ask()
                    return multiple()
                assert ask() == number
                if at_once and model.states[number] == "reserved":
                    model.states[number] = "committed"
                    model.entries += 1
                return multiple()
            if Fraction(amount) > model.left:
                assert not writer.quote(claim(amount)).fits
                with pytest.raises(BudgetExceeded) as caught:
                    ask()
                assert caught.value.lines[0].left == model.left
                return multiple()
            assert writer.quote(claim(amount)).fits
            number = ask()
            assert number == model.entries
            model.entries += 2 if at_once else 1
            model.amounts[number] = Fraction(amount)
            model.states[number] = "committed" if at_once else "reserved"
            if key is not None:
                model.keys[key] = (number, amount)
            return number

        @rule(who=st.integers(0, 1), number=numbers, state=st.sampled_from(["committed", "cancelled"]))
        def settle(self, who: int, number: int, state: str) -> None:
            act = self.writers[who].commit if state == "committed" else self.writers[who].cancel
            before = self.model.states[number]
            if before not in ("reserved", state):
                with pytest.raises(LedgerError):
                    act(number)
                return
            assert act(number).state == state
            if before == "reserved":
                self.model.states[number] = state
                self.model.entries += 1

        @rule(who=st.integers(0, 1))
        def crash_and_reopen(self, who: int) -> None:
            """A writer goes away without a word, in the middle of a transaction."""
            gone = self.writers[who]
            with suppress(ConnectionAbortedError), gone._store.writing(gone.name) as transaction:
                gone._append(transaction, "reserved", {"releases": [], "charge": {"0.0": "1"}})
                transaction.put_totals("reserved", {"0.0": Fraction(1)})
                raise ConnectionAbortedError
            gone.close()
            self.writers[who] = self.place.open()

        @invariant()
        def the_books_agree(self) -> None:
            status = self.writers[0].status()
            (line,) = status.lines
            assert status.entries == self.model.entries
            assert (line.spent, line.reserved) == (self.model.total("committed"), self.model.total("reserved"))
            assert line.left >= 0
            assert [item.number for item in status.open] == [n for n, s in self.model.states.items() if s == "reserved"]

    return LedgerMachine


SETTINGS = settings(
    deadline=None,
    stateful_step_count=15,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.generate],
)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [4, pytest.param(25, marks=pytest.mark.sweep)])
def test_a_ledger_agrees_with_its_model(fresh: Callable[[], Place], examples: int) -> None:
    run_state_machine_as_test(machine(fresh), settings=settings(SETTINGS, max_examples=examples))


@pytest.mark.slow
def test_a_ledger_that_forgets_reservations_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine can fail: a ledger that holds only commitments against the budget does not get past it."""
    real, numbers = Ledger._weigh, itertools.count()
    monkeypatch.setattr(Ledger, "_weigh", lambda self, priced, totals: real(self, priced, {**totals, "reserved": {}}))
    forgetful = machine(lambda: Place(str(tmp_path / f"{next(numbers)}.ledger")))
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_state_machine_as_test(forgetful, settings=settings(SETTINGS, max_examples=40, report_multiple_bugs=False))
