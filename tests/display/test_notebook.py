"""The example notebook: executed, written as a page, and opened in a browser in either theme, at a desk and on a phone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.cli.test_report_browser import CONTRASTS, WIDTHS, Visit, executable

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

NOTEBOOK = Path(__file__).parents[2] / "examples" / "accounting.ipynb"
THEMES = ("light", "dark")
# A notebook's theme need not be what the system prefers.
VIEWS = [
    *((theme, width, theme) for theme, width in product(THEMES, WIDTHS.values())),
    ("light", 390, "dark"),
    ("dark", 390, "light"),
]
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

source, folder = sys.argv[1:]
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
nbformat.write(notebook, f"{folder}/executed.ipynb")
for theme in ("light", "dark"):
    exporter = HTMLExporter(theme=theme, mathjax_url="", require_js_url="", jquery_url="")
    with open(f"{folder}/{theme}.html", "w", encoding="utf-8") as file:
        file.write(exporter.from_notebook_node(notebook)[0])
"""
CARD_CONTRASTS = CONTRASTS.replace("() =>", "card =>", 1).replace("document.body", "card", 1)


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the notebook as it ran, and a page of it in either theme."""
    folder = tmp_path_factory.mktemp("notebook")
    settings = {
        name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
    }
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(NOTEBOOK), str(folder)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield started
        started.close()


def outputs(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


def test_the_notebook_is_shipped_without_what_it_printed() -> None:
    assert outputs(NOTEBOOK) == []
    assert 'execution_count": 1' not in NOTEBOOK.read_text("utf-8")


def test_every_cell_runs_and_warns_of_nothing(executed: Path) -> None:
    found = outputs(executed / "executed.ipynb")
    assert {output["output_type"] for output in found} == {"execute_result", "display_data"}
    shown = "\n".join("".join(output["data"].get("text/html", "")) for output in found)
    assert "epsilon = 5.19258 to 5.19259 at delta = 1e-5" in shown
    assert shown.count('<div class="accountant-card">') == 6
    assert ">kept</b>DP-SGD" in shown
    assert sum("image/png" in output["data"] for output in found) == 2


def test_the_notebook_runs_in_marimo_too(tmp_path: Path) -> None:
    """Converted by marimo itself, and run by it: the same cards, and nothing that fails."""
    marimo, script, page = [sys.executable, "-m", "marimo"], tmp_path / "accounting.py", tmp_path / "page.html"
    settings = {
        name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR")
    }
    for command in (["convert", str(NOTEBOOK), "-o", str(script)], ["export", "html", str(script), "-o", str(page)]):
        done = subprocess.run(
            [*marimo, *command],
            cwd=tmp_path,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    shown = page.read_text("utf-8")
    assert "Traceback" not in shown
    assert "epsilon = 5.19258 to 5.19259 at delta = 1e-5" in shown
    assert len(re.findall(r"<div class=\W*accountant-card", shown.replace("\\u003C", "<").replace("\\u003c", "<"))) == 6


@pytest.mark.parametrize(("theme", "width", "scheme"), VIEWS)
def test_cards_are_readable_in_any_theme(browser: Browser, executed: Path, theme: str, width: int, scheme: str) -> None:
    visit = Visit(browser, executed / f"{theme}.html", width, scheme)
    try:
        page = visit.page
        assert visit.troubles == []
        assert [address for address in visit.requests if not address.startswith(("file:", "data:"))] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cards = page.query_selector_all(".accountant-card")
        assert len(cards) == 6
        for card in cards:
            for summary in card.query_selector_all("summary"):
                summary.click()
            assert card.evaluate("card => card.scrollWidth <= card.clientWidth + 1")
            low = [(ratio, text) for ratio, text in card.evaluate(CARD_CONTRASTS) if ratio < 4.5]
            assert not low, low
            assert card.evaluate(
                "card => [...card.querySelectorAll('td')].every(e => getComputedStyle(e).textAlign == 'left')"
            )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        visit.context.close()
