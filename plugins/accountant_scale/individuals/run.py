"""Run: from a plan and a table of events to what each unit's own releases lose."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from accountant import Plan, account
from accountant.engines import Engine, files_of, refused
from accountant.progress import reached, stage
from accountant_scale.individuals.caps import Admission
from accountant_scale.individuals.classes import Classes
from accountant_scale.individuals.events import UNITS, Events
from accountant_scale.individuals.folder import COUNTED, LEFT_OUT, UNITS as UNITS_FOLDER, Folder
from accountant_scale.individuals.own import Participation, by_events
from accountant_scale.individuals.reading import SignatureReader, Value
from accountant_scale.individuals.summary import Read, Spread

_VALUES, _OUT = "scale_values", "scale_out"


@frozen
class Individuals:
    """What was found: how each reading is spread over units, and what each signature is in words."""

    plan: Plan
    participation: Participation
    classes: Classes
    signatures: tuple[Read, ...]
    spreads: tuple[Spread, ...]
    events: str
    state: object
    """Where the events are, and what their files were when they were read."""
    left_out: int | None = None
    """How many units must be left out of the next release, where one was named."""

    @property
    def units(self) -> int:
        """How many units there are."""
        return sum(read.units for read in self.signatures)

    @property
    def confidential(self) -> bool:
        """Whether what each unit lost depends on the data, so that saying it loses something too."""
        return self.participation == "data"


def individuals(
    plan: Plan,
    events: str | Path,
    *,
    participation: Participation,
    engine: Engine,
    output: Path | None = None,
    before: str | None = None,
    finished: Callable[[Individuals], dict[str, Any]] | None = None,
) -> Individuals:
    """Account for every unit of a table of events under a plan.

    The plan's budgets and questions are read for every signature, once. With an `output` folder, units are written with
    their readings, and work that was cut off is taken up again. `before` names the next release: the units that must be
    left out of it are counted, and written. PlanError tells all that is wrong with the events; nothing is written then.
    """
    plan = by_events(plan, participation)
    location = str(events)
    classes = Classes.of(account(plan))
    admission = None if before is None else Admission.of(plan, before, designed=participation == "design")
    state = files_of(location).state
    work = {"plan": _digest(plan), "events": list(map(list, state)), "participation": participation, "before": before}
    begun = output is not None and Folder.begun(output, work)
    with stage(0.0, 0.2):
        if begun and output is not None:
            engine.columns(UNITS, str(output / COUNTED))
        else:
            Events.of(engine, location).count(classes)
    counted = _signatures(engine, location, state)
    folder = None if output is None else Folder.of(output, work)
    if folder is not None:
        folder.table(engine, COUNTED, f"SELECT unit, signature FROM {UNITS}")
    with stage(0.2, 0.9):
        found = _read(engine, folder, SignatureReader.of(plan), counted)
    spreads = tuple(Spread.of(found, index) for index in range(len(found[0].values)))
    out = None if admission is None else _left_out(engine, admission, found)
    left = None if out is None else sum(read.units for read in found if read.signature in out)
    result = Individuals(plan, participation, classes, found, spreads, location, state, left)
    if folder is not None:
        _write(engine, folder, found, out)
        unchanged(location, state)  # a cluster that loses a worker reads the events once more
        folder.finish({} if finished is None else finished(result))
    return result


def _signatures(engine: Engine, location: str, state: object) -> list[tuple[str, int]]:
    """The different signatures, in their order, each with how many units have it."""
    known = "COALESCE(signature, '')"
    rows = engine.rows(f"SELECT {known} AS signature, COUNT(*) AS units FROM {UNITS} GROUP BY {known}")
    unchanged(location, state)
    if not rows:
        raise refused(f"'{location}' has no rows, so that there is nobody to account for", "events")
    return sorted((str(signature), int(units)) for signature, units in rows)


def unchanged(location: str, state: object) -> None:
    """Refuse events whose files are not what they were."""
    if files_of(location).state != state:
        raise refused(f"'{location}' changed while it was read; read it again when nobody writes to it", "events")


def _read(
    engine: Engine, folder: Folder | None, reader: SignatureReader, counted: Sequence[tuple[str, int]]
) -> tuple[Read, ...]:
    """Every signature with its values."""

    def spread(part: Sequence[str]) -> Iterator[tuple[Value, ...]]:
        return engine.spread(reader, part)

    signatures = [signature for signature, _ in counted]
    values = spread(signatures) if folder is None else folder.readings(signatures, spread)
    found = []
    for done, ((signature, units), value) in enumerate(zip(counted, values, strict=True), start=1):
        found.append(Read(signature, units, value))
        reached(done / len(counted))
    return tuple(found)


def _left_out(engine: Engine, admission: Admission, found: Sequence[Read]) -> set[str]:
    """The signatures whose units may not take part in the next release."""
    signatures = [read.signature for read in found]
    admitted = engine.spread(admission, signatures)
    return {signature for signature, may in zip(signatures, admitted, strict=True) if not may}


def _digest(plan: Plan) -> str:
    return hashlib.sha256(json.dumps(plan.as_data(), sort_keys=True).encode()).hexdigest()


def _write(engine: Engine, folder: Folder, found: Sequence[Read], out: set[str] | None) -> None:
    """The units with their readings, and those that must be left out."""
    columns: dict[str, list[str]] = {"signature": [read.signature for read in found]}
    for index in range(len(found[0].values)):
        values = [read.values[index] for read in found]
        columns[f"lower_{index + 1}"] = [_cell(item.value.lower) for item in values]
        columns[f"upper_{index + 1}"] = [_cell(item.value.upper) for item in values]
        columns[f"verdict_{index + 1}"] = [item.verdict for item in values]
    engine.given(_VALUES, columns)
    typed = ", ".join(
        f"v.{name}" if name.startswith("verdict") else f"CAST(v.{name} AS DOUBLE) AS {name}"
        for name in columns
        if name != "signature"
    )
    joined = f"FROM {UNITS} u JOIN {_VALUES} v ON COALESCE(u.signature, '') = v.signature"
    folder.table(engine, UNITS_FOLDER, f"SELECT u.unit, v.signature, {typed} {joined}")
    if out is not None:
        engine.given(_OUT, {"signature": sorted(out)})
        leaving = f"SELECT u.unit FROM {UNITS} u JOIN {_OUT} o ON COALESCE(u.signature, '') = o.signature"
        folder.table(engine, LEFT_OUT, leaving)


def _cell(end: float) -> str:
    return "Infinity" if end == float("inf") else repr(end)
