"""Documents written down: nothing is lost, nothing in a name acts as markup, and pages stand on their own."""

from __future__ import annotations

import builtins
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from accountant import default_registry
from accountant.commands import write_page
from accountant.errors import AccountantError
from accountant.plugin import RENDERERS
from accountant.report import (
    Aside,
    Axis,
    Bar,
    Bars,
    Callout,
    Code,
    Curves,
    Definitions,
    Document,
    Frequencies,
    Frequency,
    Items,
    KeyFigure,
    KeyFigures,
    Listing,
    Paragraph,
    Section,
    Series,
    Strong,
    Table,
)

NASTY = "<script>alert('x')</script> | **a** _b_ [c](d) `e` & \"f\""
TABLE = Table("numbers", ("what", "how many"), (("first", "1"), ("second", "20"), ("short",)))
CURVES = Curves(
    "A curve",
    "It rises & rises.",
    Axis("before", "share", 0.0, 1.0),
    Axis("after", "share", 0.0, 1.0),
    (
        Series("band", ((0.0, 0.0, 0.2), (0.5, 0.4, 0.7), (1.0, 0.9, 1.0))),
        Series("line", ((0.0, 0.1, 0.1), (1.0, 0.3, 0.3))),
        Series("nothing to draw", ((0.5, float("inf"), float("inf")),)),
    ),
    TABLE,
    Series("same", ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))),
)
LOGARITHMIC = Curves(
    "Tails",
    "They fall.",
    Axis("x"),
    Axis("chance", "logarithmic", 1e-6, 1.0),
    (Series("s", ((1.0, 1e-3, 1e-3), (2.0, 1e-5, 1e-5))),),
    TABLE,
)
BARS = Bars(
    "Bars",
    "One is longer.",
    Axis("share", "share", 0.0, 1.0),
    (Bar("a", 0.75, "75%"), Bar("b", 0.4, "40%")),
    TABLE,
    (0.5, "half", "more"),
)
DOTS = Frequencies(
    "Dots",
    "Some are marked.",
    (Frequency("a", 77), Frequency("b", 50), Frequency("c", 100)),
    50,
    ("usual", "more", "rest"),
    TABLE,
)
EVERYTHING = Document(
    f"Title {NASTY}",
    (
        Paragraph(("plain ", Strong("strong"), " ", Code("co`de"))),
        KeyFigures((KeyFigure("77 of 100", "label", "note"),)),
        Section(
            f"Section {NASTY}",
            (
                Items(("one", ("two ", Strong("bold")))),
                Definitions((("term", "meaning"),)),
                Listing("accountant report plan.toml\nsecond line"),
                Callout("simulation", "one attacker", (Paragraph("not a bound"), TABLE)),
                Callout("guarantee", "everyone", (Paragraph("a bound"),)),
                Section("Inner", (CURVES, LOGARITHMIC, BARS, DOTS)),
                Aside("more", (TABLE, Paragraph("hidden"))),
            ),
        ),
    ),
    "what it is about",
    (("small ", Code("print")),),
)
SAID = """strong|77 of 100|note|two|bold|term|meaning|second line|one attacker|not a bound|It rises|They fall.|Some are
marked.|hidden|label|what it is about|small|20""".replace("\n", " ").split("|")


def rendered(name: str, document: Document = EVERYTHING) -> str:
    return default_registry()[RENDERERS][name].render(document)


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(content)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", ["html", "json", "markdown", "text"])
def test_nothing_is_lost(name: str) -> None:
    content = rendered(name)
    assert [words for words in SAID if words not in content] == []
    assert rendered(name) == content


def test_names_do_not_act_as_markup_in_markdown() -> None:
    content = rendered("markdown")
    assert "\\<script\\>" in content
    assert "\\*\\*a\\*\\*" in content
    assert "`` co`de ``" in content
    assert "> **Simulation: one attacker**" in content
    (row,) = [line for line in content.splitlines() if line.startswith("| short")][:1]
    assert row.count("|") == 3


def test_json_says_what_every_part_is() -> None:
    data = json.loads(rendered("json"))
    assert data["kind"] == "document"
    figures = data["blocks"][2]["blocks"][5]["blocks"]
    assert [figure["kind"] for figure in figures] == ["curves", "curves", "bars", "frequencies"]
    assert figures[0]["series"][0]["points"][1] == [0.5, 0.4, 0.7]
    assert figures[0]["series"][2]["points"] == [[0.5, "inf", "inf"]]
    assert figures[2]["table"]["rows"][1] == ["second", "20"]


