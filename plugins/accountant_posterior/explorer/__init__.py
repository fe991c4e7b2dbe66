"""The explorer: a report in which a reader moves what is supposed, and every number shown was enclosed beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from accountant.plugin import Report

if TYPE_CHECKING:
    from accountant import Account, Certificate
    from accountant.report import Document


class ExplorerReport(Report):
    """One page in which a reader moves what is supposed; every number in it was enclosed beforehand."""

    name: ClassVar[str] = "explorer"
    meaning: ClassVar[str] = (
        "a page to explore: move beliefs, chances, releases, noise and attackers, and draw risk profiles"
    )

    def build(self, certificate: Certificate, account: Account) -> Document:
        from accountant_posterior.explorer.report import build

        return build(certificate, account)
