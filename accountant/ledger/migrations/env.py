"""Run by alembic: migrates over the connection that it is given, and leaves the transaction to whoever gave it."""

from __future__ import annotations

from alembic import context

from accountant.ledger.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
