"""Events: who took part in what, how often; checked as a whole, and counted into signatures.

A row says that a unit took part in a release, once or as many `times` as it says. A table with that column says how often
in one row, so that a unit and a release stand in it together once.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from accountant import Fault, PlanError
from accountant.engines import Engine
from accountant.progress import reached
from accountant_scale.individuals.classes import Classes

_SHOWN = 3
_MOST_DIGITS = 18

UNITS = "scale_units"
"""The kept table of units, each with its signature."""
_EVENTS, _CLASSES, _TAKEN = "scale_events", "scale_classes", "scale_taken"


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
        """Count what each unit took part in, into the kept table of units; PlanError tells all that is wrong."""
        self.engine.given(_CLASSES, classes.columns())
        self._checked(self._cells())
        reached(1 / 3)
        times = "CAST(e.times AS DECIMAL(18, 0))" if self.timed else "CAST(1 AS DECIMAL(18, 0))"
        self.engine.keep(
            _TAKEN,
            f"SELECT e.unit AS unit, e.release AS release, c.class AS class, CAST(c.most AS DECIMAL(38, 0)) AS most, "
            f"SUM({times}) AS times, COUNT(*) AS stated FROM {_EVENTS} e JOIN {_CLASSES} c ON e.release = c.release "
            "GROUP BY e.unit, e.release, c.class, c.most",
        )
        self._checked(self._pairs())
        reached(2 / 3)
        self.engine.keep(UNITS, _SIGNATURES)

    def _checked(self, faults: Iterator[Fault]) -> None:
        found = tuple(faults)
        if found:
            raise PlanError(found)

    def _cells(self) -> Iterator[Fault]:
        """What is wrong with single rows."""
        yield from self._empty("unit", "say whose event it is")
        yield from self._empty("release", "say which release it is")
        if self.timed:
            yield from self._not_whole()
        yield from self._unknown()

    def _empty(self, column: str, remedy: str) -> Iterator[Fault]:
        [(rows,)] = self.engine.rows(f"SELECT COUNT(*) FROM {_EVENTS} WHERE {column} IS NULL OR TRIM({column}) = ''")
        if rows:
            yield self._fault(f"{_rows(rows)} without a {column}; {remedy}", column)

    def _not_whole(self) -> Iterator[Fault]:
        # Engines differ in what the end of a text is to a pattern, not in what a character is.
        wrong = f"times IS NULL OR LENGTH(times) NOT BETWEEN 1 AND {_MOST_DIGITS} OR regexp_like(times, '[^0-9]')"
        [(rows,)] = self.engine.rows(f"SELECT COUNT(*) FROM {_EVENTS} WHERE {wrong}")
        if rows:
            found = self.engine.rows(f"SELECT DISTINCT times FROM {_EVENTS} WHERE {wrong} ORDER BY times LIMIT {_SHOWN}")
            shown = ", ".join("nothing" if cell is None else repr(cell) for (cell,) in found)
            yield self._fault(
                f"{_rows(rows)} with times that are no whole number, such as {shown}; write 0, 1, 2, ...", "times"
            )

    def _unknown(self) -> Iterator[Fault]:
        strange = (
            f"SELECT e.release AS release, COUNT(*) AS rows FROM {_EVENTS} e "
            f"LEFT JOIN {_CLASSES} c ON e.release = c.release "
            "WHERE c.release IS NULL AND e.release IS NOT NULL AND TRIM(e.release) <> '' GROUP BY e.release"
        )
        for release, rows in self.engine.rows(f"SELECT * FROM ({strange}) s ORDER BY rows DESC, release LIMIT {_SHOWN}"):
            yield self._fault(
                f"{_rows(rows)} of '{release}', which is no release of the plan; name releases as it does", "release"
            )

    def _pairs(self) -> Iterator[Fault]:
        """What is wrong with a unit and a release together."""
        if self.timed:
            twice = self.engine.rows(
                f"SELECT unit, release, stated FROM {_TAKEN} WHERE stated > 1 ORDER BY unit, release LIMIT {_SHOWN}"
            )
            for unit, release, stated in twice:
                yield self._fault(
                    f"unit '{unit}' and release '{release}' stand together in {stated} rows, each with its times; "
                    "write one row, or leave times out where a row is one event",
                    "unit",
                )
        often = self.engine.rows(
            f"SELECT unit, release, times, most FROM {_TAKEN} WHERE times > most ORDER BY unit, release LIMIT {_SHOWN}"
        )
        for unit, release, times, most in often:
            yield self._fault(
                f"unit '{unit}' takes part in '{release}' {int(times):,} times, but the plan makes it {int(most):,} times",
                "times",
            )

    def _fault(self, message: str, place: str) -> Fault:
        return Fault(message, place, file=self.location)


_SIGNATURES = (
    "SELECT unit, array_join(array_sort(collect_list("
    "CASE WHEN times > 0 THEN concat(class, ':', CAST(times AS STRING)) END)), ' ') AS signature "
    f"FROM (SELECT unit, class, CAST(SUM(times) AS DECIMAL(38, 0)) AS times FROM {_TAKEN} GROUP BY unit, class) t "
    "GROUP BY unit"
)


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count > 1 else ''}"
