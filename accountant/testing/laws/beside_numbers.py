"""Words beside the numbers that a report states: which way they bound, and where they are read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs

from accountant.numbers.exact import plain
from accountant.promise.statement import Statement
from accountant.report.document import Document, walked
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken

_POWER = re.compile(r"(?<![\w.^-])\d+(?:\.\d+)?e-\d+\b")
"""A number as small chances are written."""
_GAP = r"[ \N{NO-BREAK SPACE}]?"
_FOLLOWING = rf"(?: of| is| at|:)?{_GAP}=?{_GAP}(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)"
"""What follows a word that is said to have some value."""


def require_directions(report: Report, document: Document) -> None:
    """The words in front of a number do not turn what it bounds round."""
    for block in walked(document.blocks):
        for words in _runs(block):
            for before, said in itertools.pairwise(words):
                if not isinstance(before, str) or not isinstance(said, Statement):
                    continue
                turned = "at least" if said.direction == "at most" else "at most"
                if before.rstrip().lower().endswith(turned):
                    broken(
                        f"the report '{report.name}' must not say '{turned}' of what is {said.direction} so much",
                        sentence=f"{before}{said.text}",
                    )


def require_places(report: Report, document: Document) -> None:
    """Beside a number no other place is named than those at which it is read: no power of ten, and none by its word."""
    for block in walked(document.blocks):
        for words in _runs(block):
            statements = [part for part in words if isinstance(part, Statement)]
            places = [place for said in statements for place in said.at]
            known = {said.number for said in statements} | {value for _, value in places}
            around = " ".join(part for part in words if isinstance(part, str))
            for written in _POWER.findall(around) if places else ():
                if Fraction(written) not in known:
                    broken(
                        f"the report '{report.name}' must say where its numbers hold",
                        sentence="".join(part if isinstance(part, str) else part.text for part in words),
                        written=written,
                        they_hold_at=", ".join(f"{word} = {plain(value)}" for word, value in places),
                    )
            for word, value in places:
                _require_word(report, words, word, value, known)


def _require_word(report: Report, words: tuple[Any, ...], word: str, value: Fraction, known: set[Fraction]) -> None:
    """Of the numbers that follow a word one is that at which a number beside it is read."""
    sentence = "".join(part if isinstance(part, str) else part.text for part in words)
    named = re.findall(rf"\b{re.escape(word)}\b{_FOLLOWING}", sentence, re.IGNORECASE)
    if named and not any(Fraction(number.replace(",", "")) in known for number in named):
        broken(
            f"the report '{report.name}' must say where its numbers hold",
            sentence=sentence,
            written=f"{word} {named[0]}",
            they_hold_at=f"{word} = {plain(value)}",
        )


def _runs(value: Any) -> Iterator[tuple[Any, ...]]:
    """Words in a row, with the statements among them."""
    if isinstance(value, tuple):
        if any(isinstance(part, Statement) for part in value):
            yield value
        for part in value:
            yield from _runs(part)
    elif attrs.has(type(value)) and not isinstance(value, Statement):
        for member in attrs.fields(type(value)):
            yield from _runs(getattr(value, member.name))
