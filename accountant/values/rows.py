"""Rows: releases written as rows, from a CSV or Parquet file or a spreadsheet beside the plan.

A template says what each row stands for. A text with `{column}` in it takes the row's cell; if it is a product or quotient
of numbers and cells, such as `1 / {base} / {share}`, it is computed exactly. A list item that is one reference takes the
names in the cell, separated by semicolons.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import field, frozen

from accountant.errors import Fault, InvalidValue, PlanError
from accountant.numbers.exact import exact, plain
from accountant.values.beside import file_beside
from accountant.values.columns import MOST_FAULTS, bounded, parquet_columns
from accountant.values.source import not_utf8

_REFERENCE = re.compile(r"{([^{}]+)}")
_OPERATION = re.compile(r"\s*([*/])\s*(?![^{]*})")


@frozen
class Rows:
    """Named columns of text, and rows of as many cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...] = field(default=(), eq=False)
    """The line of the file on which each row ends, where it has lines."""

    @classmethod
    def load(cls, folder: Path | None, name: str, place: str) -> Rows:
        """The table in a file of a folder, by its ending: `.csv`, `.parquet` or `.xlsx`."""
        path, content = file_beside(folder, name, place)
        try:
            if path.suffix == ".csv":
                return cls._csv(content, path, place)
            if path.suffix == ".parquet":
                return cls(*parquet_columns(content, path.name, place))
            if path.suffix == ".xlsx":
                return cls._sheet(content, path, place)
        except UnicodeDecodeError as error:
            raise PlanError((Fault(f"'{path.name}' {not_utf8(error)}", place),)) from error
        except csv.Error as error:
            raise PlanError((Fault(f"'{path.name}' cannot be read: {error}", place),)) from error
        raise PlanError((Fault(f"'{path.name}' is no .csv, .parquet or .xlsx file", place),))

    @classmethod
    def _sheet(cls, content: bytes, path: Path, place: str) -> Rows:
        from accountant.values.spreadsheet import sheet_rows

        (header, _), *numbered = sheet_rows(io.BytesIO(content), path.name, place)
        bounded(len(header) * len(numbered), len(numbered), path.name, place)
        rows, lines = zip(*numbered, strict=True) if numbered else ((), ())
        return cls(checked_header(header, path, place), tuple(map(tuple, rows)), tuple(lines))

    @classmethod
    def _csv(cls, content: bytes, path: Path, place: str) -> Rows:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        found, cells = list[tuple[tuple[str, ...], int]](), 0
        for line in reader:
            if line:
                cells += len(line)
                bounded(cells, len(found), path.name, place)
                found.append((tuple(cell.strip() for cell in line), reader.line_num))
        if not found:
            checked_header((), path, place)
        (columns, *rows), (_, *lines) = zip(*found, strict=True)
        columns = checked_header(columns, path, place)
        faults = (
            uneven(path, len(row), number, len(columns), place, line)
            for number, (row, line) in enumerate(zip(rows, lines, strict=True), start=1)
            if len(row) != len(columns)
        )
        if first := tuple(islice(faults, MOST_FAULTS)):
            raise PlanError(first)
        return cls(columns, tuple(rows), tuple(lines))


def checked_header(cells: Sequence[str], path: Path, place: str) -> tuple[str, ...]:
    """The names of columns in the first line of a file; refused are none, two alike, and what other marks separate."""
    columns = tuple(cell.strip() for cell in cells)
    message = None
    if not columns:
        message = f"'{path.name}' is empty; its first line must name the columns"
    elif len(columns) == 1 and (mark := next((mark for mark in ";\t|" if mark in columns[0]), None)):
        message = f"'{path.name}' looks like columns separated by {mark!r}; separate them by commas"
    elif len(set(columns)) < len(columns):
        message = f"'{path.name}' has two columns of one name"
    if message is not None:
        raise PlanError((Fault(message, place),))
    return columns


def uneven(path: Path, cells: int, number: int, columns: int, place: str, line: int | None) -> Fault:
    """The fault of a row with another number of cells than there are columns."""
    message = f"'{path.name}' has {cells} cells in row {number}, but {columns} columns"
    return Fault(message, place, file=str(path), line=line)


@frozen
class Template:
    """What each row of a table stands for."""

    data: Mapping[str, Any]

    def columns(self) -> set[str]:
        """The columns that are referred to."""
        return {name for text in _texts(self.data) for name in _REFERENCE.findall(text)}

    def filled(self, table: Rows) -> Iterator[dict[str, Any]]:
        """The template with each row's cells in place of references."""
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            yield {key: _filled(value, cells) for key, value in self.data.items()}


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, Sequence):
        for item in data:
            yield from _texts(item)


def _filled(data: Any, cells: Mapping[str, str]) -> Any:
    if isinstance(data, str):
        return _text(data, cells)
    if isinstance(data, Mapping):
        return {key: _filled(value, cells) for key, value in data.items()}
    if isinstance(data, list):
        return [item for value in data for item in _items(value, cells)]
    return data


def _items(data: Any, cells: Mapping[str, str]) -> list[Any]:
    if isinstance(data, str) and _REFERENCE.fullmatch(data):
        return [name for part in cells[data[1:-1]].split(";") if (name := part.strip())]
    return [_filled(data, cells)]


def _text(text: str, cells: Mapping[str, str]) -> str:
    if "{" not in text:
        return text
    whole = _REFERENCE.fullmatch(text)
    if whole:
        return cells[whole[1]]
    first, *rest = _OPERATION.split(text)
    if rest:
        try:
            value = _number(first, cells)
            for sign, factor in zip(rest[::2], rest[1::2], strict=True):
                value = value * _number(factor, cells) if sign == "*" else value / _number(factor, cells)
            return plain(value)
        except (InvalidValue, ZeroDivisionError):
            pass  # not a number after all: the field that it is for says what is wrong
    return _REFERENCE.sub(lambda reference: cells[reference[1]], text)


def _number(text: str, cells: Mapping[str, str]) -> Fraction:
    reference = _REFERENCE.fullmatch(text.strip())
    return exact(cells[reference[1]] if reference else text)
