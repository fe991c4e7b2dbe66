"""Roles: who may do what to the tables of a ledger in PostgreSQL, so that nobody may do more than they need."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text

from accountant.errors import LedgerError
from accountant.ledger.migrations import VERSION_TABLE
from accountant.ledger.store import Store

_LONGEST = 63
_READ = (f"SELECT ON {VERSION_TABLE}, entry, ledger, total",)
_WRITE = (
    *_READ,
    "INSERT ON entry",
    "UPDATE (number, digest) ON ledger",
    "INSERT ON total",
    "UPDATE (amount) ON total",
)
_KNOWN = """
    SELECT rolsuper OR rolcreaterole OR rolbypassrls OR rolreplication
        OR pg_has_role(rolname, (SELECT relowner FROM pg_class WHERE oid = 'entry'::regclass), 'MEMBER')
    FROM pg_roles WHERE rolname = :role
"""
_CREATES = """
    SELECT nspname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
    WHERE pg_class.oid = 'entry'::regclass AND has_schema_privilege(:role, n.oid, 'CREATE')
"""
_PLACE = "SELECT nspname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE pg_class.oid = 'entry'::regclass"


def make_roles(location: str | Path, *, writers: str | None = None, readers: str | None = None) -> None:
    """Let a role write to the ledgers of a database, and another one read and verify them. They are made if need be.

    Whoever asks must own the tables. Writers may read everything, add entries and totals, move a ledger forward and change
    the amount of a total. Readers may read. Neither may change or delete an entry, open a ledger, or touch a table, a
    trigger or a rule; nobody else may do anything. They are roles without a login, to be granted to those who log in.
    """
    store = Store.connect(location)
    try:
        if store.engine.dialect.name != "postgresql":
            raise LedgerError(
                f"{store.place} is a file, and whoever may write to a file may change all of it; use PostgreSQL"
            )
        with store._connection(writing=True) as connection:
            connection.execute(text(f"REVOKE ALL ON {VERSION_TABLE}, entry, ledger, total FROM PUBLIC"))
            for role, rights in ((writers, _WRITE), (readers, _READ)):
                if role is not None:
                    _grant(connection, role, rights)
    finally:
        store.close()


def _grant(connection: Connection, role: str, rights: tuple[str, ...]) -> None:
    if not role.isprintable() or not 0 < len(role.encode()) <= _LONGEST:
        raise LedgerError(f"a role of PostgreSQL has a name of 1 to {_LONGEST} plain characters")
    quote = connection.dialect.identifier_preparer.quote_identifier
    named, place = quote(role), quote(connection.execute(text(_PLACE)).scalar_one())
    database = quote(connection.execute(text("SELECT current_database()")).scalar_one())
    mighty = connection.execute(text(_KNOWN), {"role": role}).scalar()
    if mighty:
        raise LedgerError(
            f"the role '{role}' may do more than any right that is granted here: it is the owner of the tables, or as good "
            "as one; name another, since an owner stands apart from those who write"
        )
    if mighty is None:
        connection.exec_driver_sql(f"CREATE ROLE {named} NOLOGIN")
    if found := connection.execute(text(_CREATES), {"role": role}).scalar():
        raise LedgerError(
            f"the role '{role}' may create things in the schema '{found}', and so could change what statements mean there; "
            f"run 'REVOKE CREATE ON SCHEMA {found} FROM PUBLIC' first"
        )
    connection.exec_driver_sql(f"REVOKE ALL ON {VERSION_TABLE}, entry, ledger, total FROM {named}")
    connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {place} TO {named}")
    # Whoever verifies compares the tables with what the migrations make, as temporary tables.
    connection.exec_driver_sql(f"GRANT TEMPORARY ON DATABASE {database} TO {named}")
    for right in rights:
        connection.exec_driver_sql(f"GRANT {right} TO {named}")
