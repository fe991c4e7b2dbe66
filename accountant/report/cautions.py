"""Cautions: what a reader must know before the numbers, since a zero may be a slip of the pen."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from accountant.errors import Fault
from accountant.report import Callout, Items, say
from accountant.report.translated import term, told
from accountant.values.places import told as placed
from accountant.values.writing import listed

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.contents import CertifiedRelease, Contents


@frozen
class Cautions:
    """Warnings of a plan, and the releases that cost nothing, each by its place with its name and the reason."""

    warnings: tuple[Fault, ...]
    zeros: tuple[Fault, ...]
    spends_nothing: bool
    """Whether no release tells anything of what is protected, which is more than that all numbers are 0."""

    @classmethod
    def of(cls, says: Contents, account: Account) -> Cautions:
        """What is to be said of an account beside its certificate."""
        reasons = list(_reasons(account))
        found = enumerate(zip(says.releases, reasons, strict=True))
        said = [
            (index, release.name, _zero(reason))
            for index, (release, reason) in found
            if reason is not None or _reads_zero(release)
        ]
        zeros = tuple(account.plan.located(Fault(words, f"release[{index}]", name)) for index, name, words in said)
        return cls(account.plan.warnings, zeros, None not in reasons)

    def callouts(self) -> list[Callout]:
        """All of it, before anything else is said; releases of one reason in one line."""
        names: dict[str, list[str]] = {}
        for zero in self.zeros:
            names.setdefault(zero.message, []).append(str(zero.name))
        lines = [*map(_told, self.warnings)]
        lines += [say("cautions.line", names=_each(several), words=words) for words, several in names.items()]
        title = say("cautions.nothing" if self.spends_nothing else "cautions.check")
        return [Callout("warning", title, (Items(tuple(lines)),))] if lines else []


def _told(warning: Fault) -> str:
    """A warning with its place, without the folder of its file: pages are for others too."""
    file = None if warning.file is None else Path(warning.file).name
    return placed(evolve(warning, message=told(warning.message), file=file))


def _zero(reason: str | None) -> str:
    return say("cautions.reads_zero") if reason is None else say("cautions.costs_nothing", why=told(reason))


def _reasons(account: Account) -> Iterator[str | None]:
    """Why each release costs nothing, if it does; those that are alike are asked once."""
    from accountant.accounting.costless import costless

    known: dict[Hashable, str | None] = {}
    for entry in account.entries:
        query = entry.release.query
        key = entry.key, None if query is None else query.attributes
        if key not in known:
            known[key] = costless(entry)
        yield known[key]


def _reads_zero(release: CertifiedRelease) -> bool:
    return bool(release.costs) and all(cost.upper == "0" for cost in release.costs or ())


def _each(names: list[str]) -> str:
    return listed(names) if len(names) == 1 else say("cautions.each", names=term(listed(names)))
