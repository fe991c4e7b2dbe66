"""Type checkers of those who install a plugin read its annotations."""

from __future__ import annotations

from pathlib import Path

from tests.house import doors

ROOT = Path(__file__).parents[2]


def untyped(root: Path) -> list[str]:
    """The files that are missing where a package does not say that it is typed."""
    packages = [root / "accountant", *(root / "plugins" / name for name in doors.plugins(root))]
    marks = (package / "py.typed" for package in packages)
    return [mark.relative_to(root).as_posix() for mark in marks if not mark.is_file()]


def test_every_package_says_that_it_is_typed() -> None:
    missing = untyped(ROOT)
    assert not missing, f"add an empty file {' and '.join(missing)}"


def test_a_package_that_does_not_is_found(tmp_path: Path) -> None:
    for package in ("accountant", "plugins/said", "plugins/unsaid"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
    for package in ("accountant", "plugins/said"):
        (tmp_path / package / "py.typed").touch()
    assert untyped(tmp_path) == ["plugins/unsaid/py.typed"]
