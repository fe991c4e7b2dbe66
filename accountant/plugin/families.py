"""The families: what plugins register, one token for each hook."""

from __future__ import annotations

from typing import Any

import click

from accountant.engines.kinds import ENGINES
from accountant.plan.bridge import BRIDGES
from accountant.plugin import hookspecs
from accountant.plugin.cases import CASES
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import COMPOSITION_RULES, DIVERGENCES
from accountant.promise.neighbours import NEIGHBOURS, POLICIES
from accountant.promise.public_facts import PUBLIC_FACTS
from accountant.promise.risk import RISK_PROFILES
from accountant.promise.theorem import THEOREMS
from accountant.release.query import QUERIES
from accountant.release.release import MECHANISMS
from accountant.release.sampling import SAMPLINGS
from accountant.report.interface import RENDERERS, REPORTS
from accountant.values.family import Family

COMMANDS: Family[click.Command] = Family("accountant_commands", "command", click.Command)

FAMILIES: tuple[Family[Any], ...] = (
    NEIGHBOURS,
    POLICIES,
    DIVERGENCES,
    COMPOSITION_RULES,
    CONVERSIONS,
    RISK_PROFILES,
    PUBLIC_FACTS,
    QUERIES,
    MECHANISMS,
    SAMPLINGS,
    THEOREMS,
    BRIDGES,
    REPORTS,
    RENDERERS,
    ENGINES,
    COMMANDS,
)
"""What a registry holds, in the order in which it is listed. Conformance cases are made on demand."""

__all__ = ["CASES", "COMMANDS", "FAMILIES", "hookspecs"]
