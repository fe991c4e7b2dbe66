"""Own: when what a unit took part in is all that a plan's releases tell of it, and what they are to that unit then."""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from accountant import InvalidValue, Plan

Participation = Literal["design", "data"]
"""What decided who took part: a design that was fixed beforehand, or the data."""


def by_events(plan: Plan, participation: Participation) -> Plan:
    """The plan as events speak of it: releases without scopes, since events say who is in each of them.

    Refused is a plan under which releases tell something of a unit that took no part in them: between neighbours who
    differ in several units, or in what decides who takes part.
    """
    if any(budget.cohort is not None for budget in plan.specification.budgets):
        raise InvalidValue("the losses of single units are held against budgets of all units; leave 'cohort' out")
    if not plan.specification.budgets and not plan.questions:
        raise InvalidValue("the plan asks for nothing that could be read for each unit; state a budget or a question")
    neighbours = plan.specification.neighbours
    relation = neighbours.relation
    if neighbours.group > 1 or not (relation.by_presence or relation.by_value):
        raise InvalidValue(
            "the plan compares datasets that differ in several units at once, which may have taken part in different "
            "releases; leave 'group' out to account for each unit, and promise 'add-remove' or 'replace-one' neighbours"
        )
    if participation == "data" and not relation.by_presence:
        raise InvalidValue(
            f"who takes part depends on the data, so that a {neighbours.unit} with other values may take part in other "
            "releases, which no event tells of; promise 'add-remove' neighbours, or say that it was fixed by design"
        )
    for release in plan.releases:
        if release.scope is not None and release.scope.may_change(neighbours):
            raise InvalidValue(
                f"'{release.name}' is about one {release.scope.partition} only, which may differ between neighbours, so "
                f"that a {neighbours.unit} may come into releases that no event tells of; promise 'add-remove' neighbours"
            )
    # A unit that took part was in the scope, whatever other scopes it was in at another time: what it lost adds up.
    return evolve(plan, releases=tuple(evolve(release, scope=None) for release in plan.releases))
