"""How values are written as plain data and read back: by their fields, so that both ways cannot drift apart.

What is None is left out, and so is an empty list where the field says so. A field may hold a table of its own whose keys
stand among the others: all keys that no other field claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import attrs

from accountant.errors import CertificateError, Fault, InvalidValue
from accountant.values.hygiene import shortened

T = TypeVar("T")

LEFT_OUT_IF_EMPTY, THE_REST = "left out if empty", "the rest"


def write(value: object) -> Any:
    """A value as plain data."""
    if attrs.has(type(value)):
        return _table(value)
    if isinstance(value, tuple):
        return [write(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def _table(value: object) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for member in attrs.fields(type(value)):  # type: ignore[arg-type]
        item = getattr(value, member.name)
        if THE_REST in member.metadata:
            table.update(item)
        elif item is not None and (item or LEFT_OUT_IF_EMPTY not in member.metadata):
            table[member.name] = write(item)
    return table


def read(cls: type[T], data: object, place: str) -> T:
    """A value of an attrs class from plain data. What `write` gave is read as an equal value, all else is refused."""
    form: Any = cls
    table, arguments = dict(_mapping(data, place)), {}
    missing = sorted(_required(form) - set(table))
    if missing:
        raise _refused("missing", f"{place}.{missing[0]}")
    rest = None
    for member in attrs.fields(form):
        name = member.name
        if THE_REST in member.metadata:
            rest = name
        elif name in table:
            arguments[name] = _read(_hints(form)[name], table.pop(name), f"{place}.{name}")
        else:
            arguments[name] = () if LEFT_OUT_IF_EMPTY in member.metadata else None
    if rest is not None:
        arguments[rest] = table
    elif table:
        raise _refused("should not be there", f"{place}.{next(iter(table))}")
    try:
        return cls(**arguments)
    except InvalidValue as error:
        raise _refused(str(error), place) from error


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


@cache
def _required(cls: Any) -> frozenset[str]:
    """The keys that are there whatever a value says."""
    return frozenset(
        member.name
        for member in attrs.fields(cls)
        if not {THE_REST, LEFT_OUT_IF_EMPTY} & set(member.metadata) and NoneType not in get_args(_hints(cls)[member.name])
    )


def _read(form: Any, data: object, place: str) -> Any:
    """A value of a type that the fields of values have."""
    kind = get_origin(form) or form
    if kind in (UnionType, Union):
        return _read(_alternative(form, data), data, place)
    if kind is tuple:
        return _list(get_args(form)[0], data, place)
    if kind is Literal:
        return _one_of(get_args(form), data, place)
    if kind in (str, int):
        return _scalar(kind, data, place)
    if issubclass(kind, Mapping):
        return _texts(data, place) if get_args(form)[1] is str else _mapping(data, place)
    return kind(_one_of([item.value for item in kind], data, place)) if issubclass(kind, Enum) else read(kind, data, place)


def _alternative(form: Any, data: object) -> Any:
    """Of the types that a field may have, the first whose keys are all there, otherwise the last."""
    *others, last = (item for item in get_args(form) if item is not NoneType)
    keys = set(data) if isinstance(data, Mapping) else set()
    return next((item for item in others if _required(item) <= keys), last)


def _list(form: Any, data: object, place: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise _refused("expected a list", place)
    return tuple(_read(form, item, f"{place}[{index}]") for index, item in enumerate(data))


def _one_of(known: Any, data: object, place: str) -> object:
    if not isinstance(data, str) or data not in known:
        raise _refused(f"expected one of {', '.join(known)}", place)
    return data


def _scalar(kind: type, data: object, place: str) -> object:
    if type(data) is not kind:
        raise _refused("expected text" if kind is str else "expected a whole number", place)
    return data


def _mapping(data: object, place: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise _refused("expected a table", place)
    return cast(Mapping[str, Any], data)


def _texts(data: object, place: str) -> Mapping[str, str]:
    return {key: str(_scalar(str, item, f"{place}.{key}")) for key, item in _mapping(data, place).items()}


def _refused(message: str, place: str) -> CertificateError:
    return CertificateError(str(Fault(shortened(message), shortened(place))))
