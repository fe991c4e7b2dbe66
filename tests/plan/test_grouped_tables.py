"""A grouped table gives the account of its rows, with their faults; a certificate of it names the table by its digest."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import accountant as ac
from accountant import PlanError, read_plan
from accountant.plan.grouped import GroupedTable

SPECIFICATION = {"neighbours": "add-remove"}
BUDGETS = [{"divergence": "zcdp", "rho": "2"}, {"divergence": "approx", "epsilon": "9", "delta": "1e-6"}]
HEADER = ("id", "attribute", "sigma", "times")


def write(folder: Path, rows: list[tuple[object, ...]]) -> Path:
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return folder


def data(*, grouped: bool, name: str = "of {attribute}") -> dict[str, Any]:
    table = {
        "file": "rows.csv",
        "query": {"kind": "histogram", "attributes": ["{attribute}"]},
        "mechanism": {"kind": "gaussian", "sigma": "20 * {sigma}"},
        "times": "{times}",
    }
    named = {"name": name, "grouped": True} if grouped else {"name": "{id}"}
    return {"specification": SPECIFICATION, "budget": BUDGETS, "table": [table | named]}


def drawn(random: Random) -> list[tuple[object, ...]]:
    return [
        (
            number,
            random.choice(["age", "sex", "age; sex"]),
            random.choice(["1", "1.0", " 2", "3/2"]),
            random.choice(["1", "2", " 3"]),
        )
        for number in range(random.randint(1, 40))
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_grouped_table_gives_the_account_of_its_rows(tmp_path: Path, seed: int) -> None:
    write(tmp_path, drawn(Random(seed)))
    listed, grouped = (read_plan(data(grouped=way), folder=tmp_path) for way in (False, True))
    assert sum(release.times for release in grouped.releases) == sum(release.times for release in listed.releases)
    # Releases that are alike but for their names and their times are one.
    assert len({(r.mechanism, r.query) for r in grouped.releases}) == len(grouped.releases)
    left, right = ac.certify(listed), ac.certify(grouped)
    for ours, theirs in zip(left.contents.budgets, right.contents.budgets, strict=True):
        assert ours.verdict == theirs.verdict
        assert ours.guarantee.value == theirs.guarantee.value


def test_the_names_of_groups_are_what_rows_have_in_common(tmp_path: Path) -> None:
    write(tmp_path, [(1, "age", 1, 1), (2, "sex", 1, 2), (3, "age", 1, 3), (4, "age", 2, 1)])
    plan = read_plan(data(grouped=True), folder=tmp_path)
    assert [(release.name, release.times) for release in plan.releases] == [("of age", 4), ("of sex", 2), ("of age (2)", 1)]


SPOILED = {
    "share": (2, ("3", "age", "nothing", "1")),
    "times": (2, ("3", "age", "1", "0")),
    "fraction": (2, ("3", "age", "1", "1.5")),
    "negative": (2, ("3", "age", "-1", "1")),
    "escape": (2, ("3", "a\x1bge", "1", "1")),
}


@pytest.mark.parametrize("name", SPOILED)
def test_faults_of_a_grouped_table_are_those_of_its_rows(tmp_path: Path, name: str) -> None:
    place, row = SPOILED[name]
    rows: list[tuple[object, ...]] = [(1, "age", 1, 1), (2, "sex", 1, 2), (4, "age", 1, 1)]
    write(tmp_path, [*rows[:place], row, *rows[place:]])
    told = []
    for way in (False, True):
        with pytest.raises(PlanError) as caught:
            read_plan(data(grouped=way, name="all"), folder=tmp_path)
        told.append([(fault.message, fault.place, fault.line) for fault in caught.value.faults])
    assert told[0] == told[1]
    assert all((place or "").startswith("table[0].row[3]") for _, place, _ in told[1])


def test_equal_faults_are_told_once_at_the_first_row(tmp_path: Path) -> None:
    write(tmp_path, [(1, "age", 1, 1), *((number, "age", "nothing", 1) for number in range(30))])
    with pytest.raises(PlanError) as caught:
        read_plan(data(grouped=True), folder=tmp_path)
    (fault,) = caught.value.faults
    assert (fault.place, fault.line) == ("table[0].row[2].mechanism.sigma", 3)


def test_more_than_a_release_can_be_repeated_is_a_fault_of_the_first_row(tmp_path: Path) -> None:
    write(tmp_path, [(1, "sex", 1, 1), (2, "age", 1, 10**18), (3, "age", 1, 1)])
    with pytest.raises(PlanError) as caught:
        read_plan(data(grouped=True), folder=tmp_path)
    (fault,) = caught.value.faults
    assert fault.place == "table[0].row[2].times"


@pytest.mark.parametrize("said", ["yes", 1])
def test_grouped_is_true_or_false(tmp_path: Path, said: object) -> None:
    write(tmp_path, drawn(Random(0)))
    stated = data(grouped=True)
    stated["table"][0]["grouped"] = said
    with pytest.raises(PlanError, match=r"expected true or false @ table\[0\]\.grouped"):
        read_plan(stated, folder=tmp_path)


def test_rows_that_are_listed_stay_bounded_and_the_way_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accountant.values.columns.MOST_ROWS", 3)
    write(tmp_path, [(number, "age", 1, 1) for number in range(5)])
    with pytest.raises(PlanError, match=r"above 3; write grouped = true to count them"):
        read_plan(data(grouped=False), folder=tmp_path)
    assert read_plan(data(grouped=True), folder=tmp_path).releases[0].times == 5


def test_a_plan_knows_its_grouped_tables_and_is_read_back_without_them(tmp_path: Path) -> None:
    write(tmp_path, drawn(Random(1)))
    plan = read_plan(data(grouped=True), folder=tmp_path)
    (table,) = plan.grouped
    assert table == GroupedTable("rows.csv", len((tmp_path / "rows.csv").read_text().splitlines()) - 1, table.digest)
    assert read_plan(plan.as_data()) == plan
    other = ac.account(plan) + ac.account(plan)
    assert other.plan.grouped == plan.grouped


def test_a_certificate_names_the_table_and_is_verified_against_it(tmp_path: Path) -> None:
    write(tmp_path, rows := drawn(Random(2)))
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(data(grouped=True)))
    certificate = ac.certify(ac.load_plan(plan))
    assert certificate.data["grouped"][0]["rows"] == len(rows)
    assert len(certificate.contents.releases) < len(rows)
    assert ac.verify(certificate, ac.load_plan(plan)).verdict is ac.Verdict.IMPLIED
    # The same releases, and another file.
    write(tmp_path, [*rows[1:], rows[0]])
    found = ac.verify(certificate, ac.load_plan(plan))
    assert found.verdict is ac.Verdict.REFUTED
    assert "certificate.grouped[0].digest" in {fault.place for fault in found.differences}
