"""Audit: whether a stored ledger follows from its entries, and the entries from each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from types import NoneType
from typing import Any

from attrs import define, field, frozen

from accountant.errors import AccountantError, Fault
from accountant.ledger.batch import Priced, read_batch
from accountant.ledger.book import Book
from accountant.ledger.books import book_of
from accountant.ledger.entries import NOTHING, Charge, Posting, added
from accountant.ledger.store import STATES, Head, Total, code_of
from accountant.ledger.terms import Terms
from accountant.ledger.transparency.held import HeldCheckpoints
from accountant.progress import stage
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry
from accountant.values.source import canonical

_MOST = 100
"""After so many faults nothing more is looked for."""


@frozen
class Snapshot:
    """What was stored beside the entries at one moment."""

    head: Head
    counts: tuple[int, int]
    totals: tuple[Total, ...]


def audit(
    rows: Iterable[tuple[Posting, str]],
    snapshot: Snapshot,
    terms: Terms,
    registry: Registry,
    head: str | None,
    held: HeldCheckpoints,
) -> list[Fault]:
    """Every fault of a ledger's entries, totals and caps.

    Checked are: numbers without gaps, digests, links, the head, and that there are no other entries; that each entry was
    allowed when it was written, charges at least what its releases cost by the plugins installed here, and kept every
    budget; that the totals are the sums of the entries, each under its own code and once; that the caps imply the budgets;
    and that the entries are those of which checkpoints speak.
    """
    replay = _Replay(terms, registry)
    digests: set[str] = set()
    faults: list[Fault] = []
    last: Posting | None = None
    for entry, stored in rows:
        expected = Posting(entry.ledger, 0 if last is None else last.number + 1, "opened", "", "", _after(last))
        unlike = _wrong_types(entry)
        if unlike:
            return [*faults, Fault(f"its {unlike} is not what a ledger writes: it was not written by one", _place(entry))]
        faults += [Fault(message, _place(entry)) for message in _chain(entry, stored, expected)]
        whole = max(1, snapshot.head.number)
        with stage(max(0, entry.number - 1) / whole, entry.number / whole):
            faults += [Fault(message, _place(entry)) for message in replay.follow(entry)]
        held.follow(entry)
        digests.add(stored)
        last = entry
        if len(faults) > _MOST:
            return faults
    faults += [Fault(message, "ledger") for message in _ending(snapshot, last)]
    if head is not None and head not in digests:
        faults.append(Fault(f"no entry has the digest {head}: what was noted is no longer part of the chain", "ledger"))
    faults += [Fault(message, "total") for message in (*_miscoded(snapshot.totals), *replay.compare(snapshot.totals))]
    faults += [Fault(message, "ledger") for message in _caps(terms, registry)]
    return [*faults, *held.faults()]


def _place(entry: Posting) -> str:
    return f"entry[{entry.number}]"


def _wrong_types(entry: Posting) -> str | None:
    """The first part of an entry that is no text or number where it must be one, as SQLite allows."""
    for name, kinds in _TYPES.items():
        if type(getattr(entry, name)) not in kinds:
            return name
    return None


_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("ledger", "kind", "moment", "body", "previous"), (str,)),
    "number": (int,),
    "settles": (int, NoneType),
    "key": (str, NoneType),
}


def _after(last: Posting | None) -> str:
    return NOTHING if last is None else last.digest


def _chain(entry: Posting, stored: str, expected: Posting) -> Iterator[str]:
    if entry.number != expected.number:
        yield f"expected entry {expected.number} here: entries are missing or out of order"
    if entry.digest != stored:
        yield f"its content has the digest {entry.digest}, not {stored} as stored: it was changed"
    if entry.previous != expected.previous:
        yield "it does not follow the entry before it: one of them was changed, removed or moved"


def _ending(snapshot: Snapshot, last: Posting | None) -> Iterator[str]:
    head = snapshot.head
    among, beside = snapshot.counts
    if among != head.number + 1:
        yield f"it has {among:,} entries with numbers from 0 to {head.number}: some are missing"
    if beside:
        yield f"it has {beside:,} entries that are not counted from 0 to {head.number}: out of order, or no part of it"
    if last is None:
        yield "it has no entries"
    elif (head.number, head.digest) != (last.number, last.digest):
        yield f"its last entry should be {head.number} with the digest {head.digest}: entries are missing at the end"


def _miscoded(totals: tuple[Total, ...]) -> Iterator[str]:
    """Totals that would be read under one item and written under another, or more than once."""
    known: set[tuple[str, str]] = set()
    for total in totals:
        if total.state not in STATES:
            yield f"'{total.state}' is nothing that a ledger adds up"
        if total.code != code_of(total.item):
            yield f"what is {total.state} of '{total.item}' is stored under the code of something else"
        if (total.state, total.item) in known:
            yield f"what is {total.state} of '{total.item}' is stored twice"
        known.add((total.state, total.item))


def _caps(terms: Terms, registry: Registry) -> Iterator[str]:
    for index, found in enumerate(terms.filters):
        if found.implied(found.cap, registry)[1] is not Verdict.IMPLIED:
            yield f"the cap of filter {index} does not imply its budget by the plugins installed here"


@define
class _Replay:
    """The state of a ledger, worked out again from its entries."""

    terms: Terms
    registry: Registry
    totals: dict[str, dict[str, Fraction]] = field(factory=lambda: {"reserved": {}, "committed": {}})
    _pending: dict[int, Charge] = field(factory=dict)
    _keys: set[str] = field(factory=set)
    _batches: dict[str, Priced] = field(factory=dict)
    _book: Book = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._book = book_of(self.terms, self.registry)

    def follow(self, entry: Posting) -> list[str]:
        """Apply an entry; what is wrong with it in the state that the earlier ones left."""
        try:
            step = {"opened": self._opened, "reserved": self._reserved}.get(entry.kind, self._settled)
            return list(step(entry))
        except (AccountantError, ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            return [f"its content cannot be read: {type(error).__name__}: {error}"]

    def _opened(self, entry: Posting) -> Iterator[str]:
        if entry.number != 0:
            yield "a ledger is opened once, by its first entry"
        if entry.body != canonical(self.terms.as_data()):
            yield "the terms of the ledger are not what was written when it was opened"

    def _reserved(self, entry: Posting) -> Iterator[str]:
        if entry.key is not None and entry.key in self._keys:
            yield f"the key '{entry.key}' is used twice"
        if entry.key is not None:
            self._keys.add(entry.key)
        charge = entry.charge
        held = added(self.totals["committed"], self.totals["reserved"])
        due = self._book.charge(self._priced(entry), held)
        if due is None or set(due) != set(charge) or any(charge[item] < due[item] for item in due):
            yield "its releases cost more than it charges, by the plugins installed here"
        if any(amount < 0 for amount in charge.values()):
            yield "it charges less than nothing"
        if not self._book.keeps(added(held, charge)):
            yield "with it the ledger exceeds a budget"
        self._pending[entry.number] = charge
        self.totals["reserved"] = added(self.totals["reserved"], charge)

    def _priced(self, entry: Posting) -> Priced:
        data = entry.data
        content: dict[str, Any] = {"release": data["releases"]}
        if "specification" in data:
            content["specification"] = data["specification"]
        key = canonical(content)
        if key not in self._batches:
            self._batches[key] = Priced.of(
                read_batch(content, self.terms, registry=self.registry), self.terms, self.registry
            )
        return self._batches[key]

    def _settled(self, entry: Posting) -> Iterator[str]:
        if entry.kind not in ("committed", "cancelled"):
            yield f"'{entry.kind}' is no kind of entry"
            return
        charge = None if entry.settles is None else self._pending.pop(entry.settles, None)
        if charge is None:
            yield f"it settles {entry.settles}, which is no open reservation"
            return
        self.totals["reserved"] = added(self.totals["reserved"], charge, -1)
        if entry.kind == "committed":
            self.totals["committed"] = added(self.totals["committed"], charge)

    def compare(self, stored: tuple[Total, ...]) -> Iterator[str]:
        """Where stored totals are not the sums of the entries."""
        found = {(total.state, total.item): total.amount for total in stored}
        own = {(state, item): amount for state, total in self.totals.items() for item, amount in total.items()}
        for state, item in sorted({*own, *found}):
            due, kept = own.get((state, item), Fraction(0)), found.get((state, item), Fraction(0))
            if due != kept:
                yield f"what is {state} of '{item}' adds up to {due}, not {kept} as stored"
