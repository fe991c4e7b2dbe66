"""Every example in the documentation is run, and prints what the page shows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.docs_blocks import ROOT, blocks, included, pages, run, updated, written

PAGES = pages()


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


def test_the_tutorial_shows_all_of_the_distribution_that_is_tested() -> None:
    page = (ROOT / "docs/tutorial/first-mechanism.md").read_text("utf-8")
    source = (ROOT / "tests/third_party/accountant-carousel/accountant_carousel.py").read_text("utf-8")
    assert all(file.is_file() for file in included(page))
    cuts = re.findall(r':(start-at|end-before): "(.*)"', page)
    assert [kind for kind, _ in cuts] == ["end-before", "start-at", "end-before", "start-at"]
    assert cuts[0][1] == cuts[1][1]
    assert cuts[2][1] == cuts[3][1]
    assert all(source.count(text) == 1 for _, text in cuts)


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


def test_every_plan_on_a_page_is_a_plan() -> None:
    from accountant import PlanError, read_plan
    from accountant.ledger import read_terms

    refused = []
    for page in written():
        for block in blocks(page.read_text("utf-8")):
            if block.language == "toml" and "[specification]" in block.body:
                data = tomllib.loads(block.body)
                if "table" in data:
                    continue  # it needs the table beside it, and the page runs it
                try:
                    read_plan(data) if "release" in data else read_terms(data)
                except PlanError:
                    refused.append(block.body.splitlines()[0])
    assert refused == ["# faulty.toml"]
