"""In PostgreSQL those who write may do what writing needs, and those who read may read; nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from accountant import LedgerError
from accountant.cli import main
from accountant.cli.answers import output_schema
from accountant.ledger.roles import make_roles
from tests.ledger.attacks import DRIVER, Databases, Victim
from tests.ledger.cases import Place, claim, terms

pytestmark = pytest.mark.xdist_group("postgres")


def run(address: str, *statements: str) -> None:
    engine = create_engine(make_url(address).set(drivername=DRIVER))
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()


@pytest.fixture(scope="module")
def victim(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Victim:
    """A database whose owner made roles twice, and who let two people log in as such."""
    databases = Databases(tmp_path_factory.mktemp("roles"), postgres, apart=True)
    victim = databases.victim(databases.first())
    for _ in range(2):
        make_roles(victim.place.location, writers="survey writers", readers="survey_readers")
    run(
        victim.place.location,
        'CREATE ROLE writing LOGIN IN ROLE "survey writers"',
        "CREATE ROLE reading LOGIN IN ROLE survey_readers",
        "CREATE ROLE stranger LOGIN",
    )
    return victim


@pytest.fixture(scope="module")
def as_user(victim: Victim) -> Callable[[str], Place]:
    return lambda user: Place(make_url(victim.place.location).set(username=user).render_as_string(hide_password=False))


def test_a_writer_does_everything_that_a_ledger_does(as_user: Callable[[str], Place]) -> None:
    with as_user("writing").open() as ledger:
        first = ledger.reserve(claim("1/100", "one"), key="k")
        ledger.commit(first.number)
        ledger.cancel(ledger.reserve(claim("1/100", "two")).number)
        assert ledger.quote(claim("1/100")).fits
        assert ledger.status().entries == 12
        assert ledger.verify() == ()


FORBIDDEN = [
    "UPDATE entry SET body = '{}'",
    "DELETE FROM entry",
    "TRUNCATE entry",
    "DELETE FROM total",
    "UPDATE total SET code = 'ff'",
    "UPDATE total SET item = 'other'",
    "UPDATE total SET ledger = 'other'",
    "UPDATE ledger SET name = 'other'",
    "DELETE FROM ledger",
    "INSERT INTO ledger VALUES ('other', 0, 'x')",
    "UPDATE accountant_ledger_version SET version_num = '0001'",
    "ALTER TABLE entry DISABLE TRIGGER ALL",
    "DROP TRIGGER entry_is_not_changed ON entry",
    "CREATE TRIGGER t BEFORE UPDATE ON total FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE quiet AS ON UPDATE TO total DO INSTEAD NOTHING",
    "CREATE OR REPLACE FUNCTION accountant_ledger_refuses() RETURNS trigger LANGUAGE sql AS $$ SELECT 1 $$",
    "CREATE TABLE other (a int)",
    "DROP TABLE total",
    "SET session_replication_role = replica",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_a_writer_may_do_nothing_else(as_user: Callable[[str], Place], statement: str) -> None:
    with pytest.raises(Exception, match=r"permission denied|must be owner"):
        run(as_user("writing").location, statement)


@pytest.mark.parametrize(
    "statement", ["UPDATE total SET amount = '0'", "INSERT INTO entry SELECT * FROM entry", *FORBIDDEN]
)
def test_a_reader_may_only_read(as_user: Callable[[str], Place], statement: str) -> None:
    with pytest.raises(Exception, match=r"permission denied|must be owner"):
        run(as_user("reading").location, statement)


def test_a_reader_may_verify_and_a_stranger_not_even_read(as_user: Callable[[str], Place]) -> None:
    with as_user("reading").open() as ledger:
        assert ledger.verify() == ()
        with pytest.raises(LedgerError, match="permission denied"):
            ledger.reserve(claim("1/100"))
    with pytest.raises(LedgerError, match="permission denied"):
        as_user("stranger").open()


def test_a_writer_opens_no_ledger_and_gives_nobody_rights(as_user: Callable[[str], Place]) -> None:
    with pytest.raises(LedgerError, match="permission denied"):
        Place(as_user("writing").location, "further").create(terms())
    with pytest.raises(LedgerError, match=r"permission denied|must be owner"):
        make_roles(as_user("writing").location, writers="others")


def test_a_writer_cannot_grant_what_it_does_not_have(as_user: Callable[[str], Place]) -> None:
    run(as_user("writing").location, "GRANT DELETE ON entry TO writing")  # PostgreSQL warns, and grants nothing
    with pytest.raises(Exception, match="permission denied"):
        run(as_user("writing").location, "DELETE FROM entry")


def test_tables_of_an_earlier_version_are_left_to_their_owner(victim: Victim, as_user: Callable[[str], Place]) -> None:
    run(
        victim.place.location,
        "ALTER TABLE entry DROP CONSTRAINT entries_are_counted_from_zero",
        "UPDATE accountant_ledger_version SET version_num = '0001'",
    )
    with pytest.raises(LedgerError, match="only their owner may bring them forward"):
        as_user("writing").open()
    victim.open().close()
    as_user("writing").open().close()


def test_where_nothing_can_be_compared_verify_says_so(victim: Victim, as_user: Callable[[str], Place]) -> None:
    database = Databases.database_of(victim.place)
    rights = f'TEMPORARY ON DATABASE "{database}" FROM PUBLIC, survey_readers'
    run(victim.place.location, f"REVOKE {rights}")
    with as_user("reading").open() as ledger:
        assert "whether the tables still refuse changes cannot be seen" in "".join(map(str, ledger.verify()))
    make_roles(victim.place.location, readers="survey_readers")
    with as_user("reading").open() as ledger:
        assert ledger.verify() == ()


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("postgres", "may do more than any right"),
        ("", "plain characters"),
        ("a" * 64, "plain characters"),
        ("a\nb", "plain"),
    ],
)
def test_who_is_as_good_as_the_owner_is_no_writer(victim: Victim, role: str, message: str) -> None:
    with pytest.raises(LedgerError, match=message):
        make_roles(victim.place.location, writers=role)


def test_who_may_create_things_beside_the_tables_is_no_writer(victim: Victim) -> None:
    run(victim.place.location, "GRANT CREATE ON SCHEMA public TO PUBLIC")
    with pytest.raises(LedgerError, match="run 'REVOKE CREATE ON SCHEMA public FROM PUBLIC' first"):
        make_roles(victim.place.location, writers="further")
    run(victim.place.location, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")


def test_a_file_has_no_roles(tmp_path: Path) -> None:
    place = Place(str(tmp_path / "a.ledger"))
    place.create(terms()).close()
    with pytest.raises(LedgerError, match="is a file"):
        make_roles(place.location, writers="w")


def test_roles_are_made_from_the_command_line(victim: Victim) -> None:
    words = ["ledger", "roles", victim.place.location, "--writers", "survey writers", "--readers", "survey_readers"]
    said = CliRunner().invoke(main, words)
    assert (said.exit_code, said.output.splitlines()[1]) == (0, "survey_readers may read and verify; nothing else")
    found = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    schema = output_schema({})
    jsonschema.Draft202012Validator({"$ref": "#/$defs/ledger-roles", "$defs": schema["$defs"]}).validate(found)
    assert found == {"writers": "survey writers", "readers": "survey_readers"}
