"""Parts of the reference that are generated from the code, so that they cannot fall behind it.

A page asks for a part with a line such as `<!-- generated: hooks -->`. The text that takes its place is Markdown, so
headings, links and citations work as if somebody had written them.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

import accountant
import accountant.fields
from accountant import Neighbours, Registry, certificate, numbers, plugin, report
from accountant.cli.commands import own_commands
from accountant.numbers import plain
from accountant.plan import form
from accountant.plan.plan import PLAN
from accountant.plugin import (
    ADD_REMOVE,
    COMMANDS,
    COMPOSITION_RULES,
    CONVERSIONS,
    DIVERGENCES,
    MECHANISMS,
    NEIGHBOURS,
    PUBLIC_FACTS,
    QUERIES,
    RENDERERS,
    REPLACE_ONE,
    REPORTS,
    RISK_PROFILES,
    SAMPLINGS,
    THEOREMS,
    ComparedPairs,
    Family,
    hookspecs,
)
from accountant.registry.discovery import GROUP
from accountant.values.writing import plain_data

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BUNDLED = tuple(
    point.name for point in importlib.metadata.distribution("privacy-accountant").entry_points if point.group == GROUP
)
MARKER = re.compile(r"^<!-- generated: (?P<part>[a-z-]+) -->$", re.MULTILINE)


@cache
def registry() -> Registry:
    """What is registered by the distribution itself; plugins that happen to be installed beside it are left out."""
    return Registry.load(allowed=BUNDLED)


# Hooks ---------------------------------------------------------------------------------------------------------------


def signatures() -> dict[str, str]:
    """The signature of each hook as it is written in the source."""
    tree = ast.parse(inspect.getsource(hookspecs))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {
        node.name: f"{node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}"
        for node in functions
        if node.returns is not None and any(ast.unparse(mark) == "hookspec" for mark in node.decorator_list)
    }


def groups() -> dict[str, list[str]]:
    """The hooks under the banner comments of the source."""
    found: dict[str, list[str]] = {}
    title = "Hooks"
    for line in inspect.getsource(hookspecs).splitlines():
        banner = re.fullmatch(r"# (?P<title>\w[^-]*?) -{10,}", line)
        function = re.match(r"def (?P<name>accountant_\w+)\(", line)
        if banner:
            title = banner["title"]
        elif function:
            found.setdefault(title, []).append(function["name"])
    return found


def hooks() -> str:
    """One heading per hook: its signature."""
    known = signatures()
    described = (inspect.getdoc(hookspecs) or "").replace(" This file is the source of the hook reference.", "")
    lines = [_paragraphs(described), ""]
    for title, names in groups().items():
        lines += [f"## {title}", ""]
        for name in names:
            described = inspect.getdoc(getattr(hookspecs, name)) or ""
            lines += [f"({name})=", f"### `{known[name]}`", "", _paragraphs(described), ""]
    return "\n".join(lines)


# Kinds ---------------------------------------------------------------------------------------------------------------


def fields(cls: type[Any]) -> str:
    """The parameters of a value class as a table."""
    members = attrs.fields(cls)
    if not members:
        return "No parameters."
    lines = ["| key | required | meaning |", "|---|---|---|"]
    for member in members:
        required = "yes" if member.default is attrs.NOTHING else "no"
        described = member.metadata.get("about") or "one of the registered names"
        limits = "".join(f"; {words}" for words in _limits(member))
        lines.append(f"| `{member.alias or member.name}` | {required} | {described}{limits} |")
    for member in members:
        for part in _validators(member):
            if isinstance(part, accountant.fields.Each):
                lines += ["", f"Each of `{member.alias or member.name}` is a table:", "", fields(part.cls)]
    return "\n".join(lines)


def _validators(member: attrs.Attribute[Any]) -> Iterable[Any]:
    validator = member.validator
    return getattr(validator, "_validators", None) or ([validator] if validator is not None else [])


def _limits(member: attrs.Attribute[Any]) -> Iterable[str]:
    for part in _validators(member):
        if hasattr(part, "words"):
            yield f"{part.words} {plain(part.bound)}"


def _classes(items: dict[str, type[Any]]) -> str:
    lines = []
    for kind, cls in sorted(items.items()):
        lines += [f"### `{kind}`", "", _paragraphs(inspect.getdoc(cls) or ""), ""]
        if kind == "claim":
            claimed = "`divergence` names a definition; the other keys are the parameters of that definition, below."
            lines += [claimed, ""]
        else:
            lines += [fields(cls), ""]
        lines += [f"Theorem: {_cited(cls.theorem)}.", ""]
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
    return "\n".join(lines)


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
        lines += [f"Read by: {_cited(item.measure_theorem)}. Worst case by: {_cited(item.worst_case_theorem)}.", ""]
    lines += ["### Rules by which parameters add up", "", "| rule | definition | valid when releases are chosen |"]
    lines += ["|---|---|---|"]
    for name, rule in sorted(registry()[COMPOSITION_RULES].items()):
        lines.append(f"| `{name}` | `{rule.divergence}` | {rule.adaptivity} |")
    lines += ["", "### Published conversions", "", "| conversion | from | to | theorem |", "|---|---|---|---|"]
    for name, item in sorted(registry()[CONVERSIONS].items()):
        lines.append(f"| `{name}` | `{item.source}` | `{item.target}` | {_cited(item.theorem)} |")
    return "\n".join(lines)


def reports() -> str:
    """Every report and renderer."""
    lines = ["| report | what it says |", "|---|---|"]
    lines += [f"| `{name}` | {report.meaning} |" for name, report in sorted(registry()[REPORTS].items())]
    names = ", ".join(f"`{name}`" for name in sorted(registry()[RENDERERS]))
    return "\n".join([*lines, "", f"Renderers: {names}."])


# Plans ---------------------------------------------------------------------------------------------------------------

_SECTIONS: dict[Family[Any], str] = {
    NEIGHBOURS: "neighbours",
    QUERIES: "queries",
    MECHANISMS: "mechanisms",
    SAMPLINGS: "sampling",
    PUBLIC_FACTS: "public-information",
    RISK_PROFILES: "risk-profiles",
}


def plan_keys(table: form.Table) -> str:
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
        return key.about + "".join(f"; {words}" for words in _limits(part)) + (f"; default `{default}`" if default else "")
    if isinstance(part, Family) and not part.classes:
        return f"{key.about}: the name of one of the [{_SECTIONS[part]}](kinds.md#{_SECTIONS[part]})"
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


# Theorems ------------------------------------------------------------------------------------------------------------


def _cited(theorem: accountant.Theorem) -> str:
    return f"[{theorem.name}](#theorem-{theorem.name})"


def theorems() -> str:
    """Every theorem with its statement, assumptions, source and assurance."""
    lines = []
    for name, theorem in sorted(registry()[THEOREMS].items()):
        source = (
            f"{{doc}}`/{theorem.locator}`"
            if theorem.key == "accountant"
            else f"{{cite:t}}`{theorem.key}`, {theorem.locator}"
        )
        lines += [f"(theorem-{name})=", f"## `{name}`", "", _plain_text(theorem.statement), ""]
        if theorem.assumptions:
            lines += [f"Assumes: {'; '.join(theorem.assumptions)}.", ""]
        lines += [f"Source: {source}. Assurance: {theorem.assurance}.", ""]
    return "\n".join(lines)


# Commands ------------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command with its arguments and options, from the command line itself."""
    import click

    from accountant.cli import main

    context = click.Context(main, info_name="accountant")
    lines = [_help(main.help or ""), ""]
    shared = _options(main, context)
    if shared:
        lines += ["## Options of the program", "", "Given before the command.", "", shared, ""]
    for name in (*own_commands(), *sorted(registry()[COMMANDS])):
        command = main.get_command(context, name)
        assert command is not None
        lines += [f"## `accountant {name}`", "", _command(command, context, name)]
        within = click.Context(command, info_name=name, parent=context)
        for inner in command.list_commands(within) if isinstance(command, click.Group) else ():
            found = command.get_command(within, inner)
            lines += [f"### `accountant {name} {inner}`", "", _command(found, within, inner)]
    return "\n".join(lines)


