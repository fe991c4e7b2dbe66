"""A report of one number, stated so that it can be checked."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant import Account, Certificate
from accountant.plugin import DIVERGENCES, Report, Statement, hookimpl
from accountant.report import Document, Paragraph


@frozen
class OneNumber(Report):
    """Epsilon, and between which datasets it holds."""

    name: ClassVar[str] = "one-number"
    meaning: ClassVar[str] = "the largest loss, in one sentence"

    def build(self, certificate: Certificate, account: Account) -> Document:
        compared = account.plan.comparison
        if account.closest.vacuous:
            return Document(account.plan.title, (Paragraph("No two datasets are compared."),))
        _, written = account.measure("pure").value.rounded(6)
        if written == "inf":
            return Document(account.plan.title, (Paragraph("Some output may tell everything."),))
        pure = account.registry.find(DIVERGENCES, "pure")
        stated = Statement(written, compared, pure.quantity({}), Fraction(written))
        said = Paragraph(("The largest loss is at most ", stated, f" between {compared.between}."))
        return Document(account.plan.title, (said, *(Paragraph(words) for words in compared.conditions)))


@hookimpl
def accountant_reports() -> Iterable[Report]:
    return (OneNumber(),)
