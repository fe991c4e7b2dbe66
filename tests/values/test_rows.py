"""Tables of releases: read, filled in exactly, refused with the place."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from accountant import PlanError
from accountant.values.rows import Rows, Template

ALLOCATION = "level,attributes,base,level share\nState,state; race,2.56,1440/4099\nUS,,2.56,104/4099\n"


def written(folder: Path, content: str, name: str = "allocation.csv") -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def loaded(path: Path) -> Rows:
    return Rows.load(path.parent, path.name, "table[0].file")


def test_rows_fill_a_template(tmp_path: Path) -> None:
    template = Template(
        {
            "name": "{level}: counts / {level}",
            "query": {"kind": "histogram", "attributes": ["{attributes}"]},
            "mechanism": {"kind": "discrete-gaussian", "variance": "1 / {base} / {level share} * 2"},
        }
    )
    assert template.columns() == {"level", "attributes", "base", "level share"}
    first, second = template.filled(loaded(written(tmp_path, ALLOCATION)))
    assert first["name"] == "State: counts / State"
    assert first["query"]["attributes"] == ["state", "race"]
    assert second["query"]["attributes"] == []
    assert first["mechanism"]["variance"] == "20495/9216"


def test_a_quotient_is_taken_from_left_to_right(tmp_path: Path) -> None:
    table = Rows(("a", "b"), (("1/2", "3"),))
    assert next(Template({"x": "{a} / {b} * 4"}).filled(table)) == {"x": "2/3"}
    assert next(Template({"x": "6 * {a}"}).filled(table)) == {"x": "3"}
    assert next(Template({"x": "{a} per {b}"}).filled(table)) == {"x": "1/2 per 3"}


def test_a_cell_that_is_no_number_is_left_for_its_field_to_refuse() -> None:
    table = Rows(("a",), (("many",),))
    assert next(Template({"x": "1 / {a}"}).filled(table)) == {"x": "1 / many"}
    assert next(Template({"x": "1 / {a}"}).filled(Rows(("a",), (("0",),)))) == {"x": "1 / 0"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("allocation.csv", "", "is empty; its first line must name the columns"),
        ("allocation.csv", "a,b\n1\n", "has 1 cells in row 1, but 2 columns"),
        ("allocation.csv", "a,a\n1,2\n", "has two columns of one name"),
        ("allocation.ods", "a", r"is no .csv, .parquet or .xlsx file"),
        ("allocation.xlsx", "a", "cannot be read"),
        ("allocation.parquet", "not parquet", "cannot be read"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        loaded(written(tmp_path, content, name))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"there is no file 'none.csv' in "):
        loaded(tmp_path / "none.csv")


def test_parquet_says_the_same_as_csv(tmp_path: Path) -> None:
    from_csv = loaded(written(tmp_path, ALLOCATION))
    columns = dict(zip(from_csv.columns, zip(*from_csv.rows, strict=True), strict=True))
    parquet.write_table(pyarrow.table({name: list(cells) for name, cells in columns.items()}), tmp_path / "a.parquet")
    assert loaded(tmp_path / "a.parquet") == from_csv
