"""Type checkers of those who install a plugin read its annotations."""

from __future__ import annotations

from pathlib import Path

from tests.house import doors

ROOT = Path(__file__).parents[2]


def untyped(root: Path) -> list[str]:
    """The packages that do not say that they are typed."""
    packages = [root / "accountant", *(root / "plugins" / name for name in doors.plugins(root))]
    return [package.name for package in packages if not (package / "py.typed").is_file()]


def test_every_package_says_that_it_is_typed() -> None:
    assert untyped(ROOT) == []


def test_a_package_that_does_not_is_found(tmp_path: Path) -> None:
    for package in ("accountant", "plugins/said", "plugins/unsaid"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
    for package in ("accountant", "plugins/said"):
        (tmp_path / package / "py.typed").touch()
    assert untyped(tmp_path) == ["unsaid"]
