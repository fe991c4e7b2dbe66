"""Laws of what a report says in any world: in every language that it has, and where nothing is promised at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from accountant.report.document import Callout, Document, Section, prose, walked
from accountant.report.editions import Edition, making
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken
from accountant.testing.laws.sentence import NEIGHBOURING, require_statement
from accountant.testing.worlds import World

_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_NOTHING = re.compile(
    r"\bvacuous\b|\bnothing (?:is|has been|would be) promised\b|\bpromis\w+ nothing\b|\bno promise\b|\bno two datasets\b"
    r"|\bno (?:datasets|neighbou?rs) are compared\b",
    re.IGNORECASE,
)


def report_is_written_in_its_languages(report: Report, world: World) -> None:
    """In every language that it has a report can be built, is marked as such, and states what holds."""
    if not report.languages:
        broken(f"the report '{report.name}' must be written in some language", look_at="'languages'")
    for language in report.languages:
        try:
            with making(Edition(language)):
                document = report.build(world.certificate, world.account)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            broken(f"the report '{report.name}' must be built in every language it has", language=language, raised=said)
        if document.language != language:
            broken(
                f"the report '{report.name}' must be marked as written in the language that was asked for",
                asked_for=language,
                marked=document.language,
                look_at="'languages', and the 'language' of the document",
            )
        for statement in document.statements:
            require_statement(statement, world)


def report_tells_groups_from_one(report: Report, group: World, one: World) -> None:
    """What holds for a group is not said in the words of one unit, in whatever language.

    The second world is the first, with a promise for each unit alone.
    """
    for language in report.languages:
        with making(Edition(language)):
            several, single = (report.build(world.certificate, world.account) for world in (group, one))
        if not several.statements or NEIGHBOURING.search(" ".join(prose(several))):
            continue
        size = str(group.plan.specification.neighbours.group)
        more = Counter(_told(several, size)) - Counter(_told(single, size))
        if not more:
            broken(
                f"the report '{report.name}' must say how many units may differ",
                language=language,
                they_hold_between=group.plan.comparison.between,
                reads_like=f"a promise for one {group.plan.specification.neighbours.unit}",
                remedy="write how many may differ, or the 'between' of the comparison",
            )


def _told(document: Document, size: str) -> Iterator[str]:
    """The words of a document, and the size of a group, but no other numbers."""
    for sentence in (*prose(document), document.title, document.subtitle):
        yield from (word for word in _WORD.findall(sentence) if word.isalpha() or word == size)


def report_says_where_nothing_is_promised(report: Report, world: World) -> None:
    """Where no two datasets are compared a report says so: a number that is 0 there is no promise."""
    document = report.build(world.certificate, world.account)
    words = [*prose(document), document.title, document.subtitle]
    words += [block.title for block in walked(document.blocks) if isinstance(block, Callout | Section)]
    if document.language == "en" and not any(map(_NOTHING.search, words)):
        broken(
            f"the report '{report.name}' must say that nothing is promised where no two datasets are compared",
            plan=world.plan.as_data(),
            look_at="'build'",
            remedy="ask 'account.closest.vacuous' first",
            convention="'nothing is promised', 'no promise', 'no two datasets' or 'vacuous' is looked for, in English",
        )
