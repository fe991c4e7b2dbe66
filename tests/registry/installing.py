"""Distributions as installers leave them behind, for tests."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

PLUGIN = """
from typing import ClassVar
from attrs import frozen
from accountant import Theorem
from accountant.loss import NO_LOSS
from accountant.plugin import Mechanism, hookimpl

@frozen
class Silent(Mechanism):
    kind: ClassVar[str] = "{name}"
    theorem: ClassVar[Theorem] = Theorem("{name}-trust", "It holds.", "accountant", "tests", assurance="claimed")

    def loss(self, shift):
        return NO_LOSS

@hookimpl
def accountant_mechanisms():
    return [Silent]
"""


def installed(root: Path, name: str, files: Mapping[str, str], value: str | None = None, *, record: bool = True) -> Path:
    """A distribution that has a plugin of its name; `value` is what its entry point names, its package by default."""
    written = {path: content.encode() for path, content in files.items()}
    for path, content in written.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    folder = root / f"{name}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[accountant]\n{name} = {value or name}\n")
    if record:
        lines = [f"{path},sha256={_coded(content)},{len(content)}" for path, content in written.items()]
        (folder / "RECORD").write_text("\n".join([*lines, f"{folder.name}/RECORD,,", "../../bin/x,sha256=AAAA,1"]) + "\n")
    return folder


def _coded(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
