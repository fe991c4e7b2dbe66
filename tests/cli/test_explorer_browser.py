"""The explorer in a real browser: every control, every sentence, and no number that Python did not enclose."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, sync_playwright

import accountant as ac
from accountant.cli import main
from accountant.report import Explorer
from accountant_posterior.explorer.report import explorer
from accountant_posterior.reports.view import views
from tests.cli.test_report_browser import CONTRASTS, Visit, executable

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

PLAN = """
title = "Survey"
[specification]
neighbours = "replace-one"
invariants = ["number of people"]
[[budget]]
divergence = "zcdp"
rho = "0.1"
[[release]]
name = "smokers"
query = { kind = "histogram", attributes = ["smoking", "a {prior} </script><script>evil()</script>"] }
mechanism = { kind = "gaussian", sigma = "5" }
[[scenario]]
name = "S"
attributes = ["smoking"]
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explorer")
    (folder / "plan.toml").write_text(PLAN, "utf-8")
    done = CliRunner().invoke(main, ["report", str(folder / "plan.toml"), "--audience", "explorer"])
    assert done.exit_code == 0, done.output
    return folder / "plan.explorer.html"


@pytest.fixture(scope="module")
def expected(file: Path) -> Explorer:
    """What Python says, from the account."""
    account = ac.account(ac.load_plan(file.with_name("plan.toml")))
    return explorer(account, views(account))


@pytest.fixture(scope="module")
def visit(browser: Browser, file: Path) -> Iterator[Visit]:
    opened = Visit(browser, file, 1280, "light")
    yield opened
    opened.context.close()


_GO = "hash => { location.hash = hash; dispatchEvent(new HashChangeEvent('hashchange')); }"
_SAID = """Object.fromEntries([...document.querySelectorAll("[data-sentence]")]
  .map(item => [item.dataset.sentence, item.textContent]))"""
_BOXES = """number => [...document.querySelectorAll(`[data-chart="${number}"] .band`)]
  .map(box => [box.y.baseVal.value, box.height.baseVal.value])"""
_UNNAMED = """[...document.querySelectorAll("input, select, button")]
  .filter(item => !(item.labels?.length || item.ariaLabel || item.textContent)).length"""


def address(page: Explorer, state: dict[str, Any]) -> str:
    return "&".join(f"{name}={value}" for name, value in state.items() if value != page.start[name])


def differences(page: Page, expected: Explorer, state: dict[str, Any]) -> list[str]:
    """Sentences of the page that are not those of Python at a setting."""
    page.evaluate(_GO, address(expected, state))
    shown = page.evaluate(_SAID)
    wanted = {sentence.name: expected.said(sentence, state) for sentence in expected.sentences}
    assert shown.keys() == wanted.keys()
    return [name for name, text in wanted.items() if shown[name] != text]


def states(expected: Explorer, number: int) -> Iterator[dict[str, Any]]:
    """Random settings: at nodes and between them."""
    rng = random.Random(11)
    for _ in range(number):
        options = {choice.name: rng.randrange(len(choice.options)) for choice in expected.choices}
        typed = {
            dial.name: rng.choice(
                (rng.choice(dial.nodes), f"{rng.uniform(float(dial.nodes[0]), float(dial.nodes[-1])):.3f}")
            )
            for dial in expected.dials
        }
        yield {**options, **typed}


def test_every_sentence_is_that_of_the_account_at_every_setting(visit: Visit, expected: Explorer) -> None:
    for state in states(expected, 120):
        assert differences(visit.page, expected, state) == [], state
    assert visit.troubles == []
    assert [url for url in visit.requests if not url.startswith(("file:", "data:"))] == []


def test_a_wrong_node_would_be_noticed(visit: Visit, expected: Explorer) -> None:
    grid = next(grid for grid in expected.grids if grid.name == "power")
    other = tuple((place + 1) % len(grid.texts) for place in grid.high)
    wrong = attrs.evolve(
        expected, grids=tuple(attrs.evolve(each, high=other) if each is grid else each for each in expected.grids)
    )
    assert "power" in differences(visit.page, wrong, dict(expected.start))


def test_every_control_moves_what_is_said_and_the_address(visit: Visit, expected: Explorer) -> None:
    page = visit.page
    page.get_by_role("button", name="As planned").click()
    state = dict(expected.start)
    for choice in expected.choices:
        page.get_by_label(choice.label).select_option(index=len(choice.options) - 1)
        state[choice.name] = len(choice.options) - 1
        assert _shown(page) == _wanted(expected, state)
    for dial in expected.dials:
        slider = page.locator(f"[data-dial={dial.name}]")
        slider.focus()
        page.keyboard.press("ArrowRight")
        state[dial.name] = dial.nodes[dial.nodes.index(dial.start) + 1]
        assert slider.get_attribute("aria-valuetext") == f"{state[dial.name]}{dial.unit}"
        typed = page.locator(f"input[name={dial.name}]")
        assert typed.input_value() == state[dial.name]
        typed.fill("12.345")
        state[dial.name] = "12.345"
        assert _shown(page) == _wanted(expected, state)
        assert f"{dial.name}=12.345" in page.url
    typed.fill("1e-3")
    assert typed.get_attribute("aria-invalid") == "true"
    assert _shown(page) == _wanted(expected, state)
    again = page.url
    page.get_by_role("button", name="As planned").click()
    assert _shown(page) == _wanted(expected, dict(expected.start))
    page.goto("about:blank")
    page.goto(again)
    assert _shown(page) == _wanted(expected, state)
    for nonsense in ("#scenario=99&prior=-3&level=x", "#profile=1-2-3", "#__proto__=1&constructor=2"):
        page.goto("about:blank")
        page.goto(again.partition("#")[0] + nonsense)
        assert _shown(page) == _wanted(expected, dict(expected.start))
    assert visit.troubles == []


