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


_STUDY = """Study what methods do on average: over settings of a grid, over months, over repeated releases.

    Studies run in several processes, show how far they are, go on where they were ended, and write a table, a page and
    figures. They say how well methods work; they are no statements about privacy.

    \b
    Examples:
      accountant study intervals coverage.toml --output coverage --jobs 2
      accountant study counties counties.csv --output counties --seed 1
      accountant study tests tests.toml --output power
      accountant study clamps clamps.toml --output clamps
      accountant study beliefs survey.toml --times 100 --failure 0.01 --output beliefs
      accountant study sources figure-2.4 --output decisions
    """


@hookimpl
def accountant_commands() -> Iterable[click.Command]:
    from accountant.commands import Commands
    from accountant_posterior.attack import command as attack
    from accountant_posterior.figures import command as figures
    from accountant_posterior.infer import command as infer
    from accountant_posterior.risk.recommend import command as recommend

    where = {
        "intervals": "accountant_posterior.studies.command.command",
        "beliefs": "accountant_posterior.studies.beliefs_command.command",
        "sources": "accountant_posterior.sources.command.command",
    }
    study = Commands("study", where, short_help="Study coverage, errors, power and beliefs over settings.", help=_STUDY)
    return (attack, figures, infer, recommend, study)


@hookimpl
def accountant_reports() -> Iterable[Report]:
    from accountant_posterior.explorer import ExplorerReport
    from accountant_posterior.reports import REPORTS

    return (*REPORTS, ExplorerReport())
