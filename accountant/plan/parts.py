"""Reading the parts of a plan as their form declares them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from accountant.errors import suggest
from accountant.fields import exact
from accountant.plan.checks import Check
from accountant.plan.form import OTHERWISE, Asked, Either, InRows, Joined, Key, KeyedTable, Many, Part, Short, Stated
from accountant.plan.tables import TableReader, rows_of
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.specification import Question
from accountant.registry.registry import Registry
from accountant.release.release import MECHANISMS
from accountant.values.family import Family
from accountant.values.reading import inside
from accountant.values.source import canonical

T = TypeVar("T")


class PartReader(TableReader):
    """Reads parts of plans, noting faults with places. Files lie in `folder`, if any; `waived` checks are not made."""

    def __init__(self, registry: Registry, folder: Path | None, waived: Container[Check] = ()) -> None:
        super().__init__(folder)
        self.registry = registry
        self.waived = waived
        self._items: dict[str, Any] = {}

    def entries(self, keys: Iterable[Key], table: Mapping[str, Any], place: str) -> dict[str, Any]:
        """What the keys of a table say, by name: None where a fault was noted, and for a list what is at each place."""
        read: dict[str, Any] = {}
        for key in keys:
            read[key.name] = self._entry(key, table, place)
            if key.check is not None and key.check not in self.waived:
                key.check(self, table, read, place)
        return read

    def _entry(self, key: Key, table: Mapping[str, Any], place: str) -> Any:
        if isinstance(key.part, attrs.Attribute):
            return self.member(key.part, table if key.default is None else {key.name: key.default, **table}, place)
        several = isinstance(key.part, Many)
        if several and key.required and table.get(key.name, []) == []:
            self.missing(key.name, place, key.about)
        if key.name not in table and inside(place, key.name) in self._meant:
            return {} if several else None
        if several or key.required or key.name in table:
            return self.read(key.part, table.get(key.name, [] if several else None), inside(place, key.name))
        return None

    def read(self, part: Part, data: Any, place: str) -> Any:
        """What a part says; None where a fault was noted."""
        match part:
            case attrs.Attribute():
                return self.field(part, data, place)
            case Family():
                return self._of_kind(part, data, place) if part.classes else self._named(part, data, place)
            case Many():
                return self._many(part, data, place)
            case Joined():
                return self._joined(part, data, place)
            case Either():
                return self._either(part, data, place)
            case Short() if isinstance(data, str):
                return self.attempt(place, part.cls, **{part.name: data})
            case KeyedTable() if data is None:
                self.fault(part.missing, place)
                return None
        table = self.table(data, place)
        return None if table is None else self._tabled(part, table, place)

    def _tabled(
        self, part: type[Any] | Short | Stated | Asked | KeyedTable | InRows, table: Mapping[str, Any], place: str
    ) -> Any:
        match part:
            case Stated():
                return self._stated(part, table, place)
            case Asked():
                return self._asked(table, place)
            case KeyedTable():
                return self._built(part, table, place)
            case InRows():
                return rows_of(self, part, table, place)
            case Short():
                return self.value(part.cls, table, place)
        return self.value(part, table, place)

    def _built(self, part: KeyedTable, table: Mapping[str, Any], place: str) -> Any:
        before = len(self.faults)
        instead = {**self._elsewhere(part, table), **getattr(part.build, "instead", {})}
        self.keys(table, [key.name for key in part.keys], place, instead)
        read = self.entries(part.reading_order, table, place)
        if len(self.faults) > before:
            return None
        return self.attempt(inside(place, part.blames) if part.blames else place, part.build, **arguments(part.keys, read))

    def _elsewhere(self, part: KeyedTable, table: Mapping[str, Any]) -> dict[str, str]:
        """Where keys belong that a table has not: inside a part of which some kind has such a parameter, or the word."""
        known = {key.name for key in part.keys}
        inner = {key.name: key.part for key in part.keys if isinstance(key.part, Family) and key.part.classes}
        found = {}
        for word in set(map(str, table)) - known:
            homes = [name for name, family in inner.items() if self._expected(word, family)]
            if homes:
                found[word] = f"write it inside {' or '.join(map(repr, homes))}"
        return found

    def _expected(self, word: str, family: Family[type[Any]]) -> bool:
        return any(_expects(word, cls) for cls in self.registry[family].values())

    def _many(self, part: Many, data: Any, place: str) -> dict[str, Any]:
        """What is at each place of a list."""
        if part.alone and isinstance(data, Mapping):
            return {place: self.read(part.item, data, place)}
        if part.short and isinstance(data, list):
            return {f"{place}[{index}]": self._short(part, item, f"{place}[{index}]") for index, item in enumerate(data)}
        if part.short:
            self.fault(f"expected a list of names, got {data!r}", place)
            return {}
        if not isinstance(data, list) and "." not in place:
            self.fault(f"expected a list of tables; write [[{place}]] above each", place)
            return {}
        return {where: self.read(part.item, table, where) for where, table in self.tables(data, place)}

    def _short(self, part: Many, data: Any, place: str) -> Any:
        if isinstance(part.item, type) and not isinstance(data, Mapping):
            return self.attempt(place, part.item, **{part.short: data})
        return self.read(part.item, data, place)

    def mechanism(self, data: object, place: str) -> Any:
        return self.read(MECHANISMS, data, place)

    def _named(self, family: Family[T], name: object, place: str) -> T | None:
        known = self.registry[family]
        if name is None:
            self.fault(f"missing; one of {', '.join(sorted(known))}", place)
            return None
        if not isinstance(name, str):
            self.fault(f"expected a name, got {name!r}", place)
            return None
        return self.attempt(place, self.registry.find, family, name)

    def _of_kind(self, family: Family[type[Any]], data: object, place: str) -> Any:
        """An item of a family. What was read from equal data without a fault is taken again: rows repeat themselves."""
        try:
            content = f"{family.name} {canonical(data)}"
        except (TypeError, ValueError):
            return self._item(family, data, place)
        if self._items.get(content) is None:
            self._items[content] = self._item(family, data, place)
        return self._items[content]

    def _item(self, family: Family[type[Any]], data: object, place: str) -> Any:
        cls, table = self._kind(family, data, place)
        if cls in OTHERWISE:
            return self._stated(OTHERWISE[cls], table, place, "kind")
        return None if cls is None else self.value(cls, table, place, besides=("kind",))

    def _joined(self, part: Joined, data: object, place: str) -> Any:
        cls, table = self._kind(part.family, data, place)
        if cls is None:
            return None
        before = len(self.faults)
        item = self.value(cls, table, place, besides=("kind", *(key.name for key in part.keys)))
        read = self.entries(part.keys, table, place)
        return None if len(self.faults) > before else part.build(item, **arguments(part.keys, read))

    def _either(self, part: Either, data: object, place: str) -> Any:
        if isinstance(data, str) and data in self.registry[part.kinds] and data not in self.registry[part.named]:
            data = {"kind": data}
        if not isinstance(data, Mapping):
            return self._named(part.named, data, place)
        item = self._of_kind(part.kinds, data, place)
        return None if item is None else self.attempt(place, part.build, item)

    def _kind(self, family: Family[type[Any]], data: object, place: str) -> tuple[type[Any] | None, Mapping[str, Any]]:
        """The class that a table names by its kind, and the table."""
        table = {} if data is None else self.table(data, place)
        if data is None:
            self.fault(f"missing; give a table with a kind, one of {', '.join(sorted(self.registry[family]))}", place)
        elif table is not None and "kind" not in table:
            self.fault("missing 'kind'" + suggest("", self.registry[family]), place)
        elif table is not None:
            return self._named(family, table["kind"], place), table
        return None, {}

    def _stated(self, part: Stated, table: Mapping[str, Any], place: str, *besides: str) -> Any:
        """A definition with its parameter, or with several that hold at once."""
        if part.curves and "points" in table:
            return self._curve(part, table, place, *besides)
        divergence = self._named(DIVERGENCES, table.get("divergence"), f"{place}.divergence")
        if divergence is None:
            return None
        before = len(self.faults)
        further = [key.name for key in part.keys]
        parameter = self.value(divergence.parameter, table, place, besides=("divergence", *further, *besides))
        read = self.entries(part.keys, table, place)
        return None if len(self.faults) > before else part.build(divergence, parameter, **arguments(part.keys, read))

    def _curve(self, part: Stated, table: Mapping[str, Any], place: str, *besides: str) -> Any:
        before = len(self.faults)
        self.keys(table, ("divergence", "points", *besides), place)
        divergence = self._named(DIVERGENCES, table.get("divergence"), f"{place}.divergence")
        if divergence is not None and not divergence.readings[0].at:
            self.fault(f"'{divergence.name}' is one number and has no curve; claim the smallest that is known", place)
        if table["points"] == []:
            self.fault("a curve needs at least one point", f"{place}.points")
        points = [
            None if divergence is None else self.value(divergence.parameter, item, where)
            for where, item in self.tables(table["points"], f"{place}.points")
        ]
        return None if len(self.faults) > before else part.build(divergence, tuple(points))

    def _asked(self, table: Mapping[str, Any], place: str) -> Question | None:
        divergence = self._named(DIVERGENCES, table.get("divergence"), f"{place}.divergence")
        given = {word: value for word, value in table.items() if word != "divergence"}
        words = {word: self.attempt(f"{place}.{word}", exact, value) for word, value in given.items()}
        known = tuple((word, value) for word, value in words.items() if value is not None)
        if divergence is None or len(known) < len(words):
            return None
        return self.attempt(place, Question, divergence, known)


def _expects(word: str, cls: type[Any]) -> bool:
    """Whether a kind has a parameter of that name, or says what to write instead."""
    return word in getattr(cls, "instead", {}) or any(word == (member.alias or member.name) for member in attrs.fields(cls))


def arguments(keys: Iterable[Key], read: Mapping[str, Any]) -> dict[str, Any]:
    """What has been read, under the names of the fields that hold it; lists without their places."""
    return {
        key.at.rpartition(".")[2]: tuple(read[key.name].values()) if isinstance(key.part, Many) else read[key.name]
        for key in keys
        if key.at is not None and key.name in read
    }
