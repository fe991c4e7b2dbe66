"""Store: entries and totals in SQLite or PostgreSQL, one transaction at a time.

Overspending is impossible because a writer holds the ledger from before it reads the totals until it has written the
entry and the new totals: with BEGIN IMMEDIATE in SQLite, with a lock on the row of the ledger in PostgreSQL. A crash
leaves either all of that or nothing.
"""

from __future__ import annotations

import hashlib
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
from accountant.ledger.entries import NOTHING, Charge, Posting
from accountant.ledger.migrations import VERSION_TABLE
from accountant.ledger.soundness import FAULTS
from accountant.ledger.tables import REVISION, entry as entries, ledger as ledgers, total as totals

_CREATING = 4_062_931
"""A number for the lock under which PostgreSQL creates the tables."""


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
        if found is not None and found > REVISION:
            raise LedgerError(
                f"{self.place} was written by a newer version of accountant (tables {found}); update accountant"
            )
        from accountant.ledger.migrations import upgrade

        with self._connection(writing=True) as connection:
            if self.engine.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_CREATING)))
            upgrade(connection)

    def _revision(self) -> str | None:
        with self._connection(writing=False) as connection:
            if not inspect(connection).has_table(VERSION_TABLE):
                return None
            return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()

    def names(self) -> list[str]:
        """The ledgers in this database."""
        with self._connection(writing=False) as connection:
            return list(connection.execute(select(ledgers.c.name).order_by(ledgers.c.name)).scalars())

    def faults(self) -> list[str]:
        """What is wrong with the database itself: a damaged file, a refusal that was taken away."""
        with self._connection(writing=False) as connection:
            return FAULTS[self.engine.dialect.name](connection)


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

    def rows(self, first: int, most: int) -> list[tuple[Posting, str]]:
        """The next entries from a number on, each with the digest that is stored beside it."""
        chosen = select(entries).where(entries.c.ledger == self.name, entries.c.number >= first)
        found = self.connection.execute(chosen.order_by(entries.c.number).limit(most))
        return [(_entry(row), row.digest) for row in found]

    def largest(self) -> int | None:
        """The largest number of any entry."""
        return self.connection.execute(select(func.max(entries.c.number)).where(entries.c.ledger == self.name)).scalar()

    def unsettled(self) -> list[Posting]:
        """Reservations that are neither committed nor cancelled."""
        settling = entries.alias()
        settled = select(settling.c.number).where(settling.c.ledger == self.name, settling.c.settles == entries.c.number)
        chosen = select(entries).where(entries.c.ledger == self.name, entries.c.kind == "reserved", ~settled.exists())
        return [_entry(row) for row in self.connection.execute(chosen.order_by(entries.c.number))]

    def totals(self) -> dict[str, dict[str, Fraction]]:
        """The running totals: of open reservations and of commitments, by item."""
        found: dict[str, dict[str, Fraction]] = {"reserved": {}, "committed": {}}
        chosen = select(totals.c.state, totals.c.item, totals.c.amount).where(totals.c.ledger == self.name)
        for row in self.connection.execute(chosen):
            found.setdefault(row.state, {})[row.item] = _amount(row.amount)
        return found

    def put_totals(self, state: str, charge: Charge) -> None:
        """Write new running totals of some items."""
        for item, amount in charge.items():
            code = hashlib.sha256(item.encode()).hexdigest()
            row = (totals.c.ledger == self.name, totals.c.state == state, totals.c.code == code)
            changed = self.connection.execute(update(totals).where(*row).values(amount=str(amount)))
            if not changed.rowcount:
                self.connection.execute(
                    insert(totals).values(ledger=self.name, state=state, code=code, item=item, amount=str(amount))
                )


def _amount(stored: str) -> Fraction:
    try:
        return Fraction(stored)
    except (TypeError, ValueError, ZeroDivisionError) as error:
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
