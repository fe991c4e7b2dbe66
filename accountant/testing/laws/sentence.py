"""Laws of sentences: what is said about a number is read back and held against every pair of datasets it speaks of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
from attrs import evolve

from accountant.errors import AccountantError, ReadingError
from accountant.finite.domain import Records
from accountant.loss import FiniteLoss
from accountant.numbers.exact import exact
from accountant.numbers.interval import Interval
from accountant.promise.divergence import Divergence, Reading
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Relation
from accountant.promise.statement import Outcomes, Statement
from accountant.promise.words import ComparedPairs
from accountant.report import Table
from accountant.report.document import Aside, Callout, Document, Section, prose, walked
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken, measured, surely_worse
from accountant.testing.laws.beside_numbers import require_directions, require_places
from accountant.testing.laws.plain_words import require_modesty
from accountant.testing.places import points
from accountant.testing.worlds import ATTRIBUTES, World
from accountant.values.writing import at_words

_PRESENT = re.compile(
    r"with (?:up to (?P<group>[\d,]+) )?[^,;.]+? in the data\b|with and without (?:up to (?P<many>[\d,]+) )?"
)
_VALUES = re.compile(r"one value\b(?: of (?P<what>.+?))?(?= as\b| to\b| from\b| says\b| has\b|[,;.]|$)")
_SEVERAL = re.compile(r"some values of (?P<what>.+?) of up to (?P<group>[\d,]+) ")
_NEIGHBOURING = "one of two neighbouring datasets"
_HIDDEN = "do not know who was sampled"


def spoken_of(sentence: str, world: World) -> ComparedPairs:
    """The comparison that a sentence speaks of, from its words alone: whatever it does not rule out is compared."""
    neighbours = _neighbours(sentence, world.plan.specification.neighbours)
    named = tuple(item for item in world.plan.specification.invariants if item.name in sentence)
    return ComparedPairs(neighbours, named, hidden_sample=_HIDDEN in sentence)


def _neighbours(sentence: str, own: Neighbours) -> Neighbours:
    if found := _PRESENT.search(sentence):
        return _related(ADD_REMOVE, own, found["group"] or found["many"])
    if found := _SEVERAL.search(sentence):
        return evolve(_related(REPLACE_ONE, own, found["group"]), attributes=_named(found["what"]))
    if found := _VALUES.search(sentence):
        return evolve(_related(REPLACE_ONE, own, None), attributes=_named(found["what"] or ""))
    if _NEIGHBOURING not in sentence:
        broken("a sentence about a promise must say which datasets it compares", sentence=sentence)
    return own


def _related(relation: Relation, own: Neighbours, group: str | None) -> Neighbours:
    return Neighbours(relation, own.unit, group=int((group or "1").replace(",", "")))


def _named(words: str) -> list[str] | None:
    """The attributes that words single out; None where they speak of whole records."""
    return [name for name in ATTRIBUTES if re.search(rf"\b{name}\b", words)] or None


def meaning_names_both_sides(definition: Divergence) -> None:
    """What a definition means is said with both sides of the comparison left open, since neighbours decide them.

    Where its parameter has several numbers, each of them is spoken of.
    """
    for side in ("{one}", "{other}"):
        if side not in definition.meaning:
            broken(
                f"the meaning of '{definition.name}' must leave open what is compared",
                meaning=definition.meaning,
                missing=side,
                remedy='write it like "no output is more than e^epsilon times as likely {one} as {other}{either}"',
            )
    _require_every_number(definition)


_GREEK = {
    unicodedata.name(chr(code)).rpartition(" ")[2].lower(): chr(code)
    for code in range(ord("\N{GREEK SMALL LETTER ALPHA}"), ord("\N{GREEK SMALL LETTER OMEGA}") + 1)
}


def _require_every_number(definition: Divergence) -> None:
    names = [member.name for member in attrs.fields(definition.parameter)]
    for name in names if len(names) > 1 else ():
        forms = (name, name.replace("_", " "), name.replace("_", "-"), _GREEK.get(name, name))
        if not any(
            re.search(rf"(?<![^\W_]){re.escape(form)}(?![^\W_])", definition.meaning, re.IGNORECASE) for form in forms
        ):
            broken(
                f"the meaning of '{definition.name}' must say what each of its numbers does",
                meaning=definition.meaning,
                not_mentioned=name,
                convention="every number of the parameter is called by its name there, or by a Greek letter of that name",
            )


def meaning_is_never_false(definition: Divergence, world: World) -> None:
    """What a definition is said to mean holds between all datasets that the words speak of."""
    compared = world.plan.comparison
    require_meaning(definition, " ".join((f"{definition.means(compared)}.", *compared.conditions)), world)


def require_meaning(definition: Divergence, sentence: str, world: World) -> None:
    """A sentence about the numbers of a definition holds between all datasets that it speaks of."""
    spoken = spoken_of(sentence, world)
    for reading, at in points(definition, 1):
        stated = world.account.measure(definition.name, at).value
        found = worst(world, spoken, reading, partial(_measured, definition, at))
        if found is not None and surely_worse(found[0], stated):
            broken(
                f"what is said of '{definition.name}' must hold",
                sentence=sentence,
                said=f"{reading.value}{at_words(at)} is {stated}",
                **{"found between these two datasets": found[0]},
                first=shown(found[1]),
                second=shown(found[2]),
                plan=world.plan.as_data(),
            )


def report_is_never_false(report: Report, world: World) -> None:
    """Whatever a report states holds between all datasets that it speaks of, and it writes no number without stating it."""
    document = report.build(world.certificate, world.account)
    if document.language not in report.languages:
        broken(
            f"the report '{report.name}' must be marked as written in a language that it has",
            marked=document.language,
            languages=", ".join(report.languages),
            plan=world.plan.as_data(),
            look_at="'languages', and the 'language' of the document",
        )
    words = "\n".join((*prose(document), *_cells(document)))
    for statement in document.statements:
        if statement.text not in words:
            broken(f"the report '{report.name}' must write down what it states", stated=statement.text)
        require_statement(statement, world)
    if document.statements:
        _require_scope(report, world.plan.comparison, document)
    require_directions(report, document)
    require_places(report, document)
    require_modesty(report, document, world)
    covered = {Fraction(1, 2), Fraction(1), *_numbers_of(world.plan.as_data())}
    many = len(world.plan.releases)
    covered |= {Fraction(some, many) for some in range(many)}  # so many of all releases
    for statement in document.statements:
        known = {statement.number, *(value for _, value in statement.at)}
        covered |= known | {1 - value for value in known}
    for sentence in prose(document):
        for written, number in numbers(sentence):
            if number not in covered:
                broken(
                    f"the report '{report.name}' must state every number that it writes in prose",
                    sentence=sentence,
                    number=written,
                    remedy="put a Statement where the number stands, or give one to the table or key figure",
                )


def _require_scope(report: Report, compared: ComparedPairs, document: Document) -> None:
    """Numbers that hold for some attributes, beside exact counts or for a group are written beside their names.

    Neighbours are those of the plan, so that who speaks of them has named attributes and groups.
    """
    words, near = "\n".join(_said(document)), compared.neighbours
    names: dict[str, tuple[str, tuple[str, ...]]] = {
        name: ("what is published exactly", (name,)) for name in compared.exact
    }
    if not NEIGHBOURING.search(words):
        names |= {name: ("the attributes that may differ", (name,)) for name in sorted(near.attributes or ())}
        if near.group > 1 and document.language == "en":
            names[str(near.group)] = ("how many units may differ", (str(near.group), *_TWO))
    for name, (what, forms) in names.items():
        if not any(re.search(rf"\b{re.escape(form)}\b", words) for form in forms):
            broken(
                f"the report '{report.name}' must say between which datasets its numbers hold",
                they_hold_between=compared.between,
                not_written=f"{name}: {what}",
                remedy="write the 'between' and the 'conditions' of the comparison",
            )
    _require_unit(report, compared, document)


NEIGHBOURING = re.compile(r"neighbou?r", re.IGNORECASE)
_TWO = ("two", "both", "pair", "pairs", "several", "group", "groups")
"""Groups in letters: those of small worlds are of two."""
_LARGER = re.compile(
    r"\b(?:one|a|any|each|every|single) (household|family|couple|company|school|hospital|organi[sz]ation)\b"
)
"""Units of which others are a part: what holds for the part need not hold for them."""


def _require_unit(report: Report, compared: ComparedPairs, document: Document) -> None:
    """Beside a number no larger unit is named than the one that it is about."""
    for block in walked(document.blocks):
        words = "" if isinstance(block, Section | Aside | Callout) else "\n".join(_said(block))
        found = _LARGER.search(words) if Document("", (block,)).statements else None
        if (
            found
            and found[1] != compared.neighbours.unit
            and not re.search(rf"\b{re.escape(compared.neighbours.unit)}", words)
        ):
            broken(
                f"the report '{report.name}' must say between which datasets its numbers hold",
                they_hold_between=compared.between,
                written=found[0],
                remedy="write the 'between' and the 'conditions' of the comparison",
            )


def _said(value: Any) -> Iterator[str]:
    """Everything that a document writes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Statement):
        yield value.text
    elif isinstance(value, tuple):
        for part in value:
            yield from _said(part)
    elif attrs.has(type(value)):
        for member in attrs.fields(type(value)):
            yield from _said(getattr(value, member.name))


