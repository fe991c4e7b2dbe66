"""Reports opened in a real browser: at a desk and on a phone, by day and by night, on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, sync_playwright

from accountant.cli import main
from tests.programs import program

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

CENSUS = Path(__file__).parents[2] / "examples" / "census-2020.toml"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
AUDIENCES = ("public", "policy", "technical")
METHODS = Path(__file__).parents[2] / "examples" / "census-methods"
PROMISES = ("topdown", "swapping", "safetab")
PAGES = (*AUDIENCES, "census", "spanish", "compare")
WIDTHS = {"desk": 1280, "phone": 390}
PLAN = """
title = "Health survey"
[publication]
publisher = "County Office of Statistics and of a good many other things that have to be counted"
date = "2026-11-17"
contact = "privacy@example.org"
link = "https://example.org/an/address/that/is/so/long/that/it/does/not/fit/into/one/line/of/any/telephone"
[specification]
neighbours = "replace-one"
invariants = ["number of people"]
[[budget]]
divergence = "zcdp"
rho = "0.5"
[[release]]
name = "smokers by county, a table with a long name that has to go somewhere"
query = { kind = "histogram", attributes = ["smoking", "county"] }
mechanism = { kind = "gaussian", sigma = "2" }
[[release]]
name = "age by county"
query = { kind = "histogram", attributes = [
  "age", "county", "thelongestcompoundnounthatanystatisticalofficehaseverputintoaquestionnairewithoutasinglehyphen"
] }
mechanism = { kind = "gaussian", sigma = "3" }
[[scenario]]
name = "S"
attributes = ["smoking"]
[[scenario]]
name = "W"
attributes = ["county"]
[[scenario]]
name = "A"
attributes = ["age"]
[[scenario]]
name = "L"
attributes = ["thelongestcompoundnounthatanystatisticalofficehaseverputintoaquestionnairewithoutasinglehyphen"]
"""

CONTRASTS = """() => {
  const parse = text => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const linear = x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
  const light = c => .2126 * linear(c[0] / 255) + .7152 * linear(c[1] / 255) + .0722 * linear(c[2] / 255);
  const ground = node => {
    for (let e = node; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility() || ["title", "desc"].includes(e.tagName)) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(parse(e.namespaceURI.includes("svg") ? style.fill : style.color)), light(ground(e))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    found.push([ratio, walker.currentNode.data.trim().slice(0, 40)]);
  }
  return found;
}"""


def executable() -> str:
    """A browser of the system."""
    return program(*BROWSERS, package="chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report for each audience on a small plan, one in Spanish, that for the public on the census, and a comparison."""
    folder = tmp_path_factory.mktemp("reports")
    plan = folder / "plan.toml"
    plan.write_text(PLAN, "utf-8")
    files = {name: folder / f"{name}.html" for name in PAGES}
    written = {name: ["report", str(plan), "--audience", name] for name in AUDIENCES}
    written["census"] = ["report", str(CENSUS)]
    written["spanish"] = ["report", str(plan), "--audience", "policy", "--language", "es"]
    written["compare"] = ["compare", *(str(METHODS / f"{name}.toml") for name in PROMISES)]
    for name, file in files.items():
        result = CliRunner().invoke(main, [*written[name], "--output", str(file)])
        assert result.exit_code == 0, result.output
    return files


class Visit:
    """A page opened once, with everything that went wrong on the way."""

    def __init__(self, browser: Browser, file: Path, width: int, scheme: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page: Page = self.context.new_page()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())


