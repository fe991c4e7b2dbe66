"""What may go wrong in a report."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
from attrs import evolve

from accountant.accounting.account import Account, account as accounted
from accountant.certificate.certificate import Certificate
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.neighbours import REPLACE_ONE
from accountant.promise.statement import Statement
from accountant.report.document import Document, KeyFigure, Paragraph
from accountant.report.editions import Edition, making
from accountant.report.interface import REPORTS, Report
from accountant.report.table import Table
from accountant.testing.planting import TENTH, changed

FAMILY = REPORTS


def number_without_a_statement(report: Report) -> Report:
    """Numbers are written and nothing says what they count."""
    return _rewritten(report, lambda value: value.text if isinstance(value, Statement) else value)


def nothing_said_where_nothing_is_promised(report: Report) -> Report:
    """Where no two datasets are compared it has a number all the same."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        found = report.build(certificate, account)
        return evolve(found, blocks=(Paragraph("The loss is small."),)) if account.closest.vacuous else found

    return changed(report, build=build)


def another_language_promised(report: Report) -> Report:
    """It is said to be written in a language in which nobody has written it."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        with making(Edition(report.languages[0])):
            return report.build(certificate, account)

    return changed(report, languages=(*report.languages, "xx"), build=build)


def another_language_marked(report: Report) -> Report:
    """Where it states nothing it is marked as written in another language."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        found = report.build(certificate, account)
        return found if found.statements else evolve(found, language="xx")

    return changed(report, build=build)


def number_of_its_own(report: Report) -> Report:
    """A sentence with a number is added that nothing states."""
    return _saying(report, "A guess is right 61.7% of the time at most.")


def no_risk_promised(report: Report) -> Report:
    """A sentence is added that no number supports."""
    return _saying(report, "Nobody can find out who is in the data.")


def untraceable(report: Report) -> Report:
    """A sentence is added of which everybody hopes that it is true."""
    return _saying(report, "Your data cannot be traced back to you.")


def nothing_said_to_be_lost(report: Report) -> Report:
    """A sentence is added that is true where nothing is released only."""
    return _saying(report, "The loss is 0.")


def another_place_named(report: Report) -> Report:
    """Beside a number that is read somewhere another place is named."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        found, known = report.build(certificate, account), account.registry[DIVERGENCES].values()
        definition = next(item for item in known if item.usual and item.primary.at)
        at = {word: definition.word(word).places[-1] for word in definition.primary.at}
        _, written = account.measure(definition.name, at).value.rounded(6)
        if written == "inf":
            return found
        stated = Statement(written, account.plan.comparison, definition.quantity(at), Fraction(written), at)
        return evolve(found, blocks=(*found.blocks, Paragraph(("Read at 3e-9, the loss is at most ", stated, "."))))

    return changed(report, build=build)


def another_epsilon_named(report: Report) -> Report:
    """Beside a number that is read at one epsilon another is named."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        found, at = report.build(certificate, account), {"epsilon": Fraction(1)}
        definition = next(
            known
            for known in account.registry[DIVERGENCES].values()
            if any(reading.at == tuple(at) and reading.value == "delta" for reading in known.readings)
        )
        _, written = account.measure(definition.name, at).value.rounded(6)
        stated = Statement(written, account.plan.comparison, definition.quantity(at), Fraction(written), at)
        return evolve(found, blocks=(*found.blocks, Paragraph(("At epsilon = 2, delta is at most ", stated, "."))))

    return changed(report, build=build)


def every_attribute_named(report: Report) -> Report:
    """What holds where some attributes differ is said of all."""
    return _saying(report, "This holds for every attribute.")


def budget_called_kept(report: Report) -> Report:
    """Whatever is found, the budget is said to be kept."""
    return _saying(report, "The budget is kept.")


def another_unit_named(report: Report) -> Report:
    """What holds for one unit is said of another."""
    return _rewritten(report, lambda value: re.sub(r"\bperson\b", "household", value) if isinstance(value, str) else value)


def a_tenth_too_little_stated(report: Report) -> Report:
    """What is stated is a tenth smaller than what holds."""
    return _restated(report, lambda statement: _lower(statement) if statement.direction == "at most" else statement)


def lower_end_printed_as_at_most(report: Report) -> Report:
    """What some pair of datasets reaches is said never to be exceeded."""
    return _restated(report, lambda statement: evolve(_lower(statement), direction="at most"))


