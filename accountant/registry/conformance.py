"""Badge: which laws a plugin passed, as its author states it in a file beside the plugin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen, validators

from accountant.display.brief import Brief

SUFFIX = ".conformance.json"
_LONGEST = 2**20

_TEXT, _COUNT = validators.instance_of(str), validators.and_(validators.instance_of(int), validators.ge(1))


@frozen
class Badge(Brief):
    """What a plugin passed: each law, on how many instances; which version of the laws, how deep, and for which files.

    It is the author's statement: whoever doubts it runs the laws. It is about the files with that digest and no others.
    """

    plugin: str = field(validator=_TEXT)
    version: str = field(validator=_TEXT)
    digest: str = field(validator=_TEXT)
    accountant: str = field(validator=_TEXT)
    depth: int = field(validator=_COUNT)
    laws: Mapping[str, int] = field(validator=validators.deep_mapping(_TEXT, _COUNT, validators.instance_of(dict)))

    def __str__(self) -> str:
        tried = sum(self.laws.values())
        return f"{len(self.laws)} laws, tried {tried:,} times at depth {self.depth} by accountant {self.accountant}"

    def write(self, path: Path) -> None:
        """Write the badge."""
        path.write_text(json.dumps(asdict(self), indent=2, sort_keys=True) + "\n", encoding="utf-8")


def badge_beside(file: str | None, digest: str) -> Badge | None:
    """The badge of a plugin, if one stands beside its module or package and is about the files that are installed."""
    path = badge_place(file)
    if path is None or not path.is_file() or path.stat().st_size > _LONGEST:
        return None
    try:
        found = Badge(**_table(path))
    except (TypeError, ValueError, RecursionError):
        return None
    return found if found.digest == digest else None


def _table(path: Path) -> dict[str, Any]:
    data = json.loads(path.read_text(encoding="utf-8"))
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}


def badge_place(file: str | None) -> Path | None:
    """Where the badge of a plugin stands: beside its module, or beside the folder of its package."""
    if file is None:
        return None
    path = Path(file)
    return (path.parent if path.name == "__init__.py" else path.with_suffix("")).with_suffix(SUFFIX)
