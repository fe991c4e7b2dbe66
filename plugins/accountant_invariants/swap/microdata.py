"""Microdata: records in a CSV or Parquet file, one row each, kept by columns."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from accountant import AccountantError, Fault, PlanError

Codes = NDArray[np.int64]

MOST_BYTES = 8 * 2**30
MOST_CELLS = 200_000_000
_MOST_FAULTS = 20
_CHUNK = 2**16


@frozen(eq=False)
class Column:
    """One attribute of all records: its different values as text, and which of them each record has."""

    values: tuple[str, ...]
    codes: Codes

    @property
    def ranks(self) -> Codes:
        """The place of every value among all, sorted as text."""
        found = np.empty(len(self.values), dtype=np.int64)
        found[sorted(range(len(self.values)), key=self.values.__getitem__)] = np.arange(len(self.values))
        return found

    @property
    def missing(self) -> NDArray[np.intp]:
        """The records without a value."""
        empty = [place for place, value in enumerate(self.values) if not value.strip()]
        return np.flatnonzero(np.isin(self.codes, empty))


@frozen(eq=False)
class Microdata:
    """Records by columns, in the order of the file.

    Cells are told apart as they are written. Where the file is Parquet, `table` has them with their own types, so that
    what is written back has the types that were read.
    """

    path: Path
    columns: Mapping[str, Column]
    size: int
    table: Any = None

    @classmethod
    def load(cls, path: Path | str) -> Microdata:
        """The records in a file, by its ending: `.csv` or `.parquet`."""
        path = Path(path)
        kinds = {".csv": _csv, ".parquet": _parquet}
        if path.suffix not in kinds:
            raise _refused(path, "it is neither a .csv nor a .parquet file")
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise _refused(path, "it is no regular file")
            if found.st_size > MOST_BYTES:
                raise _refused(path, f"it is larger than {MOST_BYTES:,} bytes")
            return kinds[path.suffix](path)
        except OSError as error:
            raise _refused(path, error.strerror or str(error)) from error

    def reordered(self, names: Iterable[str], sources: NDArray[np.int64]) -> Microdata:
        """The same records with, in some columns, the values of others: record i has those of record `sources[i]`."""
        columns, table = dict(self.columns), self.table
        for name in names:
            columns[name] = evolve(columns[name], codes=columns[name].codes[sources])
            if table is not None:
                place = table.column_names.index(name)
                table = table.set_column(place, table.schema.field(place), table.column(name).take(sources))
        return evolve(self, columns=columns, table=table)

    def sorted(self) -> Microdata:
        """The same records in an order that says nothing but what they are: by their cells as text, column by column."""
        ranks = [column.ranks[column.codes] for column in self.columns.values()]
        order = np.lexsort(ranks[::-1])
        columns = {name: evolve(column, codes=column.codes[order]) for name, column in self.columns.items()}
        return evolve(self, columns=columns, table=None if self.table is None else self.table.take(order))

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The records as text, in order."""
        texts = [np.array([*column.values, ""], dtype=object) for column in self.columns.values()]
        for start in range(0, self.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            cells = [text[column.codes[part]] for text, column in zip(texts, self.columns.values(), strict=True)]
            yield from zip(*cells, strict=True)

    def write(self, path: Path, before: Callable[[], object] = lambda: None) -> None:
        """Write the records as the kind of file that they came from, so that the file is there in full or not at all.

        All is on disk when `before` is called, and what that raises leaves nothing behind.
        """
        if path.suffix != self.path.suffix:
            message = f"the records are in a {self.path.suffix} file, so what is written must end so too"
            raise AccountantError(f"cannot write {path}: {message}")
        if path.exists() and path.samefile(self.path):
            raise AccountantError(f"cannot write {path}: these are the records themselves")
        target = path.resolve()
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        try:
            with draft.open("xb") as file:
                self._to(file)
                file.flush()
                os.fsync(file.fileno())
            before()
            draft.replace(target)
        except OSError as error:
            raise AccountantError(f"cannot write {path}: {error.strerror or error}") from error
        finally:
            draft.unlink(missing_ok=True)

    def _to(self, file: Any) -> None:
        if self.table is not None:
            from pyarrow import parquet

            parquet.write_table(self.table, file)
            return
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows())
        text.detach()


