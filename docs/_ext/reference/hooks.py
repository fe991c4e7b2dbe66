"""The hooks, as their source writes them down."""

from __future__ import annotations

import ast
import inspect
import re

from accountant.plugin import hookspecs
from reference.text import paragraphs


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
    lines = [paragraphs(described), ""]
    for title, names in groups().items():
        lines += [f"## {title}", ""]
        for name in names:
            described = inspect.getdoc(getattr(hookspecs, name)) or ""
            lines += [f"({name})=", f"### `{known[name]}`", "", paragraphs(described), ""]
    return "\n".join(lines)
