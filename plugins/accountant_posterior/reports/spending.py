"""Where the budget goes and what further releases would do, for the policy report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accountant import Interval, fields
from accountant.plugin import DIVERGENCES, joined, plural
from accountant.report import Axis, Bar, Bars, Block, Callout, Paragraph, Section, Statement, Table, stated
from accountant_posterior.reports.shared import (
    reading,
    title_of,
)
from accountant_posterior.reports.view import Target, View, repeated
from accountant_posterior.reports.wording import number, percent

if TYPE_CHECKING:
    from accountant import Account, Certificate
    from accountant.certificate import Enclosure

_TIMES = (2, 5, 10)
_MOST_BARS = 12
_MOST_ROWS = 200


def spending(certificate: Certificate, account: Account) -> list[Section]:
    """What each release costs alone."""
    budgets = certificate.contents.budgets
    releases = [(release.name, _upper(release.costs[0])) for release in certificate.contents.releases if release.costs]
    if len(releases) < 2 or not budgets:
        return []
    budget = budgets[0].guarantee
    costs = sorted(releases, key=lambda item: -item[1])
    finite = [(name, cost) for name, cost in costs if cost < float("inf")]
    shown, rest = finite[:_MOST_BARS], finite[_MOST_BARS:]
    unlimited = [name for name, cost in costs if cost == float("inf")]
    name = reading(budget)
    said = f"The largest of {len(releases):,} releases is {shown[0][0]} with {number(shown[0][1])}." if shown else ""
    if rest:
        said += f" Each of the {len(rest):,} that are not drawn costs at most {number(rest[0][1])}."
    compared, at = account.plan.comparison, {word: fields.exact(value) for word, value in budget.at.items()}
    quantity = account.registry.find(DIVERGENCES, budget.divergence).quantity(at)

    def alone(label: str, cost: float, digits: int = 4) -> Statement:
        written = number(cost, digits)
        return Statement(written, compared, quantity, fields.exact(written), at, release=label)

    blocks: list[Block] = [
        Paragraph(
            (
                f"What each release would cost alone, as {name} of {title_of(account, budget)}. All together cost ",
                stated(budget, compared, account),
                ", which need not be the sum.",
            )
        )
    ]
    if unlimited:
        words = f"Some releases have no finite cost: {joined(unlimited[:5])}."
        blocks.append(Callout("warning", "Without limit", (Paragraph(words),)))
    if shown:
        blocks.append(
            Bars(
                "What each release costs alone",
                said,
                Axis(name),
                tuple(Bar(label, cost, number(cost)) for label, cost in shown),
                Table(
                    "Cost of each release alone, rounded up"
                    + (f"; the {_MOST_ROWS} that cost most" if len(finite) > _MOST_ROWS else ""),
                    ("release", name),
                    tuple((label, number(cost, 6)) for label, cost in finite[:_MOST_ROWS]),
                    (
                        *(alone(label, cost) for label, cost in (*shown[:1], *rest[:1])),
                        *(alone(label, cost, 6) for label, cost in finite[:_MOST_ROWS]),
                    ),
                ),
            )
        )
    return [Section("Where the budget goes", tuple(blocks))]


def _upper(cost: Enclosure) -> float:
    return float("inf") if cost.upper == "inf" else Interval.of(cost.upper).upper


def outlook(told: Sequence[View], target: Target) -> Section:
    """What further releases would add."""
    further = {1: told, **{times: [repeated(view, times) for view in told] for times in _TIMES}}
    rows = tuple(
        ("once, as planned" if times == 1 else f"{times} times", *(percent(view.guess.upper, up=True) for view in seen))
        for times, seen in further.items()
    )
    return Section(
        "If the same were released again",
        (
            Paragraph(
                f"Every further release about the same {plural(target.neighbours.unit)} adds to what can be learned. If "
                "all of these releases were made again, with fresh randomness and on the same data, the best guess "
                "about an even question would be right at most so often:"
            ),
            Table(
                "Right guesses about an even question, at most, by the number of times",
                ("released", *(view.label for view in told)),
                rows,
            ),
        ),
    )
