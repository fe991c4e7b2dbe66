"""A page in Spanish is Spanish from top to bottom; only what plans, files and references are called may be English."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from accountant import Certificate, certify, default_registry, load_plan
from accountant.plugin import REPORTS
from accountant.report import Edition, MarkdownRenderer, making, told

pytestmark = pytest.mark.slow

EXAMPLES = ("examples/survey.toml", "examples/census-2020.toml", "examples/counties/plan.toml")
ENGLISH = re.compile(
    r"\b(the|of|and|is|are|that|with|by|from|between|each|which|at most|has|have|it|its|this|not|for|what|every|or|than)\b",
    re.IGNORECASE,
)
REFERENCES = "# Referencias\n"
NAMES = re.compile(r"\b\w+(-\w+)+\b")
"""What theorems, relations and pages are called, which people look up."""


@cache
def certificate(path: str) -> Certificate:
    return certify(load_plan(path))


def page(path: str, audience: str) -> str:
    """A page in which no line is broken."""
    made = certificate(path)
    name = Path(path).name
    with making(Edition("es", name, f"{name}.certificate.json")):
        document = default_registry()[REPORTS][audience].build(made, made.account)
        return MarkdownRenderer().render(document)


def own_words(path: str) -> Iterator[str]:
    """Every text of a plan and of its tables, which authors write in their own language."""

    def texts(data: Any) -> Iterator[str]:
        if isinstance(data, str):
            yield data
        elif isinstance(data, dict):
            yield from chain.from_iterable(map(texts, data.values()))
        elif isinstance(data, list):
            yield from chain.from_iterable(map(texts, data))

    stated = json.loads(certificate(path).to_json())
    yield from texts(load_plan(path).as_data())
    yield from (value for known in stated.get("public", []) for value in (known["value"],))


def without_own_words(text: str, path: str) -> str:
    flat = re.sub(r"\s+", " ", text.replace("\\", ""))
    for word in sorted(set(own_words(path)), key=len, reverse=True):
        if ENGLISH.search(word):
            flat = flat.replace(word, "…")
    return NAMES.sub("…", flat)


@pytest.mark.parametrize(
    "audience", sorted(name for name, item in default_registry()[REPORTS].items() if "es" in item.languages)
)
@pytest.mark.parametrize("path", EXAMPLES)
def test_no_english_is_left_on_a_spanish_page(path: str, audience: str) -> None:
    whole = page(path, audience)
    body, _, _ = whole.partition(REFERENCES)
    lines = [re.sub(r"\s+", " ", line) for line in body.splitlines()]
    assert not [line for line in lines if "(en inglés)" in line]
    found = [
        rest[max(0, match.start() - 60) : match.end() + 60]
        for rest in (without_own_words(body, path),)
        for match in ENGLISH.finditer(rest)
    ]
    assert found == []


def test_a_sentence_that_nobody_translated_is_said_to_be_english() -> None:
    unknown = "A mechanism of somebody else loses what its author says."
    assert told(unknown) == unknown
    with making(Edition("es")):
        assert told(unknown) == f"(en inglés) {unknown}"
        assert told("2.5") == "2.5"
        assert told("'a' loses nothing") == "'a' no pierde nada"
        assert told("'once' has the loss of laplace(scale = 2), 3 times") == (
            "'once' tiene la pérdida de laplace(scale = 2), 3 veces"
        )
