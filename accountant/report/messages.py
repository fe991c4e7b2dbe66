"""Catalogue: every text of reports by a key, in each language one file.

A file in `languages` is named after its language and holds messages in tables. `{name}` stands for a part that the report
puts in. A message whose wording depends on a number has a form for `one` and another for `other` numbers. `lists`,
`numbers` and `units` say how words are put in a row, how numbers are written, and what units are called; `phrases` what
the language has for sentences that are made in English elsewhere.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from accountant.errors import InvalidValue, suggest
from accountant.promise.statement import Statement
from accountant.promise.words import plural
from accountant.report.editions import ENGLISH, edition
from accountant.report.marks import Code, Link, Strong

LANGUAGES = Path(__file__).with_name("languages")
_FORMS = {"one", "other"}
_PARSER = string.Formatter()


@frozen(eq=False)
class Catalogue:
    """The messages of one language."""

    language: str
    messages: Mapping[str, str | Mapping[str, str]]
    rules: Mapping[str, Any]

    def message(self, key: str, count: object = None) -> str:
        """The text of a message, in the form that a number asks for."""
        found = self.messages[key]
        if isinstance(found, str):
            return found
        return found["one" if count == 1 else "other"]

    def joined(self, words: Iterable[str], last: str = "and") -> str:
        """Words in a row: a, b and c. Some languages have another word before some sounds."""
        items = list(words)
        if len(items) < 2:
            return items[0] if items else ""
        ending = items[-1].lstrip("«'\"“‘")
        word = next(
            rule["word"]
            for rule in self.rules["lists"][last]
            if "before" not in rule or re.match(rule["before"], ending, re.IGNORECASE)
        )
        return f"{', '.join(items[:-1])} {word} {items[-1]}"

    def number(self, plain: str) -> str:
        """A decimal as English writes it without commas, as this language writes it.

        Whole numbers are grouped; those with decimals or an exponent are not.
        """
        rules = self.rules["numbers"]
        digits, exponent, power = plain.partition("e")
        whole, point, decimals = digits.partition(".")
        unsigned = whole.lstrip("-")
        if len(unsigned) >= rules["group_from"] and not point and not exponent:
            first = len(unsigned) % 3
            groups = [unsigned[:first]] * bool(first) + [unsigned[at : at + 3] for at in range(first, len(unsigned), 3)]
            whole = "-" * whole.startswith("-") + rules["group"].join(groups)
        return f"{whole}{rules['decimal'] if point else ''}{decimals}{exponent}{power}"

    def decimal(self, plain: str) -> str:
        """A decimal as it stands in a table: with the language's decimal sign, and not grouped."""
        return plain.replace(".", str(self.rules["numbers"]["decimal"]))

    def percent(self, plain: str) -> str:
        """A decimal as a percentage."""
        return str(self.rules["numbers"]["percent"]).format(number=self.number(plain))

    def unit(self, name: str, count: int = 1) -> str:
        """So many of a unit; what the language does not know is called as the plan calls it."""
        known = self.rules["units"]
        forms = known.get(name, known["any"])
        text: str = forms["one" if count == 1 else "other"]
        return text.format(unit=name, units=plural(name))


@cache
def catalogue(language: str, folder: Path = LANGUAGES) -> Catalogue:
    """The catalogue of a language. Raises InvalidValue, with those there are, for a language that nobody translated to."""
    known = languages(folder)
    if language not in known:
        words = ", ".join(f"'{name}'" for name in known)
        raise InvalidValue(f"reports are not written in '{language}'{suggest(language, known)}; known: {words}")
    data = tomllib.loads((folder / f"{language}.toml").read_text("utf-8"))
    rules = {name: data.pop(name) for name in ("lists", "numbers", "units")}
    rules["phrases"] = data.pop("phrases", [])
    return Catalogue(language, dict(_flat(data, "")), rules)


@cache
def languages(folder: Path = LANGUAGES) -> tuple[str, ...]:
    """The languages that reports are written in, English first."""
    found = sorted(path.stem for path in folder.glob("*.toml"))
    return tuple(sorted(found, key=lambda name: name != ENGLISH))


def _flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, str | Mapping[str, str]]]:
    for name, item in table.items():
        if isinstance(item, str) or item.keys() <= _FORMS:
            yield before + name, item
        else:
            yield from _flat(item, f"{before}{name}.")


def spoken() -> Catalogue:
    """The catalogue of the language in which a report is being written."""
    return _own(edition().language)


@cache
def _own(language: str) -> Catalogue:
    return catalogue(language)


def say(key: str, **parts: object) -> str:
    """A message with its parts put in. Whole numbers are written as the language writes them."""
    own = spoken()
    return own.message(key, parts.get("count")).format(**{name: _written(own, part) for name, part in parts.items()})


def words(key: str, **parts: object) -> tuple[str | Strong | Code | Link | Statement, ...]:
    """A message as running text, in which statements and marked words stay what they are."""
    own = spoken()
    found: list[str | Strong | Code | Link | Statement] = []
    for text, name, _, _ in _PARSER.parse(own.message(key, parts.get("count"))):
        found.append(text)
        part = parts[name] if name else ""
        if isinstance(part, tuple):
            found += part
        else:
            found.append(part if isinstance(part, Strong | Code | Link | Statement) else str(_written(own, part)))
    return tuple(_merged(item for item in found if item != ""))


def _merged(parts: Iterable[Any]) -> Iterator[Any]:
    """The same with adjacent plain texts in one."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text


def _written(own: Catalogue, part: object) -> object:
    if isinstance(part, Fraction):
        raise TypeError("numbers that are not whole are written by whoever rounds them")
    return own.number(str(part)) if isinstance(part, int) else part


def in_a_row(items: Iterable[str], last: str = "and") -> str:
    """Words in a row, in the language that is written."""
    return spoken().joined(items, last)
