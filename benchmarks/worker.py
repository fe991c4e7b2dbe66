"""Runs jobs for one system in its own interpreter: `python worker.py SYSTEM`.

Each line of input names a job; each line of output holds what came of it. Nothing else is written to the output.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import re
import resource
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jobs import JOBS, WARM_UP, Epsilon, mixed
from systems import SYSTEMS
from systems.base import System, Unsupported


def answer(system: System, name: str) -> dict[str, Any]:
    """One run from an empty account: its time on the processor, and the most memory beyond what was there before.

    All systems have one thread, so on an idle machine that is the time that passes; on a busy one it still compares.
    """
    job = JOBS[name]
    gc.collect()
    before = _reset_peak()
    start = time.process_time()
    try:
        found = system.answer(job)
    except Unsupported as reason:
        return {"missing": str(reason)}
    except MemoryError:
        return {"failure": "out of memory"}
    except Exception as error:  # whatever a peer raises is its answer
        # Places on this machine say nothing to a reader of the table.
        return {"failure": re.sub(r" \(/.*?\)", "", f"{type(error).__name__}: {error}".splitlines()[0])[:200]}
    seconds = time.process_time() - start
    return {"seconds": seconds, "bytes": _peak() - before, "upper": found.upper, "lower": found.lower}


def _reset_peak() -> int:
    """Give back what is free and forget the peak so far where the system can (Linux); return what is in use, in bytes."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS") or _peak()


def _peak() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return _status("VmHWM") or used * (1 if sys.platform == "darwin" else 1024)


def _status(key: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) * 1024
    return 0


def main() -> None:
    entry = SYSTEMS[sys.argv[1]]
    # Libraries may print: keep the real output for answers.
    channel = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    system: System = importlib.import_module(f"systems.{entry.module}").system()
    for job in (WARM_UP, Epsilon("warm-up", "three releases", mixed(3), "1e-3")):
        with contextlib.suppress(Unsupported):
            system.answer(job)
    channel.write(json.dumps({"version": version(entry.distribution)}) + "\n")
    for line in sys.stdin:
        channel.write(json.dumps(answer(system, json.loads(line))) + "\n")


if __name__ == "__main__":
    main()
