"""Scaling: the same plan with other amounts of noise, release by release."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from attrs import evolve

from accountant import fields
from accountant.errors import Fault, PlanError, suggest
from accountant.plan.plan import Plan


def limited(plan: Plan) -> bool:
    """Whether a plan says what is to be kept."""
    return bool(plan.specification.budgets or plan.knowledge or plan.risks)


def scalable(plan: Plan, names: Collection[str] | None = None) -> frozenset[str]:
    """The releases whose noise is scaled: those named, or all that have any. Every one that cannot be is a fault."""
    fields.names(names)
    noisy = {release.name for release in plan.releases if release.mechanism.scaled(Fraction(1)) is not None}
    faults = []
    if not limited(plan):
        faults.append(Fault("a plan needs at least one budget to be calibrated; add a [[budget]] table", "budget"))
    known = {release.name: index for index, release in enumerate(plan.releases)}
    for name in dict.fromkeys(names or ()):
        if name in known and name not in noisy:
            faults.append(Fault(f"'{name}' has no noise to scale", f"release[{known[name]}].mechanism"))
    faults += unknown(plan, names or ())
    if not noisy and not names:
        faults.append(Fault("no release has noise to scale", "release"))
    if faults:
        raise PlanError(tuple(faults))
    return frozenset(names or noisy)


def unknown(plan: Plan, names: Collection[str]) -> Iterator[Fault]:
    """Names that no release has."""
    known = {release.name for release in plan.releases}
    for name in dict.fromkeys(names):
        if name not in known:
            yield Fault(f"no release is called '{name}'{suggest(name, known)}", "release")


def scaled(plan: Plan, factors: Mapping[str, Fraction]) -> Plan:
    """The plan with so many times the noise in each release that is named."""
    releases = []
    for release in plan.releases:
        mechanism = release.mechanism.scaled(factors[release.name]) if release.name in factors else None
        releases.append(release if mechanism is None else evolve(release, mechanism=mechanism))
    return evolve(plan, releases=tuple(releases))


def rounded(value: Fraction, digits: int = 9) -> Fraction:
    """A number of few digits that is no smaller, so that parameters stay readable."""
    power = 10 ** (digits - 1 - math.floor(math.log10(value)))
    return Fraction(math.ceil(value * power), power) if power >= 1 else Fraction(math.ceil(value))
