"""Rows that are counted are the rows that are listed: the same groups, first rows, lines and faults."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from accountant.errors import PlanError
from accountant.values import grouped, grouped_csv
from accountant.values.grouped import Grouped
from accountant.values.rows import Rows

COLUMNS = ("id", "level", "share")


@pytest.fixture(params=["by columns", "by rows"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to read a CSV file, in blocks and chunks that are over again and again."""
    monkeypatch.setattr(grouped_csv, "_BLOCK", 64)
    monkeypatch.setattr(grouped_csv, "_CHUNK", 3)
    if request.param == "by rows":
        monkeypatch.setattr(grouped_csv, "_by_columns", lambda *_: False)
    return str(request.param)


def drawn(random: Random) -> bytes:
    """A CSV file as somebody might write one: some cells quoted, some lines empty, ends of lines of two kinds."""
    quoting = random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    end = random.choice(["\n", "\r\n"])
    strange = random.choice([[], ["with, comma", 'a "word"', "two\nlines"]])
    levels = ["State", " State", "County ", "été", "", "a b", *strange]
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=quoting, lineterminator=end)
    writer.writerow(COLUMNS)
    for number in range(random.randint(1, 40)):
        writer.writerow((number, random.choice(levels), random.choice(["1/2", "1/3 ", "0.5"])))
        if random.random() < 0.1:
            text.write(end)
    written = text.getvalue()
    if random.random() < 0.3:
        written = written.removesuffix(end)
    return random.choice([b"", b"\xef\xbb\xbf"]) + written.encode()


def listed(folder: Path, name: str, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], int, int, int | None]]:
    """The groups of the rows that are listed: cells, how many, the first row and its line."""
    rows = Rows.load(folder, name, "table[0].file")
    places = [rows.columns.index(column) for column in columns]
    cells = [tuple(row[place] for place in places) for row in rows.rows]
    lines = rows.lines or (None,) * len(cells)
    return [
        (key, count, cells.index(key) + 1, lines[cells.index(key)])
        for key, count in sorted(Counter(cells).items(), key=lambda item: cells.index(item[0]))
    ]


def counted(folder: Path, name: str, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], int, int, int | None]]:
    found = Grouped.load(folder, name, columns, "table[0]")
    assert found.columns == tuple(sorted(columns))
    assert found.rows == sum(group.count for group in found.groups)
    assert found.digest == f"sha256:{hashlib.sha256((folder / name).read_bytes()).hexdigest()}"
    return [(group.cells, group.count, group.row, group.line) for group in found.groups]


@pytest.mark.parametrize("seed", range(40))
def test_groups_of_random_files_are_those_of_their_rows(tmp_path: Path, reader: str, seed: int) -> None:
    random = Random(seed)
    (tmp_path / "rows.csv").write_bytes(drawn(random))
    for columns in (("level", "share"), ("share",), ("id", "level"), ()):
        assert counted(tmp_path, "rows.csv", columns) == listed(tmp_path, "rows.csv", columns)


@pytest.mark.parametrize("seed", range(5))
def test_groups_of_parquet_files_are_those_of_their_rows(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow
    from pyarrow import parquet

    random = Random(seed)
    size = random.randint(1, 60)
    texts = pyarrow.array([random.choice(["a", " a", "b", None, ""]) for _ in range(size)])
    numbers = pyarrow.array([random.choice([1, 2, None]) for _ in range(size)])
    decimals = pyarrow.array([random.choice([0.5, 0.25, -0.5]) for _ in range(size)])
    table = pyarrow.table({"text": texts, "number": numbers, "decimal": decimals})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=7)
    monkeypatch.setattr("accountant.values.columns._BATCH", 5)
    for columns in (("number", "text"), ("decimal",), ()):
        assert counted(tmp_path, "rows.parquet", columns) == listed(tmp_path, "rows.parquet", columns)


def faults(load: Callable[[], object]) -> list[tuple[str, str | None, int | None]]:
    with pytest.raises(PlanError) as caught:
        load()
    return [(fault.message, fault.place, fault.line) for fault in caught.value.faults]


FAR = b"".join(b"%d,State,1/2\n" % number for number in range(30))