def _command(command: Any, parent: Any, name: str) -> str:
    import click

    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    return "\n".join(["```text", usage, "```", "", _help(command.help or ""), "", _options(command, context), ""])


def _help(text: str) -> str:
    """The help of a command: prose as prose, what must keep its lines as a block."""
    pieces = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        kept = paragraph.removeprefix("\b\n")
        pieces.append(_paragraphs(paragraph) if kept == paragraph else f"```text\n{kept}\n```")
    return "\n\n".join(pieces)


def _options(command: Any, context: Any) -> str:
    import click

    rows = []
    for parameter in command.get_params(context):
        if not isinstance(parameter, click.Option) or parameter.hidden:
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            rows.append(f"| `{record[0]}` | {_plain_text(record[1])} |")
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""


# Text ----------------------------------------------------------------------------------------------------------------


def _plain_text(text: str) -> str:
    """Text whose mathematical signs Markdown would otherwise take for its own."""
    return re.sub(r"([*_|<>$\[\]])", r"\\\1", text)


def _paragraphs(text: str) -> str:
    """A docstring as Markdown; code between backticks stays as it is."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else _plain_text(piece) for piece in pieces)


# Public names --------------------------------------------------------------------------------------------------------

DOORS = {door.__name__: door for door in (accountant, certificate, plugin, numbers, report)}
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
        lines += [f"## `{door}`", "", _paragraphs(inspect.getdoc(module) or ""), ""]
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


PARTS: dict[str, Callable[[], str]] = {
    "hooks": hooks,
    "mechanisms": mechanisms,
    "queries": queries,
    "samplings": samplings,
    "public-kinds": public_kinds,
    "neighbours": neighbours,
    "divergences": divergences,
    "risk-profiles": risk_profiles,
    "reports": reports,
    "plan-keys": lambda: plan_keys(PLAN),
    "plan-specification": lambda: plan_keys(form.SPECIFICATION),
    "plan-publication": lambda: fields(accountant.Publication),
    "plan-domain": lambda: fields(accountant.Domain),
    "plan-invariant": lambda: fields(accountant.Invariant),
    "plan-release": lambda: plan_keys(form.RELEASE),
    "theorems": theorems,
    "commands": commands,
    "public-names": public_names,
    "document-parts": document_parts,
}


def expand(source: str) -> str:
    """A page with every generated part in place."""
    return MARKER.sub(lambda match: PARTS[match["part"]](), source)


# Sphinx --------------------------------------------------------------------------------------------------------------


def _on_source(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = expand(source[0])


def _on_missing_reference(app: Sphinx, environment: Any, node: Any, content: Any) -> Any:
    """Link a type in a signature to the public name it has, wherever it was defined; name without link what has none."""
    if node.get("refdomain") != "py":
        return None
    target = str(node.get("reftarget", "")).rpartition(".")[2]
    for door, module in DOORS.items():
        if target in module.__all__:
            domain = environment.get_domain("py")
            name = f"{door}.{target}"
            return domain.resolve_xref(environment, node["refdoc"], app.builder, "obj", name, node, content) or content
    return content if target in _INTERNAL else None


# Types that signatures name and that are no public names of the package.
_INTERNAL = frozenset(
    {
        "Assurance",
        "Cells",
        "Command",
        "Composed",
        "Entry",
        "ExactLike",
        "FiniteLoss",
        "Floats",
        "Moments",
        "NoReturn",
        "Source",
        "T",
        "Written",
    }
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the parts to the build."""
    app.connect("source-read", _on_source)
    app.connect("missing-reference", _on_missing_reference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
