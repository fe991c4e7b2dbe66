"""Whatever the owner of a database does to a ledger, whoever holds one checkpoint sees it; and most is seen by anybody."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve

from accountant import BudgetExceeded, LedgerError
from accountant.ledger import Posting
from tests.ledger.attacks import Databases, Victim
from tests.ledger.cases import claim
from tests.ledger.conftest import DATABASES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=DATABASES)
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Victim:
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    databases = Databases(tmp_path_factory.mktemp(request.param), server)
    return databases.victim(databases.first())


@pytest.fixture
def victim(original: Victim) -> Victim:
    """A copy that may be spoiled."""
    return original.copy()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Victim:
    databases = Databases(tmp_path_factory.mktemp("file"), None)
    return databases.victim(databases.first())


@pytest.fixture
def spoiled_file(file: Victim) -> Victim:
    return file.copy()


# Histories that fit themselves ---------------------------------------------------------------------------------------


def cut(victim: Victim) -> None:
    victim.rewrite(victim.entries[:6])


def cut_to_the_terms(victim: Victim) -> None:
    victim.rewrite(victim.entries[:1])


def recomputed(victim: Victim) -> None:
    entries = victim.entries
    entries[1] = evolve(entries[1], body=entries[1].body.replace('"a"', '"A"'))
    victim.rewrite(entries)


def moment_changed(victim: Victim) -> None:
    entries = victim.entries
    entries[7] = evolve(entries[7], moment="2026-01-01T00:00:00.000Z")
    victim.rewrite(entries)


def widened(victim: Victim) -> None:
    entries = victim.entries
    wider = entries[0].body.replace('"rho":"1"', '"rho":"100"').replace('"cap":"1"', '"cap":"100"')
    assert wider != entries[0].body
    entries[0] = evolve(entries[0], body=wider)
    victim.rewrite(entries)


def cancelled_afterwards(victim: Victim) -> None:
    """What went out is said to have never run, so that its budget is free again."""
    entries = victim.entries
    entries[2] = evolve(entries[2], kind="cancelled")
    victim.rewrite(entries)


def left_out(victim: Victim) -> None:
    """An entry and its settlement are gone, and all later ones are numbered anew."""
    entries: list[Posting] = []
    moved = {}
    for entry in victim.entries:
        if entry.number in (1, 2):
            continue
        moved[entry.number] = len(entries)
        entries.append(evolve(entry, settles=None if entry.settles is None else moved[entry.settles]))
    victim.rewrite(entries)


HISTORIES = [cut, cut_to_the_terms, recomputed, moment_changed, widened, cancelled_afterwards, left_out]


@pytest.mark.parametrize("attack", HISTORIES)
def test_a_history_that_fits_itself_is_found_by_whoever_holds_one_checkpoint(
    victim: Victim, attack: Callable[[Victim], None]
) -> None:
    """And by nobody else: that is what checkpoints are for, and the known limits say so."""
    before = victim.checkpoint()
    assert victim.found([before]) == ""
    attack(victim)
    assert victim.found() == ""
    said = victim.found([before])
    assert "entries were cut off" in said or "the history was rewritten or forked" in said


def test_an_older_copy_that_is_put_back_is_found(original: Victim) -> None:
    older, newer = original.copy(), original.copy()
    before = older.checkpoint()
    with newer.open() as ledger:
        ledger.reserve(claim("1/100", "later"), commit=True)
    after = newer.checkpoint()
    assert newer.found([after, before]) == newer.found([before, after]) == ""
    assert older.found([before]) == ""
    assert "it speaks of 10 entries, and the ledger has 8" in older.found([before, after])


def test_two_continuations_of_one_history_are_found(original: Victim) -> None:
    """Each fits its own checkpoint and that of the common part; nobody who holds the other's is deceived."""
    left, right = original.copy(), original.copy()
    common = original.checkpoint()
    heads = []
    for victim, name in ((left, "left"), (right, "right")):
        with victim.open() as ledger:
            ledger.reserve(claim("1/100", name))
        heads.append(victim.checkpoint())
    for own, other, victim in ((*heads, left), (*reversed(heads), right)):
        assert victim.found([own, common]) == ""
        assert "the first 9 entries are not those that it speaks of" in victim.found([other])
        assert "whoever signed both showed two histories" in victim.found([own, other])


