"""`accountant compare --output`: promises side by side as a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
PROMISE = """
title = "{title}"
[specification]
neighbours = "add-remove"
[[budget]]
divergence = "pure"
epsilon = "{epsilon}"
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    written = []
    for title, epsilon in (("strict", "1"), ("loose", "3")):
        written.append(tmp_path / f"{title}.toml")
        written[-1].write_text(PROMISE.format(title=title, epsilon=epsilon), "utf-8")
    return written


def test_a_page_says_first_what_follows_from_what(run: Run, files: list[Path]) -> None:
    target = files[0].with_name("page.html")
    result = run("compare", *files, "--output", target)
    assert (result.exit_code, result.stdout) == (0, f"Page: {target}\n")
    page = target.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert page.index("Whatever keeps the promise of strict keeps that of loose.") < page.index("The five blocks")


def test_the_page_has_the_verdicts_and_reasons_that_the_command_prints(run: Run, files: list[Path]) -> None:
    page = run("compare", *files, "--format", "markdown").stdout
    found = json.loads(run("compare", *files, "--json").stdout)["comparisons"]
    assert [item["verdict"] for item in found] == ["implied", "refuted"]
    assert "| strict | — | implied |" in page
    assert "| loose | refuted | — |" in page
    for item in found:
        for reason in item["reasons"]:
            if reason["verdict"] == item["verdict"]:
                assert reason["words"].split("'")[0].strip()[:40] in page.replace("\\", "")
    assert "**Guarantee: Does strict imply loose? implied**" in page
    assert "**Warning: Does loose imply strict? refuted**" in page


def test_the_exit_status_is_that_of_the_comparison(run: Run, files: list[Path]) -> None:
    assert run("compare", *reversed(files), "--output", files[0].with_name("page.html")).exit_code == 1
    assert run("compare", *files, "--output", files[0].with_name("page.html"), "--json").exit_code == 0


def test_what_is_refused(run: Run, files: list[Path]) -> None:
    result = run("compare", *files, "--format", "htlm")
    assert result.exit_code == 2
    assert "did you mean 'html'?" in result.stderr
    asked = run("compare", "--has", "pure epsilon=1", "--implies", "pure epsilon=2", "--format", "html")
    assert asked.exit_code == 2
    assert "a page is written about files" in asked.stderr
