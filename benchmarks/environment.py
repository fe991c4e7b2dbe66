"""The environment of the peers: made by `venv` and filled by `pip` from peers.txt and peers_alone.txt."""

from __future__ import annotations

import os
import platform
import subprocess
import venv
from importlib.metadata import version
from pathlib import Path

_PEERS = Path(__file__).with_name("peers.txt")
_ALONE = Path(__file__).with_name("peers_alone.txt")
DEFAULT = Path(__file__).parents[1] / "build" / "peers"


def python_of(place: Path) -> Path:
    return place / "bin" / "python"


def prepared(place: Path) -> Path:
    """The interpreter of an environment with exactly the peers of both lists; made again when one of them has changed.

    NumPy and SciPy have the versions of this interpreter, so that every system computes with the same ones.
    """
    wanted = _PEERS.read_text("utf-8") + "".join(f"{name}=={version(name)}\n" for name in ("numpy", "scipy"))
    stamp = place / "requirements.txt"
    asked = wanted + _ALONE.read_text("utf-8")
    if not (stamp.is_file() and stamp.read_text("utf-8") == asked):
        venv.EnvBuilder(clear=True, with_pip=True).create(place)
        pending = place / "requirements.pending.txt"
        pending.write_text(wanted, "utf-8")
        pip = [python_of(place), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--requirement", pending], check=True)
        subprocess.run([*pip, "--no-deps", "--requirement", _ALONE], check=True)
        pending.write_text(asked, "utf-8")
        pending.rename(stamp)
    return python_of(place)


def described() -> dict[str, str]:
    """What the figures depend on besides the systems."""
    names = ("numpy", "scipy")
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, one thread per system",
        **{name: version(name) for name in names},
    }
