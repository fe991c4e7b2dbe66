"""The database refuses changes, and whoever gets around that is found."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import text

from accountant import AccountantError, Ledger, LedgerError
from tests.ledger.cases import Place, claim, gaussian, terms


def filled(place: Place) -> Ledger:
    """A ledger with something of everything in it."""
    ledger = place.create(terms())
    ledger.reserve(claim("0.25", "a"), key="first", commit=True)
    ledger.cancel(ledger.reserve(claim("0.5", "b")).number, reason="never ran")
    ledger.reserve(ledger.batch(gaussian("2", "c")))
    ledger.reserve(claim("1/16", "d", 2), commit=True)
    return ledger


STATEMENTS = [
    "UPDATE entry SET body = '{}' WHERE number = 1",
    "UPDATE entry SET moment = 'never' WHERE number = 2",
    "DELETE FROM entry WHERE number = 2",
    "DELETE FROM entry",
    "DELETE FROM ledger",
    "UPDATE ledger SET number = 1",
    "UPDATE ledger SET name = 'other'",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_database_itself_refuses_to_change_or_delete(place: Place, statement: str) -> None:
    with filled(place) as ledger:
        with pytest.raises(LedgerError, match=r"never|forward"), ledger._store._connection(writing=True) as connection:
            connection.execute(text(statement))
        assert ledger.verify() == ()


@pytest.mark.xdist_group("postgres")
def test_postgresql_refuses_to_empty_a_table(postgres: str) -> None:
    with filled(Place(postgres, "truncated")) as ledger:
        with pytest.raises(LedgerError, match="never"), ledger._store._connection(writing=True) as connection:
            connection.execute(text("TRUNCATE entry"))
        assert ledger.verify() == ()


def test_the_database_itself_refuses_to_settle_twice_or_reuse_a_key(place: Place) -> None:
    columns = "ledger, number, kind, settles, key, moment, body, previous, digest"
    with filled(place) as ledger:
        for change in (
            "9, kind, settles, NULL",
            "9, kind, 9, NULL",
            "9, 'reserved', NULL, 'first'",
            "4, kind, settles, NULL",
        ):
            again = f"SELECT ledger, {change}, moment, body, previous, digest FROM entry WHERE number = 2 AND ledger = :l"
            refused = pytest.raises(LedgerError, match=r"(?i)unique|constraint")
            with refused, ledger._store._connection(writing=True) as connection:
                connection.execute(text(f"INSERT INTO entry ({columns}) {again}"), {"l": ledger.name})


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a ledger, made once."""
    path = tmp_path_factory.mktemp("original") / "a.ledger"
    filled(Place(str(path))).close()
    return path


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    """A copy that may be spoiled."""
    return Path(shutil.copy(original, tmp_path / "spoiled.ledger"))