def require_statement(statement: Statement, world: World) -> None:
    """What a statement says holds between all datasets that it compares."""
    at = dict(statement.at)
    known = {statement.number, *at.values()}
    if (said := list(numbers(statement.text))) and not any(number in known for _, number in said):
        broken("a statement must write the number that it states", stated=statement.as_data())
    try:
        found = worst(
            world, statement.comparison, None, lambda outcomes: statement.quantity.of(outcomes, at), statement.release
        )
    except ReadingError as error:
        broken(
            "a statement must say where its number is read",
            stated=statement.as_data(),
            error=str(error),
            remedy="give the words of the quantity to the statement as well: Statement(..., at=...)",
        )
    if found is None:
        return
    value, left, right = found
    wrong = value.lower > statement.number if statement.direction == "at most" else value.upper < statement.number
    if wrong:
        broken(
            "what is stated must hold",
            **{key.replace(" ", "_"): words for key, words in statement.as_data().items()},
            found=value,
            first=shown(left),
            second=shown(right),
            look_at="'build', where the statement is made",
            plan=world.plan.as_data(),
        )


_CITATION = re.compile(
    r"\[[^\]]*\]|\b\d+(?:\.\d+){2,}|\b(?:version|section|chapter|article|theorem|table|figure) \d+(?:\.\d+)+", re.IGNORECASE
)
"""Sources and places in them, versions and dates."""
_NUMBER = re.compile(
    r"(?P<part>\d[\d,]*)\s(?:of|in)\s(?P<whole>\d[\d,]*)|(?P<percent>\d[\d,]*(?:\.\d+)?)%|(?P<decimal>\d+\.\d+(?:e-?\d+)?)"
)


