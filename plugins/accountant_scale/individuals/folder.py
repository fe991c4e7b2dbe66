"""Folder: what is written, part by part. Only a folder with its last file is whole.

Parts that are whole already are taken again when the same work is asked for once more; anything else in the folder is
refused, so that nothing of anybody's is lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import frozen

from accountant import InvalidValue
from accountant.engines import Engine
from accountant_scale.individuals.reading import Value

WORK, WHOLE, COUNTED, UNITS, LEFT_OUT = "work.json", "individuals.json", "counted", "units", "left-out"
_READINGS = "readings"
_PART = 500


@frozen
class Folder:
    """A folder for one piece of work, which its `work` describes in full."""

    path: Path

    @classmethod
    def of(cls, path: Path, work: dict[str, Any]) -> Folder:
        """A new folder, or one in which the same work was begun."""
        folder = cls(path)
        if path.exists() and any(path.iterdir()):
            if not (path / WORK).is_file() or json.loads((path / WORK).read_text("utf-8")) != work:
                raise InvalidValue(f"'{path}' holds something else; name a folder that is new or empty")
            if (path / WHOLE).exists():
                raise InvalidValue(f"'{path}' holds this very work, finished; read it, or name another folder")
            return folder
        path.mkdir(parents=True, exist_ok=True)
        folder._put(WORK, json.dumps(work, indent=2, sort_keys=True))
        return folder

    @classmethod
    def begun(cls, path: Path, work: dict[str, Any]) -> bool:
        """Whether the same work was begun there, and everything was counted; other work is refused before any is done."""
        return path.exists() and any(path.iterdir()) and (cls.of(path, work).path / COUNTED).exists()

    def table(self, engine: Engine, name: str, query: str) -> None:
        """The answer of a query as a folder of files, unless it is there already."""
        if not (self.path / name).exists():
            engine.write(query, self.path / name)

    def readings(
        self, signatures: Sequence[str], read: Callable[[Sequence[str]], Iterator[tuple[Value, ...]]]
    ) -> Iterator[tuple[Value, ...]]:
        """The values of signatures in their order; each part is read once, and then taken from its file."""
        (self.path / _READINGS).mkdir(exist_ok=True)
        missing = [part for part in _parts(signatures) if not self._file(part).exists()]
        found = read([signature for part in missing for signature in part])
        for part in _parts(signatures):
            if not self._file(part).exists():
                self._put(
                    f"{_READINGS}/{self._file(part).name}",
                    json.dumps([[value.as_data() for value in values] for values in islice(found, len(part))]),
                )
            yield from (tuple(map(Value.from_data, values)) for values in self._known(part))

    def finish(self, answer: dict[str, Any]) -> None:
        """Write the last file; what was only needed on the way is taken away."""
        self._put(WHOLE, json.dumps(answer, indent=2, ensure_ascii=False))
        for name in (COUNTED, _READINGS):
            shutil.rmtree(self.path / name, ignore_errors=True)

    def _known(self, part: Sequence[str]) -> Any:
        return json.loads(self._file(part).read_text("utf-8"))

    def _file(self, part: Sequence[str]) -> Path:
        """A part is named by what it is of: a file that was made for other signatures is never taken for it."""
        return self.path / _READINGS / f"{hashlib.sha256(chr(10).join(part).encode()).hexdigest()[:32]}.json"

    def _put(self, name: str, content: str) -> None:
        draft = self.path / f"{name}.unfinished"
        with draft.open("w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / name)


def _parts(signatures: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(signatures), _PART):
        yield signatures[start : start + _PART]
