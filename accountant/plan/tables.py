"""Tables: what the rows of files stand for, row by row or grouped by what they say."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from accountant.errors import PlanError, suggest
from accountant.plan.form import InRows, Part
from accountant.plan.grouped import GroupedTable
from accountant.plan.origins import Row
from accountant.progress import working_on
from accountant.release.release import Release
from accountant.values.columns import MOST_FAULTS, bounded
from accountant.values.grouped import Grouped
from accountant.values.hygiene import unusable
from accountant.values.reading import Reader
from accountant.values.rows import Rows, Template

_SETTINGS = ("file", "grouped")
_NO_ROWS = "has no rows, so that nothing is released; write rows below its first line, or leave the [[table]] out"

Filled = tuple[int, int | None, dict[str, Any]]
"""The number of a row, its line if it has one, and what it says."""


class TableReader(Reader):
    """Reads what the rows of files stand for. Files lie in `folder`, if any."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__()
        self.folder = folder
        self.rows_read = 0
        self.grouped: dict[str, GroupedTable] = {}
        """The tables whose rows were grouped, by their places."""
        self.origins: dict[str, Row] = {}
        """For the place of each row that was read the name of its release, the file and the line."""

    @abstractmethod
    def read(self, part: Part, data: Any, place: str) -> Any:
        """What a part says; None where a fault was noted."""


def rows_of(reader: TableReader, part: InRows, template: Mapping[str, Any], place: str) -> dict[str, Any]:
    """What the rows of a file stand for, each with its place; of a grouped one, what rows that say the same do."""
    file, grouped = template.get("file"), template.get("grouped", False)
    if not isinstance(file, str):
        reader.fault("missing 'file': the CSV, Parquet or .xlsx file beside the plan that holds the rows", place)
    if not isinstance(grouped, bool):
        reader.fault("expected true or false", f"{place}.grouped")
    if not isinstance(file, str) or not isinstance(grouped, bool):
        return {}
    working_on(f"the table '{file}'")
    form = Template({key: value for key, value in template.items() if key not in _SETTINGS})
    try:
        return (_grouped if grouped else _listed)(reader, part, form, file, place)
    except PlanError as error:
        reader.faults.extend(error.faults)
        return {}


def _listed(reader: TableReader, part: InRows, form: Template, file: str, place: str) -> dict[str, Any]:
    table = Rows.load(reader.folder, file, f"{place}.file")
    reader.rows_read += len(table.rows)
    bounded(0, reader.rows_read, file, f"{place}.file")
    if not table.rows:
        reader.fault(f"'{file}' {_NO_ROWS}", f"{place}.file")
        return {}
    unknown = sorted(form.columns() - set(table.columns))
    for column in unknown:
        reader.fault(f"'{file}' has no column '{column}'{suggest(column, table.columns)}", place)
    if unknown:
        return {}
    lines = table.lines or (None,) * len(table.rows)
    filled = form.filled(table)
    rows = ((number, line, row) for number, (line, row) in enumerate(zip(lines, filled, strict=True), start=1))
    return dict(_read(reader, part, rows, file, place))


def _grouped(reader: TableReader, part: InRows, form: Template, file: str, place: str) -> dict[str, Any]:
    table = Grouped.load(reader.folder, file, form.columns(), place)
    reader.rows_read += len(table.groups)
    bounded(0, reader.rows_read, file, f"{place}.file")
    if not table.rows:
        reader.fault(f"'{file}' {_NO_ROWS}", f"{place}.file")
        return {}
    filled = form.filled(Rows(table.columns, tuple(group.cells for group in table.groups)))
    rows = ((group.row, group.line, row) for group, row in zip(table.groups, filled, strict=True))
    read = dict(_read(reader, part, rows, file, place))
    reader.grouped[place] = GroupedTable(file, table.rows, table.digest)
    counts = dict(zip((f"{place}.row[{group.row}]" for group in table.groups), table.groups, strict=True))
    return _merged(reader, {where: (release, counts[where].count) for where, release in read.items()})


def _merged(reader: TableReader, read: Mapping[str, tuple[Release | None, int]]) -> dict[str, Any]:
    """Releases that differ in how often only as one, at the place of the first; each under a name of its own."""
    first: dict[Release, str] = {}
    times: Counter[str] = Counter()
    found: dict[str, Any] = {}
    for where, (release, count) in read.items():
        if release is None:
            found[where] = None
            continue
        once = evolve(release, times=1)
        home = first.setdefault(once, where)
        times[home] += release.times * count
        found.setdefault(home, once)
    called: Counter[str] = Counter()
    for where, release in found.items():
        if release is not None:
            called[release.name] += 1
            name = release.name if called[release.name] == 1 else f"{release.name} ({called[release.name]})"
            found[where] = reader.attempt(f"{where}.times", evolve, release, name=name, times=times[where])
    return found


def _read(
    reader: TableReader, part: InRows, rows: Iterable[Filled], file: str, place: str
) -> Iterator[tuple[str, Release | None]]:
    before = len(reader.faults)
    for number, line, row in rows:
        where, name = f"{place}.row[{number}]", row.get("name")
        source = str((reader.folder or Path()) / file)
        reader.origins[where] = name if isinstance(name, str) else None, source, line
        yield where, _row(reader, part, row, where)
        if len(reader.faults) - before > MOST_FAULTS:
            reader.fault(f"more than {MOST_FAULTS} faults; the rest of the rows was not read", place)
            return


def _row(reader: TableReader, part: InRows, row: Mapping[str, Any], where: str) -> Any:
    """What a row stands for. What it brings is held to what is written in the plan itself; beside a text that cannot be
    used, what else is wrong with the row is said too."""
    amiss, before = list(unusable(row, where, depth=1)), len(reader.faults)
    read = reader.read(part.row, _escaped(row) if amiss else row, where)
    told = {fault.place for fault in amiss}
    reader.faults[before:] = [*amiss, *(fault for fault in reader.faults[before:] if fault.place not in told)]
    return read


def _escaped(data: Any) -> Any:
    """Plain data whose texts can be quoted in a message."""
    if isinstance(data, Mapping):
        return {key: _escaped(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_escaped(item) for item in data]
    return json.dumps(data)[1:-1] if isinstance(data, str) and not data.isprintable() else data
