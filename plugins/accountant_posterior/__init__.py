"""What a promise means for a person: posterior readings, risk profiles, count attacks, reports, and inference from what
was released."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accountant import Theorem
from accountant.plugin import ConformanceCase, Report, RiskProfile, hookimpl

if TYPE_CHECKING:
    import click

    from accountant_posterior.names import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """The names that are offered in Python, which hooks do not need."""
        import accountant_posterior.names as names

        return getattr(names, name)


@hookimpl
def accountant_theorems() -> Iterable[Theorem]:
    from accountant_posterior.risk import theorems as risk_theorems
    from accountant_posterior.semantics import theorems

    return (
        *theorems.FOUNDATIONS,
        theorems.CONVERSE,
        *theorems.READINGS,
        *theorems.COMPARISONS,
        theorems.DOMINATING_LAW,
        theorems.EXACT_LAW,
        theorems.BEST_GUESS,
        *risk_theorems.FOUNDATIONS,
    )


@hookimpl
def accountant_risk_profiles() -> Iterable[type[RiskProfile]]:
    from accountant_posterior.risk.profiles import KINDS

    return KINDS


@hookimpl
def accountant_conformance_cases() -> Iterable[ConformanceCase]:
    from accountant_posterior.risk.cases import cases

    return cases()


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant_posterior.attack import command as attack
    from accountant_posterior.figures.command import command as figures
    from accountant_posterior.infer import command as infer
    from accountant_posterior.risk.recommend import command as recommend

    return (attack, figures, infer, recommend)


@hookimpl
def accountant_reports() -> Iterable[Report]:
    from accountant_posterior.reports import REPORTS

    return REPORTS