def test_a_page_is_whole_and_stands_alone() -> None:
    content = rendered("html")
    page = Page(content)
    assert page.open == []
    assert not {"script", "iframe", "img", "object"} & {tag for tag, _ in page.tags}
    assert NASTY in page.text
    fetched = [
        value for _, attributes in page.tags for key, value in attributes.items() if key in ("src", "href", "xlink:href")
    ]
    assert all(value is not None and value.startswith(("#", "data:")) for value in fetched)
    assert "http" not in re.sub(r"http-equiv|xmlns(:\w+)?=\"[^\"]*\"", "", content)
    assert not re.findall(r"#0102[0-9a-f]{2}", content)


def test_a_page_has_unique_names_and_every_reference_leads_to_one() -> None:
    page = Page(rendered("html"))
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    referred = [name for _, attributes in page.tags for name in (attributes.get("aria-labelledby") or "").split()]
    anchors = [str(value)[1:] for _, attributes in page.tags if (value := attributes.get("href")) and value.startswith("#")]
    clips = re.findall(r"url\(#([^)]*)\)", rendered("html"))
    assert {*referred, *anchors, *clips} <= set(names)
    assert clips


def test_every_figure_has_a_name_words_and_a_table() -> None:
    content = rendered("html")
    figures = re.findall(r"<figure .*?</figure>", content, re.DOTALL)
    assert len(figures) == 4
    for figure in figures:
        assert 'role="group" aria-labelledby="figure-' in figure
        assert 'role="img"' in figure
        assert "<details><summary>The numbers behind this figure</summary>" in figure
        assert figure.count("<tr>") == 4
    for drawing in re.findall(r'<svg [^>]*role="img".*?</svg>', content, re.DOTALL):
        assert re.search(r"<title id=\"[^\"]*\">\w.*?</title><desc id=\"[^\"]*\">\w.*?</desc>", drawing)


def test_dots_are_marked_as_often_as_counted() -> None:
    drawn = re.findall(r'<path class="(\w+)" d="([^"]*)"', rendered("html"))
    counts = [(kind, outline.count("M")) for kind, outline in drawn]
    assert counts == [
        ("usual", 50), ("beyond", 27), ("rest", 23),
        ("usual", 50), ("beyond", 0), ("rest", 50),
        ("usual", 50), ("beyond", 50), ("rest", 0),
    ]  # fmt: skip


def test_a_missing_extra_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.split(".")[0] == "jinja2":
            raise ModuleNotFoundError("No module named 'jinja2'", name="jinja2")
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(AccountantError, match=r"'jinja2' is not installed.*pip install 'privacy-accountant\[reports\]'"):
        rendered("html")
    assert rendered("markdown")


def test_markdown_marks_stand_against_words_and_names_start_no_list() -> None:
    document = Document(
        "a",
        (
            Paragraph((Strong("Complete. "), "Nothing else.")),
            Items(("- dash", "1. Population", "costs $1 and $2 &lt; 3", "0.5", "---")),
            Paragraph((Code("abc"), ". More.")),
        ),
    )
    content = rendered("markdown", document)
    assert "**Complete.** Nothing else." in content
    assert "- \\- dash\n- 1\\. Population\n- costs \\$1 and \\$2 \\&lt; 3\n- 0.5\n- \\---\n" in content
    assert "`abc`. More." in content


def test_a_curve_of_one_place_is_a_dot(tmp_path: Path) -> None:
    """A line from a place to itself is nothing to see."""
    alone = evolve(CURVES, series=(Series("alone", ((0.0, 0.4, 0.4),)),), reference=None)
    none = evolve(alone, series=(Series("alone", ((0.0, float("nan"), float("nan")),)),))
    drawn, empty = (rendered("html", Document("d", (figure,))) for figure in (alone, none))
    assert drawn.count("<use") > empty.count("<use")
    for name, figure in (("drawn", alone), ("empty", none)):
        write_page(name, tmp_path, {}, Document("d", (figure,)), [figure])
    svg = {name: (tmp_path / f"{name}-figure-1.svg").read_text(encoding="utf-8") for name in ("drawn", "empty")}
    assert svg["drawn"].count("<use") > svg["empty"].count("<use")


def test_no_two_of_many_curves_look_the_same() -> None:
    several = tuple(Series(f"curve {number}", ((0.0, 0.1, 0.1), (1.0, 0.2, 0.2))) for number in range(14))
    page = rendered("html", Document("Many", (evolve(CURVES, series=several, reference=None),)))
    keys = re.findall(r'style="stroke: (var\(--series-\d\)); stroke-dasharray: ([^"]*)"/></svg>curve', page)
    assert len(keys) == 14
    assert len(set(keys)) == 14
