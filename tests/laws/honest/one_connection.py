"""An engine of a stranger: tables are read with Python's own reader into one connection of DuckDB, without threads."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from attrs import frozen

from accountant import Fault, PlanError
from accountant.plugin import Engine, EngineKind, hookimpl

_WORDS = (
    "collect_list(item) AS list(item)",
    "array_sort(items) AS list_sort(items)",
    "array_join(items, mark) AS array_to_string(items, mark)",
    "regexp_like(text, pattern) AS regexp_matches(text, pattern)",
)


class OneConnection(Engine):
    """Everything in memory, one thing after another."""

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect(config={"threads": 1})
        for words in _WORDS:
            self._connection.execute(f"CREATE MACRO {words}")

    @property
    def name(self) -> str:
        return "one-connection"

    def columns(self, name: str, location: str) -> tuple[str, ...]:
        path = Path(location)
        if not path.exists():
            raise PlanError((Fault(f"there is no file '{location}'", name),))
        if path.is_dir():
            from pyarrow import parquet

            table = parquet.read_table(path)
            found = {column: table[column].to_pylist() for column in table.column_names}
        else:
            with path.open(encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            found = {column: [row[place] or None for row in rows] for place, column in enumerate(header)}
        self.given(name, found)
        return tuple(found)

    def given(self, name: str, columns: Mapping[str, Sequence[str | None]]) -> None:
        import pyarrow

        table = pyarrow.table({key: pyarrow.array(list(cells), pyarrow.string()) for key, cells in columns.items()})
        self._connection.register("table_given", table)
        self.keep(name, "SELECT * FROM table_given")

    def keep(self, name: str, query: str) -> None:
        self._asked(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return list(self._asked(query).fetchall())

    def put(self, query: str, folder: Path) -> None:
        folder.mkdir()
        self._asked(f"COPY ({query}) TO '{folder}/all.parquet' (FORMAT parquet)")

    def spread(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        return map(function, items)

    def close(self) -> None:
        self._connection.close()

    def _asked(self, query: str) -> Any:
        import duckdb

        try:
            return self._connection.execute(query)
        except duckdb.Error as error:
            raise PlanError((Fault(str(error).splitlines()[0], "engine"),)) from error


@frozen
class InMemory(EngineKind):
    """One connection in memory."""

    name: ClassVar[str] = "one-connection"
    meaning: ClassVar[str] = "in memory, one thing after another"
    alone: ClassVar[str] = "one-connection"

    def at(self, address: str) -> Engine:
        return OneConnection()


@hookimpl
def accountant_engines() -> Iterable[EngineKind]:
    return (InMemory(),)
