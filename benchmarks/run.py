"""Runs the same jobs on accountant and on its peers, in one run: `python benchmarks/run.py`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import environment
import table
from jobs import JOBS, Job
from measure import Limits, clock, measured, started
from systems import OURS, SYSTEMS

_SUMMARY = ("sampled-10000", "mixed-100-1e-6", "mixed-10000-1e-6", "census", "gaussians-1e-12", "curve", "calibration")


def matching(name: str) -> list[str]:
    """The job of that name, or all jobs whose names start so."""
    return [name] if name in JOBS else [job for job in JOBS if job.startswith(name)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--jobs", nargs="+", metavar="JOB", help=f"only these, or all whose names start so: {', '.join(JOBS)}"
    )
    parser.add_argument("--systems", nargs="+", metavar="SYSTEM", choices=SYSTEMS, help="only these, and always ours")
    parser.add_argument("--repeat", type=int, default=5, help="how many times each job is run by each system")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that one run may take")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of address space that a system may take")
    parser.add_argument("--quick", action="store_true", help="one run each, of at most 20 seconds")
    parser.add_argument(
        "--peers", type=Path, default=environment.DEFAULT, help="where the environment of the peers is or will be made"
    )
    parser.add_argument("--json", action="store_true", help="print data instead of tables")
    parser.add_argument("--markdown", action="store_true", help="print Markdown instead of text")
    parser.add_argument(
        "--write", type=Path, nargs="+", metavar="PAGE", default=[], help="also put the tables between the marks of pages"
    )
    given = parser.parse_args()
    if given.quick:
        given.repeat, given.timeout = 1, min(given.timeout, 20.0)
    for name in given.jobs or []:
        if not matching(name):
            parser.error(f"no job is called {name!r}; jobs are {', '.join(JOBS)}")
    return given


def setting(given: argparse.Namespace, versions: dict[str, str]) -> str:
    """What has to be known to read the figures."""
    about = environment.described()
    systems = [f"- {name} {versions.get(name, '')}: {SYSTEMS[name].setting}" for name in versions]
    return "\n".join(
        [
            f"Python {about['python']}, NumPy {about['numpy']}, SciPy {about['scipy']}; {about['machine']}.",
            f"Medians of {given.repeat} run(s) of at most {given.timeout:g} s each; at most {given.memory:g} GiB. "
            "Times are those on the processor.",
            "",
            *systems,
            "",
        ]
    )


def written(page: Path, blocks: dict[str, str]) -> None:
    """Replace what stands between the marks of a page.

    `benchmarks` around all tables, `benchmark summary` around one with a row for each job, and around the answers to one
    job `benchmark` and its name.
    """
    text = page.read_text("utf-8")
    for name, block in blocks.items():
        start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
        before, found, rest = text.partition(start)
        if found:
            _, _, after = rest.partition(end)
            text = f"{before}{start}\n\n{block}\n{end}{after}"
    page.write_text(text, "utf-8")


def main() -> None:
    given = arguments()
    names = [name for name in SYSTEMS if name == OURS or not given.systems or name in given.systems]
    wanted = {job for name in given.jobs for job in matching(name)} if given.jobs else set(JOBS)
    chosen = [job for name, job in JOBS.items() if name in wanted]
    peers = environment.prepared(given.peers) if len(names) > 1 else Path(sys.executable)
    limits = Limits(given.timeout, given.memory, total=given.timeout)
    workers = started(names, sys.executable, str(peers), limits)
    shown: dict[str, list[str]] = {"text": [], "markdown": []}
    data: list[dict[str, Any]] = []
    rows: dict[str, tuple[Job, list[table.Row]]] = {}
    try:
        for job in chosen:
            print(f"{clock()} {job.name}", file=sys.stderr, flush=True)
            records = measured(job.name, workers, given.repeat)
            found = table.rows(job, records)
            rows[job.name] = (job, found)
            shown["text"].append(table.as_text(job, found))
            shown["markdown"].append(table.as_markdown(job, found))
            data += [table.as_data(record, row) for record, row in zip(records, found, strict=True)]
            if not (given.json or given.markdown):
                print(shown["text"][-1], flush=True)
    finally:
        for worker in workers:
            worker.stop()
    about = setting(given, {worker.system: worker.version for worker in workers})
    markdown = "\n".join([about, *shown["markdown"]])
    if given.json:
        print(json.dumps({"environment": environment.described(), "repeat": given.repeat, "results": data}, indent=2))
    elif given.markdown:
        print(markdown)
    else:
        print(about)
    blocks = {"benchmarks": markdown, "benchmark summary": table.as_summary(rows, _SUMMARY) + "\n"}
    blocks |= {f"benchmark {name}": table.as_answers(answers) + "\n" for name, (_, answers) in rows.items()}
    for page in given.write:
        written(page, blocks)


if __name__ == "__main__":
    main()
