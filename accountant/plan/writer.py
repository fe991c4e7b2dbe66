"""Writing the parts of plans as plain data, in the form that plan files have."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import attrs

from accountant.numbers.exact import plain
from accountant.plan.form import RELEASE, SPECIFICATION, Asked, Either, Joined, Key, KeyedTable, Many, Part, Short, Stated
from accountant.promise.specification import Specification
from accountant.release.release import Release
from accountant.values.family import Family
from accountant.values.writing import kind_data, plain_data, unstructure


def specification_data(specification: Specification) -> dict[str, Any]:
    """A specification as plain data, without its budgets."""
    return entries(SPECIFICATION.keys, specification)


def release_data(release: Release) -> dict[str, Any]:
    """A release as plain data."""
    return entries(RELEASE.keys, release)


def entries(keys: tuple[Key, ...], value: object) -> dict[str, Any]:
    """What a table with these keys says of a value."""
    held = [(key, attrgetter(key.at)(value)) for key in keys if key.at is not None]
    return {key.name: written(key.part, item) for key, item in held if key.always or item != key.left_out}


def written(part: Part, value: Any) -> Any:
    """A part of a plan as plain data."""
    match part:
        case attrs.Attribute():
            return plain_data(value)
        case Family():
            return kind_data(value) if part.classes else part.identify(value)
        case Stated():
            return {"divergence": value.divergence.name, **unstructure(value.parameter), **entries(part.keys, value)}
        case Asked():
            return {"divergence": value.divergence.name, **{word: plain(number) for word, number in value.words}}
        case Many():
            items = [written(part.item, item) for item in value]
            return [item[part.short] if part.short and [*item] == [part.short] else item for item in items]
        case Short():
            table = unstructure(value)
            return table if table.keys() - {part.name} else getattr(value, part.name)
        case KeyedTable():
            return entries(part.keys, value)
        case Either():
            item = part.item(value)
            if item is None:
                return written(part.named, value)
            said = written(part.kinds, item)
            return said if said.keys() - {"kind"} else said["kind"]
        case Joined():
            return {**written(part.family, getattr(value, part.item)), **entries(part.keys, value)}
    return unstructure(value)
