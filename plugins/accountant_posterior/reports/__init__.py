"""Reports that say what a promise means for one person: for the public, for policy, for technical readers.

How each is written stands in a module of its own, loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from accountant.plugin import Report
from accountant_posterior.semantics.theorems import BEST_GUESS

if TYPE_CHECKING:
    from accountant import Account, Certificate
    from accountant.report import Document


class _Translated(Report):
    """Written in every language that the catalogue of texts has."""

    @property
    def languages(self) -> tuple[str, ...]:
        from accountant.report import languages

        return languages()


class PublicReport(_Translated):
    """No formulas, no Greek letters, and one adversary: someone who knows everything else."""

    name: ClassVar[str] = "public"
    usual: ClassVar[bool] = True
    meaning: ClassVar[str] = "what those who know all others could learn about one person at most, in plain words"

    def build(self, certificate: Certificate, account: Account) -> Document:
        from accountant_posterior.reports.public import build

        return build(certificate, account)


class PolicyReport(_Translated):
    """One adversary throughout, who knows everything else; a simulated attack stands apart and is called one."""

    name: ClassVar[str] = "policy"
    meaning: ClassVar[str] = "the same numbers with their assumptions, chances of failure, and scenarios side by side"

    def build(self, certificate: Certificate, account: Account) -> Document:
        from accountant_posterior.reports.policy import build

        return build(certificate, account)


class TechnicalReport(_Translated):
    """Everything that a specialist needs to believe the numbers, or to doubt them."""

    name: ClassVar[str] = "technical"
    meaning: ClassVar[str] = "theorems, derivations, curves with both ends, plugins with digests, and how to verify"

    def build(self, certificate: Certificate, account: Account) -> Document:
        from accountant_posterior.reports.technical import build

        return build(certificate, account)


REPORTS = (PublicReport(), PolicyReport(), TechnicalReport())

__all__ = ["BEST_GUESS", "REPORTS", "PolicyReport", "PublicReport", "TechnicalReport"]