def test_what_was_cut_and_grown_again_is_found_though_a_head_that_was_noted_is_still_there(victim: Victim) -> None:
    """A head speaks of what came before it; a checkpoint of everything up to its size."""
    noted = victim.entries[4].digest
    before = victim.checkpoint()
    cut(victim)
    with victim.open() as ledger:
        ledger.reserve(claim("1/7", "other"), commit=True)
        ledger.reserve(claim("1/70", "more"), commit=True)
        assert ledger.verify(head=noted) == ()
    assert "the first 8 entries are not those that it speaks of" in victim.found([before])


# What does not fit itself --------------------------------------------------------------------------------------------

FREE = (
    "INSERT INTO entry SELECT ledger, {}, kind, settles, 'free', moment, body, previous, digest FROM entry WHERE number = 1"
)
ROWS = {
    "a total under the code of something else": ("UPDATE total SET code = 'ff'", "under the code of something else"),
    "a total once more": (
        "INSERT INTO total SELECT ledger, state, 'ff', item, amount FROM total WHERE state = 'reserved'",
        "stored twice",
    ),
    "a total of nothing": ("UPDATE total SET state = 'returned' WHERE state = 'reserved'", "nothing that a ledger adds up"),
    "a total of something that was never charged": (
        "INSERT INTO total SELECT ledger, state, 'ff', 'other', amount FROM total WHERE state = 'reserved'",
        "of 'other' adds up to 0",
    ),
    "a total of less": ("UPDATE total SET amount = '0'", "as stored"),
    "an entry with a negative number": (
        FREE.format("-7"),
        "1 entries that are not counted from 0 to 7",
    ),
    "an entry after the last": (
        FREE.format("90"),
        "1 entries that are not counted from 0 to 7",
    ),
    "an entry next after the last": (
        FREE.format("8"),
        "1 entries that are not counted from 0 to 7",
    ),
    "another kind": ("UPDATE entry SET kind = 'cancelled' WHERE number = 2", "it was changed @ entry[2]"),
    "another body": ("UPDATE entry SET body = replace(body, '1/4', '1/5') WHERE number = 1", "it was changed @ entry[1]"),
    "an endless amount": (
        "UPDATE entry SET body = replace(body, '1/4', '1e999999999') WHERE number = 1",
        "its content cannot be read",
    ),
    "one entry less": ("DELETE FROM entry WHERE number = 3", "some are missing"),
    "a head further on": ("UPDATE ledger SET number = 90", "some are missing"),
}


@pytest.mark.parametrize("attack", ROWS)
def test_rows_that_do_not_follow_from_the_entries_are_found_by_anybody(victim: Victim, attack: str) -> None:
    statement, message = ROWS[attack]
    if "-7" in statement and not victim.in_file:
        victim.run("ALTER TABLE entry DROP CONSTRAINT entries_are_counted_from_zero")
    victim.force((statement, {}))
    assert message in victim.found()


def test_a_total_under_the_code_of_something_else_lets_nobody_overspend(victim: Victim) -> None:
    """It is read by its item and was written by its code, so that what was added was never seen."""
    victim.run("UPDATE total SET code = 'ff'")
    with victim.open() as ledger:
        for action in (lambda: ledger.reserve(claim("0.01")), lambda: ledger.commit(5), ledger.status):
            with pytest.raises(LedgerError, match="under the code of something else"):
                action()
        assert len(list(ledger.history())) == 8


def test_an_amount_that_would_be_read_for_ever_is_refused(victim: Victim) -> None:
    victim.run("UPDATE total SET amount = '1e999999999'")
    with victim.open() as ledger, pytest.raises(LedgerError, match="no number; the ledger is damaged"):
        ledger.status()


