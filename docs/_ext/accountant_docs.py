"""Parts of the reference that are generated from the code, so that they cannot fall behind it.

A page asks for a part with a line such as `<!-- generated: hooks -->`. The text that takes its place is Markdown, so
headings, links and citations work as if somebody had written them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reference import annotations, commands, hooks, kinds, names, plans

import accountant
from accountant.plan import form
from accountant.plan.plan import PLAN

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARKER = re.compile(r"^<!-- generated: (?P<part>[a-z-]+) -->$", re.MULTILINE)

PARTS: dict[str, Callable[[], str]] = {
    "hooks": hooks.hooks,
    "mechanisms": kinds.mechanisms,
    "queries": kinds.queries,
    "samplings": kinds.samplings,
    "public-kinds": kinds.public_kinds,
    "neighbours": kinds.neighbours,
    "divergences": kinds.divergences,
    "risk-profiles": kinds.risk_profiles,
    "bridges": kinds.bridges,
    "reports": kinds.reports,
    "plan-keys": lambda: plans.plan_keys(PLAN),
    "plan-specification": lambda: plans.plan_keys(form.SPECIFICATION),
    "plan-publication": lambda: kinds.fields(accountant.Publication),
    "plan-statements": lambda: kinds.fields(accountant.Statements),
    "plan-domain": lambda: kinds.fields(accountant.Domain),
    "plan-entity": lambda: kinds.fields(accountant.Entity),
    "plan-invariant": lambda: kinds.fields(accountant.Invariant),
    "plan-release": lambda: plans.plan_keys(form.RELEASE),
    "theorems": kinds.theorems,
    "commands": commands.commands,
    "public-names": names.public_names,
    "document-parts": names.document_parts,
}


def expand(source: str) -> str:
    """A page with every generated part in place."""
    return MARKER.sub(lambda match: PARTS[match["part"]](), source)


def _on_source(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = expand(source[0])


def _on_missing_reference(app: Sphinx, environment: Any, node: Any, content: Any) -> Any:
    """Link a type in a signature to the public name it has, wherever it was defined; name without link what has none."""
    if node.get("refdomain") != "py":
        return None
    target = str(node.get("reftarget", "")).rpartition(".")[2]
    for door, module in names.DOORS.items():
        if target in module.__all__:
            domain = environment.get_domain("py")
            path = f"{door}.{target}"
            return domain.resolve_xref(environment, node["refdoc"], app.builder, "obj", path, node, content) or content
    return content if target in annotations.mentioned() else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the parts to the build."""
    app.connect("source-read", _on_source)
    app.connect("missing-reference", _on_missing_reference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
