"""Places: where a fault stands, as people say it."""

from __future__ import annotations

import re

from accountant.errors import Fault

_OWNER = re.compile(r"(?P<kind>release|scenario|public)\[\d+\]|table\[\d+\]\.row\[\d+\]")
_NUMBER = re.compile(r"(?P<key>\w+)\[(?P<index>\d+)\]")


def told(fault: Fault) -> str:
    """What is wrong and where: the file, the line, and the place by the name of the release, all counted from 1."""
    if fault.file is None:
        return f"{fault.message} @ {_place(fault)}"
    line = [] if fault.line is None else [f"line {fault.line}"]
    place = [] if fault.place in ("plan", fault.file) else [_place(fault)]
    return f"{fault.message} @ {', '.join([fault.file, *line, *place])}"


def _place(fault: Fault) -> str:
    owner = _OWNER.match(fault.place)
    if owner is None or fault.name is None:
        return _NUMBER.sub(_counted, fault.place)
    kind = owner["kind"] or "release"
    return f"{kind} '{fault.name}'{_NUMBER.sub(_counted, fault.place[owner.end() :])}"


def _counted(found: re.Match[str]) -> str:
    """An item of a list by its number from 1, as rows are counted already."""
    number = int(found["index"]) + (found["key"] != "row")
    return f"{found['key']} {number}"
