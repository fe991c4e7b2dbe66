"""Programs that tests need beside Python: those of the system, which a fresh machine gets if we may install them."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest


def program(*names: str, package: str) -> str:
    """The first of some programs that is on the path; without any, the package that brings one is installed."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)  # type: ignore[call-overload]
        subprocess.run(["apt-get", "install", "-y", "-qq", package], **quiet)  # type: ignore[call-overload]
        found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.fail(f"none of {', '.join(names)} was found on the path; install one: apt-get install {package}")
    return found
