"""Store: entries and totals in SQLite or PostgreSQL, one transaction at a time.

Overspending is impossible because a writer holds the ledger from before it reads the totals until it has written the
entry and the new totals: with BEGIN IMMEDIATE in SQLite, with a lock on the row of the ledger in PostgreSQL. A crash
leaves either all of that or nothing.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from attrs import frozen
from sqlalchemy import Connection, Engine, func, insert, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from accountant.errors import LedgerError
from accountant.ledger.database import CLOCKS, address, check_file, engine_for, reason
from accountant.ledger.entries import NOTHING, Charge, Posting, amount_of
from accountant.ledger.migrations import VERSION_TABLE
from accountant.ledger.soundness import FAULTS
from accountant.ledger.tables import REVISION, REVISIONS, entry as entries, ledger as ledgers, total as totals

_CREATING = 4_062_931
"""A number for the lock under which PostgreSQL creates tables and ledgers."""

_OWNED = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'entry'::regclass"
"""Whether PostgreSQL lets us change the tables."""

STATES = ("reserved", "committed")
"""What is added up."""


@frozen
class Head:
    """The last entry of a ledger."""

    number: int
    digest: str


@frozen
class Store:
    """A database of ledgers."""

    engine: Engine
    place: str

    @classmethod
    def connect(cls, location: str | Path, *, create: bool = False) -> Store:
        """The database in a file, or behind a URL that begins with postgresql:// or sqlite://."""
        url, place = address(location)
        if url.get_backend_name() == "sqlite":
            check_file(url, place, create)
        try:
            engine = engine_for(url)
        except ModuleNotFoundError as error:
            raise LedgerError(
                f"cannot reach {place}: '{error.name}' is not installed; run pip install 'privacy-accountant[postgres]'"
            ) from error
        store = cls(engine, place)
        try:
            store._prepare(create)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @contextmanager
    def reading(self, name: str) -> Iterator[Transaction]:
        """A view of one moment."""
        with self._connection(writing=False) as connection:
            yield Transaction(connection, name)

    @contextmanager
    def writing(self, name: str) -> Iterator[Transaction]:
        """The only writer of a ledger, until the block ends. What it wrote is durable then, or nothing is."""
        with self._connection(writing=True) as connection:
            transaction = Transaction(connection, name)
            transaction.lock()
            yield transaction

    @contextmanager
    def creating(self, name: str) -> Iterator[Transaction]:
        """As `writing`, for a ledger that has no row to lock yet: of two that create it, the second sees the first."""
        with self._connection(writing=True) as connection:
            self._alone(connection)
            yield Transaction(connection, name)

    def _alone(self, connection: Connection) -> None:
        """Wait until nobody else creates anything. In SQLite, whoever writes is alone already."""
        if self.engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_CREATING)))

    @contextmanager
    def _connection(self, *, writing: bool) -> Iterator[Connection]:
        try:
            with self.engine.connect() as bare:
                connection = bare.execution_options(
                    accountant_writing=writing,
                    **({} if writing or self.engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}),
                )
                with connection.begin():
                    yield connection
        except (SQLAlchemyError, sqlite3.Error, UnicodeDecodeError) as error:
            raise LedgerError(f"the database {self.place} refuses: {reason(error)}") from error

    def _prepare(self, create: bool) -> None:
        """Create or bring forward the tables."""
        found = self._revision()
        if found == REVISION:
            return
        if found is None and not create:
            raise LedgerError(f"{self.place} holds no ledger; make one with 'accountant ledger open'")
        if found is not None and found not in REVISIONS:
            raise LedgerError(self._unknown(found))
        from accountant.ledger.migrations import upgrade

        with self._connection(writing=True) as connection:
            self._alone(connection)
            if found is not None:
                self._fit_to_upgrade(connection, found)
            upgrade(connection)

    def _unknown(self, found: str) -> str:
        if re.fullmatch("[0-9]{4}", found) and found > REVISION:
            return f"{self.place} was written by a newer version of accountant (tables {found}); update accountant"
        return f"{self.place} says {found!r:.60} where the version of its tables should stand; it is damaged"

    def _fit_to_upgrade(self, connection: Connection, found: str) -> None:
        """Refuse to bring tables forward that are not what they should be: that would cover up what was done to them."""
        if self.engine.dialect.name == "postgresql" and not connection.execute(text(_OWNED)).scalar():
            raise LedgerError(
                f"the tables in {self.place} are of an earlier version ({found}) and only their owner may bring them "
                "forward; let the owner run 'accountant ledger status' once"
            )
        if faults := FAULTS[self.engine.dialect.name](connection, found):
            raise LedgerError(
                f"the tables in {self.place} are of an earlier version ({found}) and are not brought forward, because they "
                f"were tampered with: {'; '.join(faults)}"
            )

    def _revision(self) -> str | None:
        with self._connection(writing=False) as connection:
            if not inspect(connection).has_table(VERSION_TABLE):
                return None
            found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all()
        if len(found) != 1 or not isinstance(found[0], str):
            raise LedgerError(f"{self.place} does not say which version its tables have; it is damaged")
        return found[0]

    def names(self) -> list[str]:
        """The ledgers in this database."""
        with self._connection(writing=False) as connection:
            return list(connection.execute(select(ledgers.c.name).order_by(ledgers.c.name)).scalars())

    def faults(self) -> list[str]:
        """What is wrong with the database itself: a damaged file, a refusal that was taken away."""
        with self._connection(writing=False) as connection:
            return FAULTS[self.engine.dialect.name](connection, REVISION)


