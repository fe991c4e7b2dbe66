"""Spreadsheets are read as the CSV file that they would be saved as, by rows and by groups; what is none is refused."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from accountant.errors import PlanError
from accountant.values import spreadsheet
from accountant.values.grouped import Grouped
from accountant.values.rows import Rows

TABLE: list[list[Any]] = [
    ["level", "share", "times", None, "a note"],
    ["State", 0.1, 3],
    ["County ", "1/3", 3, None, "not read"],
    [],
    ["State", 0.1, 3],
    ["Tract", None, 1e17],
]


def saved(path: Path, rows: list[list[Any]], sheets: int = 1) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    for _ in range(sheets - 1):
        book.create_sheet()
    book.save(path)
    return path


def load(path: Path) -> Rows:
    return Rows.load(path.parent, path.name, "table[0].file")


def test_a_sheet_is_read_as_text_without_what_stands_beside_the_table(tmp_path: Path) -> None:
    rows = load(saved(tmp_path / "a.xlsx", TABLE))
    assert rows.columns == ("level", "share", "times")
    assert rows.rows == (
        ("State", "0.1", "3"),
        ("County", "1/3", "3"),
        ("State", "0.1", "3"),
        ("Tract", "", "1e+17"),
    )
    assert rows.lines == (2, 3, 5, 6)


def test_rows_of_a_sheet_are_grouped_as_they_are_listed(tmp_path: Path) -> None:
    saved(tmp_path / "a.xlsx", TABLE)
    found = Grouped.load(tmp_path, "a.xlsx", ("level", "share"), "table[0]")
    assert [(group.cells, group.count, group.row, group.line) for group in found.groups] == [
        (("State", "0.1"), 2, 1, 2),
        (("County", "1/3"), 1, 2, 3),
        (("Tract", ""), 1, 4, 6),
    ]


def test_a_date_and_a_truth_are_words(tmp_path: Path) -> None:
    assert load(saved(tmp_path / "a.xlsx", [["when", "so"], [date(2026, 1, 2), True]])).rows == (
        ("2026-01-02 00:00:00", "True"),
    )


@pytest.mark.parametrize(
    ("rows", "sheets", "message"),
    [
        ([], 1, "is empty"),
        ([["a", "a"], [1, 2]], 1, "two columns of one name"),
        ([["a"], [1]], 2, "has 2 sheets"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(tmp_path: Path, rows: list[list[Any]], sheets: int, message: str) -> None:
    saved(tmp_path / "a.xlsx", rows, sheets)
    with pytest.raises(PlanError, match=message):
        load(tmp_path / "a.xlsx")
    with pytest.raises(PlanError, match=message):
        Grouped.load(tmp_path, "a.xlsx", ("a",), "table[0]")


def test_what_unpacks_to_too_much_is_refused_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "a.xlsx", TABLE)
    monkeypatch.setattr(spreadsheet, "_MOST_UNPACKED", 1000)
    with pytest.raises(PlanError, match="larger than 1,000 bytes when unpacked"):
        load(path)


def spoiled(path: Path, before: bytes, after: bytes) -> Path:
    """A copy of a spreadsheet with other bytes in its sheet."""
    copy = path.with_name("spoiled.xlsx")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for part in source.infolist():
            target.writestr(part, source.read(part).replace(before, after))
    return copy


@pytest.mark.parametrize(
    ("before", "after"),
    [(b'<row r="5"', b'<row r="99999999999"'), (b"<sheetData>", b"<sheetData><a>")],
    ids=["a row far below", "no XML"],
)
def test_a_sheet_that_cannot_be_one_is_refused(
    tmp_path: Path, before: bytes, after: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet, "_MOST_ROWS", 1000)
    with pytest.raises(PlanError, match=r"cannot be read|no element found|mismatched"):
        load(spoiled(saved(tmp_path / "a.xlsx", TABLE), before, after))


def test_a_cell_far_to_the_right_takes_no_memory(tmp_path: Path) -> None:
    rows = load(spoiled(saved(tmp_path / "a.xlsx", TABLE), b'r="E3"', b'r="XFD3"'))
    assert rows.rows[1] == ("County", "1/3", "3")