@pytest.fixture
def visit(browser: Browser, reports: dict[str, Path]) -> Iterator[Any]:
    opened: list[Visit] = []

    def call(name: str, width: int = 1280, scheme: str = "light") -> Visit:
        opened.append(Visit(browser, reports[name], width, scheme))
        return opened[-1]

    yield call
    for item in opened:
        item.context.close()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        pytest.param(WIDTHS["desk"], "light", id="desk-light"),
        pytest.param(WIDTHS["phone"], "dark", id="phone-dark"),
        pytest.param(WIDTHS["desk"], "dark", id="desk-dark", marks=pytest.mark.sweep),
        pytest.param(WIDTHS["phone"], "light", id="phone-light", marks=pytest.mark.sweep),
    ],
)
def test_a_report_is_readable_everywhere(visit: Any, name: str, width: int, scheme: str) -> None:
    opened = visit(name, width, scheme)
    page = opened.page
    assert opened.troubles == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    page.evaluate("document.querySelectorAll('details').forEach(item => item.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 50
    assert [words for ratio, words in contrasts if ratio < 4.5] == []
    shown = page.evaluate(
        "[...document.querySelectorAll('.wide, .narrow')].filter(e => e.checkVisibility()).map(e => e.className)"
    )
    if name == "compare":
        assert shown == []
        return
    assert set(shown) == {"wide" if width > 600 else "narrow"}
    letters = page.evaluate(
        "[...document.querySelectorAll('figure svg text')].filter(e => e.checkVisibility())"
        ".map(e => parseFloat(getComputedStyle(e).fontSize) * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b))"
    )
    assert min(letters) >= 10.5


def test_pale_words_would_be_noticed(visit: Any) -> None:
    page = visit("public").page
    page.add_style_tag(content=".subtitle { color: #999 }")
    assert [words for ratio, words in page.evaluate(CONTRASTS) if ratio < 4.5] == [
        "What this publication can tell anyone ab"
    ]


def test_dark_pages_are_dark(visit: Any) -> None:
    grounds = [
        visit("public", 1280, scheme).page.evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert sum(map(int, grounds[0].strip("rgb()").split(","))) > 700
    assert sum(map(int, grounds[1].strip("rgb()").split(","))) < 100


@pytest.mark.parametrize("name", AUDIENCES)
def test_those_who_hear_a_report_find_their_way(visit: Any, name: str) -> None:
    page = visit(name).page
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.evaluate("document.documentElement.lang") == "en"
    figures = page.locator("figure")
    assert figures.count() >= 2
    for number in range(figures.count()):
        figure = page.get_by_role("group", name=f"Figure {number + 1} ")
        assert figure.get_by_role("img", name=re.compile(r"\w+ .*\.$")).count() == 1
        figure.locator("summary").click()
        assert figure.get_by_role("table").count() == 1
        assert figure.get_by_role("rowheader").count() >= 1
    assert page.get_by_role("main").count() == 1


def test_a_translated_page_says_so_and_draws_in_its_language(visit: Any) -> None:
    page = visit("spanish").page
    assert page.evaluate("document.documentElement.lang") == "es"
    assert page.get_by_role("group", name="Figura 1 ").count() == 1
    ticks = page.evaluate("[...document.querySelectorAll('figure svg text')].map(e => e.textContent.trim())")
    assert "50\u00a0%" in ticks
    assert "50%" not in ticks


def test_a_page_links_to_whom_to_ask_and_to_what_to_check_it_with(visit: Any) -> None:
    page = visit("public").page
    targets = page.evaluate("[...document.querySelectorAll('a:not(nav a, .skip)')].map(e => e.getAttribute('href'))")
    assert {"mailto:privacy@example.org", "plan.toml", "plan.certificate.json"} <= set(targets)
    assert "accountant verify plan.certificate.json plan.toml" in page.locator("main").inner_text()


def test_a_curve_has_no_corners_that_its_law_does_not_have(visit: Any) -> None:
    """Between a point and the next one the direction turns by less than 25 degrees, on the page."""
    page = visit("census").page
    turns = page.evaluate(
        """() => [...document.querySelectorAll('.wide path[style*="--series-1"]')].map(path => {
          const points = (path.getAttribute('d').match(/[-\\d.]+ [-\\d.]+/g) || []).map(p => p.split(' ').map(Number));
          const angles = points.slice(1).map((p, i) => Math.atan2(p[1] - points[i][1], p[0] - points[i][0]));
          return Math.max(...angles.slice(1).map((a, i) => Math.abs(a - angles[i]) * 180 / Math.PI));
        })"""
    )
    assert turns
    assert max(turns) < 25


def test_the_keyboard_reaches_the_content_first(visit: Any) -> None:
    page = visit("policy").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") == 0
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash === '#content'")
    assert page.locator("nav a").count() == page.locator("main > section > h2").count()


def test_wide_tables_scroll_in_a_place_of_their_own(visit: Any) -> None:
    page = visit("technical", 390).page
    page.evaluate("document.querySelectorAll('details').forEach(item => item.open = true)")
    scrolling = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    assert scrolling > 0
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(e => e.tabIndex === 0 && e.getAttribute('aria-labelledby'))"
    )


def test_a_printed_report_is_light_and_whole(visit: Any) -> None:
    page = visit("technical", 1280, "dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()") == "#1d2329"
    assert not page.locator("nav").is_visible()
    assert len(page.pdf()) > 20_000


def test_a_reader_finds_what_the_census_means_for_her(visit: Any) -> None:
    """Without knowing what rho is. The numbers: Phi(sqrt(2 rho)/2), rho 1.01029 for race and .111501 for her block."""
    page = visit("census", 390).page
    said = " ".join(page.locator("main").inner_text().split())
    assert (
        "About Jessie’s race, the best possible guess is right for at most 77 of 100 people. A coin is right for 50."
        in said
    )
    assert (
        "About Jessie’s block, as far as exactly published facts do not tell it already, the best possible guess is right "
        "for at most 60 of 100 people. A coin is right for 50." in said
    )
    assert "state populations" in said
    assert "These are limits for all who know the others" in said
    assert "rho" not in said.split()
    assert "rho of at most 2.63" in " ".join(page.locator("footer").inner_text().split())
