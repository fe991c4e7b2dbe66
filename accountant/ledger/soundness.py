"""Soundness: whether a database is undamaged and still refuses what the migrations made it refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError

from accountant.ledger.database import reason
from accountant.ledger.described import described, made, settings

Description = Mapping[tuple[str, str], str]


def sqlite_faults(connection: Connection, revision: str) -> list[str]:
    """What is wrong with a file: damaged pages, or tables and triggers that are not what the migrations make."""
    checked = connection.execute(text("PRAGMA integrity_check")).scalars()
    faults = [f"the file is damaged: {line}" for line in checked if line != "ok"]
    return faults + _differences(_made(revision), _schema(connection))


def _schema(connection: Connection) -> dict[tuple[str, str], str]:
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    return {(row.type, row.name): row.sql for row in rows}


def _made(revision: str) -> dict[tuple[str, str], str]:
    """What the migrations make of an empty database."""
    from accountant.ledger.migrations import upgrade

    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            upgrade(connection, revision)
            return _schema(connection)
    finally:
        engine.dispose()


def postgresql_faults(connection: Connection, revision: str) -> list[str]:
    """What is wrong with a database: anything about its tables that is not what the migrations make.

    Compared are columns, constraints, indexes, triggers, their functions, rules, policies, who inherits from whom, and
    whether tables outlive a crash. The migrations are run again in a temporary schema that is taken back at once.
    """
    try:
        expected = made(connection, revision)
    except DBAPIError as error:
        why = f"no temporary tables can be made beside them: {reason(error)}"
        return [f"whether the tables still refuse changes cannot be seen, since {why}"]
    return _differences(expected, described(connection)) + settings(connection)


def _differences(expected: Description, found: Description) -> list[str]:
    return [
        _fault(*name, missing=name not in found, further=name not in expected)
        for name in sorted({*expected, *found})
        if expected.get(name) != found.get(name)
    ]


FAULTS: dict[str, Callable[[Connection, str], list[str]]] = {"sqlite": sqlite_faults, "postgresql": postgresql_faults}
"""How each database is asked what is wrong with it, at a migration."""


def _fault(kind: str, name: str, *, missing: bool, further: bool) -> str:
    if further:
        return f"the database may no longer refuse changes: the {kind} {name} is none that the migrations made"
    what = "is missing" if missing else "is not what the migrations made"
    return f"the database no longer refuses changes: the {kind} {name} {what}"
