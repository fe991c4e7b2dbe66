"""Ledger: one budget, many releases, many writers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

from accountant.accounting.account import Account
from accountant.certificate.signing.keys import Signer
from accountant.display import cut
from accountant.errors import AdaptivityError, BudgetExceeded, Fault, LedgerError, ReservationCancelled
from accountant.fields import text
from accountant.ledger.audit import Snapshot, audit
from accountant.ledger.batch import Batch, Priced, read_batch
from accountant.ledger.book import Book
from accountant.ledger.books import book_of
from accountant.ledger.entries import Charge, Kind, Posting, added, charge_data
from accountant.ledger.export import exported
from accountant.ledger.lines import shown
from accountant.ledger.plan_book import PlanBook
from accountant.ledger.results import Forecast, Quote, Reservation, State, Status
from accountant.ledger.store import Head, Store, Transaction
from accountant.ledger.terms import Terms, read_terms
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys
from accountant.ledger.transparency.held import HeldCheckpoints, entry_proof, growth_proof, leaves_of
from accountant.ledger.transparency.merkle import root
from accountant.ledger.transparency.proof import ConsistencyProof, InclusionProof
from accountant.numbers.exact import ExactLike
from accountant.plan.plan import Plan
from accountant.promise.guarantee import Guarantee
from accountant.registry.registry import Registry, default_registry
from accountant.release.release import Release
from accountant.values.source import canonical

MAIN = "main"
"""The name of a ledger where none is given."""

_LONGEST_NAME = 200
_ENDLESS = 10**18
_PAGE = 1000
_LAST = 2**31 - 1
Asked = Batch | Release | Sequence[Release]


class Ledger:
    """Releases over time against budgets, kept in a database.

    Guarantee: whoever writes, and whenever a writer dies, the releases that were ever reserved and not cancelled keep every
    budget, in the sense of the adaptivity that the ledger declares.
    """

    def __init__(self, store: Store, name: str, terms: Terms, registry: Registry) -> None:
        self.name = name
        self.terms = terms
        self._store = store
        self._registry = registry
        self._book: Book = book_of(terms, registry)

    @classmethod
    def create(cls, location: str | Path, terms: Terms, *, name: str = MAIN, registry: Registry | None = None) -> Ledger:
        """Open a new ledger in a file or behind a URL. Releases that the terms name are committed at once."""
        known, name = registry or default_registry(), _named(name)
        store = Store.connect(location, create=True)
        ledger = cls(store, name, terms, known)
        try:
            with store.creating(name) as transaction:
                if transaction.head() is not None:
                    raise LedgerError(
                        f"{store.place} holds a ledger '{name}' already; give another name, or use it as it is"
                    )
                transaction.create(canonical(terms.as_data()))
                if terms.plan.releases:
                    batch = Batch(terms.plan.releases)
                    reserved = ledger._reserve(transaction, Priced.of(batch, terms, known), None)
                    ledger._settle(transaction, reserved.number, "committed", {})
        except BaseException:
            store.close()
            raise
        return ledger

    @classmethod
    def open(cls, location: str | Path, *, name: str = MAIN, registry: Registry | None = None) -> Ledger:
        """The ledger in a file or behind a URL."""
        known = registry or default_registry()
        store = Store.connect(location)
        try:
            with store.reading(name) as transaction:
                first = transaction.entry(0)
            if first is None:
                others = ", ".join(f"'{other}'" for other in store.names()) or "none"
                raise LedgerError(f"{store.place} holds no ledger '{name}'; there are: {others}")
            return cls(store, name, _terms(first, known), known)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()

    def __repr__(self) -> str:
        return f"<Ledger: '{cut(self.name, 60)}' in {cut(self._store.place, 100)}>"

    def _repr_html_(self) -> str:
        """Where it stands now, in a notebook."""
        return self.status()._repr_html_()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # What it would cost ----------------------------------------------------------------------------------------------

    def batch(self, data: object, *, folder: Path | None = None) -> Batch:
        """The batch in plain data, read as a plan is, under the specification of the ledger unless it has its own."""
        return read_batch(data, self.terms, registry=self._registry, folder=folder)

    def quote(self, asked: Asked) -> Quote:
        """What releases would cost now; changes nothing."""
        priced = self._priced(asked)
        with self._store.reading(self.name) as transaction:
            totals = transaction.totals()
        charge, fits = self._weigh(priced, totals)
        return Quote(fits, lambda: self._book.lines(totals["committed"], totals["reserved"], charge))

    def what_if(self, asked: Asked | None = None, *, cancelled: Iterable[int] = ()) -> Forecast:
        """Where the ledger would stand after cancelling reservations, each once, and making releases one after the other.

        A release that does not fit is left out and the next one is tried. Changes nothing.
        """
        with self._store.reading(self.name) as transaction:
            totals = transaction.totals()
            given_back = {found.number: found for found in (self._open(transaction, number) for number in cancelled)}
            for reservation in given_back.values():
                totals["reserved"] = added(totals["reserved"], reservation.charge, -1)
        accepted: list[str] = []
        refused: list[str] = []
        batch = _batch(asked) if asked is not None else None
        for release in batch.releases if batch is not None else ():
            priced = self._priced(Batch(release, batch.specification if batch is not None else None))
            charge, fits = self._weigh(priced, totals)
            if fits and charge is not None:
                totals["committed"] = added(totals["committed"], charge)
            (accepted if fits else refused).append(release.name)
        lines = self._book.lines(totals["committed"], totals["reserved"], {})
        return Forecast(tuple(accepted), tuple(refused), lines, self._repeats(batch, totals))

    def _repeats(self, batch: Batch | None, totals: Mapping[str, Charge]) -> int | None:
        """How often a batch still fits: the largest count that keeps every budget."""
        held = added(totals["committed"], totals["reserved"])
        charge = None if batch is None else self._book.charge(self._priced(batch), held)
        if charge is None:
            return None if batch is None else 0

        def fits(count: int) -> bool:
            return self._book.keeps(added(held, {item: amount * count for item, amount in charge.items()}))

        low, high = 0, 1
        while fits(high):
            low, high = high, 2 * high
            if high > _ENDLESS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    def _priced(self, asked: Asked) -> Priced:
        return Priced.of(_batch(asked), self.terms, self._registry)

    def _weigh(self, priced: Priced, totals: Mapping[str, Charge]) -> tuple[Charge | None, bool]:
        """What is charged, and whether it fits beside all that is committed and reserved."""
        held = added(totals["committed"], totals["reserved"])
        charge = self._book.charge(priced, held)
        return charge, charge is not None and self._book.keeps(added(held, charge))

    # What is written -------------------------------------------------------------------------------------------------

    def reserve(self, asked: Asked, *, key: str | None = None, commit: bool = False) -> Reservation:
        """Set the cost of releases aside, or raise BudgetExceeded with nothing written.

        A request with a `key` that was used before returns what the first one made: a retried request spends once. Where
        that was cancelled, nothing is set aside any more, and ReservationCancelled is raised. With `commit` the releases
        are committed in the same transaction.
        """
        priced = self._priced(asked)
        self._book.charge(priced, {})  # remembered, so that nobody waits for it while the ledger is held
        key = None if key is None else _named(key, "key")
        with self._store.writing(self.name) as transaction:
            known = None if key is None else transaction.by_key(key)
            if known is None:
                found = self._reserve(transaction, priced, key)
            else:
                found = _same(known, priced.batch, self._state(transaction, known.number))
            if found.state == "cancelled":
                raise ReservationCancelled(
                    f"reservation {found.number} was cancelled, so that nothing is set aside under the key '{key}'; "
                    "reserve again with a new key"
                )
            if commit and found.state == "reserved":
                self._settle(transaction, found.number, "committed", {})
                found = _settled(found, "committed")
            return found

    def commit(self, number: int) -> Reservation:
        """Say that reserved releases went out. Committing twice changes nothing."""
        return self._finish(number, "committed", {})

    def cancel(self, number: int, *, reason: str | None = None) -> Reservation:
        """Give reserved budget back. Only right if no output of the releases was seen by anyone."""
        return self._finish(number, "cancelled", {} if reason is None else {"reason": text(reason)})

    def _finish(self, number: int, state: State, body: Mapping[str, Any]) -> Reservation:
        with self._store.writing(self.name) as transaction:
            found = self._reservation(transaction, number)
            if found.state == state:
                return _settled(found, state, repeated=True)
            if found.state != "reserved":
                raise LedgerError(f"reservation {number} was {found.state} already and cannot be {state}")
            self._settle(transaction, number, state, body)
            return _settled(found, state)

    def _reserve(self, transaction: Transaction, priced: Priced, key: str | None) -> Reservation:
        totals = transaction.totals()
        charge, fits = self._weigh(priced, totals)
        if charge is None or not fits:
            raise self._exceeded(priced, totals, charge)
        body = {**priced.batch.as_data(), **priced.bridge.as_data(), "charge": charge_data(charge)}
        written = self._append(transaction, "reserved", body, key=key)
        transaction.put_totals(
            "reserved", {item: totals["reserved"].get(item, Fraction(0)) + charge[item] for item in charge}
        )
        return Reservation(written.number, "reserved", priced.batch.names, key)

    def _settle(self, transaction: Transaction, number: int, state: Kind, body: Mapping[str, Any]) -> None:
        charge = self._open(transaction, number).charge
        self._append(transaction, state, body, settles=number)
        totals = transaction.totals()
        changed = {"reserved": added(totals["reserved"], charge, -1)}
        if state == "committed":
            changed["committed"] = added(totals["committed"], charge)
        for name, total in changed.items():
            transaction.put_totals(name, {item: total[item] for item in charge})

    def _append(
        self,
        transaction: Transaction,
        kind: Kind,
        body: Mapping[str, Any],
        *,
        key: str | None = None,
        settles: int | None = None,
    ) -> Posting:
        head = self._head(transaction)
        written = Posting(
            self.name, head.number + 1, kind, transaction.moment(), canonical(dict(body)), head.digest, settles, key
        )
        transaction.append(written)
        return written

    def _exceeded(self, priced: Priced, totals: Mapping[str, Charge], charge: Charge | None) -> BudgetExceeded:
        lines = self._book.lines(totals["committed"], totals["reserved"], charge)
        what = ", ".join(f"'{name}'" for name in priced.batch.names)
        missed = "; ".join(
            f"{line.title}: asked {shown(line.asked)}, left {shown(line.left, upward=False)} of {shown(line.limit)} "
            f"(spent {shown(line.spent)}, reserved {shown(line.reserved)})"
            for line in lines
            if not line.fits
        )
        return BudgetExceeded(f"{what} would exceed the budget: {missed}", lines)

    # What stands -----------------------------------------------------------------------------------------------------

    def _head(self, transaction: Transaction) -> Head:
        head = transaction.head()
        if head is None:
            raise LedgerError(f"{self._store.place} holds no ledger '{self.name}' any more")
        return head

    def _reservation(self, transaction: Transaction, number: int) -> Reservation:
        found = transaction.entry(number)
        if found is None or found.kind != "reserved":
            what = "there is no such entry" if found is None else f"entry {number} says '{found.kind}'"
            raise LedgerError(f"{number} is no reservation of '{self.name}': {what}")
        return Reservation(number, self._state(transaction, number), _names(found), found.key)

    def _state(self, transaction: Transaction, number: int) -> State:
        settled = transaction.settlement(number)
        if settled is None:
            return "reserved"
        return "committed" if settled.kind == "committed" else "cancelled"

    def _open(self, transaction: Transaction, number: int) -> Posting:
        """A reservation that nothing has settled."""
        found = self._reservation(transaction, number)
        if found.state != "reserved":
            raise LedgerError(f"reservation {number} was {found.state} already")
        entry = transaction.entry(number)
        assert entry is not None
        return entry

    def status(self) -> Status:
        """Where every budget stands, and which reservations are open."""
        with self._store.reading(self.name) as transaction:
            head, totals, pending = self._head(transaction), transaction.totals(), transaction.unsettled()
        waiting = tuple(Reservation(item.number, "reserved", _names(item), item.key) for item in pending)
        lines = self._book.lines(totals["committed"], totals["reserved"], {})
        plan = self.terms.plan
        return Status(self.name, plan.title, self.terms.adaptivity, head.number + 1, head.digest, lines, waiting)

    def history(self, first: int = 0, last: int | None = None) -> Iterator[Posting]:
        """The entries in order, from one number to another; others may write meanwhile."""
        for entry, _ in self._rows(first, last):
            yield entry

    def _rows(self, first: int = 0, last: int | None = None) -> Iterator[tuple[Posting, str]]:
        """Entries with their stored digests, a page at a time: a reader that takes its time holds up no writer."""
        while page := self._page(first, _LAST if last is None else last):
            yield from page
            first = page[-1][0].number + 1

    def _page(self, first: int, last: int) -> list[tuple[Posting, str]]:
        with self._store.reading(self.name) as transaction:
            return transaction.rows(first, last, _PAGE)

    def measure(self, divergence: str, at: Mapping[str, ExactLike] | None = None, /, **words: ExactLike) -> Guarantee:
        """A value of any definition, with its derivation.

        Under full adaptivity it speaks of all that the ledger will ever let out, since a value for what happens to be
        committed so far would itself depend on the outputs. For a fixed plan it speaks of what is committed.
        """
        with self._store.reading(self.name) as transaction:
            spent = transaction.totals()["committed"]
        return self._book.measure(spent, divergence, {**(at or {}), **words})

    def account(self) -> Account:
        """The account of what is committed, composed as a product of pairs: for a fixed plan only."""
        if not isinstance(self._book, PlanBook):
            raise AdaptivityError(
                "the product of the pairs is a bound only if no release and no parameter was chosen after seeing an "
                "output, and this ledger is fully adaptive; use 'measure', which reads the caps, or open the ledger with "
                'adaptivity = "fixed-plan"'
            )
        with self._store.reading(self.name) as transaction:
            return self._book.account(transaction.totals()["committed"])

    def plan(self, *, reserved: bool = False) -> Plan:
        """A plan of all that is committed, and on request reserved, that certifies to the same account."""
        return exported(self.terms, self.history(), reserved, self._registry)

    # What is seen from outside ---------------------------------------------------------------------------------------

    def verify(
        self, *, head: str | None = None, checkpoints: Sequence[Checkpoint] = (), keys: CheckpointKeys | None = None
    ) -> tuple[Fault, ...]:
        """Everything in the stored ledger that does not follow from its entries, and every entry that does not fit its
        chain.

        Whoever may rewrite all of a database can make another ledger of it that fits itself. `checkpoints` that were made
        earlier, in any order, show that, if they are signed with these `keys`; or `head`, a digest that was noted earlier
        and must still be one of the chain's, for all that came before it.
        """
        held = HeldCheckpoints(checkpoints, keys)
        faults = [Fault(message, self._store.place) for message in self._store.faults()]
        with self._store.reading(self.name) as transaction:
            last = self._head(transaction)
            snapshot = Snapshot(last, transaction.counts(last.number), tuple(transaction.stored_totals()))
        rows = self._rows(0, snapshot.head.number)
        return (*faults, *audit(rows, snapshot, self.terms, self._registry, head, held))

    def checkpoint(self, origin: str, signer: Signer) -> Checkpoint:
        """How many entries there are now and the root of their tree, signed: whoever holds it can tell if they change.

        `origin` names the ledger to those outside, such as `example.org/survey`; let it never name another one.
        """
        leaves = self._leaves()
        return Checkpoint.sign(origin, len(leaves), root(leaves), signer)

    def prove_entry(self, number: int, checkpoint: Checkpoint) -> InclusionProof:
        """That an entry is one of those in a checkpoint, for somebody who sees no other entry."""
        with self._store.reading(self.name) as transaction:
            entry = transaction.entry(number)
        if entry is None:
            raise LedgerError(f"there is no entry {number} in the ledger '{self.name}'")
        return entry_proof(self._leaves(), entry, checkpoint)

    def prove_growth(self, old: Checkpoint, new: Checkpoint) -> ConsistencyProof:
        """That the entries in a checkpoint begin with those in an earlier one, for somebody who sees none of them."""
        return growth_proof(self._leaves(), old, new)

    def _leaves(self) -> list[bytes]:
        with self._store.reading(self.name) as transaction:
            head = self._head(transaction)
        leaves = leaves_of(self._rows(0, head.number))
        if len(leaves) != head.number + 1:
            raise LedgerError(f"entries are missing at the end of '{self.name}'; run 'accountant ledger verify' first")
        return leaves


def _terms(first: Posting, registry: Registry) -> Terms:
    """The terms in the first entry of a ledger."""
    try:
        return read_terms(first.data, registry=registry, trusted=True)
    except ValueError as error:
        raise LedgerError(f"the terms of the ledger '{first.ledger}' cannot be read: {error}; it is damaged") from error


def _batch(asked: Asked) -> Batch:
    return asked if isinstance(asked, Batch) else Batch(asked)


def _named(name: str, what: str = "name") -> str:
    if len(text(name)) > _LONGEST_NAME:
        raise LedgerError(f"a {what} of a ledger has at most {_LONGEST_NAME} characters, not {len(name)}")
    if not name.isprintable():
        raise LedgerError(f"a {what} of a ledger is one line of plain text")
    return name


def _names(entry: Posting) -> tuple[str, ...]:
    return tuple(str(release["name"]) for release in entry.data["releases"])


def _settled(found: Reservation, state: State, *, repeated: bool | None = None) -> Reservation:
    return Reservation(found.number, state, found.names, found.key, found.repeated if repeated is None else repeated)


def _same(known: Posting, batch: Batch, state: State) -> Reservation:
    """What an earlier request with the same key made, if it asked for the same."""
    asked = json.loads(canonical(batch.as_data()))
    if {name: value for name, value in known.data.items() if name in ("releases", "specification")} != asked:
        raise LedgerError(f"the key '{known.key}' was used for other releases (reservation {known.number}); use a new one")
    return Reservation(known.number, state, _names(known), known.key, repeated=True)
