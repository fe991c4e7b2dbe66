"""A report in German, which has other words for everything but the names of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant import Account, Certificate
from accountant.plugin import DIVERGENCES, Report, Statement, hookimpl
from accountant.report import Document, Items, Paragraph


@frozen
class InGerman(Report):
    """Epsilon, and between which datasets it holds, in German."""

    name: ClassVar[str] = "in-german"
    meaning: ClassVar[str] = "the largest loss, in German"

    @property
    def languages(self) -> tuple[str, ...]:
        return ("de",)

    def build(self, certificate: Certificate, account: Account) -> Document:
        if account.closest.vacuous:
            return Document("Verlust", (Paragraph("Nichts wird verglichen."),), language="de")
        _, written = account.measure("pure").value.rounded(6)
        if written == "inf":
            return Document("Verlust", (Paragraph("Eine Ausgabe kann alles verraten."),), language="de")
        compared = account.plan.comparison
        pure = account.registry.find(DIVERGENCES, "pure")
        stated = Statement(written, compared, pure.quantity({}), Fraction(written))
        near = compared.neighbours
        whom = "einer Person" if near.group == 1 else f"bis zu {near.group} Personen"
        told = [f"Verglichen werden Daten, die sich bei {whom} unterscheiden."]
        if near.attributes is not None:
            told.append(f"Unterschiede gibt es nur hierin: {', '.join(sorted(near.attributes))}.")
        if compared.exact:
            told.append(f"Genau bekannt ist: {', '.join(compared.exact)}.")
        return Document("Verlust", (Paragraph(("Er ist nie mehr als ", stated, ".")), Items(tuple(told))), language="de")


@hookimpl
def accountant_reports() -> Iterable[Report]:
    return (InGerman(),)
