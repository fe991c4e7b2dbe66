"""Gateway: a Spark session that is there within bounded time, or one error; nothing that Spark writes is an answer."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from accountant import InvalidValue

_SECONDS_TO_ANSWER = 10
_SECONDS_FOR_WORKERS = 120
_STANDALONE = "spark://"
_MOST_CAUSES = 16

_ANSWER = struct.Struct(">qBq")
"""How a frame begins: its length, what kind of message it is, and the number of what it answers."""
_REQUEST, _FAILURE, _NUMBER = 3, 5, 2026
_BODY = b"accountant"
_GREETING = _ANSWER.pack(_ANSWER.size + 4 + len(_BODY), _REQUEST, _NUMBER) + struct.pack(">I", len(_BODY)) + _BODY
"""A request that no Spark understands."""
_ENCRYPTED = b"\x15\x03"
"""How an alert of TLS begins."""


def session(master: str, settings: Mapping[str, str]) -> Any:
    """A new session on a cluster, at least one worker of which is ready; InvalidValue says what is missing."""
    _answering(master)
    _java()
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise InvalidValue("a Spark cluster needs pyspark: install 'privacy-accountant[spark]'") from error
    if SparkContext._active_spark_context is not None:
        # It may be on another cluster, and whoever started it would find it ended.
        raise InvalidValue("a Spark session runs in this process already; stop it first, or count in a process of its own")
    # Workers take the Python that the variable names when the first session starts, not what a session is told later.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setMaster(master).setAppName("accountant").setAll(list(settings.items()))
    if SparkContext._gateway is None:
        SparkContext._ensure_initialized(gateway=_quiet(conf), conf=conf)
    try:
        with _own_interruptions():
            context = SparkContext(conf=conf)
        context.setLogLevel("ERROR")
        _with_workers(context, master)
    except InvalidValue:
        raise
    except Exception as error:  # the gateway raises errors of many classes
        raise InvalidValue(f"no Spark cluster answers at {master}: {told(error)}") from error
    return SparkSession(context)


@contextmanager
def _own_interruptions() -> Iterator[None]:
    """Keep what happens on Ctrl-C as it is: a context takes it over, and would keep it after its end."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def told(error: Exception) -> str:
    """What an error says, and what caused it in the end, without the stack of another program."""
    said = [_first_line(str(error)) or type(error).__name__]
    cause = getattr(error, "java_exception", None)
    if cause is not None:
        said = []
    while cause is not None and len(said) < _MOST_CAUSES:
        said.append(_first_line(str(cause.getMessage())))
        cause = cause.getCause()
    return "; ".join(dict.fromkeys((said[0], said[-1])))


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


def _java() -> None:
    """Spark takes the Java that the variable names, and only without it the one on the path."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home) / "bin" / "java") if home else "java") is None:
        where = f"none is at JAVA_HOME, {home}: set it to one" if home else "none was found: install one, or set JAVA_HOME"
        raise InvalidValue(f"Spark needs a Java runtime of version 17 or later, and {where}")


def _answering(master: str) -> None:
    """Whether some master of a standalone cluster answers; Spark itself asks for minutes before it gives up."""
    if not master.startswith(_STANDALONE):
        return
    said = ""
    for place in master.removeprefix(_STANDALONE).split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise InvalidValue(f"'{master}' is no address of a Spark cluster; write spark://HOST:PORT")
        try:
            said = _greeted(host.strip("[]"), int(port))
        except OSError as error:
            said = error.strerror or str(error)
        if not said:
            return
    raise InvalidValue(f"no Spark cluster answers at {master}: {said}")


def _greeted(host: str, port: int) -> str:
    """What is wrong with what listens at a port; nothing where it speaks as a master of Spark does.

    A master answers what it does not understand with a failure of that number. What listens behind encryption cannot be
    asked so, and is left to Spark.
    """
    with socket.create_connection((host, port), _SECONDS_TO_ANSWER) as connection:
        connection.settimeout(_SECONDS_TO_ANSWER)
        connection.sendall(_GREETING)
        found = b""
        while len(found) < _ANSWER.size:
            try:
                part = connection.recv(_ANSWER.size - len(found))
            except TimeoutError:
                return "what listens there does not speak as Spark does"
            if not part:
                return "what listens there hangs up, as Spark does not"
            found += part
            if found.startswith(_ENCRYPTED):
                return ""
    _, kind, number = _ANSWER.unpack(found)
    return "" if (kind, number) == (_FAILURE, _NUMBER) else "what listens there is not Spark"


def _quiet(conf: Any) -> Any:
    """The Java program beside this one; what it writes is read only where it does not start."""
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway

    launch: Callable[..., Any] = launch_gateway
    with tempfile.TemporaryFile() as log:
        try:
            return launch(conf, {"stdout": log, "stderr": log})
        except PySparkException as error:
            log.seek(0)
            lines = [line.strip() for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
            said = next((line for line in lines if "rror" in line), lines[-1] if lines else told(error))
            raise InvalidValue(f"Spark does not start: {said}") from error


def _with_workers(context: Any, master: str) -> None:
    """Wait until a worker is ready: a cluster without any would keep the first query waiting for ever."""
    if master.startswith("local["):
        return
    tracker, end = context._jsc.sc().statusTracker(), time.monotonic() + _SECONDS_FOR_WORKERS
    while len(tracker.getExecutorInfos()) < 2:  # the driver is one
        if time.monotonic() > end:
            context.stop()
            raise InvalidValue(
                f"no worker at {master} was ready within {_SECONDS_FOR_WORKERS} seconds; see whether the master is one of "
                "Spark's, and whether its workers are free"
            )
        time.sleep(0.1)
