"""Reading plain data into values, with all faults at once.

Value classes are frozen attrs classes whose fields say everything: the converter reads one value, validators constrain it,
metadata describes it. A third party's mechanism needs no further code to be read, written and documented.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, ParamSpec, TypeVar, cast

import attrs

from accountant import fields
from accountant.errors import AccountantError, Fault, InvalidValue, nearest, suggest
from accountant.values.hygiene import shortened

P = ParamSpec("P")
T = TypeVar("T")


def inside(place: str, key: str) -> str:
    """The place of a key in a table, which has no place of its own at the top."""
    return f"{place}.{key}" if place else key


class Reader:
    """Collects faults while plain data is read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._meant: set[str] = set()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.faults):,} faults>"

    def fault(self, message: str, place: str, key: str | None = None) -> None:
        """Note one thing wrong, perhaps with a key of the table that stands there."""
        self.faults.append(Fault(shortened(message), place, key=key))

    def attempt(self, place: str, action: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T | None:
        """The result of an action on its arguments, or None with its error noted as a fault.

        Validators of third parties raise the usual built-in errors: these are faults of the input too.
        """
        try:
            return action(*arguments, **named)
        except AccountantError as error:
            self.fault(str(error), place)
        except (ArithmeticError, TypeError, ValueError) as error:
            self.fault(str(error.args[0]) if error.args else type(error).__name__, place)
        return None

    def table(self, data: object, place: str) -> Mapping[str, Any] | None:
        """The data as a table."""
        if isinstance(data, Mapping):
            return data
        self.fault(f"expected a table, got {data!r}", place)
        return None

    def keys(
        self, data: Mapping[str, Any], known: Collection[str], place: str, instead: Mapping[str, str] | None = None
    ) -> None:
        """Note every key that means nothing here. `instead` says what to write for keys that others may expect.

        A key that is missing and that another one was meant for is no fault of its own.
        """
        for key in data:
            if key in known:
                continue
            hint = (instead or {}).get(key)
            told = suggest(str(key), known) if hint is None else f"; {hint}"
            self.fault(f"unknown key '{key}'{told}", place, str(key))
            meant = [nearest(str(key), known)] if hint is None else [name for name in known if f"'{name}'" in hint]
            above = "" if place == "plan" else place
            self._meant.update(inside(above, name) for name in meant if name is not None and name not in data)

    def missing(self, key: str, place: str, about: str = "") -> None:
        """Note that a key is missing, unless it is there under a name that was noted."""
        if inside(place, key) not in self._meant:
            self.fault(f"missing '{key}'" + (f": {about}" if about else ""), place)

    def member(self, member: attrs.Attribute[Any], data: Mapping[str, Any], place: str) -> Any:
        """One field of an attrs class read from a table; its default if the table leaves it out, None with a fault."""
        key = member.alias or member.name
        if key in data:
            return self.field(member, data[key], inside(place, key))
        if member.default is not attrs.NOTHING:
            return member.default
        self.missing(key, place, member.metadata.get("about") or "")
        return None

    def field(self, member: attrs.Attribute[Any], data: Any, place: str) -> Any:
        """The value of a field; what it is made of is read first, so that faults inside have places of their own."""
        before = len(self.faults)
        if cast(Any, member.converter) is fields.mechanism:
            data = self.mechanism(data, place)
        for each in fields.validators(member, fields.Each):
            data = [self.value(each.cls, table, where) for where, table in self.tables(data, place)]
        return None if len(self.faults) > before else self.attempt(place, _read, member, data)

    def tables(self, data: object, place: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The tables in a list, each with its place."""
        if not isinstance(data, list):
            self.fault("expected a list of tables", place)
            return []
        found = [(f"{place}[{index}]", self.table(item, f"{place}[{index}]")) for index, item in enumerate(data)]
        return [(where, table) for where, table in found if table is not None]

    def mechanism(self, data: object, place: str) -> Any:
        """A mechanism read from a table with its kind. Only who reads plans knows the kinds."""
        self.fault("a mechanism cannot be given here", place)

    def value(self, cls: type[T], data: Mapping[str, Any], place: str, *, besides: Collection[str] = ()) -> T | None:
        """A value of an attrs class read from a table; keys in `besides` belong to someone else."""
        before = len(self.faults)
        members = {member.alias or member.name: member for member in attrs.fields(cls)}  # type: ignore[arg-type]
        self.keys(data, {*members, *besides}, place, getattr(cls, "instead", None))
        arguments = {key: self.member(member, data, place) for key, member in members.items()}
        if len(self.faults) > before:
            return None
        return self.attempt(place, cls, **arguments)


def made(cls: type[T], values: Mapping[str, Any], what: str) -> T:
    """A value of an attrs class from its parameters by name; InvalidValue with all that is wrong otherwise."""
    reader = Reader()
    found = reader.value(cls, values, "")
    if found is None:
        said = (f"{fault.place.lstrip('.')}: {fault.message}" if fault.place else fault.message for fault in reader.faults)
        raise InvalidValue(f"{what}: {'; '.join(said)}")
    return found


_LISTS: tuple[object, ...] = (fields.names, fields.exact_list, fields.exact_table)


def _read(member: attrs.Attribute[Any], value: Any) -> Any:
    # An empty table would pass for an empty list: a query that depends on nothing and therefore costs nothing.
    if isinstance(value, Mapping) and member.converter in _LISTS:
        raise InvalidValue("expected a list, got a table")
    converted = member.converter(value) if member.converter is not None else value  # type: ignore[operator]
    if member.validator is not None:
        member.validator(None, member, converted)
    return converted
