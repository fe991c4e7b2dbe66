"""History: what another library wrote, as a plan, with what it does not say."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from accountant.display.brief import Rich
from accountant.display.card import Card
from accountant.errors import Fault, PlanError
from accountant.plan.bridge import BRIDGES, Bridge, Brought
from accountant.plan.plan import Plan
from accountant.plan.reader import located, read_plan
from accountant.promise.neighbours import relation_called
from accountant.registry.registry import Registry, default_registry
from accountant.values.hygiene import unusable
from accountant.values.source import Written

_TOP = "history"
_DEEPEST = 64
_RELEASE = re.compile(r"release\[(?P<index>\d+)\]\.?")


@frozen
class History(Rich):
    """A plan that was read from what another library wrote, and remarks on what that does not say."""

    plan: Plan
    remarks: tuple[str, ...]

    def _card(self) -> Card:
        """The plan, and before it what a reader must know."""
        card = self.plan._card()
        return evolve(card, facts=(*(("not said", remark) for remark in self.remarks), *card.facts))


def read_history(
    bridge: str,
    history: Any,
    *,
    neighbours: str | None = None,
    unit: str | None = None,
    title: str | None = None,
    registry: Registry | None = None,
) -> History:
    """The plan of what another library wrote: `read_history("opacus", engine.accountant).plan`.

    `bridge` names who reads it. The history is the path of a JSON file, its plain data, or the live object itself. Floats
    become the decimals that Python writes them as. Everything that is not understood is a PlanError with its place; nothing
    is left out, imported or run. What the history does not say, such as `neighbours` or the `unit`, can be given here.
    """
    known = registry or default_registry()
    reader = known.find(BRIDGES, bridge)
    if neighbours is not None:
        relation_called(neighbours, known)
    written = _written(history)
    if written is None:
        return _read(reader, plain_history(reader.data_of(history)), neighbours, unit, title, known)
    data = written.data()
    with located(written):
        return _read(reader, plain_history(data), neighbours, unit, title, known)


def _written(history: Any) -> Written | None:
    if isinstance(history, Written):
        return evolve(history, language="json")
    return evolve(Written.in_file(history), language="json") if isinstance(history, (str, Path)) else None


def _read(
    bridge: Bridge, data: Any, neighbours: str | None, unit: str | None, title: str | None, registry: Registry
) -> History:
    brought = bridge.read(data, neighbours)
    said = unit or brought.unit
    promised = {"neighbours": brought.neighbours} | ({} if said is None else {"unit": said})
    releases = [{"name": place, **release} for place, release in brought.releases.items()]
    if not releases:
        raise PlanError((Fault("nothing was released: there is nothing to account for", _TOP),))
    stated = {"title": title or f"From {bridge.name}", "specification": promised, "release": releases}
    try:
        plan = read_plan(stated, registry=registry)
    except PlanError as error:
        raise PlanError(tuple(_in_history(fault, brought) for fault in error.faults)) from error
    return History(plan, (*brought.remarks, *(() if unit else (_whose(plan),))))


def _whose(plan: Plan) -> str:
    one = plan.specification.neighbours.unit
    return f"Whose data one record is: it is taken for one {one}. Somebody with several records is protected for each."


def _in_history(fault: Fault, brought: Brought) -> Fault:
    """A fault of a release at the place where the history has it."""
    found = _RELEASE.match(fault.place)
    if found is None:
        return fault
    part = fault.place[found.end() :]
    place = list(brought.releases)[int(found["index"])]
    return evolve(fault, message=f"{fault.message} (as the {part} of a release)" if part else fault.message, place=place)


def plain_history(value: Any) -> Any:
    """A value as plain data with exact numbers: tuples become lists, named ones tables, and floats their decimals.

    A key with nothing is left out. What no field could use is a PlanError with its place.
    """
    data = _plain(value, 0)
    faults = tuple(unusable(data, _TOP))
    if faults:
        raise PlanError(faults)
    return data


def _plain(value: Any, depth: int) -> Any:
    if depth > _DEEPEST or value is None or isinstance(value, (str, bool, Decimal)):
        return value
    if isinstance(value, Mapping):
        # Nothing at a key is the same as no key.
        return {key: _plain(item, depth + 1) for key, item in value.items() if item is not None}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {key: _plain(item, depth + 1) for key, item in zip(value._fields, value, strict=True)}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational) and math.isfinite(value):
        return Decimal(repr(float(value)))
    return value
