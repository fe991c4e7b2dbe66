"""`accountant swap` as it is typed: the budget first, files whole or not at all, and one error for bad records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from accountant import Certificate, Verdict, account, certify, load_plan
from accountant.cli import main
from accountant_invariants import Microdata, Stratum
from accountant_invariants.swap.microdata import _encoded
from accountant_invariants.swap.strata import Strata
from tests.plugins.invariants.records import COLUMNS, households, read, write

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
DESIGN = ("--stratify", "region", "--stratify", "size", "--swap", "block", "--rate", "0.2", "--version", "derange")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in a folder of its own with some households."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "records.csv", households(400))
    return lambda *words: CliRunner().invoke(main, ["swap", *map(str, words)])


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    return found


def checked(result: Result, name: str, schema: dict[str, Any]) -> Any:
    data = json.loads(result.stdout)
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}).validate(data)
    return data


def test_from_records_to_the_audit(run: Run, tmp_path: Path) -> None:
    """Strata from the records, the plan, its certificate with both numbers, the file, the page and the audit."""
    planned = run("plan", "records.csv", *DESIGN, "--unit", "household", "--output", "swap.toml")
    assert planned.exit_code == 0, planned.output
    sizes = Counter(row[:2] for row in households(400)).values()
    plan = load_plan(tmp_path / "swap.toml")
    mechanism: Any = plan.releases[0].mechanism
    assert sorted(mechanism.strata) == sorted(sizes)
    promised = Stratum(max(sizes), mechanism.rate, "derange")
    # Blocks come again in every stratum, so that less may be lost.
    assert planned.stdout.startswith(f"epsilon = at most {promised.epsilon.rounded(6)[1]} for each record, ")
    pure = account(plan).measure("pure").value
    assert pure.lower <= promised.reach(2).upper
    assert pure.upper >= promised.reach(2).lower

    ran = run("run", "swap.toml", "records.csv", "--output", "swapped.csv", "--picture", "moved.html", "--by", "tenure")
    assert ran.exit_code == 0, ran.output
    before, after = read(tmp_path / "records.csv"), read(tmp_path / "swapped.csv")
    assert before[0] == after[0]
    assert after[1:] == sorted(after[1:]) != sorted(before[1:])
    assert Counter(row[:2] + row[3:] for row in before) == Counter(row[:2] + row[3:] for row in after)
    assert Counter(row[:3] for row in before) == Counter(row[:3] for row in after)
    page = (tmp_path / "moved.html").read_text("utf-8")
    assert "Confidential" in page
    assert "no budget covers it" in page
    assert "<script" not in page

    runs = ("--samples", "2000", "--confidence", "0.999")
    audited = run("audit", "swap.toml", "records.csv", "swapped.csv", *runs)
    assert (audited.exit_code, audited.stdout.split(":")[0]) == (0, "consistent")
    same = run("audit", "swap.toml", "records.csv", "records.csv", *runs)
    assert (same.exit_code, same.stdout.split(":")[0]) == (1, "refuted")


def test_the_certificate_has_the_number_for_each_record_and_for_two(run: Run, tmp_path: Path) -> None:
    assert run("plan", "records.csv", *DESIGN, "--epsilon", "15", "--output", "swap.toml").exit_code == 0
    plan = load_plan(tmp_path / "swap.toml")
    certificate = certify(plan)
    assert certificate.verdicts == (Verdict.IMPLIED,)
    (budget,) = Certificate.parse(certificate.to_json()).contents.budgets
    mechanism: Any = plan.releases[0].mechanism
    record, pair = mechanism.epsilon.rounded(10), mechanism.pair.rounded(10)
    (apiece,) = [
        step for step in budget.guarantee.derivation if "for each person in which datasets differ" in step.statement
    ]
    assert apiece.value is not None
    assert (apiece.value.lower, apiece.value.upper) == record
    assert (budget.guarantee.value.lower, budget.guarantee.value.upper) == pair


@pytest.mark.parametrize(("epsilon", "status", "word"), [("15", 0, "KEPT"), ("3", 1, "NOT KEPT")])
def test_a_budget_decides_first(run: Run, epsilon: str, status: int, word: str, schema: dict[str, Any]) -> None:
    result = run("plan", "records.csv", *DESIGN, "--epsilon", epsilon)
    assert (result.exit_code, result.stdout.split(":")[0]) == (status, word)
    data = checked(run("plan", "records.csv", *DESIGN, "--epsilon", epsilon, "--json"), "swap-plan", schema)
    assert data["kept"] is (status == 0)
    assert {"upper", "lower"} == set(data["epsilon"]["pair"]) == set(data["epsilon"]["record"])


def test_answers_have_one_shape(run: Run, schema: dict[str, Any]) -> None:
    assert run("plan", "records.csv", *DESIGN, "-o", "swap.toml", "--json").exit_code == 0
    first = checked(run("run", "swap.toml", "records.csv", "-o", "a.csv", "--seed", "4", "--json"), "swap-run", schema)
    again = checked(run("run", "swap.toml", "records.csv", "-o", "b.csv", "--seed", "4", "--json"), "swap-run", schema)
    system = checked(run("run", "swap.toml", "records.csv", "-o", "c.csv", "--json"), "swap-run", schema)
    assert (first["randomness"], first["seed"], system["randomness"]) == ("seed", 4, "system")
    assert "seed" not in system
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes() != Path("c.csv").read_bytes()
    assert {**first, "swapped": ""} == {**again, "swapped": ""}
    told = run("run", "swap.toml", "records.csv", "-o", "a.csv", "--seed", "4")
    assert "for tests, never for publication (seed 4)" in " ".join(told.stdout.split())
    data = checked(run("audit", "swap.toml", "records.csv", "a.csv", "--samples", "500", "--json"), "swap-audit", schema)
    assert [check["verdict"] for check in data["checks"]][:2] == ["holds", "holds"]


def test_parquet_keeps_its_types(run: Run, tmp_path: Path) -> None:
    from pyarrow import parquet

    write(tmp_path / "records.parquet", households(300))
    assert run("plan", "records.parquet", *DESIGN, "-o", "swap.toml").exit_code == 0
    result = run("run", "swap.toml", "records.parquet", "-o", "swapped.parquet", "--seed", "2")
    assert result.exit_code == 0, result.output
    before, after = (parquet.read_table(tmp_path / f"{name}.parquet") for name in ("records", "swapped"))
    assert before.schema == after.schema
    stays, whole = ["region", "size", "tenure", "age"], ["region", "size", "block", "tenure", "age"]
    assert sorted(before.select(stays).to_pylist(), key=str) == sorted(after.select(stays).to_pylist(), key=str)
    assert sorted(before.select(whole).to_pylist(), key=str) != sorted(after.select(whole).to_pylist(), key=str)
    assert run("audit", "swap.toml", "records.parquet", "swapped.parquet", "--samples", "500").exit_code == 0
    # The same records in CSV are swapped alike.
    write(tmp_path / "records.csv", households(300))
    assert run("run", "swap.toml", "records.csv", "-o", "swapped.csv", "--seed", "2").exit_code == 0
    assert [row[2] for row in read(tmp_path / "swapped.csv")[1:]] == after.column("block").to_pylist()


def test_a_dictionary_that_holds_a_value_twice_splits_no_stratum(run: Run, tmp_path: Path) -> None:
    """And missing cells of Parquet, of whatever kind, are refused like those of CSV."""
    import pyarrow
    from pyarrow import parquet

    twice = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 2, 0], "int8"), pyarrow.array(["a", "b", "a"]))
    table = pyarrow.table({"area": twice, "block": [1, 2, 3, 4], "age": [30.5, 40.5, 50.5, 60.5]})
    found = Microdata(
        Path("made.parquet"), {name: _encoded(Path(), name, table.column(name)) for name in table.column_names}, 4
    )
    assert sorted(Strata.of(found, ["area"]).sizes.tolist()) == [1, 3]
    parquet.write_table(
        pyarrow.table({"block": [1, None, 3], "age": [30.0, 40.0, float("nan")]}), tmp_path / "gaps.parquet"
    )
    result = run("plan", "gaps.parquet", "--swap", "block", "--rate", "0.1", "--version", "permute")
    assert result.exit_code == 2
    assert "(record 2)" in result.stderr
    assert "(record 3)" in result.stderr


def test_a_picture_of_records_that_did_not_move(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "two.csv", [("N", "1", "b", "own", "30"), ("N", "1", "c", "rent", "31")])
    design = ("--stratify", "region", "--swap", "block", "--rate", "1e-9", "--version", "permute")
    assert run("plan", "two.csv", *design, "-o", "two.toml").exit_code == 0
    result = run("run", "two.toml", "two.csv", "-o", "same.csv", "--picture", "same.html", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert read(tmp_path / "same.csv") == read(tmp_path / "two.csv")
    assert "of 2 records look different" in (tmp_path / "same.html").read_text("utf-8")


PLAN = ("plan", "records.csv", *DESIGN, "-o", "new.toml")


@pytest.mark.parametrize(
    ("rows", "words", "messages"),
    [
        ([], PLAN, ["there are no records"]),
        ([("N", "1", "b", "own", "")], PLAN, ["1 record without a value (record 1)"]),
        ([("N", "1", "b", "own", "30"), ("N", " ", "c", "own", "")], PLAN, ["(record 2)", "@ records.csv, size", ", age"]),
        ([("N", "1", "b", "own")], PLAN, ["4 cells, but 5 columns"]),
        ([("N", "1", "b", "own", "30"), ("S", "1", "b", "own", "30")], PLAN, ["every stratum has one record"]),
        ([("N", "1", "b", "own", "30")] * 3, PLAN, ["in no stratum do records differ both in what is swapped"]),
        (None, (*PLAN[:2], "--swap", "blok", "--stratify", "Size", *PLAN[8:]), ["no column 'blok'", "no column 'Size'"]),
        (None, (*PLAN[:2], "--swap", "size", *PLAN[2:]), ["'size' is in 'stratify' and in 'swap'"]),
        (None, (*PLAN, "--rate", "age"), ["'age' is a column", "who is rare depends on the values that are swapped"]),
        (None, (*PLAN, "--rate", "1.5"), ["a chance is a number from 0 to 1, got 1.5 @ records.csv, rate"]),
        (None, (*PLAN, "--rate", "often"), ["@ records.csv, rate"]),
        (None, (*PLAN, "--rate", "0"), ["at a rate of 0 nothing is promised: nobody is swapped"]),
        (None, (*PLAN, "--rate", "1"), ["at a rate of 1 nothing is promised"]),
        (None, ("plan", "absent.csv", *DESIGN), ["cannot read the records"]),
        (None, ("plan", "records.txt", *DESIGN), ["it is neither a .csv nor a .parquet file"]),
        (None, (*PLAN[:-1], "records.csv"), ["cannot write records.csv: a plan with comments is TOML"]),
    ],
)
def test_bad_records_and_designs_are_one_error(
    run: Run, tmp_path: Path, rows: list[tuple[str, ...]] | None, words: tuple[str, ...], messages: list[str]
) -> None:
    if rows is not None:
        write(tmp_path / "records.csv", rows)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    told = " ".join(result.stderr.split())
    assert all(message in told for message in messages), told
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("records.csv", "-o", "records.csv"), "these are the records themselves"),
        (("records.csv", "-o", "swapped.parquet"), "the records are in a .csv file"),
        (("records.csv", "-o", "no/such/folder.csv"), "cannot write"),
        (("records.csv", "-o", "swapped.csv", "--picture", "moved.csv"), "a picture is a page"),
        (("records.csv", "-o", "swapped.csv", "--picture", "no/such/page.html"), "cannot write"),
        (("records.csv", "-o", "swapped.csv", "--by", "tenure"), "say with --picture where to write it"),
        (("records.csv", "-o", "swapped.csv", "--picture", "m.html", "--by", "size"), "does not stay with the records"),
        (("records.csv", "-o", "swapped.csv", "--seed", "-1"), "a seed is a whole number from 0 on"),
        (("other.csv", "-o", "swapped.csv"), "the plan names it, and the records have no such column"),
        (("fewer.csv", "-o", "swapped.csv"), "it was made for other records"),
    ],
)
def test_what_cannot_be_run_writes_nothing(run: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    assert run("plan", "records.csv", *DESIGN, "-o", "swap.toml").exit_code == 0
    write(tmp_path / "other.csv", households(400), ("region", "size", "block", "tenure", "years"))
    write(tmp_path / "fewer.csv", households(399))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    result = run("run", "swap.toml", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_plan_must_swap_once(run: Run, tmp_path: Path) -> None:
    survey = Path(__file__).parents[3] / "examples" / "survey.toml"
    result = run("run", survey, "records.csv", "-o", "swapped.csv")
    assert result.exit_code == 2
    assert "a plan to be run swaps records in one release, once" in result.stderr


def test_targeted_swapping_is_refused_in_plans_too(run: Run, tmp_path: Path) -> None:
    assert run("plan", "records.csv", *DESIGN, "-o", "swap.toml").exit_code == 0
    text = (tmp_path / "swap.toml").read_text("utf-8").replace('kind = "swapping"', 'kind = "swapping", targeted = "yes"')
    (tmp_path / "swap.toml").write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["certify", "swap.toml"])
    assert result.exit_code == 2
    assert (
        "unknown key 'targeted'; 'rate' is one number for all, and rare records cannot be selected more often"
        in result.stderr
    )


def test_cells_are_kept_as_they_are_written(run: Run, tmp_path: Path) -> None:
    """Commas, quotes, lines inside of cells and a byte order mark."""
    rows = [(f"a{part}", 'say "x", y', f" b{record}", "line\nbreak", str(record)) for part in "12" for record in range(9)]
    write(tmp_path / "records.csv", rows)
    text = (tmp_path / "records.csv").read_text("utf-8")
    (tmp_path / "records.csv").write_text("\ufeff" + text, "utf-8")
    assert run("plan", "records.csv", *DESIGN, "-o", "swap.toml").exit_code == 0
    assert run("run", "swap.toml", "records.csv", "-o", "swapped.csv", "--seed", "1").exit_code == 0
    after = read(tmp_path / "swapped.csv")
    assert after[0] == COLUMNS
    assert sorted(row[2] for row in after[1:]) == sorted(row[2] for row in rows)
    assert sorted(row[:2] + row[3:] for row in after[1:]) == sorted(row[:2] + row[3:] for row in rows)


def test_values_that_come_again_lower_the_budget_and_bind_the_plan_to_its_records(run: Run, tmp_path: Path) -> None:
    """Two tenures: the plan states how often the rarest come, runs on its own records, and refuses others of that size."""
    rows = [("a", str(number), ("own", "rent")[number % 2]) for number in range(30)]
    others = [(*row[:2], "own" if row[1] == "1" else row[2]) for row in rows]
    for name, values in (("own.csv", rows), ("other.csv", others)):
        text = "\n".join(",".join(row) for row in [("region", "block", "tenure"), *values])
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    design = ("--stratify", "region", "--swap", "tenure", "--rate", "0.1", "--version", "permute")
    planned = run("plan", "own.csv", *design, "--output", "swap.toml")
    assert planned.exit_code == 0, planned.output
    plan = load_plan(tmp_path / "swap.toml")
    mechanism: Any = plan.releases[0].mechanism
    assert mechanism.rarest == ((15, 15),)
    assert planned.stdout.startswith("epsilon = at most ")
    assert account(plan).measure("pure").value.upper < Stratum(30, mechanism.rate, "permute").reach(2).lower - 2
    assert run("run", "swap.toml", "own.csv", "--output", "swapped.csv", "--seed", 3).exit_code == 0
    assert run("audit", "swap.toml", "own.csv", "swapped.csv").stdout.startswith("consistent")
    refused = run("run", "swap.toml", "other.csv", "--output", "none.csv")
    assert refused.exit_code == 2
    assert "other records" in refused.stderr
    assert not (tmp_path / "none.csv").exists()
