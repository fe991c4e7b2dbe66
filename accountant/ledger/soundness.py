"""Soundness: whether a database is undamaged and still refuses what the migrations made it refuse."""

from __future__ import annotations

from sqlalchemy import Connection, create_engine, text

_REFUSING = (
    "entry_is_not_changed",
    "entry_is_not_emptied",
    "ledger_goes_forward",
    "ledger_is_not_deleted",
    "ledger_is_not_emptied",
)
_FUNCTIONS = """
    SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE tgenabled = 'O' AND tgrelid IN ('entry'::regclass, 'ledger'::regclass)
"""


def sqlite_faults(connection: Connection) -> list[str]:
    """What is wrong with a file: damaged pages, or tables and triggers that are not what the migrations make."""
    checked = connection.execute(text("PRAGMA integrity_check")).scalars()
    faults = [f"the file is damaged: {line}" for line in checked if line != "ok"]
    expected, found = _made(), _schema(connection)
    for name in sorted({*expected, *found}):
        if expected.get(name) != found.get(name):
            faults.append(_fault(*name, missing=name not in found))
    return faults


def _schema(connection: Connection) -> dict[tuple[str, str], str]:
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    return {(row.type, row.name): row.sql for row in rows}


def _made() -> dict[tuple[str, str], str]:
    """What the migrations make of an empty database."""
    from accountant.ledger.migrations import upgrade

    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            upgrade(connection)
            return _schema(connection)
    finally:
        engine.dispose()


def postgresql_faults(connection: Connection) -> list[str]:
    """What is wrong with a database: triggers that are missing, switched off, or refuse nothing any more."""
    found = {row.tgname: row.prosrc for row in connection.execute(text(_FUNCTIONS))}
    weak = [name for name in _REFUSING if "RAISE EXCEPTION" not in found.get(name, "")]
    return [_fault("trigger", name, missing=name not in found) for name in weak]


FAULTS = {"sqlite": sqlite_faults, "postgresql": postgresql_faults}
"""How each database is asked what is wrong with it."""


def _fault(kind: str, name: str, *, missing: bool) -> str:
    what = "is missing" if missing else "is not what the migrations made"
    return f"the database no longer refuses changes: the {kind} {name} {what}"