WRONG = {
    "empty": b"",
    "no columns": b"\n\n",
    "other marks": b"id;level;share\n1;State;1/2\n",
    "two of one name": b"id,level,level\n1,State,1/2\n",
    "a cell too few": b"id,level,share\n" + FAR + b"1,State\n2,State,1/2\n3,4\n",
    "a cell too many": b"id,level,share\n" + FAR + b"\n1,State,1/2,3\n",
    "not UTF-8": b"id,level,share\n" + FAR + b"1,\xe9t\xe9,1/2\n" + FAR,
    "not UTF-8 in the first line": b"id,l\xe9vel,share\n" + FAR,
    "not UTF-8 where nobody looks": b"id,level,share\n" + FAR + b"\xe9,State,1/2\n",
    "UTF-16": "id,level,share\n1,State,1/2\n".encode("utf-16"),
    "a cell that never ends": b'id,level,share\n1,"State,' + b"x" * 140_000,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_rows_cannot_be_read_from_is_refused_in_the_same_words(tmp_path: Path, reader: str, name: str) -> None:
    (tmp_path / "rows.csv").write_bytes(WRONG[name])
    by_rows = faults(lambda: Rows.load(tmp_path, "rows.csv", "table[0].file"))
    assert faults(lambda: Grouped.load(tmp_path, "rows.csv", ("level", "share"), "table[0]")) == by_rows


def test_a_column_that_is_not_there_is_named_with_what_may_be_meant(tmp_path: Path, reader: str) -> None:
    (tmp_path / "rows.csv").write_bytes(b"id,level,share\n1,State,1/2\n")
    ((message, place, _),) = faults(lambda: Grouped.load(tmp_path, "rows.csv", ("levels", "share"), "table[0]"))
    assert message == "'rows.csv' has no column 'levels'; did you mean 'level'?"
    assert place == "table[0]"


def test_more_different_rows_than_a_plan_can_be_made_of_are_refused(
    tmp_path: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accountant.values.groups.MOST_ROWS", 20)
    (tmp_path / "rows.csv").write_bytes(b"id,level,share\n" + FAR)
    assert len(counted(tmp_path, "rows.csv", ("level",))) == 1
    ((message, _, _),) = faults(lambda: Grouped.load(tmp_path, "rows.csv", ("id",), "table[0]"))
    assert "more than 20 different rows" in message


def test_a_file_that_is_too_large_or_elsewhere_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plan"
    folder.mkdir()
    (tmp_path / "rows.csv").write_bytes(b"id\n1\n")
    ((message, _, _),) = faults(lambda: Grouped.load(folder, "../rows.csv", ("id",), "table[0]"))
    assert "not in the plan's folder" in message
    monkeypatch.setattr(grouped, "MOST_GROUPED_BYTES", 4)
    ((message, _, _),) = faults(lambda: Grouped.load(tmp_path, "rows.csv", ("id",), "table[0]"))
    assert "larger than 4 bytes" in message


@pytest.mark.parametrize("content", [b'id\n"' + b"\n" * 4096, b'id\n"1"\n' + b"\n" * 4096, b"id\n" + b"x" * 4096])
def test_rows_that_take_too_much_are_refused_before_they_are_held(
    tmp_path: Path, reader: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouped_csv, "_MOST_IN_CHUNK", 1024)
    (tmp_path / "rows.csv").write_bytes(content)
    ((message, _, _),) = faults(lambda: Grouped.load(tmp_path, "rows.csv", ("id",), "table[0]"))
    assert "has rows of more than" in message


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"id,level,share\n" + FAR)
    real = grouped.count_csv

    def interrupted(*given: Any) -> str:
        digest = real(*given)
        with path.open("ab") as file:
            file.write(b"99,State,1/2\n")
        return digest

    monkeypatch.setattr(grouped, "count_csv", interrupted)
    ((message, _, _),) = faults(lambda: Grouped.load(tmp_path, "rows.csv", ("level",), "table[0]"))
    assert "changed while it was read" in message


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows.csv")
    ((message, _, _),) = faults(lambda: Grouped.load(tmp_path, "rows.csv", ("level",), "table[0]"))
    assert "no regular file" in message
