"""Reading plans: every fault of a file is found at once, with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import evolve

from accountant.errors import Fault, InvalidValue, PlanError
from accountant.fields import shown
from accountant.plan import checks
from accountant.plan.form import DOMAIN
from accountant.plan.inferred import misspelt
from accountant.plan.origins import Origins, Row, in_text
from accountant.plan.parts import PartReader, arguments
from accountant.plan.plan import PLAN, Plan
from accountant.promise.domain import Domain
from accountant.promise.specification import Scenario, Specification
from accountant.registry.registry import Registry, default_registry
from accountant.release.release import Release
from accountant.values.hygiene import unusable
from accountant.values.source import Written


def load_plan(source: str | Path | Written, *, registry: Registry | None = None, may_be_empty: bool = False) -> Plan:
    """The plan in a TOML or JSON file, or in such a text. Every fault is reported in one PlanError.

    A plan without releases is refused unless it `may_be_empty`.
    """
    written = _written(source)
    data = written.data()
    with located(written):
        return _read(data, registry, written.folder, may_be_empty=may_be_empty, written=written)


def load_specification(source: str | Path | Written, *, registry: Registry | None = None) -> tuple[str, Specification]:
    """The title and the specification of a plan file, with its budgets; it need not say what is released."""
    written = _written(source)
    data = written.data()
    reader = _PlanReader(registry or default_registry(), None)
    found = reader.promise(data)
    if found is None or reader.faults:
        with located(written):
            raise PlanError((*unusable(data, "plan"), *reader.faults))
    return found


def _written(source: str | Path | Written) -> Written:
    if isinstance(source, Written):
        return source
    if not isinstance(source, (str, Path)):
        raise InvalidValue(f"expected the path of a plan file, got {shown(source)}; read plain data with read_plan")
    return Written.in_file(source)


@contextmanager
def located(written: Written) -> Iterator[None]:
    """Faults inside say which file they are of, unless they know another, and where in TOML they stand."""
    try:
        yield
    except PlanError as error:
        raise PlanError(tuple(in_text(fault, written) for fault in error.faults)) from error


_NAMED = re.compile(r"(?P<key>release|scenario|public)\[(?P<index>\d+)\]")
_ROW = re.compile(r"table\[\d+\]\.row\[\d+\]")


def _named(fault: Fault, data: Any, origins: Mapping[str, Row]) -> Fault:
    """A fault with the name of the release, scenario or public fact that it stands in; of a row, with its own file."""
    row = _ROW.match(fault.place)
    if row and row.group() in origins:
        called, file, line = origins[row.group()]
        return evolve(fault, name=called, file=file, line=line)
    found = _NAMED.match(fault.place)
    table = data[found["key"]][int(found["index"])] if found else None
    name = table.get("name") if isinstance(table, Mapping) else None
    return evolve(fault, name=name) if isinstance(name, str) else fault


def read_plan(
    data: object,
    *,
    registry: Registry | None = None,
    folder: Path | None = None,
    may_be_empty: bool = False,
    specification: Specification | None = None,
) -> Plan:
    """The plan in plain data, such as a parsed TOML or JSON file; its tables of releases lie in `folder`.

    Without a folder, as for data that was handed to a service, no file is read. A plan without releases is refused unless
    it `may_be_empty`. Where the data leaves the specification out, a known `specification` is taken, with the budgets of
    the data: releases can be read by themselves.
    """
    return _read(data, registry, folder, may_be_empty=may_be_empty, specification=specification)


def _read(
    data: object,
    registry: Registry | None,
    folder: Path | None,
    *,
    may_be_empty: bool,
    specification: Specification | None = None,
    written: Written | None = None,
) -> Plan:
    """The plan in plain data, which knows where it is written if it is written somewhere."""
    faults = tuple(unusable(data, "plan"))
    if faults:
        raise PlanError(faults)
    waived = (checks.says_releases,) if may_be_empty else ()
    reader = _PlanReader(registry or default_registry(), folder, waived)
    plan = reader.plan(data, specification)
    if plan is None or reader.faults:
        raise PlanError(tuple(_named(fault, data, reader.origins) for fault in reader.faults))
    return plan if written is None else evolve(plan, origins=Origins(written, reader.places, reader.origins))


class _PlanReader(PartReader):
    """Reads whole plans, whose parts must fit each other."""

    places: Mapping[str, Release | Scenario] = MappingProxyType({})
    """What was read at the places of releases and scenarios."""

    def promise(self, data: object) -> tuple[str, Specification] | None:
        """What is promised, whatever is released."""
        table = self.table(data, "plan")
        if table is None:
            return None
        said = [key for key in PLAN.reading_order if key.name in ("title", "budget", "specification")]
        read = self.entries(said, {"title": "Untitled", **table}, "")
        self._cohorts(read)
        if self.faults:
            return None
        promised: Plan = PLAN.build(releases=(), **arguments(said, read))
        return promised.title, promised.specification

    def plan(self, data: object, specification: Specification | None) -> Plan | None:
        """The plan, with what is promised where it does not say so itself."""
        table = self.table(data, "plan")
        if table is None:
            return None
        self.keys(table, [key.name for key in PLAN.keys], "plan")
        known = {} if specification is None or "specification" in table else {"specification": specification}
        read = known | self.entries([key for key in PLAN.reading_order if key.name not in known], table, "")
        for rows in read["table"].values():
            read["release"].update(rows)
        read["grouped"].update(self.grouped)
        checks.names_differ(self, table, "release")
        checks.names_differ(self, table, "scenario")
        checks.rows_differ(self, read["release"])
        promised = read["specification"]
        self._declared(read, promised or self._domain(table))
        self._cohorts(read)
        if promised is None:
            return None
        releases = {place: release for place, release in read["release"].items() if release is not None}
        # Where the specification is known already, others may have named what these releases do not.
        if specification is None:
            self.faults.extend(misspelt(promised, releases))
        for place, release in releases.items():
            checks.release_fits(self, release, promised, place)
        if self.faults:
            return None
        plan: Plan = PLAN.build(**arguments(PLAN.keys, read))
        self.places = {**read["release"], **read["scenario"]}
        for place, scenario in read["scenario"].items():
            plan.check_scenario(self, scenario, place)
        for place, public in read["public"].items():
            checks.public_fits(self, public, promised, place)
        return plan

    def _cohorts(self, read: Mapping[str, Any]) -> None:
        """Budgets are for units of whom the specification can speak."""
        if read["specification"] is not None:
            for place, message in read["specification"].faults_of_cohorts(read["budget"].values()):
                self.fault(message, place)

    def _domain(self, table: Mapping[str, Any]) -> Domain:
        """What a specification declares, whatever else is wrong with it."""
        promised = table.get("specification")
        stated = promised.get("domain") if isinstance(promised, Mapping) else None
        found = None if stated is None else PartReader(self.registry, self.folder).read(DOMAIN, stated, "")
        return found or Domain()

    def _declared(self, read: Mapping[str, Any], known: Domain | Specification) -> None:
        """Releases and scenarios name only attributes that a domain declares, or the entities of a specification."""
        for place, release in read["release"].items():
            for part, attributes in () if release is None else release.mentions():
                checks.declared(self, known, attributes, f"{place}.{part}")
        for place, scenario in read["scenario"].items():
            if scenario is not None:
                checks.declared(self, known, scenario.attributes, f"{place}.attributes")
