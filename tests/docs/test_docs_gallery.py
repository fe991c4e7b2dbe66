"""What the gallery shows is written while the documentation is built."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.docs.docs_blocks import DOCS

sys.path.insert(0, str(DOCS / "_ext"))
import gallery

pytestmark = pytest.mark.slow


def test_everything_the_gallery_links_to_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "PLANS", ("survey",))
    page = gallery.expand((DOCS / "gallery.md").read_text("utf-8"))
    linked = set(re.findall(r'"gallery/([^"]+)"', page))
    assert "<!-- gallery" not in page
    assert {"survey.public.html", "training-run-light.svg", "training-run-dark.svg"} <= linked
    gallery.write(tmp_path)
    for report in tmp_path.glob("survey.*.html"):
        brief = report.name == "survey.summary.html"
        content = report.read_text("utf-8")
        assert "CERTIFICATE" not in content
        assert "PLAN" not in content
        beside = re.findall(r'href="([^"#:]+)"', content)
        assert brief or {"survey.toml", "survey.certificate.json"} <= set(beside)
        assert all((tmp_path / file).is_file() for file in beside)
        assert "accountant verify survey.certificate.json survey.toml" in content or brief
    assert {file.name for file in tmp_path.iterdir()} == linked
    assert all(file.stat().st_size > 1000 for file in tmp_path.iterdir() if file.suffix in (".html", ".svg"))


def test_the_front_pages_show_the_first_figure_for_light_and_dark() -> None:
    for page in (DOCS / "index.md", DOCS.parent / "README.md"):
        text = page.read_text("utf-8")
        for file in gallery.FIGURES[0].files().values():
            assert f"_static/{file}" in text
            assert (DOCS / "_static" / file).is_file()