def _shown(page: Page) -> dict[str, str]:
    return {
        item.get_attribute("data-sentence") or "": item.text_content() or ""
        for item in page.locator("[data-sentence]").all()
    }


def _wanted(expected: Explorer, state: dict[str, Any]) -> dict[str, str]:
    return {sentence.name: expected.said(sentence, state) for sentence in expected.sentences}


def test_charts_draw_the_ends_of_every_step_and_nothing_else(visit: Visit, expected: Explorer) -> None:
    page = visit.page
    page.get_by_role("button", name="As planned").click()
    for number, chart in enumerate(expected.charts):
        dial = next(dial for dial in expected.dials if dial.name == chart.dial)
        grid = next(grid for grid in expected.grids if grid.name == chart.grid)
        boxes = page.evaluate(_BOXES, number)
        assert len(boxes) == len(dial.nodes) - 1
        for (top, height), left, right in zip(boxes, dial.nodes, dial.nodes[1:], strict=False):
            low = grid.values[expected.read(grid.name, {**expected.start, dial.name: left})[0]]
            high = grid.values[expected.read(grid.name, {**expected.start, dial.name: right})[1]]
            assert top == pytest.approx(260 - 46 - high * (260 - 12 - 46), abs=1e-3)
            assert height == pytest.approx(max(1, (high - low) * (260 - 12 - 46)), abs=1e-3)
        assert page.locator(f"[data-chart='{number}']").get_attribute("aria-label").startswith(chart.title)  # type: ignore[union-attr]


def test_a_profile_is_drawn_and_bets_find_one(visit: Visit, expected: Explorer) -> None:
    page, wish = visit.page, expected.wish
    assert wish is not None
    page.get_by_role("button", name="As planned").click()
    width = len(wish.tolerances)

    def answered(chosen: list[int]) -> tuple[int, str]:
        places = [row * width + column for row, column in enumerate(chosen)]
        worst = min(range(len(places)), key=lambda row: (wish.reach[places[row]], wish.epsilon[places[row]]))
        return worst, wish.texts[wish.epsilon[places[worst]]]

    chosen = list(wish.start)
    slider = page.locator("[data-wish='2']")
    slider.focus()
    page.keyboard.press("ArrowRight")
    chosen[2] += 1
    row, epsilon = answered(chosen)
    answer = page.locator("[data-answer]")
    assert answer.inner_text() == (
        f"Pure differential privacy with an epsilon of {epsilon} keeps this profile; those who believe {wish.priors[row]}% "
        "decide it."
    )
    assert "profile=" + "-".join(map(str, chosen)) in page.url
    place = row * width + chosen[row]
    kept = expected.read("gain", expected.start)[1] <= wish.reach[place]
    assert ("these releases keep it" in page.locator("[data-kept]").inner_text()) is kept
    page.locator("[data-wish='6']").fill("0")
    assert answer.inner_text().startswith("No epsilon keeps this profile: it asks that those who believe 90% believe less")
    # Whoever accepts every bet tolerates everything.
    page.get_by_role("button", name="Ask me").click()
    questions = 0
    while page.get_by_role("button", name="Acceptable", exact=True).is_visible():
        assert re.search(r"would stake [\d.]+ cents\?", page.locator("[data-question]").inner_text())
        assert page.evaluate("document.activeElement.textContent") == "Acceptable"
        page.keyboard.press("Enter")
        questions += 1
    assert 7 * 2 <= questions <= 7 * 5
    assert answer.inner_text() == "This profile asks for nothing: any belief is tolerated."
    assert page.locator("[data-kept]").inner_text().startswith("As set above, these releases keep it")
    # Whoever accepts none tolerates no more than what was believed.
    page.get_by_role("button", name="Ask me").click()
    while page.get_by_role("button", name="Not acceptable").is_visible():
        page.get_by_role("button", name="Not acceptable").click()
    assert answer.inner_text().startswith("Pure differential privacy with an epsilon of 0 keeps this profile")
    assert visit.troubles == []


def test_only_the_scripts_of_the_page_run(browser: Browser, file: Path, tmp_path: Path) -> None:
    text = file.read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "unsafe" not in policy[1]
    assert "&#39;sha256-" in policy[1] or "'sha256-" in policy[1]
    assert not re.search(r"\son\w+=", text.partition("<script>")[0])
    assert text.count("</script><script>evil") == 0
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace("</body>", "<script>window.evil = 1</script></body>"), "utf-8")
    opened = Visit(browser, changed, 1280, "light")
    assert opened.page.evaluate("window.evil") is None
    assert any("Content Security Policy" in trouble for trouble in opened.troubles)
    opened.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_explorer_is_readable_everywhere(browser: Browser, file: Path, width: int, scheme: str) -> None:
    opened = Visit(browser, file, width, scheme)
    page = opened.page
    assert opened.troubles == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 50
    assert [words for ratio, words in contrasts if ratio < 4.5] == []
    assert page.evaluate(_UNNAMED) == 0
    letters = page.evaluate(
        "[...document.querySelectorAll('svg text')].map(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a"
        " || parseFloat(getComputedStyle(e).fontSize) * Math.abs(e.getScreenCTM().b))"
    )
    assert min(letters) >= 10
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("[aria-live]").count() >= 2
    opened.context.close()


def test_other_forms_show_the_table(file: Path) -> None:
    done = CliRunner().invoke(
        main, ["report", str(file.with_name("plan.toml")), "--audience", "explorer", "--format", "json", "--output", "-"]
    )
    assert done.exit_code == 0
    kinds = json.dumps(json.loads(done.stdout))
    assert '"kind": "explorer"' in kinds
