"""Certificate: what was promised, proved and by whose code, so that a stranger can check it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from accountant.accounting.account import Account, account
from accountant.accounting.entry import Entry
from accountant.accounting.formulas import FormulaValue
from accountant.accounting.relative import Relative, relative
from accountant.errors import AccountantError, CertificateError, Fault, PlanError
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.promise.conversion import CONVERSIONS
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.guarantee import Guarantee, Step, Verdict
from accountant.promise.neighbours import NEIGHBOURS
from accountant.promise.public_facts import PUBLIC_FACTS
from accountant.promise.risk import RISK_PROFILES, Assessment
from accountant.promise.specification import Budget, Knowledge, Scenario
from accountant.promise.theorem import THEOREMS, Theorem
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import Claim
from accountant.release.mechanism import MECHANISMS
from accountant.release.query import QUERIES
from accountant.release.sampling import SAMPLINGS
from accountant.values.family import Family
from accountant.values.source import canonical, file_text, unique_keys
from accountant.values.writing import unstructure

FORMAT = "accountant-certificate/1"
MOST_COSTS = 1_000
"""Unlike releases of which a certificate says what each costs alone."""
DIGITS = 10
"""Significant figures of certified numbers, rounded outward."""


@frozen
class Certificate:
    """A plan's account in full, as plain data. Its JSON is canonical: equal certificates, equal bytes."""

    data: Mapping[str, Any] = field()

    @data.validator
    def _check(self, _: object, data: object) -> None:
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise CertificateError(f"not a certificate of the format '{FORMAT}'; write one with 'accountant certify'")

    @classmethod
    def parse(cls, content: str) -> Certificate:
        """The certificate in a JSON text."""
        try:
            return cls(json.loads(content, object_pairs_hook=unique_keys))
        except (ValueError, RecursionError) as error:
            raise CertificateError(f"the certificate cannot be parsed: {error}") from error

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """The certificate in a file."""
        try:
            content = file_text(Path(path))
        except PlanError as error:
            raise CertificateError(f"the certificate {error}") from error
        return cls.parse(content)

    def to_json(self) -> str:
        """The certificate as canonical JSON, ending in a newline."""
        return canonical(self.data) + "\n"

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts in the order of the plan: of its budgets, of those relative to public information, of its risks."""
        relative = [budget for known in self.data.get("public", ()) for budget in known["budgets"]]
        checked = [*self.data["budgets"], *relative, *self.data.get("risks", ())]
        return tuple(Verdict(item["verdict"]) for item in checked)

    @property
    def holds(self) -> bool:
        """Whether every budget is kept, and every risk tolerated."""
        return all(verdict is Verdict.IMPLIED for verdict in self.verdicts)

    def plan(self, *, registry: Registry | None = None) -> Plan:
        """The plan that the certificate is about, read from what it says of it.

        Guarantee: the plan has the certificate's digest; a certificate whose parts do not give such a plan is refused.
        """
        try:
            plan = read_plan(_plan_data(self.data), registry=registry)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CertificateError(f"the certificate does not say which plan it is about: {error!r}") from error
        except PlanError as error:
            raise CertificateError(f"the plan in the certificate cannot be read: {error}") from error
        if plan.digest != self.data.get("plan_digest"):
            raise CertificateError("the plan in the certificate is not the one that was certified: its digest differs")
        return plan


def _plan_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a certificate says of its plan, in the form that plan files have."""

    def stated(items: Iterable[Mapping[str, Any]], *added: str) -> list[dict[str, Any]]:
        return [{key: value for key, value in item.items() if key not in added} for item in items]

    checked = ("verdict", "guarantee", "published", "relative")
    parts = {
        "release": stated(data["releases"], "costs"),
        "budget": stated(data["budgets"], *checked),
        "reading": [{"divergence": item["divergence"], **item["at"]} for item in data.get("readings", ())],
        "scenario": stated(data.get("scenarios", ()), "guarantees"),
        "public": [{**item["stated"], "budget": stated(item["budgets"], *checked)} for item in data.get("public", ())],
        "risk": [item["stated"] for item in data.get("risks", ())],
    }
    kept = {key: data[key] for key in ("title", "specification", "precision") if key in data}
    return {**kept, **{key: items for key, items in parts.items() if items}}


