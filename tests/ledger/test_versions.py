"""Tables of earlier versions are brought forward, those of later or damaged ones are refused with a reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from accountant import Ledger, LedgerError
from accountant.ledger import database
from accountant.ledger.migrations import VERSION_TABLE
from accountant.ledger.tables import REVISION
from tests.ledger.attacks import Databases, Victim
from tests.ledger.cases import Place, claim, terms
from tests.ledger.conftest import DATABASES


@pytest.fixture(scope="module", params=DATABASES)
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Victim:
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    databases = Databases(tmp_path_factory.mktemp(f"versions{request.param}"), server)
    return databases.victim(databases.first())


@pytest.fixture
def victim(original: Victim) -> Victim:
    return original.copy()


def first_version(victim: Victim) -> None:
    """The tables as the first version made them."""
    taken = (
        "DROP TRIGGER entries_are_counted_from_zero"
        if victim.in_file
        else "ALTER TABLE entry DROP CONSTRAINT entries_are_counted_from_zero"
    )
    victim.run(taken, f"UPDATE {VERSION_TABLE} SET version_num = '0001'")


NEGATIVE = (
    "INSERT INTO entry SELECT ledger, -7, kind, settles, 'x', moment, body, previous, digest FROM entry WHERE number = 1"
)


def test_a_ledger_of_the_first_version_is_brought_forward_with_all_its_entries(victim: Victim) -> None:
    before = victim.checkpoint()
    first_version(victim)
    with victim.open() as ledger:
        assert ledger.verify() == ()
        ledger.reserve(claim("1/100"), commit=True)
        with ledger._store._connection(writing=False) as connection:
            assert connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar() == REVISION
    with pytest.raises(Exception, match=r"counted.from.zero"):
        victim.run(NEGATIVE)
    assert victim.found([before]) == ""


def test_a_ledger_of_the_first_version_that_was_tampered_with_is_not_made_to_look_sound(victim: Victim) -> None:
    first_version(victim)
    gone = "DROP TRIGGER ledger_goes_forward" + ("" if victim.in_file else " ON ledger")
    victim.run(gone)
    with pytest.raises(LedgerError, match=r"not brought forward, because they were tampered with: .*ledger_goes_forward"):
        victim.open()


def test_negative_numbers_in_a_ledger_of_the_first_version_are_found_when_it_is_brought_forward(victim: Victim) -> None:
    first_version(victim)
    victim.run(NEGATIVE)
    with pytest.raises(LedgerError, match="entries with negative numbers, which no version writes"):
        victim.open()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE {} SET version_num = '0 01'", "'0 01' where the version of its tables should stand; it is damaged"),
        ("UPDATE {} SET version_num = ''", "where the version of its tables should stand; it is damaged"),
        ("UPDATE {} SET version_num = '0003'", "written by a newer version of accountant"),
        ("UPDATE {} SET version_num = 'zzzz'", "it is damaged"),
        ("DELETE FROM {}", "does not say which version its tables have"),
        ("INSERT INTO {} VALUES ('0001')", "does not say which version its tables have"),
    ],
)
def test_a_damaged_version_is_refused_with_a_reason(victim: Victim, statement: str, message: str) -> None:
    victim.run(statement.format(VERSION_TABLE))
    for action in (victim.open, lambda: Ledger.create(victim.place.location, terms(), name="another")):
        with pytest.raises(LedgerError, match=message):
            action()


def racing(place: Place, count: int) -> Iterator[str]:
    """What each of many that create one ledger at the same time is told."""
    told: list[str] = []
    gate = threading.Barrier(count)

    def create() -> None:
        gate.wait()
        try:
            place.create(terms()).close()
            told.append("created")
        except Exception as error:
            told.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=create) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return iter(told)


def test_of_many_that_create_one_ledger_one_does_and_the_others_are_told_so(original: Victim) -> None:
    told = sorted(racing(Place(original.place.location, "contested"), 6))
    assert told.count("created") == 1
    for said in told[:-1]:
        assert said.startswith("LedgerError: ")
        assert "holds a ledger 'contested' already; give another name, or use it as it is" in said


def test_a_writer_that_waited_in_vain_is_told_no_more_than_is_true(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many others may each have held the file for a moment only."""
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    with Place(f"{tmp_path}/a.ledger").create(terms()) as ledger, Place(f"{tmp_path}/a.ledger").open() as other:
        with (
            ledger._store.writing("main"),
            pytest.raises(LedgerError, match=r"others used it .* Nothing was written") as told,
        ):
            other.reserve(claim("1/100"))
        assert "another writer held it" not in str(told.value)
        assert len(list(ledger.history())) == 1
