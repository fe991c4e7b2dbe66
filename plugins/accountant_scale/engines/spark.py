"""Spark: the engine on a cluster. Queries are those of every engine; functions run on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from accountant.engines import Engine, Files, Format, csv_header, files_of, not_plain, quoted, refused
from accountant.progress import following
from accountant_scale.engines.gateway import session, told

T = TypeVar("T")
S = TypeVar("S")

_PARTS = "spark.sql.shuffle.partitions"
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}
_PLAIN = ("string", "boolean", "date", "decimal", "tinyint", "smallint", "int", "bigint")
"""The types whose text is the same in every engine."""


class Spark(Engine):
    """An engine on a Spark cluster, by its address: `spark://HOST:PORT`, `local-cluster[...]`, `local[...]`.

    Files must be where every worker finds them, and workers need the Python of this process with the same plugins.
    """

    def __init__(self, master: str, settings: Mapping[str, str] | None = None) -> None:
        self._master = master
        self._number = 0
        self._session = session(master, {**_SETTINGS, **_loopback(master), **(settings or {})})
        if _PARTS not in (settings or {}):
            # As many as keep the cluster busy: a number of its own would be too many for few rows, or too few for many.
            self._session.conf.set(_PARTS, 4 * self._session.sparkContext.defaultParallelism)
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self._errors = (PySparkException, Py4JError)
        self._thread = ThreadPoolExecutor(1)
        """What is asked waits in a thread of its own: who is interrupted while waiting can still ask Spark to stop."""

    @property
    def name(self) -> str:
        return self._master

    def columns(self, name: str, location: str) -> tuple[str, ...]:
        files = files_of(location)
        paths = [_place(path) for path in files.paths]
        found: list[str] = self._asked(lambda: self._view(name, files, paths), f"'{location}' cannot be read", "table")
        return tuple(found)

    def _view(self, name: str, files: Files, paths: list[str]) -> list[str]:
        reader = self._session.read
        if files.format is Format.CSV:
            schema = ", ".join(f"{_named(column)} STRING" for column in csv_header(files))
            how: dict[str, str | bool] = {"quote": '"', "escape": '"', "mode": "FAILFAST", "multiLine": True}
            table = reader.options(header=True, **how).schema(schema).csv(paths)
            cells = [_text(column) for column in table.columns]
        else:
            table = reader.parquet(*paths)
            cells = [_cell(column, kind) for column, kind in table.dtypes]
        table.selectExpr(*cells).createOrReplaceTempView(name)
        return list(table.columns)

    def given(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        schema = ", ".join(f"{_named(column)} STRING" for column in columns)
        rows = list(zip(*columns.values(), strict=True))
        self._session.createDataFrame(rows, schema).createOrReplaceTempView(name)

    def keep(self, name: str, query: str) -> None:
        def work() -> None:
            table = self._session.sql(query).persist()
            table.write.format("noop").mode("overwrite").save()  # without this, it would be computed when it is asked for
            table.createOrReplaceTempView(name)

        self._asked(work)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._asked(lambda: [tuple(row) for row in self._session.sql(query).collect()])

    def put(self, query: str, folder: Path) -> None:
        self._asked(lambda: self._session.sql(query).write.parquet(_place(folder)))

    def spread(self, function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
        context = self._session.sparkContext
        parts = max(1, min(len(items), 4 * context.defaultParallelism))
        try:
            yield from context.parallelize(items, parts).map(function).toLocalIterator(prefetchPartitions=True)
        except self._errors as error:
            raise refused(f"the engine could not finish: {told(error)}", "engine") from error
        except BaseException:
            context.cancelAllJobs()
            raise

    def close(self) -> None:
        self._thread.shutdown()
        self._session.stop()

    def _asked(self, work: Callable[[], T], failed: str = "the engine could not finish", place: str = "engine") -> T:
        """What work gives; what Spark cannot do is refused, and an interruption ends what it does for us."""
        context = self._session.sparkContext
        self._number += 1
        group = f"accountant-{self._number}"

        def grouped() -> T:
            context.setJobGroup(group, "accountant")
            return work()

        try:
            with following(lambda: _done(context.statusTracker(), group)):
                return self._thread.submit(grouped).result()
        except self._errors as error:
            raise refused(f"{failed}: {told(error)}", place) from error
        except BaseException:
            context.cancelAllJobs()
            raise


def _done(tracker: Any, group: str) -> float:
    """The share of tasks that are done, of all that are known; further ones may come, so that it is never all."""
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for stage in () if info is None else map(tracker.getStageInfo, info.stageIds):
            done += 0 if stage is None else stage.numCompletedTasks
            total += 1 if stage is None else stage.numTasks
    return done / (total + 1)


def _place(path: Path) -> str:
    """A path as Spark reads it: escapes of an address would be taken for parts of names."""
    return f"file:{path.resolve()}"


def _named(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def _text(column: str) -> str:
    """A cell of a CSV file. Bytes that are no text are read as a mark, so that different cells would become one."""
    name = _named(column)
    strange = f"contains({name}, decode(unhex('EFBFBD'), 'UTF-8'))"
    return f"CASE WHEN {strange} THEN raise_error('the table is not UTF-8') ELSE {name} END AS {name}"


def _cell(column: str, kind: str) -> str:
    """A cell of a Parquet file as text; where engines would write it in different ways, a query that looks is refused."""
    name = _named(column)
    if kind.partition("(")[0] in _PLAIN:
        return f"CAST({name} AS STRING) AS {name}"
    wrong = quoted(not_plain(column, kind.upper()))
    return f"CASE WHEN {name} IS NOT NULL THEN CAST(raise_error({wrong}) AS STRING) END AS {name}"


def _loopback(master: str) -> dict[str, str]:
    """A driver beside its cluster must not be looked for elsewhere."""
    if "127.0.0.1" not in master and "localhost" not in master and not master.startswith("local"):
        return {}
    return {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