@frozen
class Transaction:
    """What one reader or writer sees of one ledger."""

    connection: Connection
    name: str

    def lock(self) -> None:
        """Hold the row of the ledger. In SQLite, and nowhere else, the whole database is held already."""
        if self.connection.dialect.name != "sqlite":
            self.connection.execute(select(ledgers.c.number).where(ledgers.c.name == self.name).with_for_update())

    def head(self) -> Head | None:
        """The last entry, if there is such a ledger."""
        row = self.connection.execute(
            select(ledgers.c.number, ledgers.c.digest).where(ledgers.c.name == self.name)
        ).one_or_none()
        return None if row is None else Head(row.number, row.digest)

    def moment(self) -> str:
        """The time by the clock of the database."""
        return str(self.connection.execute(text(CLOCKS[self.connection.dialect.name])).scalar_one())

    def create(self, body: str) -> Posting:
        """Write the first entry of a new ledger."""
        first = Posting(self.name, 0, "opened", self.moment(), body, NOTHING)
        self.connection.execute(insert(ledgers).values(name=self.name, number=0, digest=first.digest))
        self.connection.execute(insert(entries).values(**_row(first)))
        return first

    def append(self, entry: Posting) -> None:
        """Write an entry after the last one."""
        self.connection.execute(insert(entries).values(**_row(entry)))
        forward = update(ledgers).where(ledgers.c.name == self.name, ledgers.c.digest == entry.previous)
        changed = self.connection.execute(forward.values(number=entry.number, digest=entry.digest))
        if changed.rowcount != 1:
            raise LedgerError("the ledger has moved on meanwhile; nothing was written")

    def entry(self, number: int) -> Posting | None:
        """One entry."""
        return self._one(entries.c.number == number)

    def by_key(self, key: str) -> Posting | None:
        """The reservation that a request with this key made."""
        return self._one(entries.c.key == key)

    def settlement(self, number: int) -> Posting | None:
        """What settled a reservation."""
        return self._one(entries.c.settles == number)

    def _one(self, condition: Any) -> Posting | None:
        row = self.connection.execute(select(entries).where(entries.c.ledger == self.name, condition)).one_or_none()
        return None if row is None else _entry(row)

    def rows(self, first: int, last: int, most: int) -> list[tuple[Posting, str]]:
        """The next entries from one number to another, each with the digest that is stored beside it."""
        chosen = select(entries).where(entries.c.ledger == self.name, entries.c.number.between(first, last))
        found = self.connection.execute(chosen.order_by(entries.c.number).limit(most))
        return [(_entry(row), row.digest) for row in found]

    def counts(self, last: int) -> tuple[int, int]:
        """How many entries there are with numbers from 0 to the last, and how many with any others."""
        among = func.count().filter(entries.c.number.between(0, last))
        row = self.connection.execute(select(among, func.count()).where(entries.c.ledger == self.name)).one()
        return row[0], row[1] - row[0]

    def unsettled(self) -> list[Posting]:
        """Reservations that are neither committed nor cancelled."""
        settling = entries.alias()
        settled = select(settling.c.number).where(settling.c.ledger == self.name, settling.c.settles == entries.c.number)
        chosen = select(entries).where(entries.c.ledger == self.name, entries.c.kind == "reserved", ~settled.exists())
        return [_entry(row) for row in self.connection.execute(chosen.order_by(entries.c.number))]

    def totals(self) -> dict[str, dict[str, Fraction]]:
        """The running totals: of open reservations and of commitments, by item.

        Guarantee: what is read here is what `put_totals` writes. A total under the code of something else, which would be
        read for ever and never written, is refused.
        """
        found: dict[str, dict[str, Fraction]] = {state: {} for state in STATES}
        for total in self.stored_totals():
            if total.state not in found or total.code != code_of(total.item):
                raise LedgerError(
                    f"a total is stored under the code of something else, so that the ledger '{self.name}' was tampered "
                    "with or damaged; run 'accountant ledger verify'"
                )
            found[total.state][total.item] = total.amount
        return found

    def stored_totals(self) -> list[Total]:
        """The running totals as they are stored, whatever they are stored under."""
        columns = (totals.c.state, totals.c.code, totals.c.item, totals.c.amount)
        chosen = select(*columns).where(totals.c.ledger == self.name)
        return [Total(row.state, row.code, row.item, _amount(row.amount)) for row in self.connection.execute(chosen)]

    def put_totals(self, state: str, charge: Charge) -> None:
        """Write new running totals of some items."""
        for item, amount in charge.items():
            code = code_of(item)
            row = (totals.c.ledger == self.name, totals.c.state == state, totals.c.code == code)
            changed = self.connection.execute(update(totals).where(*row).values(amount=str(amount)))
            if not changed.rowcount:
                self.connection.execute(
                    insert(totals).values(ledger=self.name, state=state, code=code, item=item, amount=str(amount))
                )


@frozen
class Total:
    """A running total as it is stored: it is read by its item, and written by its code."""

    state: str
    code: str
    item: str
    amount: Fraction


def code_of(item: str) -> str:
    """What a total is stored under: an item may be longer than a key of a database."""
    if not isinstance(item, str):
        raise LedgerError("a total is not stored under text; the ledger is damaged")
    return hashlib.sha256(item.encode()).hexdigest()


def _amount(stored: str) -> Fraction:
    try:
        return amount_of(stored)
    except (ValueError, ZeroDivisionError) as error:
        raise LedgerError(f"a total is stored as {stored!r}, which is no number; the ledger is damaged") from error


def _row(entry: Posting) -> dict[str, Any]:
    return {
        "ledger": entry.ledger,
        "number": entry.number,
        "kind": entry.kind,
        "settles": entry.settles,
        "key": entry.key,
        "moment": entry.moment,
        "body": entry.body,
        "previous": entry.previous,
        "digest": entry.digest,
    }


def _entry(row: Any) -> Posting:
    return Posting(row.ledger, row.number, row.kind, row.moment, row.body, row.previous, row.settles, row.key)
