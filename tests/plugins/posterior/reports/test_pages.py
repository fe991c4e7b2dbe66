"""Whole pages: a quantity looks the same wherever it stands, both languages state the same, and readers can check."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import accountant
from accountant.plugin import RENDERERS, REPORTS
from accountant.report import (
    Callout,
    Definitions,
    Document,
    Edition,
    KeyFigures,
    Link,
    Section,
    Statement,
    Table,
    making,
    reference,
)
from accountant.report.document import walked
from accountant_posterior.reports.said import OUTSIDE

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reports")]

AUDIENCES = ("public", "policy", "technical")
PLAN: dict[str, Any] = {
    "title": "Encuesta de salud",
    "publication": {
        "publisher": "Oficina de Estadística",
        "date": "2026-11-17",
        "contact": "privacidad@example.org",
        "link": "https://example.org/encuesta",
    },
    "specification": {"neighbours": "replace-one", "invariants": [{"name": "tamaño", "counts_by": []}]},
    "budget": [{"divergence": "zcdp", "rho": "0.5"}, {"divergence": "approx", "epsilon": "4", "delta": "1e-6"}],
    "release": [
        {
            "name": "edad por comarca",
            "query": {"kind": "histogram", "attributes": ["edad", "comarca"]},
            "mechanism": {"kind": "discrete-gaussian", "variance": "4"},
        },
        {
            "name": "tabaco",
            "query": {"kind": "histogram", "attributes": ["tabaco", "diabetes"]},
            "mechanism": {"kind": "gaussian", "sigma": "9"},
        },
    ],
    "scenario": [{"name": "salud", "attributes": ["tabaco", "diabetes"]}, {"name": "edad", "attributes": ["edad"]}],
}
CLAIMED = {
    "title": "una promesa",
    "specification": {"neighbours": "add-remove", "unit": "hogar"},
    "budget": [{"divergence": "zcdp", "rho": "0.5"}],
    "release": [
        {"name": "recuento", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "1"}},
        {"name": "panel", "mechanism": {"kind": "claim", "divergence": "approx", "epsilon": "1", "delta": "1e-6"}},
    ],
}
SAMPLED = {
    "title": "una muestra",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "pure", "epsilon": "1"}],
    "release": [
        {
            "name": "recuento",
            "query": {"kind": "count"},
            "mechanism": {"kind": "laplace", "scale": "1"},
            "sampling": {"kind": "poisson", "rate": "1/10"},
        }
    ],
}
PLANS = {"noise": PLAN, "claims": CLAIMED, "sample": SAMPLED}


def built(plan: dict[str, Any], audience: str, made: Edition | None = None) -> Document:
    report, certificate = accountant.default_registry()[REPORTS][audience], certified(json.dumps(plan))
    with making(made or Edition()):
        return report.build(certificate, certificate.account)


@cache
def certified(plan: str) -> accountant.Certificate:
    return accountant.certify(accountant.read_plan(json.loads(plan)))


@pytest.fixture(scope="module")
def pages() -> dict[tuple[str, str, str], Document]:
    return {
        (name, audience, language): built(plan, audience, Edition(language, "plan.toml", "plan.certificate.json"))
        for name, plan in PLANS.items()
        for audience in AUDIENCES
        for language in ("en", "es")
    }


def text_of(document: Document) -> str:
    return " ".join(accountant.default_registry()[RENDERERS]["text"].render(document).replace("\u00a0", " ").split())


def quantity(statement: Statement) -> tuple[Any, ...]:
    """What is stated, without how it is rounded: the upper end of a belief is one quantity, however it is said."""
    at = dict(statement.at)
    if statement.quantity is OUTSIDE:
        at = {"prior": at["prior"], "failure": statement.number}
    return statement.comparison, statement.quantity.name, tuple(sorted(at.items())), statement.direction, statement.release


def shown(statement: Statement) -> Fraction:
    return dict(statement.at)["high"] if statement.quantity is OUTSIDE else statement.number


@pytest.mark.parametrize("audience", [*AUDIENCES, "summary"])
@pytest.mark.parametrize("name", PLANS)
def test_a_quantity_has_one_rounding_on_a_page(pages: Any, name: str, audience: str) -> None:
    document = built(PLANS[name], audience) if audience == "summary" else pages[name, audience, "en"]
    found: dict[tuple[Any, ...], set[Fraction]] = defaultdict(set)
    for statement in document.statements:
        found[quantity(statement)].add(shown(statement))
    assert found or audience == "summary"
    assert [values for values in found.values() if len(values) > 1] == []


def test_two_roundings_of_one_quantity_would_be_noticed(pages: Any) -> None:
    """As cards and tables had them: 77 of 100 beside 76.2%."""
    document = pages["noise", "public", "en"]
    first = next(statement for statement in document.statements if statement.quantity.name.startswith("how often the best"))
    other = Statement("76.2%", first.comparison, first.quantity, Fraction("0.762"), first.at)
    assert quantity(other) == quantity(first)
    assert shown(other) != shown(first)


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("name", PLANS)
def test_a_translation_states_the_same(pages: Any, name: str, audience: str) -> None:
    english, spanish = pages[name, audience, "en"], pages[name, audience, "es"]
    assert [_meant(item) for item in english.statements] == [_meant(item) for item in spanish.statements]
    assert [type(block) for block in walked(english.blocks)] == [type(block) for block in walked(spanish.blocks)]
    assert spanish.language == "es"
    for item in spanish.statements:
        numbers = {shown(item), *(value for _, value in item.at), item.number}
        assert {_value(word) for word in _NUMBERS.findall(item.text)} <= numbers, item.text


_NUMBERS = re.compile(r"[\d\u00a0]+ ?\u00a0?de\u00a0? ?[\d\u00a0]+|\d(?:[\d\u00a0]*\d)?(?:,\d+)?(?:e-?\d+)?(?:\u00a0%)?")


def _meant(statement: Statement) -> tuple[Any, ...]:
    return quantity(statement), statement.number, statement.at


def _value(written: str) -> Fraction:
    """What a Spanish number says."""
    if written.endswith("%"):
        return _value(written.removesuffix("%").strip("\u00a0")) / 100
    part, of, whole = re.sub(r"[\s\u00a0]", "", written).replace(",", ".").partition("de")
    return Fraction(part) / Fraction(whole) if of else Fraction(part)


@pytest.mark.parametrize("audience", ["public", "policy"])
def test_nothing_is_left_in_english(pages: Any, audience: str) -> None:
    """Where a plan has no English words, a page has none but names of definitions' parameters and relations."""
    text = text_of(pages["noise", audience, "es"])
    left = re.findall(r"\b(the|of|and|or|is|are|for|with|most|least|people|which|what|in|by|times|kept)\b", text)
    assert left == []


