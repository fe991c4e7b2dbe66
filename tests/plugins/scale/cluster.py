"""A standalone Spark cluster on the loopback, from the wheel: a master, and workers that can be killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.programs import program

WAITING = {
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
}
"""A session waits until all workers are there."""
CHEAP = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A short life is not worth compiling for."""
_PATIENCE = 300


class Cluster:
    """A master that answers, and as many workers of one core each as were asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as found:
            self._port = found.getsockname()[1]
        self.address = f"spark://127.0.0.1:{self._port}"
        self._workers: list[subprocess.Popen[bytes]] = []
        self._started_workers = 0
        (folder / "conf").mkdir()
        written = (f"{word} {value}\n" for word, value in self.settings.items())
        (folder / "conf" / "spark-defaults.conf").write_text("".join(written), encoding="utf-8")
        self._master = self._started("master", "master.Master", "--host", "127.0.0.1", "--port", str(self._port))
        end = time.monotonic() + _PATIENCE
        while not self._answers():
            assert self._master.poll() is None, (folder / "master.log").read_text()
            assert time.monotonic() < end, "the master does not answer"
            time.sleep(0.2)

    @property
    def settings(self) -> dict[str, str]:
        """A session that takes both workers, and leaves nothing behind."""
        return {
            "spark.cores.max": "2",
            "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": CHEAP,
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": CHEAP,
            "spark.local.dir": str(self.folder / "driver"),
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }

    def work(self, number: int) -> None:
        """Start so many workers."""
        for _ in range(number):
            self._started_workers += 1
            name = f"worker-{self._started_workers}"
            where = ("--host", "127.0.0.1", "--work-dir", str(self.folder / name))
            self._workers.append(
                self._started(name, "worker.Worker", "-c", "1", "-m", "1100M", *where, self.address),
            )

    def strike(self) -> None:
        """Kill a worker, with all that runs on it, at once; another takes its place."""
        _killed(self._workers.pop())
        self.work(1)

    def end(self) -> None:
        for process in (*self._workers, self._master):
            _killed(process)

    def _started(self, name: str, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__file__).parent
        own = {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / f"{name}-scratch"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": CHEAP,
        }
        words = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{program}", "--webui-port", "0", *arguments]
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                words,
                env={**os.environ, **own},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._port), 5).close()
        except OSError:
            return False
        return True


def _killed(process: subprocess.Popen[bytes]) -> None:
    """A process and its children, which are its group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster without workers, which ends with the block; its settings are those of every session meanwhile."""
    program("java", package="openjdk-17-jre-headless")
    made = Cluster(folder)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPARK_CONF_DIR", str(folder / "conf"))
            yield made
    finally:
        made.end()
