"""What notebooks show: nothing runs, nothing is fetched, and what somebody wrote into a plan stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import accountant as ac
from accountant.display.card import Card, CardRows, Drawing, Folded, Label
from accountant.display.html import STYLE, page_part
from accountant.ledger.terms import read_terms

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
VOID = {"img", "br", "hr", "line", "rect", "polyline"}
PLAN: dict[str, Any] = {
    "title": HOSTILE,
    "specification": {
        "neighbours": "replace-one",
        "unit": HOSTILE,
        "invariants": [HOSTILE],
        "domain": {"name": HOSTILE, "attributes": [HOSTILE]},
    },
    "budget": [{"divergence": "approx", "epsilon": "0.1", "delta": "1e-6"}],
    "release": [
        {
            "name": f"{HOSTILE} {number}",
            "query": {"kind": "histogram", "attributes": [HOSTILE]},
            "mechanism": {"kind": "gaussian", "sigma": "8"},
        }
        for number in range(12)
    ],
    "scenario": [{"name": HOSTILE, "attributes": [HOSTILE]}],
}


class Balanced(HTMLParser):
    """Elements that are open, and all that were met."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def checked(page: str) -> set[str]:
    """The elements of a part of a page that is well formed."""
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert not parser.open
    return parser.met


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """One of each value that carries what an author wrote."""
    plan = ac.read_plan(PLAN)
    data = plan.as_data()
    account, certificate = ac.account(plan), ac.certify(plan)
    terms = read_terms({key: value for key, value in PLAN.items() if key not in ("release", "scenario")})
    other = ac.read_plan({**PLAN, "release": PLAN["release"][:3]})
    implication = ac.implies(plan.specification, other.specification)
    with ac.Ledger.create(tmp_path_factory.mktemp("hostile") / "some.ledger", terms) as ledger:
        yield [
            plan,
            account,
            account.measure("approx", delta="1e-6"),
            account.curve("approx", places=["1e-9", "1e-6"]),
            certificate,
            ac.verify(certificate, other),
            implication,
            ac.calibrate(other, tolerance="0.5"),
            *ac.audit(other, samples=1000),
            ledger,
            ledger.status(),
            ledger.quote(other.releases[0]),
            ledger.reserve(
                ledger.batch({**data["release"][0], "mechanism": {"kind": "gaussian", "sigma": "99"}}), key=HOSTILE
            ),
        ]


def test_a_quote_says_whether_it_fits_and_what_is_asked(tmp_path: Path) -> None:
    terms = read_terms({"specification": {"neighbours": "add-remove"}, "budget": [{"divergence": "zcdp", "rho": "1"}]})
    with ac.Ledger.create(tmp_path / "l", terms) as ledger:
        quotes = [ledger.quote(ac.Gaussian(sigma=sigma).on(ac.Count()).named("a")) for sigma in ("1", "1/2")]
        for quote, word in zip(quotes, ("fits", "does not fit"), strict=True):
            assert repr(quote) == f"<Quote: {word}: what it would cost now>"
            page = quote._repr_html_()
            checked(page)
            for said in (word, "asked", "only a reservation holds the price"):
                assert said in page
        assert "0.5" in str(quotes[0])


@pytest.mark.slow
def test_what_an_author_writes_stays_text(hostile: list[Any]) -> None:
    for value in hostile:
        page = value._repr_html_()
        assert "<script" not in page
        assert "<img" not in page
        assert "img" not in checked(page)


def test_lines_and_paragraphs_hold_hostile_names_too(hostile: list[Any]) -> None:
    for value in hostile:
        assert len(repr(value)) <= 200
        assert max(map(len, str(value).splitlines())) <= 600


def test_a_certificate_says_its_verdict_first_and_in_colour() -> None:
    # Beside something exact of which only the name is known no budget is exceeded.
    promised = {key: value for key, value in PLAN["specification"].items() if key != "invariants"}
    plan = ac.read_plan({**PLAN, "title": "Survey", "specification": promised})
    page = ac.certify(plan)._repr_html_()
    assert re.search(r'<p class="accountant-title"><b class="accountant-label accountant-bad">not kept</b>Survey</p>', page)
    kept = ac.certify(ac.load_plan("examples/survey.toml"))._repr_html_()
    assert '<b class="accountant-label accountant-good">kept</b>' in kept
    assert repr(ac.certify(plan)).startswith("<Certificate: not kept: Survey")


def test_a_certificate_that_decides_nothing_is_not_called_kept() -> None:
    certificate = ac.certify(ac.load_plan("examples/survey.toml"))
    nothing = ac.Certificate({**certificate.data, "budgets": []})
    assert repr(nothing) == "<Certificate: County health survey, first wave>"
    assert "nothing was asked" in str(nothing)


