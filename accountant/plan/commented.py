"""Commented: a plan as TOML that says of every part what it means. The words come from the form of plans and from what is
registered, so that a plugin's kinds are explained as ours are."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from accountant.plan.form import Either, Key, KeyedTable, Many, Part, Stated
from accountant.plan.plan import PLAN, Plan
from accountant.promise.divergence import DIVERGENCES
from accountant.registry.registry import Registry
from accountant.values.family import Family

_WIDTH = 110
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def commented(plan: Plan, registry: Registry) -> str:
    """A plan as TOML with comments. Guarantee: reading it gives an equal plan."""
    data = plan.as_data()
    known = {key.name: key for key in PLAN.keys}
    first = {name: value for name, value in data.items() if not _tabled(value)}
    lines = [line for name, value in first.items() for line in _entry(known.get(name), name, value, registry)]
    for name, value in data.items():
        if name not in first:
            lines += _tables(plan, known.get(name), name, value, registry)
    return "\n".join(lines) + "\n"


def _tabled(value: object) -> bool:
    """Whether something is written below a heading of its own."""
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def _tables(plan: Plan, key: Key | None, name: str, value: Any, registry: Registry) -> Iterator[str]:
    """A table, or each of a list of them, below a comment that says what it is."""
    part = None if key is None else key.part.item if isinstance(key.part, Many) else key.part
    known = {item.name: item for item in part.keys} if isinstance(part, KeyedTable) else {}
    about = _abouts(part)
    for item in value if isinstance(value, list) else [value]:
        yield ""
        yield from comment("" if key is None else key.about)
        yield f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
        if isinstance(part, Stated):
            yield from _stated(plan, item, registry)
        else:
            for field, content in item.items():
                yield from comment(about.get(field, ""))
                yield from _entry(known.get(field), field, content, registry)


def _abouts(part: object) -> dict[str, str]:
    """What each field of a value class means."""
    if not isinstance(part, type) or not attrs.has(part):
        return {}
    return {member.alias or member.name: member.metadata.get("about", "") for member in attrs.fields(part)}


def _stated(plan: Plan, item: Mapping[str, Any], registry: Registry) -> Iterator[str]:
    """A definition with its parameter, and what its numbers mean between the datasets of the plan."""
    definition = registry.find(DIVERGENCES, item["divergence"])
    yield from comment(f"{definition.title}: {definition.means(plan.comparison)}")
    yield f"divergence = {_value(item['divergence'])}"
    about = _abouts(definition.parameter)
    for field, content in item.items():
        if field != "divergence":
            yield from comment(about.get(field) or "")
            yield f"{_key(field)} = {_value(content)}"


def _entry(key: Key | None, name: str, value: Any, registry: Registry) -> Iterator[str]:
    family = None if key is None else _family(key.part, value, registry)
    yield from comment("" if key is None else key.about)
    if family is not None:
        yield from _kind(family, value, registry)
    yield f"{_key(name)} = {_value(value)}"


def _family(part: Part, value: Any, registry: Registry) -> Family[Any] | None:
    """The family that a value names an item of."""
    if not isinstance(part, Either):
        return part if isinstance(part, Family) else None
    return part.named if isinstance(value, str) and value in registry[part.named] else part.kinds


def _kind(family: Family[Any], value: Any, registry: Registry) -> Iterator[str]:
    """What the item of a family is that a value names, and what its parameters are."""
    item = registry.find(family, value["kind"] if isinstance(value, Mapping) else value)
    if not isinstance(value, Mapping):
        yield from comment(f"{value}: {item().meaning if isinstance(item, type) else getattr(item, 'meaning', '')}")
        return
    said = (inspect.getdoc(item) or "").partition("\n\n")[0]
    yield from comment(f"{value['kind']}: {said}")
    for member in attrs.fields(item):
        name = member.alias or member.name
        if name in value and member.metadata.get("about"):
            yield from comment(f"{name}: {member.metadata['about']}")


def comment(text: str) -> Iterator[str]:
    """A text as comments. Whatever it contains, nothing of it is read."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    yield from (f"# {line}" for line in textwrap.wrap(printable, _WIDTH))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(item: Any) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, Mapping):
        return f"{{ {', '.join(f'{_key(name)} = {_value(value)}' for name, value in item.items())} }}"
    if isinstance(item, list):
        return f"[{', '.join(map(_value, item))}]"
    return str(item) if isinstance(item, int) else json.dumps(item, ensure_ascii=False).replace("\x7f", "\\u007f")