def values_compared_where_presence_is(report: Report) -> Report:
    """What holds between datasets with and without a unit is said of any two values."""

    def between_values(statement: Statement) -> Statement:
        own = statement.comparison
        return evolve(statement, comparison=evolve(own, neighbours=evolve(own.neighbours, relation=REPLACE_ONE)))

    return _restated(report, between_values)


def two_units_compared_where_one_is(report: Report) -> Report:
    """What holds for one unit is said of two."""

    def of_two(statement: Statement) -> Statement:
        own = statement.comparison
        return evolve(statement, comparison=evolve(own, neighbours=evolve(own.neighbours, group=own.neighbours.group + 1)))

    return _restated(report, of_two)


def groups_not_mentioned(report: Report) -> Report:
    """What holds for groups is said in the words in which it is said for one."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        found, plan = report.build(certificate, account), account.plan
        one = evolve(plan.specification.neighbours, group=1)
        alone = evolve(plan, specification=evolve(plan.specification, neighbours=one))
        said = report.build(certificate, accounted(alone, registry=account.registry))
        own = iter(found.statements)
        if len(said.statements) != len(found.statements):
            return found
        told: Document = _walked(said, lambda value: next(own) if isinstance(value, Statement) else value)
        return told

    return changed(report, build=build)


def insiders_told_what_outsiders_are(report: Report) -> Report:
    """What holds for those who do not know who was sampled is said of all."""
    return _restated(report, lambda said: evolve(said, comparison=evolve(said.comparison, hidden_sample=False)))


def exact_counts_not_mentioned(report: Report) -> Report:
    """What holds between datasets with the same exact counts is said of all."""
    return _restated(report, lambda said: evolve(said, comparison=evolve(said.comparison, invariants=())))


def conditions_left_out(report: Report) -> Report:
    """Everything but the blocks in which something is stated is left out."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        document = report.build(certificate, account)
        told = tuple(block for block in document.blocks if Document("", (block,)).statements)
        return evolve(document, blocks=told or document.blocks, small_print=())

    return changed(report, build=build)


def at_least_said_of_at_most(report: Report) -> Report:
    """What is at most so much is said to be at least so much."""

    def turned(value: Any) -> Any:
        return value.replace("at most", "at least") if isinstance(value, str) else value

    return _rewritten(report, turned)


def stated_and_not_written(report: Report) -> Report:
    """It states what no reader finds."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        document = report.build(certificate, account)
        hidden = tuple(evolve(statement, text="a number of its own") for statement in document.statements)
        return evolve(document, blocks=(*document.blocks, Table("further", ("value",), (("see above",),), hidden)))

    return changed(report, build=build)


def meaning_dropped(report: Report) -> Report:
    """It does not say what it is for."""
    return changed(report, meaning="")


def _saying(report: Report, sentence: str) -> Report:
    """The report with one more sentence."""

    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        document = report.build(certificate, account)
        return evolve(document, blocks=(*document.blocks, Paragraph(sentence)))

    return changed(report, build=build)


def _restated(report: Report, other: Callable[[Statement], Statement]) -> Report:
    return _rewritten(report, lambda value: other(value) if isinstance(value, Statement) else value)


def _rewritten(report: Report, other: Callable[[Any], Any]) -> Report:
    def build(self: Report, certificate: Certificate, account: Account) -> Document:
        found: Document = _walked(report.build(certificate, account), other)
        return found

    return changed(report, build=build)


def _walked(value: Any, other: Callable[[Any], Any]) -> Any:
    """The same with everything inside a document changed."""
    if isinstance(value, tuple):
        return tuple(_walked(part, other) for part in value)
    if isinstance(value, Statement) or not attrs.has(type(value)):
        return other(value)
    inside = {member.name: _walked(getattr(value, member.name), other) for member in attrs.fields(type(value))}
    if isinstance(value, KeyFigure) and not isinstance(inside["statement"], Statement):
        inside["statement"] = None
    if isinstance(value, Table):
        inside["statements"] = tuple(said for said in inside["statements"] if isinstance(said, Statement))
    return other(evolve(value, **inside))


def _lower(statement: Statement) -> Statement:
    number = Fraction(f"{float(statement.number * TENTH):.4g}")
    return evolve(statement, number=number, text=f"{float(number):.4g}")
