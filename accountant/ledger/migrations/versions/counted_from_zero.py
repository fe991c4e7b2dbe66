"""Entries are counted from zero: a negative number is no entry of any chain, and nothing would ever look at it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from accountant.errors import LedgerError

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().execute(sa.text("SELECT count(*) FROM entry WHERE number < 0")).scalar():
        raise LedgerError("there are entries with negative numbers, which no version writes: the ledger was tampered with")
    if op.get_bind().dialect.name == "postgresql":
        op.create_check_constraint("entries_are_counted_from_zero", "entry", "number >= 0")
        return
    # SQLite cannot add a constraint without writing the table anew, and can be told to ignore one. A trigger does neither.
    op.execute(
        """CREATE TRIGGER entries_are_counted_from_zero BEFORE INSERT ON entry
        WHEN typeof(NEW.number) <> 'integer' OR NEW.number < 0
        BEGIN SELECT RAISE(ABORT, 'entries of a ledger are counted from zero'); END"""
    )
