"""Certifying: a plan is accounted for, and everything that was found is written down."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from attrs import evolve

from accountant.accounting.account import Account, account
from accountant.accounting.entry import Entry
from accountant.accounting.relative import Relative, relative
from accountant.certificate.certificate import Certificate
from accountant.certificate.contents import (
    CertifiedBudget,
    CertifiedDistribution,
    CertifiedGuarantee,
    CertifiedPlugin,
    CertifiedPublic,
    CertifiedReading,
    CertifiedRelease,
    CertifiedRisk,
    CertifiedScenario,
    CertifiedSecret,
    CertifiedTable,
    CertifiedUniverse,
    CertifiedValue,
    Contents,
    NoBound,
    RelativeBudget,
    StatedPublic,
    StatedRisk,
)
from accountant.certificate.findings import certified, derivation, distance, enclosure, formulas, named, reading
from accountant.certificate.layers import layers_of
from accountant.errors import AccountantError, Fault, PlanError
from accountant.numbers.interval import Interval
from accountant.plan.given import PlanLike, plan_of
from accountant.plan.plan import Plan
from accountant.progress import stage, steps
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.neighbours import NEIGHBOURS, POLICIES
from accountant.promise.public_facts import PUBLIC_FACTS, Public
from accountant.promise.risk import RISK_PROFILES, Assessment
from accountant.promise.specification import Budget, Scenario
from accountant.promise.theorem import THEOREMS
from accountant.registry.admission import Plugin
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import Claim
from accountant.release.query import QUERIES
from accountant.release.release import MECHANISMS, Release
from accountant.release.sampling import SAMPLINGS
from accountant.values.family import Family

MOST_COSTS = 1_000
"""Unlike releases of which a certificate says what each costs alone."""

Table = Mapping[str, Any]
"""A part of a plan, as plan files have it."""


def certify(plan: PlanLike | Account, *, registry: Registry | None = None) -> Certificate:
    """The certificate of a plan, of the file or the plain data of one, or of an account, whatever its verdicts are.

    It keeps the account that it was made from.
    """
    known = registry or (plan.registry if isinstance(plan, Account) else default_registry())
    found = plan.plan if isinstance(plan, Account) else plan_of(plan, registry=known)
    if not found.specification.budgets and not found.knowledge and not found.risks:
        raise PlanError((Fault("a plan needs at least one budget to be certified; add a [[budget]] table", "budget"),))
    with stage(0.0, 0.1):
        whole, stated = account(plan if isinstance(plan, Account) else found, registry=known), found.as_data()
    with stage(0.1, 0.4):
        budgets = _budgets(whole, stated["budget"])
    with stage(0.4, 0.5):
        readings = [certified(whole.measure(asked.divergence.name, asked.at)) for asked in steps(found.questions)]
    with stage(0.5, 0.8):
        releases = _releases(whole, stated["release"])
    with stage(0.8, 0.95):
        scenarios = [_scenario(whole, scenario) for scenario in steps(found.scenarios)]
    contents = Contents(
        title=found.title,
        plan_digest=found.digest,
        precision=stated.get("precision"),
        publication=stated.get("publication"),
        statements=found.statements,
        layers=layers_of(found),
        specification=stated["specification"],
        grouped=tuple(CertifiedTable(item.file, item.rows, item.digest) for item in found.grouped),
        budgets=budgets,
        readings=tuple(readings),
        public=_public(whole, stated.get("public", ())),
        risks=_risks(whole, stated.get("risk", ())),
        releases=releases,
        insider=_insider(whole),
        universe=_universe(whole),
        scenarios=tuple(scenarios),
        plugins=(),
        loaded=loaded(known),
    )
    return Certificate.of(evolve(contents, plugins=_plugins(whole, contents)), whole)


def _budgets(whole: Account, stated: Sequence[Table]) -> tuple[CertifiedBudget, ...]:
    """Each budget with its verdict."""
    found = []
    for budget, table in steps(list(zip(whole.plan.specification.budgets, stated, strict=True))):
        guarantee, verdict = whole.check(budget)
        by_formulas = formulas(_asked(whole, budget).by_formulas(budget.divergence.name, guarantee.at))
        found.append(
            CertifiedBudget(**_parameter(table), verdict=verdict, guarantee=certified(guarantee), published=by_formulas)
        )
    return tuple(found)


def _asked(whole: Account, budget: Budget) -> Account:
    """The account of those units that a budget is for."""
    return whole if budget.cohort is None else whole.among(budget.cohort)


def _parameter(budget: Table) -> dict[str, Any]:
    """A budget: its definition, and what remains is the parameter."""
    return {"divergence": budget["divergence"], "parameter": _without(budget, "divergence")}


def _without(table: Table, *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}


def _public(whole: Account, stated: Sequence[Table]) -> tuple[CertifiedPublic, ...]:
    """What is promised relative to public information, beside what that information says by itself."""
    found = []
    for known, table in zip(whole.plan.knowledge, stated, strict=True):
        relatives = [relative(whole, known.public, budget) for budget in known.budgets]
        found.append(
            CertifiedPublic(
                StatedPublic(known.public.kind, known.public.name, _without(table, "kind", "name", "budget")),
                known.public.value,
                known.public.scenarios,
                known.public.pairs,
                relatives[0].reach,
                _revealed(known.public),
                tuple(
                    RelativeBudget(**_parameter(budget), verdict=item.verdict, relative=_relative(item))
                    for budget, item in zip(table["budget"], relatives, strict=True)
                ),
            )
        )
    return tuple(found)


def _revealed(public: Public) -> tuple[CertifiedSecret, ...]:
    return tuple(
        CertifiedSecret(item.secret, item.scenario, enclosure(item.before), enclosure(item.given))
        for item in public.revealed()
    )


def _relative(found: Relative) -> CertifiedGuarantee | NoBound:
    """An upper bound, and what it follows from; or why there is none."""
    if found.between is None:
        return NoBound(str(found.remark))
    return evolve(certified(found.between), bound="upper")


def _risks(whole: Account, stated: Sequence[Table]) -> tuple[CertifiedRisk, ...]:
    """Each risk profile with what the account says to it."""
    return tuple(
        CertifiedRisk(
            StatedRisk(table["kind"], _without(table, "kind")),
            found.verdict,
            found.adversary,
            found.statement,
            enclosure(found.admissible),
            certified(found.found),
            derivation(found.derivation),
        )
        for table, found in zip(stated, _assessed(whole), strict=True)
    )


def _assessed(whole: Account) -> list[Assessment]:
    """What each risk profile says of the account; those that cannot be asked of it are reported in one PlanError."""
    found, faults = [], []
    for index, risk in enumerate(whole.plan.risks):
        try:
            found.append(risk.assess(whole))
        except AccountantError as error:
            faults.append(Fault(str(error), f"risk[{index}]"))
    if faults:
        raise PlanError(tuple(faults))
    return found


def _releases(whole: Account, stated: Sequence[Table]) -> tuple[CertifiedRelease, ...]:
    """Each release with what it costs alone."""
    return tuple(
        CertifiedRelease(table["name"], _without(table, "name"), costs)
        for table, costs in zip(stated, _costs(whole), strict=True)
    )


def _costs(whole: Account) -> list[tuple[CertifiedValue, ...] | None]:
    """What each release costs in each budget; those that differ in name and part only cost the same, and are read once.

    Where too many are unlike each other to be read one by one, nothing is said of any.
    """
    cohorts = any(budget.cohort is not None for budget in whole.plan.specification.budgets)
    keys = [(_alike(entry), entry.release.scope if cohorts else None) for entry in whole.entries]
    if len(set(keys)) > MOST_COSTS:
        return [None] * len(keys)
    known: dict[Hashable, tuple[CertifiedValue, ...]] = {}
    for key, entry in steps(list(zip(keys, whole.entries, strict=True))):
        if key not in known:
            known[key] = tuple(_cost(whole, entry, budget) for budget in whole.plan.specification.budgets)
    return [known[key] for key in keys]


def _alike(entry: Entry) -> Hashable:
    """All that what a release costs depends on."""
    scope = entry.release.scope
    if scope is None:
        return entry.key, None, entry.release.times
    return evolve(entry, release=evolve(entry.release, scope=None)).key, scope.partition, entry.release.times


def _cost(whole: Account, entry: Entry, budget: Budget) -> CertifiedValue:
    asked = _asked(whole, budget)
    seen = [item for item in asked.entries if item.release.name == entry.release.name]
    cost = asked.cost(seen[0], budget.divergence, budget.at) if seen else Interval.of(0)
    return named(budget.divergence.primary.value, cost)


def _insider(whole: Account) -> tuple[CertifiedReading, ...] | None:
    """What holds against someone who knows who was sampled, where that makes a difference."""
    plan = whole.plan
    if plan.specification.attacker == "insider" or all(release.sampling is None for release in plan.releases):
        return None
    budgets = plan.specification.budgets
    try:
        inside = account(plan.against("insider"), registry=whole.registry)
    except PlanError:
        # A sampling that does not say what an insider compares promises nothing against one.
        outside = [whole.check(budget)[0] for budget in budgets]
        return tuple(reading(evolve(item, value=Interval(0.0, math.inf), evidence="not known")) for item in outside)
    return tuple(reading(inside.check(budget)[0]) for budget in budgets)


def _universe(whole: Account) -> CertifiedUniverse | None:
    """What is published exactly leaves some datasets unprotected, and the others perhaps farther apart than neighbours."""
    specification = whole.plan.specification
    if not specification.invariants:
        return None
    found, apart = whole.closest, None
    if found.least is not None and found.least > specification.neighbours.group:
        apart = tuple(
            distance(budget.divergence.name, whole.between(found.least, budget)) for budget in specification.budgets
        )
    universe = specification.universe
    return CertifiedUniverse(
        tuple(invariant.name for invariant in specification.invariants),
        found,
        apart,
        tuple(sorted(universe.exposed)),
        tuple(invariant.name for invariant in universe.undeclared),
        tuple(invariant.name for invariant in universe.coupled),
    )


def _scenario(whole: Account, scenario: Scenario) -> CertifiedScenario:
    """What holds as a scenario supposes it, in the definition of each budget."""
    inside = whole.within(scenario)
    specification, closest = inside.plan.specification, inside.closest
    asked = [(budget.divergence.name, budget.at) for budget in specification.budgets]
    asked += [(question.divergence.name, question.at) for question in whole.plan.questions]
    asked = [place for index, place in enumerate(asked) if place not in asked[:index]]
    found = [item for name, at in asked if (item := whole.learned(scenario, name, at)) is not None]
    near = closest.most is not None and closest.most <= specification.neighbours.group
    return CertifiedScenario(
        scenario.name,
        tuple(sorted(scenario.attributes or ())),
        tuple(map(reading, found)),
        None if near else closest,
        tuple(sorted(specification.universe.exposed & (scenario.attributes or frozenset()))),
        scenario.without,
        scenario.attacker,
        None if scenario.records == 1 else scenario.records,
    )


def _plugins(whole: Account, contents: Contents) -> tuple[CertifiedPlugin, ...]:
    """The plugins that some part of the plan, of a derivation or of a formula comes from, in order of name."""
    registry = whole.registry
    used = _used_by(whole.plan)
    used |= {(CONVERSIONS, item.conversion) for budget in contents.budgets for item in budget.published}
    used |= {(THEOREMS, step.theorem.name) for step in contents.steps}
    names = sorted({registry.owner(family, name).name for family, name in used})
    return tuple(
        CertifiedPlugin(plugin.name, plugin.distribution, plugin.version, plugin.digest, _laws(registry, plugin.name))
        for plugin in map(registry.plugins.__getitem__, names)
    )


def loaded(registry: Registry) -> tuple[CertifiedDistribution, ...]:
    """All plugins of a registry, by distribution, in order of names."""
    found: dict[tuple[str, str], list[Plugin]] = {}
    for plugin in sorted(registry.plugins.values(), key=lambda item: item.name):
        found.setdefault((plugin.distribution, plugin.version), []).append(plugin)
    return tuple(
        CertifiedDistribution(
            *origin,
            tuple(plugin.name for plugin in plugins),
            tuple(dict.fromkeys(plugin.digest for plugin in plugins)),
        )
        for origin, plugins in sorted(found.items())
    )


def _laws(registry: Registry, plugin: str) -> str | None:
    badge = registry.badge(plugin)
    return None if badge is None else str(badge)


def _used_by(plan: Plan) -> set[tuple[Family[Any], str]]:
    """Everything registered that a plan names."""
    specification = plan.specification
    relation = specification.neighbours.relation
    used: set[tuple[Family[Any], str]] = {(NEIGHBOURS if relation.policy is None else POLICIES, relation.name)}
    budgets = [*specification.budgets, *(budget for known in plan.knowledge for budget in known.budgets)]
    used |= {(DIVERGENCES, budget.divergence.name) for budget in budgets}
    used |= {(DIVERGENCES, question.divergence.name) for question in plan.questions}
    used |= {(PUBLIC_FACTS, known.public.kind) for known in plan.knowledge}
    used |= {(RISK_PROFILES, risk.kind) for risk in plan.risks}
    return used.union(*map(_used_in, plan.releases))


def _used_in(release: Release) -> set[tuple[Family[Any], str]]:
    """Everything registered that a release is made of."""
    parts = [part for _, part in release.mechanism.nested()]
    used: set[tuple[Family[Any], str]] = {(MECHANISMS, part.kind) for part in parts}
    used |= {(DIVERGENCES, part.divergence.name) for part in parts if isinstance(part, Claim)}
    if release.query is not None:
        used.add((QUERIES, release.query.kind))
    if release.sampling is not None:
        used.add((SAMPLINGS, release.sampling.kind))
    return used
