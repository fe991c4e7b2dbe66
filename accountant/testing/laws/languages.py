"""Laws of what a report says in any world: in every language that it has, and where nothing is promised at all."""

from __future__ import annotations

import re

from accountant.report.document import Callout, Section, prose, walked
from accountant.report.editions import Edition, making
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken
from accountant.testing.laws.sentence import require_statement
from accountant.testing.worlds import World

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
