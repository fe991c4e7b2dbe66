"""Memory: how much a process has, and what keeps it from taking much more at once."""

from __future__ import annotations

import math
import os
import subprocess
import sys

_SLACK = 4 * 2**30
"""Addresses that threads and libraries reserve and do not use."""
_PATIENCE = 10


def memory_of(process: int) -> int:
    """How many bytes of memory a process has in use; 0 where it has ended."""
    if sys.platform == "linux":
        try:
            with open(f"/proc/{process}/statm", "rb", buffering=0) as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return 0
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, check=False).stdout.strip()
    return int(told) * 1024 if told.isdigit() else 0


def bound_memory(within: float | None, memory: int | None) -> None:
    """Let the system refuse this process what is far beyond its limits, and end it when nobody else does.

    Whoever watches looks at what is in use. This is for what is taken between two looks, or when nobody is left to look.
    """
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if within is not None:
        seconds = math.ceil(within * (os.cpu_count() or 1)) + _PATIENCE
        _lower(resource.RLIMIT_CPU, seconds)
    if memory is not None and sys.platform == "linux":
        with open("/proc/self/statm", "rb", buffering=0) as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _lower(resource.RLIMIT_AS, taken + memory + _SLACK)


def _lower(what: int, bound: int) -> None:
    import resource

    _, most = resource.getrlimit(what)
    if most == resource.RLIM_INFINITY or bound < most:
        resource.setrlimit(what, (bound, bound))
