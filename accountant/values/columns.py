"""Columns: how much a table may hold, and the cells of a Parquet file, counted before they are unpacked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from accountant.errors import Fault, PlanError
from accountant.progress import reached

MOST_CELLS = 4_000_000
MOST_ROWS = 500_000
MOST_FAULTS = 20
_MOST_UNPACKED = 2**30
_BATCH = 2**16


def bounded(cells: int, rows: int, name: str, place: str) -> None:
    """Refuse a table of more cells or rows than a plan can be made of."""
    if cells > MOST_CELLS:
        raise PlanError((Fault(f"'{name}' has more than {MOST_CELLS:,} cells", place),))
    if rows > MOST_ROWS:
        message = f"'{name}' brings the rows of the plan's tables above {MOST_ROWS:,}; write grouped = true to count them"
        raise PlanError((Fault(message, place),))


def parquet_columns(content: bytes, name: str, place: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The names of the columns of a Parquet file, and its rows as text.

    Guarantee: cells, rows and unpacked bytes are those that the file itself announces, and are bounded before anything is
    unpacked; texts that are stored once are kept once, however many cells have them.
    """
    with _parquet(name, place) as parquet:
        from pyarrow import BufferReader

        said = parquet.read_metadata(BufferReader(content))
        bounded(said.num_rows * said.num_columns, said.num_rows, name, place)
        _unpacked(sum(_sizes(said)), name, place)
        file = _dictionaries(parquet, BufferReader(content), name, place)
        columns: list[list[str]] = [[] for _ in file.schema_arrow.names]
        for batch in file.iter_batches(_BATCH):
            for column, found in zip(columns, batch.columns, strict=True):
                column.extend(_cells(found))
        return tuple(file.schema_arrow.names), tuple(zip(*columns, strict=True))


Counted = tuple[int, Iterable[tuple[tuple[str, ...], int, int]], Callable[[int], int | None]]
"""A number of rows, their groups (cells, how many, the first), and the line of a row."""


def counted_batches(
    source: IO[bytes], asked: Callable[[Sequence[str]], list[str]], name: str, place: str
) -> Iterator[Counted]:
    """The rows of a Parquet file, batch by batch, each counted by the cells of the columns that are asked for.

    Guarantee: what a part of the file announces is bounded before that part is unpacked, and no other column is.
    """
    with _parquet(name, place) as parquet:
        said = parquet.read_metadata(source)
        _unpacked(max(_sizes(said), default=0), name, place)
        source.seek(0)
        file = _dictionaries(parquet, source, name, place)
        columns = asked(file.schema_arrow.names)
        done = 0
        for batch in file.iter_batches(_BATCH, columns=columns):
            known = [batch.column(column) for column in columns]
            yield batch.num_rows, _grouped(known, batch.num_rows), lambda _: None
            done += batch.num_rows
            reached(done / max(1, said.num_rows))


def counted(columns: Sequence[Any], rows: int) -> Iterator[tuple[tuple[Any, ...], int, int]]:
    """The different rows of columns, each with its number and the place of the first."""
    import numpy as np
    import pyarrow

    if not columns or not rows:
        yield from [((), rows, 0)] if rows else ()
        return
    names = [f"c{number}" for number in range(len(columns))]
    whole = pyarrow.table([*columns, np.arange(rows)], names=[*names, "place"])
    found = whole.group_by(names).aggregate([("place", "min"), ("place", "count")])
    cells = zip(*(found[name].to_pylist() for name in names), strict=True)
    yield from zip(cells, found["place_count"].to_pylist(), found["place_min"].to_pylist(), strict=True)


def _grouped(columns: Sequence[Any], rows: int) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """The groups of a batch: texts that are stored once are compared by their numbers."""
    from pyarrow import types

    stored = [column.dictionary.to_pylist() if types.is_dictionary(column.type) else None for column in columns]
    plain = [column if known is None else column.indices for column, known in zip(columns, stored, strict=True)]
    for cells, count, first in counted(plain, rows):
        said = (cell if known is None or cell is None else known[cell] for cell, known in zip(cells, stored, strict=True))
        yield tuple(map(_text, said)), count, first


@contextmanager
def _parquet(name: str, place: str) -> Iterator[Any]:
    """The reader of Parquet files, whose errors are faults of a file."""
    try:
        from pyarrow import lib, parquet
    except ImportError as error:
        message = "reading Parquet needs pyarrow: install 'privacy-accountant[tables]', or write the table as CSV"
        raise PlanError((Fault(message, place),)) from error
    try:
        yield parquet
    except (lib.ArrowException, OSError) as error:
        raise PlanError((Fault(f"'{name}' cannot be read: {error}", place),)) from error


def _sizes(said: Any) -> Iterator[int]:
    """How large each part of a file says it is when it is unpacked."""
    for number in range(said.num_row_groups):
        group = said.row_group(number)
        yield sum(group.column(place).total_uncompressed_size for place in range(said.num_columns))


def _unpacked(size: int, name: str, place: str) -> None:
    if size > _MOST_UNPACKED:
        raise PlanError((Fault(f"'{name}' is larger than {_MOST_UNPACKED:,} bytes when unpacked", place),))


def _dictionaries(parquet: Any, source: Any, name: str, place: str) -> Any:
    """A file in which texts that are stored once are kept once."""
    return parquet.ParquetFile(source, read_dictionary=_texts(parquet.ParquetFile(source), name, place))


def _texts(file: Any, name: str, place: str) -> list[str]:
    """The columns of text in a file; refused are cells that are no values."""
    from pyarrow import types

    found = []
    for column in file.schema_arrow:
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_string(kind) or types.is_large_string(kind):
            found.append(column.name)
        elif not (types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind)):
            message = f"'{name}' has a column '{column.name}' of {kind}; a cell is text or a number"
            raise PlanError((Fault(message, place),))
    return found


def _cells(column: Any) -> list[str]:
    from pyarrow import types

    if not types.is_dictionary(column.type):
        return [_text(cell) for cell in column.to_pylist()]
    known = [_text(text) for text in column.dictionary.to_pylist()]
    return ["" if index is None else known[index] for index in column.indices.to_pylist()]


def _text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()
