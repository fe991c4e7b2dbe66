"""What holds of every database that ledgers may live in, also of one that is yet to be added."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, event
from sqlalchemy.sql import ClauseElement

from accountant.ledger.database import CLOCKS
from accountant.ledger.soundness import FAULTS
from accountant.ledger.store import Transaction
from accountant.ledger.tables import metadata


@pytest.mark.parametrize(("dialect", "held"), [("sqlite", False), ("postgresql", True), ("another", True)])
def test_a_writer_holds_the_row_of_the_ledger_wherever_the_whole_database_is_not_held(dialect: str, held: bool) -> None:
    """Whoever adds a database is safe before knowing of locks: two writers would otherwise spend the same budget."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    engine.dialect.name = dialect
    asked: list[ClauseElement] = []
    event.listen(engine, "before_execute", lambda connection, statement, *rest: asked.append(statement))
    with engine.connect() as connection:
        Transaction(connection, "survey").lock()
    assert [getattr(statement, "_for_update_arg", None) is not None for statement in asked] == [True] * held
    engine.dispose()


def test_every_database_tells_the_time_and_what_is_wrong_with_it() -> None:
    assert set(FAULTS) == set(CLOCKS)
