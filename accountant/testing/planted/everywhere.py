"""Errors that an item of any family may have."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import click
from attrs import evolve, field

from accountant import fields
from accountant.engines.kinds import EngineKind
from accountant.plan.bridge import Bridge
from accountant.plugin.oracles import Oracle
from accountant.promise.divergence import Divergence
from accountant.promise.neighbours import Policy, Relation
from accountant.promise.public_facts import Public
from accountant.promise.risk import RiskProfile
from accountant.promise.theorem import Theorem
from accountant.release.query import Query
from accountant.release.release import Mechanism
from accountant.release.sampling import Sampling
from accountant.report.interface import Renderer, Report
from accountant.testing.planting import changed, faulty, number_fields, offering


def docstring_dropped(item: Any) -> Any | None:
    """Nobody says what it is."""
    if isinstance(item, click.Command | Theorem | Relation):
        return None
    return faulty(item, __doc__=None) if isinstance(item, type) else changed(item, __doc__=None)


def parameter_undescribed(item: Any) -> Any | None:
    """A parameter that nobody explains."""
    if not isinstance(item, type) or not attrs.has(item):
        return None
    depth = field(default=Fraction(1), converter=fields.exact, kw_only=True)
    return faulty(item, __annotations__={"depth": Fraction}, depth=depth)


def theorem_of_a_stranger(item: Any) -> Any | None:
    """It rests on a theorem that is said to be proved in documentation that does not know it."""
    theorem = getattr(item, "theorem", None)
    if not isinstance(theorem, Theorem) or (isinstance(item, type) and issubclass(item, RiskProfile)):
        return None
    ours = evolve(theorem, name=f"{theorem.name}-planted", key="accountant", locator="-", assurance="published")
    return faulty(item, theorem=ours) if isinstance(item, type) else changed(item, theorem=ours)


def usual_though_another_is(item: Any) -> Any | None:
    """It is the one that is meant where nobody names one, beside another that says so."""
    if isinstance(item, type) and issubclass(item, Mechanism):
        numbers = list(number_fields(item))
        return faulty(item, in_training=numbers[0]) if numbers else None
    return changed(item, usual=True) if isinstance(item, Report | Renderer | EngineKind) else None


@offering(lambda cases: ())
def oracle_left_out(item: Any) -> Any | None:
    """Nothing is offered by which it could be tried."""
    if isinstance(item, Relation | Divergence | Bridge):
        return item
    if not isinstance(item, type) or not issubclass(item, Query | Sampling | Public | Mechanism | Policy):
        return None
    # A query whose shift the plan states, and a sampling that lists its draws, need none.
    speaks = getattr(item, "stated", False) or getattr(item, "draws", Sampling.draws) is not Sampling.draws
    return None if speaks else item


@offering(lambda cases: (*cases, *(evolve(case, item=f"{case.item}s") for case in cases if isinstance(case, Oracle))))
def oracle_misspelt(item: Any) -> Any | None:
    """Beside what it needs, an oracle is offered of something that nobody registers."""
    return item if isinstance(item, type) and issubclass(item, Query | Sampling | Public | Mechanism | Policy) else None
