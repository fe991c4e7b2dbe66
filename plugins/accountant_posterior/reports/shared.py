"""Parts that several reports share: what is exact, what was asked, what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accountant import Interval, Verdict
from accountant.report import Block, Callout, Code, Paragraph, Words
from accountant_posterior.reports.wording import counted, joined

if TYPE_CHECKING:
    from accountant import Account, Certificate

VERDICTS = {
    Verdict.IMPLIED: "kept",
    Verdict.REFUTED: "exceeded",
    Verdict.UNKNOWN: "not settled",
    Verdict.VACUOUS: "promises nothing",
}


def reading(guarantee: Mapping[str, Any]) -> str:
    """The name of a number, and where it is read."""
    at = "".join(f" at {word} = {value}" for word, value in guarantee["at"].items())
    return f"{guarantee['value']['name']}{at}"


def total(guarantee: Mapping[str, Any], digits: int = 4) -> str:
    """The upper end of a certified value."""
    upper = guarantee["value"]["upper"]
    return "infinite" if upper == "inf" else Interval.of(upper).rounded(digits)[1]


def title_of(account: Account, guarantee: Mapping[str, Any]) -> str:
    """The full name of a definition."""
    return str(account.registry.divergences[guarantee["divergence"]].title)


def exact_names(account: Account) -> list[str]:
    """What is published exactly."""
    return [invariant.name for invariant in account.plan.specification.invariants]


def verdict_callouts(certificate: Certificate) -> list[Block]:
    """A warning for every budget that is not known to be kept."""
    said = {
        Verdict.REFUTED: "The releases together exceed the limit that was set for them.",
        Verdict.UNKNOWN: "Whether the releases together stay within the limit that was set for them could not be settled.",
        Verdict.VACUOUS: "What is published exactly determines everything that is at stake, so nothing is promised to anybody.",
    }
    found = {verdict for verdict in certificate.verdicts if verdict is not Verdict.IMPLIED}
    return [Callout("warning", VERDICTS[verdict].capitalize(), (Paragraph(said[verdict]),)) for verdict in said if verdict in found]


def small_print(certificate: Certificate, account: Account) -> tuple[Words, ...]:
    """The certified numbers in the words of specialists, and how to check them."""
    budgets = certificate.data["budgets"]
    certified = joined(
        f"{title_of(account, budget['guarantee'])} with {reading(budget['guarantee'])} of at most "
        f"{total(budget['guarantee'])}"
        for budget in budgets
    )
    releases = counted(len(account.plan.releases), "release")
    return (
        f"In technical terms, {releases} together satisfy {certified}. Neighbouring datasets: "
        f"{account.plan.specification.neighbours.relation.name}, unit: {account.plan.specification.neighbours.unit}. "
        "Every number is rounded outward.",
        ("Plan digest ", Code(str(certificate.data["plan_digest"])), ". The policy and technical reports say more."),
    )