def certify(plan: Plan, *, registry: Registry | None = None) -> Certificate:
    """The certificate of a plan, whatever its verdicts are."""
    known = registry or default_registry()
    if not plan.specification.budgets and not plan.knowledge and not plan.risks:
        raise PlanError((Fault("a plan needs at least one budget to be certified; add a [[budget]] table", "budget"),))
    whole = account(plan, registry=known)
    checked = [(budget, *whole.check(budget)) for budget in plan.specification.budgets]
    formulas = [whole.by_formulas(budget.divergence.name, guarantee.at) for budget, guarantee, _ in checked]
    read = [whole.measure(question.divergence.name, question.at) for question in plan.questions]
    relatives = [[relative(whole, known.public, budget) for budget in known.budgets] for known in plan.knowledge]
    risks = _assessed(whole)
    steps = [
        *(step for _, guarantee, _ in checked for step in guarantee.derivation),
        *(step for guarantee in read for step in guarantee.derivation),
        *(step for found in relatives for item in found if item.between is not None for step in item.between.derivation),
        *(step for risk in risks for step in (*risk.found.derivation, *risk.derivation)),
    ]
    data = plan.as_data()
    costs = _costs(whole, [budget for budget, _, _ in checked])
    return Certificate(
        {
            "format": FORMAT,
            "title": plan.title,
            "plan_digest": plan.digest,
            **({"precision": data["precision"]} if "precision" in data else {}),
            "specification": data["specification"],
            "releases": [
                stated if spent is None else {**stated, "costs": spent}
                for stated, spent in zip(data["release"], costs, strict=True)
            ],
            "budgets": [
                {
                    **stated,
                    "verdict": verdict.value,
                    "guarantee": guarantee_data(guarantee),
                    "published": published_data(items),
                }
                for stated, (_, guarantee, verdict), items in zip(data["budget"], checked, formulas, strict=True)
            ],
            **({"readings": [guarantee_data(guarantee) for guarantee in read]} if read else {}),
            **_insider(whole),
            **_universe(whole),
            **({"scenarios": [_scenario(whole, scenario) for scenario in plan.scenarios]} if plan.scenarios else {}),
            **({"public": list(map(_public, plan.knowledge, data["public"], relatives))} if relatives else {}),
            **({"risks": list(map(_risk, data["risk"], risks))} if risks else {}),
            "plugins": [
                {"name": p.name, "distribution": p.distribution, "version": p.version, "digest": p.digest}
                for p in (known.plugins[name] for name in _plugins_behind(whole, steps, formulas))
            ],
        }
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


def _insider(whole: Account) -> dict[str, Any]:
    """What holds against someone who knows who was sampled, where that makes a difference."""
    plan = whole.plan
    if plan.specification.attacker == "insider" or all(release.sampling is None for release in plan.releases):
        return {}
    inside = account(plan.against("insider"), registry=whole.registry)
    found = [inside.check(budget)[0] for budget in plan.specification.budgets]
    return {"insider": [value_data(guarantee) for guarantee in found]}


def _universe(whole: Account) -> dict[str, Any]:
    """What is published exactly leaves some datasets unprotected, and the others perhaps farther apart than neighbours."""
    specification = whole.plan.specification
    if not specification.invariants:
        return {}
    found = whole.closest
    data: dict[str, Any] = {
        "unprotected": [invariant.name for invariant in specification.invariants],
        "closest": {end: number for end in ("least", "most") if (number := getattr(found, end)) is not None},
    }
    if found.least is not None and found.least > specification.neighbours.group:
        data["apart"] = [
            {"divergence": budget.divergence.name, **interval_data(whole.between(found.least, budget))}
            for budget in specification.budgets
        ]
    return {"universe": data}


def _scenario(whole: Account, scenario: Scenario) -> dict[str, Any]:
    """What holds between units that differ in some attributes only, in the definition of each budget."""
    inside = whole.within(scenario)
    found = [inside.check(budget)[0] for budget in whole.plan.specification.budgets]
    found += [inside.measure(question.divergence.name, question.at) for question in whole.plan.questions]
    return {**unstructure(scenario), "guarantees": [value_data(guarantee) for guarantee in found]}


def _public(known: Knowledge, stated: Mapping[str, Any], found: list[Relative]) -> dict[str, Any]:
    """What is promised relative to public information, beside what that information says by itself."""
    public = known.public
    apart = found[0].reach
    return {
        "stated": {key: value for key, value in stated.items() if key != "budget"},
        "value": public.value,
        "scenarios": public.scenarios,
        "pairs": public.pairs,
        "apart": {key: number for key in ("units", "live") if (number := getattr(apart, key)) is not None},
        "revealed": [
            {
                "secret": item.secret,
                "scenario": item.scenario,
                "before": interval_data(item.before),
                "given": interval_data(item.given),
            }
            for item in public.revealed()
        ],
        "budgets": [
            {**budget, "verdict": item.verdict.value, "relative": _relative(item)}
            for budget, item in zip(stated["budget"], found, strict=True)
        ],
    }


def _relative(found: Relative) -> dict[str, Any]:
    """An upper bound, and what it follows from; or why there is none."""
    if found.between is None:
        return {"remark": found.remark}
    return {**guarantee_data(found.between), "bound": "upper"}


def _risk(stated: Mapping[str, Any], found: Assessment) -> dict[str, Any]:
    return {
        "stated": dict(stated),
        "verdict": found.verdict.value,
        "adversary": found.adversary,
        "statement": found.statement,
        "admissible": interval_data(found.admissible),
        "found": guarantee_data(found.found),
        "derivation": derivation_data(found.derivation),
    }


def _costs(whole: Account, budgets: list[Budget]) -> list[list[dict[str, Any]] | None]:
    """What each release costs in each budget; those that differ in name and part only cost the same, and are read once.

    Where too many are unlike each other to be read one by one, nothing is said of any.
    """
    keys = []
    for entry in whole.entries:
        scope = entry.release.scope
        alike = evolve(entry, release=evolve(entry.release, scope=None)) if scope is not None else entry
        keys.append((alike.key, None if scope is None else scope.partition, entry.release.times))
    if len(set(keys)) > MOST_COSTS:
        return [None] * len(keys)
    known: dict[Any, list[dict[str, Any]]] = {}
    for key, entry in zip(keys, whole.entries, strict=True):
        if key not in known:
            known[key] = [_cost(whole, entry, budget) for budget in budgets]
    return [known[key] for key in keys]


def _cost(whole: Account, entry: Entry, budget: Budget) -> dict[str, Any]:
    primary = budget.divergence.readings[0]
    values = budget.divergence.values(budget.parameter)
    cost = whole.cost(entry, budget.divergence, {word: values[word] for word in primary.at})
    return {"name": primary.value, **interval_data(cost)}


def _plugins_behind(whole: Account, steps: list[Step], formulas: list[tuple[FormulaValue, ...]]) -> list[str]:
    """The plugins that some part of the plan, of a derivation or of a formula comes from, in order of name."""
    registry, plan = whole.registry, whole.plan
    used: set[tuple[Family[Any], str]] = {(NEIGHBOURS, plan.specification.neighbours.relation.name)}
    used |= {(DIVERGENCES, budget.divergence.name) for budget in plan.specification.budgets}
    used |= {(DIVERGENCES, question.divergence.name) for question in plan.questions}
    for release in plan.releases:
        for _, part in release.mechanism.nested():
            used.add((MECHANISMS, part.kind))
            if isinstance(part, Claim):
                used.add((DIVERGENCES, part.divergence.name))
        if release.query is not None:
            used.add((QUERIES, release.query.kind))
        if release.sampling is not None:
            used.add((SAMPLINGS, release.sampling.kind))
    used |= {(CONVERSIONS, item.conversion) for items in formulas for item in items}
    used |= {(DIVERGENCES, budget.divergence.name) for known in plan.knowledge for budget in known.budgets}
    used |= {(PUBLIC_FACTS, known.public.kind) for known in plan.knowledge}
    used |= {(RISK_PROFILES, risk.kind) for risk in plan.risks}
    used |= {(THEOREMS, step.theorem.name) for step in steps}
    return sorted({registry.owner(family, name).name for family, name in used})


def interval_data(value: Interval) -> dict[str, str]:
    """An interval as decimals rounded outward, and exactly where it is known so."""
    low, high = value.rounded(DIGITS)
    data = {"lower": low, "upper": high}
    return data if value.exact is None else {**data, "exact": plain(value.exact)}


def value_data(guarantee: Guarantee) -> dict[str, Any]:
    """What a guarantee says and by which route, as plain data, its numbers rounded outward."""
    return {
        "divergence": guarantee.divergence,
        "at": {name: plain(value) for name, value in guarantee.at.items()},
        "value": {"name": guarantee.name, **interval_data(guarantee.value)},
        "bound": guarantee.bound,
        "evidence": guarantee.evidence,
    }


def guarantee_data(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as plain data, with its derivation."""
    return {
        **value_data(guarantee),
        "derivation": derivation_data(guarantee.derivation),
        **({} if guarantee.remark is None else {"remark": guarantee.remark}),
    }


def published_data(items: Iterable[FormulaValue]) -> list[dict[str, Any]]:
    """What formulas from the literature give, as plain data."""
    return [
        {
            "conversion": item.conversion,
            "of": item.parameter,
            **interval_data(item.value),
            "theorem": theorem_data(item.theorem),
        }
        for item in items
    ]


def theorem_data(theorem: Theorem) -> dict[str, Any]:
    """A theorem written out."""
    return {
        "name": theorem.name,
        "statement": theorem.statement,
        "key": theorem.key,
        "locator": theorem.locator,
        "assumptions": list(theorem.assumptions),
        "assurance": theorem.assurance,
    }


def derivation_data(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    """A derivation as numbered lines."""
    lines = []
    for number, step in enumerate(steps, start=1):
        line: dict[str, Any] = {
            "step": number,
            "statement": step.statement,
            "theorem": theorem_data(step.theorem),
            "uses": list(step.uses),
        }
        if step.value is not None:
            line["value"] = interval_data(step.value)
        lines.append(line)
    return lines