def _refused(path: Path, why: str) -> PlanError:
    return PlanError((Fault(f"cannot read the records: {why}", "records", file=str(path)),))


def _named(path: Path, names: list[str]) -> None:
    """Refuse columns that are not told apart by their names."""
    if not names or not all(name.strip() for name in names):
        raise _refused(path, "every column needs a name, in the first line")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise _refused(path, f"there are several columns '{twice[0]}'")


def _bounded(path: Path, cells: int) -> None:
    if cells > MOST_CELLS:
        raise _refused(path, f"there are more than {MOST_CELLS:,} cells; swap one part of the strata at a time")


def _csv(path: Path) -> Microdata:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            names = [cell.strip() for cell in next(reader, [])]
            _named(path, names)
            return _coded(path, names, reader)
    except UnicodeDecodeError as error:
        raise _refused(path, f"the text is not UTF-8, so save it as that: {error}") from error
    except csv.Error as error:
        raise _refused(path, str(error)) from error


def _coded(path: Path, names: list[str], reader: Any) -> Microdata:
    """The rows of a CSV file, every different text of a column kept once."""
    known: list[dict[str, int]] = [{} for _ in names]
    parts: list[list[Codes]] = [[] for _ in names]
    faults, size = list[Fault](), 0
    while chunk := [(row, reader.line_num) for row in islice(reader, _CHUNK) if row]:
        size += len(chunk)
        _bounded(path, size * len(names))
        faults += [
            Fault(f"{len(row)} cells, but {len(names)} columns", "records", file=str(path), line=line)
            for row, line in chunk
            if len(row) != len(names)
        ][: _MOST_FAULTS - len(faults)]
        if not faults:
            for codes, part, cells in zip(known, parts, zip(*(row for row, _ in chunk), strict=True), strict=True):
                part.append(np.array([codes.setdefault(cell, len(codes)) for cell in cells], dtype=np.int64))
    if faults:
        raise PlanError(tuple(faults))
    none = [np.empty(0, dtype=np.int64)]
    columns = {
        name: Column(tuple(codes), np.concatenate(part or none))
        for name, codes, part in zip(names, known, parts, strict=True)
    }
    return Microdata(path, columns, size)


def _parquet(path: Path) -> Microdata:
    try:
        from pyarrow import lib, parquet
    except ImportError as error:
        raise _refused(path, "Parquet needs pyarrow: install 'privacy-accountant[tables]', or write CSV") from error
    try:
        with parquet.ParquetFile(path) as file:
            said = file.metadata
            _named(path, list(file.schema_arrow.names))
            _bounded(path, said.num_rows * said.num_columns)
            table = file.read()
        columns = {name: _encoded(path, name, table.column(name)) for name in table.column_names}
    except lib.ArrowException as error:
        raise _refused(path, str(error).splitlines()[0]) from error
    return Microdata(path, columns, table.num_rows, table)


def _encoded(path: Path, name: str, column: Any) -> Column:
    from pyarrow import types

    if types.is_nested(column.type):
        raise _refused(path, f"column '{name}' is of {column.type}; a cell is text or a number")
    whole = column.combine_chunks()
    if not types.is_dictionary(whole.type):
        whole = whole.dictionary_encode()
    texts = ["" if value is None or value != value else str(value) for value in whole.dictionary.to_pylist()]
    # A dictionary may hold a value twice, and cells that are missing are in none.
    known: dict[str, int] = {}
    places = np.array([known.setdefault(text, len(known)) for text in (*texts, "")], dtype=np.int64)
    indices = whole.indices.cast("int64").fill_null(len(texts)).to_numpy(zero_copy_only=False)
    return Column(tuple(known), places[indices])
