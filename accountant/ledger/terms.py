"""Terms: what a ledger promises, fixed when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from attrs import evolve, frozen

from accountant.errors import Fault, PlanError, suggest
from accountant.ledger.filters import Filter, read_filter
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.registry.registry import Registry, default_registry
from accountant.values.hygiene import unusable
from accountant.values.reading import Reader
from accountant.values.source import load_data

Choice = Literal["fully-adaptive", "fixed-plan"]
CHOICES: tuple[Choice, ...] = ("fully-adaptive", "fixed-plan")


@frozen
class Terms:
    """A specification with budgets, and how releases may be chosen.

    `plan` has the title, the specification and the releases that were made before the ledger was opened. A fully
    adaptive ledger has a filter for each budget. In one with a fixed plan whoever writes vouches that no release and no
    parameter was chosen after seeing an output.
    """

    plan: Plan
    adaptivity: Choice
    filters: tuple[Filter, ...]

    def as_data(self) -> dict[str, Any]:
        """The terms as plain data; the first releases are entries of their own and are left out."""
        data = evolve(self.plan, releases=()).as_data()
        del data["release"]
        for table, found in zip(data["budget"], self.filters, strict=False):
            table["filter"] = found.as_data()
        return {**data, "ledger": {"adaptivity": self.adaptivity}}


def load_terms(source: str | Path, *, registry: Registry | None = None) -> Terms:
    """The terms in a TOML or JSON file. Every fault of the file is reported in one PlanError."""
    return read_terms(load_data(source), registry=registry, folder=Path(source).parent)


def read_terms(
    data: object, *, registry: Registry | None = None, folder: Path | None = None, trusted: bool = False
) -> Terms:
    """The terms in plain data: those of a plan, a table `ledger`, and a table `filter` in each budget.

    Tables of releases lie in `folder`. `trusted` says that a ledger wrote them itself, so that caps need no proof again.
    """
    known = registry or default_registry()
    faults = tuple(unusable(data, "ledger"))
    if faults:
        raise PlanError(faults)
    if not isinstance(data, Mapping):
        raise PlanError((Fault(f"expected a table, got {data!r}", "ledger"),))
    reader = Reader()
    adaptivity = _adaptivity(data.get("ledger", {}), reader)
    budgets = data.get("budget", [])
    tables = (
        [dict(item) if isinstance(item, Mapping) else item for item in budgets] if isinstance(budgets, list) else budgets
    )
    wanted = (
        [item.pop("filter", None) if isinstance(item, dict) else None for item in tables]
        if isinstance(tables, list)
        else []
    )
    if tables == []:
        reader.fault("a ledger needs at least one budget; add a [[budget]] table", "budget")
    try:
        rest = {key: value for key, value in data.items() if key != "ledger"}
        plan = read_plan(
            {"title": "Untitled ledger", **rest, "budget": tables}, registry=known, folder=folder, may_be_empty=True
        )
    except PlanError as error:
        raise PlanError((*reader.faults, *error.faults)) from error
    for key, promised in (("public", plan.knowledge), ("risk", plan.risks)):
        if promised:
            reader.fault("a ledger keeps budgets only; promise this of a plan, or state the budget that it comes to", key)
    for index, budget in enumerate(plan.specification.budgets):
        if budget.cohort is not None:
            reader.fault(
                "a ledger keeps budgets of all units; open a ledger for each cohort, or leave 'cohort' out",
                f"budget[{index}].cohort",
            )
    # What a plan asks beside its budgets is about its releases, and none is known yet.
    plan = plan.bare
    if plan.specification.universe.closest.vacuous:
        reader.fault("no two datasets that agree on all invariants differ, so no budget means anything", "specification")
    filters = _filters(plan, wanted, adaptivity, known, reader, trusted)
    if reader.faults:
        raise PlanError(tuple(reader.faults))
    return Terms(plan, adaptivity, filters)


def _adaptivity(data: object, reader: Reader) -> Choice:
    table = reader.table(data, "ledger")
    if table is None:
        return CHOICES[0]
    reader.keys(table, ("adaptivity",), "ledger")
    chosen = table.get("adaptivity", CHOICES[0])
    if chosen not in CHOICES:
        reader.fault(f"{chosen!r} is no adaptivity{suggest(str(chosen), CHOICES)}", "ledger.adaptivity")
        return CHOICES[0]
    return CHOICES[CHOICES.index(chosen)]


def _filters(
    plan: Plan, wanted: list[Any], adaptivity: Choice, registry: Registry, reader: Reader, trusted: bool
) -> tuple[Filter, ...]:
    found: list[Filter] = []
    for index, (budget, table) in enumerate(zip(plan.specification.budgets, wanted, strict=True)):
        place = f"budget[{index}].filter"
        if adaptivity == "fixed-plan":
            if table is not None:
                reader.fault("a fixed plan is read as a whole and needs no filter; leave it out", place)
            continue
        checked = reader.table({} if table is None else table, place)
        result = None if checked is None else read_filter(checked, budget, registry, reader, place, trusted=trusted)
        if result is not None:
            found.append(result)
    return tuple(found)
