"""DuckDB: the engine in the process. Nothing has to run beside it, and it spills to disk what memory does not hold."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from accountant import InvalidValue
from accountant.engines import Engine, Format, csv_header, files_of, quoted, refused

T = TypeVar("T")
S = TypeVar("S")

_MACROS = {
    "regexp_like(text, pattern)": "regexp_matches(text, pattern)",
    "collect_list(item)": "list(item)",
    "array_sort(items)": "list_sort(items)",
    "array_join(items, mark)": "array_to_string(items, mark)",
}
"""The words of the shared dialect that DuckDB calls otherwise."""

_FEW = 256


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
        settings = {"threads": self._threads, "temp_directory": quoted(str(self._folder)), "TimeZone": "'UTC'"}
        if memory is not None:
            settings["memory_limit"] = quoted(memory)
        for word, value in settings.items():
            self._connection.execute(f"SET {word} = {value}")
        self._connection.execute("SET enable_progress_bar = false")
        for call, meaning in _MACROS.items():
            self._connection.execute(f"CREATE MACRO {call} AS {meaning}")

    @property
    def name(self) -> str:
        return "duckdb"

    def columns(self, name: str, location: str) -> tuple[str, ...]:
        files = files_of(location)
        listed = ", ".join(quoted(str(path)) for path in files.paths)
        if files.format is Format.CSV:
            header = csv_header(files)
            types = ", ".join(f"{quoted(column)}: 'VARCHAR'" for column in header)
            how = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = ''"
            source = f"read_csv([{listed}], {how}, columns = {{{types}}})"
        else:
            source = f"read_parquet([{listed}])"
        try:
            cells = "CAST(COLUMNS(*) AS VARCHAR)"
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {cells} FROM {source}")
            return tuple(row[0] for row in self._connection.execute(f"DESCRIBE {name}").fetchall())
        except self._error as error:
            raise refused(f"'{location}' cannot be read: {_first_line(error)}", name) from error

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
        if len(items) < _FEW or self._threads == 1:
            yield from map(function, items)
            return
        with ProcessPoolExecutor(self._threads, mp_context=get_context("spawn"), initializer=_deaf) as pool:
            try:
                yield from pool.map(function, items, chunksize=max(1, min(64, len(items) // (4 * self._threads))))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _asked(self, query: str) -> None:
        with self._asking():
            self._connection.execute(query)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """What the engine cannot do is refused; where somebody interrupts it, they interrupt everything."""
        try:
            yield
        except (self._error, RuntimeError) as error:
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from error
            raise refused(f"the engine could not finish: {_first_line(error)}", "engine") from error


def _deaf() -> None:
    """A worker is ended by the process that started it: an interruption is told once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
