"""Spreadsheet: the rows of the only sheet of an .xlsx file, as text.

Columns are those with a name in the first row, up to the first that has none. A number is the shortest decimal of what the
file holds; of a formula, what it gave when the file was saved.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import IO, Any

from accountant.errors import Fault, PlanError

_MOST_UNPACKED = 2**28
_MOST_ROWS, _MOST_COLUMNS = 2**20, 2**14
"""What a sheet can have: one that says more is refused, whatever numbers its rows bear."""

Numbered = tuple[list[str], int]


def sheet_rows(file: IO[bytes], name: str, place: str) -> Iterator[Numbered]:
    """The first row and all others that are not empty, each with its number in the sheet.

    Guarantee: what the file announces is bounded before it is unpacked, and no more than that is.
    """
    try:
        import openpyxl
    except ImportError as error:
        message = "reading spreadsheets needs openpyxl: install 'privacy-accountant[spreadsheets]', or save it as CSV"
        raise PlanError((Fault(message, place),)) from error
    try:
        with zipfile.ZipFile(file) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > _MOST_UNPACKED:
            raise PlanError((Fault(f"'{name}' is larger than {_MOST_UNPACKED:,} bytes when unpacked", place),))
        file.seek(0)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        if len(book.worksheets) != 1:
            message = f"'{name}' has {len(book.worksheets)} sheets; leave the one with the table"
            raise PlanError((Fault(message, place),))
        yield from _rows(book.worksheets[0])
    except PlanError:
        raise
    except Exception as error:  # the package raises errors of many classes for what is no spreadsheet
        raise PlanError((Fault(f"'{name}' cannot be read: {error}", place),)) from error


def _rows(sheet: Any) -> Iterator[Numbered]:
    sheet.reset_dimensions()
    first = next(sheet.iter_rows(max_row=1, max_col=_MOST_COLUMNS, values_only=True), ())
    names = [_text(cell) for cell in first]
    columns = names[: names.index("")] if "" in names else names
    yield columns, 1
    if not columns:
        return
    # Rows that are left out are counted by the package as empty ones, without end where a number says so.
    for number, row in enumerate(sheet.iter_rows(min_row=2, max_col=len(columns), values_only=True), start=2):
        if number > _MOST_ROWS:
            raise ValueError(f"it has more than {_MOST_ROWS:,} rows")
        cells = [_text(cell) for cell in row]
        if any(cells):
            yield cells + [""] * (len(columns) - len(cells)), number


def _text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()