def test_every_page_says_who_publishes_it_and_whom_to_ask(pages: Any) -> None:
    for audience in AUDIENCES:
        said = dict(pages["noise", audience, "en"].imprint)
        assert said["Published by"] == "Oficina de Estadística"
        assert said["Date"] == "2026-11-17"
        assert said["Questions to"] == (Link("privacidad@example.org", "mailto:privacidad@example.org"),)
        assert said["Found at"] == (Link("example.org/encuesta", "https://example.org/encuesta"),)
        assert pages["claims", audience, "en"].imprint == ()


def test_every_page_says_how_to_check_it_with_the_files_that_there_are(pages: Any) -> None:
    for (_, _, language), document in pages.items():
        text = text_of(document)
        assert "accountant verify plan.certificate.json plan.toml" in text
        assert {"en": "Check it yourself", "es": "Compruébelo"}[language] in text
    assert "accountant verify CERTIFICATE PLAN" in text_of(built(PLAN, "public"))


def test_files_with_odd_names_are_neither_followed_nor_run() -> None:
    document = built(PLAN, "public", Edition("en", "a b;rm.toml", "javascript:x.json"))
    text = accountant.default_registry()[RENDERERS]["html"].render(document)
    assert "accountant verify javascript:x.json &#39;a b;rm.toml&#39;" in text
    assert 'href="javascript' not in text
    assert 'href="a b' not in text