@pytest.mark.parametrize("number", [-7, -1])
def test_the_database_itself_refuses_negative_numbers(victim: Victim, number: int) -> None:
    """A key in such an entry would be answered as if its releases had been reserved, at no cost."""
    with pytest.raises(Exception, match=r"counted.from.zero"):
        victim.run(FREE.format(number))
    with victim.open() as ledger:
        assert not ledger.reserve(claim("0.01"), key="free").repeated
        with pytest.raises(BudgetExceeded):
            ledger.reserve(claim("0.9"))
    assert victim.found() == ""


@pytest.mark.parametrize("number", ["'seven'", "7.5", "x'07'"])
def test_numbers_of_entries_that_are_none_are_refused_in_a_file(spoiled_file: Victim, number: str) -> None:
    statement = FREE.format(number)
    with pytest.raises(Exception, match="counted from zero"):
        spoiled_file.run(statement)
    spoiled_file.force((statement, {}))
    assert spoiled_file.found() != ""


@pytest.mark.parametrize("column", ["body", "moment", "previous", "key"])
def test_other_types_than_a_ledger_writes_are_found_in_a_file(spoiled_file: Victim, column: str) -> None:
    spoiled_file.force((f"UPDATE entry SET {column} = x'00ff' WHERE number = 1", {}))
    assert f"its {column} is not what a ledger writes" in spoiled_file.found()


# Databases that refuse less than they should -------------------------------------------------------------------------

