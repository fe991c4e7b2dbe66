"""Parts that several reports share: what is exact, what was asked, what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attrs import evolve

from accountant import Interval, Verdict
from accountant.plugin import DIVERGENCES
from accountant.report import (
    Aside,
    Block,
    Callout,
    Items,
    Paragraph,
    Statement,
    Words,
    accuracy,
    between,
    conditions,
    of_whom,
    others,
    say,
    spoken,
    stated,
    told,
)

if TYPE_CHECKING:
    from accountant import Account, Certificate
    from accountant.certificate import CertifiedReading

NOTHING = "—"
_FEW, _MOST_ROWS = 6, 200
DIGITS = 6
"""How many figures values of definitions have, on every page."""


def verdict_word(verdict: Verdict) -> str:
    """Whether a limit is kept, in a word or two."""
    return say(f"verdict.{verdict.value}")


def reading(guarantee: CertifiedReading) -> str:
    """The name of a number, where it is read and of whom."""
    places = (say("reading.at", word=word, value=spoken().number(value)) for word, value in guarantee.at.items())
    return f"{guarantee.value.name}{''.join(places)}{of_whom(guarantee)}"


def total(guarantee: CertifiedReading) -> str:
    """The upper end of a certified value."""
    upper = guarantee.value.upper
    if upper == "inf":
        return say("number.infinite")
    return spoken().number(Interval.of(upper).rounded(DIGITS)[1])


def title_of(account: Account, guarantee: CertifiedReading) -> str:
    """The full name of a definition, as the language has it or as its author calls it."""
    return definition_title(str(account.registry[DIVERGENCES][guarantee.divergence].title), guarantee.divergence)


def definition_title(title: str, name: str) -> str:
    """The name of a definition in the language that is written; its own title where that has none."""
    key = f"definition.{name}"
    return say(key) if key in spoken().messages else title


def exact_names(account: Account) -> list[str]:
    """What is published exactly."""
    return [invariant.name for invariant in account.plan.specification.invariants]


def verdict_callouts(certificate: Certificate, account: Account) -> list[Block]:
    """A warning where no budget speaks of some units, and for every kind of limit that is not known to be kept."""
    found = {verdict: list(_limits(certificate, account, verdict)) for verdict in Verdict}
    nobody = account.plan.specification.uncovered
    return [
        *([] if nobody is None else [Callout("warning", say("callout.uncovered"), (Paragraph(told(nobody)),))]),
        *_unkept(certificate, found),
    ]


def _unkept(certificate: Certificate, found: dict[Verdict, list[Words]]) -> list[Block]:
    return [
        Callout(
            "warning",
            say(f"callout.{verdict.value}.title"),
            (Paragraph(say(f"callout.{verdict.value}.text")), *([Items(tuple(limits))] if limits else [])),
        )
        for verdict, limits in found.items()
        if verdict is not Verdict.IMPLIED and verdict in certificate.verdicts
    ]


def _limits(certificate: Certificate, account: Account, verdict: Verdict) -> Iterator[Words]:
    """The limits with a verdict, in words, each with the reason where one is known."""
    if verdict is Verdict.VACUOUS:
        return
    says = certificate.contents
    for budget in says.budgets:
        if budget.verdict is verdict:
            why = told(budget.guarantee.remark or "") or say("callout.wide")
            limit = say(
                "callout.budget",
                definition=title_of(account, budget.guarantee),
                reading=reading(budget.guarantee),
                limit=spoken().number(budget.limit),
            )
            yield limit if verdict is Verdict.REFUTED else say("callout.why", limit=limit, why=why)
    for risk in says.risks:
        if risk.verdict is verdict:
            yield say("callout.risk", kind=risk.stated.kind, statement=told(risk.statement))
    for known in says.public:
        for relative in known.budgets:
            if relative.verdict is verdict:
                limit = say("callout.public", name=known.stated.name, definition=relative.divergence)
                yield say("callout.why", limit=limit, why=told(relative.relative.remark or "") or say("callout.wide"))


def exactness(account: Account) -> list[Block]:
    """What the noise costs those who use the statistics; many releases are folded away."""
    releases = account.plan.releases
    table = accuracy(releases, _MOST_ROWS)
    return [
        Paragraph(say("accuracy.explained")),
        Aside(say("accuracy.each"), (table,)) if len(releases) > _FEW else table,
    ]


def unprotected(account: Account) -> list[str]:
    """What is released as it is."""
    return [
        release.name
        for release in account.plan.releases
        if any(mechanism.kind == "non-private" for _, mechanism in release.mechanism.nested())
    ]


def small_print(certificate: Certificate, account: Account, more: str) -> tuple[Words, ...]:
    """The certified numbers in the words of specialists, and which other reports there are."""
    promised = [budget.guarantee for budget in certificate.contents.budgets if budget.verdict is not Verdict.VACUOUS]
    known = [item for item in promised if item.value.upper != "inf"]
    compared, count = account.plan.comparison, len(account.plan.releases)
    said: list[str | Statement] = []
    for place, item in enumerate(known):
        before = (
            say("small_print.start", count=count)
            if not place
            else say("small_print.and")
            if place == len(known) - 1
            else ", "
        )
        said.append(before + say("small_print.value", definition=title_of(account, item), reading=reading(item)))
        said.append(value_of(item, account))
    if known:
        said.append(". ")
    missing = "small_print.unknown" if compared.claimed else "small_print.unbounded"
    said += [
        f"{say(missing, reading=reading(item), definition=title_of(account, item))} "
        for item in promised
        if item.value.upper == "inf"
    ]
    holds = "".join(f"{condition} " for condition in conditions(compared))
    said.append(f"{say('small_print.between', datasets=between(compared))} {holds}{say('small_print.rounded')}")
    return (tuple(said), others(more))


def value_of(item: CertifiedReading, account: Account) -> Statement | str:
    """A certified value of all releases together, with what it says, as every page writes it."""
    found = stated(item, account.plan.comparison, account, DIGITS)
    return say("number.infinite") if isinstance(found, str) else evolve(found, text=spoken().number(found.text))
