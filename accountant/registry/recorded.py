"""Recorded: the files that an installer says a distribution has, and whether they are still what it put there."""

from __future__ import annotations

import csv
import hashlib
import os
import re
from base64 import urlsafe_b64encode

from accountant.errors import PluginError
from accountant.registry.conformance import SUFFIX
from accountant.registry.entry_points import metadata_folders


def recorded_files(distribution: str) -> dict[str, tuple[str, str]]:
    """The files of a distribution by the name that its installer recorded: where each is, and the digest it had.

    Left out is what differs from machine to machine: metadata, programs, bytecode, and a badge about these very files.
    None where no installer left a record; that of an editable installation names no code.
    """
    folder = _metadata(distribution)
    if folder is None:
        return {}
    try:
        with open(os.path.join(folder, "RECORD"), encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, ValueError, csv.Error):
        return {}
    root, own = os.path.split(folder)
    found = {}
    for name, digest in ((row[0], row[1] if len(row) > 1 else "") for row in rows):
        parts = name.replace("\\", "/").split("/")
        apart = os.path.isabs(name) or ".." in parts or parts[0] == own
        if not apart and not name.endswith((".pyc", ".pth", SUFFIX)):
            found["/".join(parts)] = os.path.join(root, *parts), digest
    return found


def check_recorded(distribution: str, name: str, content: bytes, digest: str) -> None:
    """Refuse a file that is not what the installer recorded."""
    algorithm, _, expected = digest.partition("=")
    if algorithm != "sha256" or not expected:
        return
    found = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    if found != expected.rstrip("="):
        raise PluginError(
            f"the file '{name}' of the distribution {distribution} was changed after it was installed; install it again"
        )


def _metadata(distribution: str) -> str | None:
    """The folder in which an installer left what it knows of a distribution; the first on the path counts."""
    wanted = _normal(distribution)
    for folder in metadata_folders():
        if _normal(os.path.basename(folder).rpartition(".")[0].partition("-")[0]) == wanted:
            return folder
    return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