def without_refusals(path: Path, statement: str, *values: object) -> None:
    """Change a file as someone would who owns it: take the triggers away, change, put them back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement, values)
        for _, sql in triggers:
            connection.execute(sql)


def found(path: Path, head: str | None = None) -> str:
    """What verifying a file says, one fault in each line."""
    try:
        with Place(str(path)).open() as ledger:
            return "\n".join(map(str, ledger.verify(head=head)))
    except AccountantError as error:  # a file that cannot be read is found too
        return str(error)


def test_an_untouched_file_is_verified(copy: Path) -> None:
    assert found(copy) == ""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE entry SET body = replace(body, '0.25', '0.20') WHERE number = 1", "it was changed @ entry[1]"),
        ("UPDATE entry SET kind = 'cancelled' WHERE kind = 'committed' AND number = 2", "it was changed @ entry[2]"),
        ("UPDATE entry SET key = 'other' WHERE number = 1", "it was changed @ entry[1]"),
        ("UPDATE entry SET settles = 0 WHERE number = 4", "it settles 0, which is no open reservation @ entry[4]"),
        ("DELETE FROM entry WHERE number = 3", "expected entry 3 here: entries are missing or out of order @ entry[4]"),
        ("DELETE FROM entry WHERE number = 7", "entries are missing at the end @ ledger"),
        ("UPDATE entry SET number = 100 - number WHERE number > 4", "out of order"),
        ("UPDATE total SET amount = '0' WHERE state = 'committed'", "as stored @ total"),
        ("DELETE FROM total", "as stored @ total"),
        ("UPDATE ledger SET digest = 'x'", "its last entry should be 7"),
        ("DELETE FROM entry", "holds no ledger"),
        ("UPDATE entry SET body = replace(body, '\"1\"', '\"2\"') WHERE number = 0", "it was changed @ entry[0]"),
    ],
)
def test_a_changed_missing_or_moved_entry_is_found(copy: Path, statement: str, message: str) -> None:
    without_refusals(copy, statement)
    assert message in found(copy)


def test_a_refusal_that_was_taken_away_is_found(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DROP TRIGGER entry_is_not_changed")
    assert "no longer refuses changes: the trigger entry_is_not_changed is missing" in found(copy)


def test_a_refusal_that_was_weakened_is_found(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DROP TRIGGER entry_is_not_changed")
        connection.execute("CREATE TRIGGER entry_is_not_changed BEFORE UPDATE ON entry BEGIN SELECT 1; END")
    assert "the trigger entry_is_not_changed is not what the migrations made" in found(copy)


@pytest.mark.xdist_group("postgres")
def test_a_refusal_that_was_switched_off_in_postgresql_is_found(postgres: str) -> None:
    harmless = "CREATE OR REPLACE FUNCTION accountant_ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $${}$$"
    with filled(Place(postgres, "switched off")) as ledger:
        with ledger._store._connection(writing=True) as connection:
            find = text("SELECT prosrc FROM pg_proc WHERE oid = 'accountant_ledger_refuses'::regproc")
            before = str(connection.execute(find).scalar_one())
            connection.exec_driver_sql(harmless.format("BEGIN RETURN NEW; END"))
        assert "accountant_ledger_refuses is not what the migrations made" in "\n".join(map(str, ledger.verify()))
        with ledger._store._connection(writing=True) as connection:
            connection.exec_driver_sql(harmless.format(before))
        for change in ("DISABLE", "ENABLE"):
            with ledger._store._connection(writing=True) as connection:
                connection.execute(text(f"ALTER TABLE entry {change} TRIGGER entry_is_not_changed"))
            assert bool(ledger.verify()) == (change == "DISABLE")


def rewritten(path: Path, number: int, change: tuple[str, str]) -> None:
    """Change an entry and everything that depends on it, as someone would who knows how digests are made."""
    with Place(str(path)).open() as ledger:
        entries = list(ledger.history())
    previous = entries[number].previous
    for entry in entries[number:]:
        body = entry.body.replace(*change) if entry.number == number else entry.body
        fresh = type(entry)(entry.ledger, entry.number, entry.kind, entry.moment, body, previous, entry.settles, entry.key)
        without_refusals(
            path,
            "UPDATE entry SET body = ?, previous = ?, digest = ? WHERE number = ?",
            fresh.body,
            fresh.previous,
            fresh.digest,
            fresh.number,
        )
        previous = fresh.digest
    without_refusals(path, "UPDATE ledger SET digest = ?", previous)


def test_a_chain_that_was_rewritten_from_some_entry_on_is_found_by_a_head_noted_before(copy: Path) -> None:
    with Place(str(copy)).open() as ledger:
        head = ledger.status().head
    assert found(copy, head) == ""
    rewritten(copy, 3, ('"b"', '"B"'))
    assert found(copy) == ""  # nothing is wrong with the new chain in itself
    assert f"no entry has the digest {head}" in found(copy, head)


def test_a_charge_below_the_price_is_found_even_in_a_chain_that_was_rewritten(copy: Path) -> None:
    rewritten(copy, 1, ('"charge":{"0.0":"1/4"}', '"charge":{"0.0":"1/5"}'))
    said = found(copy)
    assert "its releases cost more than it charges, by the plugins installed here @ entry[1]" in said
    assert "as stored @ total" in said


def test_an_overspent_ledger_is_found_even_in_a_chain_that_was_rewritten(copy: Path) -> None:
    rewritten(copy, 1, ('"charge":{"0.0":"1/4"}', '"charge":{"0.0":"1"}'))
    assert "with it the ledger exceeds a budget @ entry[3]" in found(copy)


def content(path: Path) -> list[object]:
    """Everything that a file says, whatever it looks like."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return list(connection.iterdump())
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [error]


def spoiled(original: bytes, count: int) -> Iterator[tuple[int, bytes]]:
    chance = random.Random(7)
    for _ in range(count):
        place, width = chance.randrange(len(original)), chance.choice([1, 1, 4])
        data = bytearray(original)
        data[place : place + width] = bytes(chance.randrange(256) for _ in data[place : place + width])
        yield place, bytes(data)


@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.sweep)])
def test_random_bytes_in_the_file_change_nothing_or_are_found(original: Path, copy: Path, count: int) -> None:
    before, told, missed = content(original), 0, []
    for place, data in spoiled(original.read_bytes(), count):
        copy.write_bytes(data)
        if found(copy):
            told += 1
            continue
        if content(copy) != before:
            missed.append(place)
    assert missed == []
    assert told > count / 10


def test_amounts_are_compared_exactly(copy: Path) -> None:
    with Place(str(copy)).open() as ledger:
        (line,) = ledger.status().lines
        assert (line.spent, line.reserved) == (Fraction(3, 8), Fraction(1, 8))
    without_refusals(
        copy, "UPDATE total SET amount = ? WHERE state = 'committed'", str(Fraction(3, 8) - Fraction(1, 10**40))
    )
    assert "as stored @ total" in found(copy)
