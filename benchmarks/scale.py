"""Large tables in one run: plans of many rows and events of many units, beside DuckDB's own scan of the same files.

    python benchmarks/scale.py [--rows 10000000] [--peers PLACE | --without-peers]

Every figure is of a process of its own: time on the processor, all threads together, without what importing takes; and
the most memory that was resident. Tables grow tenfold up to so many rows. dp-accounting is fed the multiset of releases.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PANEL = HERE.parent / "examples" / "panel"
LEAST, LISTED = 100_000, 100_000
UNLIKE = 400
DELTA = "1e-6"

PLAN = """
[specification]
neighbours = "add-remove"
[[budget]]
divergence = "zcdp"
rho = "10"
[[table]]
file = "rows.csv"
{how}
query = {{ kind = "count" }}
mechanism = {{ kind = "gaussian", sigma = "{{sigma}}" }}
"""


def write_rows(folder: Path, rows: int) -> None:
    """A table of releases with as many different parameters as allocations have, and a plan for either way to read it."""
    import duckdb

    drawn = f"SELECT n, CAST(hash(n) % {UNLIKE} AS INTEGER) AS kind FROM range({rows}) t(n)"
    named = "format('release {}', n) AS name, format('level {}', kind % 5) AS level"
    table = f"SELECT {named}, {math.isqrt(rows)} + kind AS sigma FROM ({drawn})"
    duckdb.sql(f"COPY ({table}) TO '{folder}/rows.csv' (FORMAT csv, HEADER)")
    (folder / "grouped.toml").write_text(PLAN.format(how='grouped = true\nname = "{level}"'))
    (folder / "listed.toml").write_text(PLAN.format(how='name = "{name}"'))


# What is measured, each in a process of its own -----------------------------------------------------------------------


def grouped(folder: Path) -> Any:
    import accountant as ac

    accountant_is_ready()
    return lambda: multiset(ac.load_plan(folder / "grouped.toml"))


def listed(folder: Path) -> Any:
    import accountant as ac

    accountant_is_ready()
    return lambda: len(ac.load_plan(folder / "listed.toml").releases)


def scan_rows(folder: Path) -> Any:
    import duckdb

    query = f"SELECT level, sigma, COUNT(*) FROM read_csv('{folder}/rows.csv', all_varchar = true) GROUP BY ALL"
    return lambda: len(duckdb.sql(query).fetchall())


def account(folder: Path) -> Any:
    import accountant as ac

    plan = ac.load_plan(folder / "grouped.toml")
    accountant_is_ready()
    return lambda: ac.account(plan).epsilon(delta=DELTA).upper


def dp_accounting_rdp(folder: Path) -> Any:
    from dp_accounting import dp_event  # type: ignore[import-not-found]
    from dp_accounting.rdp import RdpAccountant  # type: ignore[import-not-found]

    return lambda: _composed(folder, RdpAccountant(), dp_event)


def dp_accounting_pld(folder: Path) -> Any:
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant  # type: ignore[import-not-found]

    return lambda: _composed(folder, PLDAccountant(), dp_event)


def _composed(folder: Path, accountant: Any, dp_event: Any) -> float:
    for sigma, times in json.loads((folder / "multiset.json").read_text()):
        accountant.compose(dp_event.GaussianDpEvent(sigma), times)
    return float(accountant.get_epsilon(float(DELTA)))


def individuals(folder: Path) -> Any:
    import accountant as ac
    from accountant.engines import engine_at
    from accountant_scale.individuals.run import individuals as run

    plan = ac.load_plan(PANEL / "months.toml")
    accountant_is_ready()

    def work() -> int:
        with engine_at() as engine:
            return run(plan, folder / "events.parquet", participation="design", engine=engine).units

    return work


def scan_events(folder: Path) -> Any:
    import duckdb

    inner = f"SELECT unit, COUNT(*) AS events FROM '{folder}/events.parquet' GROUP BY unit"
    return lambda: int(duckdb.sql(f"SELECT SUM(events), COUNT(*) FROM ({inner})").fetchall()[0][0])


TASKS: dict[str, Callable[[Path], Any]] = {
    task.__name__: task
    for task in (grouped, listed, scan_rows, account, dp_accounting_rdp, dp_accounting_pld, individuals, scan_events)
}


def accountant_is_ready() -> None:
    """What a first account imports is no part of a figure."""
    import accountant as ac

    ac.account(ac.Plan.of(ac.Gaussian(sigma="3").on(ac.Count()), neighbours="add-remove")).epsilon(delta=DELTA)


def multiset(plan: Any) -> list[tuple[float, int]]:
    return [(float(release.mechanism.sigma), release.times) for release in plan.releases]


def performed(name: str, folder: Path) -> None:
    """Perform one task in this process, and print what it took."""
    work = TASKS[name](folder)
    before = time.process_time()
    answer = work()
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"seconds": seconds, "memory": memory, "answer": answer}))


# The table ------------------------------------------------------------------------------------------------------------


def measured(name: str, folder: Path, python: Path | str = sys.executable) -> dict[str, Any]:
    done = subprocess.run([python, __file__, "--task", name, folder], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def line(what: str, rows: int, found: dict[str, Any], beside: dict[str, Any]) -> str:
    seconds, rate = found["seconds"], rows / found["seconds"]
    ratio = seconds / beside["seconds"]
    return f"| {what} | {rows:,} | {seconds:.3g} s | {rate:,.0f} | {ratio:.3g} | {found['memory']:,} MB |"


def plans(folder: Path, rows: int, peers: Path | None) -> Iterator[str]:
    write_rows(folder, rows)
    ours, scan = measured("grouped", folder), measured("scan_rows", folder)
    yield line("plan, grouped", rows, ours, ours)
    yield line("DuckDB's scan of the plan's table", rows, scan, ours)
    if rows <= LISTED:
        yield line("plan, row by row", rows, measured("listed", folder), ours)
    (folder / "multiset.json").write_text(json.dumps(ours["answer"]))
    composed = measured("account", folder)
    yield line("account of the multiset", rows, composed, composed)
    for name in ("RDP", "PLD") if peers else ():
        found = measured(f"dp_accounting_{name.lower()}", folder, peers)
        yield line(f"dp-accounting {name} of the multiset", rows, found, composed)


def events(folder: Path, rows: int) -> Iterator[str]:
    # A unit of the panel takes part six or seven times: the events are a tenth fewer than the rows of a plan.
    subprocess.run([sys.executable, PANEL / "make.py", str(rows // 7), folder / "events.parquet"], check=True)
    ours, scan = measured("individuals", folder), measured("scan_events", folder)
    yield line("events, unit by unit", scan["answer"], ours, ours)
    yield line("DuckDB's scan of the events", scan["answer"], scan, ours)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000, help="the most rows of a table")
    parser.add_argument("--peers", type=Path, help="where the environment of other libraries is, or will be made")
    parser.add_argument("--without-peers", action="store_true", help="leave other libraries out")
    parser.add_argument("--task", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        performed(given.task[0], Path(given.task[1]))
        return
    peers = None
    if not given.without_peers:
        from environment import DEFAULT, prepared

        peers = prepared(given.peers or DEFAULT)
    print("| what | rows | time | rows per second | times ours | memory |\n|---|---|---|---|---|---|")
    rows = LEAST
    while rows <= given.rows:
        with tempfile.TemporaryDirectory() as folder:
            for found in (*plans(Path(folder), rows, peers), *events(Path(folder), rows)):
                print(found, flush=True)
        rows *= 10


if __name__ == "__main__":
    main()
