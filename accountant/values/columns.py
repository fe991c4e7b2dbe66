"""Columns: how much a table may hold, and the cells of a Parquet file, counted before they are unpacked."""

from __future__ import annotations

from typing import Any

from accountant.errors import Fault, PlanError

MOST_CELLS = 4_000_000
MOST_ROWS = 500_000
_MOST_UNPACKED = 2**30
_BATCH = 2**16


def bounded(cells: int, rows: int, name: str, place: str) -> None:
    """Refuse a table of more cells or rows than a plan can be made of."""
    if cells > MOST_CELLS:
        raise PlanError((Fault(f"'{name}' has more than {MOST_CELLS:,} cells", place),))
    if rows > MOST_ROWS:
        raise PlanError((Fault(f"'{name}' brings the rows of the plan's tables above {MOST_ROWS:,}", place),))


def parquet_columns(content: bytes, name: str, place: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The names of the columns of a Parquet file, and its rows as text.

    Guarantee: cells, rows and unpacked bytes are those that the file itself announces, and are bounded before anything is
    unpacked; texts that are stored once are kept once, however many cells have them.
    """
    try:
        from pyarrow import BufferReader, lib, parquet
    except ImportError as error:
        message = "reading Parquet needs pyarrow: install 'privacy-accountant[tables]', or write the table as CSV"
        raise PlanError((Fault(message, place),)) from error
    try:
        texts = _texts(parquet.ParquetFile(BufferReader(content)), name, place)
        file = parquet.ParquetFile(BufferReader(content), read_dictionary=texts)
        columns: list[list[str]] = [[] for _ in file.schema_arrow.names]
        for batch in file.iter_batches(_BATCH):
            for column, found in zip(columns, batch.columns, strict=True):
                column.extend(_cells(found))
    except (lib.ArrowException, OSError) as error:
        raise PlanError((Fault(f"'{name}' cannot be read: {error}", place),)) from error
    return tuple(file.schema_arrow.names), tuple(zip(*columns, strict=True))


def _texts(file: Any, name: str, place: str) -> list[str]:
    """The columns of text in a file that is small enough; refused is what is larger, or has cells that are no values."""
    from pyarrow import types

    said = file.metadata
    bounded(said.num_rows * said.num_columns, said.num_rows, name, place)
    groups = [said.row_group(number) for number in range(said.num_row_groups)]
    unpacked = sum(group.column(number).total_uncompressed_size for group in groups for number in range(said.num_columns))
    if unpacked > _MOST_UNPACKED:
        raise PlanError((Fault(f"'{name}' is larger than {_MOST_UNPACKED:,} bytes when unpacked", place),))
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
