"""Cautions: what a reader must know before the numbers, since a zero may be a slip of the pen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.report import Callout, Items
from accountant.values.writing import listed

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.contents import CertifiedRelease, Contents


def spends_nothing(says: Contents, account: Account) -> bool:
    """Whether no release costs anything."""
    return len(_free(says, account)) == len(says.releases)


def cautions(says: Contents, account: Account) -> list[Callout]:
    """Releases that cost nothing, with the reason, and attributes that may be misspelt."""
    lines = [str(warning) for warning in account.plan.warnings]
    reasons: dict[str, list[str]] = {}
    for name, reason in _free(says, account):
        reasons.setdefault(reason, []).append(name)
    lines += [f"{_each(names)} costs nothing: {reason}" for reason, names in reasons.items()]
    if not lines:
        return []
    title = "no release costs anything" if spends_nothing(says, account) else "check that this is meant"
    return [Callout("warning", title, (Items(tuple(lines)),))]


def _free(says: Contents, account: Account) -> list[tuple[str, str]]:
    """The releases that cost nothing, each with the reason."""
    from accountant.accounting.costless import costless

    found = zip(says.releases, account.entries, strict=True)
    reasons = [(release.name, costless(entry) or _zero(release)) for release, entry in found]
    return [(name, reason) for name, reason in reasons if reason is not None]


def _zero(release: CertifiedRelease) -> str | None:
    """Why a release whose numbers are zero costs nothing, where its query moves and its mechanism does something."""
    if release.costs and all(cost.upper == "0" for cost in release.costs):
        return "the parameters of its mechanism say so"
    return None


def _each(names: list[str]) -> str:
    return listed(names) if len(names) == 1 else f"each of {listed(names)}"
