"""Plan: releases and the specification they must keep."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

from attrs import evolve, field, frozen

from accountant.errors import InvalidValue, suggest
from accountant.fields import about, at_least, at_most, exact, text
from accountant.loss.readings.precision import DEFAULT_PRECISION, FINEST_PRECISION
from accountant.numbers.exact import plain
from accountant.promise.invariant import Invariant
from accountant.promise.risk import RiskProfile
from accountant.promise.specification import ATTACKERS, Budget, Knowledge, Question, Scenario, Specification
from accountant.release.release import Release
from accountant.values.source import canonical
from accountant.values.writing import kind_data, unstructure

_PRECISION = exact(str(DEFAULT_PRECISION))


@frozen
class Plan:
    """What will be released, and what is promised about it."""

    title: str = field(converter=text)
    specification: Specification
    releases: tuple[Release, ...]
    precision: Fraction = field(
        default=_PRECISION,
        converter=exact,
        validator=[at_least(exact(str(FINEST_PRECISION))), at_most(1)],
        metadata=about("the relative width that computed intervals shall have; at least the default is always aimed at"),
    )
    questions: tuple[Question, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    knowledge: tuple[Knowledge, ...] = ()
    risks: tuple[RiskProfile, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The plan as plain data, in the form that plan files have; reading it back gives an equal plan."""
        specification = self.specification
        neighbours = specification.neighbours
        promised: dict[str, Any] = {"unit": neighbours.unit, "neighbours": neighbours.relation.name}
        if neighbours.group != 1:
            promised["group"] = neighbours.group
        if neighbours.attributes is not None:
            promised["attributes"] = sorted(neighbours.attributes)
        if specification.invariants:
            promised["invariants"] = [_invariant_data(invariant) for invariant in specification.invariants]
        promised["domain"] = specification.domain
        if specification.attacker != ATTACKERS[0]:
            promised["attacker"] = specification.attacker
        precise = {} if self.precision == _PRECISION else {"precision": plain(self.precision)}
        return {
            "title": self.title,
            **precise,
            "specification": promised,
            "budget": [_budget_data(budget) for budget in specification.budgets],
            "release": [release_data(release) for release in self.releases],
            **({"reading": [_question_data(question) for question in self.questions]} if self.questions else {}),
            **({"scenario": [unstructure(scenario) for scenario in self.scenarios]} if self.scenarios else {}),
            **({"public": [_knowledge_data(known) for known in self.knowledge]} if self.knowledge else {}),
            **({"risk": [kind_data(risk) for risk in self.risks]} if self.risks else {}),
        }

    @property
    def attributes(self) -> frozenset[str] | None:
        """The attributes that some query depends on; None where a query may depend on anything."""
        involved = [None if release.query is None else release.query.attributes for release in self.releases]
        if any(item is None for item in involved):
            return None
        return frozenset().union(*(item for item in involved if item is not None))

    @property
    def bare(self) -> Plan:
        """The same releases and specification, with nothing asked beside the budgets."""
        return evolve(self, questions=(), scenarios=(), knowledge=(), risks=())

    def against(self, attacker: str) -> Plan:
        """The same plan, promised against another attacker."""
        return evolve(self.bare, specification=evolve(self.specification, attacker=attacker))

    def within(self, scenario: Scenario) -> Plan:
        """The same plan, promised only between units that differ in the attributes of a scenario."""
        neighbours = self.specification.neighbours
        known, promised = self.attributes, neighbours.attributes
        for attribute in sorted(scenario.attributes):
            if promised is not None and attribute not in promised:
                compared = ", ".join(sorted(promised))
                raise InvalidValue(f"the specification compares units that differ in {compared} only, not in '{attribute}'")
            if known is not None and attribute not in known:
                raise InvalidValue(f"no release depends on '{attribute}'{suggest(attribute, known)}")
        between = evolve(neighbours, attributes=scenario.attributes)
        return evolve(self.bare, specification=evolve(self.specification, neighbours=between))

    @property
    def digest(self) -> str:
        """A digest of what the plan means: layout, comments and spelling of numbers do not matter."""
        return "sha256:" + hashlib.sha256(canonical(self.as_data()).encode()).hexdigest()


def _budget_data(budget: Budget) -> dict[str, Any]:
    return {"divergence": budget.divergence.name, **unstructure(budget.parameter)}


def _knowledge_data(known: Knowledge) -> dict[str, Any]:
    return {**kind_data(known.public), "budget": [_budget_data(budget) for budget in known.budgets]}


def _question_data(question: Question) -> dict[str, str]:
    return {"divergence": question.divergence.name, **{word: plain(value) for word, value in question.words}}


def _invariant_data(invariant: Invariant) -> str | dict[str, Any]:
    return invariant.name if invariant.counts_by is None else unstructure(invariant)


def release_data(release: Release) -> dict[str, Any]:
    """A release as plain data, in the form that plan files have."""
    data: dict[str, Any] = {"name": release.name}
    if release.query is not None:
        data["query"] = kind_data(release.query)
    data["mechanism"] = kind_data(release.mechanism)
    if release.sampling is not None:
        data["sampling"] = kind_data(release.sampling)
    if release.scope is not None:
        data["scope"] = unstructure(release.scope)
    data["times"] = release.times
    return data
