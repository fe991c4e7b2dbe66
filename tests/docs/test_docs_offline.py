"""Formulas in the documentation are drawn by the browser itself, since agencies read it without a network."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[2] / "docs"
PAGE = r"""# Page

Inline $k^2 \rho$, and

$$g(d) = \begin{cases} \tfrac12 e^{-d} & d \ge 0 \\ 1 & d < 0 \end{cases}$$
"""


def test_a_formula_needs_no_network(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text(PAGE, encoding="utf-8")
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    renderer = re.search(r'^html_math_renderer = "(\w+)"$', settings, re.MULTILINE)
    assert renderer is not None
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(DOCS / '_ext')!r})\n"
        f"extensions = ['myst_parser', {renderer[1]!r}]\nhtml_math_renderer = {renderer[1]!r}\n"
        "myst_enable_extensions = ['dollarmath']\nhtml_theme = 'basic'\n",
        encoding="utf-8",
    )
    Sphinx(source, source, tmp_path / "out", tmp_path / "trees", "html", status=None, warningiserror=True).build()
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count("<math") == 2
    assert "<msup><mi>k</mi><mn>2</mn></msup>" in page
    assert not re.findall(r'<(?:script|link)[^>]+(?:src|href)="https?:', page)
