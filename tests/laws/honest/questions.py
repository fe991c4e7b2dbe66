"""A report of questions and answers, in words that others use to boast."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from accountant import Account, Certificate
from accountant.plugin import DIVERGENCES, Report, Statement, hookimpl
from accountant.report import Document, Items, Paragraph

_ANSWERS = (
    "Are the data completely anonymous? They are as private as the number says.",
    "Nobody can tell from this page alone which mechanism was used.",
    "No risk assessment was made, and no single risk figure says it all.",
    "Whoever attacks is taken to know all attributes of everybody else.",
    "It is impossible to tell from one number how an attack was made.",
    "Whether the budget is kept is said in the certificate.",
    "Some people say that a release like this is perfectly safe: it is as safe as the number says.",
    "The plan is public, and nothing is revealed by it.",
    "A household of four loses more.",
    "Made with accountant 1.4.2 on 18.11.2026, see section 3.2.",
)


@frozen
class Questions(Report):
    """What people ask, and how much is lost between neighbors."""

    name: ClassVar[str] = "questions"
    meaning: ClassVar[str] = "questions and answers"

    def build(self, certificate: Certificate, account: Account) -> Document:
        many = len(account.plan.releases)
        asked = (Items(_ANSWERS), Paragraph(f"This is about {many} of {many} releases."))
        if account.closest.vacuous:
            return Document(account.plan.title, (*asked, Paragraph("Nothing is promised about anybody.")))
        _, written = account.measure("pure").value.rounded(6)
        if written == "inf":
            return Document(account.plan.title, (*asked, Paragraph("Some output may tell everything.")))
        compared = account.plan.comparison
        pure = account.registry.find(DIVERGENCES, "pure")
        stated = Statement(written, compared, pure.quantity({}), Fraction(written))
        said = Paragraph(("How much does a person lose between neighboring datasets? It is at most ", stated, "."))
        exact = Paragraph(f"All of them agree on {', '.join(compared.exact) or 'nothing'}.")
        return Document(account.plan.title, (*asked, said, exact))


@hookimpl
def accountant_reports() -> Iterable[Report]:
    return (Questions(),)
