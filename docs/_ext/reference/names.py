"""The names behind the doors, each described once."""

from __future__ import annotations

import importlib
import inspect

import accountant
from accountant import certificate, limits, numbers, plugin, report
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Family
from reference.text import paragraphs

DOORS = {door.__name__: door for door in (accountant, certificate, plugin, numbers, limits, report)}
# Names that are neither classes nor functions have no docstring that could be asked for.
VALUES = {
    "ADD_REMOVE": f"Neighbours of which {ADD_REMOVE.meaning}.",
    "Adaptivity": "What may depend on earlier outputs: 'independent', 'adaptive' or 'fully-adaptive'.",
    "Block": "What a document is made of: one of the parts on this page.",
    "Chance": "A probability: a Fraction, or an `Interval` that contains it.",
    "ConformanceCase": "What `accountant_conformance_cases` returns: a `MechanismCase`, a `ParameterCase` or an `Oracle`.",
    "ExactLike": "What is read as an exact number: a number, or text such as '5/2' or '1e-6'.",
    "Figure": "What is drawn: `Bars`, `Curves` or `Frequencies`.",
    "Oracle": "One line of mathematics that laws hold items to: one of the oracles on this page.",
    "PlanLike": "A `Plan`, the path of a plan file, the plain data of one, or releases.",
    "REPLACE_ONE": f"Neighbours of which {REPLACE_ONE.meaning}.",
    "Record": "The values of a record by attribute, or None for a null record, as a `Policy` compares them.",
    "Words": "Running text, some of it perhaps marked: a string, or a tuple of strings, `Strong`, `Code` and `Statement`.",
    "hookimpl": "Marks a function of a plugin as the implementation of the hook with its name.",
}


def home(name: str) -> str:
    """The first door that a name stands behind: there it is described."""
    return next(door for door, module in DOORS.items() if name in module.__all__)


def public_names() -> str:
    """Every name behind the doors for users, certificates, authors and numbers, from its docstring, room by room."""
    lines = []
    for door, module in DOORS.items():
        if module is report:
            continue  # it has a page of its own
        lines += [f"## `{door}`", "", paragraphs(inspect.getdoc(module) or ""), ""]
        rooms: dict[str, list[str]] = {}
        for name in module.__all__:
            if home(name) == door:
                rooms.setdefault(_room(getattr(module, name)), []).append(name)
        for room, names in sorted(rooms.items()):
            lines += [f"### {room}", ""]
            for name in names:
                lines += _described(door, name)
        if elsewhere := [name for name in module.__all__ if home(name) != door]:
            listed = ", ".join(f"`{name}`" for name in elsewhere)
            lines += [f"Also behind this door, and described above: {listed}.", ""]
    return "\n".join(lines)


def _room(item: object) -> str:
    """The room that a name comes from, as its package describes it."""
    origin = getattr(item, "__module__", "")
    room = origin.split(".")[1] if origin.startswith("accountant.") else "values"
    described = inspect.getdoc(importlib.import_module(f"accountant.{room}")) or room
    return described.partition(":")[0].partition(",")[0]


def document_parts() -> str:
    """What stands behind the door of reports and behind none of the others."""
    door = report.__name__
    return "\n".join(line for name in report.__all__ if home(name) == door for line in _described(door, name))


def _described(door: str, name: str) -> list[str]:
    return ["```{eval-rst}", *_directive(f"{door}.{name}", getattr(DOORS[door], name)), "```", ""]


def _directive(path: str, item: object) -> list[str]:
    if inspect.isclass(item):
        return [f".. autoclass:: {path}"]
    if inspect.isfunction(item) or hasattr(item, "__wrapped__"):
        return [f".. autofunction:: {path}"]
    name = path.rpartition(".")[2]
    if isinstance(item, Family):
        described = f"The family of everything that `{item.hook}` offers: `registry[{name}]`."
        if name == "CASES":
            described = f"The family of everything that `{item.hook}` offers, made on demand: `registry.offered(CASES)`."
    else:
        described = VALUES[name]
    return [f".. py:data:: {path}", "   :no-index-entry:", "", f"   {described}"]