def test_a_release_that_costs_nothing_is_said_first() -> None:
    releases = [
        {
            "name": attribute,
            "query": {"kind": "count", "attributes": [attribute]},
            "mechanism": {"kind": "gaussian", "sigma": "8"},
        }
        for attribute in ("age", "sex")
    ]
    specification = {
        "neighbours": "replace-one",
        "attributes": ["age"],
        "domain": {"name": "all datasets", "attributes": ["age", "sex"]},
    }
    plan = ac.read_plan({**PLAN, "title": "Survey", "specification": specification, "release": releases, "scenario": []})
    account, certificate = ac.account(plan), ac.certify(plan)
    assert str(account).splitlines()[1].startswith("  check: 'sex': costs nothing, since it reads only 'sex'")
    assert "check: 'sex': 0 in every budget" in str(certificate)


def test_a_certificate_that_cannot_be_read_is_shown_all_the_same() -> None:
    certificate = ac.Certificate({"format": "accountant-certificate/2", "title": 3})
    assert repr(certificate).startswith("<Certificate: malformed: a certificate that cannot be read:")
    assert "malformed" in certificate._repr_html_()


def test_a_guarantee_folds_its_derivation() -> None:
    found = ac.account(ac.load_plan("examples/survey.toml")).measure("approx", delta="1e-6")
    page = found._repr_html_()
    assert f"<summary>derivation, {len(found.derivation)} steps</summary>" in page
    assert page.count("<li>") == len(found.derivation)
    assert "epsilon = 2.39758 to 2.51374 at delta = 1e-6" in page


def test_a_certificate_says_what_is_not_promised() -> None:
    said = str(ac.certify(ac.load_plan("examples/survey.toml")))
    assert "Published exactly: number of respondents. Nothing is promised between datasets that differ in that." in said
    assert "What is claimed of 'vendor dashboard' is taken on trust." in said
    inside = {
        "kind": "post-processed",
        "by": "rounding",
        "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.001"},
    }
    nested = ac.certify(ac.read_plan({**PLAN, "scenario": [], "release": [{"name": "sold", "mechanism": inside}]}))
    assert "What is claimed of 'sold' is taken on trust." in str(nested)


def test_long_ratios_are_shown_as_decimals_that_are_not_rounded_up() -> None:
    page = ac.load_plan("examples/census-2020.toml")._repr_html_()
    assert "83968015/69543936" not in page
    assert "discrete-gaussian(variance = 1.2074…" in page


def test_many_rows_are_folded() -> None:
    page = page_part(Card("many", None, (), (CardRows(("number",), tuple((str(n),) for n in range(25))),)))
    assert "<summary>and 15 more</summary>" in page
    assert page.count("<tr><td>") == 25


def test_of_very_many_releases_some_are_shown_and_all_are_counted() -> None:
    plan = ac.read_plan({**PLAN, "release": [{**PLAN["release"][0], "name": f"release {n}"} for n in range(1000)]})
    page = plan._repr_html_()
    assert "<summary>and 990 more</summary>" in page
    assert "and 900 more, which are not shown" in page
    assert "release 99<" in page
    assert "release 100<" not in page
    assert "and 995 more" in str(plan)
    assert len(page) < 60_000


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    from accountant.ledger.database import address

    _, place = address("postgresql://analyst:S3cret@somewhere/budgets")
    assert "S3cret" not in place
    terms = read_terms({key: value for key, value in PLAN.items() if key not in ("release", "scenario")})
    with ac.Ledger.create(tmp_path / "some.ledger", terms) as ledger:
        assert repr(ledger) == f"<Ledger: 'main' in {tmp_path / 'some.ledger'}>"[:200]


def test_colours_suit_both_themes_and_the_page_gives_ground_and_letters() -> None:
    assert "@media (prefers-color-scheme: dark)" in STYLE
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    # No rule but those of labels and pictures has a colour or a ground of its own.
    for rule in re.findall(r"([^{}]+)\{([^{}]*)\}", STYLE):
        if re.search(r"#[0-9a-f]{3,6}", rule[1]):
            assert (
                "label" in rule[0]
                or "accountant-good" in rule[0]
                or "bad" in rule[0]
                or "doubtful" in rule[0]
                or "svg" in rule[0]
            )


@pytest.mark.parametrize("tone", ["good", "bad", "doubtful", "neutral"])
def test_every_part_of_a_card_is_escaped(tone: Any) -> None:
    card = Card(
        HOSTILE,
        Label(HOSTILE, tone),
        ((HOSTILE, HOSTILE),),
        (
            CardRows((HOSTILE,), ((HOSTILE,), (Label(HOSTILE, tone),))),
            Folded(HOSTILE, (HOSTILE,)),
            Drawing("<svg></svg>", HOSTILE),
        ),
    )
    met = checked(page_part(card))
    assert not met & {"script", "img"}