HARMLESS = "CREATE OR REPLACE FUNCTION accountant_ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$ {} $$"
REMADE = "CREATE TRIGGER entry_is_not_changed BEFORE {} EXECUTE FUNCTION accountant_ledger_refuses()"
IN_POSTGRESQL = {
    "a function that only speaks of refusing": (
        HARMLESS.format("begin /* RAISE EXCEPTION */ return new; end"),
        "function accountant_ledger_refuses",
    ),
    "a function that runs as its owner": (
        "ALTER FUNCTION accountant_ledger_refuses() SECURITY DEFINER",
        "function accountant_ledger_refuses",
    ),
    "a trigger on one column": (
        "DROP TRIGGER entry_is_not_changed ON entry; " + REMADE.format("DELETE OR UPDATE OF moment ON entry FOR EACH ROW"),
        "trigger entry_is_not_changed",
    ),
    "a trigger that never fires": (
        "DROP TRIGGER entry_is_not_changed ON entry",
        REMADE.format("DELETE OR UPDATE ON entry FOR EACH ROW WHEN (false)"),
        "trigger entry_is_not_changed",
    ),
    "a trigger that is gone": (
        "DROP TRIGGER ledger_is_not_deleted ON ledger",
        "ledger_is_not_deleted of ledger is missing",
    ),
    "a trigger that is switched off": (
        "ALTER TABLE ledger DISABLE TRIGGER ledger_goes_forward",
        "trigger ledger_goes_forward",
    ),
    "a trigger for replicas only": (
        "ALTER TABLE entry ENABLE REPLICA TRIGGER entry_is_not_emptied",
        "trigger entry_is_not_emptied",
    ),
    "all triggers switched off": ("ALTER TABLE total DISABLE TRIGGER ALL", "RI_FKey_check_ins of total"),
    "a further trigger": (
        "CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql AS $$ begin new.amount := '0'; return new; end $$",
        "CREATE TRIGGER later BEFORE UPDATE ON total FOR EACH ROW EXECUTE FUNCTION zero()",
        "the trigger later of total is none that the migrations made",
    ),
    "a rule": ("CREATE RULE quiet AS ON UPDATE TO total DO INSTEAD NOTHING", "the rule quiet of total is none"),
    "a policy": ("CREATE POLICY few ON entry USING (number < 3)", "the row policy few of entry is none"),
    "row security": ("ALTER TABLE entry ENABLE ROW LEVEL SECURITY", "the table entry is not what"),
    "a key that may be used twice": ("ALTER TABLE entry DROP CONSTRAINT a_key_is_used_once", "a_key_is_used_once"),
    "a reservation that may be settled twice": (
        "ALTER TABLE entry DROP CONSTRAINT a_reservation_is_settled_once",
        "a_reservation_is_settled_once",
    ),
    "negative numbers": (
        "ALTER TABLE entry DROP CONSTRAINT entries_are_counted_from_zero",
        "the constraint entries_are_counted_from_zero of entry is missing",
    ),
    "a check that allows more": (
        "ALTER TABLE entry DROP CONSTRAINT only_reservations_are_settled",
        "ALTER TABLE entry ADD CONSTRAINT only_reservations_are_settled CHECK (true)",
        "the constraint only_reservations_are_settled of entry is not what",
    ),
    "a check of new rows only": (
        "ALTER TABLE entry DROP CONSTRAINT entries_are_counted_from_zero",
        "ALTER TABLE entry ADD CONSTRAINT entries_are_counted_from_zero CHECK (number >= 0) NOT VALID",
        "the constraint entries_are_counted_from_zero of entry is not what",
    ),
    "no primary key": ("ALTER TABLE total DROP CONSTRAINT total_pkey", "total_pkey"),
    "no link to the ledger": ("ALTER TABLE total DROP CONSTRAINT total_ledger_fkey", "total_ledger_fkey"),
    "a column with a default": ("ALTER TABLE total ALTER amount SET DEFAULT '0'", "the column amount of total is not what"),
    "a column that may be empty": (
        "ALTER TABLE total ALTER amount DROP NOT NULL",
        "the column amount of total is not what",
    ),
    "a further column": ("ALTER TABLE total ADD COLUMN note text", "the column note of total is none"),
    "another collation": (
        'ALTER TABLE total ALTER code TYPE varchar(64) COLLATE "C"',
        "the column code of total is not what",
    ),
    "a further index": ("CREATE INDEX later ON total (md5(item))", "the index later of total is none"),
    "a table that inherits": ("CREATE TABLE more () INHERITS (entry)", "the table entry is not what"),
    "a table that a crash empties": (
        "ALTER TABLE total SET UNLOGGED",
        "the table total is not what the migrations made",
    ),
    "no triggers for one role": (
        "ALTER DATABASE \"{database}\" SET session_replication_role = 'replica'",
        "no trigger runs for everybody",
    ),
}
IN_A_FILE = {
    "a trigger that is gone": ("DROP TRIGGER entry_is_not_deleted", "the trigger entry_is_not_deleted is missing"),
    "a trigger that never fires": (
        "DROP TRIGGER entry_is_not_changed",
        "CREATE TRIGGER entry_is_not_changed BEFORE UPDATE OF moment ON entry BEGIN SELECT 1; END",
        "the trigger entry_is_not_changed is not what",
    ),
    "a further trigger": (
        "CREATE TRIGGER later AFTER UPDATE ON total BEGIN UPDATE total SET amount = '0'; END",
        "the trigger later is none that the migrations made",
    ),
    "a further index": ("CREATE INDEX later ON total (item)", "the index later is none"),
    "a further column": ("ALTER TABLE total ADD COLUMN note TEXT", "the table total is not what"),
    "a view": ("CREATE VIEW more AS SELECT * FROM entry", "the view more is none"),
    "negative numbers": ("DROP TRIGGER entries_are_counted_from_zero", "entries_are_counted_from_zero is missing"),
}


@pytest.mark.parametrize("attack", IN_A_FILE)
def test_a_file_that_refuses_less_than_it_should_is_found_by_anybody(spoiled_file: Victim, attack: str) -> None:
    *statements, message = IN_A_FILE[attack]
    spoiled_file.run(*statements)
    assert message in spoiled_file.found()


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("group", range(3))
def test_a_server_that_refuses_less_than_it_should_is_found_by_anybody(
    postgres: str, tmp_path_factory: pytest.TempPathFactory, group: int
) -> None:
    """Some attacks at a time, no two of them on the same thing: each is named."""
    databases = Databases(tmp_path_factory.mktemp("server"), postgres, apart=True)
    victim = databases.victim(databases.first())
    attacks = list(IN_POSTGRESQL.values())[group::3]
    for *statements, _ in attacks:
        victim.run(*(statement.replace("{database}", databases.database_of(victim.place)) for statement in statements))
    said = victim.found()
    assert [message for *_, message in attacks if message not in said] == []


def test_the_first_fill_is_clean(original: Victim) -> None:
    assert original.found() == ""
    assert original.found([original.checkpoint()]) == ""
