"""Described: everything about the tables of a ledger in PostgreSQL that decides what may be done to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, event, text

from accountant.ledger.migrations import VERSION_TABLE, upgrade

_TABLES = ("entry", "ledger", "total", VERSION_TABLE)

# What each query finds of one table: names, and all that is said under each. Definitions are printed by the server itself.
_QUERIES = {
    "table": """
        SELECT c.relname, concat_ws(' ', c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relispartition, c.reloftype,
            (SELECT string_agg(inhrelid::regclass::text || ' ' || inhparent::regclass::text, ',' ORDER BY inhrelid)
             FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent)))
        FROM pg_class c WHERE c.oid = CAST(:table AS regclass)
    """,
    "column": """
        SELECT a.attname, concat_ws(' ', a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
            a.attgenerated, a.attcollation, pg_get_expr(d.adbin, d.adrelid))
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = CAST(:table AS regclass) AND a.attnum > 0 AND NOT a.attisdropped
    """,
    "constraint": """
        SELECT conname, concat_ws(' ', contype, convalidated, condeferrable, condeferred, connoinherit,
            pg_get_constraintdef(oid))
        FROM pg_constraint WHERE conrelid = CAST(:table AS regclass)
    """,
    "index": """
        SELECT c.relname, concat_ws(' ', indisunique, indisprimary, indisvalid, indisready, indislive, indimmediate,
            pg_get_indexdef(indexrelid))
        FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = CAST(:table AS regclass)
    """,
    "trigger": """
        SELECT CASE WHEN tgisinternal THEN concat_ws(' ', 'of', con.conname, p.proname) ELSE tgname END,
            CASE WHEN tgisinternal THEN concat_ws(' ', tgtype, tgenabled)
                ELSE concat_ws(' ', tgenabled, pg_get_triggerdef(t.oid)) END
        FROM pg_trigger t JOIN pg_proc p ON p.oid = tgfoid LEFT JOIN pg_constraint con ON con.oid = tgconstraint
        WHERE tgrelid = CAST(:table AS regclass)
    """,
    "function": """
        SELECT DISTINCT p.proname, concat_ws(' ', prolang, prokind, prosecdef, proleakproof, proisstrict, provolatile,
            pronargs, prorettype, proconfig, probin, prosrc)
        FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid WHERE tgrelid = CAST(:table AS regclass) AND NOT tgisinternal
    """,
    "rule": """
        SELECT rulename, concat_ws(' ', ev_enabled, pg_get_ruledef(oid)) FROM pg_rewrite
        WHERE ev_class = CAST(:table AS regclass)
    """,
    "row policy": """
        SELECT polname, concat_ws(' ', polcmd, polpermissive, polroles::regrole[]::text, pg_get_expr(polqual, polrelid),
            pg_get_expr(polwithcheck, polrelid))
        FROM pg_policy WHERE polrelid = CAST(:table AS regclass)
    """,
}
_WHERE = "SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = CAST(:table AS regclass)"


def described(connection: Connection) -> dict[tuple[str, str], str]:
    """The tables that statements of a ledger reach through this connection."""
    found = _described(connection, lambda table: connection.execute(text("SELECT to_regclass(:t)"), {"t": table}).scalar())
    for table in _TABLES:
        kept = connection.execute(text("SELECT relpersistence FROM pg_class WHERE oid = to_regclass(:t)"), {"t": table})
        if kept.scalar() != "p":
            found["table", table] = "it does not outlive a crash"
    return found


def _described(connection: Connection, find: Callable[[str], Any]) -> dict[tuple[str, str], str]:
    found = {}
    for table in _TABLES:
        place = find(table)
        if place is None:
            continue
        schema = connection.execute(text(_WHERE), {"table": place}).scalar_one()
        for kind, query in _QUERIES.items():
            for name, said in connection.execute(text(query), {"table": place}):
                title = name if kind in ("table", "function") else f"{name} of {table}"
                found[kind, title] = said if kind == "function" else _unplaced(said, schema)
    return found


def _unplaced(said: str, schema: str) -> str:
    """A definition without the schema that the tables happen to stand in."""
    names = [schema, '"' + schema.replace('"', '""') + '"', *(["pg_temp"] if schema.startswith("pg_temp_") else [])]
    return re.sub(rf"""(?<![\w"$.])(?:{"|".join(map(re.escape, names))})\.""", "", said)


def made(connection: Connection, revision: str) -> dict[tuple[str, str], str]:
    """What the migrations make, found by making it among the temporary tables of the connection and taking that back."""
    taken_back = connection.begin_nested()
    event.listen(connection, "before_cursor_execute", _among_temporary, retval=True)
    try:
        connection.execute(text("SET LOCAL search_path TO pg_temp"))
        upgrade(connection, revision)
        return _described(connection, lambda table: f"pg_temp.{table}")
    finally:
        event.remove(connection, "before_cursor_execute", _among_temporary)
        taken_back.rollback()


def _among_temporary(_: Any, __: Any, statement: str, parameters: Any, ___: Any, ____: Any) -> tuple[str, Any]:
    """Functions are never looked for among temporary things unless one says so."""
    return statement.replace("EXECUTE FUNCTION ", "EXECUTE FUNCTION pg_temp."), parameters


_SWITCHED_OFF = """
    SELECT coalesce(setrole::regrole::text, '') FROM pg_db_role_setting, unnest(setconfig) AS config
    WHERE config LIKE 'session_replication_role=%' AND config <> 'session_replication_role=origin'
        AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
"""


def settings(connection: Connection) -> list[str]:
    """For whom the server does not run triggers at all."""
    return [
        f"the database no longer refuses changes: no trigger runs for {'everybody' if role in ('-', '') else role}"
        for role in connection.execute(text(_SWITCHED_OFF)).scalars()
    ]
