"""What somebody can do who may change everything in the database of a ledger, in a file and in PostgreSQL."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from accountant import Ledger
from accountant.certificate.signing.keys import PrivateKey
from accountant.certificate.signing.note import NoteKey
from accountant.ledger import Posting
from accountant.ledger.store import Store, code_of
from accountant.ledger.transparency.checkpoint import Checkpoint, CheckpointKeys
from tests.ledger.cases import Place, claim, gaussian, terms

ORIGIN = "example.org/survey"
SIGNER = PrivateKey.of_seed(bytes(range(32)))
KEYS = CheckpointKeys(NoteKey(SIGNER.public))


def fill(ledger: Ledger) -> None:
    """Something of everything."""
    ledger.reserve(claim("0.25", "a"), key="first", commit=True)
    ledger.cancel(ledger.reserve(claim("0.5", "b")).number, reason="never ran")
    ledger.reserve(ledger.batch(gaussian("2", "c")))
    ledger.reserve(claim("1/16", "d", 2), commit=True)


@frozen
class Victim:
    """A ledger in a database of its own, and everything that its owner may do to it."""

    place: Place
    copied: Callable[[], Place]

    def copy(self) -> Victim:
        """The same database once more."""
        return evolve(self, place=self.copied())

    def open(self) -> Ledger:
        return self.place.open()

    @property
    def entries(self) -> list[Posting]:
        with self.open() as ledger:
            return list(ledger.history())

    def checkpoint(self) -> Checkpoint:
        with self.open() as ledger:
            return ledger.checkpoint(ORIGIN, SIGNER)

    def found(self, checkpoints: Sequence[Checkpoint] = ()) -> str:
        """What verifying says, one fault in each line."""
        with self.open() as ledger:
            return "\n".join(map(str, ledger.verify(checkpoints=checkpoints, keys=KEYS)))

    @property
    def in_file(self) -> bool:
        return "://" not in self.place.location

    def run(self, *statements: str, **values: Any) -> None:
        """Run statements as the owner of the database, with every refusal in place."""
        self._run([(statement, values) for statement in statements])

    def force(self, *statements: tuple[str, dict[str, Any]]) -> None:
        """Run statements with no refusal in place, and put them all back as they were."""
        if not self.in_file:
            self._run([("SET session_replication_role = replica", {}), *statements])
            return
        with closing(sqlite3.connect(self.place.location)) as connection:
            found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        away = [(f"DROP TRIGGER {name}", {}) for name, _ in found]
        self._run([*away, *statements, *((sql, {}) for _, sql in found)])

    def _run(self, statements: Iterable[tuple[str, dict[str, Any]]]) -> None:
        url = f"sqlite:///{self.place.location}" if self.in_file else make_url(self.place.location).set(drivername=DRIVER)
        engine = create_engine(url)
        try:
            with engine.begin() as connection:
                for statement, values in statements:
                    connection.execute(text(statement.replace(":=", r"\:=")), values)
        finally:
            engine.dispose()

    def rewrite(self, entries: Sequence[Posting]) -> None:
        """Put other entries in place of all, and make everything else fit them: digests, links, head and totals."""
        previous, written = "0" * 64, []
        for number, entry in enumerate(entries):
            written.append(
                Posting(entry.ledger, number, entry.kind, entry.moment, entry.body, previous, entry.settles, entry.key)
            )
            previous = written[-1].digest
        self.force(
            ("DELETE FROM entry", {}),
            ("DELETE FROM total", {}),
            *((_INSERT, {name: getattr(entry, name) for name in _COLUMNS}) for entry in written),
            ("UPDATE ledger SET number = :number, digest = :digest", {"number": written[-1].number, "digest": previous}),
            *((_TOTAL, row) for row in _sums(written)),
        )


DRIVER = "postgresql+psycopg"
_COLUMNS = ("ledger", "number", "kind", "settles", "key", "moment", "body", "previous", "digest")
_INSERT = f"INSERT INTO entry ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
_TOTAL = "INSERT INTO total (ledger, state, code, item, amount) VALUES (:ledger, :state, :code, :item, :amount)"


def _sums(entries: Sequence[Posting]) -> list[dict[str, Any]]:
    """The totals that entries come to, worked out here."""
    charges = {entry.number: entry.charge for entry in entries if entry.kind == "reserved"}
    sums: dict[tuple[str, str], Fraction] = {}
    for entry in entries:
        changes = {
            "reserved": {"reserved": 1},
            "committed": {"reserved": -1, "committed": 1},
            "cancelled": {"reserved": -1},
        }
        number = entry.number if entry.kind == "reserved" else entry.settles
        for state, sign in changes.get(entry.kind, {}).items():
            for item, amount in charges[number if number is not None else -1].items():
                sums[state, item] = sums.get((state, item), Fraction(0)) + sign * amount
    ledger = entries[0].ledger
    return [
        {"ledger": ledger, "state": state, "code": code_of(item), "item": item, "amount": str(amount)}
        for (state, item), amount in sums.items()
    ]


@frozen
class Databases:
    """Copies of one filled ledger: each in a file, or in a schema of its own, or where that is asked in a database."""

    folder: Path
    server: str | None
    apart: bool = False
    _numbers: Any = field(factory=itertools.count)

    def first(self) -> Place:
        """A new ledger with something of everything."""
        made = self._empty()
        with made.create(terms()) as ledger:
            fill(ledger)
        return made

    def victim(self, place: Place) -> Victim:
        return Victim(place, lambda: self._copy(place))

    def _named(self) -> str:
        return f"attacked_{self.folder.name.replace('-', '_')}_{next(self._numbers)}".lower()

    def _empty(self) -> Place:
        name = self._named()
        if self.server is None:
            return Place(str(self.folder / f"{name}.ledger"))
        self._server(f'CREATE {"DATABASE" if self.apart else "SCHEMA"} "{name}"')
        url = make_url(self.server)
        found = url.set(database=name) if self.apart else url.update_query_dict({"options": f"-csearch_path={name}"})
        return Place(found.render_as_string(hide_password=False))

    @staticmethod
    def database_of(place: Place) -> str:
        return str(make_url(place.location).database)

    def _copy(self, place: Place) -> Place:
        if self.server is None:
            return Place(str(shutil.copy(place.location, self.folder / f"{self._named()}.ledger")))
        made = self._empty()
        Store.connect(made.location, create=True).close()
        source, target = (str(make_url(item.location).query["options"]).partition("=")[2] for item in (place, made))
        for table in ("ledger", "entry", "total"):
            self._server(f'INSERT INTO "{target}".{table} SELECT * FROM "{source}".{table}')
        return made

    def _server(self, statement: str) -> None:
        url = make_url(str(self.server)).set(drivername=DRIVER)
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                connection.execute(text(statement))
        finally:
            engine.dispose()
