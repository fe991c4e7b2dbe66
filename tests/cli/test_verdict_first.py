"""What a command concludes stands before what it rests on, fits the terminal, and names why it does not answer 0."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant.cli import main
from accountant.report import Table
from accountant.report.render.text import render_blocks
from tests.cli.test_program import on_terminal
from tests.cli.test_vacuous import NOTHING_LEFT

Run = Callable[..., Result]
PROGRAM = str(Path(sys.executable).with_name("accountant"))
WIDTHS = (60, 80, 120)


def plan(limit: str, *scales: str) -> str:
    releases = [
        {
            "name": f"count number {number}",
            "query": {"kind": "count", "attributes": ["age"]},
            "mechanism": {"kind": "laplace", "scale": scale},
        }
        for number, scale in enumerate(scales, start=1)
    ]
    budget = [{"divergence": "pure", "epsilon": limit}]
    return json.dumps({"specification": {"neighbours": "add-remove"}, "budget": budget, "release": releases})


def certified(tmp_path: Path, content: str, *options: str, columns: int = 80) -> list[str]:
    path = tmp_path / "plan.json"
    path.write_text(content, encoding="utf-8")
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(main, ["certify", str(path), *options]).stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "columns"),
    [
        pytest.param(name, columns, marks=[pytest.mark.sweep] if name.startswith("census") and columns > WIDTHS[0] else [])
        for name in ("survey.toml", "census-2020.toml")
        for columns in WIDTHS
    ],
)
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, columns: int, name: str) -> None:
    example = Path(__file__).parents[2] / "examples" / name
    runner = CliRunner(env={"COLUMNS": str(columns)})
    lines = runner.invoke(main, ["certify", str(example), "--output", str(tmp_path / "c.json")]).stdout.splitlines()
    assert lines[0].startswith("KEPT: ")
    assert lines[1].startswith("  kept  budget ")
    assert max(map(len, lines[:-1])) <= columns
    whole = " ".join(lines)
    assert "/" not in whole.replace("and/or", "").partition("Certificate:")[0]


def test_a_narrow_terminal_is_taken_to_have_sixty_columns(tmp_path: Path) -> None:
    assert certified(tmp_path, plan("1", "2"), columns=20) == certified(tmp_path, plan("1", "2"), columns=60)


def test_many_releases_are_folded_with_those_that_cost_most(tmp_path: Path) -> None:
    scales = [str(2 + number % 7 * 40 + number) for number in range(40)]
    lines = certified(tmp_path, plan("100", *scales))
    rows = [line for line in lines if line.startswith("count number ")]
    named = [int(row.split()[2]) for row in rows]
    assert len(rows) == 15
    assert sorted(named) == sorted(sorted(range(1, 41), key=lambda number: int(scales[number - 1]))[:15])
    costs = [float(row.split()[-1]) for row in rows]
    assert costs == sorted(costs, reverse=True)
    assert any(line.startswith("and 25 more;") for line in lines)
    everything = certified(tmp_path, plan("100", *scales), "--all")
    assert [int(line.split()[2]) for line in everything if line.startswith("count number ")] == list(range(1, 41))
    assert not any(line.startswith("and ") for line in everything)


def test_few_releases_stand_in_the_order_of_the_plan(tmp_path: Path) -> None:
    lines = certified(tmp_path, plan("100", "9", "1", "5"))
    assert [line.split()[2] for line in lines if line.startswith("count number ")] == ["1", "2", "3"]


def test_what_is_shown_is_on_the_side_of_the_limit_that_the_verdict_says(tmp_path: Path) -> None:
    """A third, rounded up at six figures, is above what it keeps; rounded down, below what it exceeds."""
    kept = certified(tmp_path, plan("0.3333333334", "3"))
    assert kept[1] == "  kept  budget pure epsilon: at most 0.3333333334 of 0.3333333334"
    exceeded = certified(tmp_path, plan("0.33333333", "3"))
    assert exceeded[0] == "NOT KEPT: Untitled plan"
    assert "EXCEEDED  budget pure epsilon: at least 0.3333333333, above 0.33333333" in exceeded[3]


def test_long_fractions_are_shown_as_decimals_and_short_ones_as_they_are(tmp_path: Path) -> None:
    shown = " ".join(certified(tmp_path, plan("100", "83968015/69543936", "4/3")))
    assert "laplace (scale ≈1.2074)" in shown
    assert abs(Fraction("1.2074") - Fraction(83968015, 69543936)) < Fraction(1, 10**5)
    assert "laplace (scale 4/3)" in shown


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_verdict_has_a_colour_on_a_terminal_that_wants_it(
    tmp_path: Path, setting: dict[str, str], coloured: bool
) -> None:
    path = tmp_path / "plan.json"
    for limit, word, colour in (("1", "KEPT", "32"), ("1/4", "NOT KEPT", "31")):
        path.write_text(plan(limit, "2"), encoding="utf-8")
        _, shown = on_terminal([PROGRAM, "certify", path], **setting)
        assert (f"\x1b[{colour}m\x1b[1m{word}\x1b[0m" in shown) is coloured
        assert f"{word}" in shown


@pytest.mark.parametrize("width", [30, 60, 200])
def test_a_table_that_does_not_fit_is_continued_below_without_breaking_a_number(width: int) -> None:
    columns = ("reading", *(f"case {number}" for number in range(9)))
    rows = tuple((f"row {row}", *(f"{row}.{number}123456" for number in range(9))) for row in range(3))
    shown = render_blocks((Table("Numbers", columns, rows),), width)
    assert all(len(line) <= width for line in shown.splitlines())
    assert all(shown.split().count(cell) == 1 for row in rows for cell in row[1:])
    parts = shown.count("reading")
    assert (parts == 1) is (width == 200)
    assert shown.count("row 0") == parts


COUNT = {"kind": "count", "attributes": ["smoking"]}
HUGE = json.dumps({"name": "huge", "query": COUNT, "mechanism": {"kind": "laplace", "scale": "1/9"}})
NOT_ZERO = {
    "certify": ("certify", "EXCEEDED"),
    "verify": ("verify", "CERTIFICATE", "EXCEEDED"),
    "measure": ("measure", "VACUOUS", "--as", "zcdp"),
    "scenario": ("scenario", "VACUOUS", "--as", "pure", "--about", "race"),
    "compare": ("compare", "--has", "zcdp rho=0.1", "--implies", "approx epsilon=1 delta=1e-6"),
    "compare of files": ("compare", "PLAN", "EXCEEDED"),
    "ledger open": ("ledger", "open", "OTHER", "--from", "EXCEEDED"),
    "ledger quote": ("ledger", "quote", "LEDGER", HUGE),
    "ledger reserve": ("ledger", "reserve", "LEDGER", HUGE),
    "ledger what-if": ("ledger", "what-if", "LEDGER", HUGE),
    "ledger verify": ("ledger", "verify", "LEDGER", "--head", "0" * 64),
}


@pytest.mark.parametrize("name", NOT_ZERO)
def test_whatever_exits_with_one_says_why_in_its_first_lines(run: Run, survey: Path, certificate: Path, name: str) -> None:
    content = survey.read_text(encoding="utf-8").replace('"approx"\nepsilon = "4"\ndelta = "1e-6"', '"zcdp"\nrho = "1"')
    texts = {
        "PLAN": content,
        "EXCEEDED": content.replace('rho = "1"', 'rho = "0.01"').replace("first", "second"),
        "VACUOUS": NOTHING_LEFT,
    }
    words = {word: survey.with_name(f"{word.lower()}.toml") for word in texts}
    for word, text in texts.items():
        words[word].write_text(text, encoding="utf-8")
    words |= {"CERTIFICATE": certificate, "LEDGER": survey.with_name("l"), "OTHER": survey.with_name("o")}
    if "LEDGER" in NOT_ZERO[name]:
        assert run("ledger", "open", words["LEDGER"], "--neighbours", "add-remove", "--budget", "zcdp rho=1").exit_code == 0
    result = run(*(words.get(word, word) for word in NOT_ZERO[name]))
    assert result.exit_code == 1, result.output
    assert any(line.startswith("exit status 1: ") for line in result.stdout.splitlines()[:2])
