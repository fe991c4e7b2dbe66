"""Given: a plan in whatever form somebody has one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from accountant.errors import InvalidValue
from accountant.fields import shown
from accountant.plan.plan import Plan
from accountant.plan.reader import load_plan, read_plan
from accountant.promise.neighbours import Neighbours, Relation
from accountant.registry.registry import Registry
from accountant.release.release import Mechanism, Release

PlanLike: TypeAlias = "Plan | str | Path | Mapping[str, Any] | Release | Mechanism | Iterable[Release | Mechanism]"
"""A plan, the path of its file, its plain data, or releases: these need to be told between which neighbours."""

_FORMS = "give a Plan, the path of a plan file, the plain data of a plan, or a list of releases"


def plan_of(
    given: PlanLike, *, neighbours: str | Relation | Neighbours | None = None, registry: Registry | None = None
) -> Plan:
    """The plan that is meant. Files and plain data are read with all their faults at once."""
    if isinstance(given, (Release, Mechanism)):
        return plan_of([given], neighbours=neighbours, registry=registry)
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)):
        return _of_releases(given, neighbours)
    if neighbours is not None:
        raise InvalidValue("a plan says itself which neighbours are compared; leave 'neighbours' out")
    if isinstance(given, Plan):
        return given
    if isinstance(given, (str, Path)):
        return load_plan(given, registry=registry)
    if isinstance(given, Mapping):
        return read_plan(given, registry=registry)
    raise InvalidValue(f"expected a plan, got {shown(given)}; {_FORMS}")


def _of_releases(given: Iterable[Release | Mechanism], neighbours: str | Relation | Neighbours | None) -> Plan:
    if neighbours is None:
        raise InvalidValue('say between which datasets the releases are accounted for, such as neighbours="add-remove"')
    return Plan.of(*given, neighbours=neighbours)
