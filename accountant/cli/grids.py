"""Grids: settings of a study, written down as a file in which every key has one value or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from attrs import frozen

from accountant.cli.sources import PlanSource
from accountant.errors import AccountantError, Fault, PlanError, suggest

_MOST = 100_000


@frozen
class GridKey:
    """A key of a grid: how a value is read into plain data, and what it is when left out; None where it may not be."""

    read: Callable[[Any], Any]
    default: Any = None


@frozen
class StudyGrid:
    """What a study is called, its seed where one is written, and its settings: every combination of the values."""

    title: str
    seed: int | None
    settings: tuple[dict[str, Any], ...]
    varying: tuple[str, ...]
    """The keys that have several values."""


def read_grid(source: PlanSource, keys: Mapping[str, GridKey]) -> StudyGrid:
    """The grid that stands in a file: `title`, `seed`, and a table `grid` with these keys. All faults are told at once."""
    written = source.written()
    data = written.data()
    faults: list[Fault] = []

    def fault(message: str, place: str) -> None:
        faults.append(Fault(message, place, file=written.name))

    data = data if isinstance(data, dict) else {}
    table = data.get("grid")
    for name in data:
        if name not in ("title", "seed", "grid"):
            fault(f"unknown key '{name}'{suggest(str(name), ['title', 'seed', 'grid'])}", str(name))
    if not isinstance(table, dict):
        fault("expected a table [grid] with the settings to be tried, each one value or a list of them", "grid")
        table = {}
    title, seed = data.get("title", "Study"), data.get("seed")
    if not isinstance(title, str):
        fault("expected a text", "title")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        fault("expected a whole number, not negative", "seed")
    for name in table:
        if name not in keys:
            fault(f"unknown key '{name}'{suggest(str(name), list(keys))}", f"grid.{name}")
    values = {name: _values(table.get(name), key, f"grid.{name}", fault) for name, key in keys.items()}
    size = 1
    for found in values.values():
        size *= max(1, len(found))
    if size > _MOST:
        fault(f"there are {size:,} settings; at most {_MOST:,} are taken at once", "grid")
    if faults:
        raise PlanError(tuple(faults))
    settings = tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))
    return StudyGrid(str(title), seed, settings, tuple(name for name, found in values.items() if len(found) > 1))


def _values(given: Any, key: GridKey, place: str, fault: Callable[[str, str], None]) -> list[Any]:
    """The values of a key, each as plain data."""
    if given is None:
        if key.default is None:
            fault("is missing; give one value or a list of them", place)
            return []
        given = key.default
    many = given if isinstance(given, list) else [given]
    if not many:
        fault("has no values", place)
    found: list[Any] = []
    for number, one in enumerate(many):
        at = f"{place}[{number}]" if isinstance(given, list) else place
        try:
            value = key.read(one)
        except AccountantError as error:
            fault(str(error), at)
            continue
        if value in found:
            fault(f"'{value}' is given twice", at)
        found.append(value)
    return found
