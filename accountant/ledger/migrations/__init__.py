"""Migrations: every change to the tables of a ledger, from the first."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection

VERSION_TABLE = "accountant_ledger_version"


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring a database to the newest migration, or to an earlier one, within the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
