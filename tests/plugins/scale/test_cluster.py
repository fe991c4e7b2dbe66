"""The engine on a real cluster, a master and two workers: its answers are DuckDB's, and those of a slow enumeration."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import socketserver
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from random import Random
from threading import Thread, Timer
from typing import Any

import pytest
from click.testing import CliRunner

import accountant as ac
from accountant.cli import main
from accountant.engines import Engine, engine_at
from accountant.progress import watched
from accountant.testing import laws
from accountant_posterior.attacks.cells.counting import count_cells
from accountant_scale.engines import gateway
from accountant_scale.engines.duck import DuckDB
from accountant_scale.engines.spark import Spark
from accountant_scale.individuals.certificate import UnitContents
from accountant_scale.individuals.run import Individuals, individuals
from tests.plugins.scale.cluster import WAITING, Cluster, cluster
from tests.plugins.scale.panel import BUDGETS, PLAN, RELEASES, drawn, units_in, write

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


FAR = b"".join(b"%d,wave\r\n" % number for number in range(2000))
"""Rows enough that nobody who reads the first of a file sees the last."""


class Watched(Spark):
    """An engine to which something happens after the first of many readings, or after a table was kept."""

    happens: Callable[[], None] | None = None
    kept: str | None = None

    def keep(self, name: str, query: str) -> None:
        super().keep(name, query)
        if name == self.kept and self.happens is not None:
            self.happens()
            self.happens = self.kept = None

    def spread(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        for place, item in enumerate(super().spread(function, items)):
            if place == 0 and self.happens is not None and self.kept is None:
                self.happens()
                self.happens = None
            yield item


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("spark")) as made:
        yield made


@pytest.fixture(scope="module")
def working(master: Cluster) -> Cluster:
    master.work(2)
    return master


@pytest.fixture(scope="module")
def spark(working: Cluster) -> Iterator[Watched]:
    with Watched(working.address, WAITING) as made:
        yield made


@pytest.fixture
def duck() -> Iterator[DuckDB]:
    with DuckDB(threads=1) as made:
        yield made


def asked(engine: Engine, table: Path, output: Path, before: str | None = None) -> Individuals:
    return individuals(PLAN, table, participation="design", engine=engine, output=output, before=before)


def strange(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same events of units whose names a reader of tables might change."""
    names = {"unit 0": 'a "unit", quoted', "unit 1": " spaces ", "unit 2": "été\nand on", "unit 3": "NULL", "unit 4": "007"}
    return [(names.get(unit, unit), release) for unit, release in rows]


def enumerated(rows: Sequence[tuple[str, str]]) -> dict[str, tuple[float, ...]]:
    """Both ends of each budget for every unit, from an account of its own rows; releases that are alike are one."""
    alike = {RELEASES[1].name: RELEASES[0].name}
    taken: dict[str, Counter[str]] = {}
    for unit, release in rows:
        taken.setdefault(unit, Counter())[alike.get(release, release)] += 1
    found: dict[str, tuple[float, ...]] = {}
    for unit, events in taken.items():
        own = [ac.Release(r.name, r.mechanism, r.query, times=events[r.name]) for r in RELEASES if events[r.name]]
        account = ac.account(ac.Plan.of(*own, neighbours="add-remove", budgets=BUDGETS))
        values = [account.check(budget)[0].value for budget in BUDGETS]
        found[unit] = tuple(end for value in values for end in (value.lower, value.upper))
    return found


def parts(folder: Path, rows: Sequence[tuple[str, str]]) -> Path:
    """The events in two Parquet files of one folder."""
    import pyarrow
    from pyarrow import parquet

    folder.mkdir()
    for place in (0, 1):
        units, releases = zip(*rows[place::2], strict=True)
        parquet.write_table(pyarrow.table({"unit": units, "release": releases}), folder / f"{place}.parquet")
    return folder


