"""Which datasets a number compares, in the language of a report.

In English word for word what `ComparedPairs` says of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.report.messages import in_a_row, say, spoken
from accountant.report.translated import told

if TYPE_CHECKING:
    from accountant.promise.words import ComparedPairs

_FEW = 3


def between(compared: ComparedPairs) -> str:
    """The pairs of datasets, with the name of the relation, and that they agree on what is exact."""
    agreeing = say("compared.agreeing") if compared.invariants else ""
    return f"{_datasets(compared)}{agreeing} ({compared.neighbours.relation.name})"


def conditions(compared: ComparedPairs) -> tuple[str, ...]:
    """What a reader could otherwise take to be promised, one sentence each."""
    found: list[str] = []
    if left := unprotected(compared):
        found.append(left)
    if compared.cohort is not None:
        found.append(say("compared.limited", units=spoken().unit(compared.neighbours.unit, 2)))
    if compared.entities:
        found.append(say("compared.declared", names=in_a_row(compared.entities)))
    if compared.invariants:
        found.append(say("compared.published", names=in_a_row(compared.exact)))
    if compared.hidden_sample:
        found.append(say("compared.sampled"))
    if compared.claimed:
        few = [f"'{name}'" for name in compared.claimed[:_FEW]]
        more = len(compared.claimed) - len(few)
        found.append(say("compared.trusted", names=in_a_row([*few, say("words.more", count=more)] if more else few)))
    return tuple(found)


def unprotected(compared: ComparedPairs) -> str:
    """Which attributes the number says nothing about; nothing where it speaks of all."""
    own = compared.neighbours
    others = "" if own.attributes is None else say("compared.unprotected", unit=spoken().unit(own.unit))
    left = "" if own.relation.policy is None else told(own.relation.policy.leaves_open)
    return " ".join(filter(None, (others, left)))


def _datasets(compared: ComparedPairs) -> str:
    own, unit = compared.neighbours, spoken().unit
    group = own.group
    whom = (
        say("compared.one", unit=unit(own.unit))
        if group == 1
        else say("compared.several", group=group, units=unit(own.unit, group))
    )
    whose = "" if compared.cohort is None else f" {told(compared.cohort.whose)}"
    whom += whose
    if own.relation.by_presence:
        return say("compared.presence", whom=whom)
    if own.relation.by_value:
        return say("compared.values", what=_what(compared), whom=whom)
    meaning = say("compared.where", meaning=told(own.relation.meaning))
    only = say("compared.only", units=unit(own.unit, 2), whose=whose) if whose else ""
    return (meaning if group == 1 else meaning + say("compared.times", group=group)) + only


def _what(compared: ComparedPairs) -> str:
    """What may differ between two values of a unit."""
    attributes = compared.neighbours.attributes
    if attributes is None:
        return say("compared.records" if compared.neighbours.group > 1 else "compared.record")
    if not attributes:
        return say("compared.nothing")
    return say("compared.attributes", count=len(attributes), names=in_a_row(sorted(attributes)))
