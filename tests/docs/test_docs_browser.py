"""Every page of the documentation in a browser, as it is built: nothing overflows, fails or shows a raw formula."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.cli.test_report_browser import WIDTHS, executable
from tests.docs.docs_blocks import DOCS

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("browser")]

RAW = r"""() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = []
  const formula = /\\\(|\\\[|\$[^$\s][^$]*\$|\\(frac|mathsf|varepsilon|epsilon|delta|le|ge|cdot)\b/
  while (texts.nextNode()) {
    const near = texts.currentNode.parentElement
    if (near && !near.closest('pre, code, script, style, annotation') && formula.test(texts.currentNode.textContent))
      found.push(texts.currentNode.textContent.slice(0, 80))
  }
  return found
}"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole documentation, built as it is for readers."""
    folder = tmp_path_factory.mktemp("docs")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-n", str(DOCS), str(folder)], check=True, timeout=1200)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.parametrize(("width", "scheme"), list(product(WIDTHS.values(), ("light", "dark"))))
def test_every_page_is_readable_everywhere(browser: Browser, built: Path, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)  # type: ignore[arg-type]
    page, said, troubles = context.new_page(), [], {}
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    files = [file for file in sorted(built.rglob("*.html")) if not {"_static", "_modules"} & set(file.parts)]
    assert len(files) > 100
    for file in files:
        said.clear()
        page.goto(file.as_uri())
        wider = page.evaluate("document.documentElement.scrollWidth") - width
        found = [*said, *page.evaluate(RAW), *([f"{wider} pixels too wide"] if wider > 0 else [])]
        if found:
            troubles[str(file.relative_to(built))] = found
    context.close()
    assert troubles == {}