def agree(
    cluster: Engine, process: Engine, rows: Sequence[tuple[str, str]], table: Path, folder: Path, before: str | None = None
) -> None:
    """Two engines give the same to the last digit, in answers and in files, and what a slow enumeration gives."""
    there, here = (asked(engine, table, folder / engine.name[:5], before) for engine in (cluster, process))
    assert there.signatures == here.signatures
    assert there.spreads == here.spreads
    assert there.left_out == here.left_out
    assert UnitContents.of(PLAN, there).to_json() == UnitContents.of(PLAN, here).to_json()
    written = units_in(folder / "spark")
    assert written == units_in(folder / "duckd")
    ends = ("lower_1", "upper_1", "lower_2", "upper_2")
    assert {unit: tuple(row[end] for end in ends) for unit, row in written.items()} == enumerated(rows)


def test_a_cluster_without_workers_is_said_and_nothing_reaches_the_terminal(
    master: Cluster, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gateway, "_SECONDS_FOR_WORKERS", 0)
    with pytest.raises(ac.InvalidValue, match=r"no worker at spark://.* was ready within 0 seconds"):
        Spark(master.address)
    assert capfd.readouterr() == ("", "")


HEAD = ("block", "tract", "colour")
ATTACKED = {
    "title": "Colours",
    "specification": {"neighbours": "add-remove"},
    "release": [
        {
            "name": place,
            "query": {"kind": "histogram", "attributes": [place, "colour"]},
            "mechanism": {"kind": "discrete-gaussian", "variance": "4"},
        }
        for place in ("block", "tract")
    ],
}


def people(random: Random, number: int) -> list[tuple[str, str, str]]:
    """People of a few blocks whose names a reader of tables might change."""
    places = [("007", "a, b"), ("7", "a, b"), ("NULL", 'a "tract"'), ("été", 'a "tract"'), (" 7", "c")]
    return [(*random.choice(places), random.choice(["red", "Red", "blue\nand on"])) for _ in range(number)]


def test_the_command_attacks_on_a_cluster_as_it_does_without_one(working: Cluster, tmp_path: Path) -> None:
    table = write(tmp_path / "people.csv", people(Random(5), 30), HEAD)
    call = ["attack", json.dumps(ATTACKED), str(table), "--places", "block,tract", "--knows", "levels", "--rare", "4"]
    call += ["--seed", "7", "--json"]
    there, here, alone = (
        CliRunner().invoke(main, [*call, *engine]) for engine in (["--engine", working.address], ["--engine", "duckdb"], [])
    )
    assert (there.exit_code, there.stderr) == (0, "")
    assert there.stdout == here.stdout == alone.stdout


def test_a_cluster_gives_what_duckdb_and_a_slow_enumeration_give(
    spark: Watched, duck: DuckDB, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = strange(drawn(Random(0), 10))
    agree(spark, duck, rows, write(tmp_path / "events.csv", rows), tmp_path, "wave")
    assert capfd.readouterr() == ("", "")


def test_a_cluster_gives_so_too_from_a_folder_of_parquet_files(spark: Watched, duck: DuckDB, tmp_path: Path) -> None:
    rows = strange(drawn(Random(1), 10))
    agree(spark, duck, rows, parts(tmp_path / "events", rows), tmp_path)


def test_a_cluster_finds_the_faults_that_duckdb_finds(spark: Watched, duck: DuckDB, tmp_path: Path) -> None:
    rows = [("", "wave", "1"), ("a", "none", "1"), ("b", "wave", "-1"), ("c", "wave", "1.5"), ("d", "", "1")]
    table = write(tmp_path / "events.csv", rows, ("unit", "release", "times"))
    faults = []
    for engine in (spark, duck):
        with pytest.raises(ac.PlanError) as caught:
            asked(engine, table, tmp_path / "out")
        faults.append([str(fault) for fault in caught.value.faults])
    assert faults[0] == faults[1]
    assert len(faults[0]) == 4
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"unit,release,note\r\na,wave,as planned, late\r\n", "could not finish|cannot be read"),
        (b"unit,release,note\r\na,wave\r\n", "could not finish|cannot be read"),
        (b"unit,release\r\n" + FAR + b"\xe9,wave\r\n\xe8,wave\r\n", "could not finish|cannot be read"),
        (b'unit,release,times\r\na,wave,"1\n"\r\n', "no whole number"),
    ],
    ids=["more cells than columns", "fewer cells than columns", "not UTF-8", "a number and a line break"],
)
def test_a_table_that_duckdb_refuses_is_refused_by_a_cluster(
    spark: Watched, duck: DuckDB, tmp_path: Path, content: bytes, wrong: str
) -> None:
    table = tmp_path / "events.csv"
    table.write_bytes(content)
    for engine in (duck, spark):
        with pytest.raises(ac.PlanError, match=wrong):
            asked(engine, table, tmp_path / "out")


