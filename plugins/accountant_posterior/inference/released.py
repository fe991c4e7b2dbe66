"""Released numbers, read by the names of releases."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from accountant import AccountantError, fields
from accountant.commands import PlanSource
from accountant_posterior.inference.faults import Faults

_HEAD = ["release", "value"]
_MOST = 1000
Observed = Mapping[str, tuple[Fraction, ...]]
"""The released numbers of each release, one or several."""


def read_observed(source: PlanSource) -> dict[str, tuple[Fraction, ...]]:
    """Released numbers by the names of releases, from TOML, JSON or a CSV file with the columns release and value.

    Several numbers of one release are a list, in a CSV file separated by blanks.
    """
    written = source.written()
    faults = Faults(written.name)
    if source.path is not None and source.path.suffix.lower() == ".csv":
        rows = _csv_rows(written.content, faults)
    else:
        data = written.data()
        if not isinstance(data, dict):
            faults.add("expected a table with the name of each release and its released number", written.name)
        rows = list(data.items()) if isinstance(data, dict) else []
    found: dict[str, tuple[Fraction, ...]] = {}
    if not rows and not faults.found:
        faults.add("there are no released numbers; write for example  smokers = 0.23", written.name)
    if len(rows) > _MOST:
        faults.add(f"there are {len(rows):,} released numbers; inference takes at most {_MOST:,} at once", written.name)
        faults.end()
    for name, value in rows:
        if name in found:
            faults.add("is given twice", name)
            continue
        try:
            found[name] = _numbers(value)
        except AccountantError as error:
            faults.add(str(error), name)
    faults.end()
    return found


def _numbers(value: Any) -> tuple[Fraction, ...]:
    """One number or a list of them."""
    several = value if isinstance(value, list) else [value]
    if any(isinstance(one, bool) for one in several):
        raise AccountantError("expected a number, got true or false")
    if not 1 <= len(several) <= _MOST:
        raise AccountantError(f"expected 1 to {_MOST:,} numbers, got {len(several):,}")
    return tuple(_finite(fields.exact(one)) for one in several)


def _csv_rows(content: str, faults: Faults) -> list[tuple[str, Any]]:
    try:
        head, *rows = list(csv.reader(content.splitlines(), strict=True)) or [[]]
    except csv.Error as error:
        faults.add(f"cannot be parsed as CSV: {error}", faults.file)
        return []
    if [cell.strip() for cell in head] != _HEAD:
        faults.add(f"expected the columns {' and '.join(_HEAD)}, got {', '.join(head) or 'nothing'}", faults.file)
        return []
    for number, row in enumerate(rows, start=2):
        if row and len(row) != 2:
            faults.add(f"expected a release and a value, got {len(row)} cells", f"line {number}")
    return [
        (row[0].strip(), row[1].split() if len(row[1].split()) > 1 else row[1].strip()) for row in rows if len(row) == 2
    ]


def _finite(value: Fraction) -> Fraction:
    if not math.isfinite(_float(value)):
        raise AccountantError("is too large")
    return value


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
