"""Files: which files a table is made of, how they are written, and whether they are still what they were."""

from __future__ import annotations

import csv
from enum import Enum
from pathlib import Path

from attrs import frozen

from accountant.engines.engine import refused

_PATTERN = set("*?[]{}")


class Format(Enum):
    """How a table is written."""

    CSV = ".csv"
    PARQUET = ".parquet"


@frozen
class Files:
    """The files of one table, all of one format, in the order of their names."""

    location: str
    format: Format
    paths: tuple[Path, ...]

    @property
    def state(self) -> tuple[tuple[str, int, int, int], ...]:
        """What changes when a file does: its size, when it was written, and which file it is."""
        found = ((str(path), path.stat()) for path in self.paths)
        return tuple((name, stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in found)


def files_of(location: str) -> Files:
    """The regular files at a path: one, or those in a folder."""
    path = Path(location)
    if path.is_dir():
        inside = sorted(item for item in path.iterdir() if not item.name.startswith(("_", ".")))
    elif path.exists():
        inside = [path]
    else:
        raise refused(f"there is no file '{location}'", "table")
    strange = [item.name for item in inside if not item.is_file() or item.suffix not in {known.value for known in Format}]
    if strange or not inside:
        named = f"'{strange[0]}' is neither a .csv nor a .parquet file" if strange else f"'{location}' has no files in it"
        raise refused(named, "table")
    patterns = [item.name for item in inside if _PATTERN & set(str(item))]
    if patterns:
        raise refused(
            f"'{patterns[0]}' has one of {' '.join(sorted(_PATTERN))} in its name or that of a folder, which engines take "
            "for a pattern of several files; give it another name",
            "table",
        )
    formats = {Format(item.suffix) for item in inside}
    if len(formats) > 1:
        raise refused(f"'{location}' holds both CSV and Parquet files; a table is of one format", "table")
    return Files(location, formats.pop(), tuple(inside))


def csv_header(files: Files) -> tuple[str, ...]:
    """The names of the columns, which every file must have alike."""
    found = {path: _first(path) for path in files.paths}
    header = found[files.paths[0]]
    for path, other in found.items():
        if other != header:
            raise refused(f"'{path.name}' has other columns than '{files.paths[0].name}'", "table")
    if not all(header) or len({column.casefold() for column in header}) < max(1, len(header)):
        # Engines do not tell capitals from small letters in names of columns.
        raise refused(f"the first line of '{files.paths[0].name}' must name the columns, each once", "table")
    return header


def _first(path: Path) -> tuple[str, ...]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return tuple(cell.strip() for cell in next(csv.reader(file), []))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise refused(f"'{path.name}' cannot be read: {error}", "table") from error


def not_plain(column: str, kind: str) -> str:
    """What to say of a column whose cells engines would write as texts in different ways, or not at all."""
    return f"the column '{column}' holds {kind}, which engines write in different ways; write texts, whole numbers or dates"
