"""The keys of plans, as their form declares them."""

from __future__ import annotations

from typing import Any

import attrs

from accountant.plan import form
from accountant.plugin import MECHANISMS, NEIGHBOURS, POLICIES, PUBLIC_FACTS, QUERIES, RISK_PROFILES, SAMPLINGS, Family
from accountant.values.writing import plain_data
from reference.kinds import limits

_SECTIONS: dict[Family[Any], str] = {
    NEIGHBOURS: "neighbours",
    POLICIES: "neighbours",
    QUERIES: "queries",
    MECHANISMS: "mechanisms",
    SAMPLINGS: "sampling",
    PUBLIC_FACTS: "public-information",
    RISK_PROFILES: "risk-profiles",
}


def plan_keys(table: form.KeyedTable) -> str:
    """The keys of a table of plans, as the form declares them."""
    lines = ["| key | required | meaning |", "|---|---|---|"]
    lines += [f"| `{key.name}` | {'yes' if key.required else 'no'} | {_meaning(key)} |" for key in table.keys]
    return "\n".join(lines)


def _meaning(key: form.Key) -> str:
    part = key.part
    if isinstance(part, form.Many):
        inside = _inside(part.item)
        if part.short:
            return key.about
        listed = f"a table `[{key.name}]` or a list of tables" if part.alone else "a list of tables"
        return f"{listed} `[[{key.name}]]`{inside and f' with {inside}'}: {key.about}"
    if isinstance(part, form.Short):
        return key.about
    if isinstance(part, attrs.Attribute):
        default = key.default or ("" if part.default in (attrs.NOTHING, None) else plain_data(part.default))
        return key.about + "".join(f"; {words}" for words in limits(part)) + (f"; default `{default}`" if default else "")
    if isinstance(part, Family) and not part.classes:
        return f"{key.about}: the name of one of the [{_SECTIONS[part]}](kinds.md#{_SECTIONS[part]})"
    if isinstance(part, form.Either):
        return f"{_meaning(attrs.evolve(key, part=part.named))}, or a table with {_inside(part.kinds)}"
    inside = _inside(part)
    return f"{key.about}{inside and f': a table with {inside}'}"


def _inside(part: form.Part) -> str:
    """What the tables of a part have, in few words."""
    if isinstance(part, form.Joined):
        return f"{_inside(part.family)}, and {', '.join(f'`{key.name}`' for key in part.keys)}"
    if isinstance(part, Family):
        return f"a `kind` and its [parameters](kinds.md#{_SECTIONS[part]})"
    if isinstance(part, form.Stated | form.Asked):
        words = "parameters" if isinstance(part, form.Stated) else "words of one of its readings"
        return f"a `divergence` and the [{words}](kinds.md#divergences)"
    if isinstance(part, type):
        return " and ".join(f"`{member.alias or member.name}`" for member in attrs.fields(part))
    return ""