ROWS = [
    ("x", "one", 10**18 - 1),
    ("x", "uno", 10**18 - 1),
    ("y", "two", 3),
    ("x", "two", 2),
    ("x", "five", 1),
    (" x", "one", 0),
]
CELLS = [("", " "), ("007", "NULL"), ("\\N", 'a "word"'), ("a,b", "été\nand on"), ("1.50", "\\")]


def test_a_cluster_keeps_the_laws_of_engines(spark: Watched) -> None:
    laws.engine_counts_what_is_there(spark, ROWS, {"one": "a", "uno": "a", "two": "b"})
    laws.engine_reads_cells_as_they_are_written(spark, CELLS)
    laws.engine_leaves_nothing_half_done(spark)
    laws.engine_spreads_in_order(spark, [3, 1, 2, 1])


def test_a_session_that_is_there_is_not_taken(spark: Watched, master: Cluster) -> None:
    with pytest.raises(ac.InvalidValue, match="runs in this process already"):
        Spark(master.address)


def test_a_worker_that_is_killed_in_the_middle_does_not_change_the_answer(
    spark: Watched, master: Cluster, duck: DuckDB, tmp_path: Path
) -> None:
    spark.happens = master.strike
    rows = drawn(Random(2), 12)
    timed = [(*pair, times) for pair, times in Counter(rows).items()]
    agree(spark, duck, rows, write(tmp_path / "events.csv", timed, ("unit", "release", "times")), tmp_path)
    assert spark.happens is None


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.sweep), 1, 2])
def test_people_are_counted_into_cells_alike_though_a_worker_is_killed(
    spark: Watched, master: Cluster, duck: DuckDB, tmp_path: Path, seed: int
) -> None:
    if seed == 0:
        spark.happens, spark.kept = master.strike, "attacked_cells"
    rows = people(Random(seed), 40)
    table = str(write(tmp_path / "people.csv", rows, HEAD))
    counted = Counter((block, colour) for block, _, colour in rows)
    for engine in (spark, duck):
        found = count_cells(engine, table, ("block", "tract"), ("colour",))
        cells = {
            (block, kind[0]): int(found.counts[place, number])
            for place, block in enumerate(found.names[0])
            for number, kind in enumerate(found.kinds)
            if found.counts[place, number]
        }
        assert cells == counted
    assert spark.happens is None


def test_a_query_tells_how_far_it_is_and_is_over_within_seconds_when_it_is_interrupted(spark: Watched) -> None:
    told: list[float] = []
    with watched(told.append):
        assert spark.rows("SELECT COUNT(*) FROM range(0, 40000000, 1, 40) WHERE sqrt(id) % 7 > 9") == [(0,)]
    assert told == sorted(told)
    assert any(0 < share < 1 for share in told)
    endless = "SELECT SUM((a.id * b.id) % 7) FROM range(0, 3000000, 1, 4) a CROSS JOIN range(3000000) b"
    timer = Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        spark.rows(endless)
    timer.join()
    assert spark.rows("SELECT 1") == [(1,)]
    assert time.monotonic() - start < 30


