"""Parts that several reports share: what is exact, what was asked, what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant import Interval, Verdict
from accountant.plugin import DIVERGENCES
from accountant.report import Block, Callout, Code, Paragraph, Statement, Words, stated
from accountant_posterior.reports.wording import counted

if TYPE_CHECKING:
    from accountant import Account, Certificate
    from accountant.certificate import CertifiedReading

VERDICTS = {
    Verdict.IMPLIED: "kept",
    Verdict.REFUTED: "exceeded",
    Verdict.UNKNOWN: "not shown to be kept",
    Verdict.VACUOUS: "empty",
}
NOTHING = "—"


def reading(guarantee: CertifiedReading) -> str:
    """The name of a number, and where it is read."""
    at = "".join(f" at {word} = {value}" for word, value in guarantee.at.items())
    return f"{guarantee.value.name}{at}"


def total(guarantee: CertifiedReading, digits: int = 4) -> str:
    """The upper end of a certified value."""
    upper = guarantee.value.upper
    return "infinite" if upper == "inf" else Interval.of(upper).rounded(digits)[1]


def title_of(account: Account, guarantee: CertifiedReading) -> str:
    """The full name of a definition."""
    return str(account.registry[DIVERGENCES][guarantee.divergence].title)


def exact_names(account: Account) -> list[str]:
    """What is published exactly."""
    return [invariant.name for invariant in account.plan.specification.invariants]


def verdict_callouts(certificate: Certificate) -> list[Block]:
    """A warning for every kind of limit that is not known to be kept, and why that is not known."""
    open_why = dict.fromkeys(
        budget.guarantee.remark
        for budget in certificate.contents.budgets
        if budget.verdict is Verdict.UNKNOWN and budget.guarantee.remark is not None
    )
    said = {
        Verdict.REFUTED: "The releases together exceed a limit that was set for them.",
        Verdict.UNKNOWN: "Whether the releases together stay within every limit set for them could not be settled"
        + (f": {'; '.join(open_why)}." if open_why else "."),
        Verdict.VACUOUS: "No two datasets are compared: what is published exactly, or held fixed, leaves nothing open.",
    }
    found = {verdict for verdict in certificate.verdicts if verdict is not Verdict.IMPLIED}
    return [
        Callout(
            "warning",
            f"A limit is {VERDICTS[verdict]}" if verdict is not Verdict.VACUOUS else "Nothing is promised",
            (Paragraph(words),),
        )
        for verdict, words in said.items()
        if verdict in found
    ]


def unprotected(account: Account) -> list[str]:
    """What is released as it is."""
    return [
        release.name
        for release in account.plan.releases
        if any(mechanism.kind == "non-private" for _, mechanism in release.mechanism.nested())
    ]


def small_print(certificate: Certificate, account: Account, others: str) -> tuple[Words, ...]:
    """The certified numbers in the words of specialists, how to check them, and which other reports there are."""
    promised = [budget.guarantee for budget in certificate.contents.budgets if budget.verdict is not Verdict.VACUOUS]
    known = [item for item in promised if item.value.upper != "inf"]
    compared, count = account.plan.comparison, len(account.plan.releases)
    satisfied = "1 release satisfies" if count == 1 else f"{counted(count, 'release')} together satisfy"
    said: list[str | Statement] = []
    for place, item in enumerate(known):
        before = f"In technical terms, {satisfied} " if not place else " and " if place == len(known) - 1 else ", "
        said += [f"{before}{title_of(account, item)} with {reading(item)} of at most ", stated(item, compared, account, 4)]
    if known:
        said.append(". ")
    said += [
        f"{'No finite bound is known' if compared.claimed else 'There is no finite bound'} on {reading(item)} of "
        f"{title_of(account, item)}. "
        for item in promised
        if item.value.upper == "inf"
    ]
    conditions = "".join(f"{condition} " for condition in compared.conditions)
    said.append(f"That is between {compared.between}. {conditions}Every number is rounded outward.")
    return (tuple(said), ("Plan digest ", Code(certificate.contents.plan_digest), f". {others}"))
