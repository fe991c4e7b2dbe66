"""The engine in the process: what it is asked while it works, how it is stopped, and files that look like others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

import accountant as ac
from accountant.progress import watched
from accountant_scale.engines.duck import DuckDB
from accountant_scale.engines.processes import spread

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDB]:
    with DuckDB(threads=1) as made:
        yield made


def test_one_long_query_tells_how_far_it_is(engine: DuckDB) -> None:
    told: list[float] = []
    with watched(told.append):
        engine.rows("SELECT COUNT(*) FROM range(30000000) t(n) WHERE sqrt(n) % 7 > 9")
    assert told == sorted(told)
    assert any(0 < share < 1 for share in told)


def test_an_engine_takes_no_more_than_half_of_what_it_could(engine: DuckDB) -> None:
    import duckdb

    def limit(connection: duckdb.DuckDBPyConnection) -> float:
        [(text,)] = connection.execute("SELECT current_setting('memory_limit')").fetchall()
        number, unit = text.split()
        return float(number) * {"MiB": 1.0, "GiB": 1024.0, "TiB": 1024.0**2, "PiB": 1024.0**3}[unit]

    with duckdb.connect() as other:
        assert limit(engine._connection) <= 0.51 * limit(other)


WAITING = """
import time
from accountant_scale.engines.processes import spread

def slow(item):
    time.sleep(0.3)
    return item

if __name__ == "__main__":
    for item in spread(slow, range(2000), 2):
        print(item, flush=True)
"""


def test_readings_on_all_cores_are_over_within_seconds_when_they_are_interrupted(tmp_path: Path) -> None:
    program = tmp_path / "waiting.py"
    program.write_text(WAITING)
    with subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, cwd=ROOT
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"0\n"
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does
        start = time.monotonic()
        started.communicate(timeout=60)
        assert started.returncode != 0
        assert time.monotonic() - start < 15  # what is left would take 300 seconds


def test_an_error_of_a_function_comes_through_whatever_else_is_computed() -> None:
    with pytest.raises(ZeroDivisionError):
        list(spread((1).__truediv__, [1] * 300 + [0] + [1] * 300, 2))


def test_a_path_that_looks_like_a_partition_adds_no_column(engine: DuckDB, tmp_path: Path) -> None:
    folder = tmp_path / "unit=somebody"
    folder.mkdir()
    (folder / "e.csv").write_text("release\nwave\n")
    assert engine.columns("partitioned", str(folder / "e.csv")) == ("release",)
    engine.write("SELECT release FROM partitioned", folder / "e")
    assert engine.columns("partitioned", str(folder / "e")) == ("release",)


@pytest.mark.parametrize("name", ["e*.csv", "e?.csv", "[e].csv", "{e}.csv"])
def test_a_name_that_engines_take_for_a_pattern_is_refused(engine: DuckDB, tmp_path: Path, name: str) -> None:
    for other in ("e.csv", "ef.csv", name):
        (tmp_path / other).write_text("unit,release\na,wave\n")
    with pytest.raises(ac.PlanError, match="engines take for a pattern"):
        engine.columns("pattern", str(tmp_path / name))


@pytest.mark.parametrize("head", ["", "unit,,release", "unit,release,", "unit,release,unit", "unit,Unit,release"])
def test_a_header_that_does_not_name_every_column_once_is_refused(engine: DuckDB, tmp_path: Path, head: str) -> None:
    (tmp_path / "e.csv").write_text(f"{head}\na,b,wave\n")
    with pytest.raises(ac.PlanError, match="must name the columns, each once"):
        engine.columns("header", str(tmp_path / "e.csv"))


def test_a_row_that_cannot_be_read_is_named_with_its_file_and_line_and_not_shown(engine: DuckDB, tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("unit,release\na,wave\nsomebody\n")
    engine.columns("uneven", str(tmp_path / "e.csv"))
    with pytest.raises(ac.PlanError, match=r"e\.csv.* Line: 3.*Columns: 2 Found: 1") as caught:
        engine.rows("SELECT COUNT(unit) FROM uneven")
    assert "somebody" not in str(caught.value)


def test_an_engine_that_is_interrupted_stops_and_can_be_asked_again(engine: DuckDB) -> None:
    endless = "SELECT SUM(a.range * b.range) FROM range(10000000) a, range(10000000) b"
    timer = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.rows(endless)
    timer.join()
    assert engine.rows("SELECT 1") == [(1,)]
