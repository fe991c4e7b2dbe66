"""Grouped: the rows of a large table, counted by what they say. The list of rows is never held, only what differs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from attrs import frozen

from accountant.errors import Fault, PlanError
from accountant.values.beside import opened_beside
from accountant.values.columns import counted_batches
from accountant.values.grouped_csv import count_csv, count_rows
from accountant.values.groups import Found, Group

MOST_GROUPED_BYTES = 16 * 2**30
_BLOCK = 2**24


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
                digest = count_csv(file, found, before[0])
            elif path.suffix == ".parquet":
                digest = _digest(file)
                file.seek(0)
                for batch in counted_batches(file, found.asked, path.name, where):
                    found.add(*batch)
            elif path.suffix == ".xlsx":
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
