"""Events: who took part in what, how often; checked as a whole, and counted into signatures.

A row says that a unit took part in a release, once or as many `times` as it says. A table with that column says how often
in one row, so that a unit and a release stand in it together once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from accountant import Fault, PlanError
from accountant.engines import Engine
from accountant.progress import stage
from accountant_scale.individuals.classes import Classes

_SHOWN = 3
_MOST_DIGITS = 18

UNITS = "scale_units"
"""The kept table of units, each with its signature."""
_EVENTS, _GIVEN, _CLASSES, _RELEASES = "scale_events", "scale_given", "scale_classes", "scale_releases"

# Engines differ in what the end of a text is to a pattern, not in what a character is.
_NOT_WHOLE = f"times IS NULL OR LENGTH(times) NOT BETWEEN 1 AND {_MOST_DIGITS} OR regexp_like(times, '[^0-9]')"


@frozen
class Events:
    """The table of events, as an engine sees it."""

    engine: Engine
    location: str
    timed: bool
    """Whether it says how often in a column of its own."""

    @classmethod
    def of(cls, engine: Engine, location: str) -> Events:
        """The table at a place; it must have the columns `unit` and `release`, and may have `times`."""
        columns = engine.columns(_EVENTS, location)
        missing = [name for name in ("unit", "release") if name not in columns]
        if missing:
            known = ", ".join(columns)
            faults = (Fault(f"there is no column '{name}'; the columns are {known}", location) for name in missing)
            raise PlanError(tuple(faults))
        return cls(engine, location, "times" in columns)

    def count(self, classes: Classes) -> None:
        """Count what each unit took part in, into the kept table of units; PlanError tells all that is wrong.

        The events are read twice: once to check every cell, and once to sum what is sound.
        """
        self.engine.given(_GIVEN, classes.columns())
        typed = "CAST(number AS INTEGER) AS number, class, CAST(most AS DECIMAL(38, 0)) AS most"
        self.engine.keep(_CLASSES, f"SELECT release, {typed} FROM {_GIVEN}")
        with stage(0.0, 0.3):
            self.engine.keep(_RELEASES, self._by_release)
            self._checked(self._cells())
        with stage(0.3, 1.0):
            self.engine.keep(UNITS, self._by_unit)
            self._checked(self._pairs())

    @property
    def _by_release(self) -> str:
        """How many rows every release has, and in how many of them there is nobody, or no number."""
        wrong = _NOT_WHOLE if self.timed else "1 = 0"
        return (
            f"SELECT release, COUNT(*) AS stated, SUM(CASE WHEN {_empty('unit')} THEN 1 ELSE 0 END) AS nobody, "
            f"SUM(CASE WHEN {wrong} THEN 1 ELSE 0 END) AS wrong FROM {_EVENTS} GROUP BY release"
        )

    @property
    def _taken(self) -> str:
        """How often each unit took part in each release, and in how many rows that is said."""
        times = "SUM(CAST(e.times AS DECIMAL(18, 0)))" if self.timed else "COUNT(*)"
        return (
            f"SELECT e.unit AS unit, c.number AS number, {times} AS times, COUNT(*) AS stated "
            f"FROM {_EVENTS} e JOIN {_CLASSES} c ON e.release = c.release GROUP BY e.unit, c.number"
        )

    @property
    def _wrong(self) -> str:
        """What is wrong with a unit and a release together."""
        return "t.times > c.most OR t.stated > 1" if self.timed else "t.times > c.most"

    @property
    def _by_unit(self) -> str:
        """Every unit with its signature, and with 1 where something is wrong with it."""
        by_class = (
            "SELECT t.unit AS unit, c.class AS class, CAST(SUM(t.times) AS DECIMAL(38, 0)) AS times, "
            f"MAX(CASE WHEN {self._wrong} THEN 1 ELSE 0 END) AS wrong "
            f"FROM ({self._taken}) t JOIN {_CLASSES} c ON t.number = c.number GROUP BY t.unit, c.class"
        )
        term = "CASE WHEN times > 0 THEN concat(class, ':', CAST(times AS STRING)) END"
        signature = f"array_join(array_sort(collect_list({term})), ' ')"
        return f"SELECT unit, {signature} AS signature, MAX(wrong) AS wrong FROM ({by_class}) b GROUP BY unit"

    def _checked(self, faults: Iterator[Fault]) -> None:
        found = tuple(faults)
        if found:
            raise PlanError(found)

    def _cells(self) -> Iterator[Fault]:
        """What is wrong with single rows."""
        asked = f"SUM(nobody), SUM(wrong), SUM(CASE WHEN {_empty('release')} THEN stated ELSE 0 END)"
        [(nobody, wrong, nothing)] = self.engine.rows(f"SELECT {asked} FROM {_RELEASES}")
        if nobody:
            yield self._fault(f"{_rows(nobody)} without a unit; say whose event it is", "unit")
        if nothing:
            yield self._fault(f"{_rows(nothing)} without a release; say which release it is", "release")
        if wrong:
            few = f"SELECT DISTINCT times FROM {_EVENTS} WHERE {_NOT_WHOLE} ORDER BY times LIMIT {_SHOWN}"
            shown = ", ".join("nothing" if cell is None else repr(cell) for (cell,) in self.engine.rows(few))
            what = f"times that are no whole number of at most {_MOST_DIGITS} digits, such as {shown}"
            yield self._fault(f"{_rows(wrong)} with {what}; write 0, 1, 2, ...", "times")
        yield from self._unknown()

    def _unknown(self) -> Iterator[Fault]:
        strange = (
            f"SELECT r.release AS release, r.stated AS stated FROM {_RELEASES} r "
            f"LEFT JOIN {_CLASSES} c ON r.release = c.release "
            f"WHERE c.release IS NULL AND NOT ({_empty('r.release')}) ORDER BY stated DESC, release LIMIT {_SHOWN}"
        )
        for release, rows in self.engine.rows(strange):
            yield self._fault(
                f"{_rows(rows)} of '{release}', which is no release of the plan; name releases as it does", "release"
            )

    def _pairs(self) -> Iterator[Fault]:
        """What is wrong with a unit and a release together; the events are read again only where something is."""
        if self.engine.rows(f"SELECT unit FROM {UNITS} WHERE wrong > 0 LIMIT 1"):
            yield from self._said_twice()
            yield from self._too_often()

    def _said_twice(self) -> Iterator[Fault]:
        for unit, release, _, stated, _ in self._shown("t.stated > 1") if self.timed else ():
            yield self._fault(
                f"unit '{unit}' and release '{release}' stand together in {stated} rows, each with its times; "
                "write one row, or leave times out where a row is one event",
                "unit",
            )

    def _too_often(self) -> Iterator[Fault]:
        for unit, release, times, _, most in self._shown("t.times > c.most"):
            yield self._fault(
                f"unit '{unit}' takes part in '{release}' {int(times):,} times, but the plan makes it {int(most):,} times",
                "times",
            )

    def _shown(self, wrong: str) -> list[tuple[Any, ...]]:
        """The first units and releases with something wrong."""
        return self.engine.rows(
            f"SELECT t.unit, c.release, t.times, t.stated, c.most FROM ({self._taken}) t "
            f"JOIN {_CLASSES} c ON t.number = c.number WHERE {wrong} ORDER BY t.unit, c.release LIMIT {_SHOWN}"
        )

    def _fault(self, message: str, place: str) -> Fault:
        return Fault(message, place, file=self.location)


def _empty(column: str) -> str:
    return f"{column} IS NULL OR TRIM({column}) = ''"


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count > 1 else ''}"
