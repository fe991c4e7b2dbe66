"""Joined: two plans under one promise as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from attrs import evolve

from accountant.errors import Fault, PlanError
from accountant.plan.pieces import free
from accountant.plan.plan import Plan
from accountant.promise.entities import Entities
from accountant.promise.specification import Specification
from accountant.release.release import Release
from accountant.values.writing import in_words, unstructure

T = TypeVar("T")


def joined(first: Plan, second: Plan) -> Plan:
    """What both plans release, in one that asks all that either asks.

    Its releases have names of their own. Where the plans promise something between different datasets, or to different
    attackers, they have no sum: a PlanError names both sides of every difference.
    """
    said = f"'{first.title}' and '{second.title}' do not add up"
    faults = tuple(
        Fault(f"{said}: one has {ours}, the other {theirs}", f"specification.{place}")
        for place, ours, theirs in _differences(first.specification, second.specification)
    )
    faults += tuple(
        Fault(f"{said}: by '{name}' each means something else; rename one of the two", place)
        for place, name in _meant_twice(first, second)
    )
    if faults:
        raise PlanError(faults)
    promised = evolve(first.specification, budgets=_both(first.specification.budgets, second.specification.budgets))
    return evolve(
        first,
        title=first.title if first.title == second.title else f"{first.title} + {second.title}",
        specification=promised,
        releases=(*first.releases, *renamed(first.releases, second.releases)),
        precision=min(first.precision, second.precision),
        questions=_both(first.questions, second.questions),
        scenarios=_both(first.scenarios, second.scenarios),
        grouped=_both(first.grouped, second.grouped),
        knowledge=_both(first.knowledge, second.knowledge),
        risks=_both(first.risks, second.risks),
        publication=first.publication if first.publication == second.publication else None,
        statements=first.statements if first.statements == second.statements else None,
    )


def renamed(before: tuple[Release, ...], releases: tuple[Release, ...]) -> Iterator[Release]:
    """Releases under names that none of those before them has."""
    taken = {release.name for release in before}
    for release in releases:
        yield evolve(release, name=free(release.name, taken))


def _both(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return (*first, *(item for item in second if item not in first))


def _meant_twice(first: Plan, second: Plan) -> Iterator[tuple[str, str]]:
    """Names of scenarios and of public information by which two plans mean different things, each with its place."""
    scenarios = {scenario.name: scenario for scenario in first.scenarios}
    for scenario in second.scenarios:
        if scenarios.get(scenario.name, scenario) != scenario:
            yield "scenario", scenario.name
    public = {known.public.name: known for known in first.knowledge}
    for known in second.knowledge:
        if public.get(known.public.name, known) != known:
            yield "public", known.public.name


def _differences(first: Specification, second: Specification) -> Iterator[tuple[str, str, str]]:
    """Where two promises speak of different datasets or attackers, and what each says there."""
    # Words may be the same where what they are said of is not: values are compared, and words are said.
    aspects: dict[str, tuple[Callable[[Specification], object], Callable[[Specification], str]]] = {
        "neighbours": (
            lambda promised: promised.neighbours.relation,
            lambda promised: f"'{promised.neighbours.relation.name}' neighbours",
        ),
        "unit": (lambda promised: promised.neighbours.unit, lambda promised: f"the unit '{promised.neighbours.unit}'"),
        "group": (lambda promised: promised.neighbours.group, lambda promised: f"groups of {promised.neighbours.group:,}"),
        "attributes": (
            lambda promised: promised.neighbours.attributes,
            lambda promised: _attributes(promised.neighbours.attributes),
        ),
        "entities": (
            lambda promised: frozenset(promised.neighbours.entities.declared),
            lambda promised: _entities(promised.neighbours.entities),
        ),
        "invariants": (
            lambda promised: frozenset(promised.invariants),
            lambda promised: _names([known.written() for known in promised.invariants]),
        ),
        "domain": (lambda promised: promised.domain, lambda promised: f"the domain '{promised.domain.described}'"),
        "attacker": (lambda promised: promised.attacker, lambda promised: f"an attacker who is an {promised.attacker}"),
        "inside": (
            lambda promised: promised.inside,
            lambda promised: "shifts inside the universe" if promised.inside else "shifts between all neighbours",
        ),
    }
    for place, (value, said) in aspects.items():
        if value(first) != value(second):
            yield place, said(first), said(second)


def _attributes(names: frozenset[str] | None) -> str:
    return (
        "units that differ in any attribute" if names is None else f"units that differ in {', '.join(sorted(names))} only"
    )


def _entities(declared: Entities) -> str:
    said = [in_words(unstructure(entity)) for entity in declared.declared]
    return f"the entities {', '.join(sorted(said))}" if said else "no entities"


def _names(written: list[str]) -> str:
    return f"the invariants {', '.join(sorted(written))}" if written else "no invariants"
