"""One sentence for somebody with a minute."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from accountant import Interval
from accountant.plugin import Quantity, Report, Statement, hookimpl
from accountant.report import Callout, Document, Paragraph

if TYPE_CHECKING:
    from accountant import Account, Certificate
    from accountant.report import Block


# What the number counts, straight from its definition, so that the laws can enumerate it: a coin chooses one of two output
# laws, and the best guess says the one under which the output is more likely.
def _right(outcomes: Iterable[tuple[Fraction, Fraction]], _: Mapping[str, Fraction]) -> Interval:
    return Interval.of(sum((max(pair) for pair in outcomes), Fraction(0)) / 2)


BEST_GUESS = Quantity("how often the best guess of one of two is right", _right)


class Postcard(Report):
    """One sentence on how often the best guess about one unit is right."""

    name: ClassVar[str] = "postcard"
    meaning: ClassVar[str] = "one sentence for somebody with a minute"

    def build(self, certificate: Certificate, account: Account) -> Document:
        blocks: list[Block] = []
        if not certificate.kept:
            warning = Paragraph("Not everything that the plan promises is known to be kept.")
            blocks.append(Callout("warning", "Not kept", (warning,)))
        blocks.append(Paragraph(_sentence(account)))
        return Document(certificate.contents.title, tuple(blocks))


def _sentence(account: Account) -> str | tuple[str | Statement, ...]:
    compared = account.plan.comparison
    if account.closest.vacuous:
        return "No two datasets are compared, so that nothing is promised about anybody."
    # A number is rounded so that it stays true: up, since it is said to be a bound from above.
    right = (1 + Fraction(account.measure("approx", epsilon=0).value.upper)) / 2
    share = min(100, math.ceil(100 * right))
    stated = Statement(f"{share} of 100", compared, BEST_GUESS, Fraction(share, 100))
    return (
        f"Between {compared.between}: told by a coin which of the two is used, nobody who sees what is released guesses "
        "right more than ",
        stated,
        " times.",
        *(f" {condition}" for condition in compared.conditions),
    )


# Hooks hand everything to the registry.
@hookimpl
def accountant_reports() -> Iterable[Report]:
    return (Postcard(),)
