"""Plan: releases and the specification they must keep."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

from attrs import evolve, field, frozen

from accountant.errors import InvalidValue, suggest
from accountant.fields import about, at_least, at_most, exact, text
from accountant.loss.readings.precision import DEFAULT_PRECISION, FINEST_PRECISION
from accountant.promise.risk import RiskProfile
from accountant.promise.specification import Knowledge, Question, Scenario, Specification
from accountant.release.release import Release
from accountant.values.source import canonical

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
        from accountant.plan.writer import plan_data  # the form of plans speaks of this class

        return plan_data(self)

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
