"""DuckDB: the engine in the process. Nothing has to run beside it, and it spills to disk what memory does not hold."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from accountant import InvalidValue
from accountant.engines import Engine, Files, Format, csv_header, files_of, not_plain, quoted, refused
from accountant.progress import following
from accountant_scale.engines.processes import spread

T = TypeVar("T")
S = TypeVar("S")

_MACROS = {
    "regexp_like(text, pattern)": "regexp_matches(text, pattern)",
    "collect_list(item)": "list(item)",
    "array_sort(items)": "list_sort(items)",
    "array_join(items, mark)": "array_to_string(items, mark)",
}
"""The words of the shared dialect that DuckDB calls otherwise."""

_PLAIN = ("VARCHAR", "BOOLEAN", "DATE", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
"""The types whose text is the same in every engine; those of whole numbers may be unsigned."""


class DuckDB(Engine):
    """An engine in this process, with `threads` of its own; what does not fit in memory is kept in a temporary folder."""

    def __init__(self, threads: int | None = None, memory: str | None = None) -> None:
        try:
            import duckdb
        except ImportError as error:
            raise InvalidValue(
                "counting large tables needs DuckDB: install 'privacy-accountant[scale]', or name a Spark cluster"
            ) from error
        self._error = duckdb.Error
        self._threads = threads or os.cpu_count() or 1
        self._folder = Path(tempfile.mkdtemp(prefix="accountant-"))
        self._connection = duckdb.connect()
        settings = {
            "threads": self._threads,
            "temp_directory": quoted(str(self._folder)),
            "TimeZone": "'UTC'",
            "memory_limit": quoted(memory or self._half()),
            "enable_progress_bar": "true",  # it is asked how far it is, and draws nothing itself
            "enable_progress_bar_print": "false",
        }
        for word, value in settings.items():
            self._connection.execute(f"SET {word} = {value}")
        for call, meaning in _MACROS.items():
            self._connection.execute(f"CREATE MACRO {call} AS {meaning}")

    @property
    def name(self) -> str:
        return "duckdb"

    def columns(self, name: str, location: str) -> tuple[str, ...]:
        files = files_of(location)
        try:
            source = self._source(files)
            found = self._connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
            cells = ", ".join(_cell(column, kind) for column, kind, *_ in found)
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {cells} FROM {source}")
        except self._error as error:
            raise refused(f"'{location}' cannot be read: {_told(error)}", "table") from error
        return tuple(column for column, *_ in found)

    def _source(self, files: Files) -> str:
        listed = ", ".join(quoted(str(path)) for path in files.paths)
        if files.format is Format.PARQUET:
            return f"read_parquet([{listed}], hive_partitioning = false)"
        types = ", ".join(f"{quoted(column)}: 'VARCHAR'" for column in csv_header(files))
        how = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = ''"
        return f"read_csv([{listed}], {how}, hive_partitioning = false, columns = {{{types}}})"

    def given(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        import pyarrow

        table = pyarrow.table({key: pyarrow.array(list(cells), pyarrow.string()) for key, cells in columns.items()})
        self._connection.register(f"{name}_given", table)
        self.keep(name, f"SELECT * FROM {name}_given")
        self._connection.unregister(f"{name}_given")

    def keep(self, name: str, query: str) -> None:
        # What a name stands for is always a view: a table cannot take the place of one.
        self._asked(f"CREATE OR REPLACE TEMP TABLE {name}_kept AS {query}")
        self._asked(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM {name}_kept")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._asking():
            found: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
        return found

    def put(self, query: str, folder: Path) -> None:
        folder.mkdir()
        self._asked(
            f"COPY ({query}) TO {quoted(str(folder))} (FORMAT parquet, PER_THREAD_OUTPUT true, OVERWRITE_OR_IGNORE true)"
        )

    def spread(self, function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
        return spread(function, items, self._threads)

    def close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _asked(self, query: str) -> None:
        with self._asking():
            self._connection.execute(query)

    def _half(self) -> str:
        """Half of what DuckDB would take, which is most of the machine: readings need room too, and so do others."""
        [(limit,)] = self._connection.execute("SELECT current_setting('memory_limit')").fetchall()
        number, unit = limit.split()
        return f"{float(number) / 2} {unit}"

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """What the engine cannot do is refused; where somebody interrupts it, they interrupt everything."""
        try:
            with following(lambda: self._connection.query_progress() / 100):
                yield
        except (self._error, RuntimeError) as error:
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from error
            raise refused(f"the engine could not finish: {_told(error)}", "engine") from error


def _cell(column: str, kind: str) -> str:
    """A cell as text; where engines would write it in different ways, the query that looks at it is refused."""
    name = '"' + column.replace('"', '""') + '"'
    if kind.removeprefix("U").partition("(")[0] in _PLAIN:
        return f"CAST({name} AS VARCHAR) AS {name}"
    wrong = quoted(not_plain(column, kind))
    return f"CASE WHEN {name} IS NOT NULL THEN CAST(error({wrong}) AS VARCHAR) END AS {name}"


def _told(error: Exception) -> str:
    """What an error says: not the line of the table that it is about, nor advice for those who write queries."""
    lines = [line.strip() for line in str(error).partition("Possible fixes")[0].splitlines()]
    told = [line for line in lines if line and not line.startswith("Original Line")]
    files = [line.partition("=")[2].strip() for line in str(error).splitlines() if line.strip().startswith("file = ")]
    return "; ".join([*(Path(name).name for name in files), *told[:3]]) or type(error).__name__
