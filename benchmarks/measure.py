"""Workers in processes of their own, and what they measure."""

from __future__ import annotations

import json
import os
import resource
import select
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from systems import SYSTEMS

_WORKER = Path(__file__).with_name("worker.py")
_START = 120.0
# One thread everywhere: a comparison of methods, not of how many cores each may take.
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Failure(Exception):
    """A worker that did not answer; the message says in a few words why."""


@frozen
class Limits:
    """How long one run may take, how much memory, and how long all runs of one job by one system."""

    seconds: float
    gibibytes: float
    total: float


@define
class Worker:
    """A warm process of one system. It is started when first asked and after it was stopped."""

    system: str
    python: str
    limits: Limits
    version: str = ""
    _process: subprocess.Popen[str] | None = None

    def ask(self, job: str) -> dict[str, Any]:
        """Run a job once."""
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        return self._answer(self.limits.seconds)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [self.python, str(_WORKER), self.system],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, **_THREADS},
                preexec_fn=self._confine,
            )
            self.version = self._answer(_START)["version"]
        return self._process

    def _confine(self) -> None:
        size = int(self.limits.gibibytes * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    def _answer(self, seconds: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if ready else ""
        if line:
            found: dict[str, Any] = json.loads(line)
            return found
        self.stop()
        raise Failure("its process ended" if ready else f"> {seconds:g} s")


@define
class Record:
    """What one system did with one job."""

    job: str
    system: str
    version: str = ""
    times: list[float] = field(factory=list)
    first: float | None = None
    bytes: int | None = None
    upper: list[float] | None = None
    lower: list[float] | None = None
    failure: str | None = None
    missing: str | None = None

    @property
    def seconds(self) -> float | None:
        return statistics.median(self.times) if self.times else None

    @property
    def done(self) -> bool:
        return self.failure is not None or self.missing is not None

    def take(self, found: dict[str, Any]) -> None:
        self.failure, self.missing = found.get("failure"), found.get("missing")
        if not self.done:
            self.times.append(found["seconds"])
            self.upper, self.lower = found["upper"], found["lower"]


def measured(job: str, workers: list[Worker], repeat: int) -> list[Record]:
    """Every system once, then every system again in the opposite order, and so on; then memory, in a fresh process each."""
    records = [Record(job, worker.system) for worker in workers]
    pairs = list(zip(records, workers, strict=True))
    for turn in range(repeat):
        for record, worker in pairs if turn % 2 == 0 else pairs[::-1]:
            if not record.done and sum(record.times) < worker.limits.total:
                _run(record, worker)
    for record, worker in pairs:
        if not record.done:
            _measure_memory(record, worker)
    return records


def _run(record: Record, worker: Worker) -> None:
    try:
        record.take(worker.ask(record.job))
    except Failure as failure:
        record.failure = str(failure)
    record.version = worker.version


def _measure_memory(record: Record, worker: Worker) -> None:
    fresh = Worker(worker.system, worker.python, worker.limits)
    try:
        found = fresh.ask(record.job)
        record.bytes, record.first = found.get("bytes"), found.get("seconds")
    except Failure:
        record.bytes = None
    finally:
        fresh.stop()


def started(names: list[str], own: str, peers: str, limits: Limits) -> list[Worker]:
    """One worker per system, each with the interpreter that has its library."""
    return [Worker(name, own if SYSTEMS[name].own else peers, limits) for name in names]


def clock() -> str:
    return time.strftime("%H:%M:%S")
