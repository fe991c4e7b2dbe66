"""Databases: how one is found and spoken to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from accountant.errors import LedgerError

_PATIENCE = 60
"""Seconds that a writer waits for others."""

CLOCKS = {
    "sqlite": "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
    "postgresql": "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')",
}
"""How each database tells the time, in UTC."""


def address(location: str | Path) -> tuple[URL, str]:
    """The address of a database, and how to call it without a password."""
    if "://" not in str(location):
        path = Path(location)
        return URL.create("sqlite", database=str(path)), str(path)
    try:
        url = make_url(str(location))
    except (ArgumentError, ValueError):
        # What cannot be parsed may hold a password all the same, and so may the reason.
        raise LedgerError(
            f"'{_masked(str(location))}' is no address of a database; give a file or postgresql://..."
        ) from None
    if "@" in (url.host or ""):
        # A part of the password would be taken for the host, and named in every error.
        raise LedgerError(f"'{_masked(str(location))}' has a password with an '@' in it; write that as %40")
    if url.get_backend_name() not in CLOCKS:
        raise LedgerError(f"a ledger lives in SQLite or PostgreSQL, not in '{url.drivername}'")
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    return url, _masked(url.render_as_string(hide_password=True))


def named(location: str | Path) -> str:
    """A database as it may be shown to anybody: an address without its password."""
    return _masked(str(location))


_SECRET = re.compile(
    r"(?<=://)(?P<user>[^:@/?#]*):.*@|(?P<key>(?<=[?&])[^=&#]*(?:pass|pwd|secret|token)[^=&#]*)=[^&#]*", re.IGNORECASE
)


def _masked(location: str) -> str:
    """An address whose passwords, before the host or among the options, are stars."""
    return _SECRET.sub(lambda found: f"{found['user']}:***@" if found["key"] is None else f"{found['key']}=***", location)


def check_file(url: URL, place: str, create: bool) -> None:
    if not url.database or url.database == ":memory:":
        raise LedgerError("a ledger must outlive the program; give a file")
    path = Path(url.database)
    if not create and not path.is_file():
        raise LedgerError(f"there is no ledger in {place}; make one with 'accountant ledger open'")
    if create and not path.parent.is_dir():
        raise LedgerError(f"cannot create {place}: there is no directory {path.parent}")


def engine_for(url: URL) -> Engine:
    try:
        if url.get_backend_name() == "postgresql":
            return create_engine(url, pool_pre_ping=True)
        engine = create_engine(url, connect_args={"timeout": _PATIENCE})
    except NoSuchModuleError as error:
        raise LedgerError(f"the driver '{url.drivername}' is not known; write postgresql://...") from error

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        # Transactions are begun below, and not by the driver, which would begin them too late.
        connection.isolation_level = None
        try:
            # A rollback journal keeps all in one file between transactions; EXTRA syncs the directory after its removal.
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()  # nobody else has it yet: it would stay open for as long as Python keeps it
            raise

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("accountant_writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def reason(error: Exception) -> str:
    said = " ".join(str(getattr(error, "orig", None) or error).split())
    if "database is locked" in said:
        return (
            f"{said}; others used it for the {_PATIENCE} seconds that one waits here, though no one of them need have "
            "done so alone. Nothing was written; try again, or use PostgreSQL, where writers stand in line"
        )
    if "file is not a database" in said:
        return f"{said}; give the file that 'accountant ledger open' made"
    return said
