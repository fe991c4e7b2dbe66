"""Reproduced: a mechanism in words, and the plan in which somebody else sees what a law saw."""

from __future__ import annotations

import json

from accountant.errors import AccountantError
from accountant.plan.plan import Plan
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from accountant.promise.specification import Specification
from accountant.release.query import Shift
from accountant.release.release import Mechanism, Release
from accountant.release.stated import Vector
from accountant.values.writing import in_words, kind_data


def written(mechanism: Mechanism) -> str:
    """The mechanism as a plan writes it."""
    parameters = kind_data(mechanism)
    inside = ", ".join(f"{name} = {in_words(value)}" for name, value in parameters.items() if name != "kind")
    return f"{mechanism.kind} ({inside})" if inside else mechanism.kind


def plan_with(mechanism: Mechanism, shift: Shift, times: int = 1) -> dict[str, str]:
    """The plan of a release that costs what a law compared, as one fact; nothing where a plan cannot state the shift."""
    if shift.coordinates is None and mechanism.asks_query:
        return {}
    covered = mechanism.relations
    relation = ADD_REMOVE if covered is None or ADD_REMOVE.name in covered else REPLACE_ONE
    query = Vector(shift=shift.placed or shift.coordinates) if mechanism.asks_query else None
    try:
        specification = Specification(Neighbours(relation), mechanism.all_published())
        plan = Plan("law", specification, (Release("release", mechanism, query, times=times),))
        return {"plan": json.dumps(plan.as_data())}
    except AccountantError:
        return {}
