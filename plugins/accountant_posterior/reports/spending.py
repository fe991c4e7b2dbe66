"""Where the budget goes and what further releases would do, for the policy report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from accountant import Interval, fields
from accountant.plugin import DIVERGENCES
from accountant.report import (
    Axis,
    Bar,
    Bars,
    Block,
    Callout,
    Paragraph,
    Section,
    Statement,
    Table,
    in_a_row,
    say,
    words,
)
from accountant_posterior.reports.hand import PRECISE
from accountant_posterior.reports.shared import reading, title_of, value_of
from accountant_posterior.reports.view import Target, View, repeated
from accountant_posterior.reports.wording import decimal, number

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
    whom = None if budget.cohort is None else budget.cohort.cohort
    name, compared = reading(budget), evolve(account.plan.comparison, cohort=whom)
    at = {word: fields.exact(value) for word, value in budget.at.items()}
    quantity = account.registry.find(DIVERGENCES, budget.divergence).quantity(at)

    def alone(label: str, cost: float) -> Statement:
        return Statement(number(cost), compared, quantity, fields.exact(decimal(cost)), at, release=label)

    blocks: list[Block] = [
        Paragraph(
            words("policy.costs.says", reading=name, definition=title_of(account, budget), total=value_of(budget, account))
        )
    ]
    if unlimited:
        unbounded = say("policy.costs.unlimited", names=in_a_row(unlimited[:5]))
        blocks.append(Callout("warning", say("policy.costs.unlimited_title"), (Paragraph(unbounded),)))
    if shown:
        said = say("policy.costs.largest", count=len(releases), name=shown[0][0], cost=number(shown[0][1]))
        if rest:
            said += " " + say("policy.costs.rest", count=len(rest), cost=number(rest[0][1]))
        cut = say("policy.costs.most", count=_MOST_ROWS) if len(finite) > _MOST_ROWS else ""
        blocks.append(
            Bars(
                say("policy.costs.figure"),
                said,
                Axis(name),
                tuple(Bar(label, cost, number(cost)) for label, cost in shown),
                Table(
                    say("policy.costs.table") + cut,
                    (say("column.release"), name),
                    tuple((label, number(cost)) for label, cost in finite[:_MOST_ROWS]),
                    tuple(alone(label, cost) for label, cost in finite[:_MOST_ROWS]),
                ),
            )
        )
    return [Section(say("policy.costs.title"), tuple(blocks))]


def _upper(cost: Enclosure) -> float:
    return float("inf") if cost.upper == "inf" else Interval.of(cost.upper).upper


def outlook(told: Sequence[View], target: Target) -> Section:
    """What further releases would add."""
    further = {1: told, **{times: [repeated(view, times) for view in told] for times in _TIMES}}
    rows = tuple(
        (
            say("policy.again.once") if times == 1 else say("policy.again.times", number=times),
            *(PRECISE.guessed(view.guess) for view in seen),
        )
        for times, seen in further.items()
    )
    return Section(
        say("policy.again.title"),
        (
            Paragraph(say("policy.again.says", units=target.units)),
            Table(say("policy.again.table"), (say("policy.again.released"), *(view.label for view in told)), rows),
        ),
    )
