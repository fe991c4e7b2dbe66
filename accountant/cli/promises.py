"""Two specifications side by side, and which implies which."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accountant.cli.output import say, say_json

if TYPE_CHECKING:
    from accountant.implication import Implication
    from accountant.registry import Registry
    from accountant.specification import Specification

_SIZE = re.compile(r"(?P<most>[1-9][0-9]*) (?P<small>.+) per (?P<large>.+)")


def compare_files(files: tuple[Path, ...], sizes: tuple[str, ...], registry: Registry, *, as_json: bool) -> bool:
    """Print both promises and what follows from what; whether the first implies the second."""
    from accountant.errors import Fault, PlanError
    from accountant.implication import implies
    from accountant.plan import load_specification

    if len(files) != 2:
        raise PlanError((Fault(f"expected two files, got {len(files)}", "compare"),))
    members = dict(_size(size) for size in sizes)
    faults: list[Fault] = []
    promises = []
    for file in files:
        try:
            promises.append(load_specification(file, registry=registry))
        except PlanError as error:
            faults.extend(Fault(fault.message, f"{file}: {fault.place}") for fault in error.faults)
    if faults:
        raise PlanError(tuple(faults))
    (first, left), (second, right) = promises
    there = implies(left, right, members=members, registry=registry)
    back = implies(right, left, members=members, registry=registry)
    if as_json:
        say_json({"implies": _data(there), "implied_by": _data(back)})
    else:
        _table(first, left, second, right)
        _explain(first, second, there)
        _explain(second, first, back)
        if "implied" not in (there.verdict.value, back.verdict.value):
            say("neither is shown to imply the other: their numbers cannot be ranked")
    return there.verdict.value == "implied"


def _size(text: str) -> tuple[tuple[str, str], int]:
    from accountant.errors import Fault, PlanError

    found = _SIZE.fullmatch(text)
    if found is None:
        raise PlanError((Fault(f"expected a text such as '10 person per household', got {text!r}", "--at-most"),))
    return (found["large"], found["small"]), int(found["most"])


def _table(first: str, left: Specification, second: str, right: Specification) -> None:
    from accountant.builtin.text import TextRenderer
    from accountant.report import Document, Table

    rows = zip(("domain", "scope", "unit", "standard", "intensity"), _blocks(left), _blocks(right), strict=True)
    table = Table("The five blocks of each promise", ("", first, second), tuple(rows))
    say(TextRenderer().render(Document(f"{first} and {second}", (table,))))


def _blocks(specification: Specification) -> tuple[str, str, str, str, str]:
    """The five blocks of a specification in words."""
    neighbours = specification.neighbours
    fixed = "; ".join(invariant.name for invariant in specification.invariants)
    unit = f"one {neighbours.unit}, {neighbours.relation.name}"
    if neighbours.group > 1:
        unit = f"up to {neighbours.group} of unit {neighbours.unit}, {neighbours.relation.name}"
    if neighbours.attributes is not None:
        unit += f", in {', '.join(sorted(neighbours.attributes))}"
    return (
        specification.domain,
        f"datasets that agree on: {fixed}" if fixed else "everywhere: nothing is published exactly",
        unit,
        "; ".join(budget.divergence.title for budget in specification.budgets),
        "; ".join(budget.divergence.describe(budget.parameter) for budget in specification.budgets),
    )


def _explain(first: str, second: str, found: Implication) -> None:
    say(f"{first} implies {second}: {found.verdict.value}")
    for reason in found.reasons:
        if reason.verdict is found.verdict:
            say(f"  {reason.block}: {reason.words}")


def _data(found: Implication) -> dict[str, Any]:
    return {
        "verdict": found.verdict.value,
        "reasons": [
            {"block": reason.block, "verdict": reason.verdict.value, "words": reason.words} for reason in found.reasons
        ],
    }
