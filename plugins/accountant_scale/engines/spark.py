"""Spark: the engine on a cluster. Queries are those of every engine; functions run on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from accountant.engines import Engine, Format, csv_header, files_of, refused
from accountant_scale.engines.gateway import first_line, session

T = TypeVar("T")
S = TypeVar("S")

_PARTS = "spark.sql.shuffle.partitions"
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}


class Spark(Engine):
    """An engine on a Spark cluster, by its address: `spark://HOST:PORT`, `local-cluster[...]`, `local[...]`.

    Files must be where every worker finds them, and workers need the Python of this process with the same plugins.
    """

    def __init__(self, master: str, settings: Mapping[str, str] | None = None) -> None:
        self._master = master
        self._session = session(master, {**_SETTINGS, **_loopback(master), **(settings or {})})
        if _PARTS not in (settings or {}):
            # As many as keep the cluster busy: a number of its own would be too many for few rows, or too few for many.
            self._session.conf.set(_PARTS, 4 * self._session.sparkContext.defaultParallelism)
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self._errors = (PySparkException, Py4JError)

    @property
    def name(self) -> str:
        return self._master

    def columns(self, name: str, location: str) -> tuple[str, ...]:
        files = files_of(location)
        paths = [path.resolve().as_uri() for path in files.paths]
        reader = self._session.read
        try:
            if files.format is Format.CSV:
                header = csv_header(files)
                schema = ", ".join(f"`{column}` STRING" for column in header)
                how: dict[str, str | bool] = {
                    "header": True,
                    "quote": '"',
                    "escape": '"',
                    "mode": "FAILFAST",
                    "multiLine": True,
                }
                table = reader.options(**how).schema(schema).csv(paths)
            else:
                table = reader.parquet(*paths)
            table.selectExpr(
                *(f"{_cell(column, files.format)} AS `{column}`" for column in table.columns)
            ).createOrReplaceTempView(name)
            return tuple(table.columns)
        except self._errors as error:
            raise refused(f"'{location}' cannot be read: {first_line(error)}", name) from error

    def given(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        schema = ", ".join(f"`{column}` STRING" for column in columns)
        rows = list(zip(*columns.values(), strict=True))
        self._session.createDataFrame(rows, schema).createOrReplaceTempView(name)

    def keep(self, name: str, query: str) -> None:
        try:
            table = self._session.sql(query).persist()
            table.createOrReplaceTempView(name)
        except self._errors as error:
            raise refused(f"the engine could not finish: {first_line(error)}", "engine") from error

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        try:
            return [tuple(row) for row in self._session.sql(query).collect()]
        except self._errors as error:
            raise refused(f"the engine could not finish: {first_line(error)}", "engine") from error

    def put(self, query: str, folder: Path) -> None:
        try:
            self._session.sql(query).write.parquet(folder.resolve().as_uri())
        except self._errors as error:
            raise refused(f"the engine could not finish: {first_line(error)}", "engine") from error

    def spread(self, function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
        context = self._session.sparkContext
        parts = max(1, min(len(items), 4 * context.defaultParallelism))
        try:
            yield from context.parallelize(items, parts).map(function).toLocalIterator(prefetchPartitions=True)
        except self._errors as error:
            raise refused(f"the engine could not finish: {first_line(error)}", "engine") from error

    def close(self) -> None:
        self._session.stop()


def _cell(column: str, format: Format) -> str:
    """A cell as text. Bytes of a CSV file that are none are read as a mark, so that different cells would become one."""
    if format is Format.PARQUET:
        return f"CAST(`{column}` AS STRING)"
    strange = "contains(`" + column + "`, decode(unhex('EFBFBD'), 'UTF-8'))"
    return f"CASE WHEN {strange} THEN raise_error('the table is not UTF-8') ELSE `{column}` END"


def _loopback(master: str) -> dict[str, str]:
    """A driver beside its cluster must not be looked for elsewhere."""
    if "127.0.0.1" not in master and "localhost" not in master and not master.startswith("local"):
        return {}
    return {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
