"""The first tables: ledgers, entries that cannot be changed, and running totals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SQLITE = (
    """CREATE TRIGGER entry_is_not_changed BEFORE UPDATE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never changed'); END""",
    """CREATE TRIGGER entry_is_not_deleted BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never deleted'); END""",
    """CREATE TRIGGER ledger_goes_forward BEFORE UPDATE ON ledger
    WHEN NEW.name <> OLD.name OR NEW.number <= OLD.number
    BEGIN SELECT RAISE(ABORT, 'a ledger only goes forward'); END""",
    """CREATE TRIGGER ledger_is_not_deleted BEFORE DELETE ON ledger
    BEGIN SELECT RAISE(ABORT, 'ledgers are never deleted'); END""",
)

_POSTGRESQL = (
    """CREATE FUNCTION accountant_ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'entries of a ledger are never changed or deleted'; END $$""",
    """CREATE FUNCTION accountant_ledger_goes_forward() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
        IF NEW.name <> OLD.name OR NEW.number <= OLD.number THEN RAISE EXCEPTION 'a ledger only goes forward'; END IF;
        RETURN NEW;
    END $$""",
    """CREATE TRIGGER entry_is_not_changed BEFORE UPDATE OR DELETE ON entry
    FOR EACH ROW EXECUTE FUNCTION accountant_ledger_refuses()""",
    """CREATE TRIGGER entry_is_not_emptied BEFORE TRUNCATE ON entry
    FOR EACH STATEMENT EXECUTE FUNCTION accountant_ledger_refuses()""",
    """CREATE TRIGGER ledger_goes_forward BEFORE UPDATE ON ledger
    FOR EACH ROW EXECUTE FUNCTION accountant_ledger_goes_forward()""",
    """CREATE TRIGGER ledger_is_not_deleted BEFORE DELETE ON ledger
    FOR EACH ROW EXECUTE FUNCTION accountant_ledger_refuses()""",
    """CREATE TRIGGER ledger_is_not_emptied BEFORE TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION accountant_ledger_refuses()""",
)


def upgrade() -> None:
    op.create_table(
        "ledger",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.create_table(
        "entry",
        sa.Column("ledger", sa.String(200), sa.ForeignKey("ledger.name"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(9), nullable=False),
        sa.Column("settles", sa.Integer),
        sa.Column("key", sa.String(200)),
        sa.Column("moment", sa.String(32), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.UniqueConstraint("ledger", "key", name="a_key_is_used_once"),
        sa.UniqueConstraint("ledger", "settles", name="a_reservation_is_settled_once"),
        sa.CheckConstraint(
            "(kind IN ('committed', 'cancelled') AND settles IS NOT NULL AND settles < number)"
            " OR (kind IN ('opened', 'reserved') AND settles IS NULL)",
            name="only_reservations_are_settled",
        ),
    )
    op.create_table(
        "total",
        sa.Column("ledger", sa.String(200), sa.ForeignKey("ledger.name"), primary_key=True),
        sa.Column("state", sa.String(9), primary_key=True),
        sa.Column("code", sa.String(64), primary_key=True),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("amount", sa.Text, nullable=False),
    )
    for statement in {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[op.get_bind().dialect.name]:
        op.execute(statement)
