"""Grouped: the rows of a large table, counted by what they say. The list of rows is never held, only what differs."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from attrs import field, frozen

from accountant.errors import Fault, PlanError, suggest
from accountant.values.beside import opened_beside
from accountant.values.columns import MOST_ROWS, counted_batches

MOST_GROUPED_BYTES = 16 * 2**30
_MOST_TEXT = 256 * 2**20
_BLOCK = 2**24

Cells = tuple[str, ...]


@frozen
class Group:
    """Cells that some rows have in common, how many rows these are, and the first of them with its line."""

    cells: Cells
    count: int
    row: int
    line: int | None


@frozen
class Grouped:
    """The rows of a file by the cells of some columns, in the order of their first rows, and a digest of the file."""

    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    rows: int
    digest: str

    @classmethod
    def load(cls, folder: Path | None, name: str, columns: Iterable[str], place: str) -> Grouped:
        """Group the rows of a CSV, Parquet or .xlsx file in a folder by the cells of some columns.

        Guarantee: of the rows only their groups are held; the file is the one that the digest is of, and did not change
        while it was read. Refused is a file of more than `MOST_GROUPED_BYTES`, or whose groups are more than a plan can be
        made of.
        """
        where, wanted = f"{place}.file", tuple(sorted(columns))
        with opened_beside(folder, name, where) as (path, file):
            before = _state(file)
            if before[0] > MOST_GROUPED_BYTES:
                raise PlanError((Fault(f"'{path.name}' is larger than {MOST_GROUPED_BYTES:,} bytes", where),))
            found = Found(path, where, wanted)
            if path.suffix == ".csv":
                from accountant.values.grouped_csv import count_csv

                digest = count_csv(file, found, before[0])
            elif path.suffix == ".parquet":
                digest = _digest(file)
                file.seek(0)
                for batch in counted_batches(file, found.asked, path.name, where):
                    found.add(*batch)
            elif path.suffix == ".xlsx":
                from accountant.values.grouped_csv import count_rows
                from accountant.values.spreadsheet import sheet_rows

                digest = _digest(file)
                file.seek(0)
                count_rows(sheet_rows(file, path.name, where), found)
            else:
                raise PlanError((Fault(f"'{path.name}' is no .csv, .parquet or .xlsx file", where),))
            if _state(file) != before:
                raise PlanError(
                    (Fault(f"'{path.name}' changed while it was read; read it when nobody writes to it", where),)
                )
        return cls(wanted, tuple(found.groups()), found.rows, f"sha256:{digest}")


def _digest(file: IO[bytes]) -> str:
    found = hashlib.sha256()
    while block := file.read(_BLOCK):
        found.update(block)
    return found.hexdigest()


def _state(file: IO[bytes]) -> tuple[int, int]:
    said = os.fstat(file.fileno())
    return said.st_size, said.st_mtime_ns


@frozen(eq=False)
class Found:
    """What has been counted of a file so far."""

    path: Path
    place: str
    wanted: tuple[str, ...]
    _counts: Counter[Cells] = field(factory=Counter)
    _first: dict[Cells, tuple[int, int | None]] = field(factory=dict)
    _sizes: list[int] = field(factory=lambda: [0, 0])

    @property
    def rows(self) -> int:
        """How many rows there were."""
        return self._sizes[0]

    def asked(self, columns: Sequence[str]) -> list[str]:
        """The columns to look at, of those that there are."""
        missing = [column for column in self.wanted if column not in columns]
        if missing:
            table = self.place.removesuffix(".file")
            messages = (f"'{self.path.name}' has no column '{column}'{suggest(column, columns)}" for column in missing)
            raise PlanError(tuple(Fault(message, table) for message in messages))
        return list(self.wanted)

    def add(self, rows: int, groups: Iterable[tuple[Cells, int, int]], line: Callable[[int], int | None]) -> None:
        """Further rows: their number, and cells with a count and the first place, counted from 0, whose line is known."""
        for cells, count, place in groups:
            said = tuple(cell.strip() for cell in cells)
            if said not in self._first:
                self._first[said] = self.rows + place + 1, line(place)
                self._sizes[1] += sum(map(len, said))
                if len(self._first) > MOST_ROWS or self._sizes[1] > _MOST_TEXT:
                    raise PlanError((Fault(_TOO_MANY.format(self.path.name, MOST_ROWS), self.place),))
            self._counts[said] += count
        self._sizes[0] += rows

    def groups(self) -> Iterator[Group]:
        """The groups, in the order of their first rows."""
        for cells, (row, line) in sorted(self._first.items(), key=lambda item: item[1][0]):
            yield Group(cells, self._counts[cells], row, line)


_TOO_MANY = (
    "'{}' has more than {:,} different rows, as far as the template says what they are; leave columns out of it that only "
    "tell rows apart, such as one that names each"
)
