"""The stub that tells type checkers which kinds ship together with the package, written from the registry.

`python -m tests.house.kinds` writes it.
"""

from __future__ import annotations

from pathlib import Path

from accountant.registry.kinds import kinds
from accountant.registry.registry import Registry
from tests.house.doors import plugins
from tests.house.test_entry_points import written

ROOT = Path(__file__).parents[2]
STUB = ROOT / "accountant" / "_kinds.pyi"
_ABOUT = (
    "# ruff: noqa: I001",
    "# What type checkers know of the kinds that ship with the package: written by python -m tests.house.kinds.",
)


def bundled() -> Registry:
    """The registry of the plugins in the directory, whatever else is installed."""
    packages = set(plugins(ROOT))
    return Registry.load(allowed=[name for name, package in written(ROOT).items() if package in packages])


def stub(registry: Registry) -> str:
    """A line for each kind, in the form that type checkers take for public."""
    lines = sorted(f"from {cls.__module__} import {name} as {name}" for name, cls in kinds(registry).items())
    return "\n".join([*_ABOUT, "", *lines, ""])


if __name__ == "__main__":
    STUB.write_text(stub(bundled()), encoding="utf-8")
