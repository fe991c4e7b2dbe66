"""Reading plans: every fault of a file is found at once, with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, fields as attrs_fields

from accountant.errors import PlanError, suggest
from accountant.fields import exact, text
from accountant.plan.plan import Plan
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import NEIGHBOURS, Neighbours
from accountant.promise.public_facts import PUBLIC_FACTS
from accountant.promise.risk import RISK_PROFILES
from accountant.promise.specification import Budget, Knowledge, Question, Scenario, Specification
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import SAMPLED_CLAIM, Claim, rests_on_claims
from accountant.release.mechanism import MECHANISMS, Mechanism
from accountant.release.query import QUERIES, Query
from accountant.release.release import Release, Scope
from accountant.release.sampling import SAMPLINGS, Sampling
from accountant.values.family import Family
from accountant.values.hygiene import unusable
from accountant.values.reading import Reader
from accountant.values.rows import Rows, Template
from accountant.values.source import canonical, load_data

T = TypeVar("T")
_MOST_FAULTS = 20
_KEYS = ("title", "precision", "specification", "budget", "release", "table", "reading", "scenario", "public", "risk")


def load_plan(source: str | Path, *, registry: Registry | None = None, may_be_empty: bool = False) -> Plan:
    """The plan in a TOML or JSON file. Every fault of the file is reported in one PlanError.

    A plan without releases is refused unless it `may_be_empty`.
    """
    return read_plan(load_data(source), registry=registry, folder=Path(source).parent, may_be_empty=may_be_empty)


def load_specification(source: str | Path, *, registry: Registry | None = None) -> tuple[str, Specification]:
    """The title and the specification of a plan file, with its budgets; it need not say what is released."""
    data = load_data(source)
    reader = _PlanReader(registry or default_registry(), Path())
    found = reader.promise(data)
    if found is None or reader.faults:
        raise PlanError((*unusable(data, "plan"), *reader.faults))
    return found


def read_plan(
    data: object, *, registry: Registry | None = None, folder: Path | None = None, may_be_empty: bool = False
) -> Plan:
    """The plan in plain data, such as a parsed TOML or JSON file; its tables of releases lie in `folder`.

    A plan without releases is refused unless it `may_be_empty`.
    """
    faults = tuple(unusable(data, "plan"))
    if faults:
        raise PlanError(faults)
    reader = _PlanReader(registry or default_registry(), folder or Path(), may_be_empty=may_be_empty)
    plan = reader.plan(data)
    if plan is None or reader.faults:
        raise PlanError(tuple(reader.faults))
    return plan


class _PlanReader(Reader):
    """Reads the parts of a plan, noting every fault with its place."""

    def __init__(self, registry: Registry, folder: Path, *, may_be_empty: bool = False) -> None:
        super().__init__()
        self.registry = registry
        self.folder = folder
        self.may_be_empty = may_be_empty
        self._read: dict[str, Any] = {}

    def promise(self, data: object) -> tuple[str, Specification] | None:
        """What is promised, whatever is released."""
        table = self.table(data, "plan")
        if table is None:
            return None
        title = self.attempt("title", lambda: text(table.get("title", "Untitled")))
        budgets = [self._budget(item, place) for place, item in self._tables(table, "budget")]
        specification = self._specification(table.get("specification"))
        if title is None or specification is None or self.faults:
            return None
        neighbours, invariants, domain, attacker = specification
        return title, Specification(neighbours, invariants, domain, tuple(item for item in budgets if item), attacker)

    def plan(self, data: object) -> Plan | None:
        table = self.table(data, "plan")
        if table is None:
            return None
        self.keys(table, _KEYS, "plan")
        title = self.attempt("title", lambda: text(table.get("title", "Untitled plan")))
        precision = self.attempt("precision", lambda: self._precision(table))
        budgets = [self._budget(item, place) for place, item in self._tables(table, "budget")]
        specification = self._specification(table.get("specification"))
        releases = {place: self._release(item, place) for place, item in self._tables(table, "release")}
        for place, item in self._tables(table, "table"):
            releases |= self._rows(item, place)
        if table.get("release", []) == [] and table.get("table", []) == [] and not self.may_be_empty:
            self.fault("a plan needs at least one release; add a [[release]] table", "release")
        questions = [self._question(item, place) for place, item in self._tables(table, "reading")]
        scenarios = {place: self.value(Scenario, item, place) for place, item in self._tables(table, "scenario")}
        known = {place: self._knowledge(item, place) for place, item in self._tables(table, "public")}
        risks = [self._of_kind(item, RISK_PROFILES, place) for place, item in self._risks(table)]
        self._distinct(table, "release")
        self._distinct(table, "scenario")
        self._apart(releases)
        if specification is None:
            return None
        neighbours, invariants, domain, attacker = specification
        for place, release in releases.items():
            if release is not None:
                for path, part in release.mechanism.nested():
                    where = f"{place}.mechanism{path}"
                    self.attempt(where, lambda m=part: m.check(neighbours.relation))  # type: ignore[misc]
                    self.attempt(where, lambda m=part: m.check_declared(invariants))  # type: ignore[misc]
            if release is not None and release.query is not None:
                query = release.query
                self.attempt(f"{place}.query", lambda q=query: q.shift(neighbours))  # type: ignore[misc]
            if release is not None and release.sampling is not None:
                sampling = release.sampling
                self.attempt(f"{place}.sampling", lambda s=sampling: s.check(neighbours))  # type: ignore[misc]
                self.attempt(f"{place}.sampling", lambda s=sampling: s.check_group(neighbours))  # type: ignore[misc]
            if release is not None and release.scope is not None:
                scope = release.scope
                self.attempt(f"{place}.scope", lambda s=scope: s.check(neighbours))  # type: ignore[misc]
        if title is None or precision is None or self.faults:
            return None
        promised = Specification(neighbours, invariants, domain, tuple(item for item in budgets if item), attacker)
        plan = Plan(title, promised, tuple(item for item in releases.values() if item), precision)
        for place, scenario in scenarios.items():
            if scenario is not None:
                self.attempt(f"{place}.attributes", lambda s=scenario: plan.within(s))  # type: ignore[misc]
        for place, knowledge in known.items():
            if knowledge is not None:
                self._relative(knowledge, promised, place)
        return evolve(
            plan,
            questions=tuple(item for item in questions if item),
            scenarios=tuple(item for item in scenarios.values() if item),
            knowledge=tuple(item for item in known.values() if item),
            risks=tuple(item for item in risks if item),
        )

    def _precision(self, table: Mapping[str, Any]) -> Fraction:
        member = attrs_fields(Plan).precision
        number = exact(table.get("precision", member.default))
        assert member.validator is not None
        member.validator(None, member, number)
        return number

    def _list(self, table: Mapping[str, Any], key: str) -> list[Any]:
        items = table.get(key, [])
        return items if isinstance(items, list) else []

    def _tables(self, table: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The tables of a key at the top of the plan, each with its place."""
        if not isinstance(table.get(key, []), list):
            self.fault(f"expected a list of tables; write [[{key}]] above each", key)
        return self.tables(self._list(table, key), key)

    def _distinct(self, table: Mapping[str, Any], key: str) -> None:
        seen: set[str] = set()
        for index, item in enumerate(self._list(table, key)):
            name = item.get("name") if isinstance(item, Mapping) else None
            if isinstance(name, str) and name in seen:
                self.fault(f"two {key}s are called '{name}'; give each its own name", f"{key}[{index}].name")
            elif isinstance(name, str):
                seen.add(name)

    def _apart(self, releases: Mapping[str, Release | None]) -> None:
        """Note rows that are called like a release that was read before."""
        seen: dict[str, str] = {}
        for place, release in releases.items():
            if release is not None and seen.setdefault(release.name, place) != place and place.startswith("table"):
                self.fault(f"{seen[release.name]} is called '{release.name}' too; give each its own name", f"{place}.name")

    def _specification(self, data: object) -> tuple[Neighbours, tuple[Invariant, ...], str, str] | None:
        place = "specification"
        if data is None:
            self.fault('missing; say which neighbours are compared, for example neighbours = "replace-one"', place)
            return None
        table = self.table(data, place)
        if table is None:
            return None
        before = len(self.faults)
        self.keys(table, ("unit", "neighbours", "group", "attributes", "invariants", "domain", "attacker"), place)
        relation = self._named(NEIGHBOURS, table.get("neighbours"), f"{place}.neighbours")
        invariants = table.get("invariants", [])
        if not isinstance(invariants, list):
            self.fault(f"expected a list of names, got {invariants!r}", f"{place}.invariants")
            invariants = []
        published = [self._invariant(item, f"{place}.invariants[{index}]") for index, item in enumerate(invariants)]
        domain = self.attempt(f"{place}.domain", lambda: text(table.get("domain", "all datasets")))
        unit = self.member(Neighbours, "unit", table, place)
        attributes = self.member(Neighbours, "attributes", table, place)
        group = self.member(Neighbours, "group", table, place)
        attacker = self.member(Specification, "attacker", table, place)
        if len(self.faults) > before or domain is None or relation is None:
            return None
        neighbours = self.attempt(f"{place}.attributes", lambda: Neighbours(relation, unit, attributes, group))
        return None if neighbours is None else (neighbours, tuple(item for item in published if item), domain, attacker)

    def _invariant(self, data: object, place: str) -> Invariant | None:
        if isinstance(data, Mapping):
            return self.value(Invariant, data, place)
        return self.attempt(place, lambda: Invariant(data))  # type: ignore[arg-type]

    def _named(self, family: Family[T], name: object, place: str) -> T | None:
        known = self.registry[family]
        if name is None:
            self.fault(f"missing; one of {', '.join(sorted(known))}", place)
            return None
        if not isinstance(name, str):
            self.fault(f"expected a name, got {name!r}", place)
            return None
        return self.attempt(place, lambda: self.registry.find(family, name))

    def _budget(self, table: Mapping[str, Any], place: str) -> Budget | None:
        found = self._parameter(table, place, ("divergence",))
        return None if found is None else Budget(*found)

    def _question(self, table: Mapping[str, Any], place: str) -> Question | None:
        divergence = self._named(DIVERGENCES, table.get("divergence"), f"{place}.divergence")
        words = {
            word: self.attempt(f"{place}.{word}", lambda v=value: exact(v))  # type: ignore[misc]
            for word, value in table.items()
            if word != "divergence"
        }
        if divergence is None or None in words.values():
            return None
        known = tuple((word, value) for word, value in words.items() if value is not None)
        return self.attempt(place, lambda: Question(divergence, known))

    def _knowledge(self, table: Mapping[str, Any], place: str) -> Knowledge | None:
        found = self._kind(table, PUBLIC_FACTS, place)
        if found is None:
            return None
        public = self.value(found[0], table, place, besides=("kind", "budget"))
        if table.get("budget", []) == []:
            self.fault("missing 'budget': what is to be kept relative to it, such as one of the plan's budgets", place)
        budgets = [self._budget(item, where) for where, item in self.tables(table.get("budget", []), f"{place}.budget")]
        return None if public is None else Knowledge(public, tuple(item for item in budgets if item))

    def _relative(self, known: Knowledge, promised: Specification, place: str) -> None:
        """Note what keeps the plan's account from saying anything relative to public information."""
        neighbours = promised.neighbours
        if neighbours.group != 1 or neighbours.attributes is not None:
            self.fault(
                "secrets are about one unit while all that others have may vary; leave 'group' and 'attributes' out of "
                "the specification",
                place,
            )
            return
        names = tuple(invariant.name for invariant in promised.invariants)
        self.attempt(f"{place}.determines", lambda: known.public.check_declared(names))
        self.attempt(place, lambda: known.public.reach(neighbours))

    def _risks(self, table: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        """One risk profile, or a list of them."""
        data = table.get("risk", [])
        return [("risk", data)] if isinstance(data, Mapping) else self._tables(table, "risk")

    def _parameter(self, table: Mapping[str, Any], place: str, besides: tuple[str, ...]) -> tuple[Divergence, Any] | None:
        divergence = self._named(DIVERGENCES, table.get("divergence"), f"{place}.divergence")
        if divergence is None:
            return None
        parameter = self.value(divergence.parameter, table, place, besides=besides)
        return None if parameter is None else (divergence, parameter)

    def _curve(self, table: Mapping[str, Any], place: str) -> Claim | None:
        """A claim of several parameters that hold at once."""
        before = len(self.faults)
        self.keys(table, ("kind", "divergence", "points"), place)
        divergence = self._named(DIVERGENCES, table.get("divergence"), f"{place}.divergence")
        if divergence is not None and not divergence.readings[0].at:
            self.fault(f"'{divergence.name}' is one number and has no curve; claim the smallest that is known", place)
        if table["points"] == []:
            self.fault("a curve needs at least one point", f"{place}.points")
        points = [
            None if divergence is None else self.value(divergence.parameter, item, where)
            for where, item in self.tables(table["points"], f"{place}.points")
        ]
        return None if len(self.faults) > before or divergence is None else Claim(divergence, tuple(points))

    def _release(self, table: Mapping[str, Any], place: str) -> Release | None:
        before = len(self.faults)
        self.keys(table, ("name", "query", "mechanism", "sampling", "scope", "times"), place)
        name = self.member(Release, "name", table, place)
        query = self._query(table["query"], f"{place}.query") if "query" in table else None
        mechanism = self.mechanism(table.get("mechanism"), f"{place}.mechanism")
        if mechanism is not None and mechanism.asks_query and "query" not in table:
            kind = next(part.kind for _, part in mechanism.nested() if part.needs_query)
            self.fault(f"missing 'query': '{kind}' needs to know what it is applied to", place)
        sampling = self._sampling(table["sampling"], f"{place}.sampling") if "sampling" in table else None
        if mechanism is not None and "sampling" in table and rests_on_claims(mechanism):
            self.fault(SAMPLED_CLAIM, f"{place}.sampling")
        scope = self._scope(table["scope"], f"{place}.scope") if "scope" in table else None
        times = self.member(Release, "times", table, place)
        if len(self.faults) > before or mechanism is None:
            return None
        return Release(name, mechanism, query, times, sampling, scope)

    def _rows(self, template: Mapping[str, Any], place: str) -> dict[str, Release | None]:
        """The releases in the rows of a table. Parts that several rows have in common are read once."""
        if not isinstance(template.get("file"), str):
            self.fault("missing 'file': the CSV or Parquet file beside the plan that holds the rows", place)
            return {}
        try:
            table = Rows.load(self.folder / template["file"], f"{place}.file")
        except PlanError as error:
            self.faults.extend(error.faults)
            return {}
        form = Template({key: value for key, value in template.items() if key != "file"})
        for column in sorted(form.columns() - set(table.columns)):
            self.fault(f"'{template['file']}' has no column '{column}'{suggest(column, table.columns)}", place)
        if form.columns() - set(table.columns):
            return {}
        found: dict[str, Release | None] = {}
        before = len(self.faults)
        for number, row in enumerate(form.filled(table), start=1):
            where = f"{place}.row[{number}]"
            found[where] = self._release(row, where)
            if len(self.faults) - before > _MOST_FAULTS:
                self.fault(f"more than {_MOST_FAULTS} faults; the rest of the rows was not read", place)
                break
        return found

    def _once(self, part: str, data: object, read: Callable[[], T | None]) -> T | None:
        """What was read from equal data before; only what was read without a fault is kept."""
        try:
            key = f"{part} {canonical(data)}"
        except (TypeError, ValueError):
            return read()
        known: T | None = self._read.get(key)
        if known is None:
            known = self._read[key] = read()
        return known

    def _kind(self, data: object, family: Family[type[T]], place: str) -> tuple[type[T], Mapping[str, Any]] | None:
        if data is None:
            known = ", ".join(sorted(self.registry[family]))
            self.fault(f"missing; give a table with a kind, one of {known}", place)
            return None
        table = self.table(data, place)
        if table is None:
            return None
        if "kind" not in table:
            self.fault("missing 'kind'" + suggest("", self.registry[family]), place)
            return None
        found = self._named(family, table["kind"], place)
        return None if found is None else (found, table)

    def _query(self, data: object, place: str) -> Query | None:
        return self._once("query", data, lambda: self._of_kind(data, QUERIES, place))

    def _of_kind(self, data: object, family: Family[type[T]], place: str) -> T | None:
        found = self._kind(data, family, place)
        return None if found is None else self.value(found[0], found[1], place, besides=("kind",))

    def _sampling(self, data: object, place: str) -> Sampling | None:
        return self._once("sampling", data, lambda: self._of_kind(data, SAMPLINGS, place))

    def _scope(self, data: object, place: str) -> Scope | None:
        table = self.table(data, place)
        return None if table is None else self.value(Scope, table, place)

    def mechanism(self, data: object, place: str) -> Mechanism | None:
        return self._once("mechanism", data, lambda: self._new_mechanism(data, place))

    def _new_mechanism(self, data: object, place: str) -> Mechanism | None:
        found = self._kind(data, MECHANISMS, place)
        if found is None:
            return None
        cls, table = found
        if cls is Claim:
            if "points" in table:
                return self._curve(table, place)
            claimed = self._parameter(table, place, ("kind", "divergence"))
            return None if claimed is None else Claim(*claimed)
        mechanism: Mechanism | None = self.value(cls, table, place, besides=("kind",))
        return mechanism