def numbers(sentence: str) -> Iterator[tuple[str, Fraction]]:
    """The shares, frequencies and decimal numbers of a sentence but its citations, as written and as exact numbers."""
    for found in _NUMBER.finditer(_CITATION.sub("", sentence)):
        part, whole, percent, decimal = (
            None if value is None else Fraction(value.replace(",", "")) for value in found.groups()
        )
        number = part / whole if part is not None and whole else percent / 100 if percent is not None else decimal
        if number is not None:
            yield found[0], number


def _cells(document: Document) -> Iterator[str]:
    for block in walked(document.blocks):
        table = block if isinstance(block, Table) else getattr(block, "table", None)
        if table is not None:
            yield from (cell for row in table.rows for cell in row)


def _numbers_of(data: Any) -> Iterator[Fraction]:
    """All numbers that a plan itself is made of."""
    if isinstance(data, Mapping | list):
        for item in data.values() if isinstance(data, Mapping) else data:
            yield from _numbers_of(item)
    elif isinstance(data, str | int):
        try:
            yield exact(data)
        except AccountantError:
            return


def _measured(definition: Divergence, at: Mapping[str, Fraction], outcomes: Outcomes) -> Interval:
    return measured(definition, FiniteLoss(outcomes), at)


def worst(
    world: World,
    comparison: ComparedPairs,
    reading: Reading | None,
    value: Callable[[Outcomes], Interval],
    release: str | None = None,
) -> tuple[Interval, Records, Records] | None:
    """The worst value between datasets that are compared, and where it is found; None if none are."""
    found: tuple[Interval, Records, Records] | None = None
    seen: dict[Outcomes, Interval] = {}
    for left, right in world.pairs(comparison):
        outcomes = world.outcomes(left, right, comparison, release)
        if outcomes not in seen:
            seen[outcomes] = value(outcomes)
        if found is None or _worse(reading, seen[outcomes], found[0]):
            found = seen[outcomes], left, right
    return found


def _worse(reading: Reading | None, new: Interval, old: Interval) -> bool:
    return new.lower > old.lower if reading is None else surely_worse(new, old)


def shown(dataset: Records) -> str:
    """A dataset in words."""
    records = [", ".join(f"{name} {value}" for name, value in record) for record in dataset]
    return " and ".join(f"({record})" for record in records) or "no record"
