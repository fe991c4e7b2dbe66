"""The law of languages: a report that is said to be written in one can be had in it."""

from __future__ import annotations

from accountant.report.editions import Edition, making
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken
from accountant.testing.laws.sentence import require_statement
from accountant.testing.worlds import World


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
