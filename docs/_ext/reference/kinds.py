"""Everything that is registered, by kind, with its parameters; and the theorems that it rests on."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import attrs

import accountant.fields
from accountant import Neighbours
from accountant.numbers import plain
from accountant.plugin import (
    BRIDGES,
    COMPOSITION_RULES,
    CONVERSIONS,
    DIVERGENCES,
    MECHANISMS,
    NEIGHBOURS,
    POLICIES,
    PUBLIC_FACTS,
    QUERIES,
    RENDERERS,
    REPORTS,
    RISK_PROFILES,
    SAMPLINGS,
    THEOREMS,
    ComparedPairs,
)
from reference.text import cited, paragraphs, plain_text, registry


def fields(cls: type[Any]) -> str:
    """The parameters of a value class as a table."""
    members = attrs.fields(cls)
    if not members:
        return "No parameters."
    lines = ["| key | required | meaning |", "|---|---|---|"]
    for member in members:
        required = "yes" if member.default is attrs.NOTHING else "no"
        described = member.metadata.get("about") or "one of the registered names"
        bounds = "".join(f"; {words}" for words in limits(member))
        lines.append(f"| `{member.alias or member.name}` | {required} | {described}{bounds} |")
    for member in members:
        for part in _validators(member):
            if isinstance(part, accountant.fields.Each):
                lines += ["", f"Each of `{member.alias or member.name}` is a table:", "", fields(part.cls)]
    return "\n".join(lines)


def _validators(member: attrs.Attribute[Any]) -> Iterable[Any]:
    validator = member.validator
    return getattr(validator, "_validators", None) or ([validator] if validator is not None else [])


def limits(member: attrs.Attribute[Any]) -> Iterable[str]:
    """What a parameter must be within, in words."""
    for part in _validators(member):
        if hasattr(part, "words"):
            yield f"{part.words} {plain(part.bound)}"


def _classes(items: dict[str, type[Any]]) -> str:
    lines = []
    for kind, cls in sorted(items.items()):
        lines += [f"### `{kind}`", "", paragraphs(inspect.getdoc(cls) or ""), ""]
        if kind == "claim":
            claimed = "`divergence` names a definition; the other keys are the parameters of that definition, below."
            lines += [claimed, ""]
        else:
            lines += [fields(cls), ""]
        lines += [f"Theorem: {cited(cls.theorem)}.", ""] if hasattr(cls, "theorem") else []
    return "\n".join(lines)


def mechanisms() -> str:
    """Every kind of mechanism with its parameters."""
    return _classes(dict(registry()[MECHANISMS]))


def queries() -> str:
    """Every kind of query with its parameters."""
    return _classes(dict(registry()[QUERIES]))


def samplings() -> str:
    """Every kind of sampling with its parameters."""
    return _classes(dict(registry()[SAMPLINGS]))


def public_kinds() -> str:
    """Every kind of public information with its parameters."""
    return _classes(dict(registry()[PUBLIC_FACTS]))


def neighbours() -> str:
    """Every neighbour relation."""
    lines = ["| name | meaning | may single out attributes |", "|---|---|---|"]
    for name, relation in sorted(registry()[NEIGHBOURS].items()):
        lines.append(f"| `{name}` | {relation.meaning} | {'yes' if relation.edits else 'no'} |")
    return "\n".join([*lines, "", _classes(dict(registry()[POLICIES]))])


def risk_profiles() -> str:
    """Every kind of risk profile with its parameters."""
    return _classes(dict(registry()[RISK_PROFILES]))


def divergences() -> str:
    """Every definition with its parameters and readings."""
    lines = []
    both = [(known, ComparedPairs(Neighbours(relation))) for known, relation in sorted(registry()[NEIGHBOURS].items())]
    for name, item in sorted(registry()[DIVERGENCES].items()):
        meant = [f"- between `{known}` neighbours: {item.means(pairs)}" for known, pairs in both]
        lines += [f"### `{name}`", "", f"{item.title[0].upper()}{item.title[1:]}:", "", *meant, ""]
        lines += [fields(item.parameter), ""]
        readings = "; ".join(
            f"`{reading.value}`" + (f" at `{'`, `'.join(reading.at)}`" if reading.at else " on its own")
            for reading in item.readings
        )
        lines += [f"Readings: {readings}.", ""]
        lines += [f"Read by: {cited(item.measure_theorem)}. Worst case by: {cited(item.worst_case_theorem)}.", ""]
    lines += ["### Rules by which parameters add up", "", "| rule | definition | valid when releases are chosen |"]
    lines += ["|---|---|---|"]
    for name, rule in sorted(registry()[COMPOSITION_RULES].items()):
        lines.append(f"| `{name}` | `{rule.divergence}` | {rule.adaptivity} |")
    lines += ["", "### Published conversions", "", "| conversion | from | to | theorem |", "|---|---|---|---|"]
    for name, item in sorted(registry()[CONVERSIONS].items()):
        lines.append(f"| `{name}` | `{item.source}` | `{item.target}` | {cited(item.theorem)} |")
    return "\n".join(lines)


def bridges() -> str:
    """Every bridge and what it reads."""
    lines = ["| bridge | reads |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{name}` | {item.meaning} |" for name, item in sorted(registry()[BRIDGES].items()))])


def reports() -> str:
    """Every report and renderer."""
    lines = ["| report | what it says |", "|---|---|"]
    lines += [f"| `{name}` | {report.meaning} |" for name, report in sorted(registry()[REPORTS].items())]
    names = ", ".join(f"`{name}`" for name in sorted(registry()[RENDERERS]))
    return "\n".join([*lines, "", f"Renderers: {names}."])


def theorems() -> str:
    """Every theorem with its statement, assumptions, source and assurance."""
    lines = []
    for name, theorem in sorted(registry()[THEOREMS].items()):
        source = (
            f"{{doc}}`/{theorem.locator}`"
            if theorem.key == "accountant"
            else f"{{cite:t}}`{theorem.key}`, {theorem.locator}"
        )
        lines += [f"(theorem-{name})=", f"## `{name}`", "", plain_text(theorem.statement), ""]
        if theorem.assumptions:
            lines += [f"Assumes: {'; '.join(theorem.assumptions)}.", ""]
        lines += [f"Source: {source}. Assurance: {theorem.assurance}.", ""]
    return "\n".join(lines)