def test_cells_that_engines_would_write_in_different_ways_are_refused_alike(
    spark: Watched, duck: DuckDB, tmp_path: Path
) -> None:
    import pyarrow
    from pyarrow import parquet

    odd = {"floats": [0.5, 1e20], "bytes": [b"\xff", b"x"], "lists": [["a"], ["b"]]}
    table = {"who": ["a", "b"], "number": [7, -1], "day": [date(2024, 1, 2), None], "yes": [True, False], **odd}
    parquet.write_table(pyarrow.table(table), tmp_path / "t.parquet")
    for engine in (spark, duck):
        assert engine.columns("odd", str(tmp_path / "t.parquet")) == tuple(table)
        assert sorted(engine.rows("SELECT who, number, day, yes FROM odd")) == [
            ("a", "7", "2024-01-02", "true"),
            ("b", "-1", None, "false"),
        ]
        for column in odd:
            with pytest.raises(ac.PlanError, match=f"the column '{column}' holds .* write texts, whole numbers or dates"):
                engine.rows(f"SELECT {column} FROM odd")


def test_files_lie_wherever_a_path_can_name_them(spark: Watched, duck: DuckDB, tmp_path: Path) -> None:
    folder = tmp_path / "été 100% it's=here"
    folder.mkdir()
    table = write(folder / "e v.csv", [("a", "wave")], ("unit", "re`lease"))
    for engine in (spark, duck):
        assert engine.columns("elsewhere", str(table)) == ("unit", "re`lease")
        engine.write("SELECT unit FROM elsewhere", folder / f"out {engine.name[:5]}")
        assert engine.columns("again", str(folder / f"out {engine.name[:5]}")) == ("unit",)
        assert engine.rows("SELECT unit FROM again") == [("a",)]


def test_a_cluster_that_is_not_there_is_one_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with pytest.raises(ac.InvalidValue, match=f"no Spark cluster answers at spark://127.0.0.1:{port}"):
        engine_at(f"spark://127.0.0.1:{port}")


@contextmanager
def server(answer: bytes | None) -> Iterator[int]:
    """Something that listens on a port, and says this to whoever asks; None where it hangs up."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(64)
            if answer is not None:
                self.request.sendall(answer)
                self.request.recv(1)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as made:
        made.daemon_threads = True
        Thread(target=made.serve_forever, daemon=True).start()
        yield made.server_address[1]
        made.shutdown()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is not Spark"),
        (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "is not Spark"),
        (b"", "does not speak as Spark does"),
        (b"-ERR", "does not speak as Spark does"),
        (None, "hangs up"),
    ],
)
def test_a_server_that_is_not_spark_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, answer: bytes | None, said: str
) -> None:
    monkeypatch.setattr(gateway, "_SECONDS_TO_ANSWER", 0.2)
    with server(answer) as port, pytest.raises(ac.InvalidValue, match=f"no Spark cluster answers at .*{said}"):
        engine_at(f"spark://127.0.0.1:{port}")


@pytest.mark.parametrize(
    "address", ["spark://", "spark://here", "spark://here:many", "spark://here:0", "spark://here:70000"]
)
def test_an_address_that_cannot_be_one_is_refused(address: str) -> None:
    with pytest.raises(ac.InvalidValue, match="write spark://HOST:PORT"):
        engine_at(address)


def test_a_java_runtime_that_is_missing_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ac.InvalidValue, match=r"Java runtime of version 17 or later, and none is at JAVA_HOME"):
        engine_at("local[1]")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ac.InvalidValue, match="none was found: install one"):
        engine_at("local[1]")


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # pyspark leaves the pipe to a program that ended open
def test_a_java_runtime_that_ends_at_once_is_told_in_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!{shutil.which('sh')}\necho 'Error: this is Java 1' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    with pytest.raises(ac.InvalidValue, match="Spark does not start: Error: this is Java 1"):
        engine_at("local[1]")
