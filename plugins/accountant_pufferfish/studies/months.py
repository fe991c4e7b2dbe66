"""Months: counts of cases and deaths in counties, read from a table and checked, each month beside the one before."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from accountant import AccountantError, Fault, InvalidValue, PlanError, fields

_NEEDED = ("month", "county", "cases", "deaths")
_MOST_FAULTS, _DIGITS = 20, 18
_LARGEST = 2 * 10**7
"""How many counties times cases of a month are followed at most: the exact sampler keeps a row of that for each county."""


@frozen
class Month:
    """The counts of a month and of the month before, from the largest county to the smallest."""

    name: str
    cases: tuple[int, ...]
    deaths: tuple[int, ...]
    earlier_cases: tuple[int, ...]
    earlier_deaths: tuple[int, ...]


@frozen
class Months:
    """All months that have one before them, and the counties, the largest first."""

    counties: tuple[str, ...]
    months: tuple[Month, ...]

    def only(self, names: tuple[str, ...]) -> Months:
        """Some of the months; all where none is named."""
        known = {month.name for month in self.months}
        for name in names:
            if name not in known:
                raise AccountantError(
                    f"no month is called '{name}' that has one before it; known: {', '.join(sorted(known))}"
                )
        return Months(self.counties, tuple(month for month in self.months if not names or month.name in names))


def read_months(path: Path) -> Months:
    """A table with a row for each county and month, and the columns month, county, cases and deaths.

    With a column population the order of the counties is that of the first month's population, else of all their cases.
    Whatever is missing, negative, doubled or contradictory is refused, all of it at once, with the row it stands in.
    """
    head, rows = _rows(path)
    lacking = [name for name in _NEEDED if name not in head]
    if lacking:
        raise AccountantError(
            f"{path} has no column {' and no column '.join(lacking)}; expected {', '.join(_NEEDED)}, got "
            f"{', '.join(head) or 'nothing'}"
        )
    found = _Read(path)
    for number, row in enumerate(rows, start=2):
        found.take(row, f"row {number}")
        if len(found.faults) >= _MOST_FAULTS:
            break
    if found.faults:
        raise PlanError(tuple(found.faults))
    return _ordered(found.cells, found.sizes, path)


@define
class _Read:
    """What was read so far of a table of months, and what is wrong with it."""

    path: Path
    cells: dict[tuple[str, str], tuple[int, int]] = field(factory=dict)
    sizes: dict[str, int] = field(factory=dict)
    faults: list[Fault] = field(factory=list)

    def take(self, row: Mapping[str, Any], place: str) -> None:
        cases, deaths = (self.whole(row, name, place) for name in ("cases", "deaths"))
        month, county = (str(row.get(name) or "").strip() for name in ("month", "county"))
        if not month or not county:
            self.wrong("month or county is missing", place)
        elif cases is not None and deaths is not None:
            if deaths > cases:
                self.wrong(f"{deaths} deaths are more than {cases} cases", place)
            if (month, county) in self.cells:
                self.wrong(f"'{county}' is there twice in month '{month}'", place)
            self.cells[month, county] = cases, deaths
            if row.get("population") is not None and county not in self.sizes:
                self.sizes[county] = self.whole(row, "population", place) or 0

    def whole(self, row: Mapping[str, Any], name: str, place: str) -> int | None:
        return _whole(row.get(name), name, place, str(self.path), self.faults)

    def wrong(self, message: str, place: str) -> None:
        self.faults.append(Fault(message, place, file=str(self.path)))


def _ordered(cells: dict[tuple[str, str], tuple[int, int]], sizes: dict[str, int], path: Path) -> Months:
    names = _in_order({month for month, _ in cells})
    counties = sorted({county for _, county in cells})
    missing = [(month, county) for month in names for county in counties if (month, county) not in cells]
    if missing:
        told = "; ".join(f"'{county}' in month '{month}'" for month, county in missing[:5])
        raise AccountantError(
            f"{path} lacks {len(missing):,} of its counties' months: {told}; give every county every month"
        )
    if len(names) < 2 or len(counties) < 2:
        raise AccountantError(f"{path} needs two months and two counties at least: last month is what is public")
    whole = sizes or {county: sum(cells[month, county][0] for month in names) for county in counties}
    counties.sort(key=lambda county: -whole[county])
    found = []
    for before, month in itertools.pairwise(names):
        columns = [[cells[at, county][kind] for county in counties] for at in (month, before) for kind in (0, 1)]
        total = sum(columns[0])
        if total == 0:
            raise AccountantError(f"month '{month}' of {path} has no cases: there is nothing to release")
        if total * len(counties) > _LARGEST:
            raise AccountantError(
                f"month '{month}' of {path} has {total:,} cases in {len(counties):,} counties; at most {_LARGEST:,} cases "
                "times counties are followed: take fewer counties, or coarser counts"
            )
        found.append(Month(month, *(tuple(column) for column in columns)))
    return Months(tuple(counties), tuple(found))


def _in_order(names: set[str]) -> list[str]:
    """As numbers where all are, else as they are written."""
    if all(name.isdecimal() and len(name) <= _DIGITS for name in names):
        return sorted(names, key=int)
    return sorted(names)


def _whole(value: Any, name: str, place: str, path: str, faults: list[Fault]) -> int | None:
    text = "" if value is None else str(value).strip()
    try:
        if (number := fields.whole(text)) >= 0:
            return number
    except InvalidValue:
        pass
    told = f"{name} must be a whole number of at least 0, got '{text[:40]}'" if text else f"{name} is missing"
    faults.append(Fault(told, place, file=path))
    return None


def _rows(path: Path) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The names of the columns, and the rows."""
    try:
        if path.suffix.lower() == ".parquet":
            from pyarrow import parquet

            table = parquet.read_table(path)
            return list(table.column_names), iter(table.to_pylist())
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows: Iterable[dict[str, Any]] = list(reader)
            return [name or "" for name in reader.fieldnames or []], iter(rows)
    except (OSError, ValueError, csv.Error) as error:
        raise AccountantError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
