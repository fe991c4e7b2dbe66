"""Tables of a plan are read from beside it and from nowhere else, and never without a bound."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from accountant import Ledger, PlanError, account, load_plan, read_plan
from accountant.cli.sources import PlanSource
from accountant.ledger.terms import read_terms
from accountant.values import beside, columns
from accountant.values.rows import Rows

SECRET = "user,hash\nroot,SECRETHASH\nbob,OTHERSECRET\n"
RELEASE = {"name": "{user} {hash}", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "1"}}


def plan_with(file: str) -> dict[str, Any]:
    return {
        "specification": {"neighbours": "add-remove"},
        "budget": [{"divergence": "zcdp", "rho": "9"}],
        "table": [{"file": file, **RELEASE}],
    }


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a plan, and one with what it must not see."""
    own, others = tmp_path / "own", tmp_path / "others"
    own.mkdir()
    others.mkdir()
    (others / "pw.csv").write_text(SECRET)
    (own / "link.csv").symlink_to(others / "pw.csv")
    (own / "folder").symlink_to(others)
    return own, others


@pytest.mark.parametrize(
    "file", ["../others/pw.csv", "{others}/pw.csv", "link.csv", "folder/pw.csv", "./a/../../others/pw.csv"]
)
def test_a_table_elsewhere_is_refused_however_it_is_named(places: tuple[Path, Path], file: str) -> None:
    own, others = places
    (own / "plan.json").write_text(json.dumps(plan_with(file.format(others=others))))
    with pytest.raises(PlanError, match="is not in the plan's folder") as refused:
        load_plan(own / "plan.json")
    assert "SECRET" not in str(refused.value)


def test_nothing_is_said_about_whether_a_file_elsewhere_is_there(places: tuple[Path, Path]) -> None:
    own, _ = places
    told = []
    for file in ("../others/pw.csv", "../others/no.csv"):
        with pytest.raises(PlanError) as refused:
            read_plan(plan_with(file), folder=own)
        told.append(refused.value.faults[0].message.replace(file, "it"))
    assert told[0] == told[1]


def test_a_table_beside_the_plan_or_below_it_is_read(places: tuple[Path, Path]) -> None:
    own, _ = places
    (own / "below").mkdir()
    (own / "below" / "pw.csv").write_text(SECRET)
    (own / "near.csv").symlink_to(own / "below" / "pw.csv")
    for file in ("below/pw.csv", "near.csv", str(own / "below" / "pw.csv")):
        assert [release.name for release in read_plan(plan_with(file), folder=own).releases] == [
            "root SECRETHASH",
            "bob OTHERSECRET",
        ]


def test_data_without_a_folder_has_no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even those where the program happens to run."""
    (tmp_path / "pw.csv").write_text(SECRET)
    monkeypatch.chdir(tmp_path)
    budgets = [{"divergence": "zcdp", "rho": "9"}]
    terms = read_terms({"specification": {"neighbours": "add-remove"}, "budget": budgets})
    for file in ("pw.csv", str(tmp_path / "pw.csv")):
        data = plan_with(file)
        with Ledger.create(tmp_path / f"{len(file)}.ledger", terms) as ledger:
            readers = (
                lambda data=data: read_plan(data),
                lambda data=data: account(data),
                lambda data=data: PlanSource(json.dumps(data)).plan(),
                lambda data=data, ledger=ledger: ledger.batch({"table": data["table"]}),
            )
            for read in readers:
                with pytest.raises(PlanError, match="a plan that is not a file has no folder") as refused:
                    read()
                assert "SECRET" not in str(refused.value)


def test_a_pipe_or_a_device_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "folder.csv"):
        with pytest.raises(PlanError, match=r"is no regular file|Is a directory"):
            Rows.load(tmp_path, name, "x")
    with pytest.raises(PlanError, match="is no regular file"):
        Rows.load(Path("/dev"), "zero", "x")


def test_a_circle_of_links_and_a_name_with_a_nul_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    for name in ("a.csv", "x\0.csv"):
        with pytest.raises(PlanError, match=r"cannot be read|is not in the plan's folder"):
            Rows.load(tmp_path, name, "x")


def test_no_more_is_read_than_the_bound_whatever_size_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    monkeypatch.setattr(beside, "MOST_BYTES", 3)
    with pytest.raises(PlanError, match="larger than 3 bytes"):
        Rows.load(tmp_path, "a.csv", "x")


def test_a_small_file_of_many_equal_cells_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 5_000_000, pyarrow.int8()), ["x"])
    parquet.write_table(pyarrow.table({"a": column}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    before = pyarrow.total_allocated_bytes()
    with pytest.raises(PlanError, match="more than 4,000,000 cells"):
        Rows.load(tmp_path, "a.parquet", "x")
    assert pyarrow.total_allocated_bytes() - before < 2**20


def test_a_long_text_in_many_cells_is_kept_once(tmp_path: Path) -> None:
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 200_000, pyarrow.int32()), ["x" * 100_000])
    parquet.write_table(pyarrow.table({"a": column}), tmp_path / "a.parquet")
    found = Rows.load(tmp_path, "a.parquet", "x")
    assert len(found.rows) == 200_000  # 20 GB of text
    assert found.rows[0][0] is found.rows[1][0]


def test_cells_that_are_no_values_are_refused(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"a": [[1, 2]], "b": ["x"]}), tmp_path / "a.parquet")
    with pytest.raises(PlanError, match="a cell is text or a number"):
        Rows.load(tmp_path, "a.parquet", "x")


def test_a_table_of_too_many_cells_or_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_CELLS", 5)
    monkeypatch.setattr(columns, "MOST_ROWS", 2)
    (tmp_path / "cells.csv").write_text("a,b\n1,2\n1,2\n")
    (tmp_path / "rows.csv").write_text("a\n1\n1\n1\n")
    for name, message in (("cells.csv", "more than 5 cells"), ("rows.csv", "above 2")):
        with pytest.raises(PlanError, match=message):
            Rows.load(tmp_path, name, "x")


def test_the_rows_of_all_tables_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_ROWS", 3)
    (tmp_path / "pw.csv").write_text(SECRET)
    data = plan_with("pw.csv")
    with pytest.raises(PlanError, match="above 3"):
        read_plan({**data, "table": data["table"] * 2}, folder=tmp_path)


@pytest.mark.parametrize("cell", ["a\x1b[31m", "x\u202ey", "x\u2066y", "x" * 20_000])
def test_what_a_cell_brings_is_held_to_what_a_plan_may_say(tmp_path: Path, cell: str) -> None:
    (tmp_path / "pw.csv").write_text(f"user,hash\n{cell},1\n", "utf-8")
    with pytest.raises(PlanError, match=r"the text (contains|has)"):
        read_plan(plan_with("pw.csv"), folder=tmp_path)


def test_the_oldest_pyarrow_that_is_allowed_runs_no_code_from_a_table() -> None:
    """Before 14.0.1 reading a Parquet file could run what it carries (CVE-2023-47248)."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (asked,) = (item for item in project["optional-dependencies"]["tables"] if item.startswith("pyarrow"))
    assert tuple(map(int, asked.removeprefix("pyarrow>=").split("."))) >= (14, 0, 1)
