"""Every example in the documentation is run, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.docs_blocks import ROOT, blocks, included, pages, run, updated, written

PAGES = pages()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_shows_what_its_examples_print(page: Path, tmp_path: Path) -> None:
    for shown in run(page.read_text("utf-8"), tmp_path):
        assert shown.agrees, f"{shown.source}\nshown:\n{shown.wanted}\nprinted:\n{shown.got}"


def test_the_pages_with_examples_are_found() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"README.md", "docs/tutorial/first-plan.md", "docs/tutorial/first-mechanism.md"} <= names


def test_a_wrong_number_in_a_page_is_noticed(tmp_path: Path) -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert [shown.agrees for shown in run(page, tmp_path / "first")] == [False]
    assert "\n2\n" in updated(page, tmp_path / "second")


def test_a_wrong_exit_code_in_a_page_is_noticed(tmp_path: Path) -> None:
    page = "```console\n$ false\n$ echo $?\n0\n```\n"
    assert [shown.agrees for shown in run(page, tmp_path)] == [True, False]


def test_an_ellipsis_stands_for_any_text(tmp_path: Path) -> None:
    page = '```python\nprint("a long answer")\n```\n\n```text\na ... answer\n```\n'
    assert all(shown.agrees for shown in run(page, tmp_path))


@pytest.mark.parametrize("kind", ["mechanism", "definition", "risk-profile", "bridge"])
def test_the_lesson_shows_all_of_the_distribution_that_is_handed_out(kind: str) -> None:
    page = (ROOT / f"docs/tutorial/first-{kind}.md").read_text("utf-8")
    shown = included(page)
    assert all(file.is_file() for file in shown)
    (code,) = {file for file in shown if file.name == "__init__.py"}
    assert code.is_relative_to(ROOT / "accountant/cli/templates" / kind)
    source = code.read_text("utf-8")
    cuts = re.findall(r':(start-at|end-before): "(.*)"', page)
    ends, starts = (
        [text for kind, text in cuts if kind == "end-before"],
        [text for kind, text in cuts if kind == "start-at"],
    )
    assert ends == starts, "each part begins where the one before ends"
    places = [source.index(text) for text in ends]
    assert places == sorted(places)
    assert all(source.count(text) == 1 for text in ends)
    assert len([file for file in shown if file == code]) == len(ends) + 1


def test_the_readme_shows_the_plan_it_runs() -> None:
    shown = [block.body for block in blocks((ROOT / "README.md").read_text("utf-8")) if block.language == "toml"]
    assert [tomllib.loads(body) for body in shown] == [tomllib.loads((ROOT / "examples/survey.toml").read_text("utf-8"))]


def test_the_commands_of_the_readme_name_what_exists() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    commands = [block.body.strip() for block in blocks(page) if block.language == "sh"]
    assert len(commands) == 2
    for command in commands:
        assert all(list(ROOT.glob(plan)) for plan in re.findall(r"examples/[\w./*-]+", command))
        assert all(extra in project["optional-dependencies"] for extra in re.findall(r"\[(\w+)\]", command))
    under = page.split("## Run the tests")[1].split("## ")[0].strip()
    assert under == f"```sh\n{commands[1]}\n```"


@pytest.mark.slow
def test_what_the_readme_runs_first_succeeds(tmp_path: Path) -> None:
    (command,) = re.findall(r"```sh\n(.*certify.*)\n```", (ROOT / "README.md").read_text("utf-8"))
    calls = [call for call in command.split(" && ") if call.startswith(".venv/bin/accountant ")]
    assert len(calls) == 3
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    program = shlex.join([sys.executable, "-m", "accountant.cli"])
    for call in calls:
        words = call.replace(".venv/bin/accountant", program, 1)
        done = subprocess.run(words, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_every_plan_on_a_page_is_a_plan() -> None:
    from accountant import PlanError, read_plan
    from accountant.ledger import read_terms

    called_faulty, refused = [], []
    for page in written():
        for block in blocks(page.read_text("utf-8")):
            if block.language == "toml" and "[specification]" in block.body:
                data = tomllib.loads(block.body)
                if "table" in data:
                    continue  # it needs the table beside it, and the page runs it
                if block.body.startswith("# faulty.toml\n"):
                    called_faulty.append(block.body)
                try:
                    read_plan(data) if "release" in data else read_terms(data)
                except PlanError:
                    refused.append(block.body)
    assert refused == called_faulty != []
