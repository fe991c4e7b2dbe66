"""Changes: in what two plans differ, part by part. Parts are matched by what they are called, wherever they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from accountant.display.brief import Brief
from accountant.plan.plan import Plan
from accountant.promise.divergence import DIVERGENCES
from accountant.registry.registry import Registry

_TELLING = ("kind", "divergence")
"""Keys that say what the other keys of a table are: where they differ, nothing in the tables corresponds."""


@frozen
class Change(Brief):
    """One field of a part of a plan that differs, as plan files have it; None where there is none.

    `field` is empty where the whole part was added or removed.
    """

    part: str
    field: str
    before: Any
    after: Any

    @property
    def place(self) -> str:
        """The part, and the field in it."""
        return f"{self.part}, {self.field}" if self.field else self.part

    @property
    def word(self) -> str:
        """What became of it: added, removed or changed."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"


def changes(before: Plan, after: Plan, registry: Registry) -> tuple[Change, ...]:
    """Every difference between two plans but the order of their parts. A release that was only renamed is no new one.

    Guarantee: whoever makes all of them has the second plan, up to the order of its parts.
    """
    old, new = before.as_data(), after.as_data()
    found: list[Change] = []
    for key in dict.fromkeys((*old, *new)):
        first, second = old.get(key), new.get(key)
        if isinstance(first or second, list):
            found += _lists(key, _called(key, first or [], registry), _called(key, second or [], registry))
        elif isinstance(first, Mapping) and isinstance(second, Mapping):
            found += _tables(key, "", first, second)
        elif first != second:
            found.append(Change(key, "", first, second))
    return tuple(found)


def reordered(before: Plan, after: Plan, registry: Registry) -> bool:
    """Whether parts that both plans have stand in another order."""
    old, new = before.as_data(), after.as_data()
    for key in old.keys() & new.keys():
        if isinstance(old[key], list):
            first, second = list(_called(key, old[key], registry)), list(_called(key, new[key], registry))
            if [name for name in first if name in second] != [name for name in second if name in first]:
                return True
    return False


def _called(key: str, items: Sequence[Any], registry: Registry) -> dict[str, Any]:
    """The parts in a list by what they are called; of several that are called the same, each further one by its number."""
    seen: Counter[str] = Counter()
    found = {}
    for item in items:
        name = f"{key} {_name(item, registry)}"
        seen[name] += 1
        found[name if seen[name] == 1 else f"{name} ({seen[name]})"] = item
    return found


def _name(item: Mapping[str, Any], registry: Registry) -> str:
    """A part by its own name, a budget by its definition and where that is read, anything else by its kind."""
    if "name" in item:
        return f"'{item['name']}'"
    if "divergence" not in item:
        return str(item.get("kind", ""))
    words = registry.find(DIVERGENCES, item["divergence"]).primary.at
    return "".join([str(item["divergence"]), *(f" at {word} = {item[word]}" for word in words if word in item)])


def _lists(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    gone = {name: item for name, item in before.items() if name not in after}
    come = {name: item for name, item in after.items() if name not in before}
    renamed = _renamed(gone, come)
    for name, item in before.items():
        if name in after:
            yield from _tables(name, "", item, after[name])
        elif name in renamed:
            yield Change(name, "name", item["name"], come[renamed[name]]["name"])
        else:
            yield Change(name, "", item, None)
    for name, item in come.items():
        if name not in renamed.values():
            yield Change(name, "", None, item)


def _renamed(gone: Mapping[str, Any], come: Mapping[str, Any]) -> dict[str, str]:
    """Parts that are the same under another name, where that is no guess: one of a kind went, and one came."""

    def nameless(item: Mapping[str, Any]) -> Any:
        return {key: value for key, value in item.items() if key != "name"} if "name" in item else None

    found = {}
    for old, item in gone.items():
        same = [new for new, other in come.items() if nameless(item) is not None and nameless(item) == nameless(other)]
        rivals = [other for other in gone.values() if nameless(other) == nameless(item)]
        if len(same) == len(rivals) == 1:
            found[old] = same[0]
    return found


def _tables(part: str, field: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    if any(before.get(key) != after.get(key) for key in _TELLING):
        yield Change(part, field, before, after)
        return
    for key in dict.fromkeys((*before, *after)):
        first, second, inside = before.get(key), after.get(key), f"{field}.{key}" if field else key
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            yield from _tables(part, inside, first, second)
        elif first != second:
            yield Change(part, inside, first, second)
