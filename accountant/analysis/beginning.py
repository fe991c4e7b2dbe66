"""Beginning: a first plan from a few answers, with just enough noise to keep its budgets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import attrs
from attrs import evolve

from accountant import fields
from accountant.accounting.account import account
from accountant.analysis.calibration import calibrate
from accountant.analysis.limits import limits_of
from accountant.errors import AccountantError, Fault, PlanError
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry, default_registry
from accountant.release.release import MECHANISMS
from accountant.values.source import canonical

_FIGURES = 3
_TOLERANCE = "1e-3"
_NUMBERS: tuple[object, ...] = (fields.exact, fields.optional_exact)
_ENOUGH = "leave its noise out, and just enough is found"


def begin(data: Mapping[str, Any], *, registry: Registry | None = None) -> Plan:
    """The plan that plain data describes, whose first release may leave its noise or its whole mechanism open.

    What is left open becomes just enough noise, of the first registered kind that serves. Guarantee: the plan keeps every
    budget, of which it has at least one; data that does not give such a plan is refused with every fault.
    """
    known = registry or default_registry()
    release = data["release"][0]
    stated = release.get("mechanism")
    if stated is None:
        return _first_kind(data, known)
    noiseless = list(_with_noise(stated, known))
    try:
        plan = read_plan(data, registry=known)
    except PlanError:
        for mechanism in noiseless:
            open_ = _read(data, mechanism, known)
            if open_ is not None:
                return _enough(open_, known)
        raise
    faults = tuple(_amiss(plan, known))
    if faults:
        raise PlanError(faults)
    return plan


def _amiss(plan: Plan, registry: Registry) -> Iterator[Fault]:
    """What keeps a plan from being one to begin with: budgets that are not kept, or that nothing is spent of."""
    if not plan.specification.budgets:
        yield Fault("a plan needs at least one budget; say which", "budget")
    for limit in limits_of(account(plan, registry=registry)):
        if limit.verdict is not Verdict.IMPLIED:
            yield Fault(f"{limit.why}; {_ENOUGH}, or change the budget", limit.place)
        elif limit.spent == 0.0:
            yield Fault(f"the release costs nothing by '{limit.label}': it tells nothing about any unit", "release[0]")


def usual_definition(registry: Registry) -> str:
    """The definition to begin with: the first that may fail with a small chance, which any noise can keep."""
    definitions = registry[DIVERGENCES]
    leaking = [name for name, definition in definitions.items() if definition.leak is not None]
    if not definitions:
        raise PlanError((Fault("no plugin that is admitted has a privacy definition", "budget"),))
    return [*leaking, *definitions][0]


def usual_parameter(definition: Divergence) -> dict[str, str]:
    """A parameter to begin with: 1, or half of what it can be at most, read where that says most."""
    words = {word: fields.plain(definition.word(word).places[0]) for word in definition.primary.at}
    return {member.name: words.get(member.name) or _usual(member) for member in attrs.fields(definition.parameter)}


def _usual(member: attrs.Attribute[Any]) -> str:
    """A number that is no limit to its field."""
    most = [item.bound / 2 for item in fields.validators(member, fields.Constraint) if item.sign.startswith("<")]
    return fields.plain(min([Fraction(1), *most]))


def _first_kind(data: Mapping[str, Any], registry: Registry) -> Plan:
    """The plan with the first kind of noise that can be had in just the right amount."""
    fault: AccountantError | None = None
    for kind, cls in registry[MECHANISMS].items():
        if not cls.needs_query:
            continue
        for mechanism in _with_noise({"kind": kind}, registry):
            plan = _read(data, mechanism, registry)
            if plan is not None:
                try:
                    return _enough(plan, registry)
                except AccountantError as error:
                    fault = fault or error
    # Whatever is wrong with the rest is said; where nothing is, that no noise serves.
    read_plan({**data, "release": [{**data["release"][0], "mechanism": {"kind": "no-op"}}]}, registry=registry)
    raise fault or PlanError((Fault("no registered mechanism adds noise to such a query; name one", "mechanism"),))


def _with_noise(stated: Mapping[str, Any], registry: Registry) -> Iterator[dict[str, Any]]:
    """A mechanism with 1 for each number that says how much noise there is and that was left out."""
    cls = registry[MECHANISMS].get(stated.get("kind", ""))
    if cls is None:
        return
    members = [member for member in attrs.fields(cls) if member.converter in _NUMBERS]
    asked = [member.name for member in members if member.default is attrs.NOTHING]
    open_ = {member: "1" for member in asked if member not in stated}
    others = [name for name in cls.alternatives if name in {member.name for member in members}]
    if cls.alternatives and not set(cls.alternatives) & set(stated):
        yield from ({**stated, **open_, name: "1"} for name in others)
    elif open_:
        yield {**stated, **open_}


def _read(data: Mapping[str, Any], mechanism: Mapping[str, Any], registry: Registry) -> Plan | None:
    """The plan with a mechanism in its first release, if that can be read and its noise scaled."""
    first, *rest = data["release"]
    try:
        plan = read_plan({**data, "release": [{**first, "mechanism": mechanism}, *rest]}, registry=registry)
    except PlanError:
        return None
    return plan if plan.releases[0].mechanism.scaled(Fraction(1)) is not None else None


def _enough(plan: Plan, registry: Registry) -> Plan:
    """The plan with just enough noise, in a number of few figures where that is enough too."""
    first, *rest = plan.releases
    found = calibrate(plan, releases=[first.name], tolerance=_TOLERANCE, registry=registry)
    # Some parameters grow with the noise and some fall: whichever way is written in fewer figures.
    noisier = (_rounded_up(found.factor), 1 / _rounded_down(1 / found.factor))
    readable = [first.mechanism.scaled(factor) for factor in noisier]
    rounded = [evolve(plan, releases=(evolve(first, mechanism=item), *rest)) for item in readable if item is not None]
    for shorter in sorted(rounded, key=lambda item: len(canonical(item.as_data()))):
        if all(limit.verdict is Verdict.IMPLIED for limit in limits_of(account(shorter, registry=registry))):
            return shorter
    return found.plan


def _rounded_up(value: Fraction) -> Fraction:
    power = Fraction(10) ** (_FIGURES - 1 - math.floor(math.log10(value)))
    return Fraction(math.ceil(value * power)) / power


def _rounded_down(value: Fraction) -> Fraction:
    power = Fraction(10) ** (_FIGURES - 1 - math.floor(math.log10(value)))
    return Fraction(math.floor(value * power)) / power
