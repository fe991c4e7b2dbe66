"""Every bundled plugin is found: its package is an entry point, and the entry points are those that are installed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path

from tests.house import doors

ROOT = Path(__file__).parents[2]
GROUP = "accountant"


def written(root: Path) -> dict[str, str]:
    """The entry points of the project, by name."""
    found: dict[str, str] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"][GROUP]
    return found


def complaints(packages: list[str], stated: Mapping[str, str], installed: Mapping[str, str]) -> Iterator[str]:
    """What is missing for a package to be found, with what to do."""
    for package in sorted(set(packages) - set(stated.values())):
        name = package.removeprefix("accountant_")
        yield f'add {name} = "{package}" to the entry points in pyproject.toml, then run pip install -e . again'
    for package in sorted(set(stated.values()) - set(packages)):
        yield f"the entry point {package} in pyproject.toml has no package in plugins"
    for name, package in sorted(stated.items()):
        if package in packages and installed.get(name) != package:
            yield f"the entry point '{name}' is not installed: run pip install -e . again"


def test_every_plugin_has_an_entry_point_that_is_installed() -> None:
    installed = {point.name: point.value for point in entry_points(group=GROUP)}
    found = list(complaints(doors.plugins(ROOT), written(ROOT), installed))
    assert not found, "\n".join(found)


def test_a_plugin_that_would_not_be_found_is_told() -> None:
    packages, stated = ["accountant_new", "accountant_old"], {"old": "accountant_old", "gone": "accountant_gone"}
    assert list(complaints(packages, stated, {})) == [
        'add new = "accountant_new" to the entry points in pyproject.toml, then run pip install -e . again',
        "the entry point accountant_gone in pyproject.toml has no package in plugins",
        "the entry point 'old' is not installed: run pip install -e . again",
    ]