def test_a_limit_that_is_not_settled_is_named_with_the_reason(pages: Any) -> None:
    for audience in AUDIENCES:
        warning = next(block for block in pages["claims", audience, "en"].blocks if isinstance(block, Callout))
        assert warning.title == "A limit is not shown to be kept"
        text = text_of(Document("", (warning,)))
        assert "zero-concentrated differential privacy, where rho may be at most 0.5: " in text
        assert "permits more, and may lose less" in text


def test_exact_tables_are_a_second_anchor(pages: Any) -> None:
    """A table that is published exactly gives away whatever moves it; on a sample of a tenth, a tenth of the time."""
    notes = {name: _notes(pages[name, "public", "en"]) for name in PLANS}
    assert all("tables without noise: up to 100 of 100" in note for note in notes["noise"])
    assert "tables without noise: up to 55 of 100" in notes["sample"][0]
    assert "up to 100 of them" in text_of(pages["noise", "public", "en"])
    only_claims = {**CLAIMED, "release": CLAIMED["release"][1:]}
    assert set(_notes(built(only_claims, "public"))) == {"tossing a coin: 50 of 100."}


def _notes(document: Document) -> list[str]:
    (cards,) = [block for block in document.blocks if isinstance(block, KeyFigures)]
    return [figure.note for figure in cards.figures]


def test_scenarios_keep_the_names_that_their_authors_gave_them(pages: Any) -> None:
    for audience in ("public", "policy"):
        text = text_of(pages["noise", audience, "en"])
        assert "salud (diabetes and tabaco)" in text
        assert "edad (edad)" not in text


def test_the_first_card_has_no_jargon(pages: Any) -> None:
    (cards,) = [block for block in pages["noise", "public", "en"].blocks if isinstance(block, KeyFigures)]
    assert cards.figures[0].label == "right guesses about anything in Jessie’s record, at most"
    assert "What exactly published facts tell already is left aside." in cards.figures[0].note


def test_numbers_that_are_off_are_said_beside_what_protects(pages: Any) -> None:
    """Discrete Gaussian noise of variance 4 is within 4 with a chance of .9756, within 3 with one of .9198."""
    for audience in AUDIENCES:
        tables = {block.title: block for block in walked(pages["noise", audience, "en"].blocks) if isinstance(block, Table)}
        rows = dict(tables["How far off the published numbers of each release are"].rows)
        assert rows["edad por comarca"] == "4"
        # 9 times the quantile 1.95996 of a normal law, rounded up.
        assert rows["tabaco"] == "17.7"
    assert "not known from what is stated" in text_of(pages["claims", "public", "en"])
    assert "(from the exact number of the sample)" in text_of(pages["sample", "public", "en"])


def test_what_the_technical_report_cites_is_in_its_bibliography(pages: Any) -> None:
    document = pages["noise", "technical", "en"]
    last = [block for block in document.blocks if isinstance(block, Section)][-1]
    assert last.title == "References"
    listed = dict(last.blocks[0].entries)
    cited = {
        key.group(1)
        for block in walked(document.blocks)
        if isinstance(block, Definitions)
        for _, words in block.entries
        if isinstance(words, str) and (key := re.search(r"\[(\w+), [^\]]*\]$", words))
    }
    assert {"canonne2020discrete", "balle2018gaussian", "accountant"} <= cited <= set(listed)
    assert (
        "Clément L. Canonne, Gautam Kamath and Thomas Steinke. The Discrete Gaussian for Differential Privacy."
        in text_of(document)
    )
    assert Link("arxiv.org/abs/2004.00010", "https://arxiv.org/abs/2004.00010") in listed["canonne2020discrete"]


def test_every_reference_of_the_package_can_be_read() -> None:
    source = Path(accountant.__file__).with_name("report") / "references.bib"
    keys = re.findall(r"^@\w+\{(\w+),$", source.read_text("utf-8"), re.MULTILINE)
    assert len(keys) > 60
    for key in keys:
        found = reference(key)
        assert found is not None
        assert found.authors
        assert found.title
        assert re.fullmatch(r"\d{4}", found.year)
        assert not re.search(r"[{}\\$]", " ".join((*found.authors, found.title, found.place)))
    assert reference("nobody2000") is None
